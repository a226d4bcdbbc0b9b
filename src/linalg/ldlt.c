// Factorisation A = U^T D U without square roots.
//
//   d_k = a_kk,  a_ij -= (a_ki/d_k) a_kj   (k < i <= j, j also over the columns beside A), k = 0, 1, ...
//   u_kj = a_kj/d_k   (j of A)
//
//   n, m      rows of A; columns of A and of the matrix beside it      ld   numbers from one row to the next
//   positive  1: a negative pivot d_k is bad, too                      f    a_ki/d_k, `inverse` 1/d_k
//
// Golub and Van Loan, Matrix Computations, section 4.1. Without pivoting it is stable for positive
// definite matrices and exists for quasi-definite ones (Vanderbei 1995).
//
// Three ways to do this, by size. They add the same products in the same order, so they give the same bits:
//
//   factor_by_pivots   the formula above. It skips a_ki = 0, so it is for matrices whose parts are hardly coupled
//   factor_few         the same for few rows, with constants for n, k and i, so that the compiler writes out all loops
//   factor_by_panels   factors six rows, then subtracts all six from the rows that follow, and so on
#include "linalg/dense.h"

#include "base/compile.h"

#include <math.h>

enum { PANELS_FROM = 8 }; // Matrices with fewer rows than this are never factored by panels.

// Is a pivot zero, not finite, or, with `positive`, negative?
static int is_bad_pivot(double d, int positive) {
  return !(fabs(d) > 0 && fabs(d) <= HFI_LARGEST_PIVOT) || (positive && d < 0);
}

// Factors A by the formula above, row by row. Returns 0, or k + 1 if pivot k is bad.
static int factor_by_pivots(double* A, int n, int m, int ld, int positive) {
  for (int k = 0; k < n; ++k) {
    double* u = A + k * ld;
    if (is_bad_pivot(u[k], positive)) return k + 1;
    double inverse = 1 / u[k];

    for (int i = k + 1; i < n; ++i) {
      double* a = A + i * ld;
      if (u[i] == 0) continue;
      double f = u[i] * inverse;
      hfi_axpy(a + i, -f, u + i, m - i);
    }

    hfi_scale(u + k + 1, inverse, u + k + 1, n - k - 1);
    u[k] = inverse;
  }
  return 0;
}

// ---- few rows -----------------------------------------------------------------------------------------
//
// Those of a finger, a free body or an arm. Callers pass constants for n <= 7, k and i.

// a_j -= f u_j for the columns j = i to n - 1
HFI_FORCE_INLINE void subtract_row(double* restrict a, double f, const double* restrict u, int n, int i) {
  if (i <= 1) a[1] -= f * u[1];
  if (i <= 2 && n > 2) a[2] -= f * u[2];
  if (i <= 3 && n > 3) a[3] -= f * u[3];
  if (i <= 4 && n > 4) a[4] -= f * u[4];
  if (i <= 5 && n > 5) a[5] -= f * u[5];
  if (i <= 6 && n > 6) a[6] -= f * u[6];
}

// Eliminates a_ki: subtracts (a_ki/d_k) times row k from row i.
HFI_FORCE_INLINE void eliminate(double* A, int n, int m, int ld, int k, int i, double inverse) {
  if (i <= k || i >= n) return;

  double* u = A + k * ld;
  double* a = A + i * ld;
  if (u[i] == 0) return;

  double f = u[i] * inverse;
  subtract_row(a, f, u, n, i);
  if (m > n) hfi_axpy(a + n, -f, u + n, m - n);
}

// Eliminates column k: step k of the formula. Returns 0 if pivot k is bad.
HFI_FORCE_INLINE int eliminate_column(double* A, int n, int m, int ld, int k, int positive) {
  if (k >= n) return 1;
  double* u = A + k * ld;
  if (is_bad_pivot(u[k], positive)) return 0;
  double inverse = 1 / u[k];

  eliminate(A, n, m, ld, k, 1, inverse);
  eliminate(A, n, m, ld, k, 2, inverse);
  eliminate(A, n, m, ld, k, 3, inverse);
  eliminate(A, n, m, ld, k, 4, inverse);
  eliminate(A, n, m, ld, k, 5, inverse);
  eliminate(A, n, m, ld, k, 6, inverse);

  for (int j = k + 1; j < n; ++j) u[j] *= inverse;
  u[k] = inverse;
  return 1;
}

// Factors A of up to seven rows. Returns 0, or k + 1 if pivot k is bad.
HFI_FORCE_INLINE int factor_few(double* A, int n, int m, int ld, int positive) {
  if (!eliminate_column(A, n, m, ld, 0, positive)) return 1;
  if (!eliminate_column(A, n, m, ld, 1, positive)) return 2;
  if (!eliminate_column(A, n, m, ld, 2, positive)) return 3;
  if (!eliminate_column(A, n, m, ld, 3, positive)) return 4;
  if (!eliminate_column(A, n, m, ld, 4, positive)) return 5;
  if (!eliminate_column(A, n, m, ld, 5, positive)) return 6;
  return eliminate_column(A, n, m, ld, 6, positive) ? 0 : 7;
}

// Factors A of six rows, then computes U^-T B of the columns beside it. Returns 0, or k + 1 if pivot k is bad.
static int factor_six(double* A, int m, int ld, int positive) {
  int failed = factor_few(A, 6, 6, ld, positive);
  if (!failed && m > 6) hfi_six_forward_transposed(A, ld, A + 6, ld, m - 6);
  return failed;
}

// ---- panels of six rows -------------------------------------------------------------------------------

