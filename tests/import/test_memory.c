// Loads and writes models again and again; each time another allocation fails. The attempt must be refused for want of memory, or succeed
// if that memory was for a message or a cache. Nothing may leak or crash.
//
// malloc, calloc and realloc are wrapped in this program, so that expat's, qhull's and the C library's
// allocations are counted too. A live count per load finds leaks.
#include "support/cmocka_all.h"

#include <holdfast/import.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Sanitizers bring their own allocator, which cannot be wrapped like this.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_SANITIZER 1
#else
#define HAVE_SANITIZER 0
#endif

// ---- counting allocator -------------------------------------------------------------------------

static int counting, fail_at, count;
static long live;

#if !HAVE_SANITIZER
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

static int fails(void) { return counting && ++count == fail_at; }

void* malloc(size_t size) {
  if (fails()) return NULL;
  void* p = __libc_malloc(size);
  if (counting && p) ++live;
  return p;
}

void* calloc(size_t n, size_t size) {
  if (fails()) return NULL;
  void* p = __libc_calloc(n, size);
  if (counting && p) ++live;
  return p;
}

void* realloc(void* old, size_t size) {
  if (fails()) return NULL;
  void* p = __libc_realloc(old, size);
  if (counting && p && !old) ++live;
  return p;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (fails()) return NULL;
  void* p = __libc_memalign(alignment, size);
  if (counting && p) ++live;
  return p;
}

int posix_memalign(void** p, size_t alignment, size_t size) {
  *p = aligned_alloc(alignment, size);
  return *p ? 0 : ENOMEM;
}

void free(void* p) {
  if (counting && p) --live;
  __libc_free(p);
}
#endif

// ---- models -------------------------------------------------------------------------------------

typedef hfStatus (*attempt)(const char* path, hfDiagnostics* diagnostics, hfError* error);

static hfStatus load(const char* path, hfDiagnostics* diagnostics, hfError* error) {
  hfModel* model = NULL;
  hfStatus status = hf_model_load(&model, path, NULL, diagnostics, error);
  hf_model_free(model);
  return status;
}

static hfModel* written; // loaded before

static hfStatus write_sdf(const char* path, hfDiagnostics* diagnostics, hfError* error) {
  return hf_model_write_sdf(written, path, diagnostics, error);
}
static hfStatus write_urdf(const char* path, hfDiagnostics* diagnostics, hfError* error) {
  return hf_model_write_urdf(written, path, diagnostics, error);
}
static hfBuilder* changed; // loaded before
static hfStatus write_mjcf(const char* path, hfDiagnostics* diagnostics, hfError* error) {
  (void)diagnostics;
  return hf_builder_write_mjcf(changed, path, error);
}

// An attempt with allocation number n failing (0: none). Returns the number of allocations.
static int try_once(attempt work, const char* path, int n, hfStatus* status) {
  hfError error = {HF_OK, ""};
  count = 0;
  live = 0;
  fail_at = n;
  counting = 1;
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  *status = work(path, diagnostics, &error);
  hf_diagnostics_free(diagnostics);
  counting = 0;
  if (*status != HF_OK && *status != HF_ERROR_MEMORY) print_error("allocation %d: %s\n", n, error.message);
  return count;
}

// Returns how many attempts were refused, of *total.
static int fail_every_allocation(attempt work, const char* path, int* total) {
  if (HAVE_SANITIZER) skip();
  hfStatus status;
  try_once(work, path, 0, &status); // opens what the C library keeps open
  *total = try_once(work, path, 0, &status);
  assert_int_equal(status, HF_OK);
  assert_int_equal(live, 0);
  int refused = 0;
  for (int n = 1; n <= *total; ++n) {
    try_once(work, path, n, &status);
    if (live != 0) print_error("allocation %d of %d: %ld blocks leak\n", n, *total, live);
    assert_int_equal(live, 0);
    assert_true(status == HF_OK || status == HF_ERROR_MEMORY);
    refused += status != HF_OK;
  }
  printf("%s: %d allocations, %d refused\n", path, *total, refused);
  return refused;
}

static void load_without_memory(const char* path) {
  int total = 0, refused = fail_every_allocation(load, path, &total);
  assert_above(total, 50);
  assert_above(refused, total / 2);
}

static void write_without_memory(attempt work, const char* source) {
  char folder[] = "/tmp/holdfast_memory_XXXXXX", path[64], command[64];
  assert_non_null(mkdtemp(folder));
  assert_int_equal(hf_model_load(&written, source, NULL, NULL, NULL), HF_OK);
  assert_int_equal(hf_builder_load(&changed, source, NULL, NULL, NULL), HF_OK);
  snprintf(path, sizeof path, "%s/robot", folder);
  int total = 0, refused = fail_every_allocation(work, path, &total);
  assert_above(total, 20);
  assert_above(refused, total / 2);
  hf_model_free(written);
  hf_builder_free(changed);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void test_mjcf(void** state) {
  (void)state;
  load_without_memory(HF_SOURCE_DIR "/tests/data/import/memory.xml");
}

static void test_urdf(void** state) {
  (void)state;
  load_without_memory(HF_SOURCE_DIR "/tests/data/import/features.urdf");
}

// A linkage with a loop, and a robot.
static void test_writers(void** state) {
  (void)state;
  write_without_memory(write_sdf, HF_SOURCE_DIR "/models/linkage_gripper.xml");
  write_without_memory(write_urdf, HF_SOURCE_DIR "/models/quadruped.xml");
  write_without_memory(write_mjcf, HF_SOURCE_DIR "/models/linkage_gripper.xml");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mjcf), cmocka_unit_test(test_urdf), cmocka_unit_test(test_writers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
