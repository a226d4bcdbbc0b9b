// tamsi-gripper, figure 7 and section IV-B: TAMSI beside implicit Euler (IE) with full Newton (FN), with and
// without the transition-aware line search (TALS), all at h = 3 ms.
//
//   time        5 s through hf_sim_step, in processor time of the one thread, which is wall time on a machine
//               that does nothing else; the best of several runs, taken in turns
//   Jacobian    forward differences over all 16 velocities and positions in every iteration, as in the
//               paper (17 numbers there, with the quaternion's), and the analytic one
//   landings    contacts that TALS stopped in their stick region, and how many of them the next iterate
//               finds outside all the same, because the configuration moved with it
#include "common/figure.h"
#include "common/world.h"
#include "tamsi/gripper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1667, VARIANTS = 5 };
static const double STEP = 0.003; // [s]
static const char SCENE[] = "gripper_mug.xml";

typedef struct timedMethod {
  const char* name;
  int method, tals, jacobian;
  double best, *simulated, *elapsed; // fastest run: (STEPS) each [s]
} timedMethod;

// The paper's tolerance for fixed steps: a fraction 0.05 of an accuracy of 1e-4.
static hfSimConfig configure(const timedMethod* v) {
  hfSimConfig c = hf_sim_config_default();
  c.step = STEP;
  c.method = v->method;
  if (v->method == HF_METHOD_TAMSI) return c;
  c.continuous.newton = HF_NEWTON_FULL;
  c.continuous.tals = v->tals;
  c.continuous.jacobian = v->jacobian;
  c.solver.tolerance = 0.05 * 1e-4;
  return c;
}

static int time_run(timedMethod* v, int steps, double* elapsed) {
  hfSimConfig config = configure(v);
  world w;
  if (world_open(&w, SCENE, &config, "rim") != CLI_GOOD) return CLI_FAILED;
  int status = CLI_GOOD;
  double begin = processor_clock();
  for (int i = 0; i < steps && status == CLI_GOOD; ++i) {
    status = world_step(&w, 1, NULL);
    elapsed[i] = processor_clock() - begin;
  }
  world_close(&w);
  if (status != CLI_GOOD || elapsed[steps - 1] >= v->best) return status;
  v->best = elapsed[steps - 1];
  memcpy(v->elapsed, elapsed, sizeof *elapsed * (size_t)steps);
  return CLI_GOOD;
}

static void report_times(result* r, const timedMethod* v, int steps) {
  figure f = {.title = "Gripper: simulated over processor time, h = 3 ms", .xlabel = "processor time [s]", .ylabel = "simulated time [s]", .xlog = 1};
  for (int k = 0; k < VARIANTS; ++k) figure_add(&f, v[k].name, steps, v[k].elapsed, v[k].simulated, FIGURE_LINE);
  figure_write(&f, r, "figure7");
  for (int k = 0; k < VARIANTS; ++k) result_note(r, "%-22s %8.1f ms for %.2f s: %6.1f times TAMSI", v[k].name, 1e3 * v[k].best, steps * STEP, v[k].best / v[0].best);
  result_compare(r, "time_over_tamsi_fn_tals_fd", v[1].best / v[0].best, 25, "");
  result_compare(r, "time_over_tamsi_fn_fd", v[2].best / v[0].best, 55, "");
  result_figure(r, "time_over_tamsi_fn_tals_analytic", v[3].best / v[0].best, "");
  result_figure(r, "time_over_tamsi_fn_analytic", v[4].best / v[0].best, "");
  double least = INFINITY;
  for (int k = 1; k < VARIANTS; ++k) least = fmin(least, v[k].best / v[0].best);
  result_must(r, "fig7-fastest", "time of the fastest implicit Euler over TAMSI's", least, "more than 1", least > 1, 0);
}

// *tamsi: TAMSI's time [s].
static int measure_times(const experimentOptions* options, double* tamsi, result* r) {
  timedMethod v[VARIANTS] = {{.name = "TAMSI", .method = HF_METHOD_TAMSI},
                         {.name = "IE+FN+TALS, differences", .method = HF_METHOD_IMPLICIT_EULER, .tals = 1},
                         {.name = "IE+FN, differences", .method = HF_METHOD_IMPLICIT_EULER},
                         {.name = "IE+FN+TALS, analytic", .method = HF_METHOD_IMPLICIT_EULER, .tals = 1, .jacobian = 1},
                         {.name = "IE+FN, analytic", .method = HF_METHOD_IMPLICIT_EULER, .jacobian = 1}};
  int steps = options->quick ? 334 : STEPS, repeats = options->quick ? 2 : 5, status = CLI_GOOD;
  double* memory = malloc(sizeof *memory * (size_t)(steps * (VARIANTS + 2)));
  if (!memory) return CLI_FAILED;
  for (int i = 0; i < steps; ++i) memory[i] = (i + 1) * STEP;
  for (int k = 0; k < VARIANTS; ++k) v[k].best = INFINITY, v[k].simulated = memory, v[k].elapsed = memory + (k + 2) * steps;
  for (int n = 0; n < repeats && status == CLI_GOOD; ++n)
    for (int k = 0; k < VARIANTS && status == CLI_GOOD; ++k) {
      status = time_run(&v[k], steps, memory + steps);
      show_progress((n * VARIANTS + k + 1.0) / (repeats * VARIANTS), "%s", v[k].name);
    }
  clear_progress();
  if (status == CLI_GOOD) report_times(r, v, steps);
  *tamsi = v[0].best;
  free(memory);
  return status;
}