// Subtracts six factored rows from the n rows after them. U points to the diagonal block of the six. m columns follow
// this block: n columns of A and those beside A. The columns of A become u_kj = a_kj/d_k as soon as no product needs
// a_kj any more.
static void subtract_panel(double* U, int n, int m, int ld) {
  double* beside = U + 6;
  double* rest = U + 6 * (ld + 1);
  double factors[36]; // u_kj of the six rows k and up to six columns j

  for (int i = 0; i < n; i += 6) {
    int count = n - i < 6 ? n - i : 6;
    for (int k = 0; k < 6; ++k) hfi_scale(factors + 6 * k, U[k * (ld + 1)], beside + k * ld + i, count);

    if (count == 6)
      hfi_six_subtract(rest + i * (ld + 1), ld, factors, 6, beside + i, ld, m - i);
    else
      hfi_sub_atb(rest + i * (ld + 1), ld, factors, 6, beside + i, ld, 6, count, m - i);

    hfi_copy_block(beside + i, ld, factors, 6, 6, count);
  }
}

// Factors the panels of six rows one after the other. The rows that are left after the last panel are factored as a
// matrix of their own. Returns 0, or k + 1 if pivot k is bad.
static int factor_by_panels(double* A, int n, int m, int ld, int positive) {
  int k = 0;
  for (; n - k >= 6; k += 6) {
    double* U = A + k * (ld + 1);
    int failed = factor_six(U, m - k, ld, positive);
    if (failed) return k + failed;
    subtract_panel(U, n - k - 6, m - k - 6, ld);
  }

  int failed = k < n ? hfi_ldlt_beside(A + k * (ld + 1), n - k, m - k, ld, positive) : 0;
  return failed ? k + failed : 0;
}

// ---- the choice ----------------------------------------------------------------------------------------

// Factors A of a usual size in the fastest way. n is a constant.
HFI_FORCE_INLINE int factor_usual(double* A, int m, int ld, int positive, int n) {
  return n == 6 ? factor_six(A, m, ld, positive) : factor_few(A, n, m, ld, positive);
}

// Factors A of any other size. If its first and last unknowns are coupled, as in a tree with one root, most others are.
static int factor_any(double* A, int m, int ld, int positive, int n) {
  int is_coupled = n >= PANELS_FROM && A[n - 1] != 0;
  return is_coupled ? factor_by_panels(A, n, m, ld, positive) : factor_by_pivots(A, n, m, ld, positive);
}

// Factors A and the columns beside it. Returns 0, or k + 1 if pivot k is bad.
int hfi_ldlt_beside(double* A, int n, int m, int ld, int positive) {
  return HFI_BY_SIZE_OR(n, factor_usual, factor_any, A, m, ld, positive);
}

// ---- solution -----------------------------------------------------------------------------------------
//
//   b_j -= u_kj b_k for j > k,   k ascending           gives z = U^-T b
//   x_k = z_k/d_k - sum_(j > k) u_kj x_j,  k descending
//
// For few rows callers pass constants for n and k, so that the compiler writes out all loops.

// Subtracts b_k times row k of U from the elements of b after k.
HFI_FORCE_INLINE void step_forward(const double* U, int n, int ld, int k, double* b) {
  if (k + 1 < n) hfi_axpy(b + k + 1, -b[k], U + k * (ld + 1) + 1, n - k - 1);
}

// Computes x_k, in the place of z_k.
HFI_FORCE_INLINE void step_backward(const double* U, int n, int ld, int k, double* z) {
  const double* u = U + k * ld;
  if (k < n) z[k] = z[k] * u[k] - hfi_dot(u + k + 1, z + k + 1, n - k - 1);
}

// z = U^-T b, for few rows
HFI_FORCE_INLINE void solve_forward(const double* U, int ld, double* b, int n) {
  step_forward(U, n, ld, 0, b);
  step_forward(U, n, ld, 1, b);
  step_forward(U, n, ld, 2, b);
  step_forward(U, n, ld, 3, b);
  step_forward(U, n, ld, 4, b);
  step_forward(U, n, ld, 5, b);
}

// D U x = z, for few rows
HFI_FORCE_INLINE void solve_backward(const double* U, int ld, double* z, int n) {
  step_backward(U, n, ld, 6, z);
  step_backward(U, n, ld, 5, z);
  step_backward(U, n, ld, 4, z);
  step_backward(U, n, ld, 3, z);
  step_backward(U, n, ld, 2, z);
  step_backward(U, n, ld, 1, z);
  step_backward(U, n, ld, 0, z);
}

// z = U^-T b for any n: six rows at a time, then those that are left. Every element adds its products in the same
// order.
HFI_NOINLINE static void solve_forward_by_panels(const double* U, int ld, double* b, int n) {
  for (; n > 6; n -= 6, U += 6 * (ld + 1), b += 6) {
    solve_forward(U, ld, b, 6);
    hfi_add_rows(b + 6, -1.0, b, 1, U + 6, ld, 6, n - 6);
  }
  for (int k = 0; k < n; ++k) step_forward(U, n, ld, k, b);
}

// D U x = z for any n.
static void solve_backward_by_rows(const double* U, int ld, double* z, int n) {
  for (int k = n - 1; k >= 0; --k) step_backward(U, n, ld, k, z);
}

// Solves U^T z = b in place.
void hfi_ldlt_forward(const double* U, int n, int ld, double* b) {
  HFI_BY_SIZE_OR(n, solve_forward, solve_forward_by_panels, U, ld, b);
}

// Solves D U x = z in place.
void hfi_ldlt_backward(const double* U, int n, int ld, double* z) {
  HFI_BY_SIZE_OR(n, solve_backward, solve_backward_by_rows, U, ld, z);
}
