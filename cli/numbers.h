// Numbers of the command line and of text files.
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stddef.h>

// Reads a whole text file, zero-terminated; NULL with the reason said. Free it.
char* read_text(const char* path, size_t* size);

// One finite number and nothing else.
int parse_number(const char* text, double* value);

// Exactly `count` finite numbers separated by spaces or commas, or @FILE with such text. `option`
// names it in messages. Returns CLI_GOOD, or the exit status after saying what is wrong; values
// untouched.
int parse_vector(const char* option, const char* text, double* values, int count);

#endif
