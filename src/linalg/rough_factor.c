// Rough factors of a block-sparse matrix K. rough_solve.c solves K x = b with them.
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
//   subtract_earlier             K_kk -= Z_ik^T Y_ik,   K_kj -= Z_ik^T Y_ij,   K_jk^T -= Y_ik^T Z_ij    for each i
//   invert_pivot                 T = L^-1 P,   S = U^-T    with P K_kk = L U
//   keep_couplings               Y_kj = T K_kj,   Z_kj = S K_jk^T    for each j that matters
//
// A symmetric K_kk = U^T D U has T = S = D^(-1/2) U^-T, and Z = Y.
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
// The parts are the branches (block_split.c) and the trunk. Branches are factored at the same time. Then each branch
// collects its contributions to the rows of the trunk (collect_contributions), and the trunk, which is factored last,
// adds them (add_contributions).
//
// The parameter `six` is a constant, 0 or 1. With 1 all nodes have six unknowns, as free bodies have, and the compiler
// writes out the loops over them.
#include "linalg/rough_kernels.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// A coupling is left out if it changes the diagonal by at most this share [-]. An unsymmetric K of a heap is stiffer,
// and its equations are solved more accurately.
static const float NEGLIGIBLE_SHARE_SYMMETRIC = 2e-4f;
static const float NEGLIGIBLE_SHARE = 5e-5f;
// A coupling is strong if it changes the diagonal by more than this share [-].
static const float STRONG_SHARE_SYMMETRIC = 1e-2f;
static const float STRONG_SHARE = 5e-3f;

// ---- storage -----------------------------------------------------------------------------------------

// Sizes of the parts of B, whose pattern is that of complete factors.
typedef struct Sizes {
  size_t entries, numbers;             // couplings, and numbers of their blocks, of all positions
  size_t pivots, unknowns;             // numbers of all pivots, of all padded unknowns
  size_t trunk_entries, trunk_numbers; // the same of the trunk alone
  size_t trunk_pivots, trunk_unknowns;
  size_t trunk_nodes;
  size_t widest;  // numbers of the widest row of blocks
  size_t largest; // unknowns of the largest node
} Sizes;

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

  if (k < hfi_block_trunk(B)) return;
  sizes->trunk_entries += entries;
  sizes->trunk_numbers += size * columns;
  sizes->trunk_pivots += size * length;
  sizes->trunk_unknowns += length;
  sizes->trunk_nodes += 1;
}

// Takes the storage that each part needs for itself.
static void plan_part(hfiRoughPart* part, const hfiBlockMatrix* B, const Sizes* sizes, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes;
  size_t n = sizes->largest;
  size_t length = (size_t)pad((int)n);
  HFI_TAKE_EACH(arena, float, sizes->widest, &part->K_right, &part->K_below);
  HFI_TAKE_EACH(arena, int32_t, nodes, &part->place, &part->column_last);
  part->row_pattern = HFI_TAKE(arena, uint64_t, B->graph.words);
  part->S_transposed = HFI_TAKE(arena, float, (n * length));
  part->pivot = HFI_TAKE(arena, double, (2 * n * n));
  part->inverse = HFI_TAKE(arena, double, (n * n));
  part->exchanges = HFI_TAKE(arena, int32_t, n);
  part->sums = HFI_TAKE(arena, float, (PAD * n));
  part->diagonal = HFI_TAKE(arena, float, sizes->unknowns);
}

// Takes the storage of what a branch contributes to the trunk.
static void plan_contributions(hfiRoughContributions* trunk, const Sizes* sizes, hfiArena* arena) {
  trunk->pivot = HFI_TAKE(arena, float, sizes->trunk_pivots);
  HFI_TAKE_EACH(arena, float, sizes->trunk_numbers, &trunk->right, &trunk->below);
  HFI_TAKE_EACH(arena, int32_t, sizes->trunk_entries, &trunk->later, &trunk->place);
  trunk->start = HFI_TAKE(arena, int32_t, sizes->trunk_nodes + 1);
  trunk->x = HFI_TAKE(arena, float, sizes->trunk_unknowns);
}

