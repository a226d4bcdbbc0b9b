// Vectors, small dense matrices and their factorisations, made for up to about 60 unknowns. Matrices are row-major;
// from one row of A to the next there are ld numbers (of B ldb, of C ldc, of X ldx).
//
// Every inner loop runs along a row over independent elements, a few of them written out side by side, so that
// compilers put them into vectors without changing a bit of the result.
//
// A factorisation returns 0, or k + 1 if pivot k fails: for Cholesky a pivot that is not positive, for the others one
// that is zero or not finite. The contents of A are then undefined.
#ifndef HFI_LINALG_DENSE_H
#define HFI_LINALG_DENSE_H

#include "base/compile.h"

#include <stdint.h>

static const double HFI_LARGEST_PIVOT = 1e308; // A pivot larger than this counts as infinite.

// ---- vectors -----------------------------------------------------------------------------------------
//
// Four elements at a time, then two, then one. Vectors are short here, and a loop that a compiler makes for the
// remainder takes long.

// sum_i a_i b_i in four partial sums: sum l adds the products i = l, l + 4, ... A vector unit can add in this order.
static inline double hfi_dot(const double* a, const double* b, int n) {
  if (n < 4) {
    double sum = n > 0 ? a[0] * b[0] : 0;
    for (int i = 1; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }

  double s[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int l = 0; l < 4; ++l) s[l] += a[i + l] * b[i + l];
  for (; i < n; ++i) s[0] += a[i] * b[i];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// y += a x
static inline void hfi_axpy(double* restrict y, double a, const double* restrict x, int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4) {
    y[0] += a * x[0];
    y[1] += a * x[1];
    y[2] += a * x[2];
    y[3] += a * x[3];
  }

  if (n & 2) {
    y[0] += a * x[0];
    y[1] += a * x[1];
    y += 2;
    x += 2;
  }

  if (n & 1) y[0] += a * x[0];
}

// y = x + a d
static inline void hfi_move(double* restrict y, const double* restrict x, double a, const double* restrict d, int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4, d += 4) {
    y[0] = x[0] + a * d[0];
    y[1] = x[1] + a * d[1];
    y[2] = x[2] + a * d[2];
    y[3] = x[3] + a * d[3];
  }
  for (; n > 0; --n, ++y, ++x, ++d) y[0] = x[0] + a * d[0];
}

// y += a (x - z)
static inline void hfi_add_difference(double* restrict y, double a, const double* restrict x, const double* restrict z,
                                      int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4, z += 4) {
    y[0] += a * (x[0] - z[0]);
    y[1] += a * (x[1] - z[1]);
    y[2] += a * (x[2] - z[2]);
    y[3] += a * (x[3] - z[3]);
  }

  if (n & 2) {
    y[0] += a * (x[0] - z[0]);
    y[1] += a * (x[1] - z[1]);
    y += 2;
    x += 2;
    z += 2;
  }

  if (n & 1) y[0] += a * (x[0] - z[0]);
}

// y = (x - z)/h
static inline void hfi_difference_quotient(double* restrict y, const double* restrict x, const double* restrict z,
                                           double h, int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4, z += 4) {
    y[0] = (x[0] - z[0]) / h;
    y[1] = (x[1] - z[1]) / h;
    y[2] = (x[2] - z[2]) / h;
    y[3] = (x[3] - z[3]) / h;
  }

  if (n & 2) {
    y[0] = (x[0] - z[0]) / h;
    y[1] = (x[1] - z[1]) / h;
    y += 2;
    x += 2;
    z += 2;
  }

  if (n & 1) y[0] = (x[0] - z[0]) / h;
}

// y = a x; y may be x
static inline void hfi_scale(double* y, double a, const double* x, int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4) {
    double y0 = a * x[0];
    double y1 = a * x[1];
    double y2 = a * x[2];
    double y3 = a * x[3];

    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
    y[3] = y3;
  }

  if (n & 2) {
    double y0 = a * x[0];
    double y1 = a * x[1];
    y[0] = y0;
    y[1] = y1;
    y += 2;
    x += 2;
  }

  if (n & 1) y[0] = a * x[0];
}

// ---- blocks ------------------------------------------------------------------------------------------
//
// Blocks of `rows` rows and n columns, in strips of four, two and one columns. Blocks are small here, and a loop along
// each row would take longer.

