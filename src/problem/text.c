// Reading of text files with names and numbers.
#include "problem/text.h"

#include "base/locale.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hfi_text_next_line(hfiTextReader* r) {
  while (*r->at) {
    r->token = r->at;
    char* end = strchr(r->at, '\n');
    r->at = end ? end + 1 : r->at + strlen(r->at);
    if (end) *end = 0;
    ++r->line;
    if (r->token[strspn(r->token, " \t\r")] && *r->token != '#') return 1;
  }
  return 0;
}

hfStatus hfi_text_real(hfiTextReader* r, double* x) {
  char* end;
  *x = hfi_read_double(r->token, &end);
  if (end == r->token) return HFI_MALFORMED(r, "%s:%d: expected a number", r->path, r->line);
  r->token = end;
  return HF_OK;
}

hfStatus hfi_text_int(hfiTextReader* r, int32_t* x) {
  char* end;
  errno = 0;
  long value = strtol(r->token, &end, 10);
  if (end == r->token || errno || value < INT32_MIN || value > INT32_MAX)
    return HFI_MALFORMED(r, "%s:%d: expected an integer", r->path, r->line);
  r->token = end;
  *x = (int32_t)value;
  return HF_OK;
}

hfStatus hfi_text_end_line(hfiTextReader* r) {
  if (r->token[strspn(r->token, " \t\r")])
    return HFI_MALFORMED(r, "%s:%d: more than expected", r->path, r->line);
  return HF_OK;
}

hfStatus hfi_text_expect(hfiTextReader* r, const char* name) {
  size_t length = strlen(name);
  if (!hfi_text_next_line(r)) return HFI_MALFORMED(r, "%s:%d: file ends before \"%s\"", r->path, r->line, name);
  if (strncmp(r->token, name, length) != 0 || (r->token[length] != ' ' && r->token[length] != 0))
    return HFI_MALFORMED(r, "%s:%d: expected \"%s\"", r->path, r->line, name);
  r->token += length;
  return HF_OK;
}

char* hfi_text_load(const char* path, size_t* size, hfError* error) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    hfi_refuse(error, HF_ERROR_FILE, "%s: %s", path, strerror(errno));
    return NULL;
  }
  char* text = NULL;
  size_t used = 0, capacity = 1 << 16, got = 0;
  do {
    capacity *= 2;
    char* grown = realloc(text, capacity);
    if (!grown) break;
    text = grown;
    got = fread(text + used, 1, capacity - used - 1, file);
    used += got;
    text[used] = 0;
  } while (got > 0);
  int complete = text && feof(file);
  fclose(file);
  *size = used;
  if (complete) return text;
  hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be read", path);
  free(text);
  return NULL;
}
