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
static const double HELD_STEP = 1. / 8;
// If a step failed and the next one would be shorter than this share of a step of the grid, the steps that follow hold
// f [-].
static const double HOLD_BELOW = 1. / 64;
// The last step before a goal may be longer by this factor, so that no tiny step remains [-].
static const double LAST_STRETCH = 1.01;
// A rest of the advance below this share of a step of the grid joins the step before it [-].
static const double SLIVER_SHARE = 1e-9;
// A step is at least this share of the time, which could not count shorter ones [-].
static const double LEAST_TIME_SHARE = 1e-14;
// After this many steps that are not stiff, the advance may make one more stiff step.
enum { REST = 4 };
// An advance of implicit steps ends after this many Newton iterations for each of max_steps: steps that fail need up to
// twenty, each with a matrix of its own, and a world of 88 dofs would take 22 s for 2,000 of them.
enum { ITERATIONS_OF_A_STEP = 2 };

// An advance on its way to t_end.
typedef struct Advance {
  double start, t_end;    // [s]
  double grid;            // fixed steps: how many steps of the grid have begun
  double goal;            // the time not to step across: the next point of the grid, or with error control t_end [s]
  int64_t attempts;       // steps that were attempted since the advance began, or since steps began to hold f
  int64_t old_iterations; // Newton iterations before them
} Advance;

// The next step to attempt.
typedef struct Stride {
  double h;        // its length [s]
  double smallest; // Steps must not be shorter than this [s].
  int last;        // 1: it ends at the goal
} Stride;

// ---- how long the next step is ------------------------------------------------------------------------

// The length of the first step under error control [s]: at the rate of the start, it moves x by the accuracy. The
// estimate of a longer step could not be trusted, because all stages of an implicit method may lie after a fast
// transient and agree. The short first step costs one evaluation, and later steps may be five times as long as the one
// before.
static double guess_step(hfIntegrator* in, double t, const double* x) {
  hfiStepper* s = &in->stepper;
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  if (hfi_chart_rate(&s->chart, t, in->u, s->rate0)) return in->config.step;
  s->rate0_known = 1;

  double speed = hfi_chart_norm(&s->chart, s->rate0);
  return speed > 0 ? in->config.accuracy / speed : in->config.step;
}

// Chooses the goal of the step from t, and limits its length.
static void choose_goal(hfIntegrator* in, Advance* a, double t) {
  double step = in->config.step;
  if (in->config.error_control) {
    a->goal = a->t_end;
    in->next = min2(in->next, step);
    return;
  }

  if (t >= a->goal) {
    a->goal = min2(a->start + ++a->grid * step, a->t_end);
    if (a->t_end - a->goal < SLIVER_SHARE * step) a->goal = a->t_end;
    in->next = step;
    in->holds = 0;
  } else if (in->holds) {
    in->next = min2(in->next, HELD_STEP * step);
  }
}

// The step from t that ends at the goal or before it.
static Stride choose_stride(const hfIntegrator* in, const Advance* a, double t) {
  double rest = a->goal - t;
  int last = in->next * LAST_STRETCH >= rest;
  return (Stride){.h = last ? rest : in->next,
                  .smallest = max2(in->config.smallest_step, LEAST_TIME_SHARE * max2(1, fabs(t))),
                  .last = last};
}

// ---- whether steps hold f -----------------------------------------------------------------------------

// Lets steps hold f from now on. Returns 0 if they do so already or cannot.
static int begin_to_hold(hfIntegrator* in) {
  if (in->holds || in->config.error_control || !in->stepper.chart.ode.hold || in->stepper.table->gamma == 0) return 0;
  in->next = HELD_STEP * in->config.step;
  in->holds = 1;
  return 1;
}

// ---- one step -----------------------------------------------------------------------------------------

// May a step cross a jump of f? The error estimate of such a step is large, however short the step is. Only a step of
// the smallest length h may cross: its error is h times the jump, which is negligible, and the next step is smooth
// again. If the next step fails as well, f has more than a jump.
static int may_cross(const hfIntegrator* in, double h, double smallest) {
  return in->jumps && !in->crossed && 0.5 * h < smallest;
}

// Decides whether the step that was attempted is accepted, and how long the next one is.
static hfiVerdict judge(const hfIntegrator* in, hfStatus status, double h) {
  if (status) return hfi_controller_retry(h);
  if (in->config.error_control)
    return hfi_controller_judge(h, in->estimate, in->config.accuracy, in->stepper.table->error_order);
  return (hfiVerdict){1, 2 * h};
}

// Moves x to the end of the step. Returns 0, with x unchanged, if the end is not finite.
static int accept_step(hfIntegrator* in, double h, double* x) {
  hfiStepper* s = &in->stepper;
  hfi_chart_point(&s->chart, in->u, in->x);
  if (!hfi_all_finite(in->x, s->chart.ode.nx)) return 0;
  memcpy(x, in->x, (size_t)s->chart.ode.nx * sizeof *x);
  hfi_stepper_accept(s);

  ++in->steps;
  in->held += in->holds;
  if (in->smallest == 0 || h < in->smallest) in->smallest = h;
  return 1;
}

