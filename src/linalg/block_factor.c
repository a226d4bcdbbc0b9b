// Factorisation and solution of block-sparse matrices, symmetric or not, right-looking by nodes.
//
//   W_kj = K_kk^-1 K_kj,   K_ij -= K_ik W_kj      for the i, j > k coupled to k
//   forward   z_k = K_kk^-1 b_k,  b_i -= K_ik z_k
//   backward  x_k = z_k - sum_j W_kj x_j
//
// Pivoting stays inside the diagonal blocks (LU with partial pivoting; LDL^T when symmetric), so
// the pattern found by block_order.c holds. With T = K_ik^T kept by rows both kinds share one code:
// the symmetric case has T = K_kj before the division by K_kk.
#include "linalg/block_sparse.h"
#include "linalg/dense.h"

#include <string.h>

static int factor_diagonal(hfiBlockMatrix* B, int32_t k) {
  double* D = hfi_block_diagonal(B, k);
  int n = B->size[k];
  return B->symmetric ? hfi_ldlt(D, n, n, 1) : hfi_lu(D, n, n, B->pivot + B->first[k]);
}

static void divide_panel(hfiBlockMatrix* B, int32_t k) {
  const double* D = hfi_block_diagonal(B, k);
  double* U = hfi_block_upper(B, k);
  int n = B->size[k], w = B->width[k];
  if (B->symmetric)
    hfi_ldlt_solve_many(D, n, n, U, w, w);
  else
    hfi_lu_solve_many(D, n, n, B->pivot + B->first[k], U, w, w);
}

// Row and column of node a = reach[e] lose what position k contributes.
static void update_node(hfiBlockMatrix* B, int32_t k, int32_t e) {
  const double *U = hfi_block_upper(B, k), *T = hfi_block_lower(B, k);
  int n = B->size[k], w = B->width[k];
  int32_t a = B->reach[e], column = B->offset[e], wa = B->width[a], m = B->size[a];
  hfi_sub_atb(hfi_block_diagonal(B, a), m, T + column, w, U + column, w, n, m, m);
  double *Ua = hfi_block_upper(B, a), *Ta = hfi_block_lower(B, a);
  int32_t g = B->start[a];
  for (int32_t f = e + 1; f < B->start[k + 1];) {
    while (B->reach[g] != B->reach[f]) ++g;
    int32_t to = B->offset[g], from = B->offset[f], columns = 0;
    do { // neighbours that are side by side in both panels go in one product
      columns += B->size[B->reach[f]];
      ++f, ++g;
    } while (f < B->start[k + 1] && B->reach[g] == B->reach[f]);
    hfi_sub_atb(Ua + to, wa, T + column, w, U + from, w, n, m, columns);
    if (!B->symmetric) hfi_sub_atb(Ta + to, wa, U + column, w, T + from, w, n, m, columns);
  }
}

int hfi_block_factor(hfiBlockMatrix* B, int symmetric) {
  B->symmetric = symmetric;
  for (int32_t k = 0; k < B->nodes; ++k) {
    if (factor_diagonal(B, k)) return k + 1;
    if (B->width[k] == 0) continue;
    if (symmetric)
      memcpy(hfi_block_lower(B, k), hfi_block_upper(B, k),
             sizeof(double) * (size_t)B->size[k] * (size_t)B->width[k]);
    divide_panel(B, k);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) update_node(B, k, e);
  }
  return 0;
}

static void solve_diagonal(const hfiBlockMatrix* B, int32_t k, double* b) {
  const double* D = hfi_block_diagonal(B, k);
  int n = B->size[k];
  if (B->symmetric)
    hfi_ldlt_solve(D, n, n, b);
  else
    hfi_lu_solve(D, n, n, B->pivot + B->first[k], b);
}

void hfi_block_solve(const hfiBlockMatrix* B, double* b) {
  double* x = B->work;
  for (int32_t k = 0; k < B->nodes; ++k) {
    double* bk = b + B->first[k];
    solve_diagonal(B, k, bk);
    int w = B->width[k];
    if (w == 0) continue;
    const double* T = hfi_block_lower(B, k);
    memset(x, 0, sizeof(double) * (size_t)w);
    for (int i = 0; i < B->size[k]; ++i) hfi_axpy(x, bk[i], T + i * w, w);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      hfi_axpy(b + B->first[B->reach[e]], -1.0, x + B->offset[e], B->size[B->reach[e]]);
  }
  for (int32_t k = B->nodes - 1; k >= 0; --k) {
    int w = B->width[k];
    if (w == 0) continue;
    const double* W = hfi_block_upper(B, k);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      memcpy(x + B->offset[e], b + B->first[B->reach[e]],
             sizeof(double) * (size_t)B->size[B->reach[e]]);
    for (int i = 0; i < B->size[k]; ++i) b[B->first[k] + i] -= hfi_dot(W + i * w, x, w);
  }
}
