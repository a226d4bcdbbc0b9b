// Runs the command holdfast as a user does: through a shell, in a folder of its own.
#ifndef HF_TESTS_COMMAND_H
#define HF_TESTS_COMMAND_H

#include "support/folder.h"
#include "support/near.h"

#include <holdfast/holdfast.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOLDFAST HF_COMMAND

// The text of a file; what is longer is cut off.
enum { TEXT_SIZE = 1 << 22 }; // a report holds its page of one megabyte
static inline const char* read_file(const char* name, char* text) {
  FILE* file = fopen(name, "r");
  if (!file) print_error("%s is not there\n", name);
  assert_non_null(file);
  text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
  fclose(file);
  return text;
}

// What the last command printed.
static char standard_output[TEXT_SIZE], standard_error[TEXT_SIZE];

// Runs "holdfast ARGUMENTS" and returns its exit status.
static inline int holdfast(const char* arguments) {
  char command[8192];
  snprintf(command, sizeof command, "%s %s >stdout.txt 2>stderr.txt", HOLDFAST, arguments);
  int status = system(command);
  read_file("stdout.txt", standard_output);
  read_file("stderr.txt", standard_error);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void assert_says(const char* said, const char* expected) {
  if (strstr(said, expected)) return;
  print_error("\"%s\" does not contain \"%s\"\n", said, expected);
  fail();
}

// `want` exit status; standard error contains `message`, standard output is empty.
static inline void assert_refused(const char* arguments, int want, const char* message) {
  int got = holdfast(arguments);
  if (got != want)
    print_error("holdfast %s: exit status %d, not %d: %s\n", arguments, got, want, standard_error);
  assert_int_equal(got, want);
  assert_says(standard_error, message);
  assert_string_equal(standard_output, "");
}

static inline void assert_works(const char* arguments) {
  int got = holdfast(arguments);
  if (got != 0) print_error("holdfast %s: exit status %d: %s\n", arguments, got, standard_error);
  assert_int_equal(got, 0);
}

// The k-th number after "KEY" in a JSON text, brackets and commas skipped.
static inline double json_value(const char* text, const char* key, int k) {
  char quoted[256];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char* at = strstr(text, quoted);
  if (!at) print_error("no %s in %s\n", quoted, text);
  assert_non_null(at);
  at += strlen(quoted);
  for (;; --k) {
    at += strspn(at, " [,]");
    char* end;
    double value = strtod(at, &end);
    if (end == at) print_error("no number %d after %s\n", k, quoted);
    assert_true(end != at);
    if (k == 0) return value;
    at = end;
  }
}

// Standard output is one valid JSON document.
static inline void assert_json(void) {
  assert_int_equal(system("python3 -c 'import json, sys; json.load(open(\"stdout.txt\"))'"), 0);
}

#endif
