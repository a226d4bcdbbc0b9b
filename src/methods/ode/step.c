// One step of a Runge-Kutta method whose stages are explicit or singly diagonally implicit.
//
//   explicit stage   U = base,                K = F(t, U)
//   implicit stage   U = base + g F(t, U),    K = (U - base)/g,   g = gamma h
//   base = u0 + h sum_(j<i) a_ij K_j
//
//   U, K  point and rate of a stage    u0  start of the step    F  rate in the chart (chart.h)
//
// Newton's method solves r(U) = U - base - g F(t, U) = 0 with the matrix I - g J. The rate of an implicit stage is
// (U - base)/g and not F(t, U), in which the error that Newton left in U would be multiplied by the stiffness.
//
// Full Newton forms J in every iteration. Quasi-Newton keeps J from step to step. It forms J again, at the start of the
// step, when Newton failed with an old one, or after a step in which the updates contracted more slowly than
// REFRESH_CONTRACTION. An attempt with a shorter step from the same start keeps it.
#include "methods/ode/step.h"

#include <math.h>
#include <string.h>

// Contraction of Newton's updates above which quasi-Newton forms J again at the start of the next step [-].
static const double REFRESH_CONTRACTION = 0.1;

// Takes the arrays of a stepper for the equation stepper->chart.ode.
void hfi_stepper_plan(hfiStepper* stepper, const hfiButcher* table, hfiArena* arena) {
  const hfOde* ode = &stepper->chart.ode;
  stepper->table = table;

  hfi_chart_plan(&stepper->chart, arena);
  if (table->gamma > 0) hfi_stage_matrix_plan(&stepper->matrix, ode->n, arena);
  stepper->K = HFI_TAKE(arena, double, table->stages * ode->n);
  HFI_TAKE_EACH(arena, double, ode->n, &stepper->stage.base, &stepper->stage.update, &stepper->stage.rate,
                &stepper->rate0);
}

static void copy(double* to, const double* from, int n) { memcpy(to, from, (size_t)n * sizeof *to); }

// Forgets everything that was computed at a centre, because x or f changes.
void hfi_stepper_forget_start(hfiStepper* stepper) {
  stepper->rate0_known = 0;
  stepper->start_jacobian = 0;
}

// Opens a chart at x (nx).
void hfi_stepper_set_centre(hfiStepper* stepper, const double* x) {
  copy(stepper->chart.x0, x, stepper->chart.ode.nx);
  stepper->fresh = stepper->start_jacobian;
  stepper->theta = 0;
}

// ---- the nonlinear problem of a stage --------------------------------------------------------------

// r(y) = y - base - g F(t, y) of the stage that is being solved.
static hfStatus stage_residual(void* context, const double* y, double* r) {
  hfiStepper* stepper = context;
  hfStatus status = hfi_chart_rate(&stepper->chart, stepper->stage.t, y, stepper->stage.rate);
  if (status) return status;
  const hfiStage* stage = &stepper->stage;
  for (int i = 0; i < stepper->chart.ode.n; ++i) r[i] = y[i] - stage->base[i] - stage->gamma_h * stage->rate[i];

  return HF_OK;
}

// Computes J = dF/du at u, where F is `rate`, and forgets the factors.
static hfStatus form_jacobian(hfiStepper* stepper, double t, const double* u, const double* rate) {
  ++stepper->jacobians;
  if (stepper->tals) stepper->region = hfi_chart_region(&stepper->chart, t, u);

  hfStatus status = hfi_chart_jacobian(&stepper->chart, stepper->analytic, t, u, rate, stepper->matrix.J);
  stepper->matrix.known = !status;
  stepper->matrix.factored = 0;
  stepper->start_jacobian = 0;
  return status;
}

// Forms J at y, where the residual was evaluated last, and factors I - g J.
static hfStatus stage_refresh(void* context, const double* y) {
  hfiStepper* stepper = context;
  hfStatus status = form_jacobian(stepper, stepper->stage.t, y, stepper->stage.rate);

  if (status) return status;
  return hfi_stage_matrix_factor(&stepper->matrix, stepper->stage.gamma_h) ? HF_SINGULAR : HF_OK;
}

