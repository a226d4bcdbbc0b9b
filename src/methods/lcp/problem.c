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
  hfiLcp p = {n, NULL, NULL, NULL, NULL};
  p.A = HFI_TAKE(arena, double, (size_t)n * (size_t)n);
  HFI_TAKE_EACH(arena, double, n, &p.b, &p.lo, &p.hi);
  return p;
}

// Takes storage for the exponents of n rows.
hfiLcpScale hfi_lcp_scale_take(hfiArena* arena, int32_t n) {
  hfiLcpScale s;
  s.row = HFI_TAKE(arena, int32_t, n);
  s.col = HFI_TAKE(arena, int32_t, n);
  s.factor = HFI_TAKE(arena, double, 2 * n);
  return s;
}

hfStatus hfi_lcp_check(const hfLcp* p, hfError* error) {
  if (p->n < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: n = %d is negative", (int)p->n);

  for (int32_t i = 0; i < p->n; ++i) {
    for (int32_t j = 0; j < p->n; ++j)
      if (!isfinite(p->A[(size_t)i * (size_t)p->n + (size_t)j]))
        return hfi_refuse(error, HF_ERROR_NONFINITE, "lcp: A(%d, %d) is not finite", (int)i, (int)j);
    if (!isfinite(p->b[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "lcp: b(%d) is not finite", (int)i);

    double lo = p->lo ? p->lo[i] : 0;
    double hi = p->hi ? p->hi[i] : INFINITY;
    if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY)
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "lcp: bounds of row %d are [%g, %g]", (int)i, lo, hi);
  }
  return HF_OK;
}

// Finds the exponent of the magnitude m: m is the largest number among |b'| and the bounds that exclude
// zero. If all of these are zero, m is the largest finite bound.
static int32_t find_magnitude(const hfLcp* p, const hfiLcpScale* s) {
  double largest = 0;
  double farthest = 0;

  for (int32_t i = 0; i < p->n; ++i) {
    double lo = p->lo ? p->lo[i] : 0;
    double hi = p->hi ? p->hi[i] : INFINITY;

    // the distance of the interval from zero
    double nearest = 0;
    if (lo > 0)
      nearest = lo;
    else if (hi < 0)
      nearest = -hi;

    largest = fmax(largest, ldexp(fabs(p->b[i]), s->row[i]));
    largest = fmax(largest, ldexp(nearest, -s->col[i]));
    if (isfinite(lo)) farthest = fmax(farthest, ldexp(fabs(lo), -s->col[i]));
    if (isfinite(hi)) farthest = fmax(farthest, ldexp(fabs(hi), -s->col[i]));
  }

  if (largest == 0) largest = farthest;
  return largest > 0 ? ilogb(fmin(largest, DBL_MAX)) : 0;
}

void hfi_lcp_scale(const hfLcp* p, double tikhonov, hfiLcp* scaled, hfiLcpScale* s) {
  int32_t n = p->n;
  memcpy(scaled->A, p->A, sizeof(double) * (size_t)n * (size_t)n);
  for (int32_t i = 0; i < n; ++i) scaled->A[(size_t)i * (size_t)(n + 1)] += tikhonov;
  hfi_equilibrate(n, n, scaled->A, s->row, s->col, s->factor);

  // b' = E b / m, z' = D^-1 z / m
  int32_t m = find_magnitude(p, s);
  for (int32_t i = 0; i < n; ++i) {
    s->row[i] -= m;
    s->col[i] += m;
    scaled->b[i] = ldexp(p->b[i], s->row[i]);
    scaled->lo[i] = p->lo ? ldexp(p->lo[i], -s->col[i]) : 0;
    scaled->hi[i] = p->hi ? ldexp(p->hi[i], -s->col[i]) : INFINITY;
  }
}

// The size of the terms of a residual counts up to this [-].
static const double LARGEST_TERMS = 1e6;

void hfi_lcp_slack(const hfiLcp* p, const double* z, double* w) {
  for (int32_t i = 0; i < p->n; ++i) {
    const double* row = p->A + (size_t)i * (size_t)p->n;
    double sum = p->b[i];
    for (int32_t j = 0; j < p->n; ++j) sum += row[j] * z[j];
    w[i] = sum;
  }
}

double hfi_lcp_residual(const hfiLcp* p, const double* z) {
  double worst = 0;
  double terms = 1;

  for (int32_t i = 0; i < p->n; ++i) {
    const double* row = p->A + (size_t)i * (size_t)p->n;
    double w = p->b[i];
    double size = fabs(p->b[i]);
    for (int32_t j = 0; j < p->n; ++j) {
      w += row[j] * z[j];
      size += fabs(row[j] * z[j]);
    }

    double r = fabs(z[i] - hfi_clamp(z[i] - w, p->lo[i], p->hi[i]));
    if (!isfinite(r) || !isfinite(size)) return INFINITY;
    worst = fmax(worst, r);
    terms = fmax(terms, size);
  }
  return worst / fmin(terms, LARGEST_TERMS);
}

double hfi_lcp_rest(const hfiLcp* p, int32_t i) {
  int has_lo = isfinite(p->lo[i]);
  int has_hi = isfinite(p->hi[i]);
  if (has_lo && has_hi) return fabs(p->hi[i]) < fabs(p->lo[i]) ? p->hi[i] : p->lo[i];
  if (has_lo) return p->lo[i];
  return has_hi ? p->hi[i] : 0;
}
