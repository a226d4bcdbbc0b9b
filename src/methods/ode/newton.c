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
// Where the problem is so stiff that the rounding of y changes r by more than the tolerance, r does not fall. Updates
// then stay as they are, far below the tolerance. In that case the matrix is formed at y itself. If its update is as
// small, and y is on the piece of r of the iterate before, y is the solution as closely as y can be written. Without
// this rule that would look like divergence, and no shorter step would help.
//
// The transition-aware line search (TAMSI section III-A) shortens an update that would jump over a
// stick region. An iterate that lies on another piece of r than the one before (a stick region entered
// or left, a contact made or broken) has another matrix: it is formed anew, and contraction is measured
// afresh. Leaving needs that as much as entering: the small update that steps out of a stick region is
// followed by a large one, which is no divergence.
#include "methods/ode/newton.h"

#include "math/elementary.h"

#include <float.h>
#include <math.h>

enum { UNKNOWN_NORM = -1 };
// An update and a residual below this share of the tolerance end the iteration [-].
static const double NEGLIGIBLE_SHARE = 1e-3;
// An update below this share of |y| is round-off [-].
static const double UPDATE_ROUNDING_SHARE = 10 * DBL_EPSILON;

// What the iterations so far have shown.
typedef struct Contraction {
  double update;   // |dy| of the last iteration, if contraction can be measured against it; UNKNOWN_NORM
  double residual; // |r| of that iteration
  int renew;       // 1: the matrix is formed at the next y, because the updates are negligible and do not contract
} Contraction;

// One iteration.
typedef struct NewtonStep {
  double residual;     // |r| before it
  double update;       // |dy|
  double alpha;        // share of dy that was taken
  int moved;           // 1: y was on another piece of r than the matrix before
  int exact;           // 1: the matrix was formed at y
  int iterations_left; // number of iterations that may follow
} NewtonStep;

// r holds the update with the opposite sign. Multiplies it by the share alpha that may be taken and returns alpha [-].
static double limit_update(const hfiStageProblem* problem, const double* y, double* r) {
  if (!problem->limit) return 1;
  for (int i = 0; i < problem->n; ++i) r[i] = -r[i];
  double alpha = problem->limit(problem->context, y, r);
  for (int i = 0; i < problem->n; ++i) r[i] *= -alpha;
  return alpha;
}

// Makes an iteration: evaluates r at y, forms the matrix if that is asked for, and subtracts the update from y. r
// becomes the part of the update that was taken. *step says what happened.
static hfStatus iterate(const hfiStageProblem* problem, int always_exact, double* y, double* r, NewtonStep* step) {
  hfStatus status = problem->residual(problem->context, y, r);
  if (status) return status;
  step->residual = problem->norm(problem->context, r);

  // the matrix; moved: y is on another piece of r than the iterate before (file's head)
  step->moved = problem->moved && problem->moved(problem->context, y);
  step->exact = always_exact || step->moved;
  if (step->exact) status = problem->refresh(problem->context, y);
  if (status) return status;

  // the update: r becomes A^-1 r, and then alpha times that
  problem->solve(problem->context, r);
  step->update = problem->norm(problem->context, r);
  step->alpha = limit_update(problem, y, r);
  if (problem->trace) problem->trace(problem->context, step->residual, step->update, step->alpha);
  if (!isfinite(step->update)) return HF_OK;

  for (int i = 0; i < problem->n; ++i) y[i] -= r[i];
  return HF_OK;
}

typedef enum NewtonVerdict { SOLVED, HOPELESS, UNFINISHED } NewtonVerdict;

// Decides after an iteration, which led to a y with the norm `length`. SOLVED: y is the solution. HOPELESS: further
// iterations will not find it. UNFINISHED: they go on. Updates *before, the contraction shown so far, and
// result->theta.
static NewtonVerdict decide(const hfiStageOptions* options, const NewtonStep* step, double length, Contraction* before,
                            hfiStageResult* result) {
  const double negligible = NEGLIGIBLE_SHARE * options->tolerance;
  const double size = step->update;

  // round-off, or update and residual far below the tolerance
  if (size <= UPDATE_ROUNDING_SHARE * fmax(1, length) || fmax(size, step->residual) <= negligible) return SOLVED;

  // two negligible updates, the second with the matrix at y itself
  int is_negligible = step->alpha == 1 && size <= negligible;
  int was_negligible = before->update > 0 && before->update <= negligible;
  if (is_negligible && step->exact && !step->moved && was_negligible) return SOLVED;

  // contraction, if the last two updates were taken whole; negligible updates that grow only ask for a new matrix
  if (before->update > 0 && step->alpha == 1) {
    int diverges = size / before->update >= options->divergence;
    before->renew = is_negligible && diverges;
    if (diverges && !before->renew) return HOPELESS;

    // eta |dy| is below the tolerance
    double theta = fmax(size / before->update, step->residual / before->residual);
    result->theta = fmax(result->theta, theta);
    if (theta < 1 && theta / (1 - theta) * size < options->tolerance) return SOLVED;

    // the iterations that are left cannot do it
    if (theta < 1 && !options->full && hfi_pow(theta, step->iterations_left) / (1 - theta) * size > options->tolerance)
      return HOPELESS;
  }

  before->update = step->alpha == 1 ? size : UNKNOWN_NORM;
  before->residual = step->residual;
  return UNFINISHED;
}

// Improves the guess y until |y* - y| is below the tolerance. r (n) is scratch.
hfStatus hfi_stage_newton(const hfiStageProblem* problem, const hfiStageOptions* options, double* y, double* r,
                          hfiStageResult* result) {
  Contraction contraction = {UNKNOWN_NORM, UNKNOWN_NORM, 0};
  *result = (hfiStageResult){0};

  for (int k = 0; k < options->max_iterations; ++k) {
    NewtonStep step = {.iterations_left = options->max_iterations - 1 - k};
    hfStatus status = iterate(problem, options->full || contraction.renew, y, r, &step);
    if (status) return status;

    ++result->iterations;
    result->limited += step.alpha < 1;
    if (!isfinite(step.update)) return HF_NOT_CONVERGED;

    // the update before belongs to another piece of r
    if (step.moved) contraction.update = UNKNOWN_NORM;
    NewtonVerdict verdict = decide(options, &step, problem->norm(problem->context, y), &contraction, result);
    if (verdict == SOLVED) return HF_OK;
    if (verdict == HOPELESS) return HF_NOT_CONVERGED;
  }

  return HF_NOT_CONVERGED;
}
