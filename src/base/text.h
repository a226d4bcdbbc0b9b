// Text files of problems: lines of names and numbers. Readers skip empty lines and lines that begin with #.
#ifndef HFI_PROBLEM_TEXT_H
#define HFI_PROBLEM_TEXT_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hfiTextReader {
  const char* path;
  char* at;    // start of the next line
  char* token; // rest of the present line
  int line;    // number of this line, from 1
  size_t size; // size of the whole text [bytes]
  hfError* error;
} hfiTextReader;

#define HFI_MALFORMED(r, ...) hfi_refuse((r)->error, HF_ERROR_PARSE, __VA_ARGS__)

// One pass over a text that fills an object, whose arrays it takes from the arena. Over an arena without memory it only
// plans their size.
typedef hfStatus hfiTextPass(hfiTextReader* r, void* object, hfiArena* arena);
// Refuses an object that is not valid.
typedef hfStatus hfiTextCheck(const void* object, hfError* error);
// Reads an object of `size` bytes from a file in two passes, the first of which plans. The object and its arrays are
// one block of memory, which free gives back. On a refusal *object stays as it is.
hfStatus hfi_text_read(const char* path, size_t size, hfiTextPass* pass, hfiTextCheck* check, void** object,
                       hfError* error);

// Goes to the next line that is neither empty nor a comment. Returns 0 at the end of the file.
int hfi_text_next_line(hfiTextReader* r);
// Goes to the next line, which must begin with `name`, and leaves its value to be read.
hfStatus hfi_text_expect(hfiTextReader* r, const char* name);
// Like hfi_text_expect, but the file may also end. *at_end: 1 if it does.
hfStatus hfi_text_expect_or_end(hfiTextReader* r, const char* name, int* at_end);
// Reads the next number of the line, or refuses.
hfStatus hfi_text_real(hfiTextReader* r, double* x);
hfStatus hfi_text_int(hfiTextReader* r, int32_t* x);
// Refuses if the line has more fields.
hfStatus hfi_text_end_line(hfiTextReader* r);
// Reads a whole line: a name and a number.
hfStatus hfi_text_count(hfiTextReader* r, const char* name, int32_t* count);
// Refuses if the file has more lines.
hfStatus hfi_text_expect_end(hfiTextReader* r);

#endif
