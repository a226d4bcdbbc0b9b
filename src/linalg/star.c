// The pattern of a star, and its factors, which are computed limb by limb and the hub at last.
//
// With l for the unknowns of a limb and h for those of the hub, the matrix has the blocks A_ll, A_lh, A_hl and A_hh; those between two limbs are zero.
// Each limb is eliminated by itself. What is left for the hub is the Schur complement S:
//
//   A_ll = L U,   Y = L^-1 A_lh,   Z = (A_hl U^-1)^T,   S = A_hh - sum over limbs of Z^T Y
//
// A symmetric A has U = D L^T and Z = D^-1 Y. A x = b is solved from the limbs to the hub and back:
//
//   z_l = L^-1 b_l,   x_h = S^-1 (b_h - sum over limbs of Z^T z_l),   x_l = U^-1 (z_l - Y x_h)
//
// What it gains: dense factors of a quadruped's 18 unknowns have 12 x 12 numbers for its legs, of which 36 are not zero.
//
// Why there is a waist: arms that share a waist would be one limb with it, which is too long. A limb that is not coupled to the waist has zeros in its columns
// of Y and Z, which are neither stored nor computed.
//
// Layout. Each row of a limb takes ROW numbers: its row of L and U, with 1/U_ii on the diagonal; its row of Y; its row of Z. The latter two, and rows of S, are
// filled up with zeros, so that they are whole vectors of four. Rows of S are WIDEST apart.
//
// Rows of a limb are not exchanged. A pivot may be much smaller than a number below it only where friction makes A unsymmetric: then the factorisation fails, and
// the caller uses a dense one (threshold pivoting: Duff, Erisman and Reid, Direct Methods for Sparse Matrices, section 5.2).
#include "linalg/star.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum {
  WIDE = 8,                               // numbers of a row of Y or Z of a limb that is coupled to the trunk alone
  WIDEST = HFI_TRUNK + HFI_LONGEST_WAIST, // the same where it is coupled to the waist, too
  Y_AT = HFI_LONGEST_LIMB,                // where Y begins in a row of a limb; Z follows
  ROW = HFI_LONGEST_LIMB + 2 * WIDEST     // numbers from a row of a limb to the next
};

// A pivot must be at least this share of each number below it [-].
static const double LEAST_PIVOT = 0.1;

void hfi_star_plan(hfiStar* S, hfiArena* arena, int32_t n) {
  memset(S, 0, sizeof *S);
  S->limb = HFI_TAKE(arena, hfiLimb, n);
  S->reach = HFI_TAKE(arena, int32_t, n);
  S->rows = HFI_TAKE(arena, double, ROW * (size_t)n);
  S->hub = HFI_TAKE(arena, double, WIDEST * WIDEST);
  S->pivot = HFI_TAKE(arena, int32_t, WIDEST);
}

// ---- the pattern ------------------------------------------------------------------------------------

void hfi_star_begin(hfiStar* S, int32_t n) {
  for (int32_t i = HFI_TRUNK; i < n; ++i) S->reach[i] = i;
}

// Are n numbers zero? Their bits are looked at together, without the sign.
HFI_COPIED int are_zero(const double* x, int32_t n) {
  hfiFourBits four = {0, 0, 0, 0};
  for (; n >= 4; n -= 4, x += 4) four |= *(const hfiFourBits*)x;
  int64_t bits = (four[0] | four[1]) | (four[2] | four[3]);
  for (; n > 0; --n, ++x) bits |= *(const hfiBits*)x;
  return (uint64_t)bits << 1 == 0;
}

// Finds the last of the unknowns from `first` on that are coupled to each other, directly or by others between them. The search ends where they are too many
// for a limb.
static int32_t find_last(const hfiStar* S, const double* A, int32_t n, int32_t first) {
  int32_t last = first;
  for (int32_t i = first; i <= last && last - first < HFI_LONGEST_LIMB; ++i) {
    const double* row = A + i * n;
    if (S->reach[i] > last) last = S->reach[i];
    if (are_zero(row + last + 1, n - last - 1)) continue;
    for (last = n - 1; row[last] == 0;) --last;
  }
  return last;
}

