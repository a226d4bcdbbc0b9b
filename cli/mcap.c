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

// The content of a record that is being made.
typedef struct record {
  unsigned char* bytes; // from malloc; write_record frees them
  size_t size;
  size_t capacity;
  int failed; // 1: there was no memory
} record;

// Appends bytes to a record, or marks it as failed.
static void put(record* r, const void* data, size_t size) {
  if (r->size + size > r->capacity) {
    size_t capacity = 2 * (r->size + size) + 64;
    unsigned char* bytes = realloc(r->bytes, capacity);
    if (!bytes) {
      r->failed = 1;
      return;
    }
    r->bytes = bytes;
    r->capacity = capacity;
  }

  if (size) memcpy(r->bytes + r->size, data, size);
  r->size += size;
}

// Appends a number, little-endian, with so many bytes.
static void put_number(record* r, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    unsigned char b = (unsigned char)(value >> (8 * i));
    put(r, &b, 1);
  }
}

// Appends a string: its length and its characters.
static void put_string(record* r, const char* text) {
  put_number(r, strlen(text), 4);
  put(r, text, strlen(text));
}

// Writes bytes to the file. What cannot be written marks the file as failed.
static void write_bytes(mcapFile* m, const void* bytes, size_t size) {
  if (fwrite(bytes, 1, size, m->out.file) != size) m->failed = 1;
}

// Writes a record with its opcode and length, and frees it.
static void write_record(mcapFile* m, int opcode, record* r) {
  record head = {0};
  put_number(&head, (uint64_t)opcode, 1);
  put_number(&head, r->size, 8);

  if (r->failed || head.failed) {
    m->failed = 1;
  } else {
    write_bytes(m, head.bytes, head.size);
    write_bytes(m, r->bytes, r->size);
  }
  free(head.bytes);
  free(r->bytes);
}

// Opens a file and writes its header.
hfStatus mcap_open(mcapFile* m, const char* path, hfError* error) {
  record header = {0};
  *m = (mcapFile){0};
  hfStatus status = open_out_file(&m->out, path, error);
  if (status != HF_OK) return status;

  write_bytes(m, magic, sizeof magic);
  put_string(&header, "");
  put_string(&header, "holdfast");
  write_record(m, OP_HEADER, &header);
  return HF_OK;
}

// Adds a channel of JSON messages with the name of a schema. Returns its number.
uint16_t mcap_channel(mcapFile* m, const char* topic, const char* schema) {
  uint16_t id = ++m->channels; // also the number of the schema

  record schema_record = {0};
  put_number(&schema_record, id, 2);
  put_string(&schema_record, schema);
  put_string(&schema_record, "jsonschema");
  put_string(&schema_record, "{\"type\":\"object\"}");
  write_record(m, OP_SCHEMA, &schema_record);

  record channel = {0};
  put_number(&channel, id, 2); // the channel
  put_number(&channel, id, 2); // its schema
  put_string(&channel, topic);
  put_string(&channel, "json");
  put_number(&channel, 0, 4); // no metadata
  write_record(m, OP_CHANNEL, &channel);
  return id;
}

// Writes a message of this time [s], and gives its value back. NULL marks the file as failed.
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
  put_number(&r, ns, 8); // when it was logged
  put_number(&r, ns, 8); // when it was published
  put(&r, text, strlen(text));
  write_record(m, OP_MESSAGE, &r);
  free(text);
}

// Writes the end of the file and closes it. A file that could not be written whole is discarded.
hfStatus mcap_close(mcapFile* m, hfError* error) {
  record end = {0};
  put_number(&end, 0, 4); // no checksum
  write_record(m, OP_DATA_END, &end);

  record footer = {0};
  put_number(&footer, 0, 8); // no summary
  put_number(&footer, 0, 8);
  put_number(&footer, 0, 4);
  write_record(m, OP_FOOTER, &footer);
  write_bytes(m, magic, sizeof magic);
  if (!m->failed) return close_out_file(&m->out, error);

  discard_out_file(&m->out);
  snprintf(error->message, sizeof error->message, "the file cannot be written whole (disk full, or no memory)");
  error->status = HF_ERROR_FILE;
  return HF_ERROR_FILE;
}
