// The integrator: attempts steps, judges them, keeps the last accepted state.
//
// Error control by step doubling (implicit Euler): one step h gives u, two steps h/2 give u'; the
// error of u' is u - u' to leading order. The embedded methods estimate e themselves.
//
// Local extrapolation keeps u' less its estimated error, of one order more, so that the errors of many
// small steps do not add up to more than the accuracy asked of one: 2 u' - u for implicit Euler,
// u - A^-2 e for TR-BDF2, A = I - g J. Both stay A- and L-stable (docs/theory/integrators.md). RK3
// always does so: its e is the error of the embedded result.
//
// Fixed steps run on the grid t0 + k h. A step that fails is halved, and doubled again after success,
// until the next point of the grid is reached (convergence control, TAMSI section III-B). An explicit
// step fails when the rates of its stages leave the straight line through the two before by a third of
// the largest: for u' = lambda u that is |h lambda| > 0.94, well before the boundary of stability, and an
// impact within one step shows the same (docs/theory/integrators.md). Its result would mean nothing.
#include "ode/controller.h"
#include "ode/step.h"

#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static const double BEND = 1. / 3;       // explicit: of the rates of stages, where a step means nothing
static const double MOTION_FLOOR = 1e-9; // a bend that moves by less does not matter

struct hfIntegrator {
  hfIntegratorConfig config;
  hfiStepper stepper;
  double* u;         // (n) the step in its chart
  double* half;      // (n) step doubling: after the first half
  double* error;     // (n) estimate
  double* x;         // (nx) the accepted state
  double next;       // step to try; 0: unknown [s]
  int64_t steps, rejected, failed;
  double smallest, last, estimate;
  hfStatus status;
};

hfIntegratorConfig hf_integrator_config_default(void) {
  hfIntegratorConfig c = {.method = HF_METHOD_RK3,
                          .error_control = 1,
                          .accuracy = 1e-3,
                          .step = 0.01,
                          .extrapolate = 1,
                          .tals = 1,
                          .newton_tolerance = 1e-8,
                          .newton_fraction = 0.05,
                          .jacobian_refresh = 0.1,
                          .divergence = 1};
  return c;
}

// ---- creation -------------------------------------------------------------------------------------

static int positive(double x) { return x > 0 && isfinite(x); }

static hfStatus check_config(const hfIntegratorConfig* c, const hfOde* ode, hfError* error) {
  const char* broken = NULL;
  double value = 0;
#define DEMAND(holds, field, text) if (!broken && !(holds)) { broken = #field " must be " text; value = (double)c->field; }
  DEMAND(hfi_butcher(c->method), method, "rk3, implicit-euler or sdirk")
  DEMAND(!c->error_control || positive(c->accuracy), accuracy, "positive; for fixed steps switch error_control off")
  DEMAND(positive(c->step), step, "positive")
  DEMAND(c->first_step >= 0 && isfinite(c->first_step), first_step, "zero or positive")
  DEMAND(c->smallest_step >= 0 && c->smallest_step <= c->step, smallest_step, "between zero and the step")
  DEMAND(c->max_steps >= 0, max_steps, "zero or positive")
  DEMAND(c->newton == HF_NEWTON_FULL || c->newton == HF_NEWTON_QUASI, newton, "0 (full) or 1 (quasi)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || c->jacobian == HF_JACOBIAN_ANALYTIC, jacobian, "0 (forward) or 1 (analytic)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || ode->jacobian, jacobian, "0: this equation has no analytic one")
  DEMAND(c->max_iterations >= 0, max_iterations, "zero or positive")
  DEMAND(positive(c->newton_tolerance), newton_tolerance, "positive")
  DEMAND(positive(c->newton_fraction), newton_fraction, "positive")
  DEMAND(c->jacobian_refresh >= 0, jacobian_refresh, "zero or positive")
  DEMAND(c->divergence > 0, divergence, "positive")
#undef DEMAND
  return broken ? hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: %s (it is %g)", broken, value) : HF_OK;
}

