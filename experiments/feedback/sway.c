// experiment feedback-sway: the paper's own motion of the quadruped, sinusoids in the joints, under every controller of
// Table I (Shepherd, Zapolsky and Drumwright 2016).
//
// Hip y and knee of each leg move against each other, the two diagonal pairs in turn. The amplitude and the frequency
// are not published, so a range of both is run. A body on four feet cannot do this: the soles of the four feet do not
// stay in a plane, nor at their distances, so that joints which follow exactly make feet skate. What is measured is
// how fast feet slide that stand, and what the joints give up where they do not.
#include "feedback/legs.h"
#include <holdfast/lcp.h>

#include <math.h>

static const double STICTION_SPEED = 1e-4; // of the scene [m/s]
static const double STEP = 0.01;           // of the comparison of controllers [s]

enum { PD, PD_IMPLICIT, ID_CONTROL, LEMKE, DANTZIG, TWO_STAGE, WIDE, LIMITED, METHODS };

static const legMethod methods[METHODS] = {
    [PD] = {.name = "pd", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_CONVEX},
    [PD_IMPLICIT] = {.name = "pd_implicit", .control = LEGS_PD_IMPLICIT, .method = HF_METHOD_CONVEX},
    [ID_CONTROL] = {.name = "id_control", .control = LEGS_ID_CONTROL, .method = HF_METHOD_CONVEX},
    [LEMKE] = {.name = "id_constraint_lemke", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_LEMKE},
    [DANTZIG] = {.name = "id_constraint_dantzig", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_COMPLEMENTARITY, .lcp = HF_LCP_DANTZIG},
    [TWO_STAGE] = {.name = "id_constraint_two_stage", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_TWO_STAGE, .lcp = HF_LCP_LEMKE},
    [WIDE] = {.name = "ours_wide", .control = LEGS_TARGETS, .method = HF_METHOD_CONVEX, .near_rigid = 0.01},
    [LIMITED] = {.name = "ours_limited", .control = LEGS_STANCE, .method = HF_METHOD_CONVEX, .limit = 4},
};

static legMethod sway_of(int method, double amplitude, double rate) {
  legMethod m = methods[method];
  m.sway = (legSway){amplitude, rate};
  return m;
}

static int run_sway(int method, double amplitude, double rate, double seconds, double h, legRun* out) {
  legMethod m = sway_of(method, amplitude, rate);
  return legs_run(&m, seconds, h, out);
}

// The robot that sticks and one that skates, for replays.
static int record_sway(double seconds, result* r) {
  legMethod sticks = sway_of(LIMITED, 0.04, 16), skates = sway_of(WIDE, 0.04, 16);
  int status = legs_record(&sticks, seconds, STEP, r, "ours_limited.hfrec");
  return status == CLI_GOOD ? legs_record(&skates, seconds, STEP, r, "ours_wide.hfrec") : status;
}

// ---- the controllers side by side ------------------------------------------------------------------

enum { AMPLITUDES = 4, RATES = 4 };
static const double kAmplitude[AMPLITUDES] = {0.02, 0.04, 0.08, 0.16}; // [rad]
static const double kRate[RATES] = {4, 8, 16, 32};                     // [rad/s]

static void show_method(int method, const legRun* run, result* r) {
  const char* name = methods[method].name;
  feedback_show(r, name, "stable", run->run.stable, 0, "-");
  feedback_show(r, name, "time_reached", STEP * (double)run->steps, 0, "s");
  if (run->steps == 0) return;
  feedback_show(r, name, "error", run->run.error, 0, "rad");
  feedback_show(r, name, "mean_slip", run->mean_slip, 0, "m/s");
  feedback_show(r, name, "largest_slip", run->slip, 0, "m/s");
  feedback_show(r, name, "torque_beyond_limit", run->violation, 0, "N m");
  feedback_show(r, name, "work", run->work, 0, "J");
}

// All controllers at 0.04 rad, 16 rad/s; the slip of each over the amplitude, as a figure.
static int compare_methods(double seconds, legRun* run, result* r) {
  static double slip[METHODS][AMPLITUDES];
  figure f = {.title = "Quadruped, sinusoids of 16 rad/s at 10 ms: mean slip of standing feet", .xlabel = "amplitude [rad]", .ylabel = "mean slip [m/s]", .xlog = 1, .ylog = 1};
  for (int m = 0; m < METHODS; ++m) {
    show_progress((double)m / METHODS, "%s", methods[m].name);
    for (int a = 0; a < AMPLITUDES; ++a) {
      legRun out;
      if (run_sway(m, kAmplitude[a], 16, seconds, STEP, &out) != CLI_GOOD) return CLI_FAILED;
      slip[m][a] = out.run.stable ? out.mean_slip : NAN;
      if (kAmplitude[a] == 0.04) run[m] = out;
    }
    show_method(m, &run[m], r);
    figure_add(&f, methods[m].name, AMPLITUDES, kAmplitude, slip[m], FIGURE_BOTH);
  }
  clear_progress();
  figure_write(&f, r, "feedback-sway");
  return CLI_GOOD;
}

