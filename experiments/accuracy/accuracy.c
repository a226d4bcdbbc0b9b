// experiment accuracy: one option, --accuracy, for contact. README.md beside this file says what is measured and why.
#include "accuracy/accuracy.h"

#include "common/figure.h"

#include <math.h>

enum { REQUESTS = 4, FIXED = 5, POINTS = 8 };
static const double REQUEST[REQUESTS] = {1e-2, 1e-3, 1e-4, 1e-5}; // [m, rad]
static const double STEP[FIXED] = {1e-2, 5e-3, 2e-3, 1e-3, 2e-4}; // [s]
static const double TRUTH = 1e-7;                                 // accuracy of the runs that others are compared with [m, rad]
static const double GOAL = 1e-3;                                  // error at which work is compared [m, rad]

// A curve of work over precision: error, seconds and solved problems of one method.
typedef struct curve {
  const char* name;
  int count;
  double error[POINTS], seconds[POINTS], solves[POINTS];
} curve;

static void add_point(curve* c, double error, const accuracyRun* run) {
  c->error[c->count] = error, c->seconds[c->count] = run->seconds, c->solves[c->count] = (double)run->solves;
  c->count++;
}

// The point of the curve with the fewest solved problems whose error is at most GOAL; -1 where there is none.
static int cheapest_to_goal(const curve* c) {
  int best = -1;
  for (int i = 0; i < c->count; ++i)
    if (c->error[i] <= GOAL && (best < 0 || c->solves[i] < c->solves[best])) best = i;
  return best;
}

// ---- one method on one scene -----------------------------------------------------------------------

// Runs a method with an accuracy far below those that are asked for.
static int find_truth(const accuracyScene* s, int method, double accuracy, accuracyRun* truth) {
  hfSimConfig config = hf_sim_config_default();
  config.method = method, config.accuracy = accuracy;
  return accuracy_run(s, config, 1, truth);
}

// Runs a method with several accuracies and compares it with the truth.
static int measure_controlled(const accuracyScene* s, int method, int repetitions, const accuracyRun* truth, curve* c, double* worst, result* r) {
  hfSimConfig config = hf_sim_config_default();
  accuracyRun run;
  config.method = method;
  *worst = 0;
  int status = CLI_GOOD;
  for (int i = 0; i < REQUESTS && status == CLI_GOOD; ++i) {
    config.accuracy = REQUEST[i];
    status = accuracy_run(s, config, repetitions, &run);
    if (status != CLI_GOOD) break;
    double error = accuracy_error(s, truth, &run);
    add_point(c, error, &run);
    if (REQUEST[i] >= s->finest) *worst = fmax(*worst, error / REQUEST[i]);
    result_note(r, "%-8s %-12s accuracy %.0e: error %.1e, %6ld solved in %5ld steps, %4ld rejected, smallest %.1e s, %8.3f ms", s->name,
                c->name, REQUEST[i], error, run.solves, run.steps, run.rejected, run.smallest, 1e3 * run.seconds);
    accuracy_free(&run);
  }
  return status;
}

// Runs the discrete method with fixed steps.
static int measure_fixed(const accuracyScene* s, int repetitions, const accuracyRun* truth, curve* c, result* r) {
  hfSimConfig config = hf_sim_config_default();
  accuracyRun run;
  int status = CLI_GOOD;
  for (int i = 0; i < FIXED && status == CLI_GOOD; ++i) {
    config.step = STEP[i];
    status = accuracy_run(s, config, repetitions, &run);
    if (status != CLI_GOOD) break;
    add_point(c, accuracy_error(s, truth, &run), &run);
    result_note(r, "%-8s %-12s step %.0e s: error %.1e, %6ld solved, %8.3f ms", s->name, c->name, STEP[i], c->error[i], run.solves,
                1e3 * run.seconds);
    accuracy_free(&run);
  }
  return status;
}

// MuJoCo with Runge-Kutta 4 beside its own run with a small step: its contacts obey other laws.
static void measure_mujoco(const accuracyScene* s, curve* c, result* r) {
  accuracyRun truth, run;
  if (!accuracy_run_mujoco(s, 2e-5, &truth)) {
    result_note(r, "%-8s MuJoCo is missing, or cannot read the scene", s->name);
    accuracy_free(&truth);
    return;
  }
  for (int i = 1; i < FIXED; ++i) { // 10 ms is unstable in most scenes
    if (!accuracy_run_mujoco(s, STEP[i], &run)) return;
    double error = accuracy_error(s, &truth, &run);
    add_point(c, error, &run);
    result_note(r, "%-8s %-12s step %.0e s: error %.1e, %8.3f ms", s->name, c->name, STEP[i], error, 1e3 * run.seconds);
    accuracy_free(&run);
  }
  accuracy_free(&truth);
}

// ---- one scene -------------------------------------------------------------------------------------