static void configure_stepper(hfiStepper* s, const hfIntegratorConfig* c) {
  int full = c->newton == HF_NEWTON_FULL;
  s->analytic = c->jacobian == HF_JACOBIAN_ANALYTIC;
  s->tals = c->tals;
  s->refresh = c->jacobian_refresh;
  s->newton.full = full;
  s->newton.max_iterations = c->max_iterations ? c->max_iterations : full ? 20 : 10;
  s->newton.tolerance = c->error_control ? c->newton_fraction * c->accuracy : c->newton_tolerance;
  s->newton.divergence = c->divergence;
}

// The integrator and its arrays in one block; called once to measure and once to lay out.
static hfIntegrator* plan(hfiArena* arena, const hfOde* ode, const hfIntegratorConfig* config) {
  hfIntegrator measured;
  hfIntegrator* integrator = HFI_TAKE(arena, hfIntegrator, 1);
  hfIntegrator* in = integrator ? integrator : &measured;
  hfi_stepper_plan(&in->stepper, hfi_butcher(config->method), ode, arena);
  in->u = HFI_TAKE(arena, double, ode->n);
  in->half = HFI_TAKE(arena, double, ode->n);
  in->error = HFI_TAKE(arena, double, ode->n);
  in->x = HFI_TAKE(arena, double, ode->nx);
  return integrator;
}

hfStatus hf_integrator_create(hfIntegrator** integrator, const hfOde* ode,
                              const hfIntegratorConfig* config, hfError* error) {
  assert(integrator && ode && config && ode->rhs && ode->n > 0 && ode->nx >= ode->n);
  assert(ode->plus ? ode->lift && (!ode->jacobian || ode->lift_jacobian) : ode->nx == ode->n);
  hfStatus status = check_config(config, ode, error);
  if (status) return status;
  hfiArena arena = hfi_arena(NULL, 0);
  plan(&arena, ode, config);
  void* memory = calloc(1, arena.used);
  if (!memory) return hfi_refuse(error, HF_ERROR_MEMORY, "integrator: %zu bytes", arena.used);
  arena = hfi_arena(memory, arena.used);
  hfIntegrator* in = plan(&arena, ode, config);
  in->config = *config;
  configure_stepper(&in->stepper, config);
  *integrator = in;
  return HF_OK;
}

void hf_integrator_free(hfIntegrator* integrator) { free(integrator); }

void hf_integrator_reset(hfIntegrator* in) {
  hfiStepper* s = &in->stepper;
  in->next = 0;
  s->matrix.known = 0;
  s->rate0_known = 0;
  s->chart.evaluations = s->chart.jacobian_evaluations = 0;
  s->iterations = s->limited = s->jacobians = s->matrix.factorisations = 0;
  in->steps = in->rejected = in->failed = 0;
  in->smallest = in->last = in->estimate = 0;
  in->status = HF_OK;
}

void hfi_integrator_resize(hfIntegrator* in, int32_t nx, int32_t n) {
  hfiStepper* s = &in->stepper;
  s->chart.ode.nx = nx;
  s->chart.ode.n = n;
  s->matrix.n = n;
  hf_integrator_reset(in);
}

hfIntegratorReport hf_integrator_report(const hfIntegrator* in) {
  const hfiStepper* s = &in->stepper;
  hfIntegratorReport r = {.status = in->status,
                          .evaluations = s->chart.evaluations,
                          .jacobian_evaluations = s->chart.jacobian_evaluations,
                          .jacobians = s->jacobians,
                          .factorisations = s->matrix.factorisations,
                          .iterations = s->iterations,
                          .limited = s->limited,
                          .steps = in->steps,
                          .rejected = in->rejected,
                          .failed = in->failed,
                          .smallest = in->smallest,
                          .last = in->last,
                          .error = in->estimate};
  return r;
}

double hf_integrator_next_step(const hfIntegrator* in) { return in->next; }
void hf_integrator_set_next_step(hfIntegrator* in, double step) { in->next = step; }