// Takes storage for the factors of B: first counts what each part needs.
void hfi_rough_plan(hfiRoughFactors* F, const hfiBlockMatrix* B, hfiArena* arena) {
  size_t nodes = (size_t)B->nodes;
  Sizes sizes = {0};
  for (int32_t p = 0; p <= B->branches.count; ++p) {
    F->part[p].first_entry = (int32_t)sizes.entries;
    F->part[p].first_number = sizes.numbers;
    for (int32_t k = B->branches.start[p]; k < B->branches.start[p + 1]; ++k) count_position(B, k, &sizes);
  }

  // the factors
  F->capacity = sizes.numbers;
  F->storage = HFI_TAKE(arena, float, 2 * sizes.numbers);
  HFI_TAKE_EACH(arena, float, sizes.pivots, &F->T_transposed, &F->S);
  F->pivot_start = HFI_TAKE(arena, size_t, nodes + 1);

  // their pattern
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &F->start, &F->end, &F->first);
  HFI_TAKE_EACH(arena, int32_t, sizes.entries, &F->later, &F->earlier, &F->column_before);
  HFI_TAKE_EACH(arena, int32_t, sizes.entries, &F->is_strong, &F->next_strong);
  F->block_start = HFI_TAKE(arena, size_t, sizes.entries);

  // vectors and parts
  F->x = HFI_TAKE(arena, float, sizes.unknowns);
  for (int32_t p = 0; p <= B->branches.count; ++p) plan_part(F->part + p, B, &sizes, arena);
  for (int32_t p = 0; p < B->branches.count; ++p) plan_contributions(&F->part[p].trunk, &sizes, arena);
}

// ---- row k of K --------------------------------------------------------------------------------------

// Row k of K, and what changes while position k is factored, beside the arrays of its part.
typedef struct ActiveRow {
  hfiRoughPart* part;           // the part that works on the row
  int32_t k;
  float *pivot, *right, *below; // K_kk, the blocks K_kj, the blocks K_jk^T
  int32_t used;                 // numbers of `right`, and of `below`, that are in use
  int32_t entry;                // the next entry
  size_t next_block;            // where the next kept blocks begin in Y and Z
} ActiveRow;

// Copies K_kk from K to the place of T^T, where it stays until invert_pivot replaces it.
HFI_FORCE_INLINE void load_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six);
  row->pivot = F->T_transposed + F->pivot_start[row->k];
  round_block(row->pivot, row_length(B, row->k, six), hfi_block_rows(B, row->k), n + B->width[row->k], n, n);
}

// Adds blocks of position j to row k. Returns where they begin in `right` and `below`. The caller sets their numbers.
HFI_FORCE_INLINE int32_t add_to_row(const hfiBlockMatrix* B, ActiveRow* row, int32_t j, int six) {
  int32_t place = row->used;
  row->used += size_of(B, row->k, six) * row_length(B, j, six);
  row->part->place[j] = place;
  row->part->row_pattern[j >> 6] |= (uint64_t)1 << (j & 63);
  return place;
}

// Copies all K_kj and K_jk^T from K to the row, which was empty. If K is symmetric, only the K_kj.
HFI_FORCE_INLINE void load_couplings(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int32_t k = row->k;
  int n = size_of(B, k, six);
  int w = B->width[k];
  const double* rows = hfi_block_rows(B, k);
  const double* lower = rows + n * (n + w);

  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e];
    int m = size_of(B, j, six);
    int ld = row_length(B, j, six);
    int32_t place = add_to_row(B, row, j, six);
    round_block(row->right + place, ld, rows + n + B->offset[e], n + w, n, m);
    if (!F->symmetric) round_block(row->below + place, ld, lower + B->offset[e], w, n, m);
  }
}

