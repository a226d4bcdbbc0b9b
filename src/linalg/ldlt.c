// Factorisation A = U^T D U without square roots, right-looking by rows.
//
//   d_k = a_kk,  a_ij -= (a_ki/d_k) a_kj   (k < i <= j),  u_kj = a_kj/d_k
//
// Golub and Van Loan, Matrix Computations, section 4.1. Without pivoting it is stable for positive
// definite matrices and exists for quasi-definite ones (Vanderbei 1995).
#include "linalg/dense.h"

#include <math.h>

int hfi_ldlt(double* A, int n, int ld, int positive) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (!(fabs(u[k]) > 0 && fabs(u[k]) <= 1e308) || (positive && u[k] < 0)) return k + 1;
    double inverse = 1 / u[k];
    for (int i = k + 1; i < n; ++i) {
      double* a = A + i * ld;
      if (u[i] == 0) continue; // parts that are not coupled
      double f = u[i] * inverse;
      hfi_axpy(a + i, -f, u + i, n - i);
    }
    for (int j = k + 1; j < n; ++j) u[j] *= inverse;
    u[k] = inverse;
  }
  return 0;
}

void hfi_ldlt_solve(const double* U, int n, int ld, double* b) {
  for (int k = 0; k < n; ++k) { // U^T z = b, y = D^-1 z
    const double* u = U + k * ld;
    double z = b[k];
    hfi_axpy(b + k + 1, -z, u + k + 1, n - k - 1);
    b[k] = z * u[k];
  }
  for (int k = n - 1; k >= 0; --k) { // U x = y
    const double* u = U + k * ld;
    b[k] -= hfi_dot(u + k + 1, b + k + 1, n - k - 1);
  }
}

void hfi_ldlt_solve_many(const double* U, int n, int ld, double* B, int m, int ldb) {
  for (int k = 0; k < n; ++k) {
    double* restrict z = B + k * ldb;
    for (int i = k + 1; i < n; ++i) hfi_axpy(B + i * ldb, -U[k * ld + i], z, m);
    for (int c = 0; c < m; ++c) z[c] *= U[k * ld + k];
  }
  for (int k = n - 1; k >= 0; --k)
    for (int i = k + 1; i < n; ++i) hfi_axpy(B + k * ldb, -U[k * ld + i], B + i * ldb, m);
}
