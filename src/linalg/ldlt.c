// Factorisation A = U^T D U without square roots.
//
//   d_k = a_kk,  a_ij -= (a_ki/d_k) a_kj   (k < i <= j, j also over the columns beside A), k = 0, 1, ...
//   u_kj = a_kj/d_k   (j of A)
//
// Golub and Van Loan, Matrix Computations, section 4.1. Without pivoting it is stable for positive
// definite matrices and exists for quasi-definite ones (Vanderbei 1995).
//
// The order of the loops does not change a bit of the result. Small matrices, and those whose parts are
// hardly coupled, are factored with k outside: what is zero is skipped. Others are factored with i outside:
// a row is finished by a sum over the rows before it, whose elements stay in registers.
#include "linalg/dense.h"

#include <math.h>

enum { SMALL = 8 }; // Fewer rows than this are factored with k outside.

static int is_bad_pivot(double d, int positive) {
  return !(fabs(d) > 0 && fabs(d) <= 1e308) || (positive && d < 0);
}

static int factor_by_pivots(double* A, int n, int m, int ld, int positive) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (is_bad_pivot(u[k], positive)) return k + 1;
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

// Subtracts the finished rows from columns i to m - 1 of row i, run by run of rows that are coupled to it. The factors
// a_ki/d_k are kept in the lower triangle of row i, where they follow each other.
static void finish_row(double* A, int i, int m, int ld) {
  double* a = A + i * ld;
  for (int k = 0, end; k < i; k = end + 1) {
    const double* u = A + k * ld;
    for (end = k; end < i; ++end, u += ld)
      if ((a[end] = u[i] * u[end]) == 0) break; // u[end] is 1/d_end
    if (end > k) hfi_add_rows(a + i, -1.0, a + k, 1, A + k * ld + i, ld, end - k, m - i);
  }
}

static int factor_by_rows(double* A, int n, int m, int ld, int positive) {
  for (int i = 0; i < n; ++i) {
    double* pivot = A + i * (ld + 1);
    finish_row(A, i, m, ld);
    if (is_bad_pivot(*pivot, positive)) return i + 1;
    *pivot = 1 / *pivot;
  }
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) A[i * ld + j] *= A[i * (ld + 1)];
  return 0;
}

int hfi_ldlt_beside(double* A, int n, int m, int ld, int positive) {
  int coupled = n >= SMALL && A[n - 1] != 0; // the last unknown to the first: those of a tree with one root
  return (coupled ? factor_by_rows : factor_by_pivots)(A, n, m, ld, positive);
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
