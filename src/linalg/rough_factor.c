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
// What is left out: the coupling of k and j makes K_jj smaller by Z_kj^T Y_kj. It is left out if this changes no number
// on the diagonal of K_jj by more than a negligible share:
//
//   sum_r |(Z_kj)_rc (Y_kj)_rc| <= share |(K_jj)_cc|   for all columns c; r are the rows of Z_kj and Y_kj
//
// Both sides have the same unit, so one share serves rotations and translations. K_jj is what is left of it by then; of
// a position j of the trunk, what the branch of k alone leaves. Above a larger share a coupling is strong, otherwise it
// is weak. If i is coupled weakly both to k and to j, its contribution to K_kj is left out, too. Most contributions are
// of that kind.
//
// Difference from block_factor.c: that file computes the complete factors and, as soon as k is factored, subtracts its
// contributions from all later positions. Here position k collects the contributions of earlier positions when its turn
// comes. So all blocks that change are those of row k, which stay in the fastest cache, and the kept blocks are written
// once, one after the other. Which blocks row k has is found on the way.
//
// Branches (block_split.c) are factored at the same time. Then each branch collects its contributions to the rows of
// the trunk (collect_contributions), and the trunk, which is factored last, adds them (add_contributions). Solutions go
// the same way: the branches forwards, the trunk, the branches backwards.
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler
// writes out the loops over them.
#include "linalg/rough_factor.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// A coupling is left out if it changes the diagonal by at most this share [-]. An unsymmetric K of a heap is stiffer,
// and its equations are solved more accurately.
static const float NEGLIGIBLE_SHARE_SYMMETRIC = 2e-4f, NEGLIGIBLE_SHARE = 5e-5f;
// A coupling is strong if it changes the diagonal by more than this share [-].
static const float STRONG_SHARE_SYMMETRIC = 1e-2f, STRONG_SHARE = 5e-3f;

enum { PAD = 8 }; // Rows of blocks are padded with zeros to a multiple of this many numbers.

// ---- storage -----------------------------------------------------------------------------------------

static int pad(int size) { return (size + PAD - 1) / PAD * PAD; }

// Number of unknowns of position k; length of a block's row that has a column for each of them; index of the first of
// them in a padded vector.
HFI_FORCE_INLINE int size_of(const hfiBlockMatrix* B, int32_t k, int six) { return six ? 6 : B->size[k]; }
HFI_FORCE_INLINE int row_length(const hfiBlockMatrix* B, int32_t k, int six) { return six ? PAD : pad(B->size[k]); }
HFI_FORCE_INLINE int32_t first_unknown(const hfiRoughFactors* F, int32_t k, int six) {
  return six ? PAD * k : F->first[k];
}

// Sizes of the parts of B, whose pattern is that of complete factors.
typedef struct Sizes {
  size_t entries, numbers;             // couplings, and numbers of their blocks, of all positions
  size_t pivots, unknowns;             // numbers of all pivots, of all padded unknowns
  size_t trunk_entries, trunk_numbers; // the same of the trunk alone
  size_t trunk_pivots, trunk_unknowns, trunk_nodes;
  size_t widest, largest; // numbers of the widest row of blocks, unknowns of the largest node
} Sizes;

static int32_t trunk_of(const hfiBlockMatrix* B) { return B->branch_start[B->branches]; }

// Adds position k to the sizes.
static void count_position(const hfiBlockMatrix* B, int32_t k, Sizes* sizes) {
  size_t size = (size_t)B->size[k];
  size_t length = (size_t)pad(B->size[k]);
  size_t entries = (size_t)(B->start[k + 1] - B->start[k]);

  size_t columns = 0; // padded columns of the row of blocks
  if (B->all_six)
    columns = PAD * entries;
  else
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) columns += (size_t)pad(B->size[B->later[e]]);

  sizes->entries += entries;
  sizes->numbers += size * columns;
  sizes->pivots += size * length;
  sizes->unknowns += length;
  if (sizes->widest < size * columns) sizes->widest = size * columns;
  if (sizes->largest < size) sizes->largest = size;

  if (k < trunk_of(B)) return;
  sizes->trunk_entries += entries;
  sizes->trunk_numbers += size * columns;
  sizes->trunk_pivots += size * length;
  sizes->trunk_unknowns += length;
  sizes->trunk_nodes += 1;
}

