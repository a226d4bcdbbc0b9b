// Finds the pattern of a star, and computes its factors: limb by limb, then the hub.
//
// With l for the unknowns of a limb and h for those of the hub, the matrix has the blocks A_ll, A_lh, A_hl and A_hh;
// the blocks between two limbs are zero. Each limb is eliminated by itself. The matrix that remains for the hub is the
// Schur complement S:
//
//   A_ll = L U,   Y = L^-1 A_lh,   Z = (A_hl U^-1)^T,   S = A_hh - sum over limbs of Z^T Y
//
// A symmetric A has U = D L^T and Z = D^-1 Y. A x = b is solved from the limbs to the hub and back:
//
//   z_l = L^-1 b_l,   x_h = S^-1 (b_h - sum over limbs of Z^T z_l),   x_l = U^-1 (z_l - Y x_h)
//
// The gain: dense factors of a quadruped with 18 unknowns have 12 x 12 numbers for its legs, but only 36 of these are
// not zero.
//
// The waist: arms that share a waist would form one long limb together with it, if the waist were not part of the hub.
// For a limb that is not coupled to the waist, the columns of Y and Z that belong to the waist are zero. They are
// neither stored nor computed.
//
// Layout: each row of a limb takes ROW numbers: its row of L and U, with 1/U_ii on the diagonal; its row of Y; its row
// of Z. These, and the rows of S, are padded with zeros to whole vectors of four. From one row of S to the next there
// are WIDEST numbers.
//
// Pivots: if friction makes A unsymmetric, a pivot may be much smaller than a number below it. Then rows of [A_ll A_lh]
// are exchanged within the limb, which changes nothing for other limbs (threshold pivoting: Duff, Erisman and Reid,
// Direct Methods for Sparse Matrices, section 5.2). If all numbers of a column are zero in the limb, the factorisation
// fails, and the caller uses a dense one.
#include "linalg/star.h"

#include "base/compile.h"
#include "base/lanes.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// The width of a row of Y, Z or S is the number of unknowns of the hub, rounded up to whole vectors. Y and Z of a limb
// that is coupled only to the trunk have rows of NARROW numbers; with a waist there are 12, 16 or WIDEST numbers.
enum {
  NARROW = 8,
  WIDEST = HFI_TRUNK + HFI_LONGEST_WAIST,
  Y_AT = HFI_LONGEST_LIMB + 4, // where Y begins in a row of a limb, after L and U and a vector of padding; Z follows
  ROW = Y_AT + 2 * WIDEST      // numbers from a row of a limb to the next
};

enum { SHORT_LIMB = 8 }; // Up to this many unknowns are always a limb: no waist is looked for among them.

// Rows are exchanged if a pivot is smaller than this share of a number below it in the limb [-].
static const double LEAST_PIVOT = 0.1;

// Takes the storage.
void hfi_star_plan(hfiStar* star, hfiArena* arena, int32_t n) {
  memset(star, 0, sizeof *star);
  star->limb = HFI_TAKE(arena, hfiLimb, n);
  star->reach = HFI_TAKE(arena, int32_t, n);
  star->rows = HFI_TAKE(arena, double, ROW * (size_t)n);
  star->hub = HFI_TAKE(arena, double, WIDEST * WIDEST);
  star->exchange = HFI_TAKE(arena, hfiExchange, n);
  star->pivot = HFI_TAKE(arena, int32_t, WIDEST);
}

// ---- the pattern ------------------------------------------------------------------------------------

// Removes all couplings.
void hfi_star_begin(hfiStar* star, int32_t n) {
  for (int32_t i = HFI_TRUNK; i < n; ++i) star->reach[i] = i;
}

// Are n numbers zero? Their bits, without the signs, are combined and tested at once.
HFI_FORCE_INLINE int are_zero(const double* x, int32_t n) {
  hfiFourBits four = {0, 0, 0, 0};
  for (; n >= 4; n -= 4, x += 4) four |= *(const hfiFourBits*)x;
  int64_t bits = (four[0] | four[1]) | (four[2] | four[3]);
  for (; n > 0; --n, ++x) bits |= *(const hfiBits*)x;
  return (uint64_t)bits << 1 == 0;
}

