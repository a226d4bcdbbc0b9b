// Cholesky factorisation A = U^T U, right-looking by rows.
//
//   u_kk = sqrt(a_kk),  u_kj = a_kj/u_kk,  a_ij -= u_ki u_kj   (k < i <= j)
//
// 1/u_kk stands in the place of u_kk.
//
// Golub and Van Loan, Matrix Computations, section 4.2 (outer-product form).
#include "linalg/dense.h"

#include <math.h>

// Factors A from its upper triangle. Returns 0, or k + 1 if pivot k is not positive.
int hfi_cholesky(double* A, int n, int ld) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (!(u[k] > 0 && u[k] <= HFI_LARGEST_PIVOT)) return k + 1;

    u[k] = 1 / sqrt(u[k]);
    for (int j = k + 1; j < n; ++j) u[j] *= u[k];

    // subtract the products of row k from the rows below
    for (int i = k + 1; i < n; ++i) {
      double* a = A + i * ld;
      for (int j = i; j < n; ++j) a[j] -= u[i] * u[j];
    }
  }
  return 0;
}

// Solves A x = b in place.
void hfi_cholesky_solve(const double* U, int n, int ld, double* b) {
  // U^T y = b
  for (int k = 0; k < n; ++k) {
    const double* u = U + k * ld;
    b[k] *= u[k];
    for (int j = k + 1; j < n; ++j) b[j] -= b[k] * u[j];
  }

  // U x = y
  for (int k = n - 1; k >= 0; --k) {
    const double* u = U + k * ld;
    b[k] = (b[k] - hfi_dot(u + k + 1, b + k + 1, n - k - 1)) * u[k];
  }
}
