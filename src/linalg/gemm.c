// C += A^T B and C -= A^T B for thin matrices: A (k x m), B (k x n), C (m x n), row-major.
//
// The trailing updates of the block factorisation are the second product, with k of a few to a few dozen
// rows, mostly the six of a free body. An element of C is summed over the rows of A and B in their order, whatever the sizes.
//
// C -= A^T B works on three rows of C at once, in tiles of eight columns, then six or four: a row of B is read once for
// the three, and their sums stay in registers. Lanes of a vector are rounded one by one, as plain numbers are.
#include "linalg/dense.h"

void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, 1.0, A + i, lda, B, ldb, k, n);
}

// Neighbours in a row of a matrix, at any address.
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

// Three rows and eight columns.
static inline void subtract8(double* restrict C, int ldc, const double* restrict A, int lda, const double* restrict B, int ldb,
                             int k) {
  Four *c0 = (Four*)C, *c1 = (Four*)(C + ldc), *c2 = (Four*)(C + 2 * ldc), *d0 = (Four*)(C + 4), *d1 = (Four*)(C + ldc + 4),
       *d2 = (Four*)(C + 2 * ldc + 4);
  Four r0 = *c0, r1 = *c1, r2 = *c2, s0 = *d0, s1 = *d1, s2 = *d2;
  for (; k > 0; --k, A += lda, B += ldb) {
    const Four *x = (const Four*)B, *y = (const Four*)(B + 4);
    r0 -= A[0] * *x, s0 -= A[0] * *y;
    r1 -= A[1] * *x, s1 -= A[1] * *y;
    r2 -= A[2] * *x, s2 -= A[2] * *y;
  }
  *c0 = r0, *c1 = r1, *c2 = r2, *d0 = s0, *d1 = s1, *d2 = s2;
}

// Three rows and six columns.
static inline void subtract6(double* restrict C, int ldc, const double* restrict A, int lda, const double* restrict B, int ldb,
                             int k) {
  Four *c0 = (Four*)C, *c1 = (Four*)(C + ldc), *c2 = (Four*)(C + 2 * ldc);
  Two *d0 = (Two*)(C + 4), *d1 = (Two*)(C + ldc + 4), *d2 = (Two*)(C + 2 * ldc + 4);
  Four r0 = *c0, r1 = *c1, r2 = *c2;
  Two s0 = *d0, s1 = *d1, s2 = *d2;
  for (; k > 0; --k, A += lda, B += ldb) {
    const Four* x = (const Four*)B;
    const Two* y = (const Two*)(B + 4);
    r0 -= A[0] * *x, s0 -= A[0] * *y;
    r1 -= A[1] * *x, s1 -= A[1] * *y;
    r2 -= A[2] * *x, s2 -= A[2] * *y;
  }
  *c0 = r0, *c1 = r1, *c2 = r2, *d0 = s0, *d1 = s1, *d2 = s2;
}

// Three rows and four columns.
static inline void subtract4(double* restrict C, int ldc, const double* restrict A, int lda, const double* restrict B, int ldb,
                             int k) {
  Four *c0 = (Four*)C, *c1 = (Four*)(C + ldc), *c2 = (Four*)(C + 2 * ldc);
  Four r0 = *c0, r1 = *c1, r2 = *c2;
  for (; k > 0; --k, A += lda, B += ldb) {
    const Four* x = (const Four*)B;
    r0 -= A[0] * *x, r1 -= A[1] * *x, r2 -= A[2] * *x;
  }
  *c0 = r0, *c1 = r1, *c2 = r2;
}

// Three rows of C -= A^T B. A caller that passes a constant for k gets loops that the compiler writes out.
static inline void subtract_three(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int n) {
  for (; n >= 8 && n != 12; n -= 8, C += 8, B += 8) subtract8(C, ldc, A, lda, B, ldb, k); // twelve are two free bodies
  for (; n >= 6; n -= 6, C += 6, B += 6) subtract6(C, ldc, A, lda, B, ldb, k);
  if (n >= 4) {
    subtract4(C, ldc, A, lda, B, ldb, k);
    n -= 4, C += 4, B += 4;
  }
  for (int i = 0; n > 0 && i < 3; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}

void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (; m >= 3; m -= 3, C += 3 * ldc, A += 3)
    if (k == 6)
      subtract_three(C, ldc, A, lda, B, ldb, 6, n);
    else
      subtract_three(C, ldc, A, lda, B, ldb, k, n);
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}
