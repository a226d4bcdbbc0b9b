// Sizes and products of the padded blocks of rough factors (rough_factor.c, rough_solve.c).
//
//   B      the block-sparse matrix              k, j   positions
//   n x ld a block of n rows, each padded with zeros to ld numbers, a multiple of PAD
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler
// writes out the loops over them.
#ifndef HFI_LINALG_ROUGH_KERNELS_H
#define HFI_LINALG_ROUGH_KERNELS_H

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/rough_factor.h"

enum { PAD = 8 }; // Rows of blocks are padded with zeros to a multiple of this many numbers.

// ---- sizes -------------------------------------------------------------------------------------------

// Returns the length of a padded row that has `size` numbers.
static inline int pad(int size) { return (size + PAD - 1) / PAD * PAD; }

// Number of unknowns of position k.
HFI_FORCE_INLINE int size_of(const hfiBlockMatrix* B, int32_t k, int six) { return six ? 6 : B->size[k]; }

// Length of a padded row with a number for each unknown of position k.
HFI_FORCE_INLINE int row_length(const hfiBlockMatrix* B, int32_t k, int six) { return six ? PAD : pad(B->size[k]); }

// Index of the first unknown of position k in a padded vector.
HFI_FORCE_INLINE int32_t first_unknown(const hfiRoughFactors* F, int32_t k, int six) {
  return six ? PAD * k : F->first[k];
}

// ---- rounding to single precision ---------------------------------------------------------------------

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

// C (8) = X (6) and two zeros
static inline void round_six(float* C, const double* X) {
  hfiFour last = {X[4], X[5], 0, 0};
  *(FourFloats*)C = __builtin_convertvector(*(const hfiFour*)X, FourFloats);
  *(FourFloats*)(C + 4) = __builtin_convertvector(last, FourFloats);
}

// C (n x ld) = X (n x m), padded with zeros. From one row of X to the next there are ldx numbers.
HFI_FORCE_INLINE void round_block(float* C, int ld, const double* X, int ldx, int n, int m) {
  if (m == 6 && ld == PAD) {
    for (int i = 0; i < n; ++i) round_six(C + i * ld, X + i * ldx);
    return;
  }

  for (int i = 0; i < n; ++i, C += ld, X += ldx) {
    for (int c = 0; c < m; ++c) C[c] = (float)X[c];
    for (int c = m; c < ld; ++c) C[c] = 0;
  }
}

// C (n x ld) = X^T, X (n x n), padded with zeros
HFI_FORCE_INLINE void round_transposed(float* C, int ld, const double* X, int ldx, int n) {
  for (int c = 0; c < n; ++c, C += ld) {
    for (int i = 0; i < n; ++i) C[i] = (float)X[i * ldx + c];
    for (int i = n; i < ld; ++i) C[i] = 0;
  }
}

// ---- products ----------------------------------------------------------------------------------------

static inline hfiFloats load(const float* x) { return *(const hfiFloats*)x; }
static inline void store(float* y, hfiFloats a) { *(hfiFloats*)y = a; }

// What a product does with the result C.
typedef enum ProductKind {
  PRODUCT,    // C = A^T X
  SUBTRACTED, // C -= A^T X
  NEGATED,    // C = 0 - A^T X, which gives the bits of SUBTRACTED for a C of zeros
} ProductKind;

// One vector of columns of a product of blocks of six rows. C, A and X have rows of PAD numbers. The rows of C are r0
// to r5, which stay in registers.
HFI_FORCE_INLINE void multiply_six(float* restrict C, const float* restrict A, const float* restrict X,
                                   ProductKind kind) {
  hfiFloats r0 = {0};
  hfiFloats r1 = r0;
  hfiFloats r2 = r0;
  hfiFloats r3 = r0;
  hfiFloats r4 = r0;
  hfiFloats r5 = r0;
  if (kind == SUBTRACTED) {
    r0 = load(C);
    r1 = load(C + PAD);
    r2 = load(C + 2 * PAD);
    r3 = load(C + 3 * PAD);
    r4 = load(C + 4 * PAD);
    r5 = load(C + 5 * PAD);
  }

  for (int i = 0; i < 6; ++i, A += PAD, X += PAD) {
    hfiFloats x = load(X);
    if (kind == PRODUCT) {
      r0 += A[0] * x;
      r1 += A[1] * x;
      r2 += A[2] * x;
      r3 += A[3] * x;
      r4 += A[4] * x;
      r5 += A[5] * x;
    } else {
      r0 -= A[0] * x;
      r1 -= A[1] * x;
      r2 -= A[2] * x;
      r3 -= A[3] * x;
      r4 -= A[4] * x;
      r5 -= A[5] * x;
    }
  }

  store(C, r0);
  store(C + PAD, r1);
  store(C + 2 * PAD, r2);
  store(C + 3 * PAD, r3);
  store(C + 4 * PAD, r4);
  store(C + 5 * PAD, r5);
}

