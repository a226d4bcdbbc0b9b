// Factorisation and solution of block-sparse matrices, symmetric or not. For each position k in
// turn (i and j are later positions coupled to k):
//
//   factor_rows    K_kk = L U,   Y_j = L^-1 K_kj
//   factor_lower   Z_i = U^-T K_ik^T
//   update_node    K_ij -= Z_i^T Y_j, where Z_i and Y_j are not zero
//
// Solving K x = b:
//
//   forward        z_k = L^-1 b_k,   b_i -= Z_i^T z_k          k ascending
//   backward       x_k = U^-1 (z_k - sum_j Y_j x_j)            k descending
//
// Pivoting stays inside the diagonal blocks (P K_kk = L U, and L^-1 P takes the place of L^-1), so
// that the pattern that block_order.c found remains true. A symmetric K_kk = U^T D U has L = U^T, D
// U in the place of U, and Z = D^-1 Y.
#include "base/compile.h"
#include "linalg/block_sparse.h"
#include "linalg/dense.h"
#include "base/lanes.h"

#include <string.h>

// In the functions below six = 1, a constant, says that all nodes have six unknowns, as free bodies have.

// Computes L, U and Y in the rows of position k.
static int factor_rows(hfiBlockMatrix* B, int32_t k) {
  double* rows = hfi_block_rows(B, k);
  int n = B->size[k], ld = hfi_block_stride(B, k);
  return B->symmetric ? hfi_ldlt_beside(rows, n, ld, ld, 1)
                      : hfi_lu_beside(rows, n, ld, ld, B->pivot + B->first[k]);
}

// Computes Z of position k.
HFI_COPIED void factor_lower(hfiBlockMatrix* B, int32_t k, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k], ld = n + w;
  double *rows = hfi_block_rows(B, k), *Z = rows + n * ld;
  if (!B->symmetric) {
    hfi_lu_divide(rows, n, ld, Z, w, w);
    return;
  }
  for (int i = 0; i < n; ++i) hfi_scale(Z + i * w, rows[i * (ld + 1)], rows + i * ld + n, w);
}

// Is a block zero? The bits of a row are looked at together, without the sign.
HFI_COPIED int is_zero(const double* X, int ld, int rows, int n) {
  for (int i = 0; i < rows; ++i, X += ld) {
    uint64_t bits = 0, word;
    for (int j = 0; j < n; ++j) {
      memcpy(&word, X + j, sizeof word);
      bits |= word;
    }
    if (bits << 1) return 0;
  }
  return 1;
}

HFI_COPIED int is_zero_block(const double* X, int ld, int rows, int n) {
  return rows == 6 && n == 6 ? is_zero(X, ld, 6, 6) : is_zero(X, ld, rows, n);
}

// Marks the blocks beside position k that are not zero in B->coupled. Contacts that do not act leave blocks of zeros, and so do those of
// their couplings that elimination does not fill. All others mostly show it in their first row.
HFI_COPIED void find_coupled(hfiBlockMatrix* B, int32_t k, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k], symmetric = B->symmetric;
  const double *Y = hfi_block_rows(B, k) + n, *Z = Y - n + n * (n + w);
  int32_t *coupled = B->coupled, *offset = B->offset + B->start[k], count = B->start[k + 1] - B->start[k];
  for (int32_t e = 0; e < count; ++e) {
    int at = offset[e], m = six ? 6 : B->size[B->later[B->start[k] + e]];
    coupled[e] = !is_zero_block(Y + at, n + w, n, m) || (!symmetric && !is_zero_block(Z + at, w, n, m));
  }
}

// C -= A^T B, A (n x m)
HFI_COPIED void subtract(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int six, int n, int m, int columns) {
  if (six)
    hfi_six_subtract(C, ldc, A, lda, B, ldb, columns);
  else
    hfi_sub_atb(C, ldc, A, lda, B, ldb, n, m, columns);
}

// Subtracts Z_i^T Y_j from the rows and the lower part of position i = later[e], for all j of
// position k that are coupled to it, i among them. Nodes that are side by side in both panels go into one product.
HFI_COPIED void update_node(hfiBlockMatrix* B, int32_t k, int32_t e, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k], ld = n + w;
  const double *Y = hfi_block_rows(B, k) + n, *Z = Y - n + n * ld;
  int32_t a = B->later[e], m = six ? 6 : B->size[a], wa = B->width[a], lda = m + wa, column = B->offset[e];
  double *rows = hfi_block_rows(B, a), *lower = rows + m * lda;
  const int32_t start = B->start[k], end = B->start[k + 1], *coupled = B->coupled, *later = B->later;
  int32_t f = e + 1, g = B->start[a], to = -m, from = column, columns = m; // K_ii lies before the columns of later nodes.
  for (;;) {
    for (; f < end && coupled[f - start] && later[g] == later[f]; ++f, ++g) columns += six ? 6 : B->size[later[f]];
    subtract(rows + m + to, lda, Z + column, w, Y + from, ld, six, n, m, columns);
    if (to < 0) to += m, from += m, columns -= m; // The lower part has no K_ii.
    if (!B->symmetric && columns > 0) subtract(lower + to, wa, Y + column, ld, Z + from, w, six, n, m, columns);
    while (f < end && !coupled[f - start]) ++f;
    if (f == end) return;
    while (later[g] != later[f]) ++g;
    to = B->offset[g], from = B->offset[f], columns = 0;
  }
}