// Adds unknown i to the waist. Returns 0 where it does not follow the others there, or the waist is too long.
static int add_to_waist(hfiStar* S, int32_t i) {
  if (S->nwaist == 0) S->waist = i;
  return S->waist + S->nwaist++ == i && S->nwaist <= HFI_LONGEST_WAIST;
}

int hfi_star_find_limbs(hfiStar* S, const double* A, int32_t n) {
  int32_t waist_end = 0; // Unknowns from this one on are not coupled to the waist.
  S->nlimb = S->factored = S->nwaist = 0;
  for (int32_t first = HFI_TRUNK, last; first < n; first = last + 1) {
    last = find_last(S, A, n, first);
    if (last - first < HFI_LONGEST_LIMB) {
      S->limb[S->nlimb++] = (hfiLimb){.first = first, .size = last - first + 1, .at_waist = first < waist_end};
      continue;
    }
    // These are too many for a limb. The first one belongs to the waist; the others may be several limbs without it.
    if (!add_to_waist(S, first)) return 0;
    if (waist_end <= last) waist_end = last + 1;
    last = first;
  }
  return S->nlimb > 1 && n >= 2 * (HFI_TRUNK + S->nwaist);
}

// ---- how the loops see hub and limbs ------------------------------------------------------------------

// All functions from here on but the last two are copied into their callers (HFI_COPIED), so that members of these two structs are constants in them wherever the
// caller passes constants.

// The unknowns of the hub that a limb is coupled to.
typedef struct Hub {
  int waist; // first unknown of the waist
  int size;  // number of unknowns: those of the trunk, or of trunk and waist
  int wide;  // numbers of a row with an entry for each of them: WIDE or WIDEST
} Hub;

typedef struct Limb {
  double* rows; // its factors
  int size;     // number of its unknowns
  Hub hub;
  int symmetric; // 1: A is symmetric
} Limb;

HFI_COPIED Hub hub_of(const hfiStar* S, int with_waist) {
  return (Hub){S->waist, with_waist ? HFI_TRUNK + S->nwaist : HFI_TRUNK, with_waist ? WIDEST : WIDE};
}

HFI_COPIED Limb limb_of(const hfiStar* S, const hfiLimb* l, int size, int at_waist, int symmetric) {
  return (Limb){S->rows + ROW * (l->first - HFI_TRUNK), size, hub_of(S, at_waist), symmetric};
}

// ---- factors ----------------------------------------------------------------------------------------

// Copies a number for each unknown of the hub, and fills up with zeros. The number of unknown i is from[i * step].
HFI_COPIED void copy_at_hub(Hub hub, const double* from, int step, double* to) {
  if (step == 1) memcpy(to, from, HFI_TRUNK * sizeof(double));
  else
    for (int c = 0; c < HFI_TRUNK; ++c) to[c] = from[c * step];
  for (int c = HFI_TRUNK; c < hub.size; ++c) to[c] = from[(hub.waist + c - HFI_TRUNK) * step];
  for (int c = hub.size; c < hub.wide; ++c) to[c] = 0;
}

// Copies A_ll to the place of L and U, A_lh to that of Y, and A_hl^T to that of Z. Of a symmetric A the upper triangle serves: A_hl^T is A_lh.
HFI_COPIED void copy_limb(Limb limb, const double* A, int n, int first) {
  double* to = limb.rows;
  for (int i = 0; i < limb.size; ++i, to += ROW) {
    const double *row = A + (first + i) * n, *column = A + first + i;
    double *Y = to + Y_AT, *Z = Y + limb.hub.wide;
    for (int j = limb.symmetric ? i : 0; j < limb.size; ++j) to[j] = row[first + j];
    if (!limb.symmetric) copy_at_hub(limb.hub, row, 1, Y);
    copy_at_hub(limb.hub, column, n, limb.symmetric ? Y : Z);
  }
}

// Is pivot k of a limb good?
HFI_COPIED int is_good(Limb limb, int k) {
  double pivot = limb.rows[k * ROW + k], size = fabs(pivot);
  if (limb.symmetric) return pivot > 0 && pivot <= 1e308;
  for (int i = k + 1; i < limb.size; ++i)
    if (size < LEAST_PIVOT * fabs(limb.rows[i * ROW + k])) return 0;
  return size > 0 && size <= 1e308;
}