// C = X
static inline void hfi_copy_block(double* restrict C, int ldc, const double* restrict X, int ldx, int rows, int n) {
  for (; n >= 4; n -= 4, C += 4, X += 4)
    for (int i = 0; i < rows; ++i) {
      double* y = C + i * ldc;
      const double* x = X + i * ldx;
      y[0] = x[0];
      y[1] = x[1];
      y[2] = x[2];
      y[3] = x[3];
    }

  if (n & 2) {
    for (int i = 0; i < rows; ++i) {
      C[i * ldc] = X[i * ldx];
      C[i * ldc + 1] = X[i * ldx + 1];
    }
    C += 2;
    X += 2;
  }

  if (n & 1)
    for (int i = 0; i < rows; ++i) C[i * ldc] = X[i * ldx];
}

// C += X
static inline void hfi_add_block(double* restrict C, int ldc, const double* restrict X, int ldx, int rows, int n) {
  for (; n >= 4; n -= 4, C += 4, X += 4)
    for (int i = 0; i < rows; ++i) {
      double* y = C + i * ldc;
      const double* x = X + i * ldx;
      y[0] += x[0];
      y[1] += x[1];
      y[2] += x[2];
      y[3] += x[3];
    }

  if (n & 2) {
    for (int i = 0; i < rows; ++i) {
      C[i * ldc] += X[i * ldx];
      C[i * ldc + 1] += X[i * ldx + 1];
    }
    C += 2;
    X += 2;
  }

  if (n & 1)
    for (int i = 0; i < rows; ++i) C[i * ldc] += X[i * ldx];
}

// C += X^T, C (rows x n), X (n x rows)
static inline void hfi_add_block_transposed(double* restrict C, int ldc, const double* restrict X, int ldx, int rows,
                                            int n) {
  for (; n >= 4; n -= 4, C += 4, X += 4 * ldx)
    for (int i = 0; i < rows; ++i) {
      double* y = C + i * ldc;
      const double* x = X + i;
      y[0] += x[0];
      y[1] += x[ldx];
      y[2] += x[2 * ldx];
      y[3] += x[3 * ldx];
    }

  if (n & 2) {
    for (int i = 0; i < rows; ++i) {
      C[i * ldc] += X[i];
      C[i * ldc + 1] += X[i + ldx];
    }
    C += 2;
    X += 2 * ldx;
  }

  if (n & 1)
    for (int i = 0; i < rows; ++i) C[i * ldc] += X[i];
}

// ---- a vector times a matrix ---------------------------------------------------------------------------

// y (8) += sign sum_i a_i x_i over the `rows` rows x_i of X: a strip of eight columns of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip8(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5], y6 = y[6], y7 = y[7];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
    y1 += c * X[1];
    y2 += c * X[2];
    y3 += c * X[3];
    y4 += c * X[4];
    y5 += c * X[5];
    y6 += c * X[6];
    y7 += c * X[7];
  }

  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
  y[3] = y3;
  y[4] = y4;
  y[5] = y5;
  y[6] = y6;
  y[7] = y7;
}

// y (6) += sign sum_i a_i x_i: a strip of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip6(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
    y1 += c * X[1];
    y2 += c * X[2];
    y3 += c * X[3];
    y4 += c * X[4];
    y5 += c * X[5];
  }

  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
  y[3] = y3;
  y[4] = y4;
  y[5] = y5;
}

// y (4) += sign sum_i a_i x_i: a strip of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip4(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
    y1 += c * X[1];
    y2 += c * X[2];
    y3 += c * X[3];
  }

  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
  y[3] = y3;
}

// y (3) += sign sum_i a_i x_i: a strip of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip3(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0], y1 = y[1], y2 = y[2];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
    y1 += c * X[1];
    y2 += c * X[2];
  }

  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
}

// y (2) += sign sum_i a_i x_i: a strip of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip2(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0], y1 = y[1];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
    y1 += c * X[1];
  }

  y[0] = y0;
  y[1] = y1;
}

// y (1) += sign sum_i a_i x_i: a strip of hfi_add_rows.
HFI_FORCE_INLINE void hfi_add_strip1(double* restrict y, double sign, const double* restrict a, int step,
                                     const double* restrict X, int ld, int rows) {
  double y0 = y[0];
  for (; rows > 0; --rows, X += ld, a += step) {
    double c = sign * *a;
    y0 += c * X[0];
  }

  y[0] = y0;
}

