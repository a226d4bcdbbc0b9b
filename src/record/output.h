// A file that is written in whole pieces. An error is reported at the next flush or at closing, and never lost.
#ifndef HFI_RECORD_OUTPUT_H
#define HFI_RECORD_OUTPUT_H

#include "record/bytes.h"
#include <stdint.h>

typedef enum hfiOutputMode {
  HFI_OUTPUT_ROWS,  // each piece goes to the file itself at once
  HFI_OUTPUT_WHOLE, // pieces go to a temporary file, which gets the name when it is complete
} hfiOutputMode;

typedef struct hfiOutput {
  int fd;
  char* path;
  char* temporary; // HFI_OUTPUT_WHOLE on a regular file; else NULL
  hfiBytes piece;   // what the next flush writes
  uint64_t written; // bytes of whole pieces in the file
} hfiOutput;

hfStatus hfi_output_open(hfiOutput* out, const char* path, hfiOutputMode mode, hfError* error);
// Add to the piece. The next flush reports an error.
void hfi_output_bytes(hfiOutput* out, const void* bytes, size_t size);
void hfi_output_print(hfiOutput* out, const char* format, ...) HF_PRINTF(2, 3);
// Writes the whole piece, or refuses and leaves the file as it was before.
hfStatus hfi_output_flush(hfiOutput* out, hfError* error);
// Writes the last piece, closes the file and gives a temporary file its name. Frees everything, also after a refusal.
hfStatus hfi_output_close(hfiOutput* out, hfError* error);

// An object of `size` bytes, filled with zeros, that starts with an hfiOutput. The first function makes it and opens its
// file, or returns NULL after a refusal. The second closes the file and frees the object. The third gives the object up
// and removes its temporary file. The last two accept NULL.
void* hfi_output_create(size_t size, const char* path, hfiOutputMode mode, hfStatus* status,
                        hfError* error);
hfStatus hfi_output_destroy(void* object, hfError* error);
void hfi_output_abandon(void* object);

#endif
