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

void hfi_stepper_plan(hfiStepper* s, const hfiButcher* table, hfiArena* arena) {
  const hfOde* ode = &s->chart.ode;
  s->table = table;

  hfi_chart_plan(&s->chart, arena);
  if (table->gamma > 0) hfi_stage_matrix_plan(&s->matrix, ode->n, arena);
  s->K = HFI_TAKE(arena, double, table->stages * ode->n);
  HFI_TAKE_EACH(arena, double, ode->n, &s->base, &s->update, &s->rate, &s->rate0);
}

static void copy(double* to, const double* from, int n) { memcpy(to, from, (size_t)n * sizeof *to); }

void hfi_stepper_forget_start(hfiStepper* s) {
  s->rate0_known = 0;
  s->start_jacobian = 0;
}

void hfi_stepper_centre(hfiStepper* s, const double* x) {
  copy(s->chart.x0, x, s->chart.ode.nx);
  s->fresh = s->start_jacobian;
  s->theta = 0;
}

// ---- the nonlinear problem of a stage --------------------------------------------------------------

// r(y) of the stage that is being solved.
static hfStatus stage_residual(void* context, const double* y, double* r) {
  hfiStepper* s = context;
  hfStatus status = hfi_chart_rate(&s->chart, s->t, y, s->rate);
  if (status) return status;
  for (int i = 0; i < s->chart.ode.n; ++i) r[i] = y[i] - s->base[i] - s->gamma_h * s->rate[i];
  return HF_OK;
}

// Computes J = dF/du at u, where F is `rate`.
static hfStatus form_jacobian(hfiStepper* s, double t, const double* u, const double* rate) {
  ++s->jacobians;
  if (s->tals) s->region = hfi_chart_region(&s->chart, t, u);
  hfStatus status = hfi_chart_jacobian(&s->chart, s->analytic, t, u, rate, s->matrix.J);
  s->matrix.known = !status;
  s->matrix.factored = 0;
  s->start_jacobian = 0;
  return status;
}

// Forms and factors the matrix at y.
static hfStatus stage_refresh(void* context, const double* y) {
  hfiStepper* s = context;
  hfStatus status = form_jacobian(s, s->t, y, s->rate);
  if (status) return status;
  return hfi_stage_matrix_factor(&s->matrix, s->gamma_h) ? HF_SINGULAR : HF_OK;
}

static void stage_solve(void* context, double* b) { hfi_stage_matrix_solve(&((hfiStepper*)context)->matrix, b); }

static double stage_limit(void* context, const double* y, const double* dy) {
  hfiStepper* s = context;
  return hfi_chart_limit(&s->chart, s->t, y, dy);
}

// Has y left the region in which J was formed?
static int stage_moved(void* context, const double* y) {
  hfiStepper* s = context;
  return hfi_chart_region(&s->chart, s->t, y) != s->region;
}

static double stage_norm(void* context, const double* dy) { return hfi_chart_norm(&((hfiStepper*)context)->chart, dy); }

static void stage_trace(void* context, double residual, double update, double alpha) {
  hfiStepper* s = context;
  if (s->trace_count == s->trace_capacity) return;
  s->trace[s->trace_count++] = (hfNewtonIterate){s->t, s->gamma_h, residual, update, alpha};
}

// Solves the stage from the guess y, and counts the work.
static hfStatus run_newton(hfiStepper* s, double* y) {
  hfiStageProblem problem = {.context = s,
                             .n = s->chart.ode.n,
                             .residual = stage_residual,
                             .refresh = stage_refresh,
                             .solve = stage_solve,
                             .limit = s->tals ? stage_limit : NULL,
                             .moved = s->tals ? stage_moved : NULL,
                             .norm = stage_norm,
                             .trace = s->trace ? stage_trace : NULL};
  hfiStageResult result;
  hfStatus status = hfi_stage_newton(&problem, &s->newton, y, s->update, &result);
  s->iterations += result.iterations;
  s->limited += result.limited;
  s->theta = fmax(s->theta, result.theta);
  return status;
}

// ---- Jacobians that are kept ----------------------------------------------------------------------

// Computes rate0 = F(t, 0) unless it is known.
static hfStatus compute_rate0(hfiStepper* s, double t, const double* zero) {
  if (s->rate0_known) return HF_OK;
  hfStatus status = hfi_chart_rate(&s->chart, t, zero, s->rate0);
  s->rate0_known = !status;
  return status;
}

const double* hfi_stepper_rate0(hfiStepper* s, double t) {
  memset(s->update, 0, (size_t)s->chart.ode.n * sizeof *s->update);
  return compute_rate0(s, t, s->update) ? NULL : s->rate0;
}

