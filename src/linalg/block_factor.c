// Factorisation and solution of block-sparse matrices (block_sparse.h), symmetric or not. For k = 0, 1, ..., with i and j for the later positions that k is
// coupled to:
//
//   factor_rows      K_kk = L U,   Y_j = L^-1 K_kj
//   factor_lower     Z_i = U^-T K_ik^T
//   update_node      K_ij -= Z_i^T Y_j   unless Z_i or Y_j is zero
//
// Solution of K x = b:
//
//   solve_forward    z_k = L^-1 b_k,   b_i -= Z_i^T z_k          k ascending
//   solve_backward   x_k = U^-1 (z_k - sum_j Y_j x_j)            k descending
//
// Rows are exchanged only inside of a diagonal block, P K_kk = L U, so that the pattern that block_order.c found stays true. Read L^-1 P for L^-1 then.
// If K is symmetric, K_kk = U^T D U with ones on the diagonal of U: read U^T for L, D U for U, and Z = D^-1 Y.
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler writes out the loops over them.
#include "base/compile.h"
#include "linalg/block_sparse.h"
#include "linalg/dense.h"
#include "base/lanes.h"

#include <string.h>

// Computes L, U and Y in the rows of position k. Returns 0, or a positive number if a pivot is bad.
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

// Are all numbers of a block 0 or -0? The bits of a row are combined, and the shift removes the sign.
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

// The same with constants for a block of two free bodies.
HFI_COPIED int is_zero_block(const double* X, int ld, int rows, int n) {
  return rows == 6 && n == 6 ? is_zero(X, ld, 6, 6) : is_zero(X, ld, rows, n);
}

// Sets B->coupled[e] to 1 for each entry e of position k whose blocks Y and Z are not both zero. Blocks of zeros are frequent: a contact that does not act
// couples its two nodes in the pattern only. This is a quick test, because the first row of other blocks mostly has a number that is not zero.
HFI_COPIED void find_coupled(hfiBlockMatrix* B, int32_t k, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k], symmetric = B->symmetric;
  const double *Y = hfi_block_rows(B, k) + n, *Z = Y - n + n * (n + w);
  int32_t *coupled = B->coupled, *offset = B->offset + B->start[k], count = B->start[k + 1] - B->start[k];
  for (int32_t e = 0; e < count; ++e) {
    int at = offset[e], m = six ? 6 : B->size[B->later[B->start[k] + e]];
    coupled[e] = !is_zero_block(Y + at, n + w, n, m) || (!symmetric && !is_zero_block(Z + at, w, n, m));
  }
}

// C -= A^T B for A (n x m) and B (n x columns)
HFI_COPIED void subtract(double* C, int ldc, const double* A, int lda, const double* B, int ldb, int six, int n, int m, int columns) {
  if (six)
    hfi_six_subtract(C, ldc, A, lda, B, ldb, columns);
  else
    hfi_sub_atb(C, ldc, A, lda, B, ldb, n, m, columns);
}

// Subtracts Z_i^T Y_j from the panel of position i = later[e], for j = i and for all later positions j of k with coupled blocks. Both panels list positions in
// ascending order, and all j of k are in the panel of i as well. Positions that are neighbours in both panels are multiplied together.
//
//   f, g           entries of k and of i that belong to the same position j
//   from, to       first columns of the present run of neighbours, in the panel of k and in that of i
//   columns        number of columns of this run
HFI_COPIED void update_node(hfiBlockMatrix* B, int32_t k, int32_t e, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k], ld = n + w;
  const double *Y = hfi_block_rows(B, k) + n, *Z = Y - n + n * ld;
  int32_t i = B->later[e], m = six ? 6 : B->size[i], wi = B->width[i], ldi = m + wi, column = B->offset[e];
  double *rows = hfi_block_rows(B, i), *lower = rows + m * ldi;
  const int32_t start = B->start[k], end = B->start[k + 1], *coupled = B->coupled, *later = B->later;
  int32_t f = e + 1, g = B->start[i], to = -m, from = column, columns = m; // The first run begins with j = i: K_ii lies before the columns of later positions.
  for (;;) {
    for (; f < end && coupled[f - start] && later[g] == later[f]; ++f, ++g) columns += six ? 6 : B->size[later[f]];
    subtract(rows + m + to, ldi, Z + column, w, Y + from, ld, six, n, m, columns);
    if (to < 0) to += m, from += m, columns -= m; // `lower` has no K_ii.
    if (!B->symmetric && columns > 0) subtract(lower + to, wi, Y + column, ld, Z + from, w, six, n, m, columns);
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

// Are the later positions of k consecutive, so that their unknowns are?
static int has_consecutive_later(const hfiBlockMatrix* B, int32_t k) {
  int32_t first = B->start[k], last = B->start[k + 1] - 1;
  return B->later[last] - B->later[first] == last - first;
}

// b_i -= Z_i^T z_k for all later positions i of k, if all nodes are free bodies. Each product is summed first and then subtracted, as subtract_from_later does.
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

// b_i -= Z_i^T z_k for all later positions i of k.
HFI_COPIED void subtract_from_later(const hfiBlockMatrix* B, int32_t k, const double* Z, const double* z, double* b, int n, int six) {
  int w = B->width[k];
  double* sums = B->work;
  if (has_consecutive_later(B, k)) {
    hfi_add_rows(b + B->first[B->later[B->start[k]]], -1.0, z, 1, Z, w, n, w);
    return;
  }
  if (six) {
    subtract_from_bodies(B, k, Z, z, b);
    return;
  }
  memset(sums, 0, sizeof(double) * (size_t)w);
  hfi_add_rows(sums, -1.0, z, 1, Z, w, n, w);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    hfi_axpy(b + B->first[B->later[e]], 1.0, sums + B->offset[e], B->size[B->later[e]]);
}

HFI_COPIED void solve_forward(const hfiBlockMatrix* B, int32_t k, double* b, int six) {
  int n = six ? 6 : B->size[k], w = B->width[k];
  const double *rows = hfi_block_rows(B, k), *Z = rows + n * (n + w);
  double* z = b + B->first[k];
  if (B->symmetric)
    hfi_ldlt_forward(rows, n, n + w, z);
  else
    hfi_lu_forward(rows, n, n + w, B->pivot + B->first[k], z);
  if (w > 0) subtract_from_later(B, k, Z, z, b, n, six);
}

// Returns the numbers of b for the later positions of k side by side, in the order of the columns of its rows.
HFI_COPIED const double* gather_later(const hfiBlockMatrix* B, int32_t k, const double* b, int six) {
  if (has_consecutive_later(B, k)) return b + B->first[B->later[B->start[k]]];
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    const double* x = b + B->first[B->later[e]];
    if (six || B->size[B->later[e]] == 6) // With a constant size the compiler writes out the copy.
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
