// An integrator: its configuration, memory and report. Its loop is in advance.c.
#include "methods/ode/integrator.h"

#include "base/object.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

// Default numbers of iterations.
enum { FULL_ITERATIONS = 20, QUASI_ITERATIONS = 10 };
// Under error control Newton may leave an error of this share of the accuracy [-].
static const double NEWTON_SHARE = 0.05;

hfIntegratorConfig hf_integrator_config_default(void) {
  hfIntegratorConfig c = {.method = HF_METHOD_RK3,
                          .error_control = 1,
                          .accuracy = 1e-3,
                          .step = 0.01,
                          .extrapolate = 1,
                          .tals = 1,
                          .newton_tolerance = 1e-8,
                          .divergence = 1};
  return c;
}

// ---- creation -------------------------------------------------------------------------------------

static int is_positive(double x) { return x > 0 && isfinite(x); }

// Refuses the first field that breaks its demand.
static hfStatus check_config(const hfIntegratorConfig* c, const hfOde* ode, hfError* error) {
#define DEMAND(holds, field, text) \
  if (!(holds)) return hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: " #field " must be " text " (it is %g)", (double)c->field);
  DEMAND(hfi_butcher(c->method), method, "rk3, implicit-euler or sdirk")
  DEMAND(!c->error_control || is_positive(c->accuracy), accuracy, "positive; for fixed steps switch error_control off")
  DEMAND(is_positive(c->step), step, "positive")
  DEMAND(c->smallest_step >= 0 && c->smallest_step <= c->step, smallest_step, "between zero and the step")
  DEMAND(c->max_steps >= 0, max_steps, "zero or positive")
  DEMAND(c->newton == HF_NEWTON_FULL || c->newton == HF_NEWTON_QUASI, newton, "0 (full) or 1 (quasi)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || c->jacobian == HF_JACOBIAN_ANALYTIC, jacobian,
         "0 (forward) or 1 (analytic)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || ode->jacobian, jacobian, "0: this equation has no analytic one")
  DEMAND(c->max_iterations >= 0, max_iterations, "zero or positive")
  DEMAND(is_positive(c->newton_tolerance), newton_tolerance, "positive")
  DEMAND(c->divergence > 0, divergence, "positive")
#undef DEMAND
  return HF_OK;
}

// Sets the options of the stepper.
static void configure_stepper(hfiStepper* s, const hfIntegratorConfig* c) {
  int full = c->newton == HF_NEWTON_FULL;
  int iterations = full ? FULL_ITERATIONS : QUASI_ITERATIONS;
  s->analytic = c->jacobian == HF_JACOBIAN_ANALYTIC;
  s->tals = c->tals;
  s->newton.full = full;
  s->newton.max_iterations = c->max_iterations ? c->max_iterations : iterations;
  s->newton.tolerance = c->error_control ? NEWTON_SHARE * c->accuracy : c->newton_tolerance;
  s->newton.divergence = c->divergence;
}

static void take_arrays(void* object, hfiArena* arena) {
  hfIntegrator* in = object;
  const hfOde* ode = &in->stepper.chart.ode;
  hfi_stepper_plan(&in->stepper, hfi_butcher(in->config.method), arena);
  HFI_TAKE_EACH(arena, double, ode->n, &in->u, &in->half, &in->error);
  in->x = HFI_TAKE(arena, double, ode->nx);
}

hfStatus hf_integrator_create(hfIntegrator** integrator, const hfOde* ode, const hfIntegratorConfig* config,
                              hfError* error) {
  hfi_clear_error(error);
  assert(integrator && ode && config && ode->rhs && ode->n > 0 && ode->nx >= ode->n);
  assert(ode->plus ? ode->lift && (!ode->jacobian || ode->lift_jacobian) : ode->nx == ode->n);
  hfStatus status = check_config(config, ode, error);
  if (status) return status;

  hfIntegrator seed = {.config = *config, .stepper.chart.ode = *ode};
  configure_stepper(&seed.stepper, config);
  hfIntegrator* in = hfi_object_create(&seed, sizeof seed, take_arrays, &config->allocator, "an integrator", error);
  if (!in) return HF_ERROR_MEMORY;
  *integrator = in;
  return HF_OK;
}

void hf_integrator_free(hfIntegrator* integrator) { hfi_release(integrator); }

// ---- starting anew ----------------------------------------------------------------------------------

void hf_integrator_reset(hfIntegrator* in) {
  hfiStepper* s = &in->stepper;

  // what is kept from step to step
  in->next = 0;
  s->matrix.known = 0;
  hfi_stepper_forget_start(s);
  in->bend = 0;
  in->bent = 0;
  in->jumps = 0;
  in->crossed = 0;

  // the report
  s->chart.evaluations = 0;
  s->chart.jacobian_evaluations = 0;
  s->iterations = 0;
  s->limited = 0;
  s->jacobians = 0;
  s->matrix.factorisations = 0;
  in->steps = 0;
  in->rejected = 0;
  in->failed = 0;
  in->held = 0;
  in->smallest = 0;
  in->last = 0;
  in->estimate = 0;
  in->status = HF_OK;
}

void hfi_integrator_resize(hfIntegrator* in, int32_t nx, int32_t n) {
  hfiStepper* s = &in->stepper;
  s->chart.ode.nx = nx;
  s->chart.ode.n = n;
  s->matrix.n = n;
  hf_integrator_reset(in);
}

// ---- reading and setting ------------------------------------------------------------------------------

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
                          .held = in->held,
                          .smallest = in->smallest,
                          .last = in->last,
                          .error = in->estimate};
  return r;
}

double hf_integrator_next_step(const hfIntegrator* in) { return in->next; }
hfiStiffnessWatch* hfi_integrator_watch(hfIntegrator* in) { return &in->watch; }
void hfi_integrator_limit(hfIntegrator* in, int64_t max_steps) { in->config.max_steps = max_steps; }
void hf_integrator_set_next_step(hfIntegrator* in, double step) { in->next = step; }

void hf_integrator_trace(hfIntegrator* in, hfNewtonIterate* iterate, int capacity) {
  assert(capacity >= 0);
  in->stepper.trace = iterate;
  in->stepper.trace_capacity = capacity;
  in->stepper.trace_count = 0;
}
int hf_integrator_trace_count(const hfIntegrator* in) { return in->stepper.trace_count; }
