// A file that is written in whole pieces and whose trouble is never lost.
#ifndef HFI_RECORD_OUTPUT_H
#define HFI_RECORD_OUTPUT_H

#include "record/bytes.h"
#include <stdint.h>

typedef enum hfiOutputMode {
  HFI_OUTPUT_ROWS,  // pieces go to the file itself as they come
  HFI_OUTPUT_WHOLE, // a temporary file takes the name when it is complete
} hfiOutputMode;

typedef struct hfiOutput {
  int fd;
  char* path;
  char* temporary; // HFI_OUTPUT_WHOLE on a regular file; else NULL
  hfiBytes piece;   // what the next flush writes
  uint64_t written; // bytes of whole pieces in the file
} hfiOutput;

hfStatus hfi_output_open(hfiOutput* out, const char* path, hfiOutputMode mode, hfError* error);
// Add to the piece. Trouble shows at the next flush.
void hfi_output_bytes(hfiOutput* out, const void* bytes, size_t size);
void hfi_output_print(hfiOutput* out, const char* format, ...) HF_PRINTF(2, 3);
// Writes the piece: all of it, or a refusal with the file as it was before.
hfStatus hfi_output_flush(hfiOutput* out, hfError* error);
// Flushes, closes, gives a temporary file its name. Frees everything in any case.
hfStatus hfi_output_close(hfiOutput* out, hfError* error);

// An object of `size` bytes, zeroed, that starts with an hfiOutput: made and opened, closed and
// freed, or given up (its temporary file is removed). Creation returns NULL on refusal; destruction
// allows it.
void* hfi_output_create(size_t size, const char* path, hfiOutputMode mode, hfStatus* status,
                        hfError* error);
hfStatus hfi_output_destroy(void* object, hfError* error);
void hfi_output_abandon(void* object);

#endif
