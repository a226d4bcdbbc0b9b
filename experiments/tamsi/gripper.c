// experiment tamsi-gripper: a parallel jaw gripper shakes a mug (TAMSI paper, section VI-A, figures 7 and 8).
//
//   speed        5 s at h = 3 ms: wall time, real-time factor, Newton iterations
//   convergence  2.5 s for h = 25 ms/n against a reference of much smaller h. States are compared every
//                25 ms; with T = 0.5 s and A = 0.15 m,
//                  e_w = RMS |mug's angular velocity error| T
//                  e_v = RMS |(mug v, gripper v, finger v) error| T/A
//                fitted by e = C (h/T)^slope; the paper's line is 45 h/T.
#include "common/figure.h"
#include "common/world.h"
#include "tamsi/gripper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PERIOD = 0.5, AMPLITUDE = 0.15, WINDOW = 0.025; // [s], [m], [s]
enum { SAMPLES = 100, NV = 8 };                                     // over 2.5 s
static const char SCENE[] = "gripper_mug.xml";

// The paper's scheme: contacts are those of the start of a step.
static hfSimConfig paper_config(double h) {
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  config.anticipate = 0;
  return config;
}

// ---- speed ---------------------------------------------------------------------------------------

// Slip of the mug in the jaws: range of (mug z - gripper z) after the first period [m].
static int measure_speed(result* r, const char* keyframe, int repeats) {
  double wall[32], low = INFINITY, high = -INFINITY;
  worldTotals totals;
  for (int k = 0; k < repeats; ++k) {
    hfSimConfig config = paper_config(0.003);
    world w;
    if (world_open(&w, SCENE, &config, keyframe) != CLI_GOOD) return CLI_FAILED;
    memset(&totals, 0, sizeof totals);
    for (int i = 0; i < 1667; ++i) {
      if (world_step(&w, 1, &totals) != CLI_GOOD) {
        world_close(&w);
        return CLI_FAILED;
      }
      double z = hf_state_q(w.state)[4] - hf_state_q(w.state)[0];
      if (w.state->time > PERIOD) low = fmin(low, z), high = fmax(high, z);
    }
    wall[k] = totals.wall;
    world_close(&w);
  }
  double middle = median(wall, repeats);
  int paper = strcmp(keyframe, "rim") == 0;
  char name[64];
  snprintf(name, sizeof name, "wall_time_%s", keyframe);
  if (paper)
    result_compare(r, name, middle, 0.123, "s");
  else
    result_figure(r, name, middle, "s");
  snprintf(name, sizeof name, "real_time_factor_%s", keyframe);
  if (paper)
    result_compare(r, name, 5 / middle, 40, "");
  else
    result_figure(r, name, 5 / middle, "");
  snprintf(name, sizeof name, "step_time_%s", keyframe);
  if (paper)
    result_compare(r, name, 1e6 * middle / 1667, 74, "us");
  else
    result_figure(r, name, 1e6 * middle / 1667, "us");
  snprintf(name, sizeof name, "iterations_a_step_%s", keyframe);
  result_figure(r, name, (double)totals.iterations / (double)totals.steps, "");
  snprintf(name, sizeof name, "most_iterations_%s", keyframe);
  result_figure(r, name, totals.max_iterations, "");
  snprintf(name, sizeof name, "steps_beyond_tamsi_%s", keyframe);
  result_figure(r, name, (double)(totals.rung[HF_RUNG_MERIT] + totals.rung[HF_RUNG_CONVEX]), "");
  snprintf(name, sizeof name, "slip_range_%s", keyframe);
  result_figure(r, name, 1e3 * (high - low), "mm");
  return CLI_GOOD;
}

// The motion of the speed test once more, for the replay: writing is not timed.
static int record_shake(result* r, const char* keyframe, const char* file) {
  hfSimConfig config = paper_config(0.003);
  world w;
  if (world_open(&w, SCENE, &config, keyframe) != CLI_GOOD) return CLI_FAILED;
  int status = world_record(&w, r, file, 1.0 / 60);
  if (status == CLI_GOOD && w.recorder) status = world_step(&w, 1667, NULL);
  world_close(&w);
  return status;
}

// ---- convergence ---------------------------------------------------------------------------------

// Computes the velocities at the ends of the windows, with n steps in each window.
static int sample_run(int n, double (*v)[NV]) {
  hfSimConfig config = paper_config(WINDOW / n);
  world w;
  if (world_open(&w, SCENE, &config, "rim") != CLI_GOOD) return CLI_FAILED;
  int status = CLI_GOOD;
  for (int i = 0; i < SAMPLES && status == CLI_GOOD; ++i) {
    status = world_step(&w, n, NULL);
    memcpy(v[i], hf_state_v(w.state), sizeof v[i]);
    show_progress((i + 1.0) / SAMPLES, "h = %.3g s", config.step);
  }
  world_close(&w);
  return status;
}

