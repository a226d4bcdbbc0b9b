// The P test against all principal minors, and matrices whose answer is known.
#include "support/cmocka_all.h"

#include "random_lcp.h"

#include <string.h>

enum { ROWS = 25 };

#include "certificate_work.h"

static double minors[1 << 10];

// Determinant by Laplace expansion along the first row: shares nothing with the library.
static double expand(const double* A, int32_t n, int32_t stride, const int32_t* rows, uint32_t cols) {
  if (n == 0) return 1;
  double sum = 0, sign = 1;
  for (int32_t j = 0; j < stride; ++j) {
    if (!(cols >> j & 1)) continue;
    sum += sign * A[rows[0] * stride + j] * expand(A, n - 1, stride, rows + 1, cols & ~(1u << j));
    sign = -sign;
  }
  return sum;
}

static void test_minors_against_laplace(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int trial = 0; trial < 300; ++trial) {
    int32_t n = random_between(&r, 1, 5);
    bool whole = random_chance(&r, 0.5);
    for (int32_t i = 0; i < n * n; ++i) f->A[i] = whole ? random_between(&r, -2, 2) : random_uniform(&r, -1, 1);
    hf_matrix_minors(n, f->A, minors, f->work, f->size);
    for (uint32_t mask = 0; mask < 1u << n; ++mask) {
      int32_t rows[5], count = 0;
      for (int32_t i = 0; i < n; ++i)
        if (mask >> i & 1) rows[count++] = i;
      double want = expand(f->A, count, n, rows, mask);
      assert_at_most(fabs(minors[mask] - want), 1e-12); // |entries| <= 2, five factors: sums below 4e3 * 1e-16
    }
  }
}

// Random matrices near the border of the class: a positive diagonal and off-diagonal entries that make
// about half of them P.
static void fill_near_border(testRandom* r, double* A, int32_t n) {
  double size = random_uniform(r, 0.2, 1.5);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) A[i * n + j] = i == j ? random_uniform(r, 0.2, 1) : random_uniform(r, -size, size);
}

static void test_pivots_against_minors(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  int32_t p_count = 0, by[6] = {0}, total = 4000;
  for (int32_t trial = 0; trial < total; ++trial) {
    int32_t n = random_between(&r, 1, 8);
    fill_near_border(&r, f->A, n);
    hf_matrix_minors(n, f->A, minors, f->work, f->size);
    double least = INFINITY;
    for (uint32_t mask = 1; mask < 1u << n; ++mask) least = fmin(least, minors[mask]);
    hfPReport quick = hf_matrix_test_p(n, f->A, false, f->work, f->size);
    hfPReport exact = hf_matrix_test_p(n, f->A, true, f->work, f->size);
    assert_true(quick.decided && exact.decided);
    assert_int_equal(exact.is_p, least > 0);
    assert_int_equal(quick.is_p, least > 0);
    if (!quick.is_p) assert_at_most(minors[quick.witness], 0);
    if (!exact.is_p) assert_at_most(minors[exact.witness], 0);
    p_count += exact.is_p;
    ++by[quick.by];
  }
  print_message("%d of %d are P; decided by diagonal %d, pairs %d, determinant %d, definite %d, pivots %d\n", p_count,
                total, by[1], by[2], by[3], by[4], by[5]);
  assert_in_range(p_count, total / 10, total * 9 / 10); // both verdicts are exercised
  assert_true(by[HF_P_BY_PAIRS] > 0 && by[HF_P_BY_DETERMINANT] > 0 && by[HF_P_BY_DEFINITE] > 0 &&
              by[HF_P_BY_PIVOTS] > 0);
}

static void test_scaling_keeps_the_verdict(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int trial = 0; trial < 500; ++trial) {
    int32_t n = random_between(&r, 2, 6);
    fill_near_border(&r, f->A, n);
    bool is_p = hf_matrix_test_p(n, f->A, true, f->work, f->size).is_p;
    for (int32_t i = 0; i < n; ++i) {
      double e = random_log(&r, 1e-4, 1e4), d = random_log(&r, 1e-4, 1e4);
      for (int32_t j = 0; j < n; ++j) f->A[i * n + j] *= e, f->A[j * n + i] *= d;
    }
    assert_int_equal(hf_matrix_test_p(n, f->A, true, f->work, f->size).is_p, is_p);
    assert_int_equal(hf_matrix_test_p(n, f->A, false, f->work, f->size).is_p, is_p);
  }
}