// Attempts a step from *t. Returns 1, with *t and x at its end, where it is accepted. Sets the length of the next step.
static int try_step(hfIntegrator* in, const Advance* a, Stride stride, double* t, double* x) {
  double h = stride.h;
  hfStatus status = hfi_integrator_attempt(in, *t, h, x);
  int crosses = may_cross(in, h, stride.smallest);
  hfiVerdict verdict = judge(in, crosses ? HF_OK : status, h);
  if (verdict.accept && !accept_step(in, h, x)) {
    verdict = hfi_controller_retry(h);
    status = HF_NO_SOLUTION;
  }

  if (verdict.accept) {
    *t = stride.last ? a->goal : *t + h;
    in->crossed = crosses;
    if (crosses || h >= in->bent) in->bent = 0;
  } else if (status) {
    ++in->failed;
  } else {
    ++in->rejected;
  }

  // A step that was shortened to end at its goal is no reason to make the next step as short.
  in->next = verdict.accept && stride.last ? max2(in->next, verdict.h) : verdict.h;
  if (status && !verdict.accept && in->next < HOLD_BELOW * in->config.step) begin_to_hold(in);
  return verdict.accept;
}

// ---- between two steps --------------------------------------------------------------------------------

// Lets the equation change its last coordinates between two steps.
static hfRenewal renew(hfIntegrator* in, double t, double* x) {
  hfOde* ode = &in->stepper.chart.ode;
  int32_t grown = 0;
  if (!ode->renew) return HF_RENEWAL_NONE;
  hfRenewal renewal = ode->renew(ode->context, t, x, &grown);
  ode->nx += grown;
  ode->n += grown;
  if (renewal != HF_RENEWAL_NONE) hfi_stepper_forget_start(&in->stepper);
  return renewal;
}

// Counts an accepted step of length h. Returns 1 if the advance has to end. A single kink of f may look stiff: that is
// why other steps give stiff ones back.
static int is_too_stiff(hfiStiffnessWatch* w, double h) {
  if (!(w->limit > 0)) return 0;
  if (h * w->rate > w->limit) {
    w->least = w->left == w->most ? w->rate : min2(w->least, w->rate);
    return --w->left < 0;
  }
  if (w->left < w->most && ++w->rest == REST) {
    w->rest = 0;
    ++w->left;
  }
  return 0;
}

// ---- the advance --------------------------------------------------------------------------------------

static void count_attempts_anew(Advance* a, const hfIntegrator* in) {
  a->attempts = 0;
  a->old_iterations = in->stepper.iterations;
}

// Why the advance cannot attempt this step: it is too short, or the attempts are used up. HF_OK: it can.
static hfStatus find_trouble(const hfIntegrator* in, const Advance* a, Stride stride) {
  int64_t most = in->config.max_steps;
  if (stride.h < stride.smallest && !stride.last) return HF_STEP_TOO_SMALL;
  if (most == 0) return HF_OK;
  int64_t iterations = in->stepper.iterations - a->old_iterations;
  return a->attempts >= most || iterations >= ITERATIONS_OF_A_STEP * most ? HF_NOT_CONVERGED : HF_OK;
}

static hfStatus check_call(const hfIntegrator* in, double t, const double* x, double t_end, hfError* error) {
  if (!isfinite(t) || !isfinite(t_end) || t_end < t)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: cannot advance from time %g to %g", t, t_end);
  for (int i = 0; i < in->stepper.chart.ode.nx; ++i)
    if (!isfinite(x[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "integrator: x[%d] is %g", i, x[i]);
  return HF_OK;
}

hfStatus hf_integrator_advance(hfIntegrator* in, double* t, double* x, double t_end, hfError* error) {
  hfi_clear_error(error);
  hfStatus refused = check_call(in, *t, x, t_end, error);
  if (refused) return refused;

  Advance a = {.start = *t, .t_end = t_end, .goal = *t};
  count_attempts_anew(&a, in);
  hfi_stepper_forget_start(&in->stepper);
  in->holds = 0;
  if (in->config.error_control && !(in->next > 0)) in->next = guess_step(in, *t, x);

  in->status = HF_OK;
  while (*t < t_end) {
    choose_goal(in, &a, *t);
    Stride stride = choose_stride(in, &a, *t);

    // a held f may still have a solution
    hfStatus trouble = find_trouble(in, &a, stride);
    if (trouble) {
      if (!begin_to_hold(in)) {
        in->status = trouble;
        break;
      }
      count_attempts_anew(&a, in);
      continue;
    }

    ++a.attempts;
    if (!try_step(in, &a, stride, t, x)) continue;
    if (renew(in, *t, x) == HF_RENEWAL_STOP || is_too_stiff(&in->watch, stride.h)) break;
  }
  return in->status;
}
