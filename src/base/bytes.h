// A growing array of bytes. If there is no memory, `failed` is set and stays set, so that the caller can look at it
// once, at the end.
#ifndef HFI_BASE_BYTES_H
#define HFI_BASE_BYTES_H

#include <holdfast/status.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct hfiBytes {
  char* data;
  size_t size, capacity;
  int failed; // 1: bytes were dropped because there was no memory
} hfiBytes;

void hfi_bytes_put(hfiBytes* bytes, const void* data, size_t size);
void hfi_bytes_print(hfiBytes* bytes, const char* format, ...) HF_PRINTF(2, 3);
void hfi_bytes_vprint(hfiBytes* bytes, const char* format, va_list arguments);
// A JSON string: quoted, with quotes, backslashes and control characters escaped.
void hfi_bytes_json_string(hfiBytes* bytes, const char* text);
void hfi_bytes_release(hfiBytes* bytes);

#endif
