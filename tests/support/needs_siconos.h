// The whole of a test program where siconos (Debian libsiconos-numerics-dev) was not found: one test that is skipped.
#ifndef HF_TESTS_NEEDS_SICONOS_H
#define HF_TESTS_NEEDS_SICONOS_H

#include "support/cmocka_all.h"

static void test_needs_siconos(void** state) {
  (void)state;
  print_message("siconos was not found when the tests were configured\n");
  skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_needs_siconos)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
