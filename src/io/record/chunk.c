// Chunks of recordings: writing them, and leaving out some of those that a long run has.
#include "io/record/chunk.h"

#include <string.h>

// Starts a chunk, whose size is not known yet. Returns where.
size_t hfi_chunk_begin(hfiBytes* bytes, hfiChunkKind kind) {
  size_t start = bytes->size;
  hfiChunkHeader header = {0, kind};
  hfi_bytes_put(bytes, &header, sizeof header);
  return start;
}

// Pads the chunk that began at `start` to a multiple of 8 bytes, and fills in its size.
void hfi_chunk_end(hfiBytes* bytes, size_t start) {
  static const char zeros[8];
  hfi_bytes_put(bytes, zeros, (8 - (bytes->size - start) % 8) % 8);
  if (bytes->failed) return;

  uint32_t size = (uint32_t)(bytes->size - start);
  memcpy(bytes->data + start, &size, sizeof size);
}

// Drops every second frame, every second state and all controls, and moves the other chunks together.
void hfi_chunks_thin(hfiBytes* bytes) {
  size_t position = 0;
  size_t kept = 0;
  size_t seen[HFI_CHUNK_FIGURES + 1] = {0};

  while (position < bytes->size) {
    hfiChunkHeader header;
    memcpy(&header, bytes->data + position, sizeof header);
    int is_periodic = header.kind == HFI_CHUNK_FRAME || header.kind == HFI_CHUNK_STATE;
    int is_dropped = header.kind == HFI_CHUNK_CONTROLS || (is_periodic && seen[header.kind] % 2 == 1);
    if (is_periodic) ++seen[header.kind];

    if (!is_dropped) {
      memmove(bytes->data + kept, bytes->data + position, header.size);
      kept += header.size;
    }
    position += header.size;
  }
  bytes->size = kept;
}
