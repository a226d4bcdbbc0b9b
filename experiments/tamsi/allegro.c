// experiment tamsi-allegro: an Allegro hand turns a mug by an open-loop finger gait (TAMSI paper, section
// VI-B).
//
//   paper    15 s at h = 0.7 ms with TAMSI, the paper's servos, no gravity; beside it error-controlled
//            implicit Euler (a = 0.01, quasi-Newton; Jacobian by differences and analytic, with and without
//            TALS), and MuJoCo on the same file with the same targets; the same by the published script
//   rotors   with the inertia that 369:1 gears reflect, h = 2 ms and 10 ms
//   weight   with gravity
//
// Times are processor times of one thread. TAMSI and what it is compared with run in turns, so that both
// see the same disturbances; medians count, and the median of the ratios of the pairs with MuJoCo.
#include "tamsi/allegro.h"

#include "common/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EULER = 4, TURNS = 11, PAIRS = 21, VARIANTS = 4 };
static const double ROTOR = 369. * 369. * 1e-6; // gear ratio squared times rotor inertia [kg m^2]
static const double KP = 2, KD = 0.6;           // servos of the variants [N m/rad], [N m s/rad]

typedef struct engineComparison {
  double tamsi, mujoco, ratio; // time of a step [s], and the ratio of the two
  double over[EULER];          // implicit Euler's time over TAMSI's
  int peer;                    // MuJoCo is there
  allegroResult first, euler[EULER];
  allegroMotion peers; // MuJoCo's
} engineComparison;

static const struct {
  const char *name, *id;
  allegroEuler how;
} kEuler[EULER] = {
    {"implicit Euler, differences", "euler_fd", {0}},
    {"implicit Euler, differences, TALS", "euler_fd_tals", {.tals = 1}},
    {"implicit Euler, analytic", "euler_analytic", {.analytic = 1}},
    {"implicit Euler, analytic, TALS", "euler_analytic_tals", {.analytic = 1, .tals = 1}}};

// ---- the paper's scene ------------------------------------------------------------------------------

static double a_step(const allegroResult* r) { return r->elapsed / (double)r->steps; }

// TAMSI and, for a gait, MuJoCo in turns; the motions of all turns are the same.
static int run_pairs(const allegroCase* c, int pairs, allegroResult* scratch, engineComparison* x) {
  double ours[PAIRS], theirs[PAIRS], ratio[PAIRS];
  for (int i = 0; i < pairs; ++i) {
    int status = allegro_run(c, NULL, &x->first);
    if (status != CLI_GOOD) return status;
    ours[i] = a_step(&x->first);
    x->peer = c->gait && allegro_run_mujoco(c, scratch) == 0;
    theirs[i] = x->peer ? a_step(scratch) : 0;
    ratio[i] = ours[i] / theirs[i];
  }
  x->peers = scratch->motion;
  x->tamsi = median(ours, pairs), x->mujoco = median(theirs, pairs),
  x->ratio = median(ratio, pairs);
  return CLI_GOOD;
}

// Implicit Euler number k in turns with TAMSI. What else the machine does only adds to a time, and adds more to TAMSI's than to implicit Euler's: their
// ratio is that of the least times.
static int run_euler(const allegroCase* c, int k, int turns, engineComparison* x) {
  double elapsed[TURNS], least = INFINITY, tamsi = INFINITY;
  for (int i = 0; i < turns; ++i) {
    int status = allegro_run(c, NULL, &x->first);
    if (status == CLI_GOOD) status = allegro_run_euler(c, &kEuler[k].how, &x->euler[k]);
    if (status != CLI_GOOD) return status;
    elapsed[i] = x->euler[k].elapsed;
    least = fmin(least, elapsed[i]), tamsi = fmin(tamsi, x->first.elapsed);
  }
  x->euler[k].elapsed = median(elapsed, turns), x->over[k] = least / tamsi;
  return CLI_GOOD;
}

static int run_all(const allegroCase* c, int quick, int euler, engineComparison* x) {
  allegroResult* scratch = calloc(1, sizeof *scratch);
  int status = scratch ? run_pairs(c, quick ? 5 : PAIRS, scratch, x) : CLI_FAILED;
  for (int k = 0; k < euler && status == CLI_GOOD; ++k)
    status = run_euler(c, k, quick ? 3 : k == 0 ? TURNS : 5, x); // the first is judged
  free(scratch);
  return status;
}

static void figure_angle(result* r, const char* name, const char* title, const engineComparison* x) {
  figure f = {.title = title, .xlabel = "time [s]", .ylabel = "angle [deg]"};
  figure_add(&f, "TAMSI, h = 0.7 ms", x->first.motion.samples, x->first.motion.time,
             x->first.motion.angle, FIGURE_LINE);
  figure_add(&f, "implicit Euler, a = 0.01", x->euler[0].motion.samples, x->euler[0].motion.time,
             x->euler[0].motion.angle, FIGURE_DASHED);
  if (x->peer)
    figure_add(&f, "MuJoCo", x->peers.samples, x->peers.time, x->peers.angle, FIGURE_LINE);
  figure_write(&f, r, name);
}

