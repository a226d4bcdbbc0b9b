// See chunk.h.
#include "io/record/chunk.h"

#include <string.h>

size_t hfi_chunk_begin(hfiBytes* bytes, hfiChunkKind kind) {
  size_t start = bytes->size;
  hfiChunkHeader header = {0, kind};
  hfi_bytes_put(bytes, &header, sizeof header);
  return start;
}

void hfi_chunk_end(hfiBytes* bytes, size_t start) {
  static const char zeros[8];
  hfi_bytes_put(bytes, zeros, (8 - (bytes->size - start) % 8) % 8);
  if (bytes->failed) return;
  uint32_t size = (uint32_t)(bytes->size - start);
  memcpy(bytes->data + start, &size, sizeof size);
}
