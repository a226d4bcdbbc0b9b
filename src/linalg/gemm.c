// C += A^T B and C -= A^T B for thin matrices: A (k x m), B (k x n), C (m x n), row-major.
//
// The block factorisation spends most of its time in the second product, with a few to a few dozen rows k, mostly the
// six of a free body. Each element of C adds the products of the rows of A and B in their order, whatever the sizes
// are.
//
// C -= A^T B works on tiles of six rows and four columns of C. If six columns are left, the last tile has six. The sums
// of a tile stay in registers, and a row of B is read once for the six rows.
#include "linalg/dense.h"
#include "base/lanes.h"

void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, 1.0, A + i, lda, B, ldb, k, n);
}

// A tile of six rows and four columns.
static inline void subtract4(double* restrict C, int ldc, const double* restrict A, int lda, const double* restrict B, int ldb,
                             int k) {
  double *c0 = C, *c1 = C + ldc, *c2 = C + 2 * ldc, *c3 = C + 3 * ldc, *c4 = C + 4 * ldc, *c5 = C + 5 * ldc;
  hfiQuad r0 = hfi_quad_load(c0), r1 = hfi_quad_load(c1), r2 = hfi_quad_load(c2);
  hfiQuad r3 = hfi_quad_load(c3), r4 = hfi_quad_load(c4), r5 = hfi_quad_load(c5);
  for (; k > 0; --k, A += lda, B += ldb) {
    hfiQuad x = hfi_quad_load(B);
    HFI_QUAD_MINUS(r0, A[0], x), HFI_QUAD_MINUS(r1, A[1], x), HFI_QUAD_MINUS(r2, A[2], x);
    HFI_QUAD_MINUS(r3, A[3], x), HFI_QUAD_MINUS(r4, A[4], x), HFI_QUAD_MINUS(r5, A[5], x);
  }
  hfi_quad_store(c0, r0), hfi_quad_store(c1, r1), hfi_quad_store(c2, r2);
  hfi_quad_store(c3, r3), hfi_quad_store(c4, r4), hfi_quad_store(c5, r5);
}

// A tile of six rows and six columns, the coupling of two free bodies.
static inline void subtract6(double* restrict C, int ldc, const double* restrict A, int lda, const double* restrict B, int ldb,
                             int k) {
  double *c0 = C, *c1 = C + ldc, *c2 = C + 2 * ldc, *c3 = C + 3 * ldc, *c4 = C + 4 * ldc, *c5 = C + 5 * ldc;
  hfiTwo *d0 = (hfiTwo*)(c0 + 4), *d1 = (hfiTwo*)(c1 + 4), *d2 = (hfiTwo*)(c2 + 4), *d3 = (hfiTwo*)(c3 + 4), *d4 = (hfiTwo*)(c4 + 4),
         *d5 = (hfiTwo*)(c5 + 4);
  hfiQuad r0 = hfi_quad_load(c0), r1 = hfi_quad_load(c1), r2 = hfi_quad_load(c2);
  hfiQuad r3 = hfi_quad_load(c3), r4 = hfi_quad_load(c4), r5 = hfi_quad_load(c5);
  hfiTwo s0 = *d0, s1 = *d1, s2 = *d2, s3 = *d3, s4 = *d4, s5 = *d5;
  for (; k > 0; --k, A += lda, B += ldb) {
    hfiQuad x = hfi_quad_load(B);
    const hfiTwo* y = (const hfiTwo*)(B + 4);
    HFI_QUAD_MINUS(r0, A[0], x), HFI_QUAD_MINUS(r1, A[1], x), HFI_QUAD_MINUS(r2, A[2], x);
    HFI_QUAD_MINUS(r3, A[3], x), HFI_QUAD_MINUS(r4, A[4], x), HFI_QUAD_MINUS(r5, A[5], x);
    s0 -= A[0] * *y, s1 -= A[1] * *y, s2 -= A[2] * *y, s3 -= A[3] * *y, s4 -= A[4] * *y, s5 -= A[5] * *y;
  }
  hfi_quad_store(c0, r0), hfi_quad_store(c1, r1), hfi_quad_store(c2, r2);
  hfi_quad_store(c3, r3), hfi_quad_store(c4, r4), hfi_quad_store(c5, r5);
  *d0 = s0, *d1 = s1, *d2 = s2, *d3 = s3, *d4 = s4, *d5 = s5;
}

// Six rows of C -= A^T B. If the caller passes a constant for k, the compiler writes out the loops over k.
static inline void subtract_six(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int n) {
  for (; n >= 4 && n != 6; n -= 4, C += 4, B += 4) subtract4(C, ldc, A, lda, B, ldb, k);
  if (n == 6) {
    subtract6(C, ldc, A, lda, B, ldb, k);
    return;
  }
  for (int i = 0; n > 0 && i < 6; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}

void hfi_six_subtract(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int n) {
  subtract_six(C, ldc, A, lda, B, ldb, 6, n);
}

void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (; m >= 6; m -= 6, C += 6 * ldc, A += 6)
    if (k == 6)
      subtract_six(C, ldc, A, lda, B, ldb, 6, n);
    else
      subtract_six(C, ldc, A, lda, B, ldb, k, n);
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}
