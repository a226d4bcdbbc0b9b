// Rough factors of small block-sparse matrices, beside dense ones and beside what two unknowns do to each other.
#include "linalg/block_memory.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/block_rough.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 6, MAX_SIZE = 11, MAX_N = MAX_NODES * MAX_SIZE };

typedef struct fixture {
  void* memory;
  double *value, *room;
  hfiBlockMatrix B;
  hfiBlockRough rough;
  double K[MAX_N * MAX_N]; // dense, in the order of elimination
  int n;
} fixture;

// Nodes of the given sizes, each coupled with each other one.
static void set_up(fixture* f, int nodes, const int* size) {
  f->memory = plan_block_matrix(&f->B, MAX_NODES, MAX_N);
  f->value = malloc(sizeof(double) * MAX_N * MAX_N);
  assert_true(f->value);
  f->B.value = f->value;
  hfi_block_begin(&f->B, nodes);
  for (int i = 0; i < nodes; ++i) f->B.weight[i] = size[i];
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < i; ++j) hfi_block_couple(&f->B, i, j);
  assert_true(hfi_block_order(&f->B));
  size_t numbers = hfi_block_count_rough(&f->B);
  f->room = malloc(sizeof(double) * numbers);
  assert_non_null(f->room);
  hfi_block_make_rough(&f->B, &f->rough, f->room, numbers, NULL);
  f->n = f->B.first[nodes];
}

static void tear_down(fixture* f) { free(f->memory), free(f->value), free(f->room); }

// Copies K to the panels.
static void fill_panels(fixture* f) {
  hfiBlockMatrix* B = &f->B;
  for (int k = 0; k < B->nodes; ++k) {
    int a = B->first[k], b = a + B->size[k], w = B->width[k], n = B->size[k], ld = n + w;
    double *rows = hfi_block_rows(B, k), *lower = hfi_block_lower(B, k);
    for (int i = 0; i < n; ++i) {
      memcpy(rows + i * ld, f->K + (a + i) * f->n + a, sizeof(double) * (size_t)ld); // All later positions are coupled.
      for (int c = 0; c < w; ++c) lower[i * w + c] = f->K[(b + c) * f->n + a + i];
    }
  }
}

static double random_sign(testRandom* r) { return random_int(r, 2) ? 1 : -1; }

static int factor(fixture* f, int symmetric) {
  fill_panels(f);
  return hfi_rough_factor(&f->rough.factors, &f->B, symmetric, NULL);
}

// Where no coupling is negligible, the factors are complete, and the error of a solution is the rounding of single precision, 6e-8, times the condition number of
// K, which is below 1e3 here: a matrix of n x n random signs has eigenvalues of up to 2 sqrt(n), and the diagonal is 3 sqrt(n).
static void test_strong_couplings_are_all_kept(void** state) {
  (void)state;
  static fixture f;
  const int sizes[][MAX_NODES] = {{6, 6, 6, 6, 6, 6}, {1, 2, 3, 4, 5, 7}, {11, 6, 8, 1, 9, 3}};
  testRandom r = {41};
  for (int trial = 0; trial < 24; ++trial) {
    int symmetric = trial & 1, n;
    double x[MAX_N], b[MAX_N];
    set_up(&f, MAX_NODES, sizes[trial % 3]);
    n = f.n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) f.K[i * n + j] = symmetric && j < i ? f.K[j * n + i] : (i == j ? 3 * sqrt(n) : random_sign(&r) * random_uniform(&r, 0.6, 1));
    assert_int_equal(factor(&f, symmetric), 0);
    assert_int_equal(f.rough.factors.end[MAX_NODES - 1], MAX_NODES * (MAX_NODES - 1) / 2);
    for (int i = 0; i < n; ++i) x[i] = random_normal(&r);
    for (int i = 0; i < n; ++i) b[i] = hfi_dot(f.K + i * n, x, n);
    solve_roughly(&f.rough.factors, &f.B, b);
    for (int i = 0; i < n; ++i) assert_near(b[i], x[i], 6e-5);
    tear_down(&f);
  }
}

