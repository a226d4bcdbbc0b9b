// Validity, scaling and residual of the bounded LCP.
//
//   A' = E A D,  b' = E b / m,  z' = D^-1 z / m,  w' = E w / m,   E, D > 0 diagonal, m > 0
//
// Positive scalings keep the signs of z and w, hence the solutions, and the classes P and
// sufficient; for Lemke they only change the covering vector. E and D equilibrate A, m brings b and
// the bounds that exclude zero (if there are none, the finite bounds) to order one. All are powers
// of two: nothing is rounded.
//
// Natural map: z solves it iff  z_i = clamp(z_i - w_i, lo_i, hi_i) for every i. The residual is the
// largest violation over max_i (|A||z| + |b|)_i, the size of the terms that w = A z + b adds up: an
// exact basis solved with rounding gives a few 1e-16. That size counts from 1, the unit of the
// data, to 1e6: a z so large that rounding hides b solves nothing.
#include "methods/lcp/problem.h"
#include "base/error.h"
#include "methods/lcp/equilibrate.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Takes storage for a problem of n rows.
hfiLcp hfi_lcp_take(hfiArena* arena, int32_t n) {
  hfiLcp problem = {n, NULL, NULL, NULL, NULL};
  problem.A = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  HFI_TAKE_EACH(arena, double, n, &problem.b, &problem.lo, &problem.hi);
  return problem;
}

// Takes storage for the exponents of n rows.
hfiLcpScale hfi_lcp_scale_take(hfiArena* arena, int32_t n) {
  hfiLcpScale scale;
  scale.row = HFI_TAKE(arena, int32_t, n);
  scale.col = HFI_TAKE(arena, int32_t, n);
  scale.factor = HFI_TAKE(arena, double, 2 * n);
  return scale;
}

// Refuses a problem whose numbers are not finite, or whose bounds exclude each other.
hfStatus hfi_lcp_check(const hfLcp* problem, hfError* error) {
  if (problem->n < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: n = %d is negative", (int)problem->n);

  for (int32_t i = 0; i < problem->n; ++i) {
    for (int32_t j = 0; j < problem->n; ++j)
      if (!isfinite(problem->A[(size_t)i * (size_t)problem->n + (size_t)j]))
        return hfi_refuse(error, HF_ERROR_NONFINITE, "lcp: A(%d, %d) is not finite", (int)i, (int)j);

    if (!isfinite(problem->b[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "lcp: b(%d) is not finite", (int)i);

    double lo = problem->lo ? problem->lo[i] : 0;
    double hi = problem->hi ? problem->hi[i] : INFINITY;
    if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY)
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: bounds of row %d are [%g, %g]", (int)i, lo, hi);
  }
  return HF_OK;
}

// Finds the exponent of the magnitude m: m is the largest number among |b'| and the bounds that exclude
// zero. If all of these are zero, m is the largest finite bound.
static int32_t find_magnitude(const hfLcp* problem, const hfiLcpScale* scale) {
  double largest = 0;
  double farthest = 0;

  for (int32_t i = 0; i < problem->n; ++i) {
    double lo = problem->lo ? problem->lo[i] : 0;
    double hi = problem->hi ? problem->hi[i] : INFINITY;

    // the distance of the interval from zero; it is zero if the interval contains zero
    double nearest = 0;
    if (lo > 0) nearest = lo;
    else if (hi < 0) nearest = -hi;

    // the scales are exponents of two: E has 2^row, D has 2^col
    largest = fmax(largest, ldexp(fabs(problem->b[i]), scale->row[i]));
    largest = fmax(largest, ldexp(nearest, -scale->col[i]));
    if (isfinite(lo)) farthest = fmax(farthest, ldexp(fabs(lo), -scale->col[i]));
    if (isfinite(hi)) farthest = fmax(farthest, ldexp(fabs(hi), -scale->col[i]));
  }

  if (largest == 0) largest = farthest;
  return largest > 0 ? ilogb(fmin(largest, DBL_MAX)) : 0;
}

// Makes the scaled copy of the file's head, with `tikhonov` added to the diagonal.
void hfi_lcp_scale(const hfLcp* problem, double tikhonov, hfiLcp* scaled, hfiLcpScale* scale) {
  int32_t n = problem->n;
  // A' = E A D
  memcpy(scaled->A, problem->A, sizeof(double) * (size_t)n * (size_t)n);
  for (int32_t i = 0; i < n; ++i) scaled->A[(size_t)i * (size_t)(n + 1)] += tikhonov;
  hfi_equilibrate(n, n, scaled->A, scale->row, scale->col, scale->factor);

  // b' = E b / m, z' = D^-1 z / m
  int32_t m = find_magnitude(problem, scale);
  for (int32_t i = 0; i < n; ++i) {
    scale->row[i] -= m;
    scale->col[i] += m;
    scaled->b[i] = ldexp(problem->b[i], scale->row[i]);
    scaled->lo[i] = problem->lo ? ldexp(problem->lo[i], -scale->col[i]) : 0;
    scaled->hi[i] = problem->hi ? ldexp(problem->hi[i], -scale->col[i]) : INFINITY;
  }
}

// The size of the terms of a residual counts up to this [-].
static const double LARGEST_TERMS = 1e6;

// w = A z + b.
void hfi_lcp_slack(const hfiLcp* problem, const double* z, double* w) {
  for (int32_t i = 0; i < problem->n; ++i) {
    const double* row = problem->A + (size_t)i * (size_t)problem->n;
    double sum = problem->b[i];
    for (int32_t j = 0; j < problem->n; ++j) sum += row[j] * z[j];
    w[i] = sum;
  }
}

// The residual of the natural map [-]; infinite if a number is not finite.
double hfi_lcp_residual(const hfiLcp* problem, const double* z) {
  double worst = 0;
  double terms = 1;

  // the largest violation of the natural map, and the largest (|A||z| + |b|)_i
  for (int32_t i = 0; i < problem->n; ++i) {
    const double* row = problem->A + (size_t)i * (size_t)problem->n;
    double w = problem->b[i];
    double size = fabs(problem->b[i]);
    for (int32_t j = 0; j < problem->n; ++j) {
      w += row[j] * z[j];
      size += fabs(row[j] * z[j]);
    }

    double r = fabs(z[i] - hfi_clamp(z[i] - w, problem->lo[i], problem->hi[i]));
    if (!isfinite(r) || !isfinite(size)) return INFINITY;
    worst = fmax(worst, r);
    terms = fmax(terms, size);
  }
  return worst / fmin(terms, LARGEST_TERMS);
}

// The value at which variable i starts: the finite bound nearest to zero, or 0 for a free variable.
double hfi_lcp_rest(const hfiLcp* problem, int32_t i) {
  int has_lo = isfinite(problem->lo[i]);
  int has_hi = isfinite(problem->hi[i]);
  if (has_lo && has_hi) return fabs(problem->hi[i]) < fabs(problem->lo[i]) ? problem->hi[i] : problem->lo[i];

  if (has_lo) return problem->lo[i];
  return has_hi ? problem->hi[i] : 0;
}
