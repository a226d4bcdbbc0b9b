// Factors of a star, limb by limb and the hub at last (index h; l is a limb):
//
//   A_ll = L U,   Y = L^-1 A_lh,   Z = (A_hl U^-1)^T,   S = A_hh - sum_l Z^T Y
//
// A symmetric A has U = D L^T and Z = D^-1 Y. Solving A x = b:
//
//   z_l = L^-1 b_l,   x_h = S^-1 (b_h - sum_l Z^T z_l),   x_l = U^-1 (z_l - Y x_h)
//
// A dense factorisation of 18 unknowns, those of a quadruped, computes 12 x 12 numbers of its legs, of which 36 are not zero.
//
// The hub is the trunk, six unknowns, and a waist: where arms share a waist, its unknowns belong to the hub, because the arms would be one long limb
// with it. Limbs that are not coupled to the waist, as legs, have zeros in its columns, which are neither stored nor computed.
//
// Layout. A row of a limb has ROW numbers: its row of L and U, with 1/U_ii on the diagonal, and its rows of Y and Z, which are `wide` numbers each:
// WIDE, or WIDEST where the limb is coupled to a waist. Those beyond the hub are zero. Rows of the hub have WIDEST numbers, and all are vectors of four.
//
// Rows of a limb are not exchanged. Where a pivot is much smaller than a number below it, which is possible only where friction makes A unsymmetric, the
// factorisation fails, and the caller uses a dense one (threshold pivoting: Duff, Erisman and Reid, Direct Methods for Sparse Matrices, section 5.2).
#include "linalg/star.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum {
  WIDE = 8,                             // numbers of a row of Y or Z of a limb at the trunk
  WIDEST = HFI_HUB + HFI_LONGEST_WAIST, // the same of a limb at the waist
  Y_AT = HFI_LONGEST_LIMB,              // where Y begins in a row of a limb; Z follows
  ROW = HFI_LONGEST_LIMB + 2 * WIDEST   // numbers from a row of a limb to the next
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

// Are n numbers zero? Their bits are looked at together, without the sign.
HFI_COPIED int are_zero(const double* x, int32_t n) {
  hfiFourBits four = {0, 0, 0, 0};
  for (; n >= 4; n -= 4, x += 4) four |= *(const hfiFourBits*)x;
  int64_t bits = (four[0] | four[1]) | (four[2] | four[3]);
  for (; n > 0; --n, ++x) bits |= *(const hfiBits*)x;
  return (uint64_t)bits << 1 == 0;
}

// Finds the last unknown of the limb that begins with `first`, or one that shows that the limb is too long.
static int32_t find_end(const hfiStar* S, const double* A, int32_t n, int32_t first) {
  int32_t last = first;
  for (int32_t i = first; i <= last && last - first < HFI_LONGEST_LIMB; ++i) {
    const double* row = A + i * n;
    if (S->reach[i] > last) last = S->reach[i];
    if (are_zero(row + last + 1, n - last - 1)) continue;
    for (last = n - 1; row[last] == 0;) --last;
  }
  return last;
}

int hfi_star_find_limbs(hfiStar* S, const double* A, int32_t n) {
  int32_t waist_end = 0; // Unknowns from this one on are not coupled to the waist.
  S->limbs = S->factored = S->nwaist = 0;
  for (int32_t first = HFI_HUB, last; first < n; first = last + 1) {
    last = find_end(S, A, n, first);
    if (last - first < HFI_LONGEST_LIMB) {
      S->limb[S->limbs++] = (hfiLimb){.first = first, .size = last - first + 1, .at_waist = first < waist_end};
      continue;
    }
    // The first unknown of a limb that is too long belongs to the waist. There is one waist.
    if (S->nwaist == 0) S->waist = first;
    if (S->waist + S->nwaist++ != first || S->nwaist > HFI_LONGEST_WAIST) return 0;
    if (waist_end <= last) waist_end = last + 1;
    last = first;
  }
  return S->limbs > 1 && n >= 2 * (HFI_HUB + S->nwaist);
}

// ---- factors ----------------------------------------------------------------------------------------

// The functions below work on a limb of m unknowns, a constant where many limbs have that number, and on `hub` unknowns of the hub.

// Copies `hub` numbers that are `step` apart in the unknowns of the trunk and of the waist, and fills up with zeros.
HFI_COPIED void take_across(const double* A, int step, int waist, int hub, int wide, double* to) {
  if (step == 1) memcpy(to, A, HFI_HUB * sizeof(double));
  else
    for (int c = 0; c < HFI_HUB; ++c) to[c] = A[c * step];
  for (int c = HFI_HUB; c < hub; ++c) to[c] = A[(waist + c - HFI_HUB) * step];
  for (int c = hub; c < wide; ++c) to[c] = 0;
}

