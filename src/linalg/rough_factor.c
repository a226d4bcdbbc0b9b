// Rough factors of a block-sparse matrix K, and the solution of K x = b with them.
//
//   k      the position that is being factored
//   i, j   positions that are coupled to k: i < k an earlier one, j > k a later one
//   K_kj   block of K with the rows of position k and the columns of position j; K_kk is the pivot of k
//   T, S   inverse triangular factors of the pivot
//   Y_kj   block of the factors to the right of the pivot; Z_kj^T is the block below the pivot
//
// Factorisation, for k = 0, 1, ...:
//
//   load_pivot, load_couplings   copy K_kk, K_kj and K_jk^T from K
//   subtract_earlier             K_kk -= Z_ik^T Y_ik,   K_kj -= Z_ik^T Y_ij,   K_jk^T -= Y_ik^T Z_ij     for each i
//   invert_pivot                 T = L^-1 P,   S = U^-T                                                  with P K_kk = L U
//   keep_couplings               Y_kj = T K_kj,   Z_kj = S K_jk^T                                        for each j that matters
//
// A symmetric K_kk = U^T D U has T = S = D^(-1/2) U^-T, and Z = Y. Solution of K x = b:
//
//   solve_forward                z_k = T b_k,   b_j -= Z_kj^T z_k               k ascending
//   solve_backward               x_k = S^T (z_k - sum_j Y_kj x_j)               k descending
//
// What is left out: the coupling of k and j makes K_jj smaller by Z_kj^T Y_kj. It is left out if this changes no number on the diagonal of K_jj by more than
// a negligible share:
//
//   sum_r |(Z_kj)_rc (Y_kj)_rc| <= share |(K_jj)_cc|   for all columns c; r are the rows of Z_kj and Y_kj
//
// Both sides have the same unit, so one share serves rotations and translations. Above a larger share a coupling is strong, otherwise it is weak. If i is
// coupled weakly both to k and to j, its contribution to K_kj is left out, too. Most contributions are of that kind.
//
// Difference from block_factor.c: that file computes the complete factors and, as soon as k is factored, subtracts its contributions from all later
// positions. Here position k collects the contributions of earlier positions when its turn comes. So all blocks that change are those of row k, which stay
// in the fastest cache, and the kept blocks are written once, one after the other. Which blocks row k has is found on the way.
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler writes out the loops over them.
#include "linalg/rough_factor.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// A coupling is left out if it changes the diagonal by at most this share [-]. An unsymmetric K of a heap is stiffer, and its equations are solved more
// accurately.
static const float NEGLIGIBLE_SHARE_SYMMETRIC = 2e-4f, NEGLIGIBLE_SHARE = 5e-5f;
// A coupling is strong if it changes the diagonal by more than this share [-].
static const float STRONG_SHARE_SYMMETRIC = 1e-2f, STRONG_SHARE = 5e-3f;

enum { PAD = 8 }; // Rows of blocks are padded with zeros to a multiple of this many numbers.

// ---- storage -----------------------------------------------------------------------------------------

static int pad(int size) { return (size + PAD - 1) / PAD * PAD; }

// Number of unknowns of position k; length of a block's row that has a column for each of them; index of the first of them in a padded vector.
HFI_COPIED int size_of(const hfiBlockMatrix* B, int32_t k, int six) { return six ? 6 : B->size[k]; }
HFI_COPIED int row_length(const hfiBlockMatrix* B, int32_t k, int six) { return six ? PAD : pad(B->size[k]); }
HFI_COPIED int32_t first_unknown(const hfiRoughFactors* F, int32_t k, int six) { return six ? PAD * k : F->first[k]; }