// y -= a x for rows of Y or Z, or vectors over the hub
HFI_COPIED void subtract_wide(double* y, double a, const double* x, int wide) {
  hfiQuad first = hfi_quad_load(y), second = hfi_quad_load(y + 4);
  HFI_QUAD_MINUS(first, a, hfi_quad_load(x));
  HFI_QUAD_MINUS(second, a, hfi_quad_load(x + 4));
  hfi_quad_store(y, first), hfi_quad_store(y + 4, second);
  if (wide == WIDE) return;
  hfiQuad third = hfi_quad_load(y + 8);
  HFI_QUAD_MINUS(third, a, hfi_quad_load(x + 8));
  hfi_quad_store(y + 8, third);
}

// Computes L, U and Y. Returns 0 where a pivot is bad.
HFI_COPIED int eliminate(Limb limb) {
  for (int k = 0; k < limb.size; ++k) {
    double* u = limb.rows + k * ROW;
    if (!is_good(limb, k)) return 0;
    u[k] = 1 / u[k];
    for (int i = k + 1; i < limb.size; ++i) {
      double *a = limb.rows + i * ROW, f = (limb.symmetric ? u[i] : a[k]) * u[k];
      a[k] = f;
      for (int j = limb.symmetric ? i : k + 1; j < limb.size; ++j) a[j] -= f * u[j];
      subtract_wide(a + Y_AT, f, u + Y_AT, limb.hub.wide);
    }
  }
  return 1;
}

// Computes Z: Z^T U = A_hl column by column, or Z = D^-1 Y.
HFI_COPIED void compute_Z(Limb limb) {
  int wide = limb.hub.wide, z_at = Y_AT + wide;
  for (int k = 0; k < limb.size; ++k) {
    double *row = limb.rows + k * ROW, *Y = row + Y_AT, *Z = row + z_at;
    if (!limb.symmetric)
      for (int i = 0; i < k; ++i) subtract_wide(Z, limb.rows[i * ROW + k], limb.rows + i * ROW + z_at, wide);
    hfi_scale(Z, row[k], limb.symmetric ? Y : Z, wide);
  }
}

// S -= Z^T Y, row by row. Vectors of a symmetric S that lie below the diagonal are not needed.
HFI_COPIED void subtract_from_hub(Limb limb, double* S) {
  int wide = limb.hub.wide, all = !limb.symmetric;
  for (int c = 0; c < limb.hub.size; ++c, S += WIDEST) {
    int first = all || c < 4, second = all || wide == WIDE || c < 8, third = wide == WIDEST;
    hfiQuad s = hfi_quad_load(S), t = hfi_quad_load(S + 4), u = third ? hfi_quad_load(S + 8) : hfi_quad_zero();
    for (int i = 0; i < limb.size; ++i) {
      const double *Y = limb.rows + i * ROW + Y_AT, f = Y[wide + c];
      if (first) HFI_QUAD_MINUS(s, f, hfi_quad_load(Y));
      if (second) HFI_QUAD_MINUS(t, f, hfi_quad_load(Y + 4));
      if (third) HFI_QUAD_MINUS(u, f, hfi_quad_load(Y + 8));
    }
    if (first) hfi_quad_store(S, s);
    if (second) hfi_quad_store(S + 4, t);
    if (third) hfi_quad_store(S + 8, u);
  }
}

// Factors a limb and subtracts it from S. Returns 0 where a pivot is bad.
HFI_COPIED int factor_limb(Limb limb, const double* A, int n, int first, double* S) {
  copy_limb(limb, A, n, first);
  if (!eliminate(limb)) return 0;
  compute_Z(limb);
  subtract_from_hub(limb, S);
  return 1;
}

// Copies A_hh to the place of S.
HFI_COPIED void copy_hub(const hfiStar* S, Hub hub, const double* A, int n) {
  double* to = S->hub;
  for (int c = 0; c < hub.size; ++c, to += WIDEST) copy_at_hub(hub, A + (c < HFI_TRUNK ? c : hub.waist + c - HFI_TRUNK) * n, 1, to);
}