void hf_integrator_trace(hfIntegrator* in, hfNewtonIterate* iterate, int capacity) {
  in->stepper.trace = iterate;
  in->stepper.trace_capacity = capacity;
  in->stepper.trace_count = 0;
}
int hf_integrator_trace_count(const hfIntegrator* in) { return in->stepper.trace_count; }

// ---- attempts -------------------------------------------------------------------------------------

// Two half steps after the full one in `u`, which becomes their result; error = full - halves.
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

static void extrapolate(hfIntegrator* in) {
  const hfiStepper* s = &in->stepper;
  memcpy(in->half, in->error, (size_t)s->chart.ode.n * sizeof *in->half);
  if (hfi_butcher_embedded(s->table)) hfi_stage_matrix_solve(&s->matrix, in->half);
  for (int i = 0; i < s->chart.ode.n; ++i) in->u[i] -= in->half[i];
}

// A fixed explicit step whose stages contradict each other has failed.
static hfStatus check_stages(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const double* c = s->table->c;
  const int n = s->chart.ode.n;
  double largest = 0, bend = 0;
  if (s->table->gamma > 0) return HF_OK;
  for (int j = 0; j < s->table->stages; ++j) {
    const double* K = s->K + j * n;
    largest = max2(largest, hfi_chart_norm(&s->chart, K));
    if (j < 2) continue;
    double slope = (c[j] - c[j - 1]) / (c[j - 1] - c[j - 2]);
    for (int i = 0; i < n; ++i) in->error[i] = K[i] - K[i - n] - slope * (K[i - n] - K[i - 2 * n]);
    bend = max2(bend, hfi_chart_norm(&s->chart, in->error));
  }
  return h * bend <= BEND * h * largest + MOTION_FLOOR ? HF_OK : HF_NOT_CONVERGED;
}

// Other estimates from the same numbers, no larger than the first where f is smooth. Across an impact
// any one of them may vanish by chance, hardly all.

// RK3: (h/3)(K_4 - 2 K_3 + K_2), the same as a quadrature.
static double reconsider_explicit(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const int n = s->chart.ode.n;
  const double* K = s->K;
  for (int i = 0; i < n; ++i) in->half[i] = h / 3 * (K[3 * n + i] - 2 * K[2 * n + i] + K[n + i]);
  return hfi_chart_norm(&s->chart, in->half);
}

