// Rough factors of a block-sparse matrix and the solution with them. For each position k in turn, with i < k an earlier position coupled to it and j > k a
// later one:
//
//   subtract_earlier   K_kk -= Z_ik^T Y_ik,   K_kj -= Z_ik^T Y_ij,   K_jk^T -= Y_ik^T Z_ij
//   invert_pivot       T = L^-1 P,   S = U^-T                         where P K_kk = L U
//   keep_couplings     Y_kj = T K_kj,   Z_kj = S K_jk^T               of those j alone where this matters
//
// A symmetric K_kk = U^T D U has T = S = D^(-1/2) U^-T, and Z = Y. Solving K x = b:
//
//   solve_forward      z_k = T b_k,   b_j -= Z_kj^T z_k               k ascending
//   solve_backward     x_k = S^T (z_k - sum_j Y_kj x_j)               k descending
//
// block_factor.c has the same factors, without gaps, and subtracts from later positions what a position contributes to them. Here a position collects the
// contributions of earlier ones, in blocks that stay in the fastest cache, and only what is kept is written, one block after the other. Which blocks there
// are is found on the way. A coupling of k and j is left out where no number on the diagonal of K_jj would change by more than a negligible share of it:
//
//   sum_i |Z_ic Y_ic| <= share |(K_jj)_cc|   for all columns c
//
// The sum has the unit of the diagonal, whatever those of the rows are. The same sum says whether a coupling that is kept is strong or weak. Where i is
// coupled weakly both to k and to j, what it contributes to K_kj is left out, too: most contributions are of that kind.
//
// In the functions below six = 1, a constant, says that all nodes have six unknowns, as free bodies have.
#include "linalg/rough_factor.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// What share is negligible, if K is symmetric and if it is not [-]. An unsymmetric K of a heap is stiffer, and its equations are solved more accurately.
static const float NEGLIGIBLE_SYMMETRIC = 2e-4f, NEGLIGIBLE = 5e-5f;
// A coupling is strong above this share [-].
static const float STRONG_SYMMETRIC = 1e-2f, STRONG = 5e-3f;

enum { PAD = 8 }; // Rows of blocks have a multiple of so many numbers. The last ones are zero.

// ---- storage -----------------------------------------------------------------------------------------

static int pad(int size) { return (size + PAD - 1) / PAD * PAD; }

// Unknowns of position k, and numbers in the row of a block whose columns are these.
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
  F->half = numbers;
  F->storage = HFI_TAKE(arena, float, 2 * numbers);
  HFI_TAKE_EACH(arena, float, pivots, &F->left, &F->right);
  HFI_TAKE_EACH(arena, int32_t, nodes + 1, &F->start, &F->first, &F->last, &F->place);
  HFI_TAKE_EACH(arena, int32_t, entries, &F->later, &F->earlier, &F->next, &F->is_strong, &F->strong);
  F->pivot_at = HFI_TAKE(arena, size_t, nodes + 1);
  F->at = HFI_TAKE(arena, size_t, entries);
  F->open = HFI_TAKE(arena, uint64_t, B->words);
  HFI_TAKE_EACH(arena, float, widest, &F->beside, &F->below);
  HFI_TAKE_EACH(arena, float, unknowns, &F->diagonal, &F->x);
  F->sums = HFI_TAKE(arena, float, PAD * largest);
  F->turned = HFI_TAKE(arena, float, largest * (size_t)pad((int)largest));
  F->pivot = HFI_TAKE(arena, double, 2 * largest * largest);
  F->inverse = HFI_TAKE(arena, double, largest * largest);
}

// ---- products ----------------------------------------------------------------------------------------

static inline hfiFloats load(const float* x) { return *(const hfiFloats*)x; }
static inline void store(float* y, hfiFloats a) { *(hfiFloats*)y = a; }

// Some columns of C = A^T X, or of C -= A^T X with `subtracts`, of blocks of six rows.
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

// y = sum_i a_i A_i, or y -= that sum with `subtracts`, of n rows A_i of ld numbers. The a_i are `step` numbers apart.
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

// C (m x ld) = A^T X, or C -= A^T X, with the first m columns of A (n x lda) and X (n x ld)
HFI_COPIED void multiply(float* C, const float* A, const float* X, int n, int m, int lda, int ld, int subtracts, int six) {
  for (int c = 0; six && c < PAD; c += HFI_FLOATS) multiply_six(C + c, A, X + c, subtracts);
  for (int i = 0; !six && i < m; ++i) combine_rows(C + i * ld, A + i, lda, X, n, ld, subtracts);
}