// Takes the storage that each part needs for itself.
static void plan_part(hfiRoughPart* part, const hfiBlockMatrix* B, const Sizes* sizes, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes, n = sizes->largest;
  HFI_TAKE_EACH(arena, float, sizes->widest, &part->K_right, &part->K_below);
  HFI_TAKE_EACH(arena, int32_t, nodes, &part->row_at, &part->column_last);
  part->row_pattern = HFI_TAKE(arena, uint64_t, B->words);
  part->S_transposed = HFI_TAKE(arena, float, n*(size_t)pad((int)n));
  part->pivot = HFI_TAKE(arena, double, 2 * n * n);
  part->inverse = HFI_TAKE(arena, double, n* n);
  part->exchanges = HFI_TAKE(arena, int32_t, n);
  part->sums = HFI_TAKE(arena, float, PAD* n);
  part->diagonal = HFI_TAKE(arena, float, sizes->unknowns);
}

// Takes the storage of what a branch contributes to the trunk.
static void plan_contributions(hfiRoughPart* part, const Sizes* sizes, hfiArena* arena) {
  part->trunk_pivot = HFI_TAKE(arena, float, sizes->trunk_pivots);
  HFI_TAKE_EACH(arena, float, sizes->trunk_numbers, &part->trunk_right, &part->trunk_below);
  HFI_TAKE_EACH(arena, int32_t, sizes->trunk_entries, &part->trunk_later, &part->trunk_at);
  part->trunk_start = HFI_TAKE(arena, int32_t, sizes->trunk_nodes + 1);
  part->trunk_x = HFI_TAKE(arena, float, sizes->trunk_unknowns);
}

// Takes storage for the factors of B: first counts what each part needs.
void hfi_rough_plan(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes;
  Sizes sizes = {0};
  for (int32_t p = 0; p <= B->branches; ++p) {
    F->part[p].first_entry = (int32_t)sizes.entries;
    F->part[p].first_number = sizes.numbers;
    for (int32_t k = B->branch_start[p]; k < B->branch_start[p + 1]; ++k) count_position(B, k, &sizes);
  }

  F->capacity = sizes.numbers;
  F->storage = HFI_TAKE(arena, float, 2 * sizes.numbers);
  HFI_TAKE_EACH(arena, float, sizes.pivots, &F->T_transposed, &F->S);
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &F->start, &F->end, &F->first);
  HFI_TAKE_EACH(arena, int32_t, sizes.entries, &F->later, &F->earlier, &F->column_before, &F->is_strong, &F->next_strong);
  F->pivot_at = HFI_TAKE(arena, size_t, nodes + 1);
  F->block_at = HFI_TAKE(arena, size_t, sizes.entries);
  F->x = HFI_TAKE(arena, float, sizes.unknowns);

  for (int32_t p = 0; p <= B->branches; ++p) plan_part(F->part + p, B, &sizes, arena);
  for (int32_t p = 0; p < B->branches; ++p) plan_contributions(F->part + p, &sizes, arena);
}

// ---- products ----------------------------------------------------------------------------------------

static inline hfiFloats load(const float* x) { return *(const hfiFloats*)x; }
static inline void store(float* y, hfiFloats a) { *(hfiFloats*)y = a; }

// What a product does with the result C.
typedef enum ProductKind {
  PRODUCT,    // C = A^T X
  SUBTRACTED, // C -= A^T X
  NEGATED,    // C = 0 - A^T X, which gives the bits of SUBTRACTED for a C of zeros
} ProductKind;

// One vector of columns of a product. C, A and X have six rows of PAD numbers.
HFI_FORCE_INLINE void multiply_six(float* restrict C, const float* restrict A, const float* restrict X,
                                   ProductKind kind) {
  hfiFloats r0 = {0}, r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0;
  if (kind == SUBTRACTED)
    r0 = load(C), r1 = load(C + PAD), r2 = load(C + 2 * PAD), r3 = load(C + 3 * PAD), r4 = load(C + 4 * PAD), r5 = load(C + 5 * PAD);
  for (int i = 0; i < 6; ++i, A += PAD, X += PAD) {
    hfiFloats x = load(X);
    if (kind != PRODUCT)
      r0 -= A[0] * x, r1 -= A[1] * x, r2 -= A[2] * x, r3 -= A[3] * x, r4 -= A[4] * x, r5 -= A[5] * x;
    else
      r0 += A[0] * x, r1 += A[1] * x, r2 += A[2] * x, r3 += A[3] * x, r4 += A[4] * x, r5 += A[5] * x;
  }
  store(C, r0), store(C + PAD, r1), store(C + 2 * PAD, r2), store(C + 3 * PAD, r3), store(C + 4 * PAD, r4), store(C + 5 * PAD, r5);
}

