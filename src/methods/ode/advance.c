// The loop of an integrator: tries a step, judges its error, and accepts it or tries a shorter one.
//
// Without error control, steps run on the grid t0 + k h. A step that fails is halved, and doubled again after a
// success, until the next point of the grid is reached (convergence control, TAMSI section III-B). attempt.c says which
// steps fail.
//
// Where f jumps from one side of a surface to the other and pushes x back to it from both, no step of any length has a
// solution. The rest of a grid step is then made with a held f (hfOde.hold), which is smooth: an error of first order
// in the length of the step remains. Only implicit steps do that: they need no short steps for stiffness, so that f is
// likely to jump where one has failed at a 64th of the grid step.
#include "methods/ode/controller.h"
#include "methods/ode/integrator.h"

#include "base/error.h"
#include "base/finite.h"
#include "math/vec3.h"

#include <string.h>

// The longest step with a held f, as a share of a step of the grid [-].
static const double HELD_STEP_SHARE = 1. / 8;
// If a step failed and the next one would be shorter than this share of a step of the grid, the steps that follow hold
// f [-].
static const double HOLD_BELOW_SHARE = 1. / 64;
// The last step before a goal may be longer by this factor, so that no tiny step remains [-].
static const double LAST_STEP_FACTOR = 1.01;
// A rest of the advance below this share of a step of the grid joins the step before it [-].
static const double SLIVER_SHARE = 1e-9;
// A step is at least this share of the time, which could not count shorter ones [-].
static const double LEAST_TIME_SHARE = 1e-14;
// After this many steps that are not stiff, the advance may make one more stiff step.
enum { STEPS_OF_REST = 4 };
// An advance of implicit steps ends after this many Newton iterations for each of max_steps. Steps that fail need up to
// twenty, each with a matrix of its own, and a world of 88 dofs would take 22 s for 2,000 of them.
enum { ITERATIONS_OF_A_STEP = 2 };

// Where a call of hf_integrator_advance is on its way to t_end.
typedef struct Advance {
  double start;           // time of the call [s]
  double t_end;           // [s]
  double grid;            // fixed steps: how many steps of the grid have begun
  double goal;            // the time not to step across: the next point of the grid, or with error control t_end [s]
  int64_t attempts;       // steps that were attempted since the advance began, or since steps began to hold f
  int64_t old_iterations; // Newton iterations before them
} Advance;

// The next step to attempt.
typedef struct Stride {
  double h;        // its length [s]
  double smallest; // steps must not be shorter than this [s]
  int last;        // 1: it ends at the goal
} Stride;

// ---- how long the next step is ------------------------------------------------------------------------

// Returns the length of the first step under error control [s]: at the rate of the start, it moves x by the accuracy.
// The estimate of a longer step could not be trusted, because all stages of an implicit method may lie after a fast
// transient and agree. The short first step costs one evaluation, and later steps may be five times as long as the one
// before.
static double guess_step(hfIntegrator* integrator, double t, const double* x) {
  hfiStepper* stepper = &integrator->stepper;

  hfi_stepper_set_centre(stepper, x);
  memset(integrator->u, 0, (size_t)stepper->chart.ode.n * sizeof *integrator->u);
  if (hfi_chart_rate(&stepper->chart, t, integrator->u, stepper->rate0)) return integrator->config.step;
  stepper->rate0_known = 1;

  // without a rate the whole step is tried
  double speed = hfi_chart_norm(&stepper->chart, stepper->rate0);
  if (!(speed > 0)) return integrator->config.step;
  return integrator->config.accuracy / speed;
}

// Chooses the goal of the step from t, and limits its length. At a point of the grid the next step of the grid begins.
static void choose_goal(hfIntegrator* integrator, Advance* advance, double t) {
  double step = integrator->config.step;
  if (integrator->config.error_control) {
    advance->goal = advance->t_end;
    integrator->next = min2(integrator->next, step);
    return;
  }

  if (t >= advance->goal) {
    advance->goal = min2(advance->start + ++advance->grid * step, advance->t_end);
    if (advance->t_end - advance->goal < SLIVER_SHARE * step) advance->goal = advance->t_end;
    integrator->next = step;
    integrator->holds = 0;
  } else if (integrator->holds) {
    integrator->next = min2(integrator->next, HELD_STEP_SHARE * step);
  }
}

