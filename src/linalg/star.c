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
// Layout. A row of a limb has ROW numbers: its row of L and U, with 1/U_ii on the diagonal, and its rows of Y and Z, of which the last two numbers are zero.
// Rows of the hub have eight numbers, too, so that all of them are two vectors of four.
//
// Rows of a limb are not exchanged. Where a pivot is much smaller than a number below it, which is possible only where friction makes A unsymmetric, the
// factorisation fails, and the caller uses a dense one (threshold pivoting: Duff, Erisman and Reid, Direct Methods for Sparse Matrices, section 5.2).
#include "linalg/star.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { WIDE = 8, Y_AT = 8, Z_AT = 16, ROW = 24 }; // numbers of a row of the hub; where Y and Z begin in a row of a limb, and where it ends

// A pivot must be at least this share of each number below it [-].
static const double LEAST_PIVOT = 0.1;

void hfi_star_plan(hfiStar* S, hfiArena* arena, int32_t n) {
  memset(S, 0, sizeof *S);
  S->limb = HFI_TAKE(arena, int32_t, n + 1);
  S->reach = HFI_TAKE(arena, int32_t, n);
  S->rows = HFI_TAKE(arena, double, ROW * (size_t)n);
  S->hub = HFI_TAKE(arena, double, HFI_HUB * WIDE);
  S->pivot = HFI_TAKE(arena, int32_t, HFI_HUB);
}

// Are n numbers zero? Their bits are looked at together, without the sign.
HFI_COPIED int are_zero(const double* x, int32_t n) {
  hfiFourBits four = {0, 0, 0, 0};
  for (; n >= 4; n -= 4, x += 4) four |= *(const hfiFourBits*)x;
  int64_t bits = (four[0] | four[1]) | (four[2] | four[3]);
  for (; n > 0; --n, ++x) bits |= *(const hfiBits*)x;
  return (uint64_t)bits << 1 == 0;
}

// Is the limb of the last unknown too long, as arms that share a waist are? Many matrices show it at once.
static int ends_with_long_limb(const double* A, int32_t n) {
  int32_t i = HFI_HUB;
  while (i < n - 1 && A[i * n + n - 1] == 0) ++i;
  return n - i > HFI_LONGEST_LIMB;
}

int hfi_star_find_limbs(hfiStar* S, const double* A, int32_t n) {
  S->limbs = S->factored = 0;
  if (ends_with_long_limb(A, n)) return 0;
  for (int32_t first = HFI_HUB, last; first < n; first = last + 1) {
    last = first;
    for (int32_t i = first; i <= last; ++i) {
      const double* row = A + i * n;
      if (S->reach[i] > last) last = S->reach[i];
      if (are_zero(row + last + 1, n - last - 1)) continue;
      for (last = n - 1; row[last] == 0;) --last;
    }
    if (last - first >= HFI_LONGEST_LIMB) return 0;
    S->limb[S->limbs++] = first;
  }
  S->limb[S->limbs] = n;
  return S->limbs > 1;
}

// ---- factors ----------------------------------------------------------------------------------------

// The functions below work on a limb of m unknowns, a constant where many limbs have that number.

