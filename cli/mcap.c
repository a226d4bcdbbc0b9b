// Writes MCAP (the specification's records without chunks): magic, header, schemas and channels as they
// appear, messages, end of data, footer, magic. A record is its opcode, its length and its content, all
// little-endian.
#include "mcap.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  OP_HEADER = 1,
  OP_FOOTER = 2,
  OP_SCHEMA = 3,
  OP_CHANNEL = 4,
  OP_MESSAGE = 5,
  OP_DATA_END = 15
};
static const unsigned char magic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

typedef struct record {
  unsigned char* bytes;
  size_t size, capacity;
  int failed;
} record;

static void put(record* r, const void* data, size_t size) {
  if (r->size + size > r->capacity) {
    size_t capacity = 2 * (r->size + size) + 64;
    unsigned char* bytes = realloc(r->bytes, capacity);
    if (!bytes) {
      r->failed = 1;
      return;
    }
    r->bytes = bytes, r->capacity = capacity;
  }
  if (size) memcpy(r->bytes + r->size, data, size);
  r->size += size;
}

static void put_number(record* r, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    unsigned char b = (unsigned char)(value >> (8 * i));
    put(r, &b, 1);
  }
}

static void put_string(record* r, const char* text) {
  put_number(r, strlen(text), 4);
  put(r, text, strlen(text));
}

static void write_record(mcapFile* m, int opcode, record* r) {
  record head = {0};
  put_number(&head, (uint64_t)opcode, 1);
  put_number(&head, r->size, 8);
  if (r->failed || head.failed || fwrite(head.bytes, 1, head.size, m->out.file) != head.size ||
      fwrite(r->bytes, 1, r->size, m->out.file) != r->size)
    m->failed = 1;
  free(head.bytes), free(r->bytes);
}

hfStatus mcap_open(mcapFile* m, const char* path, hfError* error) {
  record header = {0};
  *m = (mcapFile){0};
  hfStatus status = open_out_file(&m->out, path, error);
  if (status != HF_OK) return status;
  if (fwrite(magic, 1, sizeof magic, m->out.file) != sizeof magic) m->failed = 1;
  put_string(&header, "");
  put_string(&header, "holdfast");
  write_record(m, OP_HEADER, &header);
  return HF_OK;
}

uint16_t mcap_channel(mcapFile* m, const char* topic, const char* schema) {
  uint16_t id = ++m->channels;
  record s = {0}, c = {0};
  put_number(&s, id, 2);
  put_string(&s, schema);
  put_string(&s, "jsonschema");
  put_string(&s, "{\"type\":\"object\"}");
  write_record(m, OP_SCHEMA, &s);
  put_number(&c, id, 2);
  put_number(&c, id, 2);
  put_string(&c, topic);
  put_string(&c, "json");
  put_number(&c, 0, 4); // no metadata
  write_record(m, OP_CHANNEL, &c);
  return id;
}

void mcap_message(mcapFile* m, uint16_t channel, double time, json_t* value) {
  record r = {0};
  char* text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
  uint64_t ns = (uint64_t)llround(1e9 * fmax(time, 0));
  json_decref(value);
  if (!text) {
    m->failed = 1;
    return;
  }
  put_number(&r, channel, 2);
  put_number(&r, m->sequence++, 4);
  put_number(&r, ns, 8);
  put_number(&r, ns, 8);
  put(&r, text, strlen(text));
  write_record(m, OP_MESSAGE, &r);
  free(text);
}

hfStatus mcap_close(mcapFile* m, hfError* error) {
  record end = {0}, footer = {0};
  put_number(&end, 0, 4); // no checksum
  write_record(m, OP_DATA_END, &end);
  put_number(&footer, 0, 8); // no summary
  put_number(&footer, 0, 8);
  put_number(&footer, 0, 4);
  write_record(m, OP_FOOTER, &footer);
  if (fwrite(magic, 1, sizeof magic, m->out.file) != sizeof magic) m->failed = 1;
  if (!m->failed) return close_out_file(&m->out, error);
  snprintf(error->message, sizeof error->message, "the file cannot be written whole (disk full, or no memory)");
  discard_out_file(&m->out);
  return error->status = HF_ERROR_FILE;
}