// Adds the couplings that A has above its diagonal to those of hfi_star_couple. The reach of an unknown grows to the
// last number of its row that is not zero. The search starts at the reach of the unknown before, because mostly both
// are the same.
static void couple_by_matrix(hfiStar* star, const double* A, int32_t n) {
  int32_t last = 0; // reach of the unknown before
  for (int32_t i = HFI_TRUNK; i < n; ++i) {
    const double* row = A + i * n;
    if (last < star->reach[i]) last = star->reach[i];

    // further, or back to the last number that is not zero
    if (!are_zero(row + last + 1, n - last - 1)) last = n - 1;
    while (last > star->reach[i] && row[last] == 0) --last;
    star->reach[i] = last;
  }
}

// Extends the reach of each unknown by the reaches of the unknowns after it to which it is coupled. Unknowns between
// such an unknown and the end of its reach need not be visited.
static void extend_reach(hfiStar* star, int32_t n) {
  for (int32_t i = n - 1; i >= HFI_TRUNK; --i) {
    int32_t last = star->reach[i];
    for (int32_t next = i + 1; next <= last; next = star->reach[next] + 1)
      if (star->reach[next] > last) last = star->reach[next];
    star->reach[i] = last;
  }
}

// The unknowns from `first` to `last` are coupled to each other, directly or by others. Returns the least number k, at
// most half of them, such that the others fall apart into several limbs without the first k: these k are a waist.
// Returns 0 if there is no such k.
static int32_t find_waist(const hfiStar* star, int32_t first, int32_t last) {
  for (int32_t k = 1; 2 * k <= last - first + 1; ++k)
    if (star->reach[first + k] < last) return k;
  return 0;
}

// Adds `count` unknowns to the waist. Returns 0 if it becomes too long.
static int add_to_waist(hfiStar* star, int32_t first, int32_t count) {
  if (star->nwaist + count > HFI_LONGEST_WAIST) return 0;
  for (int32_t i = first; i < first + count; ++i) star->waist[star->nwaist++] = i;
  return 1;
}

// Finds limbs and waist (star.h): couples the unknowns by A, and takes one group of coupled unknowns after the other.
int hfi_star_find_limbs(hfiStar* star, const double* A, int32_t n) {
  int32_t waist_end = 0; // Unknowns from this one on are not coupled to the waist.
  star->nlimb = 0;
  star->nwaist = 0;
  star->factored = 0;
  couple_by_matrix(star, A, n);
  extend_reach(star, n);

  int32_t first = HFI_TRUNK;
  while (first < n) {
    // the unknowns from `first` to `last` are coupled; how many of them are better in the waist?
    int32_t last = star->reach[first];
    int32_t size = last - first + 1;
    int32_t shared = 0;
    if (size > HFI_LONGEST_LIMB)
      shared = 1;
    else if (size > SHORT_LIMB)
      shared = find_waist(star, first, last);

    if (shared == 0) {
      int32_t nwaist = first < waist_end ? star->nwaist : 0;
      star->limb[star->nlimb++] = (hfiLimb){.first = first, .size = size, .nwaist = nwaist};
      first = last + 1;
      continue;
    }

    // These unknowns are not a limb. The first `shared` ones belong to the waist; without them the others may be
    // several limbs, all of which may be coupled to the waist.
    if (!add_to_waist(star, first, shared)) return 0;
    if (waist_end <= last) waist_end = last + 1;
    first += shared;
  }
  return star->nlimb > 1 && n >= 2 * (HFI_TRUNK + star->nwaist);
}

// ---- hub and limb as parameters -----------------------------------------------------------------------

