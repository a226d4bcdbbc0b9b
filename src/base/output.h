// A file that is written in whole pieces and that replaces an older file only when it is usable itself. So after a
// refusal, with a full disk or after a kill there is either the older file or a usable new one. An error is reported at
// the next flush or at closing, and never lost.
#ifndef HFI_BASE_OUTPUT_H
#define HFI_BASE_OUTPUT_H

#include "base/bytes.h"
#include <stdint.h>

typedef enum hfiOutputMode {
  HFI_OUTPUT_ROWS,  // The file gets its name when its first piece is written; later pieces are added to it.
  HFI_OUTPUT_WHOLE, // The file gets its name when it is complete.
} hfiOutputMode;

typedef struct hfiOutput {
  int fd;
  hfiOutputMode mode;
  char* path;       // as the caller wrote it, for messages
  char* target;     // the name that the file gets, by hfi_output_target: links stay links
  char* temporary;  // the name that the file has until then; NULL: it has none
  int named;        // 1: the file has its name
  int shared;       // 1: the path names an open descriptor, whose file may hold what others wrote; it is never cut
  int failure;      // error code of the system for a piece that could not be written; 0: none
  hfiBytes piece;   // what the next flush writes
  uint64_t written; // bytes of whole pieces in the file
} hfiOutput;

hfStatus hfi_output_open(hfiOutput* out, const char* path, hfiOutputMode mode, hfError* error);
// Add bytes or text to the piece. If there is no memory, the next flush reports it.
void hfi_output_bytes(hfiOutput* out, const void* bytes, size_t size);
void hfi_output_print(hfiOutput* out, const char* format, ...) HF_PRINTF(2, 3);
// Writes the whole piece, or refuses and leaves the file as it was before.
hfStatus hfi_output_flush(hfiOutput* out, hfError* error);
// Writes the last piece, closes the file and gives it its name. If a piece could not be written to a file that has no
// name yet, it refuses, and the older file stays. Frees everything, also after a refusal.
hfStatus hfi_output_close(hfiOutput* out, hfError* error);
// Closes the file without finishing it. A file that has no name yet leaves no trace.
void hfi_output_discard(hfiOutput* out);

// An object of `size` bytes, filled with zeros, that starts with an hfiOutput. The first function makes it and opens
// its file, or returns NULL after a refusal. The second closes the file and frees the object. The third discards the
// file and frees the object. The last two accept NULL.
void* hfi_output_create(size_t size, const char* path, hfiOutputMode mode, hfStatus* status,
                        hfError* error);
hfStatus hfi_output_destroy(void* object, hfError* error);
void hfi_output_abandon(void* object);

// The descriptor that a path names, as /dev/stdout, /dev/fd/3 or a link to one of them, whether it is open or not. -1:
// it names none.
int hfi_output_descriptor(const char* path);

// The file that a path names (the path itself if that is a descriptor), without symbolic links, whether it exists or
// not: a link to a file that does not exist yet leads to its place. NULL: no memory. The caller frees it.
char* hfi_output_target(const char* path);

// Writes a file of these bytes.
hfStatus hfi_write_file(const char* path, const void* bytes, size_t size, hfError* error);

#endif
