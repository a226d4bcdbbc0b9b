// Every solution of a small LCP, by trying every complementary choice.
//
// A choice says for each i: z_i = lo_i, z_i = hi_i, or w_i = 0 with z_i between (set B). Then
//
//   A_BB z_B = -(b + A_BL lo_L + A_BU hi_U)_B
//
// is solved and the signs are checked. A regular A_BB gives one candidate. With a singular one the
// solutions, if any, are a polyhedron. At its corners enough of its inequalities are equations for
// the remaining columns to be independent: in turn every subset of B is put at a bound (w_i = 0
// stays an equation) and of the others w_i at zero; least squares with zero residual decides. A
// dependent free variable, which has no bound, is put at zero. The number of choices is 3^n at
// most.
#include "base/error.h"
#include "methods/lcp/problem.h"
#include "methods/lcp/qr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Data are of order one, so that these numbers need no scale. Signs and equations must hold to this, which a small
// system of condition 1e6 leaves in double precision [-].
static const double SIGN_TOLERANCE = 1e-9;
// Columns whose remaining norm is below this share of the first are dependent [-].
static const double DEPENDENCE_TOLERANCE = 1e-11;
// Two solutions closer than this are the same [-].
static const double SAME_TOLERANCE = 1e-7;

// How row i is fulfilled: z at a bound, or an equation w = 0, in which z is unknown, at a bound, or zero.
typedef enum Choice { AT_LO, AT_HI, EQUATION, EQUATION_AT_LO, EQUATION_AT_HI, EQUATION_AT_ZERO } Choice;

// The search.
typedef struct Enumeration {
  hfiLcp p;
  hfiLcpScale scale;
  hfiQr qr;
  Choice choice[HF_LCP_ENUMERATION_MAX];
  double z[HF_LCP_ENUMERATION_MAX];
  double* found; // (capacity x n) in equilibrated units: the caller's z until the end
  hfLcpSolutions* out;
  int overflow;
} Enumeration;

static int is_equation(Choice c) { return c >= EQUATION; }

// Solves the m chosen equations w_i = 0 for the k chosen unknowns z_j, by least squares if m > k. Writes all of
// enumeration->z; the z that are not unknown are at a bound or zero. Returns 0, with z unfinished, if the columns of
// the unknowns are dependent.
static int solve_choice(Enumeration* enumeration) {
  const hfiLcp* problem = &enumeration->p;

  // the equations, the unknowns, and the values that are given
  int32_t rows[HF_LCP_ENUMERATION_MAX];
  int32_t cols[HF_LCP_ENUMERATION_MAX];
  int32_t m = 0;
  int32_t k = 0;
  for (int32_t i = 0; i < problem->n; ++i) {
    Choice c = enumeration->choice[i];
    if (is_equation(c)) rows[m++] = i;
    if (c == EQUATION) cols[k++] = i;

    enumeration->z[i] = 0;
    if (c == AT_LO || c == EQUATION_AT_LO) enumeration->z[i] = problem->lo[i];
    if (c == AT_HI || c == EQUATION_AT_HI) enumeration->z[i] = problem->hi[i];
  }

  // A x = rhs: the equations, less the values that are given; the z that are unknown are still 0 here
  double rhs[HF_LCP_ENUMERATION_MAX];
  for (int32_t i = 0; i < m; ++i) {
    const double* row = problem->A + (size_t)rows[i] * (size_t)problem->n;
    rhs[i] = -problem->b[rows[i]];
    for (int32_t j = 0; j < problem->n; ++j) rhs[i] -= row[j] * enumeration->z[j];
    for (int32_t j = 0; j < k; ++j) enumeration->qr.A[i * k + j] = row[cols[j]];
  }

  enumeration->qr.m = m;
  enumeration->qr.n = k;
  hfi_qr_factor(&enumeration->qr, DEPENDENCE_TOLERANCE);
  if (enumeration->qr.rank < k) return 0;

  double x[HF_LCP_ENUMERATION_MAX];
  hfi_qr_solve(&enumeration->qr, rhs, x);
  for (int32_t j = 0; j < k; ++j) enumeration->z[cols[j]] = x[j];
  return 1;
}

// Are the bounds of z, the signs of w and the equations satisfied, up to tolerances?
static int is_solution(const Enumeration* enumeration) {
  const hfiLcp* problem = &enumeration->p;

  // w, and the size of its terms
  for (int32_t i = 0; i < problem->n; ++i) {
    const double* row = problem->A + (size_t)i * (size_t)problem->n;
    double w = problem->b[i];
    double size = 1;
    for (int32_t j = 0; j < problem->n; ++j) {
      w += row[j] * enumeration->z[j];
      size = fmax(size, fabs(row[j] * enumeration->z[j]));
    }

    // bounds of z
    double z = enumeration->z[i];
    double z_slack = SIGN_TOLERANCE * fmax(1, fabs(z));
    if (z < problem->lo[i] - z_slack || z > problem->hi[i] + z_slack) return 0;

    // w of a fixed z may have any sign
    double slack = SIGN_TOLERANCE * size;
    Choice c = enumeration->choice[i];
    if (is_equation(c) && fabs(w) > slack) return 0;
    if (problem->lo[i] == problem->hi[i]) continue;
    if ((c == AT_LO && w < -slack) || (c == AT_HI && w > slack)) return 0;
  }
  return 1;
}

// Has enumeration->z been found before?
static int is_known(const Enumeration* enumeration) {
  int32_t n = enumeration->p.n;
  for (int32_t s = 0; s < enumeration->out->count; ++s) {
    int same = 1;
    for (int32_t i = 0; i < n; ++i) {
      double found = enumeration->found[s * n + i];
      same = same && fabs(found - enumeration->z[i]) <= SAME_TOLERANCE * fmax(1, fabs(found));
    }
    if (same) return 1;
  }
  return 0;
}