// Most functions from here on are copied into their callers (HFI_FORCE_INLINE), so that members of these two structs
// are constants in them wherever the caller passes constants.

// The unknowns of the hub that a limb is coupled to.
typedef struct Hub {
  const int32_t* waist; // unknowns of the waist
  int size;             // number of unknowns: six of the trunk and some of the waist
  int width;            // width of a row with a number for each of them
} Hub;

// A limb, and the part of the hub that it is coupled to.
typedef struct Limb {
  double* rows; // its factors
  int first;    // its first unknown
  int size;     // number of its unknowns
  Hub hub;
  int symmetric; // 1: A is symmetric
} Limb;

// Returns the trunk and the first `nwaist` unknowns of the waist.
HFI_FORCE_INLINE Hub get_hub(const hfiStar* star, int nwaist, int width) {
  return (Hub){star->waist, HFI_TRUNK + nwaist, width};
}

// Returns a limb of `size` unknowns. A width of NARROW says that the limb is not coupled to the waist.
HFI_FORCE_INLINE Limb get_limb(const hfiStar* star, const hfiLimb* l, int size, int width, int symmetric) {
  Hub hub = get_hub(star, width > NARROW ? l->nwaist : 0, width);
  return (Limb){star->rows + ROW * (l->first - HFI_TRUNK), l->first, size, hub, symmetric};
}

// Width of a row with a number for each unknown of the whole hub: NARROW, 12, 16 or WIDEST.
static int width_of_hub(const hfiStar* star) {
  int size = HFI_TRUNK + star->nwaist;
  if (star->nwaist == 0) return NARROW;
  if (size <= 12) return 12;
  return size <= 16 ? 16 : WIDEST;
}

// ---- factors ----------------------------------------------------------------------------------------

// Copies a number for each unknown of the hub and pads the row with zeros. The number of unknown i is from[i * step].
HFI_FORCE_INLINE void copy_at_hub(Hub hub, const double* from, int step, double* to) {
  // trunk
  if (step == 1)
    memcpy(to, from, HFI_TRUNK * sizeof(double));
  else
    for (int c = 0; c < HFI_TRUNK; ++c) to[c] = from[c * step];

  // waist and padding
  for (int c = HFI_TRUNK; c < hub.size; ++c) to[c] = from[hub.waist[c - HFI_TRUNK] * step];
  for (int c = hub.size; c < hub.width; ++c) to[c] = 0;
}

// Copies A_ll to the place of L and U, A_lh to that of Y, and A_hl^T to that of Z. If A is symmetric, only its upper
// triangle is read: A_hl^T is A_lh.
HFI_FORCE_INLINE void copy_limb(Limb limb, const double* A, int n) {
  double* to = limb.rows;
  int first = limb.first;

  for (int i = 0; i < limb.size; ++i, to += ROW) {
    const double* row = A + (first + i) * n;
    const double* column = A + first + i;
    double* Y = to + Y_AT;
    double* Z = Y + limb.hub.width;

    for (int j = limb.symmetric ? i : 0; j < limb.size; ++j) to[j] = row[first + j];
    hfi_quad_store(to + limb.size, hfi_quad_zero()); // padding of the last vector

    if (!limb.symmetric) copy_at_hub(limb.hub, row, 1, Y);
    copy_at_hub(limb.hub, column, n, limb.symmetric ? Y : Z);
  }
}

// Is pivot k of a limb good? A symmetric matrix needs a positive one. Otherwise it must be large enough beside the
// numbers below it, LEAST_PIVOT.
HFI_FORCE_INLINE int has_good_pivot(Limb limb, int k) {
  double pivot = limb.rows[k * ROW + k];
  double size = fabs(pivot);
  if (limb.symmetric) return pivot > 0 && pivot <= HFI_LARGEST_PIVOT;

  for (int i = k + 1; i < limb.size; ++i)
    if (size < LEAST_PIVOT * fabs(limb.rows[i * ROW + k])) return 0;
  return size > 0 && size <= HFI_LARGEST_PIVOT;
}