// The same for C = A^T X with an A that has zeros below its diagonal. The products with these are left out, which
// changes no bit.
HFI_FORCE_INLINE void multiply_six_triangular(float* restrict C, const float* restrict A, const float* restrict X) {
  hfiFloats x = load(X), r0 = A[0] * x, r1 = A[1] * x, r2 = A[2] * x, r3 = A[3] * x, r4 = A[4] * x, r5 = A[5] * x;
  A += PAD, x = load(X + PAD), r1 += A[1] * x, r2 += A[2] * x, r3 += A[3] * x, r4 += A[4] * x, r5 += A[5] * x;
  A += PAD, x = load(X + 2 * PAD), r2 += A[2] * x, r3 += A[3] * x, r4 += A[4] * x, r5 += A[5] * x;
  A += PAD, x = load(X + 3 * PAD), r3 += A[3] * x, r4 += A[4] * x, r5 += A[5] * x;
  A += PAD, x = load(X + 4 * PAD), r4 += A[4] * x, r5 += A[5] * x;
  A += PAD, x = load(X + 5 * PAD), r5 += A[5] * x;
  store(C, r0), store(C + PAD, r1), store(C + 2 * PAD, r2), store(C + 3 * PAD, r3), store(C + 4 * PAD, r4), store(C + 5 * PAD, r5);
}

// y = sum_i a_i A_i, y -= this sum, or y = 0 - this sum, over n rows A_i of ld numbers. From a_i to the next there are
// `step` numbers.
HFI_FORCE_INLINE void combine_rows(float* restrict y, const float* restrict a, int step, const float* restrict A,
                                   int n, int ld, ProductKind kind) {
  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats sum = {0};
    if (kind == SUBTRACTED) sum = load(y + c);
    for (int i = 0; i < n; ++i) {
      if (kind != PRODUCT)
        sum -= a[i * step] * load(A + i * ld + c);
      else
        sum += a[i * step] * load(A + i * ld + c);
    }
    store(y + c, sum);
  }
}

// C (m x ld) from the first m columns of A (n x lda) and X (n x ld).
HFI_FORCE_INLINE void multiply(float* C, const float* A, const float* X, int n, int m, int lda, int ld,
                               ProductKind kind, int six) {
  if (six)
    for (int c = 0; c < PAD; c += HFI_FLOATS) multiply_six(C + c, A, X + c, kind);
  else
    for (int i = 0; i < m; ++i) combine_rows(C + i * ld, A + i, lda, X, n, ld, kind);
}

// C = A^T X with an A (n x lda) that has zeros below its diagonal.
HFI_FORCE_INLINE void multiply_triangular(float* C, const float* A, const float* X, int n, int lda, int ld, int six) {
  if (six)
    for (int c = 0; c < PAD; c += HFI_FLOATS) multiply_six_triangular(C + c, A, X + c);
  else
    multiply(C, A, X, n, n, lda, ld, PRODUCT, 0);
}

// ---- factorisation -----------------------------------------------------------------------------------

// Row k of K, and what changes while position k is factored, beside the arrays of its part.
typedef struct ActiveRow {
  hfiRoughPart* part; // the part that works on the row
  int32_t k;
  float *pivot, *right, *below; // K_kk, the blocks K_kj, the blocks K_jk^T
  int32_t used;                 // numbers of `right`, and of `below`, that are in use
  int32_t entry;                // the next entry
  size_t next_at;               // where the next kept blocks begin in Y and Z
} ActiveRow;

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

// C (8) = X (6) and two zeros
static inline void round_six(float* C, const double* X) {
  hfiFour last = {X[4], X[5], 0, 0};
  *(FourFloats*)C = __builtin_convertvector(*(const hfiFour*)X, FourFloats);
  *(FourFloats*)(C + 4) = __builtin_convertvector(last, FourFloats);
}

// C (n x ld) = X (n x m), padded with zeros
HFI_FORCE_INLINE void round_block(float* C, int ld, const double* X, int ldx, int n, int m) {
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
HFI_FORCE_INLINE void round_transposed(float* C, int ld, const double* X, int ldx, int n) {
  for (int c = 0; c < n; ++c, C += ld) {
    for (int i = 0; i < n; ++i) C[i] = (float)X[i * ldx + c];
    for (int i = n; i < ld; ++i) C[i] = 0;
  }
}

// Copies K_kk from K to the place of T^T, where it stays until invert_pivot replaces it.
HFI_FORCE_INLINE void load_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six);
  row->pivot = F->T_transposed + F->pivot_at[row->k];
  round_block(row->pivot, row_length(B, row->k, six), hfi_block_rows(B, row->k), n + B->width[row->k], n, n);
}