// Returns the step from t that ends at the goal or before it.
static Stride choose_stride(const hfIntegrator* integrator, const Advance* advance, double t) {
  double rest = advance->goal - t;
  int last = integrator->next * LAST_STEP_FACTOR >= rest;
  return (Stride){
      .h = last ? rest : integrator->next,
      .smallest = max2(integrator->config.smallest_step, LEAST_TIME_SHARE * max2(1, fabs(t))),
      .last = last,
  };
}

// ---- whether steps hold f -----------------------------------------------------------------------------

// Lets steps hold f from now on. Returns 0 if they do so already or cannot: only fixed implicit steps can.
static int begin_to_hold(hfIntegrator* integrator) {
  if (integrator->holds || integrator->config.error_control) return 0;
  if (!integrator->stepper.chart.ode.hold || integrator->stepper.table->gamma == 0) return 0;

  integrator->next = HELD_STEP_SHARE * integrator->config.step;
  integrator->holds = 1;
  return 1;
}

// ---- one step -----------------------------------------------------------------------------------------

// May a step cross a jump of f? The error estimate of such a step is large, however short the step is. Only a step of
// the smallest length h may cross: its error is h times the jump, which is negligible, and the next step is smooth
// again. If the next step fails as well, f has more than a jump.
static int may_cross(const hfIntegrator* integrator, double h, double smallest) {
  return integrator->jumps && !integrator->crossed && 0.5 * h < smallest;
}

// Decides whether the step of length h that was attempted is accepted, and how long the next one is. Without error
// control every step that has a result is.
static hfiVerdict decide_step(const hfIntegrator* integrator, hfStatus status, double h) {
  if (status) return hfi_controller_retry(h);

  if (integrator->config.error_control) {
    int order = integrator->stepper.table->error_order;
    return hfi_controller_decide(h, integrator->estimate, integrator->config.accuracy, order);
  }
  return (hfiVerdict){1, 2 * h};
}

// Moves x to the end of the step. Returns 0, with x unchanged, if the end is not finite.
static int accept_step(hfIntegrator* integrator, double h, double* x) {
  hfiStepper* stepper = &integrator->stepper;
  hfi_chart_point(&stepper->chart, integrator->u, integrator->x);

  if (!hfi_all_finite(integrator->x, stepper->chart.ode.nx)) return 0;
  memcpy(x, integrator->x, (size_t)stepper->chart.ode.nx * sizeof *x);

  hfi_stepper_keep_step(stepper);

  ++integrator->counts.steps;
  integrator->counts.held += integrator->holds;
  if (integrator->counts.smallest == 0 || h < integrator->counts.smallest) integrator->counts.smallest = h;
  return 1;
}

// Attempts a step from *t. Returns 1 if it is accepted; *t and x are then at its end. Sets the length of the next step.
static int try_step(hfIntegrator* integrator, const Advance* advance, Stride stride, double* t, double* x) {
  double h = stride.h;
  hfStatus status = hfi_integrator_attempt(integrator, *t, h, x);

  // a step that may cross a jump of f counts as one without trouble
  int crosses = may_cross(integrator, h, stride.smallest);
  hfiVerdict verdict = decide_step(integrator, crosses ? HF_OK : status, h);
  if (verdict.accept && !accept_step(integrator, h, x)) {
    verdict = hfi_controller_retry(h);
    status = HF_NO_SOLUTION;
  }

  // the time and the counts; a bent step that failed (see check_stages) is forgotten once a step as long is accepted
  if (verdict.accept) {
    *t = stride.last ? advance->goal : *t + h;
    integrator->crossed = crosses;
    if (crosses || h >= integrator->bent.length) integrator->bent.length = 0;
  } else if (status) {
    ++integrator->counts.failed;
  } else {
    ++integrator->counts.rejected;
  }

  // a step that was shortened to end at its goal is no reason to make the next step as short
  integrator->next = verdict.accept && stride.last ? max2(integrator->next, verdict.h) : verdict.h;
  int is_very_short = integrator->next < HOLD_BELOW_SHARE * integrator->config.step;
  if (status && !verdict.accept && is_very_short) begin_to_hold(integrator);
  return verdict.accept;
}

// ---- between two steps --------------------------------------------------------------------------------

