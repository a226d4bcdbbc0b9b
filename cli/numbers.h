// Numbers of the command line and of text files.
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stddef.h>
#include <stdio.h>

// Reads a file, which may also be a pipe, to its end, and puts a zero behind it. Returns NULL with errno set after an
// error; EFBIG: it has more than `most` bytes. The caller frees it.
char* read_stream(FILE* file, size_t most, size_t* size);
// Reads a whole text file and ends it with a zero. Returns NULL after a message. The caller frees it.
char* read_text(const char* path, size_t* size);

// Reads a text that is one finite number and nothing else. Returns 0 if it is not.
int parse_number(const char* text, double* value);

// Reads exactly `count` finite numbers separated by spaces or commas, or @FILE, a file with such text. Messages name
// `option`. Returns CLI_GOOD; or the exit status after a message, and then `values` did not change.
int parse_vector(const char* option, const char* text, double* values, int count);

#endif