// Adds blocks of position j to row k. Returns where they begin in `right` and `below`. The caller sets their numbers.
HFI_FORCE_INLINE int32_t add_to_row(const hfiBlockMatrix* B, ActiveRow* row, int32_t j, int six) {
  int32_t at = row->used;
  row->used += size_of(B, row->k, six) * row_length(B, j, six);
  row->part->row_at[j] = at;
  row->part->row_pattern[j >> 6] |= (uint64_t)1 << (j & 63);
  return at;
}

// Copies all K_kj and K_jk^T from K.
HFI_FORCE_INLINE void load_couplings(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int32_t k = row->k;
  int n = size_of(B, k, six), ld = n + B->width[k];
  const double *rows = hfi_block_rows(B, k), *lower = rows + n * ld;
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e], m = size_of(B, j, six), length = row_length(B, j, six), at = add_to_row(B, row, j, six);
    round_block(row->right + at, length, rows + n + B->offset[e], ld, n, m);
    if (!F->symmetric) round_block(row->below + at, length, lower + B->offset[e], ld - n, n, m);
  }
}

// Adds blocks of zeros of position j to row k. Returns where they begin.
HFI_FORCE_INLINE int32_t add_zeros_to_row(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t j,
                                          int six) {
  size_t bytes = sizeof(float) * (size_t)(size_of(B, row->k, six) * row_length(B, j, six));
  int32_t at = add_to_row(B, row, j, six);
  memset(row->right + at, 0, bytes);
  if (!F->symmetric) memset(row->below + at, 0, bytes);
  return at;
}

// Subtracts what position i, the earlier one of entry e = (i, k), contributes to row k. If e is weak, only strong
// entries (i, j) contribute to K_kj. Where row k has no blocks of position j yet, the contribution makes them.
HFI_FORCE_INLINE void subtract_earlier(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t e,
                                       int six) {
  int32_t i = F->earlier[e];
  int32_t k = row->k;
  int n = size_of(B, i, six);
  int m = size_of(B, k, six);
  int length = row_length(B, k, six);
  const float* Y_ik = F->Y + F->block_at[e];
  const float* Z_ik = F->Z + F->block_at[e];
  multiply(row->pivot, Z_ik, Y_ik, n, m, length, length, SUBTRACTED, six);

  int all = F->is_strong[e]; // whether weak entries (i, j) contribute, too
  for (int32_t f = all ? e + 1 : F->next_strong[e]; f < F->end[i]; f = all ? f + 1 : F->next_strong[f]) {
    int32_t j = F->later[f];
    int32_t place = row->part->row_at[j];
    int32_t ld = row_length(B, j, six);
    const float* Y_ij = F->Y + F->block_at[f];
    const float* Z_ij = F->Z + F->block_at[f];

    if (place < 0) {
      place = add_to_row(B, row, j, six);
      multiply(row->right + place, Z_ik, Y_ij, n, m, length, ld, NEGATED, six);
      if (!F->symmetric) multiply(row->below + place, Y_ik, Z_ij, n, m, length, ld, NEGATED, six);
    } else {
      multiply(row->right + place, Z_ik, Y_ij, n, m, length, ld, SUBTRACTED, six);
      if (!F->symmetric) multiply(row->below + place, Y_ik, Z_ij, n, m, length, ld, SUBTRACTED, six);
    }
  }
}

// Replaces a symmetric K_kk of six unknowns by T^T, and computes S = T. Returns 1 if a pivot is bad. A has room for 12
// rows of six numbers.
static int invert_symmetric_six(float* restrict K_kk, float* restrict S_k, double* restrict A) {
  double* T = A + 36;
  for (int i = 0; i < 6; ++i)
    for (int c = i; c < 6; ++c) A[6 * i + c] = K_kk[PAD * i + c]; // The factorisation reads the upper triangle.
  if (hfi_ldlt_beside(A, 6, 6, 6, 1)) return 1;
  hfi_six_invert_transposed(A, 6, T);
  for (int i = 0; i < 6; ++i) hfi_scale(T + 6 * i, sqrt(A[7 * i]), T + 6 * i, 6);
  round_block(S_k, PAD, T, 6, 6, 6);
  round_transposed(K_kk, PAD, T, 6, 6);
  return 0;
}