void hfi_rough_plan(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes, entries = (size_t)B->start[B->nodes], numbers = 0, pivots = 0, widest = 0, largest = 0, unknowns = 0;
  for (int32_t k = 0; k < B->nodes; ++k) {
    size_t size = (size_t)B->size[k], length = (size_t)pad(B->size[k]), columns = 0;
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) columns += (size_t)pad(B->size[B->later[e]]);
    numbers += size * columns, pivots += size * length, unknowns += length;
    widest = size * columns > widest ? size * columns : widest;
    largest = size > largest ? size : largest;
  }
  F->capacity = numbers;
  F->storage = HFI_TAKE(arena, float, 2 * numbers);
  HFI_TAKE_EACH(arena, float, pivots, &F->T_transposed, &F->S);
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &F->start, &F->first, &F->column_last, &F->row_at);
  HFI_TAKE_EACH(arena, int32_t, entries, &F->later, &F->earlier, &F->column_before, &F->is_strong, &F->next_strong);
  F->pivot_at = HFI_TAKE(arena, size_t, nodes + 1);
  F->block_at = HFI_TAKE(arena, size_t, entries);
  F->row_pattern = HFI_TAKE(arena, uint64_t, B->words);
  HFI_TAKE_EACH(arena, float, widest, &F->K_right, &F->K_below);
  HFI_TAKE_EACH(arena, float, unknowns, &F->diagonal, &F->x);
  F->sums = HFI_TAKE(arena, float, PAD * largest);
  F->S_transposed = HFI_TAKE(arena, float, largest * (size_t)pad((int)largest));
  F->pivot = HFI_TAKE(arena, double, 2 * largest * largest);
  F->inverse = HFI_TAKE(arena, double, largest * largest);
}

// ---- products ----------------------------------------------------------------------------------------

static inline hfiFloats load(const float* x) { return *(const hfiFloats*)x; }
static inline void store(float* y, hfiFloats a) { *(hfiFloats*)y = a; }

// One vector of columns of C = A^T X, or of C -= A^T X with `subtracts`. C, A and X have six rows of PAD numbers.
HFI_COPIED void multiply_six(float* restrict C, const float* restrict A, const float* restrict X, int subtracts) {
  hfiFloats r0 = {0}, r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0;
  if (subtracts) r0 = load(C), r1 = load(C + PAD), r2 = load(C + 2 * PAD), r3 = load(C + 3 * PAD), r4 = load(C + 4 * PAD), r5 = load(C + 5 * PAD);
  for (int i = 0; i < 6; ++i, A += PAD, X += PAD) {
    hfiFloats x = load(X);
    if (subtracts)
      r0 -= A[0] * x, r1 -= A[1] * x, r2 -= A[2] * x, r3 -= A[3] * x, r4 -= A[4] * x, r5 -= A[5] * x;
    else
      r0 += A[0] * x, r1 += A[1] * x, r2 += A[2] * x, r3 += A[3] * x, r4 += A[4] * x, r5 += A[5] * x;
  }
  store(C, r0), store(C + PAD, r1), store(C + 2 * PAD, r2), store(C + 3 * PAD, r3), store(C + 4 * PAD, r4), store(C + 5 * PAD, r5);
}

// y = sum_i a_i A_i, or y -= this sum with `subtracts`, over n rows A_i of ld numbers. From a_i to the next there are `step` numbers.
HFI_COPIED void combine_rows(float* restrict y, const float* restrict a, int step, const float* restrict A, int n, int ld, int subtracts) {
  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats sum = {0};
    if (subtracts) sum = load(y + c);
    for (int i = 0; i < n; ++i) {
      if (subtracts)
        sum -= a[i * step] * load(A + i * ld + c);
      else
        sum += a[i * step] * load(A + i * ld + c);
    }
    store(y + c, sum);
  }
}

// C = A^T X, or C -= A^T X with `subtracts`: C (m x ld), the first m columns of A (n x lda), X (n x ld).
HFI_COPIED void multiply(float* C, const float* A, const float* X, int n, int m, int lda, int ld, int subtracts, int six) {
  if (six)
    for (int c = 0; c < PAD; c += HFI_FLOATS) multiply_six(C + c, A, X + c, subtracts);
  else
    for (int i = 0; i < m; ++i) combine_rows(C + i * ld, A + i, lda, X, n, ld, subtracts);
}

