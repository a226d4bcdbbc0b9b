// LU factorisation with partial pivoting, right-looking by rows.
//
//   |a_pk| = max_(i >= k) |a_ik|, exchange rows k and p
//   l_ik = a_ik/u_kk,  a_ij -= l_ik u_kj   (i, j > k, j also over the columns beside A)
//
// In the code n is the number of rows of A, m of the columns of A and of the matrix beside it; pivot[k] is p. 1/u_kk
// stands in the place of u_kk.
//
// Golub and Van Loan, Matrix Computations, section 3.4. Large matrices are factored six columns at a time: the six
// columns are factored, then their products are subtracted from the columns after them. Each element adds the same
// products in the same order as without that.
#include "linalg/dense.h"

#include "base/compile.h"

#include <math.h>

enum { PANELS_FROM = 7 }; // Matrices with fewer rows than this are factored column by column.

// Returns the row p >= k with the largest |a_pk|.
static inline int find_pivot(const double* A, int n, int ld, int k) {
  int p = k;
  double largest = fabs(A[k * ld + k]);
  for (int i = k + 1; i < n; ++i) {
    double a = fabs(A[i * ld + k]);
    if (a > largest) {
      largest = a;
      p = i;
    }
  }
  return p;
}

// Exchanges two rows of n numbers.
static inline void swap_rows(double* restrict a, double* restrict b, int n) {
  for (int j = 0; j < n; ++j) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

// Step k of the formula: exchanges whole rows of m columns, then subtracts row k from the rows below it in the `width`
// columns after column k. Returns 0 if the pivot is bad.
HFI_FORCE_INLINE int eliminate_column(double* A, int n, int m, int ld, int k, int width, int32_t* pivot) {
  double* u = A + k * ld;
  int p = find_pivot(A, n, ld, k);
  pivot[k] = p;
  if (p != k) swap_rows(u, A + p * ld, m);

  if (!(fabs(u[k]) > 0 && fabs(u[k]) <= HFI_LARGEST_PIVOT)) return 0;
  u[k] = 1 / u[k];

  for (int i = k + 1; i < n; ++i) {
    double* a = A + i * ld;
    if (a[k] == 0) continue; // frequent, because trees have branches that are not coupled
    a[k] *= u[k];
    hfi_axpy(a + k + 1, -a[k], u + k + 1, width);
  }
  return 1;
}

// Factors six columns of A, from column k on, without the columns after them. Returns 0, or 1 more than the column of a
// bad pivot. The widths are constants, so that the compiler writes out the loops over
// columns.
HFI_FORCE_INLINE int factor_six_columns(double* A, int n, int m, int ld, int k, int32_t* pivot) {
  if (!eliminate_column(A, n, m, ld, k, 5, pivot)) return k + 1;
  if (!eliminate_column(A, n, m, ld, k + 1, 4, pivot)) return k + 2;
  if (!eliminate_column(A, n, m, ld, k + 2, 3, pivot)) return k + 3;
  if (!eliminate_column(A, n, m, ld, k + 3, 2, pivot)) return k + 4;
  if (!eliminate_column(A, n, m, ld, k + 4, 1, pivot)) return k + 5;
  return eliminate_column(A, n, m, ld, k + 5, 0, pivot) ? 0 : k + 6;
}

// Factors A of six rows, then computes L^-1 P B of the columns beside it. Returns 0, or k + 1 if pivot k is bad.
static int factor_six(double* A, int m, int ld, int32_t* pivot) {
  int failed = factor_six_columns(A, 6, 6, ld, 0, pivot);
  if (failed || m == 6) return failed;

  for (int k = 0; k < 6; ++k)
    if (pivot[k] != k) swap_rows(A + k * ld + 6, A + pivot[k] * ld + 6, m - 6);
  hfi_six_forward(A, ld, A + 6, ld, m - 6);
  return 0;
}

// After six columns were factored, computes the six rows of U in the m columns after them, and subtracts their products
// with L from the n rows below. L points to the diagonal block of the six columns.
static void subtract_panel(double* L, int n, int m, int ld) {
  double* U = L + 6;
  double transposed[36]; // of six rows of L
  hfi_six_forward(L, ld, U, ld, m);

  // six rows below at a time
  for (L += 6 * ld; n >= 6; n -= 6, L += 6 * ld) {
    for (int k = 0; k < 6; ++k)
      for (int i = 0; i < 6; ++i) transposed[6 * k + i] = L[i * ld + k];
    hfi_six_subtract(L + 6, ld, transposed, 6, U, ld, m);
  }

  for (; n > 0; --n, L += ld) hfi_add_rows(L + 6, -1.0, L, 1, U, ld, 6, m);
}

// Factors A and the columns beside it. Returns 0, or k + 1 if pivot k is bad.
int hfi_lu_beside(double* A, int n, int m, int ld, int32_t* pivot) {
  int k = 0;
  if (n == 6) return factor_six(A, m, ld, pivot);

  // six columns at a time
  for (; n - k >= 6 && n >= PANELS_FROM; k += 6) {
    int failed = factor_six_columns(A, n, m, ld, k, pivot);
    if (failed) return failed;
    subtract_panel(A + k * (ld + 1), n - k - 6, m - k - 6, ld);
  }

  // the columns that are left
  for (; k < n; ++k)
    if (!eliminate_column(A, n, m, ld, k, m - k - 1, pivot)) return k + 1;
  return 0;
}

static void swap(double* a, double* b) {
  double t = *a;
  *a = *b;
  *b = t;
}

// z = L^-1 b in place. For six rows the caller passes a constant for n, so that the compiler writes out the loops.
HFI_FORCE_INLINE void solve_forward(const double* LU, int n, int ld, double* b) {
  for (int k = 1; k < n; ++k) b[k] -= hfi_dot(LU + k * ld, b, k);
}

// x = U^-1 z in place, likewise.
HFI_FORCE_INLINE void solve_backward(const double* LU, int n, int ld, double* z) {
  for (int k = n - 1; k >= 0; --k) {
    const double* u = LU + k * ld;
    z[k] = (z[k] - hfi_dot(u + k + 1, z + k + 1, n - k - 1)) * u[k];
  }
}

// Solves L z = P b in place.
void hfi_lu_forward(const double* LU, int n, int ld, const int32_t* pivot, double* b) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) swap(b + k, b + pivot[k]);

  if (n == 6)
    solve_forward(LU, 6, ld, b);
  else
    solve_forward(LU, n, ld, b);
}

// Solves U x = z in place.
void hfi_lu_backward(const double* LU, int n, int ld, double* z) {
  if (n == 6)
    solve_backward(LU, 6, ld, z);
  else
    solve_backward(LU, n, ld, z);
}

// B (n x m) <- U^-T B, row by row: b_k = (b_k - sum_(i < k) u_ik b_i)/u_kk
void hfi_lu_divide(const double* LU, int n, int ld, double* B, int m, int ldb) {
  if (n == 6) {
    hfi_six_divide(LU, ld, B, ldb, m);
    return;
  }

  for (int k = 0; k < n; ++k) {
    double* z = B + k * ldb;
    hfi_add_rows(z, -1.0, LU + k, ld, B, ldb, k, m);
    hfi_scale(z, LU[k * (ld + 1)], z, m);
  }
}
