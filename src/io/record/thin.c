// Makes a long run short enough for a report: drops every second frame and state.
#include "io/record/thin.h"

#include "io/record/chunk.h"

#include <string.h>

void hfi_chunks_thin(hfiBytes* bytes) {
  size_t at = 0, kept = 0, seen[HFI_CHUNK_FIGURES + 1] = {0};
  while (at < bytes->size) {
    hfiChunkHeader header;
    memcpy(&header, bytes->data + at, sizeof header);
    int periodic = header.kind == HFI_CHUNK_FRAME || header.kind == HFI_CHUNK_STATE;
    int drop = header.kind == HFI_CHUNK_CONTROLS || (periodic && seen[header.kind]++ % 2 == 1);
    if (!drop) {
      memmove(bytes->data + kept, bytes->data + at, header.size);
      kept += header.size;
    }
    at += header.size;
  }
  bytes->size = kept;
}