// Exchanges row k of [A_ll A_lh] with the later row that has the largest number in column k, and notes the exchange in
// star->exchange. Returns 0 if this number is not a good pivot either.
HFI_NOINLINE static int exchange_rows(hfiStar* star, Limb limb, int k) {
  double* a = limb.rows + k * ROW;
  double* b = a;
  hfiExchange* unknowns = star->exchange + star->nexchange++;
  unknowns->a = limb.first + k;
  unknowns->b = limb.first + k;

  // the row b with the largest number
  for (int i = k + 1; i < limb.size; ++i)
    if (fabs(b[k]) < fabs(limb.rows[i * ROW + k])) {
      b = limb.rows + i * ROW;
      unknowns->b = limb.first + i;
    }

  for (int j = 0; j < Y_AT + limb.hub.width; ++j) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
  return has_good_pivot(limb, k);
}

// y -= a x for n numbers and the padding of the last vector
HFI_FORCE_INLINE void subtract_padded(double* y, double a, const double* x, int n) {
  for (int k = 0; k < n; k += 4) {
    hfiQuad four = hfi_quad_load(y + k);
    HFI_QUAD_MINUS(four, a, hfi_quad_load(x + k));
    hfi_quad_store(y + k, four);
  }
}

// Computes L and U of a limb, row exchanges included; a symmetric limb has L below the diagonal, too. Returns 0 if a
// pivot is bad.
HFI_FORCE_INLINE int eliminate(hfiStar* star, Limb limb) {
  for (int k = 0; k < limb.size; ++k) {
    double* u = limb.rows + k * ROW;
    if (!has_good_pivot(limb, k) && (limb.symmetric || !exchange_rows(star, limb, k))) return 0;
    u[k] = 1 / u[k];

    // a_ij -= l_ik u_kj; of a symmetric matrix only for j >= i
    for (int i = k + 1; i < limb.size; ++i) {
      double* a = limb.rows + i * ROW;
      double factor = (limb.symmetric ? u[i] : a[k]) * u[k];
      int j = limb.symmetric ? i : k + 1;
      a[k] = factor;
      subtract_padded(a + j, factor, u + j, limb.size - j);
    }
  }
  return 1;
}

// X_k -= sum over i < k of factor[i * step] X_i, with rows X_i of `width` numbers. X is Y or Z, from its first row on.
// factor: row k of L (step 1), or column k of U (step ROW).
HFI_FORCE_INLINE void subtract_rows_before(double* X, int width, int k, const double* factor, int step) {
  hfiQuad sum[WIDEST / 4];
  for (int c = 0; c < width; c += 4) sum[c / 4] = hfi_quad_load(X + k * ROW + c);
  for (int i = 0; i < k; ++i)
    for (int c = 0; c < width; c += 4) HFI_QUAD_MINUS(sum[c / 4], factor[i * step], hfi_quad_load(X + i * ROW + c));
  for (int c = 0; c < width; c += 4) hfi_quad_store(X + k * ROW + c, sum[c / 4]);
}

// Computes Y: L Y = A_lh.
HFI_FORCE_INLINE void compute_Y(Limb limb) {
  double* Y = limb.rows + Y_AT;
  for (int k = 1; k < limb.size; ++k) subtract_rows_before(Y, limb.hub.width, k, limb.rows + k * ROW, 1);
}

// Computes Z: Z^T U = A_hl, or Z = D^-1 Y.
HFI_FORCE_INLINE void compute_Z(Limb limb) {
  int width = limb.hub.width;
  double* Y = limb.rows + Y_AT;
  double* Z = Y + width;

  for (int k = 0; k < limb.size; ++k) {
    double inverse_pivot = limb.rows[k * ROW + k];
    if (!limb.symmetric) subtract_rows_before(Z, width, k, limb.rows + k, ROW);
    hfi_scale(Z + k * ROW, inverse_pivot, (limb.symmetric ? Y : Z) + k * ROW, width);
  }
}

