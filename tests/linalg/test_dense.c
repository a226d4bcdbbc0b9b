// Dense factorisations against their definition: A x = b for a chosen x, and A rebuilt from its
// factors.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "linalg/dense.h"

#include <string.h>

enum { NMAX = 60, LD = 63 };

// Well conditioned (at most about 1e3), so that x is recovered to 1e3 eps with room.
static void fill_spd(testRandom* r, double* A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      A[i * LD + j] = A[j * LD + i] =
          i == j ? 2.0 * n + random_uniform(r, 0, n) : random_uniform(r, -1, 1);
}
static void fill_general(testRandom* r, double* A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A[i * LD + j] = random_normal(r);
  for (int i = 0; i < n; ++i)
    A[i * LD + (i * 7 + 3) % n] += 4.0 * n; // large entries off the diagonal
}
static void multiply(const double* A, const double* x, double* b, int n) {
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = 0; j < n; ++j) b[i] += A[i * LD + j] * x[j];
  }
}
static void random_vector(testRandom* r, double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = random_uniform(r, -1, 1);
}
static const double tolerance = 1e-11; // condition 1e3 x eps x n, with room

static void test_cholesky_solves(void** state) {
  (void)state;
  testRandom r = {11};
  static double A[NMAX * LD], F[NMAX * LD];
  double x[NMAX], b[NMAX];
  for (int n = 1; n <= NMAX; ++n) {
    fill_spd(&r, A, n);
    random_vector(&r, x, n);
    multiply(A, x, b, n);
    memcpy(F, A, sizeof F);
    assert_int_equal(hfi_cholesky(F, n, LD), 0);
    hfi_cholesky_solve(F, n, LD, b);
    assert_below(largest_difference(b, x, n), tolerance);
  }
}

static void test_cholesky_factor_multiplies_back(void** state) {
  (void)state;
  testRandom r = {12};
  static double A[NMAX * LD], F[NMAX * LD];
  int n = 17;
  fill_spd(&r, A, n);
  memcpy(F, A, sizeof F);
  assert_int_equal(hfi_cholesky(F, n, LD), 0);
  for (int k = 0; k < n; ++k) F[k * LD + k] = 1 / F[k * LD + k];
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k <= i; ++k) sum += F[k * LD + i] * F[k * LD + j];
      assert_near(sum, A[i * LD + j], 1e-12);
    }
}

static void test_ldlt_solves_definite_and_quasi_definite(void** state) {
  (void)state;
  testRandom r = {13};
  static double A[NMAX * LD], F[NMAX * LD];
  double x[NMAX], b[NMAX];
  for (int n = 1; n <= NMAX; ++n)
    for (int quasi = 0; quasi < 2; ++quasi) {
      fill_spd(&r, A, n);
      // [E, G^T; G, -F] with E, F positive definite
      for (int i = n / 2; quasi && i < n; ++i)
        for (int j = n / 2; j < n; ++j) A[i * LD + j] *= -1;
      random_vector(&r, x, n);
      multiply(A, x, b, n);
      memcpy(F, A, sizeof F);
      assert_int_equal(hfi_ldlt(F, n, LD, !quasi), 0);
      hfi_ldlt_solve(F, n, LD, b);
      assert_below(largest_difference(b, x, n), tolerance);
    }
}

// The equation of the factorisation, pivot by pivot.
static void factor_plainly(double* A, int n, int m) {
  for (int k = 0; k < n; ++k) {
    double inverse = 1 / A[k * LD + k];
    for (int i = k + 1; i < n; ++i) {
      double f = A[k * LD + i] * inverse;
      for (int j = i; j < m; ++j) A[i * LD + j] -= f * A[k * LD + j];
    }
    for (int j = k + 1; j < n; ++j) A[k * LD + j] *= inverse;
    A[k * LD + k] = inverse;
  }
}