// Step doubling, F_h and F_2h the rates of the half steps, `half` the first of them:
//   (h/2)(F_2h - F_h) = u' - 2 half;   A^-1 (h/4)(F_h - F_0), the error of the first half step
// F_0 is the only look at the start: all stages may lie behind a contact that just ended, and agree.
// Its stiff parts are damped by A, for what Newton left in x comes back in F_0 times the stiffness.
static double reconsider_doubling(hfIntegrator* in, double t, double h) {
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

// A step h from x at t, into u and the estimate of its error.
static hfStatus attempt(hfIntegrator* in, double t, double h, const double* x) {
  hfiStepper* s = &in->stepper;
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  in->last = h;
  in->estimate = 0;
  hfStatus status = hfi_stepper_step(s, t, h, NULL, in->u);
  if (status) return status;
  if (!in->config.error_control) return check_stages(in, h);
  if (hfi_butcher_embedded(s->table)) hfi_stepper_error(s, h, in->error);
  else status = double_step(in, t, h);
  if (status) return status;
  in->estimate = hfi_chart_norm(&s->chart, in->error);
  if (s->table->gamma == 0) in->estimate = max2(in->estimate, reconsider_explicit(in, h));
  else if (!hfi_butcher_embedded(s->table)) in->estimate = max2(in->estimate, reconsider_doubling(in, t, h));
  if (s->table->gamma > 0 && in->config.extrapolate) extrapolate(in);
  return HF_OK;
}

static hfiVerdict judge(const hfIntegrator* in, hfStatus status, double h) {
  if (status) return hfi_controller_retry(h);
  if (in->config.error_control)
    return hfi_controller_judge(h, in->estimate, in->config.accuracy, in->stepper.table->error_order);
  hfiVerdict verdict = {1, 2 * h};
  return verdict;
}

static int accept(hfIntegrator* in, double h, double* x) {
  hfiStepper* s = &in->stepper;
  hfi_chart_point(&s->chart, in->u, in->x);
  for (int i = 0; i < s->chart.ode.nx; ++i)
    if (!isfinite(in->x[i])) return 0;
  memcpy(x, in->x, (size_t)s->chart.ode.nx * sizeof *x);
  hfi_stepper_accept(s);
  ++in->steps;
  if (in->smallest == 0 || h < in->smallest) in->smallest = h;
  return 1;
}

// First step of error control: the one that moves by the accuracy. Of a larger one nothing is known: all
// stages of an implicit method may lie behind a transient, and agree. It costs one evaluation, and the
// step grows fivefold where it can.
static double guess_step(hfIntegrator* in, double t, const double* x) {
  hfiStepper* s = &in->stepper;
  if (in->config.first_step > 0) return in->config.first_step;
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  if (hfi_chart_rate(&s->chart, t, in->u, s->rate0)) return in->config.step;
  s->rate0_known = 1;
  double speed = hfi_chart_norm(&s->chart, s->rate0);
  return speed > 0 ? in->config.accuracy / speed : in->config.step;
}

static hfStatus finish(hfIntegrator* in, hfStatus status) { return in->status = status; }

static hfStatus check_call(const hfIntegrator* in, double t, const double* x, double t_end, hfError* error) {
  if (!isfinite(t) || !isfinite(t_end) || t_end < t)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: cannot advance from time %g to %g", t, t_end);
  for (int i = 0; i < in->stepper.chart.ode.nx; ++i)
    if (!isfinite(x[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "integrator: x[%d] is %g", i, x[i]);
  return HF_OK;
}

hfStatus hf_integrator_advance(hfIntegrator* in, double* t, double* x, double t_end, hfError* error) {
  const hfIntegratorConfig* c = &in->config;
  hfStatus refused = check_call(in, *t, x, t_end, error);
  if (refused) return refused;
  const double start = *t;
  double grid = 0;      // fixed steps: steps of the grid begun
  double goal = *t;     // fixed steps: the next point of the grid; error control: t_end
  int64_t attempts = 0;
  in->stepper.rate0_known = 0;
  if (c->error_control && !(in->next > 0)) in->next = guess_step(in, *t, x);
  while (*t < t_end) {
    if (c->error_control) {
      goal = t_end;
      in->next = min2(in->next, c->step);
    } else if (*t >= goal) {
      goal = min2(start + ++grid * c->step, t_end);
      if (t_end - goal < 1e-9 * c->step) goal = t_end;
      in->next = c->step;
    }
    // The last step is stretched by up to 1 % rather than leaving a sliver.
    double left = goal - *t;
    int last = in->next * 1.01 >= left;
    double h = last ? left : in->next;
    double smallest = max2(c->smallest_step, 1e-14 * max2(1, fabs(*t)));
    if (h < smallest && !last) return finish(in, HF_STEP_TOO_SMALL);
    if (c->max_steps && attempts++ >= c->max_steps) return finish(in, HF_NOT_CONVERGED);

    hfStatus status = attempt(in, *t, h, x);
    hfiVerdict verdict = judge(in, status, h);
    if (verdict.accept && !accept(in, h, x)) verdict = hfi_controller_retry(h), status = HF_NO_SOLUTION;
    if (verdict.accept) *t = last ? goal : *t + h;
    else ++*(status ? &in->failed : &in->rejected);
    // A step cut short by its goal says nothing against the longer one that was planned.
    in->next = verdict.accept && last ? max2(in->next, verdict.h) : verdict.h;
  }
  return finish(in, HF_OK);
}
