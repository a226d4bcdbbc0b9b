// Small dense factorisations, row-major with leading dimension ld >= n, made for n up to about 60.
//
// Every inner loop runs along a row over independent elements, so that compilers vectorise it
// without changing a bit of the result. Factorisations return 0, or k + 1 when pivot k fails (not
// positive for Cholesky, zero or not finite for the others); the contents of A are then undefined.
#ifndef HFI_LINALG_DENSE_H
#define HFI_LINALG_DENSE_H

#include <stdint.h>

// sum_i a_i b_i in four interleaved partial sums: a fixed order that vector units can follow.
static inline double hfi_dot(const double* a, const double* b, int n) {
  double s[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int l = 0; l < 4; ++l) s[l] += a[i + l] * b[i + l];
  for (; i < n; ++i) s[0] += a[i] * b[i];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// y += a x, by four, two and one: vectors are short here, and a compiler's own remainder loops long
static inline void hfi_axpy(double* restrict y, double a, const double* restrict x, int n) {
  for (; n >= 4; n -= 4, y += 4, x += 4)
    y[0] += a * x[0], y[1] += a * x[1], y[2] += a * x[2], y[3] += a * x[3];
  if (n & 2) {
    y[0] += a * x[0], y[1] += a * x[1];
    y += 2, x += 2;
  }
  if (n & 1) y[0] += a * x[0];
}

// Cholesky A = U^T U from the upper triangle of A; U replaces it, with 1/U_kk on the diagonal.
int hfi_cholesky(double* A, int n, int ld);
// A x = b in place.
void hfi_cholesky_solve(const double* U, int n, int ld, double* b);

// A = U^T D U without pivoting or square roots, from the upper triangle of A; U (unit) replaces it,
// with 1/D_kk on the diagonal. For positive definite and quasi-definite A. `positive` refuses D_kk
// <= 0.
int hfi_ldlt(double* A, int n, int ld, int positive);
void hfi_ldlt_solve(const double* U, int n, int ld, double* b);

// P A = L U with partial pivoting; L (unit) and U replace A, with 1/U_kk on the diagonal; row k was
// exchanged with row pivot[k] >= k.
int hfi_lu(double* A, int n, int ld, int32_t* pivot);
void hfi_lu_solve(const double* LU, int n, int ld, const int32_t* pivot, double* b);

// The same solves for m right-hand sides, the rows of B (n x m, leading dimension ldb).
void hfi_ldlt_solve_many(const double* U, int n, int ld, double* B, int m, int ldb);
void hfi_lu_solve_many(const double* LU, int n, int ld, const int32_t* pivot, double* B, int m,
                       int ldb);

// C += A^T B: A (k x m), B (k x n), C (m x n), all row-major.
void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n);
// C -= A^T B
void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n);

#endif