// S -= Z^T Y, row by row. c: row of S, an unknown of the hub. If S is symmetric, a vector of columns k to k + 3 that
// ends left of the diagonal is not needed.
HFI_FORCE_INLINE void subtract_from_hub(Limb limb, double* S) {
  int width = limb.hub.width;

  for (int c = 0; c < limb.hub.size; ++c, S += WIDEST) {
    hfiQuad sum[WIDEST / 4]; // row c of S
    for (int k = 0; k < width; k += 4) sum[k / 4] = hfi_quad_load(S + k);

    for (int i = 0; i < limb.size; ++i) {
      const double* Y = limb.rows + i * ROW + Y_AT;
      double Z_ic = Y[width + c];
      for (int k = 0; k < width; k += 4)
        if (!limb.symmetric || c < k + 4) HFI_QUAD_MINUS(sum[k / 4], Z_ic, hfi_quad_load(Y + k));
    }

    for (int k = 0; k < width; k += 4) hfi_quad_store(S + k, sum[k / 4]);
  }
}

// Factors a limb and subtracts Z^T Y from S. Returns 0 if a pivot is bad.
HFI_FORCE_INLINE int factor_limb(hfiStar* star, Limb limb, const double* A, int n) {
  copy_limb(limb, A, n);
  if (!eliminate(star, limb)) return 0;
  compute_Y(limb);
  compute_Z(limb);
  subtract_from_hub(limb, star->hub);
  return 1;
}

// Factors all limbs and leaves the Schur complement S in star->hub. Returns 0 if a pivot is bad. Limbs of three
// unknowns have code of their own, because legs mostly have three joints.
HFI_FORCE_INLINE int factor_limbs(hfiStar* star, const double* A, int n, int width, int symmetric) {
  // A_hh
  Hub hub = get_hub(star, width > NARROW ? star->nwaist : 0, width);
  for (int c = 0; c < hub.size; ++c) {
    int unknown = c < HFI_TRUNK ? c : hub.waist[c - HFI_TRUNK];
    copy_at_hub(hub, A + unknown * n, 1, star->hub + c * WIDEST);
  }

  for (int32_t i = 0; i < star->nlimb; ++i) {
    const hfiLimb* l = star->limb + i;
    int good;
    if (width > NARROW && l->nwaist > 0)
      good = factor_limb(star, get_limb(star, l, l->size, width, symmetric), A, n);
    else if (l->size == 3)
      good = factor_limb(star, get_limb(star, l, 3, NARROW, symmetric), A, n);
    else
      good = factor_limb(star, get_limb(star, l, l->size, NARROW, symmetric), A, n);
    if (!good) return 0;
  }
  return 1;
}

// Calls factor_limbs with the width of the hub as a constant. Returns 0 if a pivot is bad.
HFI_FORCE_INLINE int factor_all(hfiStar* star, const double* A, int n, int symmetric) {
  switch (width_of_hub(star)) {
    case NARROW: return factor_limbs(star, A, n, NARROW, symmetric);
    case 12: return factor_limbs(star, A, n, 12, symmetric);
    case 16: return factor_limbs(star, A, n, 16, symmetric);
    default: return factor_limbs(star, A, n, WIDEST, symmetric);
  }
}

// Factors A: the limbs, then the hub, whose rows lie WIDEST numbers apart. Returns 0, or 1 if a pivot is bad.
int hfi_star_factor(hfiStar* star, const double* A, int n, int symmetric) {
  int size = HFI_TRUNK + star->nwaist;
  star->symmetric = symmetric;
  star->factored = 0;
  star->nexchange = 0;

  if (symmetric) {
    if (!factor_all(star, A, n, 1) || hfi_ldlt(star->hub, size, WIDEST, 1) != 0) return 1;
  } else {
    if (!factor_all(star, A, n, 0) || hfi_lu(star->hub, size, WIDEST, star->pivot) != 0) return 1;
  }
  star->factored = 1;
  return 0;
}