static void draw(const accuracyScene* s, const curve* c, int count, result* r) {
  char title[96], name[64];
  snprintf(title, sizeof title, "Work and precision: %s", s->name);
  snprintf(name, sizeof name, "accuracy_%s", s->name);
  figure f = {.title = title, .xlabel = "processor time [s]", .ylabel = "error [m, rad]", .xlog = 1, .ylog = 1};
  for (int k = 0; k < count; ++k)
    if (c[k].count) figure_add(&f, c[k].name, c[k].count, c[k].seconds, c[k].error, FIGURE_BOTH);
  figure_write(&f, r, name);
}

// Processor time to the goal over that of rk3: infinite where only rk3 reaches it, 0 where it does not.
static int compare_work(const accuracyScene* s, const curve* ours, const curve* rk3, int quick, double* ratio) {
  int mine = cheapest_to_goal(ours), other = cheapest_to_goal(rk3);
  *ratio = mine < 0 ? INFINITY : 0;
  if (mine < 0 || other < 0) return CLI_GOOD;
  hfSimConfig a = hf_sim_config_default(), b = a;
  a.method = HF_METHOD_TAMSI, a.accuracy = REQUEST[mine];
  b.method = HF_METHOD_RK3, b.accuracy = REQUEST[other];
  return accuracy_compare(s, a, b, quick ? 1 : ACCURACY_PAIRS, ratio);
}

static int report(const accuracyScene* s, const curve* ours, const curve* rk3, double worst, int quick, result* r) {
  char id[64], what[160];
  snprintf(id, sizeof id, "requested-%s", s->name);
  snprintf(what, sizeof what, "%s: error over the accuracy that was asked for, 1e-2 to %.0e", s->name, s->finest);
  result_must(r, id, what, worst, "at most 1", worst <= 1, 0);
  double ratio;
  if (s->bounces) return CLI_GOOD;
  if (compare_work(s, ours, rk3, quick, &ratio) != CLI_GOOD) return CLI_FAILED;
  snprintf(id, sizeof id, "work_over_rk3_%s", s->name);
  result_figure(r, id, ratio, "");
  snprintf(id, sizeof id, "work-%s", s->name);
  snprintf(what, sizeof what, "%s: time for an error of 1e-3 over that of rk3 with error control", s->name);
  // Without optimisation, as in some builds of tests, times say little: short runs judge the scene with the widest margin only.
  result_must(r, id, what, ratio, "at most 1", ratio <= 1, !s->keyframe);
  return CLI_GOOD;
}

// A method of continuous time beside the truth of discrete time or, where it has other laws for the scene, beside its own.
static int measure_continuous(const accuracyScene* s, int method, int repetitions, const accuracyRun* truth, curve* c, result* r) {
  accuracyRun own = {0};
  double unused;
  if (s->limits && find_truth(s, method, TRUTH, &own) != CLI_GOOD) return CLI_FAILED;
  int status = measure_controlled(s, method, repetitions, s->limits ? &own : truth, c, &unused, r);
  accuracy_free(&own);
  return status;
}

// All methods of ours on one scene.
static int measure_methods(const accuracyScene* s, int quick, const accuracyRun* truth, curve* c, double* worst, result* r) {
  if (measure_controlled(s, HF_METHOD_TAMSI, quick ? 2 : 5, truth, &c[0], worst, r) != CLI_GOOD) return CLI_FAILED;
  if (measure_fixed(s, quick ? 2 : 5, truth, &c[1], r) != CLI_GOOD) return CLI_FAILED;
  if (s->bounces) return CLI_GOOD;
  if (measure_continuous(s, HF_METHOD_RK3, quick ? 2 : 5, truth, &c[2], r) != CLI_GOOD) return CLI_FAILED;
  return quick ? CLI_GOOD : measure_continuous(s, HF_METHOD_SDIRK, 1, truth, &c[3], r);
}

static int measure_scene(const accuracyScene* s, const experimentOptions* options, result* r) {
  curve c[5] = {{.name = "controlled"}, {.name = "fixed"}, {.name = "rk3"}, {.name = "sdirk"}, {.name = "MuJoCo RK4"}};
  accuracyRun truth;
  double worst;
  if (find_truth(s, HF_METHOD_TAMSI, TRUTH, &truth) != CLI_GOOD) return CLI_FAILED;
  int status = measure_methods(s, options->quick, &truth, c, &worst, r);
  accuracy_free(&truth);
  if (status != CLI_GOOD) return CLI_FAILED;
  if (!options->quick && !s->bounces) measure_mujoco(s, &c[4], r);
  draw(s, c, 5, r);
  return report(s, &c[0], &c[2], worst, options->quick, r);
}

// ---- order -----------------------------------------------------------------------------------------

