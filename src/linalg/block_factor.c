// Factorisation and solution of block-sparse matrices (block_sparse.h), symmetric or not. For k = 0, 1, ..., with i and
// j for the later positions that k is coupled to:
//
//   factor_rows      K_kk = L U,   Y_j = L^-1 K_kj
//   factor_lower     Z_i = U^-T K_ik^T
//   update_node      K_ij -= Z_i^T Y_j,   K_ji -= Z_j^T Y_i   for j >= i, unless the blocks of i or of j are zero
//
// Solution of K x = b:
//
//   solve_forward    z_k = L^-1 b_k,   b_i -= Z_i^T z_k          k ascending
//   solve_backward   x_k = U^-1 (z_k - sum_j Y_j x_j)            k descending
//
// Rows are exchanged only inside of a diagonal block, P K_kk = L U, so that the pattern that block_order.c found stays
// true. Read L^-1 P for L^-1 then. If K is symmetric, K_kk = U^T D U with ones on the diagonal of U: read U^T for L, D
// U for U, and Z = D^-1 Y.
//
//   e      entry: index in B->later and B->offset of a later position that k is coupled to (block_sparse.h)
//   n, w   number of unknowns of k; number of columns of all its later positions together
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler
// writes out the loops over them.
#include "base/compile.h"
#include "linalg/block_sparse.h"
#include "linalg/dense.h"
#include "base/lanes.h"

#include <string.h>

// A matrix whose rows lie `stride` numbers apart.
typedef struct Columns {
  double* start; // the first number of the first row
  int stride;
} Columns;

// Returns the columns from `first` on.
HFI_FORCE_INLINE Columns from_column(Columns c, int32_t first) { return (Columns){c.start + first, c.stride}; }

// The panel of position k (block_sparse.h). `rows` and `right` are parts of one matrix.
typedef struct Panel {
  int n, w;      // number of unknowns of k; number of columns of its later positions
  double* rows;  // (n x n) K_kk; afterwards L and U. Rows lie right.stride = n + w numbers apart.
  Columns right; // (n x w) all K_kj; afterwards all Y_j
  Columns lower; // (n x w) all K_jk^T; afterwards all Z_j
} Panel;

// Returns the panel of position k.
HFI_FORCE_INLINE Panel get_panel(const hfiBlockMatrix* B, int32_t k, int six) {
  int n = six ? 6 : B->size[k];
  int w = B->width[k];
  double* rows = hfi_block_rows(B, k);
  return (Panel){n, w, rows, {rows + n, n + w}, {rows + n * (n + w), w}};
}

// Computes L, U and Y in the rows of position k. Returns 0, or a positive number if a pivot is bad.
static int factor_rows(hfiBlockMatrix* B, int32_t k) {
  double* rows = hfi_block_rows(B, k);
  int n = B->size[k];
  int ld = hfi_block_stride(B, k);
  if (B->factors.symmetric) return hfi_ldlt_beside(rows, n, ld, ld, 1);
  return hfi_lu_beside(rows, n, ld, ld, B->factors.pivot + B->first[k]);
}

// Computes Z of position k, in the place of `lower`: Z = U^-T K_jk^T, or D^-1 Y if K is symmetric. The diagonal of
// K_kk has the numbers of D^-1 then.
HFI_FORCE_INLINE void factor_lower(hfiBlockMatrix* B, int32_t k, int six) {
  Panel K = get_panel(B, k, six);
  int stride = K.right.stride;
  if (!B->factors.symmetric) {
    hfi_lu_divide(K.rows, K.n, stride, K.lower.start, K.w, K.w);
    return;
  }

  for (int i = 0; i < K.n; ++i) {
    double inverse_pivot = K.rows[i * (stride + 1)];
    hfi_scale(K.lower.start + i * K.w, inverse_pivot, K.right.start + i * stride, K.w);
  }
}

// Are all numbers of a block 0 or -0? The bits of a row are combined, and the shift removes the sign.
HFI_FORCE_INLINE int is_zero(const double* X, int ld, int rows, int n) {
  for (int i = 0; i < rows; ++i, X += ld) {
    uint64_t bits = 0;
    uint64_t word;
    for (int j = 0; j < n; ++j) {
      memcpy(&word, X + j, sizeof word);
      bits |= word;
    }
    if (bits << 1) return 0;
  }
  return 1;
}