// ---- factorisation -----------------------------------------------------------------------------------

// The position that is being factored.
typedef struct activeRow {
  int32_t k, used; // used: numbers of `beside` and of `below`
  size_t at;       // where the next block of the factors goes
} activeRow;

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

// C (8) = X (6), with zeros beside it
static inline void round_six(float* C, const double* X) {
  hfiFour last = {X[4], X[5], 0, 0};
  *(FourFloats*)C = __builtin_convertvector(*(const hfiFour*)X, FourFloats);
  *(FourFloats*)(C + 4) = __builtin_convertvector(last, FourFloats);
}

// C (n x ld) = X (n x m), with zeros beside it
HFI_COPIED void round_block(float* C, int ld, const double* X, int ldx, int n, int m) {
  for (int i = 0; m == 6 && ld == PAD && i < n; ++i) round_six(C + i * ld, X + i * ldx);
  if (m == 6 && ld == PAD) return;
  for (int i = 0; i < n; ++i, C += ld, X += ldx) {
    for (int c = 0; c < m; ++c) C[c] = (float)X[c];
    for (int c = m; c < ld; ++c) C[c] = 0;
  }
}

// Opens a coupling with position j. Returns where its blocks are.
HFI_COPIED int32_t open_coupling(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int32_t j, int six) {
  int32_t place = w->used;
  w->used += size_of(B, w->k, six) * row_length(B, j, six);
  F->place[j] = place;
  F->open[j >> 6] |= (uint64_t)1 << (j & 63);
  return place;
}

// Takes the block K_kk of the position from K.
HFI_COPIED void take_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int six) {
  int n = size_of(B, w->k, six);
  round_block(F->left + F->pivot_at[w->k], row_length(B, w->k, six), hfi_block_rows(B, w->k), n + B->width[w->k], n, n);
}

// Takes the blocks beside it.
HFI_COPIED void take_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int six) {
  int32_t k = w->k;
  int n = size_of(B, k, six), ld = n + B->width[k];
  const double *rows = hfi_block_rows(B, k), *lower = rows + n * ld;
  for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e) {
    int32_t j = B->later[e], m = size_of(B, j, six), length = row_length(B, j, six), place = open_coupling(F, B, w, j, six);
    round_block(F->beside + place, length, rows + n + B->offset[e], ld, n, m);
    if (!F->symmetric) round_block(F->below + place, length, lower + B->offset[e], ld - n, n, m);
  }
}

// Subtracts what the earlier position of entry e contributes.
HFI_COPIED void subtract_earlier(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int32_t e, int six) {
  int32_t i = F->earlier[e], k = w->k;
  int n = size_of(B, i, six), m = size_of(B, k, six), length = row_length(B, k, six);
  const float *Y = F->upper + F->at[e], *Z = F->lower + F->at[e];
  int any = F->is_strong[e]; // Does it contribute to couplings of any strength?
  multiply(F->left + F->pivot_at[k], Z, Y, n, m, length, length, 1, six);
  for (int32_t f = any ? e + 1 : F->strong[e]; f < F->start[i + 1]; f = any ? f + 1 : F->strong[f]) {
    int32_t j = F->later[f], place = F->place[j], ld = row_length(B, j, six);
    if (place < 0) {
      place = open_coupling(F, B, w, j, six);
      memset(F->beside + place, 0, sizeof(float) * (size_t)(m * ld));
      if (!F->symmetric) memset(F->below + place, 0, sizeof(float) * (size_t)(m * ld));
    }
    multiply(F->beside + place, Z, F->upper + F->at[f], n, m, length, ld, 1, six);
    if (!F->symmetric) multiply(F->below + place, Y, F->lower + F->at[f], n, m, length, ld, 1, six);
  }
}

// C (n x ld) = X^T, X (n x n), with zeros beside it
HFI_COPIED void round_transposed(float* C, int ld, const double* X, int ldx, int n) {
  for (int c = 0; c < n; ++c, C += ld) {
    for (int i = 0; i < n; ++i) C[i] = (float)X[i * ldx + c];
    for (int i = n; i < ld; ++i) C[i] = 0;
  }
}

