// One attempt at a step: its result and the estimate of its error.
//
// Error estimates. Implicit Euler uses step doubling: one step h gives u, two steps h/2 give u', and the error of u' is
// u - u' to leading order. RK3 and TR-BDF2 have an embedded estimate e.
//
// Local extrapolation subtracts the estimated error from the result, which raises the order by one. Implicit Euler
// becomes 2 u' - u. TR-BDF2 becomes u - A^-2 e with A = I - g J, where J is the Jacobian and g = gamma h of the
// implicit stages. The error left in a step is then smaller than its estimate. So the errors of many steps do not add
// up to more than the accuracy asked of one. Both methods stay A- and L-stable (docs/theory/integrators.md). RK3 always
// extrapolates, because its e is the error of the embedded result of lower order.
//
// Without error control nothing is estimated, and a step fails where its result would be meaningless. An implicit step
// fails when Newton's method does. An explicit step fails when the rates of its stages are far from a straight line
// (check_stages). For u' = lambda u that happens from |h lambda| = 0.94 on, well inside the region of stability, and it
// also happens when an impact lies within the step.
#include "methods/ode/integrator.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// An explicit step fails when the rate of a stage departs from the straight line through the two rates before by more
// than this share of the largest rate [-].
static const double LARGEST_BEND_SHARE = 1. / 3;
// A departure that changes the result of the step by less than this, in the error norm, is ignored.
static const double LEAST_BEND = 1e-9;
// An implicit step fails when the rate at its start changes a coordinate by more than this many times what the implicit
// stages change it by [-],
static const double LARGEST_START_FACTOR = 10;
// and by more than this, in the error norm.
static const double LEAST_START = 0.01;
// f jumps within a step that bends by at least a quarter of the bend of a step 64 times as long: at a kink a 64th would
// be left, and less of a stiff motion [-].
static const double JUMP_BEND_SHARE = 0.25;
static const double JUMP_LENGTH_SHARE = 1. / 64;

// ---- steps of one length --------------------------------------------------------------------------------