// The same with constants for a block of two free bodies.
HFI_FORCE_INLINE int is_zero_block(Columns X, int rows, int n) {
  if (rows == 6 && n == 6) return is_zero(X.start, X.stride, 6, 6);
  return is_zero(X.start, X.stride, rows, n);
}

// Sets B->factors.coupled: 1 for each entry of position k whose blocks Y and Z are not both zero. Blocks of zeros are
// frequent: a contact that does not act couples its two nodes in the pattern only. This is a quick test, because the
// first row of other blocks mostly has a number that is not zero.
HFI_FORCE_INLINE void find_coupled(hfiBlockMatrix* B, int32_t k, int six) {
  Panel K = get_panel(B, k, six);
  int symmetric = B->factors.symmetric;
  int32_t* coupled = B->factors.coupled;
  const int32_t* offset = B->offset + B->start[k];
  const int32_t* later = B->later + B->start[k];
  int32_t count = B->start[k + 1] - B->start[k];

  for (int32_t e = 0; e < count; ++e) {
    int m = six ? 6 : B->size[later[e]];
    coupled[e] = !is_zero_block(from_column(K.right, offset[e]), K.n, m);
    if (!coupled[e] && !symmetric) coupled[e] = !is_zero_block(from_column(K.lower, offset[e]), K.n, m);
  }
}

// C -= A^T B for A (n x m) and B (n x columns)
HFI_FORCE_INLINE void subtract(Columns C, Columns A, Columns B, int six, int n, int m, int columns) {
  if (six)
    hfi_six_subtract(C.start, C.stride, A.start, A.stride, B.start, B.stride, columns);
  else
    hfi_sub_atb(C.start, C.stride, A.start, A.stride, B.start, B.stride, n, m, columns);
}

// Positions j that follow each other both in the panel of k and in that of i, so that one product serves all of them.
typedef struct Run {
  int32_t next_k, next_i; // the entries of k and of i that come after the run
  int32_t from, to;       // its first column in `right` and `lower` of k, and of i
  int32_t columns;        // number of its columns
} Run;

// Lengthens a run by the positions that follow it, as long as they are coupled and follow in both panels.
HFI_FORCE_INLINE void extend_run(const hfiBlockMatrix* B, int32_t k, Run* run, int six) {
  const int32_t* later = B->later;
  const int32_t start = B->start[k];
  const int32_t end = B->start[k + 1];

  while (run->next_k < end && B->factors.coupled[run->next_k - start] && later[run->next_i] == later[run->next_k]) {
    run->columns += six ? 6 : B->size[later[run->next_k]];
    ++run->next_k;
    ++run->next_i;
  }
}

// Begins the next run, without columns, at the next coupled position of k. Returns 0 if there is none. Every later
// position of k is one of i, too, so that the search in the list of i ends.
HFI_FORCE_INLINE int begin_run(const hfiBlockMatrix* B, int32_t k, Run* run) {
  const int32_t* later = B->later;
  const int32_t start = B->start[k];
  const int32_t end = B->start[k + 1];
  while (run->next_k < end && !B->factors.coupled[run->next_k - start]) ++run->next_k;
  if (run->next_k == end) return 0;

  while (later[run->next_i] != later[run->next_k]) ++run->next_i;
  run->from = B->offset[run->next_k];
  run->to = B->offset[run->next_i];
  run->columns = 0;
  return 1;
}

// For the positions j of a run: K_ij -= Z_i^T Y_j and, if K is not symmetric, K_ji^T -= Y_i^T Z_j. K and I are the
// panels of k and i. i_in_k: first column of Y_i and Z_i in the panel of k.
HFI_FORCE_INLINE void update_run(const hfiBlockMatrix* B, const Panel* K, const Panel* I, int32_t i_in_k,
                                 const Run* run, int six) {
  // K_ij -= Z_i^T Y_j
  Columns Z_i = from_column(K->lower, i_in_k);
  Columns Y_j = from_column(K->right, run->from);
  subtract(from_column(I->right, run->to), Z_i, Y_j, six, K->n, I->n, run->columns);
  if (B->factors.symmetric) return;

  // A run that begins with j = i has to < 0. `lower` has no K_ii, so that this product begins after the columns of i.
  int skipped = run->to < 0 ? I->n : 0;
  int columns = run->columns - skipped;
  if (columns <= 0) return;

  // K_ji^T -= Y_i^T Z_j
  Columns Y_i = from_column(K->right, i_in_k);
  Columns Z_j = from_column(K->lower, run->from + skipped);
  subtract(from_column(I->lower, run->to + skipped), Y_i, Z_j, six, K->n, I->n, columns);
}

