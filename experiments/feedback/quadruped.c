// experiment feedback-quadruped: Table I of Shepherd, Zapolsky and Drumwright (2016) beside ours, with what it
// leaves out: slip of feet that stand, their way over a stance, torques beyond the limit, work of the drives.
#include "feedback/legs.h"
#include <holdfast/lcp.h>

#include <math.h>
#include <string.h>

static const double STICTION_SPEED = 1e-4; // of the scene [m/s]

typedef struct legRow {
  legMethod method;
  double paper_step, paper_error, paper_time; // 0: none
} legRow;

enum { PD, PD_TUNED, PD_IMPLICIT, ID_CONTROL, LEMKE, DANTZIG, TWO_STAGE, WITHOUT_CONTACT, WITHOUT_ID, WIDE, LIMITED, ROWS };

static const legRow rows[ROWS] = {
    [PD] = {{.name = "pd", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_CONVEX}, 0.001, 3.8e-2, 24.84},
    [PD_TUNED] = {{.name = "pd_tuned", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_CONVEX, .gains = legs_tuned_gains}, 0.001, 3.8e-2, 24.84},
    [PD_IMPLICIT] = {{.name = "pd_implicit", .control = LEGS_PD_IMPLICIT, .method = HF_METHOD_CONVEX}, 0, 0, 0},
    [ID_CONTROL] = {{.name = "id_control", .control = LEGS_ID_CONTROL, .method = HF_METHOD_CONVEX}, 0.004, 9.05e-3, 4.97},
    [LEMKE] = {{.name = "id_constraint_lemke", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_LEMKE}, 0, 0, 0},
    [DANTZIG] = {{.name = "id_constraint_dantzig", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_DANTZIG}, 0, 0, 0},
    [TWO_STAGE] = {{.name = "id_constraint_two_stage", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_TWO_STAGE, .lcp = HF_LCP_LEMKE}, 0.1, 5.1e-2, 2.54},
    [WITHOUT_CONTACT] = {{.name = "id_without_contact", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_DANTZIG, .weightless = 1}, 0, 0, 0},
    [WITHOUT_ID] = {{.name = "contact_without_id", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_DANTZIG}, 0, 0, 0},
    [WIDE] = {{.name = "ours_wide", .control = LEGS_TARGETS, .method = HF_METHOD_CONVEX, .near_rigid = 0.01}, 0, 0, 0},
    [LIMITED] = {{.name = "ours_limited", .control = LEGS_STANCE, .method = HF_METHOD_CONVEX, .limit = 4}, 0, 0, 0},
};

typedef struct search { const legMethod* method; double seconds; } search;

static int try_legs(const void* user, double h, feedbackRun* out) {
  const search* s = user;
  legRun run;
  int status = legs_run(s->method, s->seconds, h, &run);
  *out = run.run;
  return status;
}

static void show_row(const legRow* w, double step, const legRun* run, result* r) {
  const char* name = w->method.name;
  feedback_show(r, name, "max_step", step, w->paper_step, "s");
  if (!(step > 0)) return; // unstable at any step
  feedback_show(r, name, "error", run->run.error, w->paper_error, "rad");
  feedback_show(r, name, "time", run->run.time, w->paper_time, "s");
  if (w->method.weightless) return;
  feedback_show(r, name, "slip", run->slip, 0, "m/s");
  feedback_show(r, name, "way_per_stance", run->displacement, 0, "m");
  feedback_show(r, name, "torque_beyond_limit", run->violation, 0, "N m");
  feedback_show(r, name, "work", run->work, 0, "J");
  feedback_show(r, name, "tilt", run->tilt, 0, "rad");
}

static int measure_row(const legRow* w, double seconds, double* step, legRun* run, result* r) {
  feedbackRun best;
  search s = {&w->method, seconds};
  int status = CLI_GOOD;
  *step = 0;
  memset(run, 0, sizeof *run);
  feedback_search(try_legs, &s, step, &best, &status);
  if (status == CLI_GOOD && *step > 0) status = legs_run(&w->method, seconds, *step, run);
  if (status == CLI_GOOD) show_row(w, *step, run, r);
  return status;
}

// The smallest Tikhonov term with which Dantzig's method solves every step of 4 ms; 0: none up to 1.
static int find_tikhonov(double seconds, double* size, legRun* run) {
  legMethod method = rows[DANTZIG].method;
  *size = 0;
  for (double t = 1e-8; t < 2; t *= 10) {
    method.tikhonov = t;
    if (legs_run(&method, seconds, 0.004, run) != CLI_GOOD) return CLI_FAILED;
    if (!run->run.stable) continue;
    *size = t;
    return CLI_GOOD;
  }
  return CLI_GOOD;
}