// Copies the parts of A that belong to the limb from unknown `first` on.
HFI_COPIED void take_limb(const double* A, int n, int first, int m, int waist, int hub, int wide, int symmetric, double* limb) {
  for (int i = 0; i < m; ++i, limb += ROW) {
    const double* row = A + (first + i) * n;
    for (int j = symmetric ? i : 0; j < m; ++j) limb[j] = row[first + j];
    if (!symmetric) take_across(row, 1, waist, hub, wide, limb + Y_AT);
    take_across(A + first + i, n, waist, hub, wide, symmetric ? limb + Y_AT : limb + Y_AT + wide);
  }
}

// Is pivot k of a limb good?
HFI_COPIED int is_good(const double* limb, int m, int symmetric, int k) {
  double pivot = limb[k * ROW + k], least = fabs(pivot);
  if (symmetric) return pivot > 0 && pivot <= 1e308;
  for (int i = k + 1; i < m; ++i)
    if (least < LEAST_PIVOT * fabs(limb[i * ROW + k])) return 0;
  return least > 0 && least <= 1e308;
}

// y -= a x for rows of Y, Z or the hub
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
HFI_COPIED int eliminate(double* limb, int m, int wide, int symmetric) {
  for (int k = 0; k < m; ++k) {
    double* u = limb + k * ROW;
    if (!is_good(limb, m, symmetric, k)) return 0;
    u[k] = 1 / u[k];
    for (int i = k + 1; i < m; ++i) {
      double *a = limb + i * ROW, f = (symmetric ? u[i] : a[k]) * u[k];
      a[k] = f;
      for (int j = symmetric ? i : k + 1; j < m; ++j) a[j] -= f * u[j];
      subtract_wide(a + Y_AT, f, u + Y_AT, wide);
    }
  }
  return 1;
}

// Computes Z.
HFI_COPIED void divide(double* limb, int m, int wide, int symmetric) {
  for (int k = 0; k < m; ++k) {
    double *row = limb + k * ROW, *Y = row + Y_AT, *Z = Y + wide;
    if (!symmetric)
      for (int i = 0; i < k; ++i) subtract_wide(Z, limb[i * ROW + k], limb + i * ROW + Y_AT + wide, wide);
    hfi_scale(Z, row[k], symmetric ? Y : Z, wide);
  }
}

// S -= Z^T Y. Of a symmetric S no vectors below the diagonal are needed.
HFI_COPIED void subtract_from_hub(const double* limb, int m, int hub, int wide, int symmetric, double* S) {
  for (int c = 0; c < hub; ++c, S += WIDEST) {
    int first = !symmetric || c < 4, second = !symmetric || wide == WIDE || c < 8, third = wide == WIDEST;
    hfiQuad s = hfi_quad_load(S), t = hfi_quad_load(S + 4), u = third ? hfi_quad_load(S + 8) : hfi_quad_zero();
    for (int i = 0; i < m; ++i) {
      const double *Y = limb + i * ROW + Y_AT, f = limb[i * ROW + Y_AT + wide + c];
      if (first) HFI_QUAD_MINUS(s, f, hfi_quad_load(Y));
      if (second) HFI_QUAD_MINUS(t, f, hfi_quad_load(Y + 4));
      if (third) HFI_QUAD_MINUS(u, f, hfi_quad_load(Y + 8));
    }
    if (first) hfi_quad_store(S, s);
    if (second) hfi_quad_store(S + 4, t);
    if (third) hfi_quad_store(S + 8, u);
  }
}

HFI_COPIED int factor_limb(const hfiStar* S, const double* A, int n, int first, int m, int hub, int wide, int symmetric) {
  double* limb = S->rows + ROW * (first - HFI_HUB);
  take_limb(A, n, first, m, S->waist, hub, wide, symmetric, limb);
  if (!eliminate(limb, m, wide, symmetric)) return 0;
  divide(limb, m, wide, symmetric);
  subtract_from_hub(limb, m, hub, wide, symmetric, S->hub);
  return 1;
}

// Copies the parts of A that belong to the hub.
HFI_COPIED void take_hub(const hfiStar* S, const double* A, int n, int hub, int wide) {
  double* to = S->hub;
  for (int c = 0; c < hub; ++c, to += WIDEST) take_across(A + (c < HFI_HUB ? c : S->waist + c - HFI_HUB) * n, 1, S->waist, hub, wide, to);
}

