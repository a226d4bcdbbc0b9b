// Rough factors of block-sparse matrices against the dense matrix: springs between the nodes of a grid, which make a matrix as that of a heap.
#include "linalg/block_memory.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/block_rough.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, NODES = SIDE * SIDE, MAX_N = 6 * NODES };

typedef struct fixture {
  void* memory;
  hfiBlockMatrix ordered, B; // with the pattern of complete factors, and rough
  hfiBlockRough rough;
  double *value, *room, *K; // K: the same matrix, dense, in the order of elimination
  double weight[MAX_N];
  int n;
} fixture;

static void set_up(fixture* f) {
  f->memory = plan_block_matrix(&f->ordered, NODES, MAX_N);
  f->value = malloc(sizeof(double) * MAX_N * MAX_N);
  f->K = malloc(sizeof(double) * MAX_N * MAX_N);
  assert_true(f->value && f->K);
  f->ordered.value = f->value, f->room = NULL;
}

static void tear_down(fixture* f) { free(f->memory), free(f->value), free(f->K), free(f->room); }

// Nodes of six unknowns, or of one to six, each coupled with its neighbours in the grid.
static void order_grid(fixture* f, int six, int branches, testRandom* r) {
  hfiBlockMatrix* B = &f->ordered;
  B->branches.max = branches, B->ordering.last_nodes = 0; // 0: the grid is ordered again.
  hfi_block_begin(B, NODES);
  for (int i = 0; i < NODES; ++i) {
    B->weight[i] = six ? 6 : 1 + random_int(r, 6);
    if (i % SIDE) hfi_block_couple(B, i - 1, i);
    if (i >= SIDE) hfi_block_couple(B, i - SIDE, i);
  }
  assert_true(hfi_block_order(B));
  free(f->room);
  size_t numbers = hfi_block_count_rough(B);
  f->room = malloc(sizeof(double) * numbers);
  assert_non_null(f->room);
  f->B = *B;
  hfi_block_make_rough(&f->B, &f->rough, f->room, numbers, NULL);
  f->n = B->first[NODES];
}

// K += s J^T J of a random row J on positions k and j, or s J^T T with another row T where K is not symmetric.
static void add_spring(fixture* f, testRandom* r, int k, int j, double s, int symmetric) {
  hfiBlockMatrix* B = &f->B;
  int at[12], count = 0;
  double J[12], T[12];
  for (int i = 0; i < B->size[k]; ++i) at[count++] = B->first[k] + i;
  for (int i = 0; i < B->size[j]; ++i) at[count++] = B->first[j] + i;
  for (int i = 0; i < count; ++i) J[i] = random_normal(r), T[i] = J[i] + (symmetric ? 0 : 0.3 * random_normal(r));
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < count; ++c) f->K[at[i] * f->n + at[c]] += s * J[i] * T[c];
}

// Copies K to the panels. Those of complete factors are not numbers.
static void fill_panels(fixture* f, int symmetric) {
  hfiBlockMatrix* B = &f->B;
  for (size_t i = 0; i < f->ordered.panel_start[NODES]; ++i) f->value[i] = NAN;
  hfi_block_zero(B, 0, B->nodes, symmetric);
  for (int k = 0; k < NODES; ++k) {
    int a = B->first[k], m = B->size[k], w = B->width[k], ld = hfi_block_stride(B, k);
    double *rows = hfi_block_rows(B, k), *lower = hfi_block_lower(B, k);
    for (int i = 0; i < m; ++i)
      for (int c = symmetric ? i : 0; c < m; ++c) rows[i * ld + c] += f->K[(a + i) * f->n + a + c];
    for (int e = B->start[k]; e < B->start[k + 1]; ++e) {
      int b = B->first[B->later[e]];
      for (int i = 0; i < m; ++i)
        for (int c = 0; c < B->size[B->later[e]]; ++c) {
          rows[i * ld + m + B->offset[e] + c] += f->K[(a + i) * f->n + b + c];
          if (!symmetric) lower[i * w + B->offset[e] + c] += f->K[(b + c) * f->n + a + i];
        }
    }
  }
}

// Unit masses and springs of random directions, three for each coupling.
static void make_matrix(fixture* f, testRandom* r, int symmetric) {
  const hfiBlockMatrix* B = &f->B;
  memset(f->K, 0, sizeof(double) * (size_t)(f->n * f->n));
  for (int i = 0; i < f->n; ++i) f->K[i * f->n + i] = 1, f->weight[i] = random_uniform(r, 0.5, 2);
  for (int k = 0; k < NODES; ++k)
    for (int e = B->start[k]; e < B->start[k + 1]; ++e)
      for (int i = 0; i < 3; ++i) add_spring(f, r, k, B->later[e], 1, symmetric);
  fill_panels(f, symmetric);
}