// Subtracts what position i, the earlier one of entry e = (i, k), contributes to row k. The entries f = (i, j) after e
// have j > k. If e is weak, only strong
// entries (i, j) contribute to K_kj. Where row k has no blocks of position j yet, the contribution makes them.
HFI_FORCE_INLINE void subtract_earlier(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t e,
                                       int six) {
  int32_t i = F->earlier[e];
  int32_t k = row->k;
  int n = size_of(B, i, six);
  int m = size_of(B, k, six);
  int length = row_length(B, k, six);
  const float* Y_ik = F->Y + F->block_start[e];
  const float* Z_ik = F->Z + F->block_start[e];

  // K_kk -= Z_ik^T Y_ik
  multiply(row->pivot, Z_ik, Y_ik, n, m, length, length, SUBTRACTED, six);

  // K_kj -= Z_ik^T Y_ij,   K_jk^T -= Y_ik^T Z_ij
  int all = F->is_strong[e]; // whether weak entries (i, j) contribute, too
  for (int32_t f = all ? e + 1 : F->next_strong[e]; f < F->end[i]; f = all ? f + 1 : F->next_strong[f]) {
    int32_t j = F->later[f];
    int32_t place = row->part->place[j];
    int32_t ld = row_length(B, j, six);
    const float* Y_ij = F->Y + F->block_start[f];
    const float* Z_ij = F->Z + F->block_start[f];

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

// ---- the pivot ---------------------------------------------------------------------------------------

// Replaces a symmetric K_kk of six unknowns by T^T, and computes S = T. Returns 1 if a pivot is bad. A has room for 12
// rows of six numbers.
static int invert_symmetric_six(float* restrict K_kk, float* restrict S_k, double* restrict A) {
  double* T = A + 36;
  for (int i = 0; i < 6; ++i)
    for (int c = i; c < 6; ++c) A[6 * i + c] = K_kk[PAD * i + c]; // The factorisation reads the upper triangle.

  // T = D^(-1/2) U^-T; the factorisation leaves D^-1 on the diagonal of A
  if (hfi_ldlt_beside(A, 6, 6, 6, 1)) return 1;
  hfi_six_invert_transposed(A, 6, T);
  for (int i = 0; i < 6; ++i) hfi_scale(T + 6 * i, sqrt(A[7 * i]), T + 6 * i, 6);

  round_block(S_k, PAD, T, 6, 6, 6);
  round_transposed(K_kk, PAD, T, 6, 6);
  return 0;
}

// Replaces K_kk by T^T, and computes S, and S^T if K is not symmetric. Returns 1 if a pivot is bad. Rows of A and T lie
// 2 n numbers apart, rows of K_kk and S_k ld.
HFI_FORCE_INLINE int invert_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  int n = size_of(B, row->k, six);
  int ld = row_length(B, row->k, six);
  float* K_kk = row->pivot;
  float* S_k = F->S + F->pivot_start[row->k];
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
    // T = S = D^(-1/2) U^-T; the factorisation leaves D^-1 on the diagonal of A
    if (hfi_ldlt_beside(A, n, 2 * n, 2 * n, 1)) return 1;
    for (int i = 0; i < n; ++i) hfi_scale(T + 2 * n * i, sqrt(A[(2 * n + 1) * i]), T + 2 * n * i, n);
    round_block(S_k, ld, T, 2 * n, n, n);
  } else {
    // T = L^-1 P,   S = U^-T
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

// ---- the couplings that are kept ---------------------------------------------------------------------

// Is any lane of a mask set?
static inline int is_any_set(hfiFloatBits mask) {
  uint64_t words[sizeof mask / sizeof(uint64_t)];
  uint64_t any = 0;
  memcpy(words, &mask, sizeof mask);
  for (size_t i = 0; i < sizeof mask / sizeof(uint64_t); ++i) any |= words[i];
  return any != 0;
}

typedef enum CouplingStrength { NEGLIGIBLE, WEAK, STRONG } CouplingStrength;

// Finds the strength of the coupling with the blocks Z and Y (n x ld), and subtracts the diagonal of Z^T Y from the
// diagonal of K_jj (ld) unless it is negligible. updated (ld) is scratch. subtracting: number of parts that subtract
// from K_jj at the same time. A part does not see what the others subtract, so that its own share of the diagonal must
// be smaller.
HFI_FORCE_INLINE CouplingStrength update_diagonal(const hfiRoughFactors* F, float* updated, const float* Z,
                                                  const float* Y, int n, int ld, float* diagonal, int subtracting) {
  float negligible = (F->symmetric ? NEGLIGIBLE_SHARE_SYMMETRIC : NEGLIGIBLE_SHARE) / (float)subtracting;
  float large = (F->symmetric ? STRONG_SHARE_SYMMETRIC : STRONG_SHARE) / (float)subtracting;
  hfiFloatBits matters = {0}; // by column: whether the change is not negligible, and whether it is large
  hfiFloatBits is_strong = {0};

  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats before = load(diagonal + c);
    hfiFloats after = before;
    hfiFloats change = {0};
    for (int i = 0; i < n; ++i) {
      hfiFloats product = load(Z + i * ld + c) * load(Y + i * ld + c);
      after -= product;
      change += hfi_absolute(product);
    }
    matters |= ~(change <= negligible * hfi_absolute(before));
    is_strong |= change > large * hfi_absolute(before);
    store(updated + c, after);
  }

  if (!is_any_set(matters)) return NEGLIGIBLE;
  memcpy(diagonal, updated, sizeof *diagonal * (size_t)ld);
  return is_any_set(is_strong) ? STRONG : WEAK;
}

// Sets next_strong of the entries of position k.
HFI_FORCE_INLINE void link_strong_entries(hfiRoughFactors* F, int32_t k) {
  int32_t strong = F->end[k]; // the strong entry after e
  for (int32_t e = F->end[k] - 1; e >= F->start[k]; --e) {
    F->next_strong[e] = strong;
    if (F->is_strong[e]) strong = e;
  }
}

// Number of parts that subtract from K_jj while position k < j is factored.
HFI_FORCE_INLINE int count_subtracting(const hfiBlockMatrix* B, int32_t k, int32_t j) {
  int32_t trunk = hfi_block_trunk(B);
  return k < trunk && j >= trunk ? B->branches.count : 1;
}

// Computes Y_kj and Z_kj for all blocks of row k, j ascending, and makes entries of those that matter. Empties the row.
// length, ld: lengths of padded rows of position k and of position j.
HFI_FORCE_INLINE void keep_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int six) {
  hfiRoughPart* part = row->part;
  int32_t k = row->k;
  int n = size_of(B, k, six);
  int length = row_length(B, k, six);
  F->start[k] = row->entry;

  // the bits of row_pattern are the positions j
  for (int32_t word = k >> 6; word < B->graph.words; ++word)
    for (uint64_t* bits = part->row_pattern + word; *bits; *bits &= *bits - 1) {
      int32_t j = 64 * word + __builtin_ctzll(*bits);
      int32_t ld = row_length(B, j, six);
      float* Y = F->Y + row->next_block;
      float* Z = F->Z + row->next_block;

      // Y_kj = T K_kj,   Z_kj = S K_jk^T
      if (F->symmetric)
        multiply_triangular(Y, row->pivot, row->right + part->place[j], n, length, ld, six);
      else {
        multiply(Y, row->pivot, row->right + part->place[j], n, n, length, ld, PRODUCT, six);
        multiply_triangular(Z, part->S_transposed, row->below + part->place[j], n, length, ld, six);
      }
      part->place[j] = -1;

      // Blocks that do not matter are overwritten by the next ones: they get no entry.
      float* diagonal = part->diagonal + first_unknown(F, j, six);
      CouplingStrength strength = update_diagonal(F, part->sums, Z, Y, n, ld, diagonal, count_subtracting(B, k, j));
      if (strength == NEGLIGIBLE) continue;

      int32_t entry = row->entry;
      F->later[entry] = j;
      F->earlier[entry] = k;
      F->block_start[entry] = row->next_block;
      F->is_strong[entry] = strength == STRONG;
      F->column_before[entry] = part->column_last[j];
      part->column_last[j] = entry;
      row->entry += 1;
      row->next_block += (size_t)(n * ld);
    }

  F->end[k] = row->entry;
  link_strong_entries(F, k);
}