// ---- counts -----------------------------------------------------------------------------------------

// The equation of an accel whose evaluations share nothing: what it computed at the last point is forgotten.
typedef struct forgetful {
  hfAccel* accel;
  hfOde ode;
} forgetful;

static hfStatus forgetful_rhs(void* context, double t, const double* x, double* xdot) {
  forgetful* f = context;
  hf_accel_begin(f->accel, NULL, NULL);
  return f->ode.rhs(f->ode.context, t, x, xdot);
}
static void forgetful_plus(void* context, const double* x0, const double* u, double* x) {
  const hfOde* ode = &((forgetful*)context)->ode;
  ode->plus(ode->context, x0, u, x);
}
static void forgetful_lift(void* context, const double* u, double* xdot) {
  const hfOde* ode = &((forgetful*)context)->ode;
  ode->lift(ode->context, u, xdot);
}
static double forgetful_limit(void* context, double t, const double* x, const double* du) {
  const hfOde* ode = &((forgetful*)context)->ode;
  return ode->limit(ode->context, t, x, du);
}
static uint64_t forgetful_region(void* context, double t, const double* x) {
  const hfOde* ode = &((forgetful*)context)->ode;
  return ode->region(ode->context, t, x);
}

static hfOde forget(forgetful* f) {
  hfOde ode = f->ode;
  ode.context = f;
  ode.rhs = forgetful_rhs, ode.plus = forgetful_plus, ode.lift = forgetful_lift;
  ode.limit = forgetful_limit, ode.region = forgetful_region;
  ode.jacobian = NULL, ode.lift_jacobian = NULL; // by differences
  return ode;
}

int gripper_euler(const hfModel* m, const double* x0, const gripperEuler* how, double seconds, gripperCounts* out, hfError* error) {
  hfAccelConfig accel = hf_accel_config_default();
  hfIntegratorConfig config = hf_integrator_config_default();
  config.method = HF_METHOD_IMPLICIT_EULER;
  config.error_control = 0;
  config.step = STEP;
  config.tals = how->tals;
  config.newton_tolerance = 0.05 * 1e-4;
  if (how->to_the_limit) config.divergence = INFINITY;
  hfAccel* a = NULL;
  hfIntegrator* in = NULL;
  double t = 0, x[GRIPPER_NX];
  memcpy(x, x0, sizeof x);
  if (hf_accel_create(&a, m, &accel, error) < 0) return CLI_FAILED;
  hf_accel_begin(a, NULL, NULL);
  forgetful f = {a, hf_accel_ode(a)};
  hfOde ode = how->forget ? forget(&f) : f.ode;
  hfStatus status = hf_integrator_create(&in, &ode, &config, error);
  double begin = processor_clock();
  if (status == HF_OK) status = hf_integrator_advance(in, &t, x, seconds, error);
  out->time = processor_clock() - begin;
  if (status == HF_OK) out->integrator = hf_integrator_report(in), out->accel = hf_accel_statistics(a);
  hf_integrator_free(in);
  hf_accel_free(a);
  return status == HF_OK ? CLI_GOOD : CLI_FAILED;
}

static void print_counts(result* r, const char* name, const gripperCounts* c) {
  result_note(r, "%-28s %8ld evaluations, %6ld iterations, %5ld limited, %4ld failed, %5ld steps", name, (long)c->integrator.evaluations,
              (long)c->integrator.iterations, (long)c->integrator.limited, (long)c->integrator.failed, (long)c->integrator.steps);
}

enum { WITH, WITHOUT, TO_THE_LIMIT, FORGETFUL, FORGETFUL_TO_THE_LIMIT, RUNS };
static const gripperEuler EULER[RUNS] = {[WITH] = {.tals = 1}, [WITHOUT] = {0}, [TO_THE_LIMIT] = {.to_the_limit = 1}, [FORGETFUL] = {.tals = 1, .forget = 1},
                                         [FORGETFUL_TO_THE_LIMIT] = {.to_the_limit = 1, .forget = 1}};