// Whatever way a number of rows is factored in, with and without columns beside it, and with parts that are not coupled: the bits of U and D
// are those of the plain loops.
static void test_ldlt_has_the_bits_of_plain_loops(void** state) {
  (void)state;
  testRandom r = {19};
  static double A[NMAX * LD], F[NMAX * LD];
  for (int n = 1; n <= 26; ++n)
    for (int beside = 0; beside < 6; beside += 5)
      for (int sparse = 0; sparse < 2; ++sparse) {
        int m = n + beside;
        fill_spd(&r, A, n);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < m; ++j)
            if (j >= n) A[i * LD + j] = random_uniform(&r, -1, 1);
            else if (sparse && i != j && (i + j) % 2) A[i * LD + j] = 0;
        memcpy(F, A, sizeof F);
        factor_plainly(A, n, m);
        assert_int_equal(hfi_ldlt_beside(F, n, m, LD, 0), 0);
        for (int i = 0; i < n; ++i) assert_memory_equal(F + i * LD + i, A + i * LD + i, sizeof *A * (size_t)(m - i));
      }
}

// The equation of the LU factorisation, pivot by pivot.
static void factor_lu_plainly(double* A, int n, int m, int32_t* pivot) {
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i * LD + k]) > fabs(A[p * LD + k])) p = i;
    pivot[k] = p;
    for (int j = 0; j < m; ++j) {
      double t = A[k * LD + j];
      A[k * LD + j] = A[p * LD + j], A[p * LD + j] = t;
    }
    A[k * LD + k] = 1 / A[k * LD + k];
    for (int i = k + 1; i < n; ++i) {
      A[i * LD + k] *= A[k * LD + k];
      for (int j = k + 1; j < m; ++j) A[i * LD + j] -= A[i * LD + k] * A[k * LD + j];
    }
  }
}

// Six columns at a time or one by one: the bits are those of the plain loops.
static void test_lu_has_the_bits_of_plain_loops(void** state) {
  (void)state;
  testRandom r = {23};
  static double A[NMAX * LD], F[NMAX * LD];
  int32_t pivot[NMAX], plain[NMAX];
  for (int n = 1; n <= 26; ++n)
    for (int beside = 0; beside < 6; beside += 5) {
      int m = n + beside;
      fill_general(&r, A, n);
      for (int i = 0; i < n; ++i)
        for (int j = n; j < m; ++j) A[i * LD + j] = random_uniform(&r, -1, 1);
      memcpy(F, A, sizeof F);
      factor_lu_plainly(A, n, m, plain);
      assert_int_equal(hfi_lu_beside(F, n, m, LD, pivot), 0);
      assert_memory_equal(pivot, plain, sizeof *pivot * (size_t)n);
      for (int i = 0; i < n; ++i) assert_memory_equal(F + i * LD, A + i * LD, sizeof *A * (size_t)m);
    }
}

static void test_lu_solves(void** state) {
  (void)state;
  testRandom r = {14};
  static double A[NMAX * LD], F[NMAX * LD];
  double x[NMAX], b[NMAX];
  int32_t pivot[NMAX];
  for (int n = 1; n <= NMAX; ++n) {
    fill_general(&r, A, n);
    random_vector(&r, x, n);
    multiply(A, x, b, n);
    memcpy(F, A, sizeof F);
    assert_int_equal(hfi_lu(F, n, LD, pivot), 0);
    hfi_lu_solve(F, n, LD, pivot, b);
    assert_below(largest_difference(b, x, n), 100 * tolerance); // less well conditioned
  }
}

// Columns beside A come out as the forward half of the solution does, one by one.
static void test_columns_beside_are_carried_along(void** state) {
  (void)state;
  testRandom r = {15};
  static double A[NMAX * LD], F[NMAX * LD];
  int32_t pivot[NMAX];
  for (int n = 1; n <= 20; ++n)
    for (int lu = 0; lu < 2; ++lu) {
      int m = n + 13;
      double column[NMAX];
      if (lu)
        fill_general(&r, A, n);
      else
        fill_spd(&r, A, n);
      for (int i = 0; i < n; ++i)
        for (int j = n; j < m; ++j) A[i * LD + j] = random_uniform(&r, -1, 1);
      memcpy(F, A, sizeof F);
      assert_int_equal(lu ? hfi_lu_beside(F, n, m, LD, pivot) : hfi_ldlt_beside(F, n, m, LD, 1), 0);
      for (int j = n; j < m; ++j) {
        for (int i = 0; i < n; ++i) column[i] = A[i * LD + j];
        if (lu)
          hfi_lu_forward(F, n, LD, pivot, column);
        else
          hfi_ldlt_forward(F, n, LD, column);
        for (int i = 0; i < n; ++i) assert_near(F[i * LD + j], column[i], 100 * tolerance);
      }
    }
}