// ---- factorisation -----------------------------------------------------------------------------------

// What changes while position k is factored, beside the arrays of F.
typedef struct ActiveRow {
  int32_t k;
  int32_t used;   // numbers of K_right, and of K_below, that are in use
  size_t next_at; // where the next kept blocks begin in Y and Z
} ActiveRow;

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

// C (8) = X (6) and two zeros
static inline void round_six(float* C, const double* X) {
  hfiFour last = {X[4], X[5], 0, 0};
  *(FourFloats*)C = __builtin_convertvector(*(const hfiFour*)X, FourFloats);
  *(FourFloats*)(C + 4) = __builtin_convertvector(last, FourFloats);
}

// C (n x ld) = X (n x m), padded with zeros
HFI_COPIED void round_block(float* C, int ld, const double* X, int ldx, int n, int m) {
  if (m == 6 && ld == PAD) {
    for (int i = 0; i < n; ++i) round_six(C + i * ld, X + i * ldx);
    return;
  }
  for (int i = 0; i < n; ++i, C += ld, X += ldx) {
    for (int c = 0; c < m; ++c) C[c] = (float)X[c];
    for (int c = m; c < ld; ++c) C[c] = 0;
  }
}

// C (n x ld) = X^T, X (n x n), padded with zeros
HFI_COPIED void round_transposed(float* C, int ld, const double* X, int ldx, int n) {
  for (int c = 0; c < n; ++c, C += ld) {
    for (int i = 0; i < n; ++i) C[i] = (float)X[i * ldx + c];
    for (int i = n; i < ld; ++i) C[i] = 0;
  }
}

// Copies K_kk from K to the place of T^T, where it stays until invert_pivot replaces it.
HFI_COPIED void load_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six);
  round_block(F->T_transposed + F->pivot_at[row->k], row_length(B, row->k, six), hfi_block_rows(B, row->k), n + B->width[row->k], n, n);
}

// Adds blocks of position j to row k. Returns where they begin in K_right and K_below. The caller sets their numbers.
HFI_COPIED int32_t add_to_row(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t j, int six) {
  int32_t at = row->used;
  row->used += size_of(B, row->k, six) * row_length(B, j, six);
  F->row_at[j] = at;
  F->row_pattern[j >> 6] |= (uint64_t)1 << (j & 63);
  return at;
}

// Copies all K_kj and K_jk^T from K.
HFI_COPIED void load_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int32_t k = row->k;
  int n = size_of(B, k, six), ld = n + B->width[k];
  const double *rows = hfi_block_rows(B, k), *lower = rows + n * ld;
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e], m = size_of(B, j, six), length = row_length(B, j, six), at = add_to_row(F, B, row, j, six);
    round_block(F->K_right + at, length, rows + n + B->offset[e], ld, n, m);
    if (!F->symmetric) round_block(F->K_below + at, length, lower + B->offset[e], ld - n, n, m);
  }
}

// Adds blocks of zeros of position j to row k. Returns where they begin.
HFI_COPIED int32_t add_zeros_to_row(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t j, int six) {
  size_t bytes = sizeof(float) * (size_t)(size_of(B, row->k, six) * row_length(B, j, six));
  int32_t at = add_to_row(F, B, row, j, six);
  memset(F->K_right + at, 0, bytes);
  if (!F->symmetric) memset(F->K_below + at, 0, bytes);
  return at;
}

