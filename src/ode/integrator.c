// The integrator: tries a step, judges its error, and accepts it or tries a shorter one.
//
// Error estimates. Implicit Euler uses step doubling: one step h gives u, two steps h/2 give u', and the error of u' is
// u - u' to leading order. RK3 and TR-BDF2 have an embedded estimate e.
//
// Local extrapolation subtracts the estimated error from the result, which raises the order by one: 2 u' - u for implicit
// Euler, u - A^-2 e for TR-BDF2 with A = I - g J, J the Jacobian and g = gamma h of the implicit stages. The error left in a
// step is then smaller than its estimate, so that the errors of many steps do not add up to more than the accuracy asked
// of one. Both methods stay A- and L-stable (docs/theory/integrators.md). RK3 always extrapolates, because its e is the
// error of the embedded result of lower order.
//
// Without error control, steps run on the grid t0 + k h. A step that fails is halved, and doubled again after a success,
// until the next point of the grid is reached (convergence control, TAMSI section III-B). An implicit step fails when
// Newton's method does. An explicit step fails when the rates of its stages are far from a straight line (check_stages).
// For u' = lambda u that happens from |h lambda| = 0.94 on, well inside the region of stability, and it also happens when
// an impact lies within the step. The result of such a step would be meaningless.
//
// Where f jumps from one side of a surface to the other and pushes x back to it from both, no step of any length has a solution. The rest of
// a grid step is then made with a held f (hfOde.hold), which is smooth: an error of first order in the length of the step remains. Only
// implicit steps do that: they need no short steps for stiffness, so that f is likely to jump where one has failed at a 64th of the grid step.
#include "ode/controller.h"
#include "ode/step.h"

#include "base/finite.h"
#include "base/object.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

// An explicit step fails when the rate of a stage departs from the straight line through the two rates before by more than
// this share of the largest rate [-].
static const double MAX_BEND = 1. / 3;
// A departure that changes the result of the step by less than this, in the error norm, is ignored.
static const double SMALLEST_BEND = 1e-9;
// An implicit step fails when the rate at its start changes a coordinate by more than this many times what the implicit stages change it
// by [-], and by more than the second number, in the error norm.
static const double MAX_START = 10, SMALLEST_START = 0.01;
// f jumps within a step that bends by at least a quarter of the bend of a step 64 times as long: at a kink a 64th would be left, and less
// of a stiff motion [-].
static const double JUMP_SHARE = 0.25, JUMP_LENGTH = 1. / 64;
// A step with a held f is at most this long, and a step that would be shorter than the second length holds f, over a step of the grid [-].
static const double HELD_STEP = 1. / 8, HOLD_BELOW = 1. / 64;
// So many steps that are not stiff give one stiff step back.
enum { REST = 4 };
// Under error control Newton may leave an error of this share of the accuracy [-].
static const double NEWTON_SHARE = 0.05;

// An advance of implicit steps ends after this many Newton iterations for each of max_steps: steps that fail need up to twenty, each with
// a matrix of its own, and a world of 88 dofs would take 22 s for 2,000 of them.
enum { ITERATIONS_OF_A_STEP = 2 };

