// One attempt at a step: its result and the estimate of its error.
//
// Error estimates. Implicit Euler uses step doubling: one step h gives u, two steps h/2 give u', and the error of u' is
// u - u' to leading order. RK3 and TR-BDF2 have an embedded estimate e.
//
// Local extrapolation subtracts the estimated error from the result, which raises the order by one: 2 u' - u for
// implicit Euler, u - A^-2 e for TR-BDF2 with A = I - g J, J the Jacobian and g = gamma h of the implicit stages. The
// error left in a step is then smaller than its estimate, so that the errors of many steps do not add up to more than
// the accuracy asked of one. Both methods stay A- and L-stable (docs/theory/integrators.md). RK3 always extrapolates,
// because its e is the error of the embedded result of lower order.
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
static const double MAX_BEND = 1. / 3;
// A departure that changes the result of the step by less than this, in the error norm, is ignored.
static const double SMALLEST_BEND = 1e-9;
// An implicit step fails when the rate at its start changes a coordinate by more than this many times what the implicit
// stages change it by [-], and by more than the second number, in the error norm.
static const double MAX_START = 10, SMALLEST_START = 0.01;
// f jumps within a step that bends by at least a quarter of the bend of a step 64 times as long: at a kink a 64th would
// be left, and less of a stiff motion [-].
static const double JUMP_SHARE = 0.25, JUMP_LENGTH = 1. / 64;

// ---- steps of one length --------------------------------------------------------------------------------