// Factors all limbs and subtracts them from the hub. Returns 0 where a pivot is bad. Legs mostly have three joints.
HFI_COPIED int factor_limbs(hfiStar* S, const double* A, int n, int nwaist, int symmetric) {
  for (const hfiLimb *l = S->limb, *end = l + S->limbs; l < end; ++l) {
    int good;
    if (nwaist > 0 && l->at_waist) good = factor_limb(S, A, n, l->first, l->size, HFI_HUB + nwaist, WIDEST, symmetric);
    else if (l->size == 3) good = factor_limb(S, A, n, l->first, 3, HFI_HUB, WIDE, symmetric);
    else good = factor_limb(S, A, n, l->first, l->size, HFI_HUB, WIDE, symmetric);
    if (!good) return 0;
  }
  return 1;
}

int hfi_star_factor(hfiStar* S, const double* A, int n, int symmetric) {
  int nwaist = S->nwaist, hub = HFI_HUB + nwaist, good;
  S->symmetric = symmetric, S->factored = 0;
  if (nwaist > 0) take_hub(S, A, n, hub, WIDEST);
  else take_hub(S, A, n, HFI_HUB, WIDE);
  if (nwaist > 0) good = symmetric ? factor_limbs(S, A, n, nwaist, 1) : factor_limbs(S, A, n, nwaist, 0);
  else good = symmetric ? factor_limbs(S, A, n, 0, 1) : factor_limbs(S, A, n, 0, 0);
  if (!good) return 1;
  if (symmetric ? hfi_ldlt(S->hub, hub, WIDEST, 1) : hfi_lu(S->hub, hub, WIDEST, S->pivot)) return 1;
  S->factored = 1;
  return 0;
}

// ---- solution ---------------------------------------------------------------------------------------

// z = L^-1 b in place; hub -= Z^T z
HFI_COPIED void go_forward(const double* limb, int m, int wide, double* b, double* hub) {
  for (int i = 0; i < m; ++i, limb += ROW) {
    for (int k = 0; k < i; ++k) b[i] -= limb[k] * b[k];
    subtract_wide(hub, b[i], limb + Y_AT + wide, wide);
  }
}

// x = U^-1 (z - Y x_h) in place
HFI_COPIED void go_backward(const double* limb, int m, int wide, const double* hub, double* z) {
  limb += (m - 1) * ROW;
  for (int i = m - 1; i >= 0; --i, limb -= ROW) {
    z[i] -= hfi_dot(limb + Y_AT, hub, wide);
    for (int k = m - 1; k > i; --k) z[i] -= limb[k] * z[k];
    z[i] *= limb[i];
  }
}

HFI_COPIED void solve(const hfiStar* S, int nwaist, double* b) {
  double hub[WIDEST] = {b[0], b[1], b[2], b[3], b[4], b[5]}, *waist = b + S->waist;
  const hfiLimb* end = S->limb + S->limbs;
  for (int c = 0; c < nwaist; ++c) hub[HFI_HUB + c] = waist[c];
  for (const hfiLimb* l = S->limb; l < end; ++l) {
    const double* limb = S->rows + ROW * (l->first - HFI_HUB);
    if (nwaist > 0 && l->at_waist) go_forward(limb, l->size, WIDEST, b + l->first, hub);
    else if (l->size == 3) go_forward(limb, 3, WIDE, b + l->first, hub);
    else go_forward(limb, l->size, WIDE, b + l->first, hub);
  }
  if (S->symmetric) hfi_ldlt_solve(S->hub, HFI_HUB + nwaist, WIDEST, hub);
  else hfi_lu_solve(S->hub, HFI_HUB + nwaist, WIDEST, S->pivot, hub);
  for (const hfiLimb* l = S->limb; l < end; ++l) {
    const double* limb = S->rows + ROW * (l->first - HFI_HUB);
    if (nwaist > 0 && l->at_waist) go_backward(limb, l->size, WIDEST, hub, b + l->first);
    else if (l->size == 3) go_backward(limb, 3, WIDE, hub, b + l->first);
    else go_backward(limb, l->size, WIDE, hub, b + l->first);
  }
  memcpy(b, hub, HFI_HUB * sizeof(double));
  for (int c = 0; c < nwaist; ++c) waist[c] = hub[HFI_HUB + c];
}

void hfi_star_solve(const hfiStar* S, double* b) {
  if (S->nwaist > 0) solve(S, S->nwaist, b);
  else solve(S, 0, b);
}