// Makes a random matrix and factors it roughly.
static void factor_random(fixture* f, testRandom* r, int six, int branches, int symmetric) {
  order_grid(f, six, branches, r);
  make_matrix(f, r, symmetric);
  assert_int_equal(hfi_block_factor_roughly(&f->B, symmetric), 0);
}

static double norm(const fixture* f, const double* x) {
  double sum = 0;
  for (int i = 0; i < f->n; ++i) sum += f->weight[i] * x[i] * x[i];
  return sqrt(sum);
}

// b - K x, by the dense matrix.
static void subtract_product(const fixture* f, const double* x, double* b) {
  for (int i = 0; i < f->n; ++i) b[i] -= hfi_dot(f->K + i * f->n, x, f->n);
}

static void random_vector(const fixture* f, testRandom* r, double* b) {
  for (int i = 0; i < f->n; ++i) b[i] = random_normal(r);
}

static void test_iterations_reach_their_tolerance(void** state) {
  (void)state;
  static fixture f;
  static double x[MAX_N], b[MAX_N], y[MAX_N];
  set_up(&f);
  testRandom r = {31};
  for (int trial = 0; trial < 32; ++trial) {
    int symmetric = trial & 1, branches = trial & 4 ? 2 : 1;
    factor_random(&f, &r, trial & 2, branches, symmetric);
    assert_int_equal(f.B.branches.count, branches);
    random_vector(&f, &r, x);
    memset(b, 0, sizeof b);
    subtract_product(&f, x, b);
    hfi_block_multiply(&f.B, x, y);
    for (int i = 0; i < f.n; ++i) assert_near(y[i], -b[i], 1e-11);
    for (double tolerance = 1e-2; tolerance > 1e-7; tolerance *= 0.1) {
      memcpy(y, b, sizeof y), memcpy(x, b, sizeof x);
      assert_true(hfi_block_iterate(&f.B, f.weight, tolerance, x));
      subtract_product(&f, x, y);
      if (!(norm(&f, y) <= 1.001 * tolerance * norm(&f, b))) fail_msg("trial %d: %g of %g", trial, norm(&f, y) / norm(&f, b), tolerance);
    }
  }
  tear_down(&f);
}

// Couplings of distant nodes are left out, and the factors are still nearly right.
static void test_factors_are_rough(void** state) {
  (void)state;
  static fixture f;
  static double x[MAX_N], b[MAX_N];
  set_up(&f);
  testRandom r = {32};
  for (int trial = 0; trial < 4; ++trial) {
    int symmetric = trial & 1, kept = 0;
    factor_random(&f, &r, 1, trial & 2 ? 2 : 1, symmetric);
    for (int k = 0; k < NODES; ++k) kept += f.rough.factors.end[k] - f.rough.factors.start[k];
    int complete = f.ordered.start[NODES];
    random_vector(&f, &r, b);
    memcpy(x, b, sizeof x);
    double before = norm(&f, b);
    solve_roughly(&f.rough.factors, &f.B, x);
    subtract_product(&f, x, b);
    double left = norm(&f, b) / before;
    print_message("%d of %d couplings, residual %.2g\n", kept, complete, left);
    assert_below(kept, 0.9 * complete);
    assert_below(left, 0.2);
    assert_above(left, 1e-6);
  }
  tear_down(&f);
}

// A tolerance that no iteration reaches leaves b as it is. Complete factors of the same matrix then take the place of the rough ones.
static void test_complete_factors_follow(void** state) {
  (void)state;
  static fixture f;
  static double x[MAX_N], b[MAX_N];
  set_up(&f);
  testRandom r = {33};
  for (int trial = 0; trial < 8; ++trial) {
    int symmetric = trial & 1;
    factor_random(&f, &r, trial & 2, trial & 4 ? 2 : 1, symmetric);
    random_vector(&f, &r, b);
    memcpy(x, b, sizeof x);
    assert_false(hfi_block_iterate(&f.B, f.weight, 0, x));
    assert_memory_equal(x, b, sizeof x);
    assert_int_equal(hfi_block_factor_again(&f.B), 0);
    for (int again = 0; again < 2; ++again) { // Further matrices are factored completely, too.
      static double left[MAX_N];
      memcpy(x, b, sizeof x), memcpy(left, b, sizeof left);
      assert_true(hfi_block_iterate(&f.B, f.weight, 0, x));
      subtract_product(&f, x, left);
      assert_below(norm(&f, left), 1e-11);
      make_matrix(&f, &r, symmetric);
      assert_int_equal(hfi_block_factor_roughly(&f.B, symmetric), 0);
    }
  }
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations_reach_their_tolerance),
      cmocka_unit_test(test_factors_are_rough),
      cmocka_unit_test(test_complete_factors_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