static void stage_solve(void* context, double* b) { hfi_stage_matrix_solve(&((hfiStepper*)context)->matrix, b); }

// The share of the update dy at y that f allows.
static double stage_limit(void* context, const double* y, const double* dy) {
  hfiStepper* stepper = context;
  return hfi_chart_limit(&stepper->chart, stepper->stage.t, y, dy);
}

// Has y left the region in which J was formed?
static int stage_moved(void* context, const double* y) {
  hfiStepper* stepper = context;
  return hfi_chart_region(&stepper->chart, stepper->stage.t, y) != stepper->region;
}

static double stage_norm(void* context, const double* dy) { return hfi_chart_norm(&((hfiStepper*)context)->chart, dy); }

// Notes an iteration, while there is room.
static void stage_trace(void* context, double residual, double update, double alpha) {
  hfiStepper* stepper = context;
  hfiNewtonTrace* trace = &stepper->trace;
  if (trace->count == trace->capacity) return;
  trace->list[trace->count++] =
      (hfNewtonIterate){stepper->stage.t, stepper->stage.gamma_h, residual, update, alpha};
}

// Solves the stage from the guess y by Newton's method, and counts the work.
static hfStatus run_newton(hfiStepper* stepper, double* y) {
  hfiStageProblem problem = {
      .context = stepper,
      .n = stepper->chart.ode.n,
      .residual = stage_residual,
      .refresh = stage_refresh,
      .solve = stage_solve,
      .limit = stepper->tals ? stage_limit : NULL,
      .moved = stepper->tals ? stage_moved : NULL,
      .norm = stage_norm,
      .trace = stepper->trace.list ? stage_trace : NULL,
  };
  hfiStageResult result;

  hfStatus status = hfi_stage_newton(&problem, &stepper->newton, y, stepper->stage.update, &result);

  stepper->iterations += result.iterations;
  stepper->limited += result.limited;
  stepper->theta = fmax(stepper->theta, result.theta);
  return status;
}

// ---- Jacobians that are kept ----------------------------------------------------------------------

// Computes rate0 = F(t, 0) unless it is known.
static hfStatus compute_rate0(hfiStepper* stepper, double t, const double* zero) {
  if (stepper->rate0_known) return HF_OK;

  hfStatus status = hfi_chart_rate(&stepper->chart, t, zero, stepper->rate0);
  stepper->rate0_known = !status;
  return status;
}

// Returns F(t, 0) at the centre, or NULL if it does not exist.
const double* hfi_stepper_rate0(hfiStepper* stepper, double t) {
  memset(stepper->stage.update, 0, (size_t)stepper->chart.ode.n * sizeof *stepper->stage.update);
  return compute_rate0(stepper, t, stepper->stage.update) ? NULL : stepper->rate0;
}

// Forms J at the start (t0, u0) of the step; u0 = NULL is the centre of the chart.
static hfStatus renew_jacobian(hfiStepper* stepper, double t0, const double* u0) {
  if (u0) {
    hfStatus status = hfi_chart_rate(&stepper->chart, t0, u0, stepper->stage.rate);
    return status ? status : form_jacobian(stepper, t0, u0, stepper->stage.rate);
  }

  // at the centre, where the rate may be known
  double* zero = stepper->stage.update;
  memset(zero, 0, (size_t)stepper->chart.ode.n * sizeof *zero);
  hfStatus status = compute_rate0(stepper, t0, zero);
  if (!status) status = form_jacobian(stepper, t0, zero, stepper->rate0);
  stepper->start_jacobian = !status;
  return status;
}

// Tries Newton's method with the J at hand and, if that fails and J is from an earlier step, once more with a new J.
static hfStatus solve_quasi(hfiStepper* stepper, double t0, const double* u0, const double* guess, double* y) {
  for (int attempt = 0;; ++attempt) {
    // a new J, at first only if there is none
    if (!stepper->matrix.known || attempt) {
      hfStatus status = renew_jacobian(stepper, t0, u0);
      if (status) return status;
      stepper->fresh = 1;
    }

    // Newton's method with it
    if (hfi_stage_matrix_factor(&stepper->matrix, stepper->stage.gamma_h)) return HF_SINGULAR;
    copy(y, guess, stepper->chart.ode.n);
    hfStatus status = run_newton(stepper, y);
    if (!status || stepper->fresh) return status;
  }
}