// Copies the parts of A that belong to the limb from unknown `first` on.
HFI_COPIED void take_limb(const double* A, int n, int first, int m, int symmetric, double* limb) {
  for (int i = 0; i < m; ++i, limb += ROW) {
    const double *row = A + (first + i) * n, *column = A + first + i;
    double *Y = limb + Y_AT, *Z = limb + Z_AT, *across = symmetric ? Y : Z;
    for (int j = symmetric ? i : 0; j < m; ++j) limb[j] = row[first + j];
    if (!symmetric) {
      for (int c = 0; c < HFI_HUB; ++c) Y[c] = row[c];
      Y[6] = Y[7] = 0;
    }
    for (int c = 0; c < HFI_HUB; ++c) across[c] = column[c * n];
    across[6] = across[7] = 0;
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

// y -= a x for rows of the hub
HFI_COPIED void subtract_wide(double* y, double a, const double* x) {
  hfiQuad low = hfi_quad_load(y), high = hfi_quad_load(y + 4);
  HFI_QUAD_MINUS(low, a, hfi_quad_load(x));
  HFI_QUAD_MINUS(high, a, hfi_quad_load(x + 4));
  hfi_quad_store(y, low), hfi_quad_store(y + 4, high);
}

// Computes L, U and Y. Returns 0 where a pivot is bad.
HFI_COPIED int eliminate(double* limb, int m, int symmetric) {
  for (int k = 0; k < m; ++k) {
    double* u = limb + k * ROW;
    if (!is_good(limb, m, symmetric, k)) return 0;
    u[k] = 1 / u[k];
    for (int i = k + 1; i < m; ++i) {
      double *a = limb + i * ROW, f = (symmetric ? u[i] : a[k]) * u[k];
      a[k] = f;
      for (int j = symmetric ? i : k + 1; j < m; ++j) a[j] -= f * u[j];
      subtract_wide(a + Y_AT, f, u + Y_AT);
    }
  }
  return 1;
}

// Computes Z.
HFI_COPIED void divide(double* limb, int m, int symmetric) {
  for (int k = 0; k < m; ++k) {
    double *row = limb + k * ROW, *Z = row + Z_AT;
    if (!symmetric)
      for (int i = 0; i < k; ++i) subtract_wide(Z, limb[i * ROW + k], limb + i * ROW + Z_AT);
    hfi_scale(Z, row[k], symmetric ? row + Y_AT : Z, WIDE);
  }
}

// S -= Z^T Y. Of a symmetric S the last two rows need no numbers before the fifth.
HFI_COPIED void subtract_from_hub(const double* limb, int m, int symmetric, double* hub) {
  for (int c = 0; c < HFI_HUB; ++c, hub += WIDE) {
    int whole = !symmetric || c < 4;
    hfiQuad low = hfi_quad_load(hub), high = hfi_quad_load(hub + 4);
    for (int i = 0; i < m; ++i) {
      const double *Y = limb + i * ROW + Y_AT, f = limb[i * ROW + Z_AT + c];
      if (whole) HFI_QUAD_MINUS(low, f, hfi_quad_load(Y));
      HFI_QUAD_MINUS(high, f, hfi_quad_load(Y + 4));
    }
    if (whole) hfi_quad_store(hub, low);
    hfi_quad_store(hub + 4, high);
  }
}

HFI_COPIED int factor_limb(const double* A, int n, int first, int m, int symmetric, double* limb, double* hub) {
  take_limb(A, n, first, m, symmetric, limb);
  if (!eliminate(limb, m, symmetric)) return 0;
  divide(limb, m, symmetric);
  subtract_from_hub(limb, m, symmetric, hub);
  return 1;
}

// Factors all limbs. Returns 0 where a pivot is bad. Legs mostly have three joints.
HFI_COPIED int factor_limbs(hfiStar* S, const double* A, int n, int symmetric) {
  for (int32_t l = 0; l < S->limbs; ++l) {
    int first = S->limb[l], m = S->limb[l + 1] - first;
    double* limb = S->rows + ROW * (first - HFI_HUB);
    if (!(m == 3 ? factor_limb(A, n, first, 3, symmetric, limb, S->hub) : factor_limb(A, n, first, m, symmetric, limb, S->hub))) return 0;
  }
  return 1;
}

int hfi_star_factor(hfiStar* S, const double* A, int n, int symmetric) {
  S->symmetric = symmetric, S->factored = 0;
  for (int c = 0; c < HFI_HUB; ++c) {
    memcpy(S->hub + c * WIDE, A + c * n, HFI_HUB * sizeof(double));
    S->hub[c * WIDE + 6] = S->hub[c * WIDE + 7] = 0;
  }
  if (!(symmetric ? factor_limbs(S, A, n, 1) : factor_limbs(S, A, n, 0))) return 1;
  if (symmetric ? hfi_ldlt(S->hub, HFI_HUB, WIDE, 1) : hfi_lu(S->hub, HFI_HUB, WIDE, S->pivot)) return 1;
  S->factored = 1;
  return 0;
}

// ---- solution ---------------------------------------------------------------------------------------

// z = L^-1 b in place; hub -= Z^T z
HFI_COPIED void go_forward(const double* limb, int m, double* b, double* hub) {
  for (int i = 0; i < m; ++i, limb += ROW) {
    for (int k = 0; k < i; ++k) b[i] -= limb[k] * b[k];
    subtract_wide(hub, b[i], limb + Z_AT);
  }
}

// x = U^-1 (z - Y x_h) in place
HFI_COPIED void go_backward(const double* limb, int m, const double* hub, double* z) {
  limb += (m - 1) * ROW;
  for (int i = m - 1; i >= 0; --i, limb -= ROW) {
    z[i] -= hfi_dot(limb + Y_AT, hub, WIDE);
    for (int k = m - 1; k > i; --k) z[i] -= limb[k] * z[k];
    z[i] *= limb[i];
  }
}

void hfi_star_solve(const hfiStar* S, double* b) {
  double hub[WIDE] = {b[0], b[1], b[2], b[3], b[4], b[5], 0, 0};
  for (int32_t l = 0; l < S->limbs; ++l) {
    int first = S->limb[l], m = S->limb[l + 1] - first;
    const double* limb = S->rows + ROW * (first - HFI_HUB);
    if (m == 3) go_forward(limb, 3, b + first, hub);
    else go_forward(limb, m, b + first, hub);
  }
  if (S->symmetric) hfi_ldlt_solve(S->hub, HFI_HUB, WIDE, hub);
  else hfi_lu_solve(S->hub, HFI_HUB, WIDE, S->pivot, hub);
  for (int32_t l = 0; l < S->limbs; ++l) {
    int first = S->limb[l], m = S->limb[l + 1] - first;
    const double* limb = S->rows + ROW * (first - HFI_HUB);
    if (m == 3) go_backward(limb, 3, hub, b + first);
    else go_backward(limb, m, hub, b + first);
  }
  memcpy(b, hub, HFI_HUB * sizeof(double));
}
