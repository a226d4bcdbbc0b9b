// Eigenvalues against known roots, numpy and invariants.
#include "support/cmocka_all.h"

#include "random_lcp.h"

#include <complex.h>
#include <string.h>

enum { ROWS = 40 };

#include "certificate_work.h"

static void solve(Fixture* f, int32_t n) {
  assert_int_equal(hf_matrix_eigenvalues(n, f->A, f->re, f->im, f->work, f->size), HF_OK);
}

// Each wanted value is met by a different computed one.
static void assert_spectrum(Fixture* f, int32_t n, const double complex* want, double tolerance) {
  bool used[ROWS] = {false};
  for (int32_t k = 0; k < n; ++k) {
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < n; ++i) {
      double d = hypot(f->re[i] - creal(want[k]), f->im[i] - cimag(want[k]));
      if (!used[i] && d < least) least = d, best = i;
    }
    if (!(least <= tolerance)) print_message("%g%+gi is off by %g\n", creal(want[k]), cimag(want[k]), least);
    assert_at_most(least, tolerance);
    used[best] = true;
  }
}

// Companion matrix of prod (x - roots[k]).
static void fill_companion(Fixture* f, int32_t n, const double complex* roots) {
  double complex c[ROWS + 1] = {1};
  for (int32_t k = 0; k < n; ++k)
    for (int32_t i = k + 1; i > 0; --i) c[i] -= roots[k] * c[i - 1];
  memset(f->A, 0, sizeof f->A);
  for (int32_t i = 0; i < n; ++i) {
    f->A[i] = -creal(c[i + 1]);
    if (i + 1 < n) f->A[(i + 1) * n + i] = 1;
  }
}

static void test_companion_of_known_roots(void** state) {
  Fixture* f = *state;
  const double complex real[] = {1, 2, 3, 4, 5, 6};
  fill_companion(f, 6, real);
  solve(f, 6);
  assert_spectrum(f, 6, real, 1e-10); // condition of these roots is about 1e4
  const double complex mixed[] = {-1 + 2 * I, -1 - 2 * I, 3 + 0.5 * I, 3 - 0.5 * I, 0.25, -7};
  fill_companion(f, 6, mixed);
  solve(f, 6);
  assert_spectrum(f, 6, mixed, 1e-11);
  const double complex spread[] = {1e-6, 1e-3, 1, 1e3, 1e6}; // balancing: every root to its own size
  fill_companion(f, 5, spread);
  solve(f, 5);
  for (int32_t k = 0; k < 5; ++k) {
    double least = INFINITY;
    for (int32_t i = 0; i < 5; ++i) least = fmin(least, fabs(f->re[i] - creal(spread[k])) / creal(spread[k]));
    assert_below(least, 1e-8);
  }
}

// numpy 2.2 (LAPACK dgeev), printed with repr.
static void test_against_numpy(void** state) {
  Fixture* f = *state;
  const double A[] = {4, -2, 1, 3, 0, 1, 0, -5, 2, 2, 3, 3, -1, -4, 1, -2, 6, 2, 0, -3, 5, -1, 0, 1, 2};
  const double complex want[] = {-2.5025092571297654 - 5.848758509030985 * I, -2.5025092571297654 + 5.848758509030985 * I,
                                 1.2666608108111463, 4.369178851724197 - 1.5641339866629487 * I,
                                 4.369178851724197 + 1.5641339866629487 * I};
  memcpy(f->A, A, sizeof A);
  solve(f, 5);
  assert_spectrum(f, 5, want, 1e-13);
  const double B[] = {1e3, 2e-3, 5, 0, 1e6, -3, 2e2, 7e4, 0.5, 1e-4, -2, 3, 2e-2, 4e-6, 1e-1, 9};
  const double complex scaled[] = {-4.825390128232503, -2.2184027139175124, 9.050739767846531, 1001.9930530743043};
  memcpy(f->A, B, sizeof B);
  solve(f, 4);
  assert_spectrum(f, 4, scaled, 1e-11); // 1e-14 of the largest
}

// A cyclic permutation has all roots of unity and stalls QR without an exceptional shift.
static void test_cyclic_permutation(void** state) {
  Fixture* f = *state;
  for (int32_t n = 2; n <= 12; ++n) {
    double complex want[ROWS];
    memset(f->A, 0, sizeof f->A);
    for (int32_t i = 0; i < n; ++i) {
      f->A[i * n + (i + 1) % n] = 1;
      double angle = 2 * 3.14159265358979323846 * i / n;
      want[i] = cos(angle) + I * sin(angle);
    }
    solve(f, n);
    assert_spectrum(f, n, want, 1e-13);
  }
}

