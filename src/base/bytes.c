// See bytes.h. The capacity doubles, so that n bytes cost O(n) copies.
#include "base/bytes.h"

#include "base/locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes room for more bytes. Returns 0 and marks the buffer as failed if there is no memory.
static int reserve(hfiBytes* b, size_t more) {
  if (b->size + more <= b->capacity) return 1;

  size_t capacity = 2 * (b->size + more);
  char* data = realloc(b->data, capacity);
  if (!data) {
    b->failed = 1;
    return 0;
  }
  b->data = data;
  b->capacity = capacity;
  return 1;
}

// Appends bytes.
void hfi_bytes_put(hfiBytes* b, const void* data, size_t size) {
  if (size == 0 || !reserve(b, size)) return;
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

// Appends printed text, with a decimal point in every locale.
void hfi_bytes_vprint(hfiBytes* b, const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  locale_t outer = hfi_enter_c_locale();

  // if the text does not fit, its length says how much room the second try needs
  size_t room = b->capacity - b->size;
  int size = vsnprintf(room ? b->data + b->size : NULL, room, format, arguments);
  if (size >= 0 && (size_t)size >= room && reserve(b, (size_t)size + 1))
    size = vsnprintf(b->data + b->size, (size_t)size + 1, format, again);
  if (size > 0 && !b->failed) b->size += (size_t)size;

  hfi_leave_c_locale(outer);
  va_end(again);
}

// Does the same with its arguments one by one.
void hfi_bytes_print(hfiBytes* b, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hfi_bytes_vprint(b, format, arguments);
  va_end(arguments);
}

// Appends text as a string of JSON, in quotes.
void hfi_bytes_json_string(hfiBytes* b, const char* text) {
  hfi_bytes_put(b, "\"", 1);
  for (const char* c = text; *c; ++c) {
    if (*c == '"' || *c == '\\')
      hfi_bytes_print(b, "\\%c", *c);
    else if ((unsigned char)*c < 0x20)
      hfi_bytes_print(b, "\\u%04x", (unsigned)*c);
    else
      hfi_bytes_put(b, c, 1);
  }
  hfi_bytes_put(b, "\"", 1);
}

void hfi_bytes_release(hfiBytes* b) {
  free(b->data);
  *b = (hfiBytes){0};
}