// Has an implicit step failed whose first stage is explicit? Its result is u = h sum_j a_j K_j, where a is the last row
// of the table. Where the equation is stiff, the implicit stages cancel what the explicit one, K_0, does. They do not
// if the stiff force of the start has ended before the first of them, as the force of bodies that overlap deeply. Such
// a force would act for the share a_0 of the step, and throw the bodies apart.
static hfStatus check_start(const hfIntegrator* integrator, double h) {
  const hfiStepper* stepper = &integrator->stepper;
  const double* a = stepper->table->A[stepper->table->stages - 1];
  const double* weight = stepper->chart.ode.weight;
  if (stepper->table->A[0][0] > 0) return HF_OK;

  for (int i = 0; i < stepper->chart.ode.n; ++i) {
    double start = h * a[0] * stepper->K[i];
    double rest = integrator->u[i] - start;
    double scale = weight ? weight[i] : 1;
    if (scale * fabs(start) > LARGEST_START_FACTOR * scale * fabs(rest) + LEAST_START) return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Checks the stages of a step. An explicit step fails if its rates bend too much: the rate K_j of a stage at c_j
// departs from the straight line through the two rates before it by
//   K_j - K_(j-1) - (c_j - c_(j-1))/(c_(j-1) - c_(j-2)) (K_(j-1) - K_(j-2))
// This must be small beside the largest rate. Sets integrator->jumps, and integrator->bent of a step that fails. Writes
// integrator->error.
static hfStatus check_stages(hfIntegrator* integrator, double h) {
  const hfiStepper* stepper = &integrator->stepper;
  const double* c = stepper->table->c;
  const int n = stepper->chart.ode.n;
  if (stepper->table->gamma > 0) return check_start(integrator, h);

  // the largest rate and the largest departure, by the norm of the chart
  double largest = 0;
  double bend = 0;
  for (int j = 0; j < stepper->table->stages; ++j) {
    const double* K = stepper->K + j * n;
    largest = max2(largest, hfi_chart_norm(&stepper->chart, K));
    if (j < 2) continue;

    double slope = (c[j] - c[j - 1]) / (c[j - 1] - c[j - 2]);
    for (int i = 0; i < n; ++i) integrator->error[i] = K[i] - K[i - n] - slope * (K[i - n] - K[i - 2 * n]);
    bend = max2(bend, hfi_chart_norm(&stepper->chart, integrator->error));
  }
  if (h * bend <= LARGEST_BEND_SHARE * h * largest + LEAST_BEND) return HF_OK;

  // it fails; is it a jump? Then a much shorter step still bends as much as JUMP_BEND_SHARE of the longest one that
  // failed
  int is_much_shorter = h <= JUMP_LENGTH_SHARE * integrator->bent.length;
  integrator->jumps = is_much_shorter && bend >= JUMP_BEND_SHARE * integrator->bent.bend;
  if (h > integrator->bent.length) {
    integrator->bent.bend = bend;
    integrator->bent.length = h;
  }
  return HF_NOT_CONVERGED;
}

// ---- error control --------------------------------------------------------------------------------------

// Called when u holds the result of the full step h. Makes two half steps, leaves their result in u, and computes
// error = full - halves. Writes integrator->half.
static hfStatus double_step(hfIntegrator* integrator, double t, double h) {
  const int n = integrator->stepper.chart.ode.n;

  for (int i = 0; i < n; ++i) {
    integrator->error[i] = integrator->u[i];
    integrator->half[i] = 0.5 * integrator->u[i];
  }

  hfStatus status = hfi_stepper_step(&integrator->stepper, t, 0.5 * h, NULL, integrator->half);
  if (!status) status = hfi_stepper_step(&integrator->stepper, t + 0.5 * h, 0.5 * h, integrator->half, integrator->u);

  if (status) return status;

  for (int i = 0; i < n; ++i) integrator->error[i] -= integrator->u[i];
  return HF_OK;
}

// Step doubling: u <- u - error. Embedded estimate: u <- u - A^-1 error; error is A^-1 e already
// (hfi_stepper_estimate_error), so that A^-2 e is subtracted. Writes in->half.
static void extrapolate(hfIntegrator* integrator) {
  const hfiStepper* stepper = &integrator->stepper;
  memcpy(integrator->half, integrator->error, (size_t)stepper->chart.ode.n * sizeof *integrator->half);
  if (hfi_butcher_embedded(stepper->table)) hfi_stage_matrix_solve(&stepper->matrix, integrator->half);
  for (int i = 0; i < stepper->chart.ode.n; ++i) integrator->u[i] -= integrator->half[i];
}

// ---- second estimates -----------------------------------------------------------------------------------
//
// They come from the same stages. Where f is smooth they are no larger than the first. When a step contains an impact,
// any single estimate may be small by chance, but hardly all of them.
// RK3: returns the norm of (h/3)(K_4 - 2 K_3 + K_2), a second difference of the rates. RK5: the norm of
// (h/3)(K_7 - K_6), two rates at the end. Writes integrator->half.
static double second_estimate_explicit(hfIntegrator* integrator, double h) {
  const hfiStepper* stepper = &integrator->stepper;
  const int n = stepper->chart.ode.n;
  const double* K = stepper->K;
  const double* last = K + (stepper->table->stages - 1) * n;

  for (int i = 0; i < n; ++i) {
    double difference = last[i] - last[i - n];
    if (stepper->table->order == 3) difference = last[i] - 2 * K[2 * n + i] + K[n + i];
    integrator->half[i] = h / 3 * difference;
  }
  return hfi_chart_norm(&stepper->chart, integrator->half);
}

// Step doubling: returns the larger norm of
//   (h/2)(F_end - F_middle) = u' - 2 half
//   A^-1 (h/4)(F_middle - F_start) = A^-1 (half/2 - (h/4) F_start)
// where F_start, F_middle and F_end are the rates at the start, after the first and after the second half step. Only
// F_start looks at the start of the step: all stages of implicit Euler may lie after a contact that just ended, and
// agree with each other. A^-1 damps the stiff parts, because the error that Newton left in x appears in F_start
// multiplied by the stiffness. Writes integrator->half and integrator->x.
static double second_estimate_doubling(hfIntegrator* integrator, double t, double h) {
  hfiStepper* stepper = &integrator->stepper;
  const double* rate0 = hfi_stepper_rate0(stepper, t);
  double* start = integrator->x;
  if (!rate0) return INFINITY;

  for (int i = 0; i < stepper->chart.ode.n; ++i) {
    start[i] = 0.5 * integrator->half[i] - 0.25 * h * rate0[i];
    integrator->half[i] = integrator->u[i] - 2 * integrator->half[i];
  }
  hfi_stage_matrix_solve(&stepper->matrix, start);
  return max2(hfi_chart_norm(&stepper->chart, start), hfi_chart_norm(&stepper->chart, integrator->half));
}

// Returns the largest rate of the equation [1/s], |J d|/|d| for a combination d of the stages' points in which smooth
// motion cancels. It is found where steps are so long that fast motions are excited (Hairer and Wanner, Solving ODEs
// II, IV.2). Writes integrator->half and integrator->x.
static double estimate_stiffness(hfIntegrator* integrator, double h) {
  const hfiStepper* stepper = &integrator->stepper;
  const hfiButcher* table = stepper->table;
  const int n = stepper->chart.ode.n;
  double* moved = integrator->half; // d
  double* rate = integrator->x;     // J d
  memset(moved, 0, (size_t)n * sizeof *moved);
  memset(rate, 0, (size_t)n * sizeof *rate);

  // both are combinations of the rates K_j
  for (int j = 0; j < table->stages; ++j) {
    double a = 0; // factor of K_j in the combination of the points
    for (int i = j + 1; i < table->stages; ++i) a += h * table->fast[i] * table->A[i][j];
    for (int i = 0; i < n; ++i) {
      moved[i] += a * stepper->K[j * n + i];
      rate[i] += table->fast[j] * stepper->K[j * n + i];
    }
  }

  double size = hfi_chart_norm(&stepper->chart, moved);
  return size > 0 ? hfi_chart_norm(&stepper->chart, rate) / size : 0;
}

// ---- the attempt ----------------------------------------------------------------------------------------

// Tries a step h from x at t: computes its result u in the chart around x, and the estimate of its error. A status > 0:
// it has failed.
static hfStatus attempt_step(hfIntegrator* integrator, double t, double h, const double* x) {
  hfiStepper* stepper = &integrator->stepper;
  const int is_explicit = stepper->table->gamma == 0;
  const int is_embedded = hfi_butcher_embedded(stepper->table);

  hfi_stepper_set_centre(stepper, x);
  memset(integrator->u, 0, (size_t)stepper->chart.ode.n * sizeof *integrator->u);

  integrator->counts.last = h;
  integrator->estimate = 0;
  integrator->jumps = 0;

  // the result
  hfStatus status = hfi_stepper_step(stepper, t, h, NULL, integrator->u);
  if (status) return status;
  if (!integrator->config.error_control) return check_stages(integrator, h);

  // the first estimate
  if (is_embedded) {
    hfi_stepper_estimate_error(stepper, h, integrator->error);
  } else {
    status = double_step(integrator, t, h);
    if (status) return status;
  }
  integrator->estimate = hfi_chart_norm(&stepper->chart, integrator->error);

  // an explicit step: the larger of two estimates, and how stiff the equation is
  if (is_explicit) {
    integrator->estimate = max2(integrator->estimate, second_estimate_explicit(integrator, h));
    integrator->watch.rate = estimate_stiffness(integrator, h);
    return HF_OK;
  }

  // an implicit step: the larger of two estimates if the first is by doubling, then extrapolation
  if (!is_embedded) integrator->estimate = max2(integrator->estimate, second_estimate_doubling(integrator, t, h));
  if (integrator->config.extrapolate) extrapolate(integrator);
  return HF_OK;
}

// Tries a step, with a held f where steps hold it. These are steps of implicit Euler: f jumps between two of them, and
// a method of higher order, which uses f at the start of a step, would excite stiff motions with that.
hfStatus hfi_integrator_attempt(hfIntegrator* integrator, double t, double h, const double* x) {
  hfiStepper* stepper = &integrator->stepper;
  const hfOde* ode = &stepper->chart.ode;
  const hfiButcher* table = stepper->table;
  if (!integrator->holds) return attempt_step(integrator, t, h, x);

  ode->hold(ode->context, t, x);
  stepper->table = hfi_butcher(HF_METHOD_IMPLICIT_EULER);
  hfi_stepper_forget_start(stepper);
  hfStatus status = attempt_step(integrator, t, h, x);

  stepper->table = table;
  ode->hold(ode->context, t, NULL);
  return status;
}
