// Column-pivoted Householder QR (Businger and Golub 1965).
//
//   A P = Q R,  Q = H_1 ... H_k,  H_j = I - 2 u u^T / (u^T u),  |R_11| >= |R_22| >= ...
//
// At step j the column with the largest remaining norm comes to the front. The norms are
// recomputed, not downdated: at these sizes that costs as much as the elimination and cannot
// cancel.
//
//   u   Householder vector, stored in place of the eliminated column (row j downward)
//   R_diag   diagonal of R, whose place u takes
#include "methods/lcp/qr.h"
#include "linalg/dense.h"

#include <math.h>

static int32_t min_int(int32_t a, int32_t b) { return a < b ? a : b; }

// Takes storage for matrices of up to m x n.
hfiQr hfi_qr_take(hfiArena* arena, int32_t m, int32_t n) {
  hfiQr qr = {.m = m, .n = n};
  qr.A = HFI_TAKE(arena, double, (size_t)m * (size_t)n);
  qr.R_diag = HFI_TAKE(arena, double, min_int(m, n));
  qr.perm = HFI_TAKE(arena, int32_t, n);
  qr.row = HFI_TAKE(arena, double, n);
  return qr;
}

static double* row_of(const hfiQr* qr, int32_t i) { return qr->A + (size_t)i * (size_t)qr->n; }

// Returns the column c >= j whose entries in the rows from j on have the largest norm. Entries are divided by
// `scale`, the largest of them, so that their squares do not overflow.
static int32_t find_pivot_column(const hfiQr* qr, int32_t j, double scale) {
  double* sum = qr->row;
  for (int32_t c = j; c < qr->n; ++c) sum[c] = 0;
  for (int32_t i = j; i < qr->m; ++i) {
    const double* a = row_of(qr, i);
    for (int32_t c = j; c < qr->n; ++c) sum[c] += (a[c] / scale) * (a[c] / scale);
  }

  int32_t best = j;
  for (int32_t c = j + 1; c < qr->n; ++c)
    if (sum[c] > sum[best]) best = c;
  return best;
}

// Returns the largest entry, in absolute value, of the rows and columns from j on.
static double largest_entry(const hfiQr* qr, int32_t j) {
  double largest = 0;
  for (int32_t i = j; i < qr->m; ++i)
    for (int32_t c = j; c < qr->n; ++c)
      if (fabs(row_of(qr, i)[c]) > largest) largest = fabs(row_of(qr, i)[c]);
  return largest;
}

// Swaps two columns of A and their labels.
static void swap_columns(hfiQr* qr, int32_t a, int32_t b) {
  int32_t p = qr->perm[a];
  qr->perm[a] = qr->perm[b];

  qr->perm[b] = p;
  for (int32_t i = 0; i < qr->m; ++i) {
    double* row = row_of(qr, i);
    double t = row[a];
    row[a] = row[b];
    row[b] = t;
  }
}

// u^T u / 2 = |R_jj u_j|, u stored in column j from row j down.
static double half_square(const hfiQr* qr, int32_t j) { return fabs(qr->R_diag[j] * row_of(qr, j)[j]); }

// Reflects the columns right of j: A <- A - u (u^T A) / (u^T u / 2), along rows.
static void reflect_columns(hfiQr* qr, int32_t j) {
  int32_t first = j + 1;
  int32_t count = qr->n - first;
  double* dot = qr->row + first;
  double f = -1 / half_square(qr, j);

  for (int32_t c = 0; c < count; ++c) dot[c] = 0;
  for (int32_t i = j; i < qr->m; ++i) hfi_axpy(dot, row_of(qr, i)[j], row_of(qr, i) + first, count);
  for (int32_t i = j; i < qr->m; ++i) hfi_axpy(row_of(qr, i) + first, f * row_of(qr, i)[j], dot, count);
}

// Reflects y: y <- y - u (u^T y) / (u^T u / 2).
static void reflect_vector(const hfiQr* qr, int32_t j, double* y) {
  double dot = 0;
  for (int32_t i = j; i < qr->m; ++i) dot += row_of(qr, i)[j] * y[i];
  double f = dot / half_square(qr, j);
  for (int32_t i = j; i < qr->m; ++i) y[i] -= f * row_of(qr, i)[j];
}

// Factors qr->A in place, and writes perm, R_diag and the rank: columns whose remaining norm is at most tolerance times
// |R_11| end it.
void hfi_qr_factor(hfiQr* qr, double tolerance) {
  int32_t k = min_int(qr->m, qr->n);
  for (int32_t c = 0; c < qr->n; ++c) qr->perm[c] = c;
  for (int32_t j = 0; j < k; ++j) qr->R_diag[j] = 0;
  qr->rank = 0;

  for (int32_t j = 0; j < k; ++j) {
    // the column with the largest norm comes to the front
    double scale = largest_entry(qr, j);
    if (scale == 0) return;
    swap_columns(qr, j, find_pivot_column(qr, j, scale));

    // the norm of the column, divided by the scale so that its squares do not overflow
    double sum = 0;
    for (int32_t i = j; i < qr->m; ++i) sum += (row_of(qr, i)[j] / scale) * (row_of(qr, i)[j] / scale);
    double norm = scale * sqrt(sum);

    // the sign that adds in u_j = a_jj - R_jj
    double* head = row_of(qr, j) + j;
    qr->R_diag[j] = *head > 0 ? -norm : norm;
    *head -= qr->R_diag[j];
    reflect_columns(qr, j);

    if (norm > tolerance * fabs(qr->R_diag[0])) qr->rank = j + 1;
  }
}

// x (n) = the basic least-squares solution of A x = b: zero at columns beyond the rank. Overwrites b.
void hfi_qr_solve(const hfiQr* qr, double* b, double* x) {
  // b <- Q^T b
  for (int32_t j = 0; j < qr->rank; ++j) reflect_vector(qr, j, b);

  // back substitution
  for (int32_t j = 0; j < qr->n; ++j) x[j] = 0;
  for (int32_t j = qr->rank - 1; j >= 0; --j) {
    double sum = b[j];
    for (int32_t c = j + 1; c < qr->rank; ++c) sum -= row_of(qr, j)[c] * x[qr->perm[c]];
    x[qr->perm[j]] = sum / qr->R_diag[j];
  }
}

// Signed determinant of a square factored matrix, zero if its rank is not full.
double hfi_qr_determinant(const hfiQr* qr) {
  if (qr->rank < qr->n) return 0;

  // each reflection has determinant -1, and so has each transposition of columns
  double det = 1;
  for (int32_t j = 0; j < qr->n; ++j) det *= -qr->R_diag[j];
  for (int32_t j = 0; j < qr->n; ++j)
    for (int32_t c = j + 1; c < qr->n; ++c)
      if (qr->perm[c] < qr->perm[j]) det = -det;
  return det;
}

// |R_kk|/|R_11| at k = min(m, n), which says how far the matrix is from losing rank [-].
double hfi_qr_margin(const hfiQr* qr) {
  int32_t k = min_int(qr->m, qr->n);
  if (k == 0) return 1;
  return qr->R_diag[0] == 0 ? 0 : fabs(qr->R_diag[k - 1] / qr->R_diag[0]);
}