HFI_COPIED int factor_nodes(hfiBlockMatrix* B, int six) {
  for (int32_t k = 0; k < B->nodes; ++k) {
    if (factor_rows(B, k)) return k + 1;
    if (B->width[k] == 0) continue;
    factor_lower(B, k, six);
    find_coupled(B, k, six);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      if (B->coupled[e - B->start[k]]) update_node(B, k, e, six);
  }
  return 0;
}

int hfi_block_factor(hfiBlockMatrix* B, int symmetric) {
  B->symmetric = symmetric;
  if (B->nodes == 1 && B->star && hfi_star_factor(B->star, B->value, B->size[0], symmetric) == 0) return 0;
  if (B->nodes == 1) return factor_rows(B, 0) != 0;
  return B->all_six ? factor_nodes(B, 1) : factor_nodes(B, 0);
}

// Do the later nodes that position k is coupled to follow each other, so that their unknowns do?
static int is_adjacent(const hfiBlockMatrix* B, int32_t k) {
  int32_t first = B->start[k], last = B->start[k + 1] - 1;
  return B->later[last] - B->later[first] == last - first;
}

// b_i -= Z_i^T z_k for free bodies i. A product is summed before it is subtracted, as below.
static inline void subtract_from_bodies(const hfiBlockMatrix* B, int32_t k, const double* restrict Z, const double* restrict z, double* b) {
  int w = B->width[k];
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e, Z += 6) {
    double* y = b + B->first[B->later[e]];
    hfiFour s = {0, 0, 0, 0};
    hfiTwo t = {0, 0};
    for (int i = 0; i < 6; ++i) s += -z[i] * *(const hfiFour*)(Z + i * w), t += -z[i] * *(const hfiTwo*)(Z + i * w + 4);
    *(hfiFour*)y += s, *(hfiTwo*)(y + 4) += t;
  }
}

HFI_COPIED void solve_forward(const hfiBlockMatrix* B, int32_t k, double* b, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k];
  const double *rows = hfi_block_rows(B, k), *Z = rows + n * (n + w);
  double *z = b + B->first[k], *x = B->work;
  if (B->symmetric)
    hfi_ldlt_forward(rows, n, n + w, z);
  else
    hfi_lu_forward(rows, n, n + w, B->pivot + B->first[k], z);
  if (w == 0) return;
  if (is_adjacent(B, k)) {
    hfi_add_rows(b + B->first[B->later[B->start[k]]], -1.0, z, 1, Z, w, n, w);
    return;
  }
  if (six) {
    subtract_from_bodies(B, k, Z, z, b);
    return;
  }
  memset(x, 0, sizeof(double) * (size_t)w);
  hfi_add_rows(x, -1.0, z, 1, Z, w, n, w);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    hfi_axpy(b + B->first[B->later[e]], 1.0, x + B->offset[e], B->size[B->later[e]]);
}

// Returns the unknowns of the later nodes of position k side by side, as the columns of its rows
// are.
HFI_COPIED const double* gather_later(const hfiBlockMatrix* B, int32_t k, const double* b, int six) {
  if (is_adjacent(B, k)) return b + B->first[B->later[B->start[k]]];
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    const double* x = b + B->first[B->later[e]];
    if (six || B->size[B->later[e]] == 6) // a constant, so that the compiler writes out the copy
      memcpy(B->work + B->offset[e], x, 6 * sizeof(double));
    else
      memcpy(B->work + B->offset[e], x, sizeof(double) * (size_t)B->size[B->later[e]]);
  }
  return B->work;
}

HFI_COPIED void solve_backward(const hfiBlockMatrix* B, int32_t k, double* b, int six) {
  const double* rows = hfi_block_rows(B, k);
  int n = six ? 6 : B->size[k], w = B->width[k];
  double* z = b + B->first[k];
  if (w > 0) {
    const double* x = gather_later(B, k, b, six);
    if (n == 6 && w >= 4)
      hfi_six_subtract_dots(z, rows + 6, 6 + w, x, w);
    else
      for (int i = 0; i < n; ++i) z[i] -= hfi_dot(rows + i * (n + w) + n, x, w);
  }
  if (B->symmetric)
    hfi_ldlt_backward(rows, n, n + w, z);
  else
    hfi_lu_backward(rows, n, n + w, z);
}

HFI_COPIED void solve_nodes(const hfiBlockMatrix* B, double* b, int six) {
  for (int32_t k = 0; k < B->nodes; ++k) solve_forward(B, k, b, six);
  for (int32_t k = B->nodes - 1; k >= 0; --k) solve_backward(B, k, b, six);
}

void hfi_block_solve(const hfiBlockMatrix* B, double* b) {
  int n = B->size[0];
  if (B->nodes != 1 && B->all_six)
    solve_nodes(B, b, 1);
  else if (B->nodes != 1)
    solve_nodes(B, b, 0);
  else if (B->star && B->star->factored)
    hfi_star_solve(B->star, b);
  else if (B->symmetric)
    hfi_ldlt_solve(B->value, n, n, b);
  else
    hfi_lu_solve(B->value, n, n, B->pivot, b);
}