// For i = later[e] and all later positions j >= i of k: K_ij -= Z_i^T Y_j and K_ji -= Z_j^T Y_i, unless the blocks of j
// are zero. All these K_ij are in the panel of i, because the elimination of k couples i to every j. Both panels list
// positions in ascending order. For example, k is coupled to i, a, b, c and d, where Y_c and Z_c are zero, and i is
// also coupled to x. Then there are two runs, i a b and d:
//
//   `right` of k, from i on      Y_i   Y_a   Y_b  |  0             |  Y_d
//   `rows` of i                  K_ii  K_ia  K_ib |  K_ic  K_ix    |  K_id
//
// `right` of i begins after K_ii, so that the first run begins at column -n of it.
HFI_FORCE_INLINE void update_node(hfiBlockMatrix* B, int32_t k, int32_t e, int six) {
  int32_t i = B->later[e];
  int32_t i_in_k = B->offset[e];
  Panel K = get_panel(B, k, six);
  Panel I = get_panel(B, i, six);
  Run run = {.next_k = e + 1, .next_i = B->start[i], .from = i_in_k, .to = -I.n, .columns = I.n};

  do {
    extend_run(B, k, &run, six);
    update_run(B, &K, &I, i_in_k, &run, six);
  } while (begin_run(B, k, &run));
}

// Factors all positions. Returns 0, or k + 1 if a pivot of position k failed.
HFI_FORCE_INLINE int factor_nodes(hfiBlockMatrix* B, int six) {
  for (int32_t k = 0; k < B->nodes; ++k) {
    // L, U, Y and Z of position k
    if (factor_rows(B, k)) return k + 1;
    if (B->width[k] == 0) continue;
    factor_lower(B, k, six);

    // what the elimination of k changes in the later positions
    find_coupled(B, k, six);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      if (B->factors.coupled[e - B->start[k]]) update_node(B, k, e, six);
  }
  return 0;
}

// Factors the matrix in place: as a star if it is one, as a dense matrix if it has one node, else node by node. Returns
// 0, or k + 1 if a pivot of position k failed.
int hfi_block_factor(hfiBlockMatrix* B, int symmetric) {
  B->factors.symmetric = symmetric;
  if (B->nodes == 1) {
    if (B->star && hfi_star_factor(B->star, B->value, B->size[0], symmetric) == 0) return 0;
    return factor_rows(B, 0) != 0;
  }
  return B->all_six ? factor_nodes(B, 1) : factor_nodes(B, 0);
}

// ---- solution ----------------------------------------------------------------------------------------

// Are the later positions of k consecutive, so that their unknowns are?
static int has_consecutive_later(const hfiBlockMatrix* B, int32_t k) {
  int32_t first = B->start[k];
  int32_t last = B->start[k + 1] - 1;
  return B->later[last] - B->later[first] == last - first;
}

// b_i -= Z_i^T z_k for all later positions i of k, if all nodes are free bodies. Each product is summed first and then
// subtracted, as subtract_from_later does.
static inline void subtract_from_bodies(const hfiBlockMatrix* B, int32_t k, const double* restrict Z,
                                        const double* restrict z, double* b) {
  int w = B->width[k];

  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e, Z += 6) {
    hfiFour sum4 = {0, 0, 0, 0}; // the first four numbers of -Z_i^T z_k
    hfiTwo sum2 = {0, 0};        // the other two
    for (int r = 0; r < 6; ++r) {
      sum4 += -z[r] * *(const hfiFour*)(Z + r * w);
      sum2 += -z[r] * *(const hfiTwo*)(Z + r * w + 4);
    }

    double* b_i = b + B->first[B->later[e]];
    *(hfiFour*)b_i += sum4;
    *(hfiTwo*)(b_i + 4) += sum2;
  }
}