// A sled on a rail, pressed on a plane with friction, carries a damped pendulum that a motor swings.
static const char SLIDER[] = "<mujoco><option timestep='0.01'/><custom><text name='hf.signal.swing' data='sine 0.5 3 0 0'/></custom><worldbody>"
                             "<geom type='plane' size='9 9 1' friction='0.2'/><body pos='0 0 .05'><joint type='slide' axis='1 0 0'/>"
                             "<joint type='slide' axis='0 0 1' damping='50'/><geom type='sphere' size='.05' mass='1' friction='0.2'/><body pos='0 0 .05'>"
                             "<joint name='arm' axis='0 1 0' damping='.01'/><geom type='capsule' fromto='0 0 0 .05 0 .2' size='.01' mass='.2' contype='0' conaffinity='0'/>"
                             "</body></body></worldbody><actuator><motor name='swing' joint='arm'/></actuator></mujoco>";
static void start_slider(world* w) {
  hf_state_mutable_v(w->state)[0] = 3;
  hf_state_mutable_q(w->state)[1] = -1.2 * 9.81 / 5e5; // the weight of both bodies over the stiffness of the contact
}

// Error ratio of steps of 1 and 0.5 ms: an accuracy of 1 accepts every step, so that the step of the sim is the step.
static int measure_order(const accuracyScene* s, double* order) {
  hfSimConfig config = hf_sim_config_default();
  accuracyRun truth, coarse, fine;
  config.accuracy = 1e-8;
  if (accuracy_run(s, config, 1, &truth) != CLI_GOOD) return CLI_FAILED;
  config.accuracy = 1;
  int status = accuracy_run_fixed(s, config, 10, &coarse);
  if (status == CLI_GOOD) status = accuracy_run_fixed(s, config, 20, &fine);
  if (status == CLI_GOOD) *order = log2(accuracy_error(s, &truth, &coarse) / accuracy_error(s, &truth, &fine));
  accuracy_free(&truth), accuracy_free(&coarse), accuracy_free(&fine);
  return status;
}

static int show_order(result* r) {
  accuracyScene slider = {.name = "slider", .xml = SLIDER, .start = start_slider, .time = 0.3};
  double sliding, flying;
  if (measure_order(&slider, &sliding) != CLI_GOOD || measure_order(&accuracy_scenes[ACCURACY_SCENES - 1], &flying) != CLI_GOOD)
    return CLI_FAILED;
  result_figure(r, "order_sliding", sliding, "");
  result_figure(r, "order_flying", flying, "");
  result_must(r, "order-sliding", "order of the error while a sled with a pendulum slides", sliding, "at least 2.7", sliding >= 2.7, 0);
  result_must(r, "order-flying", "order of the error of a top", flying, "at least 4.6", flying >= 4.6, 0);
  return CLI_GOOD;
}

// A box that lands on corners and edges multiplies errors: each impact turns an error of position into one of velocity. The truth is that
// of rk3, another method for the same laws; *apart is how far the limit of the controlled method is from it.
static int measure_toss(const accuracyScene* s, double* worst, double* apart, result* r) {
  curve c = {.name = "controlled"};
  accuracyRun truth, limit;
  double of;
  if (find_truth(s, HF_METHOD_RK3, 0.1 * TRUTH, &truth) != CLI_GOOD || find_truth(s, HF_METHOD_TAMSI, TRUTH, &limit) != CLI_GOOD) return CLI_FAILED;
  *apart = fmax(*apart, accuracy_error(s, &truth, &limit));
  int status = measure_controlled(s, HF_METHOD_TAMSI, 1, &truth, &c, &of, r);
  *worst = fmax(*worst, of);
  accuracy_free(&truth), accuracy_free(&limit);
  return status;
}

static int show_tosses(result* r) {
  double worst = 0, apart = 0;
  for (int i = 0; i < ACCURACY_TOSSES; ++i)
    if (measure_toss(&accuracy_tosses[i], &worst, &apart, r) != CLI_GOOD) return CLI_FAILED;
  result_must(r, "tosses", "five tosses: error over the accuracy that was asked for, 1e-2 to 1e-5, largest", worst, "at most 1", worst <= 1, 0);
  result_must(r, "limits", "five tosses: distance of the limits of the controlled method and of rk3 [m, rad]", apart, "at most 1e-6", apart <= 1e-6, 0);
  return CLI_GOOD;
}

// Each scene once, with an accuracy of 1e-3.
static int record_scenes(result* r) {
  hfSimConfig config = hf_sim_config_default();
  config.accuracy = 1e-3;
  int status = CLI_GOOD;
  for (int i = 0; i < ACCURACY_SCENES && status == CLI_GOOD; ++i) {
    char file[64];
    snprintf(file, sizeof file, "%s.hfrec", accuracy_scenes[i].name);
    status = accuracy_record(&accuracy_scenes[i], config, r, file);
  }
  return status;
}

static int run(const experimentOptions* options, result* r) {
  int status = show_order(r);
  if (status == CLI_GOOD) status = show_tosses(r);
  for (int i = 0; i < ACCURACY_SCENES && status == CLI_GOOD; ++i) status = measure_scene(&accuracy_scenes[i], options, r);
  if (status == CLI_GOOD) status = record_scenes(r);
  return status;
}

const experiment experiment_accuracy = {"accuracy", "error control for contact: requested and real error, work beside rk3 and sdirk", run};
