// C += A^T B and C -= A^T B for thin matrices: A (k x m), B (k x n), C (m x n), row-major.
//
// The trailing updates of the block factorisation are this product, with k of a few to a few dozen
// rows. A row of C gathers rows of B, weighted by a column of A; an element is summed in the same
// order whatever the sizes.
#include "linalg/dense.h"

void hfi_add_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, 1.0, A + i, lda, B, ldb, k, n);
}

void hfi_sub_atb(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int k,
                 int m, int n) {
  for (int i = 0; i < m; ++i) hfi_add_rows(C + i * ldc, -1.0, A + i, lda, B, ldb, k, n);
}
