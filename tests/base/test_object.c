// Objects in one block of memory with their arrays.
#include "base/object.h"
#include "support/cmocka_all.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample {
  int n;
  double *x, *y;
  int32_t* places;
} Sample;

static void take_arrays(void* object, hfiArena* arena) {
  Sample* s = object;
  HFI_TAKE_EACH(arena, double, s->n, &s->x, &s->y);
  s->places = HFI_TAKE(arena, int32_t, 2 * s->n);
}

// What an allocator is asked for: so many blocks live, the size of the last one.
typedef struct Ledger {
  int live;
  size_t size;
  int refuses;
} Ledger;

static void* allocate(void* context, size_t size, size_t alignment) {
  Ledger* l = context;
  l->size = size;
  (void)alignment;
  return l->refuses ? NULL : (++l->live, malloc(size));
}
static void release(void* context, void* memory) {
  --((Ledger*)context)->live;
  free(memory);
}

// The object keeps what its seed says; its arrays lie behind it, apart from each other, aligned and zero, in the one block that is asked for.
static void test_one_block(void** state) {
  (void)state;
  Ledger ledger = {0};
  const hfAllocator own = {&ledger, allocate, release};
  Sample seed = {.n = 5};
  Sample* s = hfi_object_create(&seed, sizeof seed, take_arrays, &own, "a sample", NULL);
  assert_non_null(s);
  assert_int_equal(ledger.live, 1);
  assert_int_equal(s->n, 5);
  const uintptr_t at[] = {(uintptr_t)s, (uintptr_t)s->x, (uintptr_t)s->y, (uintptr_t)s->places};
  for (int k = 0; k < 4; ++k) assert_int_equal(at[k] % HFI_ALIGN, 0);
  assert_at_least(at[1], at[0] + sizeof *s);
  assert_at_least(at[2], at[1] + 5 * sizeof(double));
  assert_at_least(at[3], at[2] + 5 * sizeof(double));
  assert_at_most(at[3] + 10 * sizeof(int32_t), at[0] + ledger.size);
  for (int k = 0; k < 5; ++k) assert_true(s->x[k] == 0 && s->y[k] == 0 && s->places[k] == 0 && s->places[5 + k] == 0);
  hfi_release(s);
  assert_int_equal(ledger.live, 0);
}

static void test_no_memory(void** state) {
  (void)state;
  Ledger ledger = {.refuses = 1};
  const hfAllocator own = {&ledger, allocate, release};
  Sample seed = {.n = 5};
  hfError error = {HF_OK, ""};
  assert_null(hfi_object_create(&seed, sizeof seed, take_arrays, &own, "a sample", &error));
  assert_int_equal(error.status, HF_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "out of memory: a sample of "));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_block), cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