static void test_defective_and_zero(void** state) {
  Fixture* f = *state;
  const double complex two[] = {2, 2, 2}, none[] = {0, 0, 0};
  const double jordan[] = {2, 1, 0, 0, 2, 1, 0, 0, 2};
  memcpy(f->A, jordan, sizeof jordan);
  solve(f, 3);
  assert_spectrum(f, 3, two, 1e-4); // a triple root moves by eps^(1/3)
  memset(f->A, 0, sizeof f->A);
  solve(f, 3);
  assert_spectrum(f, 3, none, 0);
  const double complex orders[] = {1e200, 1e-200, 3};
  memset(f->A, 0, sizeof f->A);
  for (int32_t i = 0; i < 3; ++i) f->A[i * 4] = creal(orders[i]);
  solve(f, 3);
  assert_spectrum(f, 3, orders, 0);
}

// B = S L S^-1 with random S = product of elementary matrices: the eigenvalues of L, whatever S.
static void test_similar_matrices(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int trial = 0; trial < 300; ++trial) {
    int32_t n = random_between(&r, 2, 12);
    double complex want[ROWS];
    memset(f->A, 0, sizeof f->A);
    for (int32_t i = 0; i < n; ++i) {
      double a = random_uniform(&r, -2, 2), b = random_uniform(&r, 0.1, 2);
      f->A[i * n + i] = a;
      want[i] = a;
      if (i + 1 < n && random_chance(&r, 0.5)) { // a pair a +- ib
        f->A[(i + 1) * n + i + 1] = a;
        f->A[i * n + i + 1] = b, f->A[(i + 1) * n + i] = -b;
        want[i] = a + I * b, want[i + 1] = a - I * b;
        ++i;
      }
    }
    for (int step = 0; step < n; ++step) { // A <- (I + t e_i e_j^T) A (I - t e_i e_j^T)
      int32_t i = random_int(&r, n), j = (i + 1 + random_int(&r, n - 1)) % n;
      double t = random_uniform(&r, -1, 1);
      for (int32_t k = 0; k < n; ++k) f->A[i * n + k] += t * f->A[j * n + k];
      for (int32_t k = 0; k < n; ++k) f->A[k * n + j] -= t * f->A[k * n + i];
    }
    solve(f, n);
    double complex sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += f->re[i] + I * f->im[i];
    double trace = 0;
    for (int32_t i = 0; i < n; ++i) trace += f->A[i * n + i];
    assert_below(cabs(sum - trace), 1e-11);
    assert_spectrum(f, n, want, 1e-5); // two random roots may lie 1e-4 apart: eps / 1e-4, times growth
  }
}

// Symmetric matrices H A H with reflections H = I - 2 v v^T/|v|^2 have the eigenvalues of the diagonal A. The mass matrix of a robot with
// equal legs is such a matrix: equal eigenvalues far below the largest, among rounding errors of the largest.
static void test_equal_eigenvalues_far_below_the_largest(void** state) {
  enum { N = 8 };
  static const double complex want[N] = {5, 5, 5, 5e-2, 1e-3, 3e-5, 3e-5, 3e-5};
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int trial = 0; trial < 300; ++trial) {
    memset(f->A, 0, sizeof f->A);
    for (int i = 0; i < N; ++i) f->A[i * N + i] = creal(want[i]);
    for (int k = 0; k < N; ++k) {
      double v[N], w[N] = {0}, square = 0, vw = 0;
      for (int i = 0; i < N; ++i) v[i] = random_uniform(&r, -1, 1), square += v[i] * v[i];
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) w[i] += 2 / square * f->A[i * N + j] * v[j];
      for (int i = 0; i < N; ++i) vw += v[i] * w[i] / square;
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) f->A[i * N + j] += 2 * vw * v[i] * v[j] - v[i] * w[j] - w[i] * v[j];
    }
    solve(f, N);
    assert_spectrum(f, N, want, 1e-13); // eigenvalues of a symmetric matrix move by the rounding errors of 8 reflections, 5 eps each
  }
}

static void test_large_random_matrix_converges(void** state) {
  Fixture* f = *state;
  testRandom r = {test_seed()};
  print_message("seed %llu (HF_SEED)\n", (unsigned long long)r.state);
  for (int32_t i = 0; i < ROWS * ROWS; ++i) f->A[i] = random_uniform(&r, -1, 1);
  solve(f, ROWS);
  double trace = 0, sum = 0, square = 0, sum_square = 0; // tr A and tr A^2
  for (int32_t i = 0; i < ROWS; ++i) {
    trace += f->A[i * ROWS + i];
    sum += f->re[i];
    sum_square += f->re[i] * f->re[i] - f->im[i] * f->im[i];
    for (int32_t j = 0; j < ROWS; ++j) square += f->A[i * ROWS + j] * f->A[j * ROWS + i];
  }
  assert_below(fabs(sum - trace), 1e-11);
  assert_below(fabs(sum_square - square), 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_companion_of_known_roots, setup, teardown),
      cmocka_unit_test_setup_teardown(test_against_numpy, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cyclic_permutation, setup, teardown),
      cmocka_unit_test_setup_teardown(test_defective_and_zero, setup, teardown),
      cmocka_unit_test_setup_teardown(test_similar_matrices, setup, teardown),
      cmocka_unit_test_setup_teardown(test_equal_eigenvalues_far_below_the_largest, setup, teardown),
      cmocka_unit_test_setup_teardown(test_large_random_matrix_converges, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