// Of two unknowns with K = (1 c; d 1) the first one changes the diagonal of the second by c d when it is eliminated.
static void test_a_negligible_coupling_is_left_out(void** state) {
  (void)state;
  static fixture f;
  const double share[2] = {5e-5, 2e-4}; // if K is not symmetric, and if it is (docs/theory/large-heaps.md)
  for (int symmetric = 0; symmetric < 2; ++symmetric)
    for (int kept = 0; kept < 2; ++kept) {
      double change = share[symmetric] * (kept ? 1.01 : 0.99), c = symmetric ? sqrt(change) : 0.1, d = change / c;
      double b[2] = {1, 0}, left = kept ? 1 - change : 1;
      set_up(&f, 2, (const int[]){1, 1});
      memcpy(f.K, (const double[]){1, c, d, 1}, 4 * sizeof(double));
      assert_int_equal(factor(&f, symmetric), 0);
      assert_int_equal(f.rough.factors.end[1], kept);
      solve_roughly(&f.rough.factors, &f.B, b);
      assert_near(b[0], 1 / left, 1e-6);
      assert_near(b[1], kept ? -d / left : 0, 1e-6);
      tear_down(&f);
    }
}

// Of three unknowns with K = (1 c c; d 1 x; d x 1) the first one changes x by c d when it is eliminated. It is left out where both couplings are weak: then the
// factors are those of a matrix with x + c d in the place of x.
static void test_weak_couplings_do_not_contribute_to_each_other(void** state) {
  (void)state;
  static fixture f;
  const double share[2] = {5e-3, 1e-2}, x = 0.3; // if K is not symmetric, and if it is (docs/theory/large-heaps.md)
  for (int symmetric = 0; symmetric < 2; ++symmetric)
    for (int strong = 0; strong < 2; ++strong) {
      double change = share[symmetric] * (strong ? 1.01 : 0.99), c = symmetric ? sqrt(change) : 0.1, d = change / c, y = strong ? x : x + change;
      double b[3] = {1 + 2 * c - 3 * c, d + 2 - 3 * y, d + 2 * y - 3};
      set_up(&f, 3, (const int[]){1, 1, 1});
      memcpy(f.K, (const double[]){1, c, c, d, 1, x, d, x, 1}, 9 * sizeof(double));
      assert_int_equal(factor(&f, symmetric), 0);
      assert_int_equal(f.rough.factors.end[2], 3);
      solve_roughly(&f.rough.factors, &f.B, b);
      assert_near(b[0], 1, 1e-6);
      assert_near(b[1], 2, 1e-6);
      assert_near(b[2], -3, 1e-6);
      tear_down(&f);
    }
}

// A pivot that earlier positions make indefinite is replaced by the one of K itself. With two unknowns, two iterations still find the solution.
static void test_a_lost_pivot_is_replaced(void** state) {
  (void)state;
  static fixture f;
  double b[2] = {1, 5}, weight[2] = {1, 1};
  set_up(&f, 2, (const int[]){1, 1});
  memcpy(f.K, (const double[]){1, 2, 2, 1}, 4 * sizeof(double));
  fill_panels(&f);
  assert_int_equal(hfi_block_factor_roughly(&f.B, 1), 0);
  assert_false(f.rough.is_complete);
  assert_true(hfi_block_iterate(&f.B, weight, 1e-12, b));
  assert_near(b[0], 3, 1e-11);
  assert_near(b[1], -1, 1e-11);
  tear_down(&f);
}

static void test_a_pivot_that_fails_is_named(void** state) {
  (void)state;
  static fixture f;
  set_up(&f, 2, (const int[]){1, 1});
  memcpy(f.K, (const double[]){1, 2, 2, -1}, 4 * sizeof(double));
  assert_int_equal(factor(&f, 1), 2);
  assert_int_equal(factor(&f, 0), 0);
  memcpy(f.K, (const double[]){0, 2, 2, 1}, 4 * sizeof(double));
  assert_int_equal(factor(&f, 0), 1);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strong_couplings_are_all_kept),
      cmocka_unit_test(test_a_negligible_coupling_is_left_out),
      cmocka_unit_test(test_weak_couplings_do_not_contribute_to_each_other),
      cmocka_unit_test(test_a_lost_pivot_is_replaced),
      cmocka_unit_test(test_a_pivot_that_fails_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