struct hfIntegrator {
  hfIntegratorConfig config;
  hfiStepper stepper;
  double* u;         // (n) result of the step in its chart
  double* half;      // (n) step doubling: result of the first half step; otherwise scratch
  double* error;     // (n) estimated error of the step
  double* x;         // (nx) the state at the end of the step, until it is accepted; before that scratch
  double next;       // length of the step to try next; 0: not known yet [s]
  int64_t steps, rejected, failed; // accepted; rejected because of their error; not completed
  int64_t held;                    // accepted with a held f
  int32_t holds;                   // 1: the steps up to the next point of the grid hold f
  double smallest, last;           // shortest accepted step, last step tried [s]
  double estimate;                 // norm of the error of the last step
  double bend, bent;               // fixed explicit steps: of the longest step that failed since one as long was accepted, its bend and its
                                   // length; 0: there is none [s]
  int32_t jumps;                   // 1: f jumps within the last step that was tried
  int32_t crossed;                 // 1: the last accepted step crossed a jump
  hfiStiffnessWatch watch;         // explicit
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
  DEMAND(c->smallest_step >= 0 && c->smallest_step <= c->step, smallest_step, "between zero and the step")
  DEMAND(c->max_steps >= 0, max_steps, "zero or positive")
  DEMAND(c->newton == HF_NEWTON_FULL || c->newton == HF_NEWTON_QUASI, newton, "0 (full) or 1 (quasi)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || c->jacobian == HF_JACOBIAN_ANALYTIC, jacobian, "0 (forward) or 1 (analytic)")
  DEMAND(c->jacobian == HF_JACOBIAN_FORWARD || ode->jacobian, jacobian, "0: this equation has no analytic one")
  DEMAND(c->max_iterations >= 0, max_iterations, "zero or positive")
  DEMAND(positive(c->newton_tolerance), newton_tolerance, "positive")
  DEMAND(c->divergence > 0, divergence, "positive")
#undef DEMAND
  return broken ? hfi_refuse(error, HF_ERROR_ARGUMENT, "integrator: %s (it is %g)", broken, value) : HF_OK;
}

static void configure_stepper(hfiStepper* s, const hfIntegratorConfig* c) {
  int full = c->newton == HF_NEWTON_FULL;
  s->analytic = c->jacobian == HF_JACOBIAN_ANALYTIC;
  s->tals = c->tals;
  s->newton.full = full;
  s->newton.max_iterations = c->max_iterations ? c->max_iterations : full ? 20 : 10;
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

hfStatus hf_integrator_create(hfIntegrator** integrator, const hfOde* ode,
                              const hfIntegratorConfig* config, hfError* error) {
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

void hf_integrator_reset(hfIntegrator* in) {
  hfiStepper* s = &in->stepper;
  in->next = 0;
  s->matrix.known = 0;
  s->rate0_known = 0;
  s->chart.evaluations = s->chart.jacobian_evaluations = 0;
  s->iterations = s->limited = s->jacobians = s->matrix.factorisations = 0;
  in->steps = in->rejected = in->failed = in->held = 0;
  in->smallest = in->last = in->estimate = 0;
  in->bend = in->bent = 0;
  in->jumps = in->crossed = 0;
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

// ---- attempts -------------------------------------------------------------------------------------

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

// Step doubling: u <- u - error. Embedded estimate: u <- u - A^-1 error; error is A^-1 e already (hfi_stepper_error), so that
// A^-2 e is subtracted.
static void extrapolate(hfIntegrator* in) {
  const hfiStepper* s = &in->stepper;
  memcpy(in->half, in->error, (size_t)s->chart.ode.n * sizeof *in->half);
  if (hfi_butcher_embedded(s->table)) hfi_stage_matrix_solve(&s->matrix, in->half);
  for (int i = 0; i < s->chart.ode.n; ++i) in->u[i] -= in->half[i];
}

// Whether an implicit step has failed whose first stage is explicit. Its result is u = h sum_j a_j K_j, a_j the last row of the table. Where the
// equation is stiff, the implicit stages cancel what K_0 does. They do not where the stiff force of the start has ended before the first of
// them, as that of bodies which overlap deeply: the force would act for a_0 of the step, and throw the bodies apart.
static hfStatus check_start(const hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const int n = s->chart.ode.n, last = s->table->stages - 1;
  const double *a = s->table->A[last], *weight = s->chart.ode.weight;
  if (s->table->A[0][0] > 0) return HF_OK;
  for (int i = 0; i < n; ++i) {
    double start = h * a[0] * s->K[i], rest = in->u[i] - start, scale = weight ? weight[i] : 1;
    if (scale * fabs(start) > MAX_START * scale * fabs(rest) + SMALLEST_START) return HF_NOT_CONVERGED;
  }
  return HF_OK;
}

// Whether an explicit step has failed. With the rates K_j of the stages at c_j, the departure from the straight line through the
// two rates before is
//   K_j - K_(j-1) - (c_j - c_(j-1))/(c_(j-1) - c_(j-2)) (K_(j-1) - K_(j-2))
static hfStatus check_stages(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const double* c = s->table->c;
  const int n = s->chart.ode.n;
  double largest = 0, bend = 0;
  if (s->table->gamma > 0) return check_start(in, h);
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
  if (h > in->bent) in->bend = bend, in->bent = h;
  return HF_NOT_CONVERGED;
}

// A step across a jump of f bends at any length. One of the smallest length has an error of h times the jump, which is as good as none, and
// the next one is smooth again. Where that fails, too, f does more than jump.
static int may_cross(const hfIntegrator* in, double h, double smallest) { return in->jumps && !in->crossed && 0.5 * h < smallest; }

// Second estimates of the error, from the same stages. Where f is smooth they are no larger than the first. When a step
// contains an impact, any single estimate may be small by chance, but hardly all of them.

// RK3: the norm of (h/3)(K_4 - 2 K_3 + K_2), a second difference of the rates. RK5: that of (h/3)(K_7 - K_6), two rates at the end.
static double second_estimate_explicit(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const int n = s->chart.ode.n;
  const double *K = s->K, *last = K + (s->table->stages - 1) * n;
  for (int i = 0; i < n; ++i)
    in->half[i] = h / 3 * (s->table->order == 3 ? last[i] - 2 * K[2 * n + i] + K[n + i] : last[i] - last[i - n]);
  return hfi_chart_norm(&s->chart, in->half);
}

// The largest rate of the equation, |J d|/|d| for a combination d of the stages' points in which smooth motion cancels. It is that where
// steps are so long that fast motions are excited (Hairer and Wanner, Solving ODEs II, IV.2).
static double estimate_stiffness(hfIntegrator* in, double h) {
  const hfiStepper* s = &in->stepper;
  const hfiButcher* table = s->table;
  const int n = s->chart.ode.n;
  double *moved = in->half, *rate = in->x;
  memset(moved, 0, (size_t)n * sizeof *moved);
  memset(rate, 0, (size_t)n * sizeof *rate);
  for (int j = 0; j < table->stages; ++j) {
    double a = 0; // of K_j in the combination of the points
    for (int i = j + 1; i < table->stages; ++i) a += h * table->fast[i] * table->A[i][j];
    for (int i = 0; i < n; ++i) moved[i] += a * s->K[j * n + i], rate[i] += table->fast[j] * s->K[j * n + i];
  }
  double size = hfi_chart_norm(&s->chart, moved);
  return size > 0 ? hfi_chart_norm(&s->chart, rate) / size : 0;
}

// Step doubling: the larger norm of
//   (h/2)(F_end - F_middle) = u' - 2 half        and        A^-1 (h/4)(F_middle - F_start) = A^-1 (half/2 - (h/4) F_start),
// where F_start, F_middle and F_end are the rates at the start, after the first and after the second half step. Only F_start
// looks at the start of the step: all stages of implicit Euler may lie after a contact that just ended, and agree with each
// other. A^-1 damps the stiff parts, because the error that Newton left in x appears in F_start multiplied by the stiffness.
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

// Tries a step h from x at t: computes its result u and the estimate of its error.
static hfStatus attempt(hfIntegrator* in, double t, double h, const double* x) {
  hfiStepper* s = &in->stepper;
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  in->last = h;
  in->estimate = 0;
  in->jumps = 0;
  hfStatus status = hfi_stepper_step(s, t, h, NULL, in->u);
  if (status) return status;
  if (!in->config.error_control) return check_stages(in, h);
  if (hfi_butcher_embedded(s->table)) hfi_stepper_error(s, h, in->error);
  else status = double_step(in, t, h);
  if (status) return status;
  in->estimate = hfi_chart_norm(&s->chart, in->error);
  if (s->table->gamma == 0) in->estimate = max2(in->estimate, second_estimate_explicit(in, h));
  else if (!hfi_butcher_embedded(s->table)) in->estimate = max2(in->estimate, second_estimate_doubling(in, t, h));
  if (s->table->gamma > 0 && in->config.extrapolate) extrapolate(in);
  if (s->table->gamma == 0) in->watch.rate = estimate_stiffness(in, h);
  return HF_OK;
}

// The same with a held f where steps hold it. These are steps of implicit Euler: f jumps between two of them, and a method of higher order,
// which uses f at the start of a step, would excite stiff motions with that.
static hfStatus attempt_held(hfIntegrator* in, double t, double h, const double* x) {
  hfiStepper* s = &in->stepper;
  const hfOde* ode = &s->chart.ode;
  const hfiButcher* table = s->table;
  if (!in->holds) return attempt(in, t, h, x);
  ode->hold(ode->context, t, x);
  s->table = hfi_butcher(HF_METHOD_IMPLICIT_EULER);
  s->rate0_known = 0;
  hfStatus status = attempt(in, t, h, x);
  s->table = table;
  ode->hold(ode->context, t, NULL);
  return status;
}

// Lets steps hold f from now on. Returns 0 where they do already, or cannot.
static int begin_to_hold(hfIntegrator* in) {
  if (in->holds || in->config.error_control || !in->stepper.chart.ode.hold || in->stepper.table->gamma == 0) return 0;
  in->next = HELD_STEP * in->config.step;
  return in->holds = 1;
}
// Decides whether the step that attempt() made is accepted, and how long the next one is.
static hfiVerdict judge(const hfIntegrator* in, hfStatus status, double h) {
  if (status) return hfi_controller_retry(h);
  if (in->config.error_control)
    return hfi_controller_judge(h, in->estimate, in->config.accuracy, in->stepper.table->error_order);
  hfiVerdict verdict = {1, 2 * h};
  return verdict;
}

// Moves x to the end of the step. Returns 0, with x unchanged, where that is not finite.
static int accept(hfIntegrator* in, double h, double* x) {
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

// Lets the equation change its last coordinates between two steps.
static hfRenewal renew(hfIntegrator* in, double t, double* x) {
  hfOde* ode = &in->stepper.chart.ode;
  if (!ode->renew) return HF_RENEWAL_NONE;
  int32_t grown = 0;
  hfRenewal renewal = ode->renew(ode->context, t, x, &grown);
  ode->nx += grown;
  ode->n += grown;
  if (renewal != HF_RENEWAL_NONE) in->stepper.rate0_known = 0;
  return renewal;
}

// Counts an accepted step of length h. Returns 1 where the advance has to end. A single kink of f may look stiff: that is why other steps
// give stiff ones back.
static int is_too_stiff(hfiStiffnessWatch* w, double h) {
  if (!(w->limit > 0)) return 0;
  if (h * w->rate > w->limit) {
    w->least = w->left == w->most ? w->rate : min2(w->least, w->rate);
    return --w->left < 0;
  }
  if (w->left < w->most && ++w->rest == REST) w->rest = 0, ++w->left;
  return 0;
}

// The length of the first step under error control: at the rate of the start, it moves x by the accuracy. The estimate of a
// longer step could not be trusted, because all stages of an implicit method may lie after a fast transient and agree. The
// short first step costs one evaluation, and later steps may be five times as long as the one before.
static double guess_step(hfIntegrator* in, double t, const double* x) {
  hfiStepper* s = &in->stepper;
  hfi_stepper_centre(s, x);
  memset(in->u, 0, (size_t)s->chart.ode.n * sizeof *in->u);
  if (hfi_chart_rate(&s->chart, t, in->u, s->rate0)) return in->config.step;
  s->rate0_known = 1;
  double speed = hfi_chart_norm(&s->chart, s->rate0);
  return speed > 0 ? in->config.accuracy / speed : in->config.step;
}

static hfStatus finish(hfIntegrator* in, hfStatus status) { return in->status = status; }

// Whether an advance that began at `before` Newton iterations may attempt no further step.
static int is_used_up(const hfIntegrator* in, int64_t attempts, int64_t before) {
  int64_t most = in->config.max_steps;
  return most && (attempts >= most || in->stepper.iterations - before >= ITERATIONS_OF_A_STEP * most);
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
  const hfIntegratorConfig* c = &in->config;
  hfStatus refused = check_call(in, *t, x, t_end, error);
  if (refused) return refused;
  const double start = *t;
  double grid = 0;      // fixed steps: how many steps of the grid have begun
  double goal = *t;     // the time not to step across: the next point of the grid, or with error control t_end
  int64_t attempts = 0, before = in->stepper.iterations;
  in->stepper.rate0_known = 0;
  in->holds = 0;
  if (c->error_control && !(in->next > 0)) in->next = guess_step(in, *t, x);
  while (*t < t_end) {
    if (c->error_control) {
      goal = t_end;
      in->next = min2(in->next, c->step);
    } else if (*t >= goal) {
      goal = min2(start + ++grid * c->step, t_end);
      if (t_end - goal < 1e-9 * c->step) goal = t_end;
      in->next = c->step;
      in->holds = 0;
    } else if (in->holds) in->next = min2(in->next, HELD_STEP * c->step);
    // The last step before the goal may be 1 % longer, so that no tiny step remains.
    double left = goal - *t;
    int last = in->next * 1.01 >= left;
    double h = last ? left : in->next;
    double smallest = max2(c->smallest_step, 1e-14 * max2(1, fabs(*t)));
    hfStatus trouble = h < smallest && !last ? HF_STEP_TOO_SMALL : is_used_up(in, attempts, before) ? HF_NOT_CONVERGED : HF_OK;
    if (trouble) {
      if (!begin_to_hold(in)) return finish(in, trouble);
      attempts = 0, before = in->stepper.iterations;
      continue;
    }
    ++attempts;
    hfStatus status = attempt_held(in, *t, h, x);
    int crosses = may_cross(in, h, smallest);
    hfiVerdict verdict = judge(in, crosses ? HF_OK : status, h);
    if (verdict.accept && !accept(in, h, x)) verdict = hfi_controller_retry(h), status = HF_NO_SOLUTION;
    if (verdict.accept) {
      *t = last ? goal : *t + h;
      in->crossed = crosses;
      if (crosses || h >= in->bent) in->bent = 0;
    } else if (status) ++in->failed;
    else ++in->rejected;
    // A step that was shortened to end at its goal is no reason to make the next step as short.
    in->next = verdict.accept && last ? max2(in->next, verdict.h) : verdict.h;
    if (status && !verdict.accept && in->next < HOLD_BELOW * c->step) begin_to_hold(in);
    if (verdict.accept && (renew(in, *t, x) == HF_RENEWAL_STOP || is_too_stiff(&in->watch, h))) break;
  }
  return finish(in, HF_OK);
}