// RMS over the samples of the error of some velocities.
static double rms_error(double (*v)[NV], double (*truth)[NV], const int* dofs, int ndof) {
  double sum = 0;
  for (int i = 0; i < SAMPLES; ++i)
    for (int k = 0; k < ndof; ++k) sum += pow(v[i][dofs[k]] - truth[i][dofs[k]], 2);
  return sqrt(sum / SAMPLES);
}

// Least-squares slope of log y over log x.
static double fit_slope(const double* x, const double* y, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; ++i) {
    double a = log(x[i]), b = log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void report_convergence(result* r, int count, const double* x, double* ew, double* ev,
                               int quick) {
  double line[16];
  for (int i = 0; i < count; ++i) line[i] = 45 * x[i];
  double slope_w = fit_slope(x, ew, count), slope_v = fit_slope(x, ev, count);
  result_compare(r, "slope_rotation", slope_w, 1, "");
  result_compare(r, "slope_translation", slope_v, 1, "");
  result_compare(r, "error_rotation_at_3ms", ew[0], line[0], "");
  result_compare(r, "error_translation_at_3ms", ev[0], line[0], "");
  result_must(r, "slope-rotation", "first-order convergence of the rotation", slope_w, "1.0 +- 0.1",
              fabs(slope_w - 1) <= 0.1, quick);
  result_must(r, "slope-translation", "first-order convergence of the translation", slope_v,
              "1.0 +- 0.1", fabs(slope_v - 1) <= 0.1, quick);
  result_must(r, "error-3ms", "normalised error at h = 3 ms over the paper's line 45 h/T",
              fmax(ew[0], ev[0]) / line[0], "at most 1", fmax(ew[0], ev[0]) <= line[0], 0);
  figure f = {.title = "Gripper: convergence of TAMSI",
              .xlabel = "time step h/T [-]",
              .ylabel = "normalised velocity error [-]",
              .xlog = 1,
              .ylog = 1};
  figure_add(&f, "rotation, e_w T", count, x, ew, FIGURE_BOTH);
  figure_add(&f, "translation, e_v T/A", count, x, ev, FIGURE_BOTH);
  figure_add(&f, "paper: 45 h/T", count, x, line, FIGURE_DASHED);
  figure_write(&f, r, "figure8");
}

static int measure_convergence(result* r, int quick) {
  static const int rotation[] = {5, 6, 7}, translation[] = {2, 3, 4, 0, 1};
  static const int steps[] = {8, 25, 80, 250, 800, 2500}; // a window: h = 3.1 ms to 10 us
  int count = quick ? 3 : 6, reference = quick ? 2500 : 50000;
  double x[16], ew[16], ev[16];
  double(*truth)[NV] = malloc(sizeof(double) * SAMPLES * NV),
  (*v)[NV] = malloc(sizeof(double) * SAMPLES * NV);
  int status = truth && v ? sample_run(reference, truth) : CLI_FAILED;
  for (int i = 0; i < count && status == CLI_GOOD; ++i) {
    status = sample_run(steps[i], v);
    x[i] = WINDOW / steps[i] / PERIOD;
    ew[i] = rms_error(v, truth, rotation, 3) * PERIOD;
    ev[i] = rms_error(v, truth, translation, 5) * PERIOD / AMPLITUDE;
    result_note(r, "h = %8.2e s   e_w T = %.3e   e_v T/A = %.3e   (45 h/T = %.3e)",
                WINDOW / steps[i], ew[i], ev[i], 45 * x[i]);
  }
  clear_progress();
  if (status == CLI_GOOD) report_convergence(r, count, x, ew, ev, quick);
  free(truth);
  free(v);
  return status;
}

static int run(const experimentOptions* options, result* r) {
  int status = measure_speed(r, "rim", options->quick ? 3 : 15);
  if (status == CLI_GOOD) status = measure_speed(r, "middle", options->quick ? 3 : 15);
  if (status == CLI_GOOD) status = record_shake(r, "rim", "rim.hfrec");
  if (status == CLI_GOOD) status = record_shake(r, "middle", "middle.hfrec");
  if (status == CLI_GOOD) status = measure_convergence(r, options->quick);
  if (status == CLI_GOOD) status = gripper_integrators(options, r);
  return status;
}

const experiment experiment_tamsi_gripper = {
    "tamsi-gripper", "a parallel jaw gripper shakes a mug (TAMSI, figures 7 and 8)", run};
