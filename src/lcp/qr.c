// Column-pivoted Householder QR (Businger and Golub 1965).
//
//   A P = Q R,  Q = H_1 ... H_k,  H_j = I - 2 u u^T / (u^T u),  |R_11| >= |R_22| >= ...
//
// At step j the column with the largest remaining norm comes to the front. The norms are recomputed,
// not downdated: at these sizes that costs as much as the elimination and cannot cancel.
//
//   u   Householder vector, stored in place of the eliminated column (row j downward)
//   R_diag   diagonal of R, whose place u takes
#include "lcp/qr.h"

#include <math.h>

static int32_t min_int(int32_t a, int32_t b) { return a < b ? a : b; }

hfiQr hfi_qr_take(hfiArena* arena, int32_t m, int32_t n) {
  hfiQr qr = {m, n, 0, NULL, NULL, NULL};
  qr.A = HFI_TAKE(arena, double, (size_t)m * (size_t)n);
  qr.R_diag = HFI_TAKE(arena, double, min_int(m, n));
  qr.perm = HFI_TAKE(arena, int32_t, n);
  return qr;
}

// Norm of column c from row `top` down, safe against overflow by scaling with the largest entry.
static double column_norm(const hfiQr* qr, int32_t c, int32_t top) {
  double largest = 0, sum = 0;
  for (int32_t i = top; i < qr->m; ++i) largest = fmax(largest, fabs(qr->A[i * qr->n + c]));
  if (largest == 0) return 0;
  for (int32_t i = top; i < qr->m; ++i) {
    double x = qr->A[i * qr->n + c] / largest;
    sum += x * x;
  }
  return largest * sqrt(sum);
}

static void swap_columns(hfiQr* qr, int32_t a, int32_t b) {
  if (a == b) return;
  int32_t p = qr->perm[a];
  qr->perm[a] = qr->perm[b];
  qr->perm[b] = p;
  for (int32_t i = 0; i < qr->m; ++i) {
    double t = qr->A[i * qr->n + a];
    qr->A[i * qr->n + a] = qr->A[i * qr->n + b];
    qr->A[i * qr->n + b] = t;
  }
}

// y <- H y for y with row stride `stride`: y -= u (u^T y) / (norm |u_j|), as u^T u = 2 norm |u_j|.
static void reflect(const hfiQr* qr, int32_t j, double* y, int32_t stride) {
  double norm_u = fabs(qr->R_diag[j] * qr->A[j * qr->n + j]), dot = 0;
  for (int32_t i = j; i < qr->m; ++i) dot += qr->A[i * qr->n + j] * y[i * stride];
  double f = dot / norm_u;
  for (int32_t i = j; i < qr->m; ++i) y[i * stride] -= f * qr->A[i * qr->n + j];
}

void hfi_qr_factor(hfiQr* qr, double tolerance) {
  int32_t k = min_int(qr->m, qr->n);
  for (int32_t c = 0; c < qr->n; ++c) qr->perm[c] = c;
  for (int32_t j = 0; j < k; ++j) qr->R_diag[j] = 0;
  qr->rank = 0;
  for (int32_t j = 0; j < k; ++j) {
    int32_t best = j;
    double norm = -1;
    for (int32_t c = j; c < qr->n; ++c) {
      double candidate = column_norm(qr, c, j);
      if (candidate > norm) norm = candidate, best = c;
    }
    swap_columns(qr, j, best);
    if (norm == 0) return;
    double* head = &qr->A[j * qr->n + j];
    qr->R_diag[j] = *head > 0 ? -norm : norm; // the sign that adds in u_j = head - R_jj
    *head -= qr->R_diag[j];
    for (int32_t c = j + 1; c < qr->n; ++c) reflect(qr, j, qr->A + c, qr->n);
    if (norm > tolerance * fabs(qr->R_diag[0])) qr->rank = j + 1;
  }
}

void hfi_qr_solve(const hfiQr* qr, double* b, double* x) {
  for (int32_t j = 0; j < qr->rank; ++j) reflect(qr, j, b, 1);
  for (int32_t j = 0; j < qr->n; ++j) x[j] = 0;
  for (int32_t j = qr->rank - 1; j >= 0; --j) {
    double sum = b[j];
    for (int32_t c = j + 1; c < qr->rank; ++c) sum -= qr->A[j * qr->n + c] * x[qr->perm[c]];
    x[qr->perm[j]] = sum / qr->R_diag[j];
  }
}

double hfi_qr_determinant(const hfiQr* qr) {
  if (qr->rank < qr->n) return 0;
  double det = 1; // each reflection has determinant -1, and so has each transposition of columns
  for (int32_t j = 0; j < qr->n; ++j) det *= -qr->R_diag[j];
  for (int32_t j = 0; j < qr->n; ++j)
    for (int32_t c = j + 1; c < qr->n; ++c)
      if (qr->perm[c] < qr->perm[j]) det = -det;
  return det;
}

double hfi_qr_margin(const hfiQr* qr) {
  int32_t k = min_int(qr->m, qr->n);
  if (k == 0) return 1;
  return qr->R_diag[0] == 0 ? 0 : fabs(qr->R_diag[k - 1] / qr->R_diag[0]);
}