// The same for C = A^T X with an A that has zeros below its diagonal. The products with these are left out, which
// changes no bit.
HFI_FORCE_INLINE void multiply_six_triangular(float* restrict C, const float* restrict A, const float* restrict X) {
  hfiFloats x = load(X);
  hfiFloats r0 = A[0] * x;
  hfiFloats r1 = A[1] * x;
  hfiFloats r2 = A[2] * x;
  hfiFloats r3 = A[3] * x;
  hfiFloats r4 = A[4] * x;
  hfiFloats r5 = A[5] * x;

  A += PAD;
  x = load(X + PAD);
  r1 += A[1] * x;
  r2 += A[2] * x;
  r3 += A[3] * x;
  r4 += A[4] * x;
  r5 += A[5] * x;

  A += PAD;
  x = load(X + 2 * PAD);
  r2 += A[2] * x;
  r3 += A[3] * x;
  r4 += A[4] * x;
  r5 += A[5] * x;

  A += PAD;
  x = load(X + 3 * PAD);
  r3 += A[3] * x;
  r4 += A[4] * x;
  r5 += A[5] * x;

  A += PAD;
  x = load(X + 4 * PAD);
  r4 += A[4] * x;
  r5 += A[5] * x;

  A += PAD;
  x = load(X + 5 * PAD);
  r5 += A[5] * x;

  store(C, r0);
  store(C + PAD, r1);
  store(C + 2 * PAD, r2);
  store(C + 3 * PAD, r3);
  store(C + 4 * PAD, r4);
  store(C + 5 * PAD, r5);
}

// y = sum_i a_i A_i, y -= this sum, or y = 0 - this sum, over n rows A_i of ld numbers. From a_i to the next there are
// `step` numbers.
HFI_FORCE_INLINE void combine_rows(float* restrict y, const float* restrict a, int step, const float* restrict A,
                                   int n, int ld, ProductKind kind) {
  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats sum = {0};
    if (kind == SUBTRACTED) sum = load(y + c);
    for (int i = 0; i < n; ++i) {
      if (kind == PRODUCT)
        sum += a[i * step] * load(A + i * ld + c);
      else
        sum -= a[i * step] * load(A + i * ld + c);
    }
    store(y + c, sum);
  }
}

// C (m x ld) from the first m columns of A (n x lda) and X (n x ld).
HFI_FORCE_INLINE void multiply(float* C, const float* A, const float* X, int n, int m, int lda, int ld,
                               ProductKind kind, int six) {
  if (six)
    for (int c = 0; c < PAD; c += HFI_FLOATS) multiply_six(C + c, A, X + c, kind);
  else
    for (int i = 0; i < m; ++i) combine_rows(C + i * ld, A + i, lda, X, n, ld, kind);
}

// C = A^T X with an A (n x lda) that has zeros below its diagonal.
HFI_FORCE_INLINE void multiply_triangular(float* C, const float* A, const float* X, int n, int lda, int ld, int six) {
  if (six)
    for (int c = 0; c < PAD; c += HFI_FLOATS) multiply_six_triangular(C + c, A, X + c);
  else
    multiply(C, A, X, n, n, lda, ld, PRODUCT, 0);
}

// y (n) += x, n a multiple of PAD
HFI_FORCE_INLINE void add_numbers(float* y, const float* x, int n) {
  for (int i = 0; i < n; i += HFI_FLOATS) store(y + i, load(y + i) + load(x + i));
}

#endif