static void report_euler(result* r, const char* prefix, const engineComparison* x, int count) {
  for (int k = 0; k < count; ++k) {
    const allegroResult* e = &x->euler[k];
    char name[64];
    snprintf(name, sizeof name, "%stime_over_tamsi_%s", prefix, kEuler[k].id);
    if (k == 0)
      result_compare(r, name, x->over[k], 7.8, "");
    else
      result_figure(r, name, x->over[k], "");
    snprintf(name, sizeof name, "%sreal_time_factor_%s", prefix, kEuler[k].id);
    result_figure(r, name, e->simulated / e->elapsed, "");
    result_note(r, "%-34s %7ld steps, %7ld iterations, turn a cycle %.1f degrees", kEuler[k].name,
                e->steps, e->iterations, e->motion.mean);
  }
}

static void report_gait(result* r, const engineComparison* x) {
  const allegroMotion* m = &x->first.motion;
  double n = (double)x->first.steps, step = x->tamsi;
  result_compare(r, "real_time_factor", x->first.simulated / (step * n), 2.14, "");
  result_compare(r, "step_time", 1e6 * step, 327, "us");
  result_figure(r, "iterations_a_step", (double)x->first.iterations / n, "");
  result_figure(r, "contacts_a_step", (double)x->first.contacts / n, "");
  result_figure(r, "cycles", m->cycles, "");
  result_figure(r, "turn_a_cycle", m->mean, "deg");
  result_figure(r, "mug_away", 1e3 * m->away, "mm");
  result_must(r, "held", "the mug stays within 5 cm of its place", m->away, "below 0.05 m",
              allegro_motion_held(m), 0);
  result_must(r, "turns", "least turn of the mug in a cycle", m->least, "at least 20 degrees",
              m->cycles > 1 && m->least >= 20, 0);
  if (!x->peer) {
    result_note(r, "no MuJoCo found (HF_MUJOCO_LIB, HF_PEERS_PYTHON)");
    return;
  }
  result_figure(r, "step_time_mujoco", 1e6 * x->mujoco, "us");
  result_figure(r, "turn_a_cycle_mujoco", x->peers.mean, "deg");
  result_must(r, "mujoco", "our time a step over MuJoCo's, same file and targets", x->ratio,
              "at most 0.5", x->ratio <= 0.5, 1);
}

static int compare_gait(const allegroCase* c, const experimentOptions* options, result* r,
                        engineComparison* x) {
  char record[1024];
  snprintf(record, sizeof record, "%s/poses.hfrec", options->out ? options->out : "");
  int euler = options->quick ? 1 : EULER, status = run_all(c, options->quick, euler, x);
  if (status == CLI_GOOD && options->out)
    status = allegro_run(c, record, &x->first); // writing is not timed
  if (status != CLI_GOOD) return status;
  result_replay(r, "poses.hfrec");
  report_gait(r, x);
  report_euler(r, "", x, euler);
  figure_angle(r, "angle", "Allegro hand: the mug's turn about the palm's normal", x);
  return CLI_GOOD;
}

// What the paper says of implicit Euler on the hand: TALS gains nothing, and its fastest set-up is error control with quasi-Newton. Work is counted in
// evaluations of the equations of motion, Jacobians by differences included, which no other program disturbs.
static int judge_setups(const allegroCase* script, int quick, result* r) {
  enum { QUASI, QUASI_TALS, FULL, FULL_TALS, FIXED, FIXED_TALS, SETUPS };
  static const allegroEuler how[SETUPS] = {[QUASI] = {0}, [QUASI_TALS] = {.tals = 1}, [FULL] = {.full = 1}, [FULL_TALS] = {.full = 1, .tals = 1},
                                           [FIXED] = {.fixed = 1}, [FIXED_TALS] = {.fixed = 1, .tals = 1}};
  static const char* const ids[SETUPS] = {"quasi", "quasi_tals", "full", "full_tals", "quasi_fixed", "quasi_fixed_tals"};
  double work[SETUPS];
  allegroCase c = *script;
  allegroResult* out = calloc(1, sizeof *out);
  if (!out) return CLI_FAILED;
  c.seconds = quick ? 2 : 7.5;
  for (int k = 0; k < SETUPS; ++k) {
    char name[64];
    if (allegro_run_euler(&c, &how[k], out) != CLI_GOOD) return free(out), CLI_FAILED;
    work[k] = (double)out->evaluations;
    snprintf(name, sizeof name, "script_evaluations_%s", ids[k]);
    result_figure(r, name, work[k], "");
  }
  free(out);
  double gain = work[QUASI] / work[QUASI_TALS];
  result_must(r, "tals-gains-little", "published script: evaluations of implicit Euler without over with TALS (paper: no gain; the box gains 8.7)", gain, "0.6 to 1.6", gain > 0.6 && gain < 1.6, 0);
  result_must(r, "quasi-is-fastest", "published script, error control: evaluations of full over quasi-Newton (paper: quasi is the fastest)", work[FULL] / work[QUASI], "more than 1", work[FULL] > work[QUASI], 0);
  result_compare(r, "script_evaluations_fixed_over_controlled", work[FIXED] / work[QUASI], 1, "");
  return CLI_GOOD;
}