// Z = U^-T B: U^T Z multiplies back to B.
static void test_division_by_the_upper_factor(void** state) {
  (void)state;
  enum { M = 7 };
  testRandom r = {17};
  static double A[NMAX * LD], B[NMAX * M], Z[NMAX * M];
  int32_t pivot[NMAX];
  for (int n = 1; n <= 20; ++n) {
    fill_general(&r, A, n);
    for (int i = 0; i < n * M; ++i) Z[i] = B[i] = random_uniform(&r, -1, 1);
    assert_int_equal(hfi_lu(A, n, LD, pivot), 0);
    hfi_lu_divide(A, n, LD, Z, M, M);
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < M; ++c) {
        double sum = Z[k * M + c] / A[k * LD + k]; // 1/U_kk is kept
        for (int i = 0; i < k; ++i) sum += A[i * LD + k] * Z[i * M + c];
        assert_near(sum, B[k * M + c], 100 * tolerance);
      }
  }
}

// L^-1 P B and U^-T C column by column, in the plain order of sums, from the factors alone.
static void forward_plainly(const double* F, const int32_t* pivot, int n, double* b) {
  for (int k = 0; k < n; ++k) {
    double t = b[k];
    b[k] = b[pivot[k]], b[pivot[k]] = t;
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) b[i] -= F[i * LD + k] * b[k];
}
static void divide_plainly(const double* F, int n, double* c) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) c[i] -= F[k * LD + i] * c[k];
    c[i] *= F[i * LD + i];
  }
}

// Whatever way a number of rows is factored in, with any number of columns beside it.
static void test_columns_have_the_bits_of_plain_sums(void** state) {
  (void)state;
  testRandom r = {23};
  static double A[NMAX * LD], F[NMAX * LD];
  double column[NMAX];
  int32_t pivot[NMAX];
  for (int n = 1; n <= 8; ++n)
    for (int beside = 1; beside <= 13; ++beside) {
      int m = n + beside;
      fill_general(&r, A, n);
      for (int i = 0; i < n; ++i) random_vector(&r, A + i * LD + n, beside);
      memcpy(F, A, sizeof F);
      assert_int_equal(hfi_lu_beside(F, n, m, LD, pivot), 0);
      for (int j = n; j < m; ++j) {
        for (int i = 0; i < n; ++i) column[i] = A[i * LD + j];
        forward_plainly(F, pivot, n, column);
        for (int i = 0; i < n; ++i) assert_memory_equal(F + i * LD + j, column + i, sizeof *F);
      }
      hfi_lu_divide(F, n, LD, F + n, beside, LD);
      for (int j = n; j < m; ++j) {
        for (int i = 0; i < n; ++i) column[i] = A[i * LD + j];
        forward_plainly(F, pivot, n, column);
        divide_plainly(F, n, column);
        for (int i = 0; i < n; ++i) assert_memory_equal(F + i * LD + j, column + i, sizeof *F);
      }
    }
}

// U^-T of the definition T U^T = I, and with the bits of the function that solves for any columns, here those of an identity.
static void test_six_rows_are_inverted(void** state) {
  (void)state;
  testRandom r = {27};
  for (int trial = 0; trial < 20; ++trial) {
    double A[6 * LD], T[36], same[36] = {0};
    fill_spd(&r, A, 6);
    assert_int_equal(hfi_ldlt(A, 6, LD, 1), 0);
    hfi_six_invert_transposed(A, LD, T);
    for (int i = 0; i < 6; ++i) same[7 * i] = 1;
    hfi_six_forward_transposed(A, LD, same, 6, 6);
    assert_memory_equal(T, same, sizeof T);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        double sum = T[6 * i + j]; // U has ones on its diagonal.
        for (int k = j + 1; k < 6; ++k) sum += T[6 * i + k] * A[j * LD + k];
        assert_near(sum, i == j, 1e-14); // Elements of U are below 0.1, so sums of six products are of the size of one.
      }
  }
}

static void test_six_dots_have_the_bits_of_single_ones(void** state) {
  (void)state;
  testRandom r = {29};
  double X[6 * LD], x[LD], z[6], got[6];
  for (int n = 4; n <= 40; ++n) {
    random_vector(&r, X, 6 * LD), random_vector(&r, x, LD), random_vector(&r, z, 6);
    memcpy(got, z, sizeof z);
    hfi_six_subtract_dots(got, X, LD, x, n);
    for (int i = 0; i < 6; ++i) z[i] -= hfi_dot(X + i * LD, x, n);
    assert_memory_equal(got, z, sizeof z);
  }
}

