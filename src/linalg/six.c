// Dense algebra of six rows, those of a free body.
//
// B <- T^-1 B with a lower triangular T (6 x 6), b_i the rows of B (6 x m):
//
//   b_i <- (b_i - sum_(k < i) T_ik b_k)/T_ii,   i = 0, 1, ..., 5
//
// Four columns of B at a time stay in registers. Each element subtracts its products in the order of k.
//
// The other functions multiply six rows with a vector, as hfi_dot does with one row, and add blocks of two free bodies.
#include "base/compile.h"
#include "linalg/dense.h"
#include "base/lanes.h"

// Solves for four columns, whose rows are b0 to b5. T_ik is T[i * row + k * column]: T is stored by rows if column = 1
// and by columns if row = 1. With `divides` T_ii is the inverse of the diagonal element; without it the diagonal is
// one. Callers pass a constant for `divides` and for the 1. While row i is computed, T points to T_i0.
HFI_FORCE_INLINE void solve_four(const double* restrict T, int row, int column, int divides, double* restrict B,
                                 int ldb) {
  hfiFour b0 = *(hfiFour*)B;
  hfiFour b1 = *(hfiFour*)(B + ldb);
  hfiFour b2 = *(hfiFour*)(B + 2 * ldb);
  hfiFour b3 = *(hfiFour*)(B + 3 * ldb);
  hfiFour b4 = *(hfiFour*)(B + 4 * ldb);
  hfiFour b5 = *(hfiFour*)(B + 5 * ldb);

  if (divides) b0 *= T[0];

  T += row;
  b1 -= T[0] * b0;
  if (divides) b1 *= T[column];

  T += row;
  b2 -= T[0] * b0;
  b2 -= T[column] * b1;
  if (divides) b2 *= T[2 * column];

  T += row;
  b3 -= T[0] * b0;
  b3 -= T[column] * b1;
  b3 -= T[2 * column] * b2;
  if (divides) b3 *= T[3 * column];

  T += row;
  b4 -= T[0] * b0;
  b4 -= T[column] * b1;
  b4 -= T[2 * column] * b2;
  b4 -= T[3 * column] * b3;
  if (divides) b4 *= T[4 * column];

  T += row;
  b5 -= T[0] * b0;
  b5 -= T[column] * b1;
  b5 -= T[2 * column] * b2;
  b5 -= T[3 * column] * b3;
  b5 -= T[4 * column] * b4;
  if (divides) b5 *= T[5 * column];

  *(hfiFour*)B = b0;
  *(hfiFour*)(B + ldb) = b1;
  *(hfiFour*)(B + 2 * ldb) = b2;
  *(hfiFour*)(B + 3 * ldb) = b3;
  *(hfiFour*)(B + 4 * ldb) = b4;
  *(hfiFour*)(B + 5 * ldb) = b5;
}

// Solves for all m columns.
HFI_FORCE_INLINE void solve_columns(const double* T, int row, int column, int divides, double* B, int ldb, int m) {
  for (; m >= 4; m -= 4, B += 4) solve_four(T, row, column, divides, B, ldb);
  if (m == 0) return;

  // the columns that are left, padded with zeros to four
  double last[24] = {0};
  hfi_copy_block(last, 4, B, ldb, 6, m);
  solve_four(T, row, column, divides, last, 4);
  hfi_copy_block(B, ldb, last, 4, 6, m);
}

// B <- L^-1 B with ones on the diagonal of L
void hfi_six_forward(const double* L, int ld, double* B, int ldb, int m) { solve_columns(L, ld, 1, 0, B, ldb, m); }

// B <- U^-T B with ones on the diagonal of U
void hfi_six_forward_transposed(const double* U, int ld, double* B, int ldb, int m) {
  solve_columns(U, 1, ld, 0, B, ldb, m);
}

// B <- U^-T B with the inverse of the diagonal of U in its place
void hfi_six_divide(const double* U, int ld, double* B, int ldb, int m) { solve_columns(U, 1, ld, 1, B, ldb, m); }