// Replaces K_kk by T^T, and computes S and S^T.
HFI_COPIED int invert_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int six) {
  int n = size_of(B, w->k, six), ld = row_length(B, w->k, six);
  float *K = F->left + F->pivot_at[w->k], *right = F->right + F->pivot_at[w->k];
  double *A = F->pivot, *S = F->inverse;
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < n; ++c) A[2 * n * i + c] = K[ld * i + c], A[2 * n * i + n + c] = S[n * i + c] = i == c;
  if (F->symmetric) {
    if (hfi_ldlt_beside(A, n, 2 * n, 2 * n, 1)) return 1;
    for (int i = 0; i < n; ++i) hfi_scale(A + 2 * n * i + n, sqrt(A[(2 * n + 1) * i]), A + 2 * n * i + n, n);
    round_block(right, ld, A + n, 2 * n, n, n);
  } else {
    if (hfi_lu_beside(A, n, 2 * n, 2 * n, B->pivot)) return 1;
    hfi_lu_divide(A, n, 2 * n, S, n, n);
    round_block(right, ld, S, n, n, n);
    round_transposed(F->turned, ld, S, n, n);
  }
  round_transposed(K, ld, A + n, 2 * n, n);
  return 0;
}

// The same of K_kk without what earlier positions contribute. Where K is nearly singular, rounding and what was left out may make an indefinite pivot of a
// positive one. Iterations make up for this one, too.
HFI_CALLED static int invert_first_pivot(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int six) {
  take_pivot(F, B, w, six);
  return invert_pivot(F, B, w, six);
}

// Is any lane of a mask set?
static inline int is_any(hfiFloatBits mask) {
  uint64_t words[sizeof mask / sizeof(uint64_t)], any = 0;
  memcpy(words, &mask, sizeof mask);
  for (size_t i = 0; i < sizeof mask / sizeof(uint64_t); ++i) any |= words[i];
  return any != 0;
}

// What a coupling changes.
typedef enum couplingStrength { NOTHING, WEAKLY, STRONGLY } couplingStrength;

// Subtracts the diagonal of Z^T Y, with Z and Y (n x ld), from that of K_jj, and leaves that where it would hardly change.
HFI_COPIED couplingStrength change_diagonal(const hfiRoughFactors* F, const float* Z, const float* Y, int n, int ld, float* diagonal) {
  float share = F->symmetric ? NEGLIGIBLE_SYMMETRIC : NEGLIGIBLE, large = F->symmetric ? STRONG_SYMMETRIC : STRONG, *changed = F->sums;
  hfiFloatBits matters = {0}, strong = {0};
  for (int c = 0; c < ld; c += HFI_FLOATS) {
    hfiFloats before = load(diagonal + c), after = before, size = {0};
    for (int i = 0; i < n; ++i) {
      hfiFloats product = load(Z + i * ld + c) * load(Y + i * ld + c);
      after -= product, size += hfi_absolute(product);
    }
    matters |= ~(size <= share * hfi_absolute(before)), strong |= size > large * hfi_absolute(before);
    store(changed + c, after);
  }
  if (!is_any(matters)) return NOTHING;
  memcpy(diagonal, changed, sizeof *diagonal * (size_t)ld);
  return is_any(strong) ? STRONGLY : WEAKLY;
}

// Computes Y and Z of all open couplings in the order of positions, and keeps those that matter.
HFI_COPIED void keep_couplings(hfiRoughFactors* F, const hfiBlockMatrix* B, activeRow* w, int six) {
  int32_t k = w->k, entry = F->start[k];
  int n = size_of(B, k, six), length = row_length(B, k, six);
  const float* T = F->left + F->pivot_at[k];
  for (int32_t word = k >> 6; word < B->words; ++word)
    for (; F->open[word]; F->open[word] &= F->open[word] - 1) {
      int32_t j = 64 * word + __builtin_ctzll(F->open[word]), ld = row_length(B, j, six);
      float *Y = F->upper + w->at, *Z = F->lower + w->at;
      multiply(Y, T, F->beside + F->place[j], n, n, length, ld, 0, six);
      if (!F->symmetric) multiply(Z, F->turned, F->below + F->place[j], n, n, length, ld, 0, six);
      F->place[j] = -1;
      couplingStrength strength = change_diagonal(F, Z, Y, n, ld, F->diagonal + first_unknown(F, j, six));
      if (strength == NOTHING) continue;
      F->later[entry] = j, F->earlier[entry] = k, F->at[entry] = w->at, F->is_strong[entry] = strength == STRONGLY;
      F->next[entry] = F->last[j], F->last[j] = entry;
      entry += 1;
      w->at += (size_t)(n * ld);
    }
  F->start[k + 1] = entry;
  for (int32_t e = entry - 1, strong = entry; e >= F->start[k]; --e) {
    F->strong[e] = strong;
    if (F->is_strong[e]) strong = e;
  }
}