// Lets the equation change its last coordinates between two steps, at t and x.
static hfRenewal renew(hfIntegrator* integrator, double t, double* x) {
  hfOde* ode = &integrator->stepper.chart.ode;
  int32_t grown = 0;
  if (!ode->renew) return HF_RENEWAL_NONE;

  hfRenewal renewal = ode->renew(ode->context, t, x, &grown);
  ode->nx += grown;
  ode->n += grown;
  if (renewal != HF_RENEWAL_NONE) hfi_stepper_forget_start(&integrator->stepper);
  return renewal;
}

// Counts an accepted step of length h for the watch. Returns 1 if the advance has to end, because it has made too many
// stiff steps. A single kink of f may look stiff, so other steps give stiff ones back.
static int is_too_stiff(hfiStiffnessWatch* watch, double h) {
  if (!(watch->limit > 0)) return 0;

  // a stiff step
  if (h * watch->rate > watch->limit) {
    watch->least_rate = watch->remaining == watch->most_remaining ? watch->rate : min2(watch->least_rate, watch->rate);
    return --watch->remaining < 0;
  }

  // a step that is not stiff
  if (watch->remaining < watch->most_remaining && ++watch->calm_steps == STEPS_OF_REST) {
    watch->calm_steps = 0;
    ++watch->remaining;
  }
  return 0;
}

// ---- the advance --------------------------------------------------------------------------------------

// Counts attempts and Newton iterations from now on.
static void count_attempts_anew(Advance* advance, const hfIntegrator* integrator) {
  advance->attempts = 0;
  advance->old_iterations = integrator->stepper.iterations;
}

// Why the advance cannot attempt this step: it is too short, or the attempts are used up. HF_OK: it can.
static hfStatus find_trouble(const hfIntegrator* integrator, const Advance* advance, Stride stride) {
  int64_t most = integrator->config.max_steps;
  if (stride.h < stride.smallest && !stride.last) return HF_STEP_TOO_SMALL;

  if (most == 0) return HF_OK;
  int64_t iterations = integrator->stepper.iterations - advance->old_iterations;
  int is_used_up = advance->attempts >= most || iterations >= ITERATIONS_OF_A_STEP * most;
  return is_used_up ? HF_NOT_CONVERGED : HF_OK;
}

// Refuses times and states that are not finite, and a way back in time.
static hfStatus check_call(const hfIntegrator* integrator, double t, const double* x, double t_end, hfError* error) {
  if (!isfinite(t) || !isfinite(t_end) || t_end < t)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: cannot advance from time %g to %g", t, t_end);
  for (int i = 0; i < integrator->stepper.chart.ode.nx; ++i)
    if (!isfinite(x[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "integrator: x[%d] is %g", i, x[i]);
  return HF_OK;
}

// Integrates x from *t to t_end. On trouble (status > 0) *t and x are at the end of the last accepted step.
hfStatus hf_integrator_advance(hfIntegrator* integrator, double* t, double* x, double t_end, hfError* error) {
  hfi_clear_error(error);
  hfStatus refused = check_call(integrator, *t, x, t_end, error);
  if (refused) return refused;

  // begin
  Advance a = {.start = *t, .t_end = t_end, .goal = *t};
  count_attempts_anew(&a, integrator);
  hfi_stepper_forget_start(&integrator->stepper);
  integrator->holds = 0;
  if (integrator->config.error_control && !(integrator->next > 0)) integrator->next = guess_step(integrator, *t, x);

  integrator->status = HF_OK;
  while (*t < t_end) {
    choose_goal(integrator, &a, *t);
    Stride stride = choose_stride(integrator, &a, *t);

    // a step that cannot be attempted ends the advance, unless a held f may still have a solution
    hfStatus trouble = find_trouble(integrator, &a, stride);
    if (trouble) {
      if (!begin_to_hold(integrator)) {
        integrator->status = trouble;
        break;
      }
      count_attempts_anew(&a, integrator);
      continue;
    }

    // one step; a step that is not accepted is tried again, shorter
    ++a.attempts;
    if (!try_step(integrator, &a, stride, t, x)) continue;
    if (renew(integrator, *t, x) == HF_RENEWAL_STOP || is_too_stiff(&integrator->watch, stride.h)) break;
  }
  return integrator->status;
}