// b_i -= Z_i^T z_k for all later positions i of k. Z: `lower` of the panel of k; n: number of unknowns of k.
HFI_FORCE_INLINE void subtract_from_later(const hfiBlockMatrix* B, int32_t k, const double* Z, const double* z,
                                          double* b, int n, int six) {
  int w = B->width[k];
  double* sums = B->factors.work;

  // positions that follow each other
  if (has_consecutive_later(B, k)) {
    hfi_add_rows(b + B->first[B->later[B->start[k]]], -1.0, z, 1, Z, w, n, w);
    return;
  }
  if (six) {
    subtract_from_bodies(B, k, Z, z, b);
    return;
  }

  // the products of all positions side by side, then to their places
  memset(sums, 0, sizeof(double) * (size_t)w);
  hfi_add_rows(sums, -1.0, z, 1, Z, w, n, w);
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
    hfi_axpy(b + B->first[B->later[e]], 1.0, sums + B->offset[e], B->size[B->later[e]]);
}

// Solves for position k from the earlier positions on: z_k = L^-1 b_k, and b_i -= Z_i^T z_k for its later positions i.
HFI_FORCE_INLINE void solve_forward(const hfiBlockMatrix* B, int32_t k, double* b, int six) {
  Panel K = get_panel(B, k, six);
  double* z = b + B->first[k];

  if (B->factors.symmetric)
    hfi_ldlt_forward(K.rows, K.n, K.right.stride, z);
  else
    hfi_lu_forward(K.rows, K.n, K.right.stride, B->factors.pivot + B->first[k], z);

  if (K.w > 0) subtract_from_later(B, k, K.lower.start, z, b, K.n, six);
}

// Returns the numbers of b for the later positions of k side by side, in the order of the columns of its rows. They are
// in b itself, or copied to scratch.
HFI_FORCE_INLINE const double* gather_later(const hfiBlockMatrix* B, int32_t k, const double* b, int six) {
  if (has_consecutive_later(B, k)) return b + B->first[B->later[B->start[k]]];

  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    const double* x = b + B->first[B->later[e]];
    if (six || B->size[B->later[e]] == 6) // With a constant size the compiler writes out the copy.
      memcpy(B->factors.work + B->offset[e], x, 6 * sizeof(double));
    else
      memcpy(B->factors.work + B->offset[e], x, sizeof(double) * (size_t)B->size[B->later[e]]);
  }
  return B->factors.work;
}

// Solves for position k from the later positions back to it: z_k = U^-1 (z_k - Y x).
HFI_FORCE_INLINE void solve_backward(const hfiBlockMatrix* B, int32_t k, double* b, int six) {
  Panel K = get_panel(B, k, six);
  double* z = b + B->first[k];

  if (K.w > 0) {
    const double* x = gather_later(B, k, b, six);
    if (K.n == 6 && K.w >= 4)
      hfi_six_subtract_dots(z, K.right.start, 6 + K.w, x, K.w);
    else
      for (int i = 0; i < K.n; ++i) z[i] -= hfi_dot(K.right.start + i * K.right.stride, x, K.w);
  }

  if (B->factors.symmetric)
    hfi_ldlt_backward(K.rows, K.n, K.right.stride, z);
  else
    hfi_lu_backward(K.rows, K.n, K.right.stride, z);
}

// Solves forwards from the first position, then backwards from the last one.
HFI_FORCE_INLINE void solve_nodes(const hfiBlockMatrix* B, double* b, int six) {
  for (int32_t k = 0; k < B->nodes; ++k) solve_forward(B, k, b, six);
  for (int32_t k = B->nodes - 1; k >= 0; --k) solve_backward(B, k, b, six);
}

// Solves K x = b in place.
void hfi_block_solve(const hfiBlockMatrix* B, double* b) {
  int n = B->size[0];
  if (B->nodes != 1) {
    if (B->all_six)
      solve_nodes(B, b, 1);
    else
      solve_nodes(B, b, 0);
    return;
  }

  // one node: a star or a dense matrix
  if (B->star && B->star->factored)
    hfi_star_solve(B->star, b);
  else if (B->factors.symmetric)
    hfi_ldlt_solve(B->value, n, n, b);
  else
    hfi_lu_solve(B->value, n, n, B->factors.pivot, b);
}