// ---- what branches contribute to the trunk -----------------------------------------------------------

// Where the pivot of position k of the trunk begins in hfiRoughContributions.pivot.
HFI_FORCE_INLINE size_t trunk_pivot_start(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k) {
  return F->pivot_start[k] - F->pivot_start[hfi_block_trunk(B)];
}

// Computes what a branch, which is factored, contributes to the rows of the trunk: collects each of these rows from
// zeros, in the place of row k of K, and lists its blocks.
HFI_FORCE_INLINE void collect_contributions(const hfiRoughFactors* F, const hfiBlockMatrix* B, hfiRoughPart* branch,
                                            int six) {
  hfiRoughContributions* out = &branch->trunk;
  int32_t trunk = hfi_block_trunk(B);
  int32_t count = 0;
  ActiveRow row = {.part = branch, .right = out->right, .below = out->below};
  memset(out->pivot, 0, sizeof *out->pivot * trunk_pivot_start(F, B, B->nodes));

  for (row.k = trunk; row.k < B->nodes; ++row.k) {
    out->start[row.k - trunk] = count;
    row.pivot = out->pivot + trunk_pivot_start(F, B, row.k);
    for (int32_t e = branch->column_last[row.k]; e >= 0; e = F->column_before[e]) subtract_earlier(F, B, &row, e, six);

    // list the blocks and empty the row
    for (int32_t word = row.k >> 6; word < B->graph.words; ++word)
      for (uint64_t* bits = branch->row_pattern + word; *bits; *bits &= *bits - 1) {
        int32_t j = 64 * word + __builtin_ctzll(*bits);
        out->later[count] = j;
        out->place[count] = branch->place[j];
        branch->place[j] = -1;
        count += 1;
      }
  }
  out->start[B->nodes - trunk] = count;
}