// ---- the step -----------------------------------------------------------------------------------

// base = u0 + h sum_(j<i) a_ij K_j
static void sum_stages(hfiStepper* stepper, int i, double h, const double* u0) {
  const int n = stepper->chart.ode.n;
  if (u0) copy(stepper->stage.base, u0, n);
  else memset(stepper->stage.base, 0, (size_t)n * sizeof *stepper->stage.base);

  for (int j = 0; j < i; ++j) {
    double a = h * stepper->table->A[i][j];
    if (a == 0) continue;
    for (int l = 0; l < n; ++l) stepper->stage.base[l] += a * stepper->K[j * n + l];
  }
}

// Computes point u and rate K_i of an explicit stage. The first one may have the known rate of the centre.
static hfStatus explicit_stage(hfiStepper* stepper, int i, const double* u0, double* u) {
  const int n = stepper->chart.ode.n;
  copy(u, stepper->stage.base, n);
  if (i > 0 || u0) return hfi_chart_rate(&stepper->chart, stepper->stage.t, u, stepper->K + i * n);

  hfStatus status = compute_rate0(stepper, stepper->stage.t, u);
  copy(stepper->K, stepper->rate0, n);
  return status;
}

// Computes point u and rate K_i of an implicit stage; u holds the first guess.
static hfStatus implicit_stage(hfiStepper* stepper, int i, double t0, const double* u0, double* u) {
  const int n = stepper->chart.ode.n;
  double* guess = stepper->K + i * n; // This storage is free until K is known.
  copy(guess, u, n);

  hfStatus status = stepper->newton.full ? run_newton(stepper, u) : solve_quasi(stepper, t0, u0, guess, u);
  if (status) return status;

  for (int l = 0; l < n; ++l) stepper->K[i * n + l] = (u[l] - stepper->stage.base[l]) / stepper->stage.gamma_h;
  return HF_OK;
}

// Makes a step from u0 at t, or from the centre if u0 is NULL, to u1 at t + h. u1 holds the first guess of an implicit
// method.
hfStatus hfi_stepper_step(hfiStepper* stepper, double t, double h, const double* u0, double* u1) {
  if (u0) stepper->fresh = 0;
  for (int i = 0; i < stepper->table->stages; ++i) {
    sum_stages(stepper, i, h, u0);
    stepper->stage.t = t + stepper->table->c[i] * h;
    stepper->stage.gamma_h = h * stepper->table->A[i][i];

    int is_implicit = stepper->stage.gamma_h > 0;
    hfStatus status = is_implicit ? implicit_stage(stepper, i, t, u0, u1) : explicit_stage(stepper, i, u0, u1);
    if (status) return status;
  }
  return HF_OK;
}

// Computes the embedded estimate of the error (n) of the step h that was just made.
void hfi_stepper_estimate_error(hfiStepper* stepper, double h, double* error) {
  const int n = stepper->chart.ode.n;
  memset(error, 0, (size_t)n * sizeof *error);

  for (int j = 0; j < stepper->table->stages; ++j)
    for (int l = 0; l < n; ++l) error[l] += h * stepper->table->e[j] * stepper->K[j * n + l];

  // stiff parts of the estimate are damped as the method damps them: e <- (I - g J)^-1 e
  if (stepper->table->gamma > 0) hfi_stage_matrix_solve(&stepper->matrix, error);
}

// Called after a step was accepted: keeps what the next step can use.
void hfi_stepper_keep_step(hfiStepper* stepper) {
  hfi_stepper_forget_start(stepper);

  // the last stage of an explicit method is the first of the next step
  stepper->rate0_known = stepper->table->gamma == 0;
  if (stepper->rate0_known) copy(stepper->rate0, stepper->chart.raw, stepper->chart.ode.n);

  // a Jacobian with which updates contracted slowly is formed anew
  if (stepper->theta > REFRESH_CONTRACTION) stepper->matrix.known = 0;
}