// y (n) += sign sum_i a_i x_i over the `rows` rows x_i of X. From a_i to the next there are `step` numbers. sign is a
// constant, 1 or -1. Eight elements of y at a time, then six or four, then those that are left, stay in registers while
// all rows are added.
static inline void hfi_add_rows(double* restrict y, double sign, const double* restrict a, int step,
                                const double* restrict X, int ld, int rows, int n) {
  for (; n >= 8; n -= 8, y += 8, X += 8) hfi_add_strip8(y, sign, a, step, X, ld, rows);

  // a free body
  if (n == 6) {
    hfi_add_strip6(y, sign, a, step, X, ld, rows);
    return;
  }

  if (n >= 4) {
    hfi_add_strip4(y, sign, a, step, X, ld, rows);
    n -= 4;
    y += 4;
    X += 4;
  }

  // up to three that are left
  if (n == 3)
    hfi_add_strip3(y, sign, a, step, X, ld, rows);
  else if (n == 2)
    hfi_add_strip2(y, sign, a, step, X, ld, rows);
  else if (n == 1)
    hfi_add_strip1(y, sign, a, step, X, ld, rows);
}

// ---- factorisations ------------------------------------------------------------------------------------

// Factors A = U^T U (Cholesky) from the upper triangle of A. U replaces it, with 1/U_kk on the diagonal.
int hfi_cholesky(double* A, int n, int ld);
// Solves A x = b in place.
void hfi_cholesky_solve(const double* U, int n, int ld, double* b);

// Factors A = U^T D U without pivoting or square roots, from the upper triangle of A. U, whose diagonal is one,
// replaces it, with 1/D_kk on the diagonal. A must be positive definite or quasi-definite; with `positive` a D_kk below
// zero is a failure, too. The lower triangle is scratch. The rows may have m > n columns: the columns n to m - 1 are a
// matrix B beside A, which becomes U^-T B.
int hfi_ldlt_beside(double* A, int n, int m, int ld, int positive);
static inline int hfi_ldlt(double* A, int n, int ld, int positive) {
  return hfi_ldlt_beside(A, n, n, ld, positive);
}
// The first solves U^T z = b in place, the second D U x = z. One after the other they solve A x = b.
void hfi_ldlt_forward(const double* U, int n, int ld, double* b);
void hfi_ldlt_backward(const double* U, int n, int ld, double* z);
static inline void hfi_ldlt_solve(const double* U, int n, int ld, double* b) {
  hfi_ldlt_forward(U, n, ld, b);
  hfi_ldlt_backward(U, n, ld, b);
}

// Factors P A = L U with partial pivoting. L, whose diagonal is one, and U replace A, with 1/U_kk on the diagonal. Row
// k was exchanged with row pivot[k] >= k. The rows may have m > n columns: the columns n to m - 1 are a matrix B beside
// A, which becomes L^-1 P B.
int hfi_lu_beside(double* A, int n, int m, int ld, int32_t* pivot);
static inline int hfi_lu(double* A, int n, int ld, int32_t* pivot) {
  return hfi_lu_beside(A, n, n, ld, pivot);
}
// The first solves L z = P b in place, the second U x = z. One after the other they solve A x = b.
void hfi_lu_forward(const double* LU, int n, int ld, const int32_t* pivot, double* b);
void hfi_lu_backward(const double* LU, int n, int ld, double* z);
static inline void hfi_lu_solve(const double* LU, int n, int ld, const int32_t* pivot, double* b) {
  hfi_lu_forward(LU, n, ld, pivot, b);
  hfi_lu_backward(LU, n, ld, b);
}
// B (n x m) <- U^-T B with U of hfi_lu
void hfi_lu_divide(const double* LU, int n, int ld, double* B, int m, int ldb);

// ---- six rows, as a free body has (six.c) ----------------------------------------------------------------

// B (6 x m) <- L^-1 B with L of hfi_lu
void hfi_six_forward(const double* L, int ld, double* B, int ldb, int m);
// B (6 x m) <- U^-T B with U of hfi_ldlt
void hfi_six_forward_transposed(const double* U, int ld, double* B, int ldb, int m);
// T (6 x 6) = U^-T with U of hfi_ldlt: hfi_six_forward_transposed of an identity, with the same bits
void hfi_six_invert_transposed(const double* U, int ld, double* T);
// B (6 x m) <- U^-T B with U of hfi_lu: hfi_lu_divide
void hfi_six_divide(const double* U, int ld, double* B, int ldb, int m);
// C += X, both (6 x 6)
void hfi_six_add(double* C, int ldc, const double* X, int ldx);
// C (6 x n) -= A^T B for A (6 x 6) and B (6 x n): hfi_sub_atb
void hfi_six_subtract(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int n);
// z_i -= hfi_dot(row i of X, x), X (6 x n), n >= 4
void hfi_six_subtract_dots(double* z, const double* X, int ld, const double* x, int n);

// ---- products (gemm.c) ---------------------------------------------------------------------------------

// C += A^T B and C -= A^T B for A (k x m), B (k x n), C (m x n)
void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m, int n);
void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m, int n);

#endif