// Slip of standing feet over a range of steps (quick: ours with limits alone); *worst has the largest slip and torque of ours with limits.
static int measure_range(double seconds, int quick, legRun* worst, result* r) {
  enum { STEPS = 17, CURVES = 4 };
  static const double steps[STEPS] = {0.0001, 0.0002, 0.0003, 0.0005, 0.0006, 0.001, 0.002, 0.004, 0.007, 0.01, 0.02, 0.03, 0.05, 0.07, 0.08, 0.09, 0.1};
  static const int shown[CURVES] = {LIMITED, WIDE, TWO_STAGE, PD_IMPLICIT};
  double slip[CURVES][STEPS], ends[2] = {STICTION_SPEED, STICTION_SPEED}, width[2] = {steps[0], steps[STEPS - 1]};
  figure f = {.title = "Quadruped: largest slip of a standing foot", .xlabel = "step [s]", .ylabel = "slip [m/s]", .xlog = 1, .ylog = 1};
  memset(worst, 0, sizeof *worst);
  worst->run.stable = 1;
  for (int i = 0; i < (quick ? 1 : CURVES) * STEPS; ++i) {
    int c = i / STEPS, k = i % STEPS;
    show_progress((double)i / ((quick ? 1 : CURVES) * STEPS), "slip of %s", rows[shown[c]].method.name);
    legRun out;
    char name[64];
    if (legs_run(&rows[shown[c]].method, seconds, steps[k], &out) != CLI_GOOD) return CLI_FAILED;
    slip[c][k] = out.run.stable ? out.slip : NAN;
    if (k == STEPS - 1) figure_add(&f, rows[shown[c]].method.name, STEPS, steps, slip[c], FIGURE_BOTH);
    if (shown[c] != LIMITED) continue;
    snprintf(name, sizeof name, "ours_limited_slip_at_%gms", 1000 * steps[k]);
    result_figure(r, name, out.slip, "m/s");
    worst->run.stable &= out.run.stable;
    worst->slip = fmax(worst->slip, out.slip);
    worst->landing_slip = fmax(worst->landing_slip, out.landing_slip);
    worst->violation = fmax(worst->violation, out.violation);
  }
  figure_add(&f, "stiction speed", 2, width, ends, FIGURE_DASHED);
  figure_write(&f, r, "feedback-slip");
  return CLI_GOOD;
}

// PD with the gains found by hand and with those of the optimiser, at the step that they were tuned for. The full experiment tunes again.
static int judge_tuning(double seconds, int quick, const double* step, result* r) {
  legRun hand, tuned;
  if (legs_run(&rows[PD].method, seconds, 0.001, &hand) != CLI_GOOD || legs_run(&rows[PD_TUNED].method, seconds, 0.001, &tuned) != CLI_GOOD) return CLI_FAILED;
  result_compare(r, "pd_error_at_1ms", hand.run.error, 3.8e-2, "rad");
  result_compare(r, "pd_tuned_error_at_1ms", tuned.run.error, 3.8e-2, "rad");
  result_figure(r, "pd_work_at_1ms", hand.work, "J");
  result_figure(r, "pd_tuned_work_at_1ms", tuned.work, "J");
  result_figure(r, "pd_tuned_tilt_at_1ms", tuned.tilt, "rad");
  result_must(r, "tuned_better", "PD at 1 ms: squared error with the optimiser's gains over that with the gains found by hand", tuned.squared_error / hand.squared_error,
              "below 1, within the bounds of energy and tilt", tuned.run.stable && hand.run.stable && tuned.squared_error < hand.squared_error, 0);
  result_must(r, "tuned_order", "largest stable step of PD with the optimiser's gains", step[PD_TUNED], "below that of ID control", step[PD_TUNED] < step[ID_CONTROL], 0);
  if (quick) return CLI_GOOD;
  hfGains gains[3];
  double again;
  memcpy(gains, legs_hand_gains, sizeof gains);
  if (legs_tune(2.5, 0.001, 6, 150, gains, &again) != CLI_GOOD) return CLI_FAILED;
  for (int i = 0; i < 3; ++i) result_note(r, "  tuned gains, joint %d of a leg: kp %.10g, kd %.10g", i + 1, gains[i].kp, gains[i].kd);
  legRun stored;
  if (legs_run(&rows[PD_TUNED].method, 2.5, 0.001, &stored) != CLI_GOOD) return CLI_FAILED;
  result_must(r, "tuning", "tuned again: squared error over that of the stored gains", again / stored.squared_error, "at most 1.05", again <= 1.05 * stored.squared_error, 1);
  return CLI_GOOD;
}