// Records enumeration->z if it is a solution that is not known yet. Returns whether it is a solution.
static int record_if_new(Enumeration* enumeration) {
  if (!is_solution(enumeration)) return 0;
  if (is_known(enumeration)) return 1;
  if (enumeration->out->count == enumeration->out->capacity) {
    enumeration->overflow = 1;
    return 1;
  }

  // a new solution
  int32_t n = enumeration->p.n;
  const hfiLcp* problem = &enumeration->p;
  for (int32_t i = 0; i < n; ++i)
    enumeration->z[i] = hfi_clamp(enumeration->z[i], problem->lo[i], problem->hi[i]);
  memcpy(enumeration->found + (size_t)enumeration->out->count * (size_t)n, enumeration->z, sizeof(double) * (size_t)n);
  ++enumeration->out->count;
  return 1;
}

// Lists the choices of row i that can give a corner of the face of a singular choice. Returns their number.
static int32_t list_corner_choices(const Enumeration* enumeration, int32_t i, Choice* options) {
  Choice c = enumeration->choice[i];
  int has_lo = isfinite(enumeration->p.lo[i]);
  int has_hi = isfinite(enumeration->p.hi[i]);

  int32_t count = 0;
  options[count++] = c;
  if (c == AT_LO) options[count++] = EQUATION_AT_LO;
  if (c == AT_HI) options[count++] = EQUATION_AT_HI;
  if (c == EQUATION && has_lo) options[count++] = EQUATION_AT_LO;
  if (c == EQUATION && has_hi) options[count++] = EQUATION_AT_HI;
  if (c == EQUATION && !has_lo && !has_hi) options[count++] = EQUATION_AT_ZERO;
  return count;
}

// Tries all corners of the face of a singular choice that have the present choices of the rows before i.
// Returns whether one of them is a solution.
static int search_corners(Enumeration* enumeration, int32_t i) {
  if (i == enumeration->p.n) return solve_choice(enumeration) && record_if_new(enumeration);

  Choice options[3];
  int32_t count = list_corner_choices(enumeration, i, options);

  Choice present = enumeration->choice[i];
  int found = 0;
  for (int32_t k = 0; k < count; ++k) {
    enumeration->choice[i] = options[k];
    if (search_corners(enumeration, i + 1)) found = 1;
  }
  enumeration->choice[i] = present;
  return found;
}

// Tries all choices that have the present choices of the rows before i, and records their solutions.
static void search(Enumeration* enumeration, int32_t i) {
  // every row has its choice
  if (i == enumeration->p.n) {
    if (solve_choice(enumeration)) record_if_new(enumeration);
    else if (search_corners(enumeration, 0)) enumeration->out->continuum = 1;
    return;
  }

  // each choice for row i; a fixed z has only one
  int fixed = enumeration->p.lo[i] == enumeration->p.hi[i];

  if (isfinite(enumeration->p.lo[i])) {
    enumeration->choice[i] = AT_LO;
    search(enumeration, i + 1);
  }
  if (isfinite(enumeration->p.hi[i]) && !fixed) {
    enumeration->choice[i] = AT_HI;
    search(enumeration, i + 1);
  }
  if (!fixed) {
    enumeration->choice[i] = EQUATION;
    search(enumeration, i + 1);
  }
}

// Takes storage for n rows.
static void take_enumeration(Enumeration* enumeration, hfiArena* arena, int32_t n) {
  enumeration->p = hfi_lcp_take(arena, n);
  enumeration->scale = hfi_lcp_scale_take(arena, n);
  enumeration->qr = hfi_qr_take(arena, n, n);
}

// Returns the bytes of workspace that hf_lcp_enumerate needs for n rows.
size_t hf_lcp_enumerate_work_size(int32_t n) {
  Enumeration e;
  hfiArena arena = hfi_arena(NULL, 0);
  take_enumeration(&e, &arena, n);
  return arena.used + HFI_ALIGN;
}

// Lists all solutions of a small problem. Returns HF_OK, HF_NO_SOLUTION, HF_OVERFLOW if there are more than the
// capacity, or a status < 0 with a message.
hfStatus hf_lcp_enumerate(const hfLcp* problem, hfLcpSolutions* solutions, void* work, size_t work_size,
                          hfError* error) {
  hfi_clear_error(error);
  int32_t n = problem->n;
  if (n < 1 || n > HF_LCP_ENUMERATION_MAX)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: enumeration takes 1 to %d rows, not %d",
                      HF_LCP_ENUMERATION_MAX, (int)n);

  hfStatus status = hfi_lcp_check(problem, error);
  if (status != HF_OK) return status;
  assert(work && work_size >= hf_lcp_enumerate_work_size(n));

  // search
  Enumeration e = {.found = solutions->z, .out = solutions, .overflow = 0};
  hfiArena arena = hfi_arena(work, work_size);
  take_enumeration(&e, &arena, n);
  hfi_lcp_scale(problem, 0, &e.p, &e.scale);
  solutions->count = 0;
  solutions->continuum = 0;
  search(&e, 0);

  // back to the caller's units
  for (int32_t s = 0; s < solutions->count; ++s)
    for (int32_t i = 0; i < n; ++i)
      solutions->z[s * n + i] = ldexp(solutions->z[s * n + i], e.scale.col[i]);
  if (e.overflow) return HF_OVERFLOW;
  return solutions->count > 0 ? HF_OK : HF_NO_SOLUTION;
}