// Forms J at the start (t0, u0) of the step; u0 = NULL is the centre of the chart.
static hfStatus renew_jacobian(hfiStepper* s, double t0, const double* u0) {
  if (u0) {
    hfStatus status = hfi_chart_rate(&s->chart, t0, u0, s->rate);
    return status ? status : form_jacobian(s, t0, u0, s->rate);
  }

  double* zero = s->update;
  memset(zero, 0, (size_t)s->chart.ode.n * sizeof *zero);
  hfStatus status = compute_rate0(s, t0, zero);
  if (!status) status = form_jacobian(s, t0, zero, s->rate0);
  s->start_jacobian = !status;
  return status;
}

// Tries Newton's method with the J at hand and, if that fails and J is from an earlier step, once more with a new J.
static hfStatus solve_quasi(hfiStepper* s, double t0, const double* u0, const double* guess, double* y) {
  for (int attempt = 0;; ++attempt) {
    if (!s->matrix.known || attempt) {
      hfStatus status = renew_jacobian(s, t0, u0);
      if (status) return status;
      s->fresh = 1;
    }

    if (hfi_stage_matrix_factor(&s->matrix, s->gamma_h)) return HF_SINGULAR;
    copy(y, guess, s->chart.ode.n);
    hfStatus status = run_newton(s, y);
    if (!status || s->fresh) return status;
  }
}

// ---- the step -----------------------------------------------------------------------------------

// base = u0 + h sum_(j<i) a_ij K_j
static void sum_stages(hfiStepper* s, int i, double h, const double* u0) {
  const int n = s->chart.ode.n;
  if (u0) copy(s->base, u0, n);
  else memset(s->base, 0, (size_t)n * sizeof *s->base);

  for (int j = 0; j < i; ++j) {
    double a = h * s->table->A[i][j];
    if (a == 0) continue;
    for (int l = 0; l < n; ++l) s->base[l] += a * s->K[j * n + l];
  }
}

// Computes point u and rate K_i of an explicit stage.
static hfStatus explicit_stage(hfiStepper* s, int i, const double* u0, double* u) {
  const int n = s->chart.ode.n;
  copy(u, s->base, n);
  if (i > 0 || u0) return hfi_chart_rate(&s->chart, s->t, u, s->K + i * n);
  hfStatus status = compute_rate0(s, s->t, u);
  copy(s->K, s->rate0, n);
  return status;
}

// Computes point u and rate K_i of an implicit stage; u holds the first guess.
static hfStatus implicit_stage(hfiStepper* s, int i, double t0, const double* u0, double* u) {
  const int n = s->chart.ode.n;
  double* guess = s->K + i * n; // This storage is free until K is known.
  copy(guess, u, n);
  hfStatus status = s->newton.full ? run_newton(s, u) : solve_quasi(s, t0, u0, guess, u);
  if (status) return status;
  for (int l = 0; l < n; ++l) s->K[i * n + l] = (u[l] - s->base[l]) / s->gamma_h;
  return HF_OK;
}

hfStatus hfi_stepper_step(hfiStepper* s, double t, double h, const double* u0, double* u1) {
  if (u0) s->fresh = 0;
  for (int i = 0; i < s->table->stages; ++i) {
    sum_stages(s, i, h, u0);
    s->t = t + s->table->c[i] * h;
    s->gamma_h = h * s->table->A[i][i];
    hfStatus status = s->gamma_h > 0 ? implicit_stage(s, i, t, u0, u1) : explicit_stage(s, i, u0, u1);
    if (status) return status;
  }
  return HF_OK;
}

void hfi_stepper_error(hfiStepper* s, double h, double* error) {
  const int n = s->chart.ode.n;
  memset(error, 0, (size_t)n * sizeof *error);
  for (int j = 0; j < s->table->stages; ++j)
    for (int l = 0; l < n; ++l) error[l] += h * s->table->e[j] * s->K[j * n + l];

  // Stiff parts of the estimate are damped as the method damps them: e <- (I - g J)^-1 e.
  if (s->table->gamma > 0) hfi_stage_matrix_solve(&s->matrix, error);
}

void hfi_stepper_accept(hfiStepper* s) {
  hfi_stepper_forget_start(s);

  // The last stage of an explicit method is the first of the next step.
  s->rate0_known = s->table->gamma == 0;
  if (s->rate0_known) copy(s->rate0, s->chart.raw, s->chart.ode.n);
  if (s->theta > REFRESH_CONTRACTION) s->matrix.known = 0;
}
