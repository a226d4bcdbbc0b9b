// The broad phase finds the same pairs as a test of all pairs, and its cost is measured by counting tests of boxes.
#include "support/cmocka_all.h"

#include "base/sort.h"
#include "base/threads.h"
#include "step/geometry/broadphase.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Fixture {
  int n;
  hfiAabb* box;
  hfiGrid grid;
  hfiFilter filter;
  void* memory;
} Fixture;

static Fixture make_fixture(int n) {
  Fixture f = {.n = n};
  f.box = calloc((size_t)n, sizeof *f.box);
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_grid_init(&f.grid, n, &plan);
  f.memory = calloc(1, plan.used + 64);
  hfiArena arena = hfi_arena(f.memory, plan.used + 64);
  hfi_grid_init(&f.grid, n, &arena);
  f.filter.ngeom = n;
  f.filter.geom = calloc((size_t)n, sizeof *f.filter.geom);
  for (int i = 0; i < n; ++i) f.filter.geom[i] = (hfiFilterGeom){.contype = 1, .conaffinity = 1, .body = i, .weld = i, .parent = -1, .moves = 1};
  return f;
}

static void free_fixture(Fixture* f) {
  free(f->box);
  free(f->memory);
  free(f->filter.geom);
}

static int overlap(const hfiAabb* a, const hfiAabb* b) {
  return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
         a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Boxes of many sizes, some infinite, some far away: the grid finds just what all pairs find, sorted. Two threads share the work where there are many.
static void test_against_all_pairs(void** state) {
  (void)state;
  uint64_t seed = 11;
  hfiThreads* threads = NULL;
  hfError error;
  assert_int_equal(hfi_threads_create(&threads, 2, 0, &error), HF_OK);
  printf("seed %llu\n", (unsigned long long)seed);
  testRandom r = {seed};
  for (int trial = 0; trial < 200; ++trial) {
    Fixture f = make_fixture(1 + (int)(random_uniform(&r, 0, 1) * (trial % 20 ? 200 : 1500))); // few and many
    for (int i = 0; i < f.n; ++i) {
      double size = 0.05 * exp(4 * random_uniform(&r, 0, 1)), spread = trial % 3 == 0 ? 1e6 : 3;
      hfVec3 c = v3(spread * random_normal(&r), 3 * random_normal(&r), 3 * random_normal(&r)),
             half = v3(size, size * random_uniform(&r, 0, 1), size);
      if (random_uniform(&r, 0, 1) < 0.02) half = v3(INFINITY, INFINITY, INFINITY);
      hfiAabb b = {v3_sub(c, half), v3_add(c, half)};
      f.box[i] = b;
    }
    int capacity = f.n * f.n, found, expected = 0;
    hfiCandidate* out = malloc(sizeof *out * (size_t)capacity);
    int count = hfi_grid_pairs(&f.grid, f.box, &f.filter, hfi_threads_workers(threads), out, capacity, &found);
    assert_int_equal(count, found);
    for (int a = 0; a < f.n; ++a)
      for (int b = a + 1; b < f.n; ++b)
        if (overlap(&f.box[a], &f.box[b])) {
          assert_below(expected, count);
          assert_int_equal(out[expected].a, a);
          assert_int_equal(out[expected].b, b);
          expected++;
        }
    assert_int_equal(expected, count);
    free(out);
    free_fixture(&f);
  }
  hfi_threads_free(threads);
}

// Bodies spread at a constant density: ten times as many cost about ten times the tests.
static void test_cost_is_linear(void** state) {
  (void)state;
  double per_box[2];
  for (int k = 0; k < 2; ++k) {
    int side = k == 0 ? 10 : 22; // 1000 and 10648 bodies
    Fixture f = make_fixture(side * side * side);
    for (int i = 0; i < f.n; ++i) {
      hfVec3 c = v3(0.15 * (i % side), 0.15 * (i / side % side), 0.15 * (i / side / side)),
             half = v3(0.05, 0.05, 0.05);
      hfiAabb b = {v3_sub(c, half), v3_add(c, half)};
      f.box[i] = b;
    }
    hfiCandidate out[8];
    int found;
    hfi_grid_pairs(&f.grid, f.box, &f.filter, NULL, out, 8, &found);
    assert_int_equal(found, 0);
    per_box[k] = (double)f.grid.tests / f.n;
    free_fixture(&f);
  }
  printf("box tests a body: %.1f (1000), %.1f (10648)\n", per_box[0], per_box[1]);
  assert_below(per_box[1], 1.5 * per_box[0]); // the rest is the smaller share of border cells
}

static int compare_ints(const void* a, const void* b) {
  return *(const int*)a < *(const int*)b ? -1 : *(const int*)a > *(const int*)b;
}

static void test_sort(void** state) {
  (void)state;
  testRandom r = {5};
  for (int n = 0; n < 400; ++n) {
    int mine[400], theirs[400];
    for (int i = 0; i < n; ++i)
      mine[i] = theirs[i] = n % 2 ? i ^ 1 : (int)(1e6 * random_uniform(&r, 0, 1));
    hfi_sort(mine, (size_t)n, sizeof *mine, compare_ints);
    qsort(theirs, (size_t)n, sizeof *theirs, compare_ints);
    assert_memory_equal(mine, theirs, sizeof *mine * (size_t)n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_all_pairs),
      cmocka_unit_test(test_cost_is_linear),
      cmocka_unit_test(test_sort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