HFI_COPIED int factor_nodes(hfiRoughFactors* F, const hfiBlockMatrix* B, int six) {
  activeRow w = {0, 0, 0};
  for (; w.k < B->nodes; ++w.k) {
    w.used = 0;
    take_pivot(F, B, &w, six);
    take_couplings(F, B, &w, six);
    for (int32_t e = F->last[w.k]; e >= 0; e = F->next[e]) subtract_earlier(F, B, &w, e, six);
    if (invert_pivot(F, B, &w, six) && invert_first_pivot(F, B, &w, six)) return w.k + 1;
    keep_couplings(F, B, &w, six);
  }
  return 0;
}

// Begins without entries, and with the diagonal of K.
static void begin(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric) {
  F->symmetric = symmetric;
  F->upper = F->storage;
  F->lower = symmetric ? F->upper : F->upper + F->half;
  F->start[0] = F->first[0] = 0, F->pivot_at[0] = 0;
  memset(F->open, 0, sizeof *F->open * (size_t)B->words);
  for (int32_t k = 0; k < B->nodes; ++k) {
    F->last[k] = F->place[k] = -1;
    F->first[k + 1] = F->first[k] + pad(B->size[k]);
    F->pivot_at[k + 1] = F->pivot_at[k] + (size_t)(B->size[k] * pad(B->size[k]));
    round_block(F->diagonal + F->first[k], 1, hfi_block_rows(B, k), hfi_block_stride(B, k) + 1, B->size[k], 1);
    for (int32_t i = F->first[k] + B->size[k]; i < F->first[k + 1]; ++i) F->diagonal[i] = 0;
  }
}

int hfi_rough_factor(hfiRoughFactors* F, const hfiBlockMatrix* B, int symmetric) {
  begin(F, B, symmetric);
  return B->all_six ? factor_nodes(F, B, 1) : factor_nodes(F, B, 0);
}

// ---- solution ----------------------------------------------------------------------------------------

HFI_COPIED void solve_forward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  float *x = F->x + first_unknown(F, k, six), *z = F->sums;
  combine_rows(z, x, 1, F->left + F->pivot_at[k], n, length, 0);
  memcpy(x, z, sizeof *x * (size_t)length);
  for (int32_t e = F->start[k]; e < F->start[k + 1]; ++e) {
    int32_t j = F->later[e];
    combine_rows(F->x + first_unknown(F, j, six), x, 1, F->lower + F->at[e], n, row_length(B, j, six), 1);
  }
}

// Sums of products have eight parts, which are one vector or two.
enum { PARTS = PAD / HFI_FLOATS };

// sums_i += A_i x for n rows A_i of ld numbers, part by part
HFI_COPIED void add_products(hfiFloats* sums, const float* A, const float* x, int n, int ld) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < ld; c += HFI_FLOATS) sums[i * PARTS + c / HFI_FLOATS % PARTS] += load(A + i * ld + c) * load(x + c);
}

HFI_COPIED void clear_sums(hfiFloats* sums, int n) {
  for (int i = 0; i < n * PARTS; ++i) sums[i] = (hfiFloats){0};
}

// The sum of the parts of a row.
HFI_COPIED float add_parts(const float* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

HFI_COPIED void solve_backward(const hfiRoughFactors* F, const hfiBlockMatrix* B, int32_t k, int six) {
  int n = size_of(B, k, six), length = row_length(B, k, six);
  hfiFloats of_six[6 * PARTS], *sums = six ? of_six : (hfiFloats*)F->sums;
  float *x = F->x + first_unknown(F, k, six), *parts = F->sums;
  clear_sums(sums, n);
  for (int32_t e = F->start[k]; e < F->start[k + 1]; ++e) {
    int32_t j = F->later[e];
    add_products(sums, F->upper + F->at[e], F->x + first_unknown(F, j, six), n, row_length(B, j, six));
  }
  for (int i = 0; six && i < 6 * PARTS; ++i) store(parts + i * HFI_FLOATS, sums[i]);
  for (int i = 0; i < n; ++i) parts[i] = x[i] - add_parts(parts + i * PAD); // The parts of further rows are behind.
  combine_rows(x, parts, 1, F->right + F->pivot_at[k], n, length, 0);
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