// ---- solution ---------------------------------------------------------------------------------------

// From the limb towards the hub: z = L^-1 b in place, and hub -= Z^T z.
HFI_FORCE_INLINE void solve_limb_forward(Limb limb, double* b, double* hub) {
  const double* row = limb.rows;
  for (int i = 0; i < limb.size; ++i, row += ROW) {
    for (int k = 0; k < i; ++k) b[i] -= row[k] * b[k];
    subtract_padded(hub, b[i], row + Y_AT + limb.hub.width, limb.hub.width);
  }
}

// From the hub back to the limb: x = U^-1 (z - Y x_h) in place.
HFI_FORCE_INLINE void solve_limb_backward(Limb limb, double* z, const double* hub) {
  const double* row = limb.rows + (limb.size - 1) * ROW;
  for (int i = limb.size - 1; i >= 0; --i, row -= ROW) {
    z[i] -= hfi_dot(row + Y_AT, hub, limb.hub.width);
    for (int k = limb.size - 1; k > i; --k) z[i] -= row[k] * z[k];
    z[i] *= row[i];
  }
}

// Calls one of the two.
HFI_FORCE_INLINE void solve_limb(Limb limb, int forward, double* b, double* hub) {
  if (forward)
    solve_limb_forward(limb, b, hub);
  else
    solve_limb_backward(limb, b, hub);
}

// Solves all limbs forwards or backwards. Limbs of three unknowns have code of their own. L, U, Y and Z are stored
// alike for both kinds of matrices, so that the 0 for `symmetric` is read by nobody.
HFI_FORCE_INLINE void solve_limbs(const hfiStar* star, int width, int forward, double* b, double* hub) {
  for (int32_t i = 0; i < star->nlimb; ++i) {
    const hfiLimb* l = star->limb + i;
    if (width > NARROW && l->nwaist > 0)
      solve_limb(get_limb(star, l, l->size, width, 0), forward, b + l->first, hub);
    else if (l->size == 3)
      solve_limb(get_limb(star, l, 3, NARROW, 0), forward, b + l->first, hub);
    else
      solve_limb(get_limb(star, l, l->size, NARROW, 0), forward, b + l->first, hub);
  }
}

// Solves A x = b in place. width: width of a row of the hub, a constant.
HFI_FORCE_INLINE void solve(const hfiStar* star, int width, double* b) {
  int nwaist = width > NARROW ? star->nwaist : 0;
  int size = HFI_TRUNK + nwaist;

  // the numbers of the hub
  double hub[WIDEST] = {b[0], b[1], b[2], b[3], b[4], b[5]};
  for (int c = 0; c < nwaist; ++c) hub[HFI_TRUNK + c] = b[star->waist[c]];

  // the row exchanges of the limbs
  for (int i = 0; i < star->nexchange; ++i) {
    const hfiExchange* e = star->exchange + i;
    double t = b[e->a];
    b[e->a] = b[e->b];
    b[e->b] = t;
  }

  // from the limbs to the hub and back
  solve_limbs(star, width, 1, b, hub);
  if (star->symmetric)
    hfi_ldlt_solve(star->hub, size, WIDEST, hub);
  else
    hfi_lu_solve(star->hub, size, WIDEST, star->pivot, hub);
  solve_limbs(star, width, 0, b, hub);

  memcpy(b, hub, HFI_TRUNK * sizeof(double));
  for (int c = 0; c < nwaist; ++c) b[star->waist[c]] = hub[HFI_TRUNK + c];
}

// Solves A x = b in place, with the width of the hub as a constant.
void hfi_star_solve(const hfiStar* star, double* b) {
  switch (width_of_hub(star)) {
    case NARROW: solve(star, NARROW, b); break;
    case 12: solve(star, 12, b); break;
    case 16: solve(star, 16, b); break;
    default: solve(star, WIDEST, b);
  }
}
