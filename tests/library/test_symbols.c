// Promises that only the symbol tables can prove:
//   the library holds no mutable global; the core (everything that steps a world) needs nothing but
//   the C library, libm and threads; the shared library exports hf_ functions only;
//   the wing step/ needs nothing but the wings below it and memcpy, memmove, memset and memcmp, and what a step needs of those wings needs
//   nothing else either.
#include "library/objects.h"
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

// ---- a pure step ---------------------------------------------------------------------------------

// What a compiler needs for every program: the four functions by which it moves memory; and names of position-independent code, of guards of the
// stack, of asserts and of atomic operations.
static int is_of_compiler(const char* name) {
  static const char* const known[] = {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__assert_fail"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i], name) == 0) return 1;
  return strncmp(name, "__aarch64_", 10) == 0;
}

static int begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }
static int ends(const char* text, const char* with) {
  return strlen(text) >= strlen(with) && strcmp(text + strlen(text) - strlen(with), with) == 0;
}

static int is_in_wings(const char* path) {
  static const char* const wings[] = {"base/", "math/", "linalg/", "model/", "build/", "step/"};
  for (size_t i = 0; i < sizeof wings / sizeof *wings; ++i)
    if (begins(path, wings[i])) return 1;
  return 0;
}

// Files of step/ that create and release what a step uses, or explain a refusal after the step. They allocate and write text.
static int is_outside_of_a_step(const char* path) { return ends(path, "create") || ends(path, "/explain"); }

// Needs that a step has still, object by object. The table may only shrink.
static const struct { const char *object, *symbol, *reason; } tolerated[] = {
    {"step/solve/solver", "hfi_object_create", "creates the solver"},
    {"step/solve/solver", "hfi_release", "releases the solver"},
    {"step/solve/solver", "hfi_refuse", "refuses to create the solver"},
    {"step/discrete/sleep", "hf_model_field_info", "the table of fields lies beside the allocation of models"},
    {"step/discrete/sleep", "hfi_field_bytes", "the same"},
};

static int is_tolerated(const char* object, const char* symbol) {
  for (size_t i = 0; i < sizeof tolerated / sizeof *tolerated; ++i)
    if (strcmp(tolerated[i].object, object) == 0 && strcmp(tolerated[i].symbol, symbol) == 0) return 1;
  return 0;
}

// Counts the symbols of step/ that no wing up to it defines.
static int count_foreign_symbols(const objectSet* set) {
  int wrong = 0;
  for (int i = 0; i < set->nsymbol; ++i) {
    const objectSymbol* s = &set->symbol[i];
    const char* path = set->object[s->object].path;
    if (s->is_defined || !begins(path, "step/") || is_of_compiler(s->name)) continue;

    int definer = find_definition(set, s->name);
    if (definer >= 0 && is_in_wings(set->object[definer].path)) continue;
    print_message("%s needs %s\n", path, s->name);
    ++wrong;
  }
  return wrong;
}

// Counts the symbols that a step needs in the end, through all objects that it reaches, and that none of our objects defines.
static int count_reached_symbols(const objectSet* set) {
  char* is_reached = calloc((size_t)set->nobject, 1);
  for (int i = 0; i < set->nobject; ++i) is_reached[i] = begins(set->object[i].path, "step/") && !is_outside_of_a_step(set->object[i].path);

  // what a reached object needs is reached
  for (int is_new = 1; is_new;) {
    is_new = 0;
    for (int i = 0; i < set->nsymbol; ++i) {
      const objectSymbol* s = &set->symbol[i];
      const char* path = set->object[s->object].path;
      if (s->is_defined || !is_reached[s->object] || is_tolerated(path, s->name)) continue;
      int definer = find_definition(set, s->name);
      if (definer < 0 || is_reached[definer] || is_outside_of_a_step(set->object[definer].path)) continue;
      is_reached[definer] = 1;
      is_new = 1;
    }
  }

  int wrong = 0;
  for (int i = 0; i < set->nsymbol; ++i) {
    const objectSymbol* s = &set->symbol[i];
    if (s->is_defined || !is_reached[s->object] || is_of_compiler(s->name) || find_definition(set, s->name) >= 0) continue;
    print_message("a step reaches %s, which needs %s\n", set->object[s->object].path, s->name);
    ++wrong;
  }
  free(is_reached);
  return wrong;
}

static void test_step_is_pure(void** state) {
  (void)state;
  if (INSTRUMENTED) skip();
  objectSet set = read_objects(FOLDER, "printf '%s\\n' " OBJECTS);
  assert_true(set.nobject > 100);
  assert_int_equal(count_foreign_symbols(&set), 0);
  assert_int_equal(count_reached_symbols(&set), 0);
  free_objects(&set);
}

// Made objects: a step that calls the C library, one that calls a later wing, and one that needs a pure wing which calls the C library.
static void test_finds_impure_steps(void** state) {
  (void)state;
  char command[4096];
  char folder[] = "/tmp/holdfast-step-XXXXXX";
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command,
           "cd %s && mkdir step sim base &&"
           " echo 'double late(void); double tan(double); double f(double x) { return tan(x) + late(); }' >step/direct.c &&"
           " echo 'double late(void) { return 1; }' >sim/late.c &&"
           " echo 'void* low(void); void* g(void) { return low(); }' >step/through.c &&"
           " echo 'void* malloc(unsigned long); void* low(void) { return malloc(1); }' >base/low.c &&"
           " echo 'void* malloc(unsigned long); void* make(void) { return malloc(1); }' >step/create.c &&"
           " for f in */*.c; do cc -fno-builtin -w -c $f -o $f.o || exit 1; done",
           folder);
  run(command);
  snprintf(command, sizeof command, "find %s -name '*.o'", folder);

  objectSet set = read_objects(folder, command);
  assert_int_equal(set.nobject, 5);
  assert_int_equal(count_foreign_symbols(&set), 3); // tan and late of direct, malloc of create
  assert_int_equal(count_reached_symbols(&set), 2); // tan of direct, malloc of low
  free_objects(&set);
  snprintf(command, sizeof command, "rm -r %s", folder);
  run(command);
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
      cmocka_unit_test(test_step_is_pure),
      cmocka_unit_test(test_finds_impure_steps),
      cmocka_unit_test(test_shared_library_exports_only_hf),
      cmocka_unit_test(test_optimised_library_is_hardened),
      cmocka_unit_test(test_library_names_no_build_folder),
      cmocka_unit_test(test_soname_carries_the_version_that_may_break),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