// Has an implicit step failed whose first stage is explicit? Its result is u = h sum_j a_j K_j, where a is the last row
// of the table. Where the equation is stiff, the implicit stages cancel what the explicit one, K_0, does. They do not
// where the stiff force of the start has ended before the first of them, as the force of bodies which overlap deeply:
// this force would act for the share a_0 of the step, and throw the bodies apart.
static hfStatus check_start(const hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const double* a = s->table->A[s->table->stages - 1];
  const double* weight = s->chart.ode.weight;
  if (s->table->A[0][0] > 0) return HF_OK;

  for (int i = 0; i < s->chart.ode.n; ++i) {
    double start = h * a[0] * s->K[i];
    double rest = in->u[i] - start;
    double scale = weight ? weight[i] : 1;
    if (scale * fabs(start) > MAX_START * scale * fabs(rest) + SMALLEST_START) return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Checks the stages of a step. An explicit step fails if its rates bend too much: the rate K_j of a stage at c_j
// departs from the straight line through the two rates before it by
//   K_j - K_(j-1) - (c_j - c_(j-1))/(c_(j-1) - c_(j-2)) (K_(j-1) - K_(j-2))
// This must be small beside the largest rate. Sets in->jumps, and in->bend and in->bent of a step that fails. Writes
// in->error.
static hfStatus check_stages(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const double* c = s->table->c;
  const int n = s->chart.ode.n;
  if (s->table->gamma > 0) return check_start(in, h);

  double largest = 0;
  double bend = 0;
  for (int j = 0; j < s->table->stages; ++j) {
    const double* K = s->K + j * n;
    largest = max2(largest, hfi_chart_norm(&s->chart, K));
    if (j < 2) continue;
    double slope = (c[j] - c[j - 1]) / (c[j - 1] - c[j - 2]);
    for (int i = 0; i < n; ++i) in->error[i] = K[i] - K[i - n] - slope * (K[i - n] - K[i - 2 * n]);
    bend = max2(bend, hfi_chart_norm(&s->chart, in->error));
  }
  if (h * bend <= MAX_BEND * h * largest + SMALLEST_BEND) return HF_OK;

  in->jumps = h <= JUMP_LENGTH * in->bent && bend >= JUMP_SHARE * in->bend;
  if (h > in->bent) {
    in->bend = bend;
    in->bent = h;
  }
  return HF_NOT_CONVERGED;
}

// ---- error control --------------------------------------------------------------------------------------

// Called when u holds the result of the full step. Makes two half steps, leaves their result in u, and computes error =
// full - halves.
static hfStatus double_step(hfIntegrator* in, double t, double h) {
  const int n = in->stepper.chart.ode.n;
  for (int i = 0; i < n; ++i) {
    in->error[i] = in->u[i];
    in->half[i] = 0.5 * in->u[i];
  }

  hfStatus status = hfi_stepper_step(&in->stepper, t, 0.5 * h, NULL, in->half);
  if (!status) status = hfi_stepper_step(&in->stepper, t + 0.5 * h, 0.5 * h, in->half, in->u);
  if (status) return status;
  for (int i = 0; i < n; ++i) in->error[i] -= in->u[i];
  return HF_OK;
}

// Step doubling: u <- u - error. Embedded estimate: u <- u - A^-1 error; error is A^-1 e already (hfi_stepper_error),
// so that A^-2 e is subtracted. Writes in->half.
static void extrapolate(hfIntegrator* in) {
  const hfiStepper* s = &in->stepper;
  memcpy(in->half, in->error, (size_t)s->chart.ode.n * sizeof *in->half);
  if (hfi_butcher_embedded(s->table)) hfi_stage_matrix_solve(&s->matrix, in->half);
  for (int i = 0; i < s->chart.ode.n; ++i) in->u[i] -= in->half[i];
}

// Second estimates of the error, from the same stages. Where f is smooth they are no larger than the first. When a step
// contains an impact, any single estimate may be small by chance, but hardly all of them.

// RK3: the norm of (h/3)(K_4 - 2 K_3 + K_2), a second difference of the rates. RK5: the norm of (h/3)(K_7 - K_6), two
// rates at the end. Writes in->half.
static double second_estimate_explicit(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const int n = s->chart.ode.n;
  const double* K = s->K;
  const double* last = K + (s->table->stages - 1) * n;
  for (int i = 0; i < n; ++i) {
    double difference = s->table->order == 3 ? last[i] - 2 * K[2 * n + i] + K[n + i] : last[i] - last[i - n];
    in->half[i] = h / 3 * difference;
  }
  return hfi_chart_norm(&s->chart, in->half);
}

// Step doubling: the larger norm of
//   (h/2)(F_end - F_middle) = u' - 2 half        and        A^-1 (h/4)(F_middle - F_start) = A^-1 (half/2 - (h/4) F_start),
// where F_start, F_middle and F_end are the rates at the start, after the first and after the second half step. Only
// F_start looks at the start of the step: all stages of implicit Euler may lie after a contact that just ended, and
// agree with each other. A^-1 damps the stiff parts, because the error that Newton left in x appears in F_start
// multiplied by the stiffness. Writes in->half and in->x.
static double second_estimate_doubling(hfIntegrator* in, double t, double h) {
  hfiStepper* s = &in->stepper;
  const double* rate0 = hfi_stepper_rate0(s, t);
  double* start = in->x;
  if (!rate0) return INFINITY;

  for (int i = 0; i < s->chart.ode.n; ++i) {
    start[i] = 0.5 * in->half[i] - 0.25 * h * rate0[i];
    in->half[i] = in->u[i] - 2 * in->half[i];
  }
  hfi_stage_matrix_solve(&s->matrix, start);
  return max2(hfi_chart_norm(&s->chart, start), hfi_chart_norm(&s->chart, in->half));
}

// The largest rate of the equation [1/s], |J d|/|d| for a combination d of the stages' points in which smooth motion
// cancels. It is found where steps are so long that fast motions are excited (Hairer and Wanner, Solving ODEs II,
// IV.2). Writes in->half and in->x.
static double estimate_stiffness(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const hfiButcher* table = s->table;
  const int n = s->chart.ode.n;
  double* moved = in->half; // d
  double* rate = in->x;     // J d
  memset(moved, 0, (size_t)n * sizeof *moved);
  memset(rate, 0, (size_t)n * sizeof *rate);

  for (int j = 0; j < table->stages; ++j) {
    double a = 0; // factor of K_j in the combination of the points
    for (int i = j + 1; i < table->stages; ++i) a += h * table->fast[i] * table->A[i][j];
    for (int i = 0; i < n; ++i) {
      moved[i] += a * s->K[j * n + i];
      rate[i] += table->fast[j] * s->K[j * n + i];
    }
  }
  double size = hfi_chart_norm(&s->chart, moved);
  return size > 0 ? hfi_chart_norm(&s->chart, rate) / size : 0;
}

// ---- the attempt ----------------------------------------------------------------------------------------

// Tries a step h from x at t: computes its result u and the estimate of its error.
static hfStatus attempt(hfIntegrator* in, double t, double h, const double* x) {
  hfiStepper* s = &in->stepper;
  const int is_explicit = s->table->gamma == 0;
  const int is_embedded = hfi_butcher_embedded(s->table);
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  in->last = h;
  in->estimate = 0;
  in->jumps = 0;

  hfStatus status = hfi_stepper_step(s, t, h, NULL, in->u);
  if (status) return status;
  if (!in->config.error_control) return check_stages(in, h);

  // the estimates
  if (is_embedded) {
    hfi_stepper_error(s, h, in->error);
  } else {
    status = double_step(in, t, h);
    if (status) return status;
  }
  in->estimate = hfi_chart_norm(&s->chart, in->error);
  if (is_explicit) in->estimate = max2(in->estimate, second_estimate_explicit(in, h));
  else if (!is_embedded) in->estimate = max2(in->estimate, second_estimate_doubling(in, t, h));

  if (is_explicit) in->watch.rate = estimate_stiffness(in, h);
  else if (in->config.extrapolate) extrapolate(in);
  return HF_OK;
}

// The same with a held f where steps hold it. These are steps of implicit Euler: f jumps between two of them, and a
// method of higher order, which uses f at the start of a step, would excite stiff motions with that.
hfStatus hfi_integrator_attempt(hfIntegrator* in, double t, double h, const double* x) {
  hfiStepper* s = &in->stepper;
  const hfOde* ode = &s->chart.ode;
  const hfiButcher* table = s->table;
  if (!in->holds) return attempt(in, t, h, x);

  ode->hold(ode->context, t, x);
  s->table = hfi_butcher(HF_METHOD_IMPLICIT_EULER);
  hfi_stepper_forget_start(s);
  hfStatus status = attempt(in, t, h, x);

  s->table = table;
  ode->hold(ode->context, t, NULL);
  return status;
}