// Subtracts what position i, the earlier one of entry e = (i, k), contributes to row k. If e is weak, only strong entries (i, j) contribute to K_kj.
HFI_COPIED void subtract_earlier(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t e, int six) {
  int32_t i = F->earlier[e], k = row->k;
  int n = size_of(B, i, six), m = size_of(B, k, six), length = row_length(B, k, six), all = F->is_strong[e];
  const float *Y_ik = F->Y + F->block_at[e], *Z_ik = F->Z + F->block_at[e];
  multiply(F->T_transposed + F->pivot_at[k], Z_ik, Y_ik, n, m, length, length, 1, six);
  for (int32_t f = all ? e + 1 : F->next_strong[e]; f < F->start[i + 1]; f = all ? f + 1 : F->next_strong[f]) {
    int32_t j = F->later[f], at = F->row_at[j], ld = row_length(B, j, six);
    if (at < 0) at = add_zeros_to_row(F, B, row, j, six);
    multiply(F->K_right + at, Z_ik, F->Y + F->block_at[f], n, m, length, ld, 1, six);
    if (!F->symmetric) multiply(F->K_below + at, Y_ik, F->Z + F->block_at[f], n, m, length, ld, 1, six);
  }
}

// Replaces K_kk by T^T, and computes S and S^T. Returns 1 if a pivot is bad.
HFI_COPIED int invert_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six), ld = row_length(B, row->k, six);
  float *K_kk = F->T_transposed + F->pivot_at[row->k], *S_k = F->S + F->pivot_at[row->k];
  double *A = F->pivot, *T = A + n, *S = F->inverse; // A = [K_kk I]; the factorisation turns I into T.
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < n; ++c) A[2 * n * i + c] = K_kk[ld * i + c], T[2 * n * i + c] = S[n * i + c] = i == c;
  if (F->symmetric) {
    if (hfi_ldlt_beside(A, n, 2 * n, 2 * n, 1)) return 1;
    for (int i = 0; i < n; ++i) hfi_scale(T + 2 * n * i, sqrt(A[(2 * n + 1) * i]), T + 2 * n * i, n);
    round_block(S_k, ld, T, 2 * n, n, n);
  } else {
    if (hfi_lu_beside(A, n, 2 * n, 2 * n, B->pivot)) return 1;
    hfi_lu_divide(A, n, 2 * n, S, n, n);
    round_block(S_k, ld, S, n, n, n);
    round_transposed(F->S_transposed, ld, S, n, n);
  }
  round_transposed(K_kk, ld, T, 2 * n, n);
  return 0;
}

// Does the same with K_kk as it is in K, without the contributions of earlier positions. If K is nearly singular, rounding and the couplings left out may
// make a pivot indefinite that should be positive. The iterations make up for the contributions that are missing then.
HFI_CALLED static int invert_original_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  load_pivot(F, B, row, six);
  return invert_pivot(F, B, row, six);
}

// Is any lane of a mask set?
static inline int is_any_set(hfiFloatBits mask) {
  uint64_t words[sizeof mask / sizeof(uint64_t)], any = 0;
  memcpy(words, &mask, sizeof mask);
  for (size_t i = 0; i < sizeof mask / sizeof(uint64_t); ++i) any |= words[i];
  return any != 0;
}

typedef enum couplingStrength { NEGLIGIBLE, WEAK, STRONG } couplingStrength;

// Finds the strength of the coupling with the blocks Z and Y (n x ld), and subtracts the diagonal of Z^T Y from that of K_jj unless it is negligible.
HFI_COPIED couplingStrength update_diagonal(const hfiRoughFactors* F, const float* Z, const float* Y, int n, int ld, float* diagonal) {
  float negligible = F->symmetric ? NEGLIGIBLE_SHARE_SYMMETRIC : NEGLIGIBLE_SHARE, large = F->symmetric ? STRONG_SHARE_SYMMETRIC : STRONG_SHARE;
  float* updated = F->sums;
  hfiFloatBits matters = {0}, is_strong = {0};
  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats before = load(diagonal + c), after = before, change = {0};
    for (int i = 0; i < n; ++i) {
      hfiFloats product = load(Z + i * ld + c) * load(Y + i * ld + c);
      after -= product, change += hfi_absolute(product);
    }
    matters |= ~(change <= negligible * hfi_absolute(before)), is_strong |= change > large * hfi_absolute(before);
    store(updated + c, after);
  }
  if (!is_any_set(matters)) return NEGLIGIBLE;
  memcpy(diagonal, updated, sizeof *diagonal * (size_t)ld);
  return is_any_set(is_strong) ? STRONG : WEAK;
}