// Replaces K_kk by T^T, and computes S and S^T. Returns 1 if a pivot is bad.
HFI_FORCE_INLINE int invert_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six);
  int ld = row_length(B, row->k, six);
  float* K_kk = row->pivot;
  float* S_k = F->S + F->pivot_at[row->k];
  double* A = row->part->pivot; // A = [K_kk I]; the factorisation turns I into T.
  double* T = A + n;
  double* S = row->part->inverse;
  if (six && F->symmetric) return invert_symmetric_six(K_kk, S_k, A);

  for (int i = 0; i < n; ++i)
    for (int c = 0; c < n; ++c) {
      A[2 * n * i + c] = K_kk[ld * i + c];
      T[2 * n * i + c] = i == c;
      S[n * i + c] = i == c;
    }

  if (F->symmetric) {
    if (hfi_ldlt_beside(A, n, 2 * n, 2 * n, 1)) return 1;
    for (int i = 0; i < n; ++i) hfi_scale(T + 2 * n * i, sqrt(A[(2 * n + 1) * i]), T + 2 * n * i, n);
    round_block(S_k, ld, T, 2 * n, n, n);
  } else {
    if (hfi_lu_beside(A, n, 2 * n, 2 * n, row->part->exchanges)) return 1;
    hfi_lu_divide(A, n, 2 * n, S, n, n);
    round_block(S_k, ld, S, n, n, n);
    round_transposed(row->part->S_transposed, ld, S, n, n);
  }
  round_transposed(K_kk, ld, T, 2 * n, n);
  return 0;
}

// Does the same with K_kk as it is in K, without the contributions of earlier positions. If K is nearly singular,
// rounding and the couplings left out may make a pivot indefinite that should be positive. The iterations make up for
// the contributions that are missing then.
HFI_NOINLINE static int invert_original_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
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

// Finds the strength of the coupling with the blocks Z and Y (n x ld), and subtracts the diagonal of Z^T Y from that of
// K_jj unless it is negligible. updated (ld) is scratch. subtracting: number of parts that subtract from K_jj at the
// same time. A part does not see what the others subtract, so that its own share of the diagonal must be smaller.
HFI_FORCE_INLINE couplingStrength update_diagonal(const hfiRoughFactors* F, float* updated, const float* Z,
                                                  const float* Y, int n, int ld, float* diagonal,
                                            int subtracting) {
  float negligible = (F->symmetric ? NEGLIGIBLE_SHARE_SYMMETRIC : NEGLIGIBLE_SHARE) / (float)subtracting;
  float large = (F->symmetric ? STRONG_SHARE_SYMMETRIC : STRONG_SHARE) / (float)subtracting;
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
HFI_FORCE_INLINE void link_strong_entries(hfiRoughFactors* F, int32_t k) {
  for (int32_t e = F->end[k] - 1, strong = F->end[k]; e >= F->start[k]; --e) {
    F->next_strong[e] = strong;
    if (F->is_strong[e]) strong = e;
  }
}

// Number of parts that subtract from K_jj while position k < j is factored.
HFI_FORCE_INLINE int parts_before(const hfiBlockMatrix* B, int32_t k, int32_t j) {
  return k < trunk_of(B) && j >= trunk_of(B) ? B->branches : 1;
}

// Computes Y_kj and Z_kj for all blocks of row k, j ascending, and makes entries of those that matter. Empties the row.
HFI_FORCE_INLINE void keep_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  hfiRoughPart* part = row->part;
  int32_t k = row->k;
  int n = size_of(B, k, six);
  int length = row_length(B, k, six);
  F->start[k] = row->entry;

  for (int32_t word = k >> 6; word < B->words; ++word)
    for (uint64_t* bits = part->row_pattern + word; *bits; *bits &= *bits - 1) {
      int32_t j = 64 * word + __builtin_ctzll(*bits);
      int32_t ld = row_length(B, j, six);
      float* Y = F->Y + row->next_at;
      float* Z = F->Z + row->next_at;

      if (F->symmetric)
        multiply_triangular(Y, row->pivot, row->right + part->row_at[j], n, length, ld, six);
      else {
        multiply(Y, row->pivot, row->right + part->row_at[j], n, n, length, ld, PRODUCT, six);
        multiply_triangular(Z, part->S_transposed, row->below + part->row_at[j], n, length, ld, six);
      }
      part->row_at[j] = -1;

      float* diagonal = part->diagonal + first_unknown(F, j, six);
      couplingStrength strength = update_diagonal(F, part->sums, Z, Y, n, ld, diagonal, parts_before(B, k, j));
      if (strength == NEGLIGIBLE) continue;

      int32_t entry = row->entry;
      F->later[entry] = j;
      F->earlier[entry] = k;
      F->block_at[entry] = row->next_at;
      F->is_strong[entry] = strength == STRONG;
      F->column_before[entry] = part->column_last[j];
      part->column_last[j] = entry;
      row->entry += 1;
      row->next_at += (size_t)(n * ld);
    }
  F->end[k] = row->entry;
  link_strong_entries(F, k);
}