// Factors all limbs and leaves S in the place of the hub. Returns 0 where a pivot is bad. Legs mostly have three joints.
HFI_COPIED int factor_limbs(const hfiStar* S, const double* A, int n, int has_waist, int symmetric) {
  copy_hub(S, hub_of(S, has_waist), A, n);
  for (const hfiLimb *l = S->limb, *end = l + S->nlimb; l < end; ++l) {
    int good;
    if (has_waist && l->at_waist) good = factor_limb(limb_of(S, l, l->size, 1, symmetric), A, n, l->first, S->hub);
    else if (l->size == 3) good = factor_limb(limb_of(S, l, 3, 0, symmetric), A, n, l->first, S->hub);
    else good = factor_limb(limb_of(S, l, l->size, 0, symmetric), A, n, l->first, S->hub);
    if (!good) return 0;
  }
  return 1;
}

int hfi_star_factor(hfiStar* S, const double* A, int n, int symmetric) {
  int good;
  S->symmetric = symmetric, S->factored = 0;
  if (S->nwaist > 0) good = symmetric ? factor_limbs(S, A, n, 1, 1) : factor_limbs(S, A, n, 1, 0);
  else good = symmetric ? factor_limbs(S, A, n, 0, 1) : factor_limbs(S, A, n, 0, 0);
  if (!good) return 1;
  int size = HFI_TRUNK + S->nwaist;
  if (symmetric ? hfi_ldlt(S->hub, size, WIDEST, 1) : hfi_lu(S->hub, size, WIDEST, S->pivot)) return 1;
  S->factored = 1;
  return 0;
}

// ---- solution ---------------------------------------------------------------------------------------

// z = L^-1 b in place, and hub -= Z^T z
HFI_COPIED void go_forward(Limb limb, double* b, double* hub) {
  const double* row = limb.rows;
  for (int i = 0; i < limb.size; ++i, row += ROW) {
    for (int k = 0; k < i; ++k) b[i] -= row[k] * b[k];
    subtract_wide(hub, b[i], row + Y_AT + limb.hub.wide, limb.hub.wide);
  }
}

// x = U^-1 (z - Y x_h) in place
HFI_COPIED void go_backward(Limb limb, double* z, const double* hub) {
  const double* row = limb.rows + (limb.size - 1) * ROW;
  for (int i = limb.size - 1; i >= 0; --i, row -= ROW) {
    z[i] -= hfi_dot(row + Y_AT, hub, limb.hub.wide);
    for (int k = limb.size - 1; k > i; --k) z[i] -= row[k] * z[k];
    z[i] *= row[i];
  }
}

HFI_COPIED void go_along(Limb limb, int forward, double* b, double* hub) {
  if (forward) go_forward(limb, b, hub);
  else go_backward(limb, b, hub);
}

// Goes along all limbs, towards the hub or back.
HFI_COPIED void go_along_limbs(const hfiStar* S, int has_waist, int forward, double* b, double* hub) {
  for (const hfiLimb *l = S->limb, *end = l + S->nlimb; l < end; ++l)
    if (has_waist && l->at_waist) go_along(limb_of(S, l, l->size, 1, 0), forward, b + l->first, hub);
    else if (l->size == 3) go_along(limb_of(S, l, 3, 0, 0), forward, b + l->first, hub);
    else go_along(limb_of(S, l, l->size, 0, 0), forward, b + l->first, hub);
}

HFI_COPIED void solve(const hfiStar* S, int has_waist, double* b) {
  double hub[WIDEST] = {b[0], b[1], b[2], b[3], b[4], b[5]}, *waist = b + S->waist;
  int nwaist = has_waist ? S->nwaist : 0, size = HFI_TRUNK + nwaist;
  for (int c = 0; c < nwaist; ++c) hub[HFI_TRUNK + c] = waist[c];
  go_along_limbs(S, has_waist, 1, b, hub);
  if (S->symmetric) hfi_ldlt_solve(S->hub, size, WIDEST, hub);
  else hfi_lu_solve(S->hub, size, WIDEST, S->pivot, hub);
  go_along_limbs(S, has_waist, 0, b, hub);
  memcpy(b, hub, HFI_TRUNK * sizeof(double));
  for (int c = 0; c < nwaist; ++c) waist[c] = hub[HFI_TRUNK + c];
}

void hfi_star_solve(const hfiStar* S, double* b) {
  if (S->nwaist > 0) solve(S, 1, b);
  else solve(S, 0, b);
}