// Returns element i of column `first` of T = U^-T: minus the sum of u_ki t_k for k = first, ..., i - 1. The elements
// before `first` are zero.
HFI_FORCE_INLINE double next_of_column(const double* U, int ld, const double* T, int first, int i) {
  double sum = 0;
  for (int k = first; k < i; ++k) sum -= U[k * ld + i] * T[6 * k + first];
  return sum;
}

// Computes column `first` of T = U^-T from its diagonal element, which is one, downwards.
HFI_FORCE_INLINE void invert_column(const double* U, int ld, double* T, int first) {
  for (int k = 0; k < first; ++k) T[6 * k + first] = 0;
  T[7 * first] = 1;
  if (first < 1) T[6 + first] = next_of_column(U, ld, T, first, 1);
  if (first < 2) T[12 + first] = next_of_column(U, ld, T, first, 2);
  if (first < 3) T[18 + first] = next_of_column(U, ld, T, first, 3);
  if (first < 4) T[24 + first] = next_of_column(U, ld, T, first, 4);
  if (first < 5) T[30 + first] = next_of_column(U, ld, T, first, 5);
}

// T = U^-T with ones on the diagonal of U
void hfi_six_invert_transposed(const double* U, int ld, double* T) {
  invert_column(U, ld, T, 0);
  invert_column(U, ld, T, 1);
  invert_column(U, ld, T, 2);
  invert_column(U, ld, T, 3);
  invert_column(U, ld, T, 4);
  invert_column(U, ld, T, 5);
}

// sums_i += X_i x for the six rows X_i of X, in four partial sums each. n, the number of columns, is a multiple of
// four. The sums are copied so that they stay in registers.
static inline void add_six_products(hfiQuad sums[6], const double* restrict X, int ld, const double* restrict x,
                                    int n) {
  hfiQuad s0 = sums[0];
  hfiQuad s1 = sums[1];
  hfiQuad s2 = sums[2];
  hfiQuad s3 = sums[3];
  hfiQuad s4 = sums[4];
  hfiQuad s5 = sums[5];

  for (; n > 0; n -= 4, X += 4, x += 4) {
    hfiQuad y = hfi_quad_load(x);
    s0 = hfi_quad_add(s0, hfi_quad_multiply(hfi_quad_load(X), y));
    s1 = hfi_quad_add(s1, hfi_quad_multiply(hfi_quad_load(X + ld), y));
    s2 = hfi_quad_add(s2, hfi_quad_multiply(hfi_quad_load(X + 2 * ld), y));
    s3 = hfi_quad_add(s3, hfi_quad_multiply(hfi_quad_load(X + 3 * ld), y));
    s4 = hfi_quad_add(s4, hfi_quad_multiply(hfi_quad_load(X + 4 * ld), y));
    s5 = hfi_quad_add(s5, hfi_quad_multiply(hfi_quad_load(X + 5 * ld), y));
  }

  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
  sums[4] = s4;
  sums[5] = s5;
}

// z_i -= X_i x for the six rows X_i (n) of X, n >= 4, with the sums of hfi_dot: in four partial sums, of which the
// first takes the columns that are left.
void hfi_six_subtract_dots(double* z, const double* X, int ld, const double* x, int n) {
  const hfiQuad zero = hfi_quad_zero();
  hfiQuad s[6] = {zero, zero, zero, zero, zero, zero};
  int whole = n & ~3; // the columns in whole vectors of four
  add_six_products(s, X, ld, x, whole);

  for (int i = 0; i < 6; ++i, X += ld) {
    hfiTwo low = hfi_quad_low(s[i]);
    hfiTwo high = hfi_quad_high(s[i]);
    double first = low[0];
    for (int j = whole; j < n; ++j) first += X[j] * x[j];
    z[i] -= (first + high[0]) + (low[1] + high[1]);
  }
}

// C += X, both (6 x 6)
void hfi_six_add(double* C, int ldc, const double* X, int ldx) {
  for (int i = 0; i < 6; ++i, C += ldc, X += ldx) {
    *(hfiFour*)C += *(const hfiFour*)X;
    *(hfiTwo*)(C + 4) += *(const hfiTwo*)(X + 4);
  }
}