// The paper's figure of 7.8 is of this script.
static int compare_script(const allegroCase* c, const experimentOptions* options, result* r,
                          engineComparison* x) {
  int euler = options->quick ? 1 : EULER, status = run_all(c, options->quick, euler, x);
  if (status != CLI_GOOD) return status;
  double tamsi = x->tamsi * (double)x->first.steps;
  result_compare(r, "script_real_time_factor", x->first.simulated / tamsi, 2.14, "");
  result_figure(r, "script_turn_of_the_first_cycle", x->first.motion.opening, "deg");
  result_figure(r, "script_turn_of_the_last_cycle", x->first.motion.last, "deg");
  report_euler(r, "script_", x, euler);
  figure_angle(r, "angle_script", "Allegro hand: the mug's turn by the published script", x);
  result_must(r, "euler", "published script: time of implicit Euler with differences over TAMSI's",
              x->over[0], "at least 7.8", x->over[0] >= 7.8, 1);
  return CLI_GOOD;
}

// ---- variants ---------------------------------------------------------------------------------------

static void report_variant(result* r, const allegroCase* c, const allegroResult* x) {
  const allegroMotion* m = &x->motion;
  result_note(r,
              "%-26s %6.1f us a step, %6.1f times real time, %.2f iterations; turn %.1f, then at "
              "least %.1f, last %.1f degrees; away %.1f mm",
              c->name, 1e6 * a_step(x), x->simulated / x->elapsed,
              (double)x->iterations / (double)x->steps, m->opening, m->least, m->last,
              1e3 * m->away);
}

static int vary(const experimentOptions* options, result* r, double seconds) {
  const allegroCase cases[VARIANTS] = {
      {"rotors, 2 ms", "allegro_mug.xml", NULL, &allegro_stiff, 0.002, seconds, KP, KD, ROTOR},
      {"rotors, 10 ms", "allegro_mug.xml", NULL, &allegro_stiff, 0.01, seconds, KP, KD, ROTOR},
      {"weight, 0.7 ms", "allegro_mug_gravity.xml", "grasp", &allegro_stiff, 0.0007, seconds, KP,
       KD, 0},
      {"weight, rotors, 2 ms", "allegro_mug_gravity.xml", "grasp", &allegro_stiff, 0.002, seconds,
       KP, KD, ROTOR}};
  figure f = {.title = "Allegro hand: the mug's turn, stiffer servos",
              .xlabel = "time [s]",
              .ylabel = "angle [deg]"};
  allegroResult* x = calloc(VARIANTS, sizeof *x);
  int status = x ? CLI_GOOD : CLI_FAILED, held = 1;
  double least = INFINITY;
  char record[1024];
  snprintf(record, sizeof record, "%s/poses_gravity.hfrec", options->out ? options->out : "");
  for (int k = 0; k < VARIANTS && status == CLI_GOOD; ++k) {
    status = allegro_run(&cases[k], options->out && k == 2 ? record : NULL, &x[k]);
    if (status != CLI_GOOD) break;
    report_variant(r, &cases[k], &x[k]);
    held = held && allegro_motion_held(&x[k].motion);
    least = fmin(least, x[k].motion.least);
    figure_add(&f, cases[k].name, x[k].motion.samples, x[k].motion.time, x[k].motion.angle,
               FIGURE_LINE);
  }
  if (status == CLI_GOOD) {
    figure_write(&f, r, "angle_variants");
    result_figure(r, "real_time_factor_rotors_2ms", x[0].simulated / x[0].elapsed, "");
    result_figure(r, "real_time_factor_rotors_10ms", x[1].simulated / x[1].elapsed, "");
    result_figure(r, "turn_a_cycle_gravity", x[2].motion.mean, "deg");
    result_must(r, "held-variants", "with rotors and with gravity: the mug stays within 5 cm", held,
                "1", held, 0);
    result_must(r, "turns-variants", "with rotors and with gravity: least turn in a cycle", least,
                "at least 20 degrees", least >= 20 && isfinite(least), 0);
  }
  free(x);
  return status;
}

static int run(const experimentOptions* options, result* r) {
  double seconds = options->quick ? 7.1 : 15; // quick: two cycles
  const allegroCase
      gait = {"gait", "allegro_mug.xml", NULL, &allegro_soft, 0.0007, seconds, 0, 0, 0},
      script = {"published script", "allegro_mug.xml", NULL, NULL, 0.0007, seconds, 0, 0, 0};
  engineComparison* x = calloc(2, sizeof *x);
  int status = x ? compare_gait(&gait, options, r, x) : CLI_FAILED;
  if (status == CLI_GOOD) status = compare_script(&script, options, r, x + 1);
  if (status == CLI_GOOD) status = judge_setups(&script, options->quick, r);
  free(x);
  return status == CLI_GOOD ? vary(options, r, seconds) : status;
}

const experiment experiment_tamsi_allegro = {
    "tamsi-allegro", "an Allegro hand turns a mug (TAMSI, section VI-B)", run};