// y += x
HFI_FORCE_INLINE void add_numbers(float* y, const float* x, int n) {
  for (int i = 0; i < n; i += HFI_FLOATS) store(y + i, load(y + i) + load(x + i));
}

// Adds what a branch contributes to row k of the trunk.
HFI_FORCE_INLINE void add_contributions(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row,
                                        const hfiRoughPart* branch, int six) {
  int32_t trunk = trunk_of(B), k = row->k;
  int n = size_of(B, k, six);
  add_numbers(row->pivot, branch->trunk_pivot + (F->pivot_at[k] - F->pivot_at[trunk]), n * row_length(B, k, six));
  for (int32_t c = branch->trunk_start[k - trunk]; c < branch->trunk_start[k - trunk + 1]; ++c) {
    int32_t j = branch->trunk_later[c], from = branch->trunk_at[c], at = row->part->row_at[j], count = n * row_length(B, j, six);
    if (at < 0) at = add_zeros_to_row(F, B, row, j, six);
    add_numbers(row->right + at, branch->trunk_right + from, count);
    if (!F->symmetric) add_numbers(row->below + at, branch->trunk_below + from, count);
  }
}

// Factors the positions of a part. Returns 0, or k + 1 if a pivot of position k failed.
HFI_FORCE_INLINE int factor_positions(hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, int six) {
  hfiRoughPart* part = F->part + p;
  int is_trunk = p == B->branches;
  ActiveRow row = {.part = part, .k = B->branch_start[p], .entry = part->first_entry, .next_at = part->first_number};
  row.right = part->K_right;
  row.below = part->K_below;

  for (; row.k < B->branch_start[p + 1]; ++row.k) {
    // row k of K, less what the earlier positions contribute to it
    row.used = 0;
    load_pivot(F, B, &row, six);
    load_couplings(F, B, &row, six);
    for (int32_t b = 0; is_trunk && b < B->branches; ++b) add_contributions(F, B, &row, F->part + b, six);
    for (int32_t e = part->column_last[row.k]; e >= 0; e = F->column_before[e]) subtract_earlier(F, B, &row, e, six);

    // its factors
    if (invert_pivot(F, B, &row, six) && invert_original_pivot(F, B, &row, six)) return row.k + 1;
    keep_couplings(F, B, &row, six);
  }
  return 0;
}

// Lists the blocks of a row of contributions and empties the row.
HFI_FORCE_INLINE void list_contributions(const hfiBlockMatrix* B, hfiRoughPart* branch, int32_t k, int32_t* count) {
  for (int32_t word = k >> 6; word < B->words; ++word)
    for (; branch->row_pattern[word]; branch->row_pattern[word] &= branch->row_pattern[word] - 1) {
      int32_t j = 64 * word + __builtin_ctzll(branch->row_pattern[word]);
      branch->trunk_later[*count] = j, branch->trunk_at[*count] = branch->row_at[j];
      branch->row_at[j] = -1;
      *count += 1;
    }
}

// Computes what a branch, which is factored, contributes to the rows of the trunk.
HFI_FORCE_INLINE void collect_contributions(const hfiRoughFactors* F, const hfiBlockMatrix* B, hfiRoughPart* branch,
                                            int six) {
  int32_t trunk = trunk_of(B), count = 0;
  ActiveRow row = {.part = branch, .right = branch->trunk_right, .below = branch->trunk_below};
  memset(branch->trunk_pivot, 0, sizeof *branch->trunk_pivot * (F->pivot_at[B->nodes] - F->pivot_at[trunk]));
  for (row.k = trunk; row.k < B->nodes; ++row.k) {
    branch->trunk_start[row.k - trunk] = count;
    row.pivot = branch->trunk_pivot + (F->pivot_at[row.k] - F->pivot_at[trunk]);
    for (int32_t e = branch->column_last[row.k]; e >= 0; e = F->column_before[e]) subtract_earlier(F, B, &row, e, six);
    list_contributions(B, branch, row.k, &count);
  }
  branch->trunk_start[B->nodes - trunk] = count;
}

