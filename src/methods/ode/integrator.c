// An integrator: its configuration, memory and report. Its loop is in advance.c.
#include "methods/ode/integrator.h"

#include "base/object.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

// Default numbers of Newton iterations in a stage.
enum { FULL_ITERATIONS = 20, QUASI_ITERATIONS = 10 };
// Under error control Newton may leave an error of this share of the accuracy [-].
static const double NEWTON_ERROR_SHARE = 0.05;

// Returns the default configuration: rk3 under error control.
hfIntegratorConfig hf_integrator_config_default(void) {
  hfIntegratorConfig c = {
      .method = HF_METHOD_RK3,
      .error_control = 1,
      .accuracy = 1e-3,
      .step = 0.01,
      .extrapolate = 1,
      .tals = 1,
      .newton_tolerance = 1e-8,
      .divergence = 1,
  };
  return c;
}

// ---- creation -------------------------------------------------------------------------------------

static int is_positive(double x) { return x > 0 && isfinite(x); }

// Refuses the first field that breaks its demand.
static hfStatus check_config(const hfIntegratorConfig* c, const hfOde* ode, hfError* error) {
#define DEMAND(holds, field, text)                                                                                    \
  if (!(holds))                                                                                                       \
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: " #field " must be " text " (it is %g)", (double)c->field);
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
static void configure_stepper(hfiStepper* stepper, const hfIntegratorConfig* config) {
  int full = config->newton == HF_NEWTON_FULL;
  int iterations = full ? FULL_ITERATIONS : QUASI_ITERATIONS;

  stepper->analytic = config->jacobian == HF_JACOBIAN_ANALYTIC;
  stepper->tals = config->tals;

  stepper->newton.full = full;
  stepper->newton.max_iterations = config->max_iterations ? config->max_iterations : iterations;
  stepper->newton.tolerance = config->error_control ? NEWTON_ERROR_SHARE * config->accuracy : config->newton_tolerance;
  stepper->newton.divergence = config->divergence;
}

// Plans or takes all arrays.
static void take_arrays(void* object, hfiArena* arena) {
  hfIntegrator* integrator = object;
  const hfOde* ode = &integrator->stepper.chart.ode;
  hfi_stepper_plan(&integrator->stepper, hfi_butcher(integrator->config.method), arena);
  HFI_TAKE_EACH(arena, double, ode->n, &integrator->u, &integrator->half, &integrator->error);
  integrator->x = HFI_TAKE(arena, double, ode->nx);
}

// Creates an integrator of an equation. Only what a caller must never do is asserted.
hfStatus hf_integrator_create(hfIntegrator** integrator, const hfOde* ode, const hfIntegratorConfig* config,
                              hfError* error) {
  hfi_clear_error(error);
  assert(integrator && ode && config && ode->rhs && ode->n > 0 && ode->nx >= ode->n);
  assert(ode->plus ? ode->lift && (!ode->jacobian || ode->lift_jacobian) : ode->nx == ode->n);

  hfStatus status = check_config(config, ode, error);
  if (status) return status;

  hfIntegrator seed = {.config = *config, .stepper.chart.ode = *ode};
  configure_stepper(&seed.stepper, config);
  hfIntegrator* created =
      hfi_object_create(&seed, sizeof seed, take_arrays, &config->allocator, "an integrator", error);
  if (!created) return HF_ERROR_MEMORY;

  *integrator = created;
  return HF_OK;
}

void hf_integrator_free(hfIntegrator* integrator) { hfi_release(integrator); }

// ---- starting anew ----------------------------------------------------------------------------------

// Forgets all steps: the next one begins as the first of a new integrator.
void hf_integrator_reset(hfIntegrator* integrator) {
  hfiStepper* stepper = &integrator->stepper;

  // what is kept from step to step
  integrator->next = 0;
  stepper->matrix.known = 0;
  hfi_stepper_forget_start(stepper);
  integrator->bent = (hfiBentStep){0, 0};
  integrator->jumps = 0;
  integrator->crossed = 0;

  // the report
  stepper->chart.evaluations = 0;
  stepper->chart.jacobian_evaluations = 0;
  stepper->iterations = 0;
  stepper->limited = 0;
  stepper->jacobians = 0;
  stepper->matrix.factorisations = 0;
  integrator->counts = (hfiStepCounts){0};
  integrator->estimate = 0;
  integrator->status = HF_OK;
}

// Replaces the equation by one of other dimensions, nx and n, and forgets all steps.
void hfi_integrator_resize(hfIntegrator* integrator, int32_t nx, int32_t n) {
  hfiStepper* stepper = &integrator->stepper;
  stepper->chart.ode.nx = nx;
  stepper->chart.ode.n = n;
  stepper->matrix.n = n;
  hf_integrator_reset(integrator);
}

// ---- reading and setting ------------------------------------------------------------------------------

// What the integrator did since it was reset.
hfIntegratorReport hf_integrator_report(const hfIntegrator* integrator) {
  const hfiStepper* stepper = &integrator->stepper;
  const hfiStepCounts* counts = &integrator->counts;
  hfIntegratorReport report = {
      .status = integrator->status,
      .evaluations = stepper->chart.evaluations,
      .jacobian_evaluations = stepper->chart.jacobian_evaluations,
      .jacobians = stepper->jacobians,
      .factorisations = stepper->matrix.factorisations,
      .iterations = stepper->iterations,
      .limited = stepper->limited,
      .steps = counts->steps,
      .rejected = counts->rejected,
      .failed = counts->failed,
      .held = counts->held,
      .smallest = counts->smallest,
      .last = counts->last,
      .error = integrator->estimate,
  };

  return report;
}

double hf_integrator_next_step(const hfIntegrator* integrator) { return integrator->next; }
hfiStiffnessWatch* hfi_integrator_watch(hfIntegrator* integrator) { return &integrator->watch; }
void hfi_integrator_limit(hfIntegrator* integrator, int64_t max_steps) { integrator->config.max_steps = max_steps; }
void hf_integrator_set_next_step(hfIntegrator* integrator, double step) { integrator->next = step; }

void hf_integrator_trace(hfIntegrator* integrator, hfNewtonIterate* iterate, int capacity) {
  assert(capacity >= 0);
  integrator->stepper.trace.list = iterate;
  integrator->stepper.trace.capacity = capacity;
  integrator->stepper.trace.count = 0;
}
int hf_integrator_trace_count(const hfIntegrator* integrator) { return integrator->stepper.trace.count; }
