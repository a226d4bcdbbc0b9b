// The residual along a Newton step, g(alpha) = dv'r(v + alpha dv), starts below zero; where it
// rises above, the step went too far. For a convex problem g is the slope of the function that is
// minimised and increases with alpha; here it need not be, and any change of sign will do.
//
//   g(alpha) = dv'(A v - p*) + alpha dv'A dv - ds'gamma(s + alpha ds),   s = J v, ds = J dv
//
// so that a trial costs the laws of the rows and no more. The root is bracketed by regula falsi and
// bisection in turn; where a stiff row makes g jump, the point behind the jump is returned, so that
// the next Newton matrix sees that row.
#include "solve/line.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/system.h"

#define SMALL 0.3 // |g| at the point that is accepted, over |g(0)|
enum { MAX_TRIALS = 60 };

// g at alpha, from base and rate
static double residual_at(hfiIsland* I, int coupling, double base, double rate, double alpha) {
  for (int32_t i = 0; i < I->nrow; ++i) I->s[i] = I->s1[i] + alpha * I->ds[i];
  hfi_system_respond(I, coupling);
  return base + alpha * rate - hfi_dot(I->ds, I->gamma, I->nrow);
}

double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end) {
  double lo = 0, hi = alpha, glo = start, ghi = end, base = 0;
  hfi_system_rows(I, I->dv, I->ds);
  hfi_system_multiply(I, I->dv, I->work);
  double rate = hfi_dot(I->dv, I->work, I->n);
  for (int32_t i = 0; i < I->n; ++i) base += I->dv[i] * (I->Av[i] - I->p[i]);
  base -= alpha * rate; // Av is that of the far end
  for (int trial = 0; trial < MAX_TRIALS; ++trial) {
    double a = trial % 3 == 2 ? 0.5 * (lo + hi) : (lo * ghi - hi * glo) / (ghi - glo);
    if (!(a > lo && a < hi)) break;
    double g = residual_at(I, coupling, base, rate, a);
    if (fabs(g) <= SMALL * -start) return a;
    if (g > 0)
      hi = a, ghi = g;
    else
      lo = a, glo = g;
  }
  return hi;
}
