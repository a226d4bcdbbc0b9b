// ./check counts tests from the output of ctest: every way a test program can end.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_counts(const char* log, const char* want) {
  char path[] = "/tmp/holdfast-count-XXXXXX", command[4096], got[64] = "";
  FILE* file = fdopen(mkstemp(path), "w");
  assert_non_null(file);
  fputs(log, file);
  fclose(file);
  snprintf(command, sizeof command, "awk -f %s/tests/support/count.awk %s", HF_SOURCE_DIR, path);
  FILE* pipe = popen(command, "r");
  assert_non_null(fgets(got, sizeof got, pipe));
  assert_int_equal(pclose(pipe), 0);
  remove(path);
  assert_string_equal(got, want);
}

static void test_cmocka_tests_count_one_by_one(void** state) {
  (void)state;
  assert_counts("3: [==========] Running 3 test(s).\n"
                "3: [       OK ] a\n"
                "3: [  SKIPPED ] b\n"
                "3: [  FAILED  ] c\n"
                "3: [  PASSED  ] 1 test(s).\n"
                "3: [  SKIPPED ] 1 test(s), listed below:\n"
                "3: [  SKIPPED ] b\n"
                "3: [  FAILED  ] 1 test(s), listed below:\n"
                "3: [  FAILED  ] c\n"
                "1/1 Test  #3: x/y ....***Failed    0.01 sec\n",
                "1 1 1\n");
}

static void test_crash_counts_as_a_failure(void** state) {
  (void)state;
  assert_counts("12: [       OK ] a\n12: [ RUN      ] b\n"
                " 1/1 Test #12: x/y ....***Exception: SegFault  0.01 sec\n",
                "1 1 0\n");
}

static void test_other_programs_count_once(void** state) {
  (void)state;
  assert_counts("1: hello\n"
                "1/4 Test  #1: a ....   Passed    0.01 sec\n"
                "2/4 Test  #2: b ....***Failed    0.01 sec\n"
                "3/4 Test  #3: c ....***Skipped   0.01 sec\n"
                "4/4 Test  #4: d ....***Timeout   9.01 sec\n",
                "1 2 1\n");
}

// ctest was killed: of four programs one never ended and two never began.
static void test_programs_that_never_ended_count_as_failures(void** state) {
  (void)state;
  assert_counts("    Start 12: a\n"
                "12: [       OK ] x\n12: [       OK ] y\n"
                " 1/4 Test #12: a ....   Passed    0.01 sec\n"
                "    Start 13: b\n"
                "13: [       OK ] x\n",
                "2 3 0\n");
}

static void test_nothing_ran(void** state) {
  (void)state;
  assert_counts("No tests were found!!!\n", "0 0 0\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cmocka_tests_count_one_by_one),
      cmocka_unit_test(test_crash_counts_as_a_failure),
      cmocka_unit_test(test_other_programs_count_once),
      cmocka_unit_test(test_programs_that_never_ended_count_as_failures),
      cmocka_unit_test(test_nothing_ran),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
