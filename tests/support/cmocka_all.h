// cmocka with the headers it wants before it, and which form of the tests runs.
#ifndef HF_TESTS_CMOCKA_ALL_H
#define HF_TESTS_CMOCKA_ALL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/compare.h"

// HF_FULL=1 asks for the long form of the tests.
static inline int is_full(void) {
  const char* value = getenv("HF_FULL");
  return value && strcmp(value, "1") == 0;
}
#endif
