// LU factorisation with partial pivoting, right-looking by rows.
//
//   |a_pk| = max_(i >= k) |a_ik|, exchange rows k and p
//   l_ik = a_ik/u_kk,  a_ij -= l_ik u_kj   (i, j > k, j also over the columns beside A)
//
// Golub and Van Loan, Matrix Computations, section 3.4.
#include "linalg/dense.h"

#include "base/compile.h"

#include <math.h>

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

static inline void swap_rows(double* restrict a, double* restrict b, int n) {
  for (int j = 0; j < n; ++j) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

// Eliminates unknown k from the rows below, m wide. Returns 0 where its pivot is bad.
HFI_COPIED int take_pivot(double* A, int n, int m, int ld, int k, int32_t* pivot) {
  int p = find_pivot(A, n, ld, k);
  pivot[k] = p;
  double* u = A + k * ld;
  if (p != k) swap_rows(u, A + p * ld, m);
  if (!(fabs(u[k]) > 0 && fabs(u[k]) <= 1e308)) return 0;
  u[k] = 1 / u[k];
  for (int i = k + 1; i < n; ++i) {
    double* a = A + i * ld;
    if (a[k] == 0) continue; // Nodes have parts that are not coupled.
    a[k] *= u[k];
    hfi_axpy(a + k + 1, -a[k], u + k + 1, m - k - 1);
  }
  return 1;
}

// Six rows with constants for k, so that the compiler writes them out. The columns beside A follow when A is factored.
static int factor_six(double* A, int m, int ld, int32_t* pivot) {
  if (!take_pivot(A, 6, 6, ld, 0, pivot)) return 1;
  if (!take_pivot(A, 6, 6, ld, 1, pivot)) return 2;
  if (!take_pivot(A, 6, 6, ld, 2, pivot)) return 3;
  if (!take_pivot(A, 6, 6, ld, 3, pivot)) return 4;
  if (!take_pivot(A, 6, 6, ld, 4, pivot)) return 5;
  if (!take_pivot(A, 6, 6, ld, 5, pivot)) return 6;
  if (m == 6) return 0;
  for (int k = 0; k < 6; ++k)
    if (pivot[k] != k) swap_rows(A + k * ld + 6, A + pivot[k] * ld + 6, m - 6);
  hfi_six_forward(A, ld, A + 6, ld, m - 6);
  return 0;
}

int hfi_lu_beside(double* A, int n, int m, int ld, int32_t* pivot) {
  if (n == 6) return factor_six(A, m, ld, pivot);
  for (int k = 0; k < n; ++k)
    if (!take_pivot(A, n, m, ld, k, pivot)) return k + 1;
  return 0;
}

static void exchange(double* a, double* b) {
  double t = *a;
  *a = *b;
  *b = t;
}

// The two halves of a solution. Six rows are solved with a constant for n, so that the compiler writes them out.
HFI_COPIED void go_forward(const double* LU, int n, int ld, double* b) {
  for (int k = 1; k < n; ++k) b[k] -= hfi_dot(LU + k * ld, b, k);
}
HFI_COPIED void go_backward(const double* LU, int n, int ld, double* z) {
  for (int k = n - 1; k >= 0; --k) {
    const double* u = LU + k * ld;
    z[k] = (z[k] - hfi_dot(u + k + 1, z + k + 1, n - k - 1)) * u[k];
  }
}

void hfi_lu_forward(const double* LU, int n, int ld, const int32_t* pivot, double* b) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) exchange(b + k, b + pivot[k]);
  if (n == 6)
    go_forward(LU, 6, ld, b);
  else
    go_forward(LU, n, ld, b);
}

void hfi_lu_backward(const double* LU, int n, int ld, double* z) {
  if (n == 6)
    go_backward(LU, 6, ld, z);
  else
    go_backward(LU, n, ld, z);
}

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