// Copies the diagonal of K for the positions from k on to before `end`.
static void copy_diagonal(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int32_t end, float* diagonal) {
  for (; k < end; ++k) {
    round_block(diagonal + F->first[k], 1, hfi_block_rows(B, k), hfi_block_stride(B, k) + 1, B->size[k], 1);
    for (int32_t i = F->first[k] + B->size[k]; i < F->first[k + 1]; ++i) diagonal[i] = 0;
  }
}

// Subtracts what the branches contribute to the diagonal of the trunk.
static void subtract_from_diagonal(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiRoughPart* trunk) {
  for (int32_t i = F->first[trunk_of(B)]; i < F->first[B->nodes]; ++i) {
    float whole = trunk->diagonal[i];
    for (int32_t b = 0; b < B->branches; ++b) trunk->diagonal[i] += F->part[b].diagonal[i] - whole;
  }
}

// Empties a part, and copies the diagonal of K.
static void begin_part(hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p) {
  hfiRoughPart* part = F->part + p;
  memset(part->row_pattern, 0, sizeof *part->row_pattern * (size_t)B->words);
  for (int32_t k = 0; k < B->nodes; ++k) part->column_last[k] = part->row_at[k] = -1;
  copy_diagonal(F, B, trunk_of(B), B->nodes, part->diagonal);
  if (p < B->branches)
    copy_diagonal(F, B, B->branch_start[p], B->branch_start[p + 1], part->diagonal);
  else
    subtract_from_diagonal(F, B, part);
}

// Places the pivots and the unknowns.
static void begin_factorisation(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric) {
  F->symmetric = symmetric;
  F->Y = F->storage;
  F->Z = symmetric ? F->Y : F->Y + F->capacity;
  F->first[0] = 0, F->pivot_at[0] = 0;
  for (int32_t k = 0; k < B->nodes; ++k) {
    F->first[k + 1] = F->first[k] + pad(B->size[k]);
    F->pivot_at[k + 1] = F->pivot_at[k] + (size_t)(B->size[k] * pad(B->size[k]));
  }
}

HFI_FORCE_INLINE int factor_part(hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, int six) {
  begin_part(F, B, p);
  int failed = factor_positions(F, B, p, six);
  if (!failed && p < B->branches) collect_contributions(F, B, F->part + p, six);
  return failed;
}

// What the workers share: the factors, the matrix, the right-hand side and the solution.
typedef struct Shared {
  hfiRoughFactors* F;
  const hfiBlockMatrix* B;
  const double* b;
  double* x;
  int failed[HFI_MAX_BRANCHES + 1];
} Shared;

// Factors a part of the matrix.
static void factor_shared(void* data, int p) {
  Shared* shared = data;
  shared->failed[p] = shared->B->all_six ? factor_part(shared->F, shared->B, p, 1) : factor_part(shared->F, shared->B, p, 0);
}

int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric, hfiWorkers* workers) {
  Shared shared = {.F = F, .B = B};
  begin_factorisation(F, B, symmetric);
  hfi_workers_run(workers, B->branches, factor_shared, &shared);
  for (int32_t b = 0; b < B->branches; ++b)
    if (shared.failed[b]) return shared.failed[b];
  factor_shared(&shared, B->branches);
  return shared.failed[B->branches];
}

// ---- solution ----------------------------------------------------------------------------------------

// z_k = T b_k,   b_j -= Z_kj^T z_k. F->x holds b, and z where that is known; trunk_x holds b of the trunk.
HFI_FORCE_INLINE void solve_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, const hfiRoughPart* part,
                                    int32_t k, float* trunk_x, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  int32_t trunk = trunk_of(B);
  float *x = F->x + first_unknown(F, k, six), *z = part->sums;
  combine_rows(z, x, 1, F->T_transposed + F->pivot_at[k], n, length, PRODUCT);
  memcpy(x, z, sizeof *x * (size_t)length);
  for (int32_t e = F->start[k]; e < F->end[k]; ++e) {
    int32_t j = F->later[e];
    combine_rows((j < trunk ? F->x : trunk_x) + first_unknown(F, j, six), x, 1, F->Z + F->block_at[e], n, row_length(B, j, six), SUBTRACTED);
  }
}

// A row times x is summed in PAD partial sums, number c of the row in sum c % PAD. These are one vector or two,
// whatever the machine has, so that the order of additions is the same on all machines.
enum { VECTORS = PAD / HFI_FLOATS }; // vectors of the partial sums of one row

// sums_i += A_i x for n rows A_i of ld numbers, in partial sums
HFI_FORCE_INLINE void add_products(hfiFloats* sums, const float* A, const float* x, int n, int ld) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < ld; c += HFI_FLOATS) sums[i * VECTORS + c / HFI_FLOATS % VECTORS] += load(A + i * ld + c) * load(x + c);
}

