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

// C += A^T B
void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m, int n) {
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, 1.0, A + i, lda, B, ldb, k, n);
}

// C -= A^T B for a tile of six rows and four columns. Its rows are r0 to r5.
static inline void subtract_tile64(double* restrict C, int ldc, const double* restrict A, int lda,
                                   const double* restrict B, int ldb, int k) {
  hfiQuad r0 = hfi_quad_load(C);
  hfiQuad r1 = hfi_quad_load(C + ldc);
  hfiQuad r2 = hfi_quad_load(C + 2 * ldc);
  hfiQuad r3 = hfi_quad_load(C + 3 * ldc);
  hfiQuad r4 = hfi_quad_load(C + 4 * ldc);
  hfiQuad r5 = hfi_quad_load(C + 5 * ldc);

  for (; k > 0; --k, A += lda, B += ldb) {
    hfiQuad x = hfi_quad_load(B);
    HFI_QUAD_MINUS(r0, A[0], x);
    HFI_QUAD_MINUS(r1, A[1], x);
    HFI_QUAD_MINUS(r2, A[2], x);
    HFI_QUAD_MINUS(r3, A[3], x);
    HFI_QUAD_MINUS(r4, A[4], x);
    HFI_QUAD_MINUS(r5, A[5], x);
  }

  hfi_quad_store(C, r0);
  hfi_quad_store(C + ldc, r1);
  hfi_quad_store(C + 2 * ldc, r2);
  hfi_quad_store(C + 3 * ldc, r3);
  hfi_quad_store(C + 4 * ldc, r4);
  hfi_quad_store(C + 5 * ldc, r5);
}

// C -= A^T B for a tile of six rows and six columns, the coupling of two free bodies. The first four numbers of its
// rows are r0 to r5, the other two s0 to s5.
static inline void subtract_tile66(double* restrict C, int ldc, const double* restrict A, int lda,
                                   const double* restrict B, int ldb, int k) {
  hfiTwo* d0 = (hfiTwo*)(C + 4);
  hfiTwo* d1 = (hfiTwo*)(C + ldc + 4);
  hfiTwo* d2 = (hfiTwo*)(C + 2 * ldc + 4);
  hfiTwo* d3 = (hfiTwo*)(C + 3 * ldc + 4);
  hfiTwo* d4 = (hfiTwo*)(C + 4 * ldc + 4);
  hfiTwo* d5 = (hfiTwo*)(C + 5 * ldc + 4);
  hfiQuad r0 = hfi_quad_load(C);
  hfiQuad r1 = hfi_quad_load(C + ldc);
  hfiQuad r2 = hfi_quad_load(C + 2 * ldc);
  hfiQuad r3 = hfi_quad_load(C + 3 * ldc);
  hfiQuad r4 = hfi_quad_load(C + 4 * ldc);
  hfiQuad r5 = hfi_quad_load(C + 5 * ldc);
  hfiTwo s0 = *d0;
  hfiTwo s1 = *d1;
  hfiTwo s2 = *d2;
  hfiTwo s3 = *d3;
  hfiTwo s4 = *d4;
  hfiTwo s5 = *d5;

  for (; k > 0; --k, A += lda, B += ldb) {
    hfiQuad x = hfi_quad_load(B);
    const hfiTwo* y = (const hfiTwo*)(B + 4);
    HFI_QUAD_MINUS(r0, A[0], x);
    HFI_QUAD_MINUS(r1, A[1], x);
    HFI_QUAD_MINUS(r2, A[2], x);
    HFI_QUAD_MINUS(r3, A[3], x);
    HFI_QUAD_MINUS(r4, A[4], x);
    HFI_QUAD_MINUS(r5, A[5], x);
    s0 -= A[0] * *y;
    s1 -= A[1] * *y;
    s2 -= A[2] * *y;
    s3 -= A[3] * *y;
    s4 -= A[4] * *y;
    s5 -= A[5] * *y;
  }

  hfi_quad_store(C, r0);
  hfi_quad_store(C + ldc, r1);
  hfi_quad_store(C + 2 * ldc, r2);
  hfi_quad_store(C + 3 * ldc, r3);
  hfi_quad_store(C + 4 * ldc, r4);
  hfi_quad_store(C + 5 * ldc, r5);
  *d0 = s0;
  *d1 = s1;
  *d2 = s2;
  *d3 = s3;
  *d4 = s4;
  *d5 = s5;
}

// Six rows of C -= A^T B, n columns. If the caller passes a constant for k, the compiler writes out the loops over k.
static inline void subtract_six(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int n) {
  for (; n >= 4 && n != 6; n -= 4, C += 4, B += 4) subtract_tile64(C, ldc, A, lda, B, ldb, k);
  if (n == 6) {
    subtract_tile66(C, ldc, A, lda, B, ldb, k);
    return;
  }

  // up to three columns that are left
  for (int i = 0; n > 0 && i < 6; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}

// C (6 x n) -= A^T B for A (6 x 6)
void hfi_six_subtract(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int n) {
  subtract_six(C, ldc, A, lda, B, ldb, 6, n);
}

// C -= A^T B, six rows of C at a time; k = 6 is passed as a constant.
void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m, int n) {
  for (; m >= 6; m -= 6, C += 6 * ldc, A += 6) {
    if (k == 6)
      subtract_six(C, ldc, A, lda, B, ldb, 6, n);
    else
      subtract_six(C, ldc, A, lda, B, ldb, k, n);
  }

  // up to five rows that are left
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}
