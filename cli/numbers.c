// Numbers of the command line and of text files.
#include "numbers.h"

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gives a text this capacity. Without memory it frees the text and returns NULL.
static char* grow(char* text, size_t capacity) {
  char* larger = realloc(text, capacity);
  if (!larger) free(text);
  return larger;
}

// Reads a stream to its end and puts a NUL behind it.
// NULL, with errno: it cannot be read or has more than `most` bytes.
char* read_stream(FILE* file, size_t most, size_t* size) {
  size_t capacity = 4096;
  size_t n = 0;
  char* text = malloc(capacity);
  while (text && n <= most) {
    size_t got = fread(text + n, 1, capacity - n - 1, file);
    if (got == 0) break;

    n += got;
    if (n + 1 == capacity) {
      capacity *= 2;
      text = grow(text, capacity);
    }
  }
  if (!text) return NULL;

  if (ferror(file) || n > most) {
    if (n > most) errno = EFBIG;
    free(text);
    return NULL;
  }

  text[n] = '\0';
  *size = n;
  return text;
}

// Reads a file to its end. NULL after a message.
char* read_text(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = file ? read_stream(file, SIZE_MAX, size) : NULL;

  if (!text) say_error("%s: cannot read: %s", path, strerror(errno));
  if (file) fclose(file);
  return text;
}

// Reads a text that is one finite number. Returns 0 if it is something else.
int parse_number(const char* text, double* value) {
  char* end;
  double x = strtod(text, &end);
  if (end == text || end[strspn(end, " \t\r\n")] != '\0' || !isfinite(x)) return 0;

  *value = x;
  return 1;
}

// Does this character stand between numbers?
static int is_separator(char c) {
  return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Reads `count` numbers from a text. Returns the exit status, with a message where it is not CLI_GOOD.
static int parse_list(const char* option, const char* text, double* values, int count) {
  int n = 0;
  const char* next = text;
  for (;;) {
    while (is_separator(*next)) ++next;
    if (!*next) break;

    char* end;
    double x = strtod(next, &end);
    int width = (int)strcspn(next, ", \t\r\n");
    if (end != next + width || !isfinite(x)) {
      say_error("%s: \"%.*s\" is not a finite number", option, width, next);
      return CLI_MISUSED;
    }
    if (n < count) values[n] = x;
    ++n;
    next = end;
  }

  if (n == count) return CLI_GOOD;
  say_error("%s: %d numbers given, the model has %d", option, n, count);
  return CLI_MISUSED;
}

// Reads `count` numbers from a text, or from the file of @FILE. Returns the exit status, after a message.
int parse_vector(const char* option, const char* text, double* values, int count) {
  size_t size;
  char* file = *text == '@' ? read_text(text + 1, &size) : NULL;
  if (*text == '@' && !file) return CLI_FAILED;

  // the values stay as they are unless all numbers are good
  double* given = malloc(((size_t)count + 1) * sizeof *given);
  int status = CLI_FAILED;
  if (given)
    status = parse_list(option, file ? file : text, given, count);
  else
    say_error("out of memory");

  if (status == CLI_GOOD) memcpy(values, given, (size_t)count * sizeof *given);

  free(given);
  free(file);
  return status;
}
