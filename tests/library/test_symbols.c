// Promises that only the symbol tables can prove:
//   the library holds no mutable global; the core (everything that steps a world) needs nothing but
//   the C library, libm and threads; the shared library exports hf_ functions only.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HF_COVERAGE)
#define INSTRUMENTED 1 // instrumentation adds writable symbols of its own
#else
#define INSTRUMENTED 0
#endif
#define FOLDER HF_BINARY_DIR "/CMakeFiles/holdfast_objects.dir/src"
// The object files whose source still exists: a build folder keeps those of sources that were moved or removed.
#define OBJECTS                                                                                    \
  "$(cd " FOLDER " && find . -name '*.o' | while read o; do"                                       \
  " test -f " HF_SOURCE_DIR "/src/${o%.o} && echo " FOLDER "/$o; done)"

enum { OUTPUT_SIZE = 1 << 16 };
static char output[OUTPUT_SIZE];

// Runs a shell command and keeps what it prints. The command must succeed.
static const char* run(const char* command) {
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t n = fread(output, 1, OUTPUT_SIZE - 1, pipe);
  output[n] = '\0';
  assert_int_equal(pclose(pipe), 0);
  return output;
}

// Prints the writable objects among the symbols: sections .data, .bss, .tdata, .tbss and common,
// but not .data.rel.ro, which holds constants with addresses and is read-only after relocation. On arm64 the symbols $d and $x, which are no
// objects, say where data and code begin.
#define WRITABLE                                                                                   \
  "objdump -t %s | awk -F'\t' '{section = $1; sub(/.* /, \"\", section);"                          \
  " name = $2; sub(/.* /, \"\", name)}"                                                            \
  " section ~ /^(\\.t?data|\\.t?bss|\\*COM\\*)/ && section !~ /^\\.data\\.rel\\.ro/ && name != "   \
  "section && name !~ /^[$][dx]/"                                                                  \
  " {print name}' | sort -u"

static const char* writable_symbols(const char* objects) {
  char command[4096];
  snprintf(command, sizeof command, WRITABLE, objects);
  return run(command);
}

static void test_scanner_finds_mutable_globals(void** state) {
  (void)state;
  char object[] = "/tmp/holdfast-symbols-XXXXXX", command[4096];
  close(mkstemp(object));
  snprintf(command, sizeof command, "cc -fPIC -c -o %s %s/tests/library/mutable_global.c", object,
           HF_SOURCE_DIR);
  run(command);
  const char* found = writable_symbols(object);
  assert_string_equal(found,
                      "counter_in_bss\ncounter_in_data\ncounter_of_thread\nhidden_counter\n");
  remove(object);
}

static void test_no_mutable_global(void** state) {
  (void)state;
  if (INSTRUMENTED) skip();
  assert_string_equal(writable_symbols(OBJECTS), "");
}

// Undefined symbols of the core that neither the core itself nor libc, libm or threads define. On arm64 atomic operations are functions of the
// compiler, __aarch64_*.
static void test_core_needs_only_libm_and_threads(void** state) {
  (void)state;
  if (INSTRUMENTED) skip();
  const char* missing =
      run("core=$(echo \"" OBJECTS "\" | grep -v '/src/./io/');"
          "known=$(mktemp); needed=$(mktemp);"
          "libc=$(cc -print-file-name=libc.so.6); libm=$(cc -print-file-name=libm.so.6);"
          "{ nm --defined-only $core; nm -D --defined-only $libc $libm; } | awk 'NF == 3 "
          "{sub(/@.*/, \"\", $3); print $3}' |"
          "  sort -u >$known;"
          "nm --undefined-only $core | awk '$1 == \"U\" {print $2}' | grep -v "
          "'^_GLOBAL_OFFSET_TABLE_$\\|^__aarch64_' | sort -u >$needed;"
          "test -s $known && test -s $needed && comm -13 $known $needed; rm $known $needed");
  assert_string_equal(missing, "");
}

static void test_shared_library_exports_only_hf(void** state) {
  (void)state;
  if (INSTRUMENTED) skip();
  const char* others =
      run("nm -D --defined-only " HF_BINARY_DIR "/libholdfast.so | awk '$3 !~ /^hf_/ {print $3}'");
  assert_string_equal(others, "");
  const char* ours =
      run("nm -D --defined-only " HF_BINARY_DIR "/libholdfast.so | grep -c ' T hf_'");
  assert_true(atoi(ours) > 50);
}

// The library of an optimised build, which reads foreign files, has what protects against their faults.
static void test_optimised_library_is_hardened(void** state) {
  (void)state;
#ifdef NDEBUG
  if (INSTRUMENTED) skip();
  assert_true(atoi(run("readelf -d " HF_BINARY_DIR "/libholdfast.so | grep -cE 'BIND_NOW|FLAGS.* NOW'")) > 0);
  assert_true(atoi(run("nm -D --undefined-only " HF_BINARY_DIR "/libholdfast.so | grep -cE '__stack_chk_fail'")) > 0);
  assert_true(atoi(run("nm -D --undefined-only " HF_BINARY_DIR "/libholdfast.so | grep -cE '__[a-z]+_chk'")) > 0);
#else
  skip();
#endif
}

// No folder of the machine that builds is part of what is shipped.
static void test_library_names_no_build_folder(void** state) {
  (void)state;
#ifdef NDEBUG
  assert_int_equal(atoi(run("grep -c '" HF_SOURCE_DIR "/' " HF_BINARY_DIR "/libholdfast.so || true")), 0);
  assert_int_equal(atoi(run("if test -f '" HF_COMMAND "'; then grep -c '" HF_SOURCE_DIR "/' '" HF_COMMAND "' || true; else echo 0; fi")), 0);
#else
  skip(); // debug information and asserts name their sources
#endif
}

static void test_soname_carries_the_version_that_may_break(void** state) {
  (void)state;
  assert_non_null(
      strstr(run("readelf -d " HF_BINARY_DIR "/libholdfast.so"), "soname: [libholdfast.so.0.1]"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scanner_finds_mutable_globals),
      cmocka_unit_test(test_no_mutable_global),
      cmocka_unit_test(test_core_needs_only_libm_and_threads),
      cmocka_unit_test(test_shared_library_exports_only_hf),
      cmocka_unit_test(test_optimised_library_is_hardened),
      cmocka_unit_test(test_library_names_no_build_folder),
      cmocka_unit_test(test_soname_carries_the_version_that_may_break),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