// The fastest of three runs of each.
static int run_counts(const world* w, double seconds, gripperCounts* c) {
  static const char* const names[RUNS] = {"IE+FN+TALS", "IE+FN", "IE+FN to the limit of Newton", "IE+FN+TALS, nothing reused", "IE+FN to the limit, nothing reused"};
  hfError error = {HF_OK, ""};
  double x[GRIPPER_NX];
  memcpy(x, hf_state_q(w->state), sizeof *x * (size_t)w->model->nq);
  memcpy(x + w->model->nq, hf_state_v(w->state), sizeof *x * (size_t)w->model->nv);
  for (int i = 0; i < 3 * RUNS; ++i) {
    gripperCounts again;
    int k = i % RUNS;
    show_progress(i / (3. * RUNS), "%s", names[k]);
    if (gripper_euler(w->model, x, &EULER[k], seconds, &again, &error) != CLI_GOOD) return say_error("implicit Euler on the gripper: %s", error.message), CLI_FAILED;
    if (i < RUNS || again.time < c[k].time) c[k] = again;
  }
  clear_progress();
  return CLI_GOOD;
}

// The paper's factors 25 and 55, and what they are made of: counted in evaluations, and in time with two causes of the difference switched on.
static void report_factors(result* r, const gripperCounts* c, long iterations, double tamsi) {
  double with = (double)c[WITH].integrator.evaluations / (double)iterations, limit = (double)c[TO_THE_LIMIT].integrator.evaluations / (double)iterations;
  double slow = c[FORGETFUL].time / tamsi, slowest = c[FORGETFUL_TO_THE_LIMIT].time / tamsi;
  result_compare(r, "evaluations_over_tamsi_iterations_fn_tals", with, 25, "");
  result_compare(r, "evaluations_over_tamsi_iterations_fn_to_the_limit", limit, 55, "");
  result_compare(r, "time_over_tamsi_fn_tals_nothing_reused", slow, 25, "");
  result_compare(r, "time_over_tamsi_fn_to_the_limit_nothing_reused", slowest, 55, "");
  result_must(r, "fig7-25", "evaluations of IE+FN+TALS over TAMSI's iterations (paper: 25 times the time)", with, "15 to 40", with >= 15 && with <= 40, 0);
  result_must(r, "fig7-55", "the same without TALS, where Newton runs to its limit as in the paper (paper: 55 times the time)", limit / with, "at least 1.5 times as many", limit >= 1.5 * with, 0);
  result_must(r, "fig7-cause", "time of IE+FN+TALS where every difference computes kinematics and contacts anew, over that where differences of velocities reuse them",
              c[FORGETFUL].time / c[WITH].time, "at least 1.05: a cause of 25 against ours", c[FORGETFUL].time >= 1.05 * c[WITH].time, 1);
  result_must(r, "fig7-plateaus", "steps that fail and are halved without TALS, the plateaus", (double)c[WITHOUT].integrator.failed, "10 or more, and none with TALS",
              c[WITHOUT].integrator.failed >= 10 && c[WITH].integrator.failed == 0, 0);
}

static int measure_counts(const experimentOptions* options, double tamsi, result* r) {
  gripperCounts c[RUNS];
  hfSimConfig config = hf_sim_config_default();
  worldTotals totals = {0};
  world w;
  int steps = options->quick ? 334 : STEPS;
  config.step = STEP;
  if (world_open(&w, SCENE, &config, "rim") != CLI_GOOD) return CLI_FAILED;
  int status = run_counts(&w, steps * STEP, c);
  if (status == CLI_GOOD) status = world_step(&w, steps, &totals);
  world_close(&w);
  if (status != CLI_GOOD) return status;
  print_counts(r, "IE+FN+TALS", &c[WITH]);
  print_counts(r, "IE+FN", &c[WITHOUT]);
  print_counts(r, "IE+FN to the limit of Newton", &c[TO_THE_LIMIT]);
  double evaluations = (double)c[WITH].integrator.evaluations;
  result_compare(r, "work_without_over_with_tals", (double)c[WITHOUT].integrator.evaluations / evaluations, 55. / 25, "");
  result_compare(r, "work_without_to_the_limit_over_with_tals", (double)c[TO_THE_LIMIT].integrator.evaluations / evaluations, 55. / 25, "");
  result_figure(r, "tals_landings", (double)c[WITH].accel.limited, "");
  result_figure(r, "tals_landings_that_left_the_disc", (double)c[WITH].accel.escaped, "");
  result_figure(r, "steps_failed_with_tals", (double)c[WITH].integrator.failed, "");
  report_factors(r, c, totals.iterations, tamsi);
  return CLI_GOOD;
}

int gripper_integrators(const experimentOptions* options, result* r) {
  double tamsi;
  int status = measure_times(options, &tamsi, r);
  if (status == CLI_GOOD) status = measure_counts(options, tamsi, r);
  return status == CLI_GOOD ? gripper_turning(r) : status;
}
