// ./check from its beginning to its end, with stubs for what it calls: each preset is built and tested, every fault counts, and none of them ends the
// script before the last line.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <sys/wait.h>

enum { SAID_SIZE = 16384 };

// The folder of a small project: the script, what it reads, and stubs of the programs it calls. cmake makes what a build would have; BREAK names a
// preset that cannot be built. ctest runs two programs, of which the second is skipped, and a third one with HF_FULL; KILL names a preset in which it
// is killed after the first.
static const char set_up[] =
    "set -e\n"
    "mkdir -p packages tests/support tests/install bin\n"
    "cp '" HF_SOURCE_DIR "/check' .\n"
    "cp '" HF_SOURCE_DIR "'/packages/* packages\n"
    "cp '" HF_SOURCE_DIR "/tests/support/count.awk' tests/support\n"
    "stub() { { echo '#!/bin/sh'; cat; } >$1; chmod +x $1; }\n"
    "stub tests/install/abi.sh <<'STUB'\n"
    "echo compared; exit ${ABI:-0}\n"
    "STUB\n"
    "stub bin/uname <<'STUB'\n"
    "echo x86_64\n"
    "STUB\n"
    "stub bin/setarch <<'STUB'\n"
    "shift 2; exec \"$@\"\n"
    "STUB\n"
    "stub bin/cmake <<'STUB'\n"
    "[ $1 = --preset ] && { echo $2 >>presets; [ \"$2\" != \"$BREAK\" ]; exit; }\n"
    "make() { mkdir -p ${1%/*}; printf '#!/bin/sh\\nexit %s\\n' $2 >$1; chmod +x $1; }\n"
    "[ $3 = release ] && make build/release/cli/holdfast 0\n"
    "[ $3 = fuzz ] && [ -z \"$NO_FUZZ\" ] && make build/fuzz/tests/fuzz/fuzz_a 0 && make build/fuzz/tests/fuzz/fuzz_b ${FUZZ:-0}\n"
    "exit 0\n"
    "STUB\n"
    "stub bin/ctest <<'STUB'\n"
    "all=$((2 + ${HF_FULL:-0}))\n"
    "echo \"1/$all Test #1: a ...   Passed  0.01 sec\"\n"
    "[ $2 = \"build/$KILL\" ] && kill -KILL $$\n"
    "[ -n \"$HF_FULL\" ] && echo \"2/$all Test #3: c ...   Passed  0.01 sec\"\n"
    "echo \"$all/$all Test #2: b ...***Skipped  0.01 sec\"\n"
    "STUB\n";

static char folder[] = "/tmp/holdfast-check-XXXXXX";

static int make_project(void** state) {
  (void)state;
  char path[64];
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/set_up", folder);
  FILE* file = fopen(path, "w");
  if (!file) return -1;
  fputs(set_up, file);
  fclose(file);
  char command[128];
  snprintf(command, sizeof command, "cd %s && sh set_up", folder);
  return system(command);
}

static int remove_project(void** state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

// Runs the script with these variables and arguments. It must say `want` and end with this status.
static void assert_check(const char* variables, const char* arguments, const char* want, int status) {
  char command[512], said[SAID_SIZE];
  snprintf(command, sizeof command, "cd %s && rm -rf build presets && PATH=$PWD/bin:$PATH env -u HF_FULL %s ./check %s 2>&1", folder, variables,
           arguments);
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);
  said[fread(said, 1, sizeof said - 1, pipe)] = 0;
  int ended = pclose(pipe);
  if (!strstr(said, want)) print_error("%s", said);
  assert_non_null(strstr(said, want));
  assert_int_equal(WEXITSTATUS(ended), status);
}

static void assert_presets(const char* want) {
  char path[64], got[256];
  snprintf(path, sizeof path, "%s/presets", folder);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  got[fread(got, 1, sizeof got - 1, file)] = 0;
  fclose(file);
  assert_string_equal(got, want);
}

static void the_short_form_builds_twice(void** state) {
  (void)state;
  assert_check("", "--no-install", "\n2 passed, 0 failed, 2 skipped\n", 0);
  assert_presets("release\ndev\n");
}

// Passed are two of the release build in the long form, one of each other build, the comparison of interfaces and two fuzzers; skipped is one of each build,
// and the tests for arm64, for which there are no libraries.
static void the_long_form_builds_all(void** state) {
  (void)state;
  assert_check("", "--no-install --full", "\n9 passed, 0 failed, 6 skipped\n", 0);
  assert_presets("release\ndev\nasan\nclang\ntsan\nfuzz\n");
}

static void a_build_that_breaks_counts(void** state) {
  (void)state;
  assert_check("BREAK=asan", "--no-install --full", "\n8 passed, 1 failed, 5 skipped\n", 1);
  assert_presets("release\ndev\nasan\nclang\ntsan\nfuzz\n");
  assert_check("BREAK=fuzz", "--no-install --full", "\n7 passed, 1 failed, 6 skipped\n", 1);
}

static void a_ctest_that_is_killed_counts(void** state) {
  (void)state;
  assert_check("KILL=dev", "--no-install", "\n2 passed, 1 failed, 1 skipped\n", 1);
}

static void fuzzers_and_interfaces_that_fail_count(void** state) {
  (void)state;
  assert_check("FUZZ=77", "--no-install --full", "\n8 passed, 1 failed, 6 skipped\n", 1);
  assert_check("NO_FUZZ=1", "--no-install --full", "\n7 passed, 1 failed, 6 skipped\n", 1);
  assert_check("ABI=4", "--no-install --full", "\n8 passed, 1 failed, 6 skipped\n", 1);
}

// A part builds what it needs of another one, but does not test it.
static void parts_of_the_long_form_run_alone(void** state) {
  (void)state;
  assert_check("", "--no-install --part release", "\n2 passed, 0 failed, 1 skipped\n", 0);
  assert_presets("release\n");
  assert_check("", "--no-install --part clang --part asan", "\n2 passed, 0 failed, 2 skipped\n", 0);
  assert_presets("asan\nclang\n");
  assert_check("", "--no-install --part fuzz", "\n2 passed, 0 failed, 0 skipped\n", 0);
  assert_presets("release\nfuzz\n");
  assert_check("", "--no-install --part interfaces", "\n1 passed, 0 failed, 0 skipped\n", 0);
  assert_presets("dev\n");
  assert_check("BREAK=dev", "--no-install --part interfaces", "\n0 passed, 1 failed, 0 skipped\n", 1);
  assert_check("", "--no-install --part tsan --part arm64", "\n1 passed, 0 failed, 2 skipped\n", 0);
  assert_presets("tsan\n");
  assert_check("", "--part quick", "check: --part needs one of release dev asan clang arm64 interfaces tsan fuzz\n", 2);
  assert_check("", "--part", "check: --part needs one of", 2);
}

static void an_unknown_argument_is_refused(void** state) {
  (void)state;
  assert_check("", "--fast", "check: unknown argument --fast\n", 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_short_form_builds_twice),
      cmocka_unit_test(the_long_form_builds_all),
      cmocka_unit_test(a_build_that_breaks_counts),
      cmocka_unit_test(a_ctest_that_is_killed_counts),
      cmocka_unit_test(fuzzers_and_interfaces_that_fail_count),
      cmocka_unit_test(parts_of_the_long_form_run_alone),
      cmocka_unit_test(an_unknown_argument_is_refused),
  };
  return cmocka_run_group_tests(tests, make_project, remove_project);
}
