// Text files of problems: lines of names and numbers. Readers skip empty lines and lines that begin with #.
#ifndef HFI_PROBLEM_TEXT_H
#define HFI_PROBLEM_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hfiTextReader {
  const char* path;
  char* at;    // start of the next line
  char* token; // rest of the present line
  int line;    // its number, from 1
  size_t size; // of the whole text [bytes]
  hfError* error;
} hfiTextReader;

#define HFI_MALFORMED(r, ...) hfi_refuse((r)->error, HF_ERROR_PARSE, __VA_ARGS__)

// Returns the whole file as a string that the caller frees, or NULL after a refusal.
char* hfi_text_load(const char* path, size_t* size, hfError* error);

// Goes to the next line that is neither empty nor a comment. Returns 0 at the end of the file.
int hfi_text_next_line(hfiTextReader* r);
// Goes to the next line, which must begin with `name`, and leaves its value to be read.
hfStatus hfi_text_expect(hfiTextReader* r, const char* name);
// Reads the next number of the line, or refuses.
hfStatus hfi_text_real(hfiTextReader* r, double* x);
hfStatus hfi_text_int(hfiTextReader* r, int32_t* x);
// Refuses a line that goes on.
hfStatus hfi_text_end_line(hfiTextReader* r);

#endif