// Fills next_strong of the entries of position k.
HFI_COPIED void link_strong_entries(hfiRoughFactors* F, int32_t k) {
  for (int32_t e = F->start[k + 1] - 1, strong = F->start[k + 1]; e >= F->start[k]; --e) {
    F->next_strong[e] = strong;
    if (F->is_strong[e]) strong = e;
  }
}

// Computes Y_kj and Z_kj for all blocks of row k, j ascending, and makes entries of those that matter. Empties the row.
HFI_COPIED void keep_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int32_t k = row->k, entry = F->start[k];
  int n = size_of(B, k, six), length = row_length(B, k, six);
  const float* T_transposed = F->T_transposed + F->pivot_at[k];
  for (int32_t word = k >> 6; word < B->words; ++word)
    for (; F->row_pattern[word]; F->row_pattern[word] &= F->row_pattern[word] - 1) {
      int32_t j = 64 * word + __builtin_ctzll(F->row_pattern[word]), ld = row_length(B, j, six);
      float *Y = F->Y + row->next_at, *Z = F->Z + row->next_at;
      multiply(Y, T_transposed, F->K_right + F->row_at[j], n, n, length, ld, 0, six);
      if (!F->symmetric) multiply(Z, F->S_transposed, F->K_below + F->row_at[j], n, n, length, ld, 0, six);
      F->row_at[j] = -1;
      couplingStrength strength = update_diagonal(F, Z, Y, n, ld, F->diagonal + first_unknown(F, j, six));
      if (strength == NEGLIGIBLE) continue;
      F->later[entry] = j, F->earlier[entry] = k, F->block_at[entry] = row->next_at, F->is_strong[entry] = strength == STRONG;
      F->column_before[entry] = F->column_last[j], F->column_last[j] = entry;
      entry += 1;
      row->next_at += (size_t)(n * ld);
    }
  F->start[k + 1] = entry;
  link_strong_entries(F, k);
}

HFI_COPIED int factor_nodes(hfiRoughFactors* F, const hfiBlockMatrix* B, int six) {
  ActiveRow row = {0, 0, 0};
  for (; row.k < B->nodes; ++row.k) {
    row.used = 0;
    load_pivot(F, B, &row, six);
    load_couplings(F, B, &row, six);
    for (int32_t e = F->column_last[row.k]; e >= 0; e = F->column_before[e]) subtract_earlier(F, B, &row, e, six);
    if (invert_pivot(F, B, &row, six) && invert_original_pivot(F, B, &row, six)) return row.k + 1;
    keep_couplings(F, B, &row, six);
  }
  return 0;
}

// Removes all entries, places the pivots and the unknowns, and copies the diagonal of K.
static void begin_factorisation(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric) {
  F->symmetric = symmetric;
  F->Y = F->storage;
  F->Z = symmetric ? F->Y : F->Y + F->capacity;
  F->start[0] = F->first[0] = 0, F->pivot_at[0] = 0;
  memset(F->row_pattern, 0, sizeof *F->row_pattern * (size_t)B->words);
  for (int32_t k = 0; k < B->nodes; ++k) {
    F->column_last[k] = F->row_at[k] = -1;
    F->first[k + 1] = F->first[k] + pad(B->size[k]);
    F->pivot_at[k + 1] = F->pivot_at[k] + (size_t)(B->size[k] * pad(B->size[k]));
    round_block(F->diagonal + F->first[k], 1, hfi_block_rows(B, k), hfi_block_stride(B, k) + 1, B->size[k], 1);
    for (int32_t i = F->first[k] + B->size[k]; i < F->first[k + 1]; ++i) F->diagonal[i] = 0;
  }
}

