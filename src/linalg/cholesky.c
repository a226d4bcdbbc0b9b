// Cholesky factorisation A = U^T U, right-looking by rows.
//
//   u_kk = sqrt(a_kk),  u_kj = a_kj/u_kk,  a_ij -= u_ki u_kj   (k < i <= j)
//
// Golub and Van Loan, Matrix Computations, section 4.2 (outer-product form).
#include "linalg/dense.h"

#include <math.h>

int hfi_cholesky(double* A, int n, int ld) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (!(u[k] > 0 && u[k] <= 1e308)) return k + 1;
    u[k] = 1 / sqrt(u[k]);
    for (int j = k + 1; j < n; ++j) u[j] *= u[k];
    for (int i = k + 1; i < n; ++i) {
      double* a = A + i * ld;
      for (int j = i; j < n; ++j) a[j] -= u[i] * u[j];
    }
  }
  return 0;
}

void hfi_cholesky_solve(const double* U, int n, int ld, double* b) {
  for (int k = 0; k < n; ++k) { // U^T y = b
    const double* u = U + k * ld;
    b[k] *= u[k];
    for (int j = k + 1; j < n; ++j) b[j] -= b[k] * u[j];
  }
  for (int k = n - 1; k >= 0; --k) { // U x = y
    const double* u = U + k * ld;
    b[k] = (b[k] - hfi_dot(u + k + 1, b + k + 1, n - k - 1)) * u[k];
  }
}