static void test_failed_pivots_are_named(void** state) {
  (void)state;
  double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 2, 2, 4}, nan[1] = {NAN};
  double A[4];
  int32_t pivot[2];
  memcpy(A, indefinite, sizeof A);
  assert_int_equal(hfi_cholesky(A, 2, 2), 2);
  memcpy(A, indefinite, sizeof A);
  assert_int_equal(hfi_ldlt(A, 2, 2, 1), 2);
  memcpy(A, indefinite, sizeof A);
  assert_int_equal(hfi_ldlt(A, 2, 2, 0), 0);
  memcpy(A, singular, sizeof A);
  assert_int_equal(hfi_lu(A, 2, 2, pivot), 2);
  memcpy(A, singular, sizeof A);
  assert_int_equal(hfi_ldlt(A, 2, 2, 0), 2);
  assert_int_equal(hfi_cholesky(nan, 1, 1), 1);
  assert_int_equal(hfi_lu(nan, 1, 1, pivot), 1);
}

static void test_products(void** state) {
  (void)state;
  testRandom r = {16};
  static double A[24 * LD], B[24 * LD], C[NMAX * LD], E[NMAX * LD];
  for (int i = 0; i < 24 * LD; ++i) {
    A[i] = random_uniform(&r, -1, 1);
    B[i] = random_uniform(&r, -1, 1);
  }
  for (int m = 1; m <= 13; ++m)
    for (int n = 1; n <= 13; ++n)
      for (int k = 0; k <= 7; ++k) {
        for (int i = 0; i < NMAX * LD; ++i) C[i] = E[i] = 0.5;
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int q = 0; q < k; ++q) sum += A[q * LD + i] * B[q * LD + j];
            E[i * LD + j] += sum;
          }
        hfi_add_atb(C, LD, A, LD, B, LD, k, m, n);
        for (int i = 0; i < NMAX * LD; ++i)
          assert_near(C[i], E[i], 1e-14); // sums of at most 7 products
        hfi_sub_atb(C, LD, A, LD, B, LD, k, m, n);
        for (int i = 0; i < NMAX * LD; ++i) assert_near(C[i], 0.5, 1e-14);
      }
}

// The tiles of C -= A^T B give each element the bits that its own loop over the rows gives it: factors do not depend on how
// nodes lie side by side.
static void test_product_has_the_bits_of_plain_sums(void** state) {
  (void)state;
  testRandom r = {17};
  static double A[24 * LD], B[24 * LD], C[NMAX * LD], E[NMAX * LD];
  for (int i = 0; i < 24 * LD; ++i) A[i] = random_uniform(&r, -1, 1), B[i] = random_uniform(&r, -1, 1);
  for (int m = 1; m <= 13; ++m)
    for (int n = 1; n <= NMAX; ++n)
      for (int k = 0; k <= 7; ++k) {
        for (int i = 0; i < NMAX * LD; ++i) C[i] = E[i] = 0.5 + 0.01 * i;
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j)
            for (int q = 0; q < k; ++q) E[i * LD + j] -= A[q * LD + i] * B[q * LD + j];
        hfi_sub_atb(C, LD, A, LD, B, LD, k, m, n);
        assert_memory_equal(C, E, sizeof C);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_product_has_the_bits_of_plain_sums),
      cmocka_unit_test(test_cholesky_solves),
      cmocka_unit_test(test_cholesky_factor_multiplies_back),
      cmocka_unit_test(test_ldlt_solves_definite_and_quasi_definite),
      cmocka_unit_test(test_ldlt_has_the_bits_of_plain_loops),
      cmocka_unit_test(test_lu_has_the_bits_of_plain_loops),
      cmocka_unit_test(test_lu_solves),
      cmocka_unit_test(test_columns_beside_are_carried_along),
      cmocka_unit_test(test_division_by_the_upper_factor),
      cmocka_unit_test(test_columns_have_the_bits_of_plain_sums),
      cmocka_unit_test(test_six_rows_are_inverted),
      cmocka_unit_test(test_six_dots_have_the_bits_of_single_ones),
      cmocka_unit_test(test_failed_pivots_are_named),
      cmocka_unit_test(test_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
