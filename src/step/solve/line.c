// The residual along a Newton step,
//
//   g(alpha) = dv'r(v + alpha dv) = dv'(A v - p*) + alpha dv'A dv - ds'gamma(s + alpha ds)
//
//   v, s  velocities and row velocities J v at the start     dv  Newton step, ds = J dv
//   r     residual, A mass matrix, p* free momentum          gamma  impulses of the rows
//
// The island has the start of the step in v1 and s1, and its end in v, s and Av.
//
// g is negative at the start. If it is positive at the end, the step went too far. For a convex problem g is the slope of the function that is minimised,
// and grows with alpha. In general it need not grow, but any point at which it changes its sign can be used.
//
// By the formula above, a trial point costs only one evaluation of the laws. The change of sign is bracketed (bracket.h). If a stiff row makes g jump,
// the upper end of the bracket, beyond the jump, is returned, so that the next Newton matrix contains that row.
#include "step/solve/newton_step.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/solve/bracket.h"
#include "step/solve/system.h"

// A trial point is accepted if |g| is below this share of |g(0)| [-].
static const double SMALL_RESIDUAL = 0.3;
enum { MAX_TRIALS = 60 }; // Every third trial is a bisection, and twenty bisections shrink the bracket to 1e-6 of its length.

// Returns g(alpha) = base + alpha rate - ds'gamma(s1 + alpha ds). Sets I->s and I->gamma to those of that point.
static double evaluate_along(hfiIsland* I, int coupling, double base, double rate, double alpha) {
  hfi_move(I->s, I->s1, alpha, I->ds, I->nrow);
  hfi_system_impulses(I, coupling);
  return base + alpha * rate - hfi_dot(I->ds, I->gamma, I->nrow);
}

double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end) {
  hfiBracket bracket = hfi_bracket((hfiTrial){0, start}, (hfiTrial){alpha, end});
  double base = 0;
  hfi_system_row_changes(I, I->dv, I->ds);
  hfi_system_multiply(I, I->dv, I->work);
  double rate = hfi_dot(I->dv, I->work, I->n);
  for (int32_t i = 0; i < I->n; ++i) base += I->dv[i] * (I->Av[i] - I->p[i]);
  base -= alpha * rate; // I->Av belongs to the end of the step.
  while (bracket.trials < MAX_TRIALS) {
    double a = hfi_bracket_choose(&bracket);
    if (!hfi_bracket_holds(&bracket, a)) break;
    hfiTrial trial = {a, evaluate_along(I, coupling, base, rate, a)};
    if (fabs(trial.g) <= SMALL_RESIDUAL * -start) return a;
    hfi_bracket_add(&bracket, trial);
  }
  return bracket.hi.alpha;
}