static int judge(double seconds, int quick, const double* step, const legRun* run, result* r) {
  legRun control, fine, range;
  if (legs_run(&rows[ID_CONTROL].method, seconds, 0.004, &control) != CLI_GOOD) return CLI_FAILED;
  result_figure(r, "id_control_error_at_4ms", control.run.error, "rad");
  result_figure(r, "id_control_time_at_4ms", 0.004 * (double)control.steps, "s"); // until it is lost, if it is
  if (legs_run(&rows[ID_CONTROL].method, seconds, 0.001, &fine) != CLI_GOOD) return CLI_FAILED;
  result_figure(r, "id_control_error_at_1ms", fine.run.error, "rad");
  if (measure_range(seconds, quick, &range, r) != CLI_GOOD) return CLI_FAILED;
  result_must(r, "stable", "largest stable step of ours, wide and with limits of 4 N m", fmin(step[WIDE], step[LIMITED]), "0.1 s", fmin(step[WIDE], step[LIMITED]) >= 0.1, 0);
  result_must(r, "slip", "slip of standing feet with limits of 4 N m, steps of 0.1 ms to 0.1 s", range.slip, "below the stiction speed 1e-4 m/s", range.run.stable && range.slip < STICTION_SPEED, 0);
  result_must(r, "landing", "way that a foot slides in the first 5 ms after it touches, limits of 4 N m", range.landing_slip, "at most 10 um", range.landing_slip <= 1e-5, 0);
  result_must(r, "limits", "largest torque beyond 4 N m, steps of 0.1 ms to 0.1 s", range.violation, "at most 1e-9 N m", range.violation <= 1e-9, 0);
  result_must(r, "tracking", "error of ours at 0.1 s with wide limits", run[WIDE].run.error, "at most that of ID control at 0.004 s", run[WIDE].run.error <= control.run.error, 0);
  result_must(r, "hypothesis_1", "largest stable step of ID control over that of explicit PD (paper: 4)", step[ID_CONTROL] / step[PD], "at least 2", step[ID_CONTROL] >= 2 * step[PD], 0);
  result_must(r, "hypothesis_2", "largest stable step of the ID constraint (two-stage) over that of ID control (paper: 25)", step[TWO_STAGE] / step[ID_CONTROL], "at least 2", step[TWO_STAGE] >= 2 * step[ID_CONTROL], 0);
  result_must(r, "dantzig_fails", "largest stable step of Dantzig's method with contact and ID (paper: none)", step[DANTZIG], "0", step[DANTZIG] == 0, 0);
  result_must(r, "two_stage_skates", "slip of standing feet, two-stage solver (the paper's robot skates)", run[TWO_STAGE].slip, "over 100 stiction speeds", run[TWO_STAGE].slip > 100 * STICTION_SPEED, 0);
  result_compare(r, "id_control_faster_by", 100 * (run[PD].run.time / run[ID_CONTROL].run.time - 1), 66, "%");
  result_compare(r, "two_stage_faster_by", 100 * (run[ID_CONTROL].run.time / run[TWO_STAGE].run.time - 1), 226, "%");
  result_figure(r, "ours_faster_than_pd_by", 100 * (run[PD].run.time / run[WIDE].run.time - 1), "%");
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  double step[ROWS], seconds = options->quick ? 1 : 5, tikhonov;
  legRun best[ROWS], with_tikhonov;
  legs_write_scene(r);
  for (int i = 0; i < ROWS; ++i) {
    show_progress((double)i / ROWS, "%s", rows[i].method.name);
    if (measure_row(&rows[i], seconds, &step[i], &best[i], r) != CLI_GOOD) return CLI_FAILED;
  }
  clear_progress();
  if (find_tikhonov(seconds, &tikhonov, &with_tikhonov) != CLI_GOOD) return CLI_FAILED;
  result_figure(r, "tikhonov_that_solves_4ms", tikhonov, "-");
  if (tikhonov > 0) result_figure(r, "tikhonov_slip", with_tikhonov.slip, "m/s");
  if (judge_tuning(seconds, options->quick, step, r) != CLI_GOOD) return CLI_FAILED;
  if (legs_record(&rows[LIMITED].method, seconds, 0.01, r, "ours_limited.hfrec") != CLI_GOOD || legs_record(&rows[TWO_STAGE].method, seconds, 0.01, r, "two_stage.hfrec") != CLI_GOOD)
    return CLI_FAILED;
  return judge(seconds, options->quick, step, best, r);
}

const experiment experiment_feedback_quadruped = {"feedback-quadruped", "a trotting quadruped: contact, inverse dynamics and torque limits in one step", run};
