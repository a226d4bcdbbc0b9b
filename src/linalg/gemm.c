// C += A^T B and C -= A^T B for thin matrices: A (k x m), B (k x n), C (m x n), row-major.
//
// Both the assembly of J^T G J and the trailing updates of the block factorisation are this product.
// C is cut in tiles of 1 or 2 rows and 8, 4, 2 or 1 columns whose sums stay in registers over the whole of k;
// each element is the sum over k in ascending order, whatever the tile, so the bits do not depend on
// the tiling.
#include "linalg/dense.h"

// One tile of mt x nt elements; mt and nt are constants at every call, so the loops over them unroll.
static inline void add_tile(double* restrict C, int ldc, const double* restrict A, int lda,
                            const double* restrict B, int ldb, int k, int mt, int nt, double sign) {
  double sum[16] = {0};
  for (int r = 0; r < k; ++r)
    for (int i = 0; i < mt; ++i)
      for (int j = 0; j < nt; ++j) sum[i * nt + j] += A[r * lda + i] * B[r * ldb + j];
  for (int i = 0; i < mt; ++i)
    for (int j = 0; j < nt; ++j) C[i * ldc + j] += sign * sum[i * nt + j];
}

// mt rows of C
static inline void add_rows(double* C, int ldc, const double* A, int lda, const double* B, int ldb,
                            int k, int mt, int n, double sign) {
  int j = 0;
  for (; j + 8 <= n; j += 8) add_tile(C + j, ldc, A, lda, B + j, ldb, k, mt, 8, sign);
  if (j + 4 <= n) { add_tile(C + j, ldc, A, lda, B + j, ldb, k, mt, 4, sign); j += 4; }
  if (j + 2 <= n) { add_tile(C + j, ldc, A, lda, B + j, ldb, k, mt, 2, sign); j += 2; }
  if (j < n) add_tile(C + j, ldc, A, lda, B + j, ldb, k, mt, 1, sign);
}

static inline void add_product(double* C, int ldc, const double* A, int lda, const double* B, int ldb,
                               int k, int m, int n, double sign) {
  int i = 0;
  for (; i + 2 <= m; i += 2) add_rows(C + i * ldc, ldc, A + i, lda, B, ldb, k, 2, n, sign);
  if (i < m) add_rows(C + i * ldc, ldc, A + i, lda, B, ldb, k, 1, n, sign);
}

void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m,
                 int n) {
  add_product(C, ldc, A, lda, B, ldb, k, m, n, 1.0);
}

void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k, int m,
                 int n) {
  add_product(C, ldc, A, lda, B, ldb, k, m, n, -1.0);
}
