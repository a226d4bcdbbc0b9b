// C += A^T B and C -= A^T B for thin matrices: A (k x m), B (k x n), C (m x n), row-major.
//
// Both the assembly of J^T G J and the trailing updates of the block factorisation are this
// product, with k of a few to a few dozen rows. Rows of A and B are taken four at a time; the inner
// loop runs along a row of C over independent elements. An element is summed in the same order
// whatever the sizes, so the bits do not depend on how the compiler vectorises.
#include "linalg/dense.h"

// c += x0 b0 + x1 b1 + x2 b2 + x3 b3, the b being rows of B
static inline void add4(double* restrict c, double x0, double x1, double x2, double x3,
                        const double* restrict b, int ldb, int n) {
  const double* restrict b1 = b + ldb, * restrict b2 = b + 2 * ldb, * restrict b3 = b + 3 * ldb;
  for (int j = 0; j < n; ++j) c[j] += (x0 * b[j] + x1 * b1[j]) + (x2 * b2[j] + x3 * b3[j]);
}
static inline void add3(double* restrict c, double x0, double x1, double x2,
                        const double* restrict b, int ldb, int n) {
  const double* restrict b1 = b + ldb, * restrict b2 = b + 2 * ldb;
  for (int j = 0; j < n; ++j) c[j] += (x0 * b[j] + x1 * b1[j]) + x2 * b2[j];
}
static inline void add2(double* restrict c, double x0, double x1, const double* restrict b, int ldb,
                        int n) {
  const double* restrict b1 = b + ldb;
  for (int j = 0; j < n; ++j) c[j] += x0 * b[j] + x1 * b1[j];
}

// One row of C: x (k) is a column of A. sign is a constant at every call.
static inline void add_row(double* restrict c, const double* x, int lda, const double* restrict B,
                           int ldb, int k, int n, double sign) {
  for (; k >= 4; k -= 4, x += 4 * lda, B += 4 * ldb)
    add4(c, sign * x[0], sign * x[lda], sign * x[2 * lda], sign * x[3 * lda], B, ldb, n);
  if (k == 3)
    add3(c, sign * x[0], sign * x[lda], sign * x[2 * lda], B, ldb, n);
  else if (k == 2)
    add2(c, sign * x[0], sign * x[lda], B, ldb, n);
  else if (k == 1)
    hfi_axpy(c, sign * x[0], B, n);
}

void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) add_row(C + i * ldc, A + i, lda, B, ldb, k, n, 1.0);
}

void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) add_row(C + i * ldc, A + i, lda, B, ldb, k, n, -1.0);
}
