// Factorisation A = U^T D U without square roots, right-looking by rows.
//
//   d_k = a_kk,  a_ij -= (a_ki/d_k) a_kj   (k < i <= j, j also over the columns beside A)
//   u_kj = a_kj/d_k   (j of A)
//
// Golub and Van Loan, Matrix Computations, section 4.1. Without pivoting it is stable for positive
// definite matrices and exists for quasi-definite ones (Vanderbei 1995).
#include "linalg/dense.h"

#include <math.h>

int hfi_ldlt_beside(double* A, int n, int m, int ld, int positive) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (!(fabs(u[k]) > 0 && fabs(u[k]) <= 1e308) || (positive && u[k] < 0)) return k + 1;
    double inverse = 1 / u[k];
    for (int i = k + 1; i < n; ++i) {
      double* a = A + i * ld;
      if (u[i] == 0) continue; // Nodes have parts that are not coupled.
      double f = u[i] * inverse;
      hfi_axpy(a + i, -f, u + i, m - i);
    }
    for (int j = k + 1; j < n; ++j) u[j] *= inverse;
    u[k] = inverse;
  }
  return 0;
}

void hfi_ldlt_forward(const double* U, int n, int ld, double* b) {
  for (int k = 0; k < n; ++k) hfi_axpy(b + k + 1, -b[k], U + k * (ld + 1) + 1, n - k - 1);
}

void hfi_ldlt_backward(const double* U, int n, int ld, double* z) {
  for (int k = n - 1; k >= 0; --k) {
    const double* u = U + k * ld;
    z[k] = z[k] * u[k] - hfi_dot(u + k + 1, z + k + 1, n - k - 1);
  }
}
