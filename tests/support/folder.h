// A temporary folder that a group of tests works in.
#ifndef HF_TESTS_FOLDER_H
#define HF_TESTS_FOLDER_H

#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char test_folder[] = "/tmp/holdfast-test-XXXXXX";

// For cmocka_run_group_tests; enter_folder may be called from a set-up that goes on to write files.
static inline int enter_folder(void** state) { return (void)state, mkdtemp(test_folder) && chdir(test_folder) == 0 ? 0 : -1; }
static inline int leave_folder(void** state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "cd / && rm -rf %s", test_folder);
  return system(command);
}

static inline void write_file(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

#endif