// ---- where the cure ends ---------------------------------------------------------------------------

enum { STEPS = 4 };
static const double kStep[STEPS] = {0.0003, 0.001, 0.01, 0.1}; // [s]

// Largest slip over the steps tried, for one motion with limits of 4 N m; infinite where a run is lost.
static int worst_slip(double amplitude, double rate, double seconds, double* slip, double* error) {
  *slip = *error = 0;
  for (int k = 0; k < STEPS; ++k) {
    legRun out;
    if (run_sway(LIMITED, amplitude, rate, seconds, kStep[k], &out) != CLI_GOOD) return CLI_FAILED;
    *slip = fmax(*slip, out.run.stable ? out.slip : INFINITY);
    *error = fmax(*error, out.run.error);
  }
  return CLI_GOOD;
}

// The promise: up to 0.04 rad at every frequency, and up to 0.08 rad while joints accelerate at less than 21 rad/s^2.
static int is_promised(double amplitude, double rate) {
  return amplitude <= 0.04 || (amplitude <= 0.08 && amplitude * rate * rate < 21);
}

static void show_motion(double amplitude, double rate, double slip, double error, result* r) {
  char name[64];
  if (!isfinite(slip)) {
    result_note(r, "  %g rad at %g rad/s: lost at one of the steps at least", amplitude, rate);
    return;
  }
  snprintf(name, sizeof name, "slip_at_%g_rad_%g_per_s", amplitude, rate);
  result_figure(r, name, slip, "m/s");
  snprintf(name, sizeof name, "error_at_%g_rad_%g_per_s", amplitude, rate);
  result_figure(r, name, error, "rad");
}

static int map_range(double seconds, int quick, double* promised, int* beyond, result* r) {
  *promised = 0, *beyond = 0;
  result_note(r, "Ours with 4 N m, the worst of the steps from 0.3 ms to 0.1 s:");
  for (int a = quick ? 1 : 0; a < (quick ? 2 : AMPLITUDES); ++a)
    for (int w = quick ? 2 : 0; w < (quick ? 3 : RATES); ++w) {
      double slip, error;
      show_progress((double)(a * RATES + w) / (AMPLITUDES * RATES), "%g rad at %g rad/s", kAmplitude[a], kRate[w]);
      if (worst_slip(kAmplitude[a], kRate[w], seconds, &slip, &error) != CLI_GOOD) return CLI_FAILED;
      show_motion(kAmplitude[a], kRate[w], slip, error, r);
      if (is_promised(kAmplitude[a], kRate[w])) *promised = fmax(*promised, slip);
      else *beyond += !(slip < STICTION_SPEED);
    }
  clear_progress();
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  double seconds = options->quick ? 1 : 5, promised;
  int beyond;
  legRun side[METHODS];
  if (compare_methods(seconds, side, r) != CLI_GOOD || map_range(seconds, options->quick, &promised, &beyond, r) != CLI_GOOD ||
      record_sway(seconds, r) != CLI_GOOD)
    return CLI_FAILED;
  result_must(r, "dantzig_fails", "time that Dantzig's method reaches with contact and ID (the paper's dash)", STEP * (double)side[DANTZIG].steps, "less than the run", !side[DANTZIG].run.stable, 0);
  result_must(r, "others_skate", "least mean slip of the ID constraints without limits: Lemke, two-stage, ours wide", fmin(side[LEMKE].mean_slip, fmin(side[TWO_STAGE].mean_slip, side[WIDE].mean_slip)), "over 100 stiction speeds",
              fmin(side[LEMKE].mean_slip, fmin(side[TWO_STAGE].mean_slip, side[WIDE].mean_slip)) > 100 * STICTION_SPEED, 0);
  result_must(r, "ours_sticks", "largest slip with limits of 4 N m, 0.04 rad at any rate and 0.08 rad up to 16 rad/s, steps of 0.3 ms to 0.1 s", promised, "below the stiction speed 1e-4 m/s", promised < STICTION_SPEED, 0);
  result_must(r, "ours_ends", "motions beyond that range of which some step slips or falls", beyond, "at least 1: the range has an end", beyond >= 1, 1);
  return CLI_GOOD;
}

const experiment experiment_feedback_sway = {"feedback-sway", "a quadruped under the paper's sinusoids: who skates, who sticks, and up to where", run};