static void test_known_matrices(void** state) {
  Fixture* f = *state;
  double rotation[] = {.1, 1, -1, .1}; // minors .1, .1, 1.01
  hfPReport p = hf_matrix_test_p(2, rotation, true, f->work, f->size);
  assert_true(p.is_p);
  double swap[] = {1, 2, 2, 1}; // minors 1, 1, -3
  p = hf_matrix_test_p(2, swap, false, f->work, f->size);
  assert_false(p.is_p);
  assert_int_equal(p.by, HF_P_BY_PAIRS);
  assert_int_equal(p.witness, 3);
  double zero[] = {1, 0, 0, 0};
  p = hf_matrix_test_p(2, zero, false, f->work, f->size);
  assert_false(p.is_p);
  assert_int_equal(p.by, HF_P_BY_DIAGONAL);
  assert_int_equal(p.witness, 2);
  double singular[] = {1, 1, 1, 1}; // PSD, not P
  assert_false(hf_matrix_test_p(2, singular, true, f->work, f->size).is_p);
}

// Planar grasp of an ellipse at y = 0.15 m, four sliding contacts, mu = (.8, .6, .8, .6): A to six
// digits and det A = -0.267204 from an independent derivation of the geometry. All proper minors are
// positive: the P property is lost through the determinant.
static void test_grasp_matrix(void** state) {
  Fixture* f = *state;
  const double A[] = {0.959193,  1.11683,   -0.385403, -0.714668, 0.772148,  1.503563,  -0.754238, -0.287727,
                      -0.385403, -0.714668, 0.959193,  1.11683,   -0.754238, -0.287727, 0.772148,  1.503563};
  double det = hf_matrix_determinant(4, A, f->work, f->size);
  assert_below(fabs(det + 0.267204), 1e-5); // entries rounded to 5e-7, cofactors below 5
  hfPReport p = hf_matrix_test_p(4, A, true, f->work, f->size);
  assert_false(p.is_p);
  assert_int_equal(p.witness, 15);
  p = hf_matrix_test_p(4, A, false, f->work, f->size);
  assert_false(p.is_p);
  assert_int_equal(p.by, HF_P_BY_DETERMINANT);
  hf_matrix_minors(4, A, minors, f->work, f->size);
  for (uint32_t mask = 1; mask < 15; ++mask) assert_above(minors[mask], 0);
}

// Murty's triangular matrix is P and far from definite; one entry above the corner spoils exactly the
// minor of the first and last rows.
static void test_twenty_rows_are_exact(void** state) {
  Fixture* f = *state;
  int32_t n = HF_P_EXACT_MAX;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) f->A[i * n + j] = i == j ? 1 : (i > j ? 2 : 0);
  hfPReport p = hf_matrix_test_p(n, f->A, false, f->work, f->size);
  assert_true(p.decided && p.is_p);
  assert_int_equal(p.by, HF_P_BY_PIVOTS);
  assert_true(p.margin == 1);
  f->A[n - 1] = 0.6; // 1 - 2 * 0.6 < 0
  p = hf_matrix_test_p(n, f->A, true, f->work, f->size);
  assert_true(p.decided && !p.is_p);
  assert_int_equal(p.witness, 1u | 1u << (n - 1));
}

static void test_larger_is_decided_only_by_cheap_tests(void** state) {
  Fixture* f = *state;
  int32_t n = ROWS;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) f->A[i * n + j] = i == j ? 1 : (i > j ? 2 : 0);
  hfPReport p = hf_matrix_test_p(n, f->A, false, f->work, f->size);
  assert_false(p.decided);
  assert_int_equal(p.by, HF_P_BY_NONE);
  for (int32_t i = 0; i < n * n; ++i) f->A[i] *= 0.01;
  for (int32_t i = 0; i < n; ++i) f->A[i * n + i] = 1; // diagonally dominant
  p = hf_matrix_test_p(n, f->A, true, f->work, f->size);
  assert_true(p.decided && p.is_p);
  assert_int_equal(p.by, HF_P_BY_DEFINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_minors_against_laplace, setup, teardown),
      cmocka_unit_test_setup_teardown(test_pivots_against_minors, setup, teardown),
      cmocka_unit_test_setup_teardown(test_scaling_keeps_the_verdict, setup, teardown),
      cmocka_unit_test_setup_teardown(test_known_matrices, setup, teardown),
      cmocka_unit_test_setup_teardown(test_grasp_matrix, setup, teardown),
      cmocka_unit_test_setup_teardown(test_twenty_rows_are_exact, setup, teardown),
      cmocka_unit_test_setup_teardown(test_larger_is_decided_only_by_cheap_tests, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