// Adds blocks of zeros of position j to row k. Returns where they begin.
HFI_FORCE_INLINE int32_t add_zeros_to_row(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row, int32_t j,
                                          int six) {
  size_t bytes = sizeof(float) * (size_t)(size_of(B, row->k, six) * row_length(B, j, six));
  int32_t place = add_to_row(B, row, j, six);
  memset(row->right + place, 0, bytes);
  if (!F->symmetric) memset(row->below + place, 0, bytes);
  return place;
}

// Adds what a branch contributes to row k of the trunk.
HFI_FORCE_INLINE void add_contributions(const hfiRoughFactors* F, const hfiBlockMatrix* B, ActiveRow* row,
                                        const hfiRoughContributions* branch, int six) {
  int32_t k = row->k;
  int32_t i = k - hfi_block_trunk(B);
  int n = size_of(B, k, six);
  add_numbers(row->pivot, branch->pivot + trunk_pivot_start(F, B, k), n * row_length(B, k, six));

  for (int32_t c = branch->start[i]; c < branch->start[i + 1]; ++c) {
    int32_t j = branch->later[c];
    int32_t from = branch->place[c];
    int32_t place = row->part->place[j];
    int32_t count = n * row_length(B, j, six);
    if (place < 0) place = add_zeros_to_row(F, B, row, j, six);
    add_numbers(row->right + place, branch->right + from, count);
    if (!F->symmetric) add_numbers(row->below + place, branch->below + from, count);
  }
}

// ---- the parts ---------------------------------------------------------------------------------------

// Copies the diagonal of K for the positions from k on to before `end`, padded with zeros.
static void copy_diagonal(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int32_t end, float* diagonal) {
  for (; k < end; ++k) {
    round_block(diagonal + F->first[k], 1, hfi_block_rows(B, k), hfi_block_stride(B, k) + 1, B->size[k], 1);
    for (int32_t i = F->first[k] + B->size[k]; i < F->first[k + 1]; ++i) diagonal[i] = 0;
  }
}