// Adds the PAD partial sums of a row.
HFI_FORCE_INLINE float add_partial_sums(const float* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// x_k = S^T (z_k - sum_j Y_kj x_j). F->x holds z, and x where that is known. The partial sums of six rows stay in
// registers.
HFI_FORCE_INLINE void solve_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, const hfiRoughPart* part,
                                     int32_t k, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  hfiFloats of_six[6 * VECTORS], *sums = six ? of_six : (hfiFloats*)part->sums;
  float *x = F->x + first_unknown(F, k, six), *stored = part->sums, *difference = part->sums;
  for (int i = 0; i < n * VECTORS; ++i) sums[i] = (hfiFloats){0};
  for (int32_t e = F->start[k]; e < F->end[k]; ++e) {
    int32_t j = F->later[e];
    add_products(sums, F->Y + F->block_at[e], F->x + first_unknown(F, j, six), n, row_length(B, j, six));
  }
  for (int i = 0; six && i < 6 * VECTORS; ++i) store(stored + i * HFI_FLOATS, sums[i]);
  for (int i = 0; i < n; ++i) difference[i] = x[i] - add_partial_sums(stored + i * PAD); // Number i overwrites sums of a row that is done.
  combine_rows(x, difference, 1, F->S + F->pivot_at[k], n, length, PRODUCT);
}

// Copies b to F->x for the positions of a part.
HFI_FORCE_INLINE void load_part(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, const double* b,
                                int six) {
  for (int32_t k = B->branch_start[p]; k < B->branch_start[p + 1]; ++k)
    round_block(F->x + first_unknown(F, k, six), row_length(B, k, six), b + B->first[k], 0, 1, size_of(B, k, six));
}

// Solves backwards for the positions of a part, and copies their solution from F->x to x.
HFI_FORCE_INLINE void solve_part_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, double* x,
                                          int six) {
  for (int32_t k = B->branch_start[p + 1] - 1; k >= B->branch_start[p]; --k) {
    solve_backward(F, B, F->part + p, k, six);
    for (int i = 0; i < size_of(B, k, six); ++i) x[B->first[k] + i] = F->x[first_unknown(F, k, six) + i];
  }
}

// Solves forwards for the positions of a branch.
HFI_FORCE_INLINE void solve_branch_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t branch,
                                           const double* b, int six) {
  const hfiRoughPart* part = F->part + branch;
  int32_t trunk = F->first[trunk_of(B)];
  memset(part->trunk_x, 0, sizeof *part->trunk_x * (size_t)(F->first[B->nodes] - trunk));
  load_part(F, B, branch, b, six);
  for (int32_t k = B->branch_start[branch]; k < B->branch_start[branch + 1]; ++k) solve_forward(F, B, part, k, part->trunk_x - trunk, six);
}

// Solves for the trunk, after the branches were solved forwards.
HFI_FORCE_INLINE void solve_trunk(const hfiRoughFactors* F, const hfiBlockMatrix* B, const double* b, double* x,
                                  int six) {
  int32_t p = B->branches, trunk = F->first[trunk_of(B)];
  load_part(F, B, p, b, six);
  for (int32_t branch = 0; branch < p; ++branch) add_numbers(F->x + trunk, F->part[branch].trunk_x, F->first[B->nodes] - trunk);
  for (int32_t k = B->branch_start[p]; k < B->branch_start[p + 1]; ++k) solve_forward(F, B, F->part + p, k, F->x, six);
  solve_part_backward(F, B, p, x, six);
}

static void solve_shared_forward(void* data, int branch) {
  const Shared* shared = data;
  if (shared->B->all_six)
    solve_branch_forward(shared->F, shared->B, branch, shared->b, 1);
  else
    solve_branch_forward(shared->F, shared->B, branch, shared->b, 0);
}

void hfi_rough_begin_solution(hfiRoughFactors* F, const hfiBlockMatrix* B, const double* b, double* x, hfiWorkers* workers) {
  Shared shared = {.F = F, .B = B, .b = b, .x = x};
  hfi_workers_run(workers, B->branches, solve_shared_forward, &shared);
  if (B->all_six)
    solve_trunk(F, B, b, x, 1);
  else
    solve_trunk(F, B, b, x, 0);
}

void hfi_rough_end_solution(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t branch, double* x) {
  if (B->all_six)
    solve_part_backward(F, B, branch, x, 1);
  else
    solve_part_backward(F, B, branch, x, 0);
}
