// Newton's method, full or with a matrix that is kept (Hairer and Wanner, Solving ODEs II, IV.8).
//
//   A dy = -r(y),   y <- y + alpha dy
//
//   theta = |dy_k|/|dy_(k-1)|                      contraction
//   |y* - y| <= eta |dy|, eta = theta/(1 - theta)  stop when eta |dy| < tolerance
//   theta >= divergence (1)                        give up
//   theta^(left)/(1 - theta) |dy| > tolerance      give up: the iterations left cannot do it
//
// For success theta is the larger of the ratios of updates and of residuals: a matrix much too stiff,
// kept from a stick region that was left, makes updates small and shrinking while r stays as it is.
//
// Two updates are always seen before success is claimed, unless the first is round-off: Hairer's
// contraction carried over from the step before would accept the first update of a step that jumps
// over a stick region, where the last contraction says nothing. And unless update and residual are far
// below the tolerance: near rest both are rounding errors of large forces that cancel, whose ratio is as
// often above 1 as below. The residual has the unit of y, and A^-1 makes no stable problem's residual larger.
//
// Where the problem is so stiff that the rounding of y changes r by more than the tolerance, updates stay as they are, far below the tolerance, while r
// does not fall. Then the matrix is formed at y itself: if its update is as small, and y is on the piece of r of the iterate before, y is the solution as
// closely as y can be written. Otherwise that looked like divergence, and no shorter step would help.
//
// The transition-aware line search (TAMSI section III-A) shortens an update that would jump over a
// stick region. An iterate that lies on another piece of r than the one before (a stick region entered
// or left, a contact made or broken) has another matrix: it is formed anew, and contraction is measured
// afresh. Leaving needs that as much as entering: the small update that steps out of a stick region is
// followed by a large one, which is no divergence.
#include "math/elementary.h"
#include "methods/ode/newton.h"

#include <float.h>
#include <math.h>

enum { UNKNOWN = -1 };
// An update and a residual below this share of the tolerance end the iteration [-].
static const double NEGLIGIBLE = 1e-3;

static double take_update(const hfiStageProblem* p, double* y, const double* r) {
  for (int i = 0; i < p->n; ++i) y[i] -= r[i];
  return p->norm(p->context, y);
}

// The update is -r; r <- alpha r.
static double limit_update(const hfiStageProblem* p, const double* y, double* r) {
  if (!p->limit) return 1;
  for (int i = 0; i < p->n; ++i) r[i] = -r[i];
  double alpha = p->limit(p->context, y, r);
  for (int i = 0; i < p->n; ++i) r[i] *= -alpha;
  return alpha;
}

// Are the remaining iterations, with the contraction theta, too few to bring an update of this size below the tolerance?
static int cannot_converge(const hfiStageOptions* options, double theta, double size, int left) {
  return hfi_pow(theta, left) / (1 - theta) * size > options->tolerance;
}

hfStatus hfi_stage_newton(const hfiStageProblem* p, const hfiStageOptions* options, double* y, double* r,
                          hfiStageResult* result) {
  double previous = UNKNOWN; // |dy| of the last iteration, if contraction can be measured against it
  double previous_residual = UNKNOWN;
  int renew = 0; // 1: the matrix is formed at the next y, because the updates are negligible and do not contract
  *result = (hfiStageResult){0};
  for (int k = 0; k < options->max_iterations; ++k) {
    hfStatus status = p->residual(p->context, y, r);
    if (status) return status;
    double residual = p->norm(p->context, r);
    int moved = p->moved && p->moved(p->context, y);
    if (moved) previous = UNKNOWN;
    int exact = options->full || moved || renew;
    if (exact) status = p->refresh(p->context, y);
    if (status) return status;
    p->solve(p->context, r);
    double size = p->norm(p->context, r), alpha = limit_update(p, y, r);
    ++result->iterations;
    result->limited += alpha < 1;
    if (p->trace) p->trace(p->context, residual, size, alpha);
    if (!isfinite(size)) return HF_NOT_CONVERGED;

    double length = take_update(p, y, r);
    if (size <= 10 * DBL_EPSILON * fmax(1, length) || fmax(size, residual) <= NEGLIGIBLE * options->tolerance) return HF_OK;
    int negligible = alpha == 1 && size <= NEGLIGIBLE * options->tolerance;
    if (negligible && exact && !moved && previous > 0 && previous <= NEGLIGIBLE * options->tolerance) return HF_OK;
    if (previous > 0 && alpha == 1) {
      renew = negligible && size / previous >= options->divergence;
      if (size / previous >= options->divergence && !renew) return HF_NOT_CONVERGED;
      double theta = fmax(size / previous, residual / previous_residual);
      result->theta = fmax(result->theta, theta);
      if (theta < 1 && theta / (1 - theta) * size < options->tolerance) return HF_OK;
      if (theta < 1 && !options->full && cannot_converge(options, theta, size, options->max_iterations - 1 - k)) return HF_NOT_CONVERGED;
    }
    previous = alpha == 1 ? size : UNKNOWN;
    previous_residual = residual;
  }
  return HF_NOT_CONVERGED;
}