// Empties part p, and sets its diagonal: of a branch, the diagonal of K for its positions and the trunk; of the trunk,
// the diagonal of K less what all branches contribute to it.
static void begin_part(hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p) {
  hfiRoughPart* part = F->part + p;
  memset(part->row_pattern, 0, sizeof *part->row_pattern * (size_t)B->graph.words);
  for (int32_t k = 0; k < B->nodes; ++k) {
    part->column_last[k] = -1;
    part->place[k] = -1;
  }

  copy_diagonal(F, B, hfi_block_trunk(B), B->nodes, part->diagonal);
  if (p < B->branches.count) {
    copy_diagonal(F, B, B->branches.start[p], B->branches.start[p + 1], part->diagonal);
    return;
  }

  for (int32_t i = F->first[hfi_block_trunk(B)]; i < F->first[B->nodes]; ++i) {
    float whole = part->diagonal[i];
    for (int32_t b = 0; b < B->branches.count; ++b) part->diagonal[i] += F->part[b].diagonal[i] - whole;
  }
}

// Factors part p, and collects what it contributes to the trunk. Returns 0, or k + 1 if a pivot of position k failed.
HFI_FORCE_INLINE int factor_part(hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t p, int six) {
  hfiRoughPart* part = F->part + p;
  int is_trunk = p == B->branches.count;
  ActiveRow row = {.part = part, .right = part->K_right, .below = part->K_below};
  row.entry = part->first_entry;
  row.next_block = part->first_number;
  begin_part(F, B, p);

  for (row.k = B->branches.start[p]; row.k < B->branches.start[p + 1]; ++row.k) {
    // row k of K, less what the earlier positions contribute to it
    row.used = 0;
    load_pivot(F, B, &row, six);
    load_couplings(F, B, &row, six);
    for (int32_t b = 0; is_trunk && b < B->branches.count; ++b) add_contributions(F, B, &row, &F->part[b].trunk, six);
    for (int32_t e = part->column_last[row.k]; e >= 0; e = F->column_before[e]) subtract_earlier(F, B, &row, e, six);

    // its factors
    if (invert_pivot(F, B, &row, six) && invert_original_pivot(F, B, &row, six)) return row.k + 1;
    keep_couplings(F, B, &row, six);
  }

  if (!is_trunk) collect_contributions(F, B, part, six);
  return 0;
}

// What the parts share.
typedef struct Factorisation {
  hfiRoughFactors* F;
  const hfiBlockMatrix* B;
  int failed[HFI_MAX_BRANCHES + 1]; // by part: what factor_part returned
} Factorisation;

// Factors part p, with a constant for the size of the nodes.
static void factor_shared(void* data, int p) {
  Factorisation* shared = data;
  if (shared->B->all_six)
    shared->failed[p] = factor_part(shared->F, shared->B, p, 1);
  else
    shared->failed[p] = factor_part(shared->F, shared->B, p, 0);
}

// Factors B: the branches at the same time, then the trunk. Returns 0, or k + 1 if a pivot of position k failed.
int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric, hfiWorkers* workers) {
  F->symmetric = symmetric;
  F->Y = F->storage;
  F->Z = symmetric ? F->Y : F->Y + F->capacity;

  // where pivots and unknowns of each position begin
  F->first[0] = 0;
  F->pivot_start[0] = 0;
  for (int32_t k = 0; k < B->nodes; ++k) {
    F->first[k + 1] = F->first[k] + pad(B->size[k]);
    F->pivot_start[k + 1] = F->pivot_start[k] + (size_t)(B->size[k] * pad(B->size[k]));
  }

  Factorisation shared = {.F = F, .B = B};
  hfi_workers_run(workers, B->branches.count, factor_shared, &shared);
  for (int32_t b = 0; b < B->branches.count; ++b)
    if (shared.failed[b]) return shared.failed[b];

  factor_shared(&shared, B->branches.count);
  return shared.failed[B->branches.count];
}
