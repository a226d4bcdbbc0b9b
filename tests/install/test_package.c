// The installed package, used from outside: a consumer is built with find_package and with
// pkg-config, against the shared and the static library, in a temporary prefix.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HF_COVERAGE)
#define INSTRUMENTED 1 // a plain consumer cannot link an instrumented static library
#else
#define INSTRUMENTED 0
#endif

static char folder[] = "/tmp/holdfast-install-XXXXXX";

static int shell(const char* command) {
  int status = system(command);
  if (status != 0) print_error("failed: %s\n", command);
  return status;
}

static void consume(const char* mode, const char* first, const char* second) {
  if (INSTRUMENTED) skip();
  char command[4096];
  snprintf(command, sizeof command, "%s/tests/install/consume.sh %s %s %s", HF_SOURCE_DIR, mode,
           first, second);
  assert_int_equal(shell(command), 0);
}

static void consume_installed(const char* mode) {
  char prefix[64], work[64];
  snprintf(prefix, sizeof prefix, "%s/prefix", folder);
  snprintf(work, sizeof work, "%s/%s", folder, mode);
  consume(mode, prefix, work);
}

static void test_install(void** state) {
  (void)state;
  char prefix[64];
  snprintf(prefix, sizeof prefix, "%s/prefix", folder);
  consume("install", HF_BINARY_DIR, prefix);
}
static void test_find_package(void** state) { (void)state, consume_installed("cmake"); }
static void test_other_versions_are_refused(void** state) { (void)state, consume_installed("version"); }
static void test_headers_of_another_version(void** state) { (void)state, consume_installed("mismatch"); }
static void test_headers_stand_alone(void** state) { (void)state, consume_installed("headers"); }
static void test_pkg_config_shared(void** state) { (void)state, consume_installed("shared"); }
static void test_pkg_config_static(void** state) { (void)state, consume_installed("static"); }

static void test_command_finds_its_models(void** state) { (void)state, consume_installed("command"); }

static void test_readme_example(void** state) { (void)state, consume_installed("readme"); }

static void test_debian_package(void** state) {
  (void)state;
  char work[64];
  snprintf(work, sizeof work, "%s/debian", folder);
  consume("debian", HF_BINARY_DIR, work);
}

static int make_folder(void** state) { return (void)state, mkdtemp(folder) ? 0 : -1; }
static int remove_folder(void** state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return shell(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_install),
      cmocka_unit_test(test_find_package),
      cmocka_unit_test(test_other_versions_are_refused),
      cmocka_unit_test(test_headers_of_another_version),
      cmocka_unit_test(test_headers_stand_alone),
      cmocka_unit_test(test_pkg_config_shared),
      cmocka_unit_test(test_pkg_config_static),
      cmocka_unit_test(test_command_finds_its_models),
      cmocka_unit_test(test_readme_example),
      cmocka_unit_test(test_debian_package),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