int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric) {
  begin_factorisation(F, B, symmetric);
  return B->all_six ? factor_nodes(F, B, 1) : factor_nodes(F, B, 0);
}

// ---- solution ----------------------------------------------------------------------------------------

// z_k = T b_k,   b_j -= Z_kj^T z_k. F->x holds b, and z where that is known.
HFI_COPIED void solve_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  float *x = F->x + first_unknown(F, k, six), *z = F->sums;
  combine_rows(z, x, 1, F->T_transposed + F->pivot_at[k], n, length, 0);
  memcpy(x, z, sizeof *x * (size_t)length);
  for (int32_t e = F->start[k]; e < F->start[k + 1]; ++e) {
    int32_t j = F->later[e];
    combine_rows(F->x + first_unknown(F, j, six), x, 1, F->Z + F->block_at[e], n, row_length(B, j, six), 1);
  }
}

// A row times x is summed in PAD partial sums, number c of the row in sum c % PAD. These are one vector or two, whatever the machine has, so that the
// order of additions is the same on all machines.
enum { VECTORS = PAD / HFI_FLOATS }; // vectors of the partial sums of one row

// sums_i += A_i x for n rows A_i of ld numbers, in partial sums
HFI_COPIED void add_products(hfiFloats* sums, const float* A, const float* x, int n, int ld) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < ld; c += HFI_FLOATS) sums[i * VECTORS + c / HFI_FLOATS % VECTORS] += load(A + i * ld + c) * load(x + c);
}

// Adds the PAD partial sums of a row.
HFI_COPIED float add_partial_sums(const float* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

// x_k = S^T (z_k - sum_j Y_kj x_j). F->x holds z, and x where that is known. The partial sums of six rows stay in registers.
HFI_COPIED void solve_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  hfiFloats of_six[6 * VECTORS], *sums = six ? of_six : (hfiFloats*)F->sums;
  float *x = F->x + first_unknown(F, k, six), *stored = F->sums, *difference = F->sums;
  for (int i = 0; i < n * VECTORS; ++i) sums[i] = (hfiFloats){0};
  for (int32_t e = F->start[k]; e < F->start[k + 1]; ++e) {
    int32_t j = F->later[e];
    add_products(sums, F->Y + F->block_at[e], F->x + first_unknown(F, j, six), n, row_length(B, j, six));
  }
  for (int i = 0; six && i < 6 * VECTORS; ++i) store(stored + i * HFI_FLOATS, sums[i]);
  for (int i = 0; i < n; ++i) difference[i] = x[i] - add_partial_sums(stored + i * PAD); // Number i overwrites sums of a row that is done.
  combine_rows(x, difference, 1, F->S + F->pivot_at[k], n, length, 0);
}

HFI_COPIED void solve_nodes(const hfiRoughFactors* F, const hfiBlockMatrix* B, double* b, int six) {
  for (int32_t k = 0; k < B->nodes; ++k) round_block(F->x + first_unknown(F, k, six), row_length(B, k, six), b + B->first[k], 0, 1, size_of(B, k, six));
  for (int32_t k = 0; k < B->nodes; ++k) solve_forward(F, B, k, six);
  for (int32_t k = B->nodes - 1; k >= 0; --k) solve_backward(F, B, k, six);
  for (int32_t k = 0; k < B->nodes; ++k)
    for (int i = 0; i < size_of(B, k, six); ++i) b[B->first[k] + i] = F->x[first_unknown(F, k, six) + i];
}

void hfi_rough_solve(const hfiRoughFactors* F, const hfiBlockMatrix* B, double* b) {
  if (B->all_six)
    solve_nodes(F, B, b, 1);
  else
    solve_nodes(F, B, b, 0);
}
