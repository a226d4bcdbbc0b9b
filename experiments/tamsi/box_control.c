// Does error control beat fixed steps? (TAMSI paper, figure 5 and section VII: "Error-controlled implicit Euler with
// quasi-Newton iterations performs best".)
//
//   ratio = evaluations under error control / evaluations with fixed steps, at the same error e_v, quasi-Newton
//
// Two things decide the ratio, and each is switched on and off here:
//
//   failures  Fixed steps fail at transitions, and the halves of a failed step are what error control saves. The switch is the new
//             matrix that Newton forms where a stick region is entered or left (hfOde.region): with it and TALS no fixed step fails.
//   estimate  Step doubling solves three implicit steps where a fixed step solves one. Local extrapolation is the switch that uses the
//             estimate for the result instead of for the step size alone.
#include "tamsi/box_work.h"

#include <math.h>

enum { NO_TALS, TALS_ALONE, TALS_AND_REGIONS, VARIANTS };

static const char* const names[VARIANTS] = {"without TALS", "TALS, old matrices kept", "TALS, a new matrix in each region"};
static const double STICTION_SPEED = 1e-4; // v_s of the box [m/s]

typedef struct controlRatio {
  workCurve fixed, control;
  double coarse; // largest ratio at errors above v_s
  double fine;   // largest ratio at errors below v_s
} controlRatio;

static int measure(int variant, int extrapolate, int quick, controlRatio* out, hfError* error) {
  hfIntegratorConfig config = box_euler(HF_NEWTON_QUASI, variant != NO_TALS);
  int regions = variant == TALS_AND_REGIONS;
  config.extrapolate = extrapolate;
  if (box_measure_curve(config, 0, quick, regions, &out->fixed, error) != CLI_GOOD ||
      box_measure_curve(config, 1, quick, regions, &out->control, error) != CLI_GOOD)
    return CLI_FAILED;
  out->coarse = out->fine = 0;
  for (int i = 0; i < out->control.count; ++i) {
    double ratio = out->control.work[i] / box_work_at(&out->fixed, out->control.error[i]);
    double* largest = out->control.error[i] > STICTION_SPEED ? &out->coarse : &out->fine;
    *largest = fmax(*largest, ratio); // fmax ignores errors outside of the other curve, whose ratio is NAN
  }
  return CLI_GOOD;
}

static long long failures(const workCurve* c) {
  int64_t sum = 0;
  for (int i = 0; i < c->count; ++i) sum += c->failed[i];
  return (long long)sum;
}

static void print(result* r, const char* name, const controlRatio* c) {
  result_note(r, "Error control against fixed steps, quasi-Newton, %s: %lld fixed steps of all curves failed", name, failures(&c->fixed));
  for (int i = 0; i < c->control.count; ++i) {
    double fixed = box_work_at(&c->fixed, c->control.error[i]);
    result_note(r, "  e_v %9.3e m/s  error control %7.0f  fixed %7.0f evaluations  ratio %.2f  shortest step %.2g us",
                c->control.error[i], c->control.work[i], fixed, c->control.work[i] / fixed, 1e6 * c->control.smallest[i]);
  }
}

static void draw(result* r, const controlRatio* c, const controlRatio* extrapolated) {
  static const char* const control_names[VARIANTS] = {"EC without TALS", "EC, TALS, old matrices", "EC, TALS"};
  static const char* const fixed_names[VARIANTS] = {"fixed without TALS", "fixed, TALS, old matrices", "fixed, TALS"};
  figure f = {.title = "Quasi-Newton: error control (EC) and fixed steps", .xlabel = "error e_v [m/s]", .ylabel = "evaluations of f", .xlog = 1, .ylog = 1};
  for (int k = 0; k < VARIANTS; ++k) {
    figure_add(&f, control_names[k], c[k].control.count, c[k].control.error, c[k].control.work, FIGURE_BOTH);
    figure_add(&f, fixed_names[k], c[k].fixed.count, c[k].fixed.error, c[k].fixed.work, FIGURE_DASHED);
  }
  figure_add(&f, "EC, TALS, extrapolated", extrapolated->control.count, extrapolated->control.error, extrapolated->control.work, FIGURE_BOTH);
  figure_write(&f, r, "figure5_control");
}

static void judge(result* r, const controlRatio* c, const controlRatio* extrapolated, int quick) {
  double fine = fmax(c[NO_TALS].fine, fmax(c[TALS_ALONE].fine, c[TALS_AND_REGIONS].fine));
  double used = fmax(extrapolated->coarse, extrapolated->fine);
  int last = c[TALS_AND_REGIONS].control.count - 1;
  result_figure(r, "control_over_fixed_without_tals", c[NO_TALS].coarse, "");
  result_figure(r, "control_over_fixed_old_matrices", c[TALS_ALONE].coarse, "");
  result_figure(r, "control_over_fixed_tals", c[TALS_AND_REGIONS].coarse, "");
  result_compare(r, "shortest_controlled_step", 1e6 * c[TALS_AND_REGIONS].control.smallest[last], 0.1, "us");
  if (!quick) // The reduced version stops at a lower accuracy.
    result_must(r, "fig5-control-shortest", "shortest step of error control, at the highest accuracy [us] (paper: 0.1)", 1e6 * c[TALS_AND_REGIONS].control.smallest[last],
                "0.1, within a factor of 3", fabs(log(1e7 * c[TALS_AND_REGIONS].control.smallest[last])) < log(3), 1);
  result_must(r, "fig5-control-fine", "below v_s error control beats fixed steps: largest ratio of work, with and without TALS", fine, "below 1", fine < 1, 0);
  result_must(r, "fig5-control-plain", "above v_s, without TALS, where fixed steps fail: largest ratio of work (paper: error control wins)",
              c[NO_TALS].coarse, "at most 1.05", c[NO_TALS].coarse <= 1.05, 0);
  result_must(r, "fig5-control-cause", "above v_s, with TALS: the ratio grows when a new matrix in each region keeps fixed steps from failing, from old matrices by",
              c[TALS_AND_REGIONS].coarse / c[TALS_ALONE].coarse, "at least 1.5, from a ratio of at most 1.15",
              c[TALS_AND_REGIONS].coarse / c[TALS_ALONE].coarse >= 1.5 && c[TALS_ALONE].coarse <= 1.15, 0);
  result_must(r, "fig5-control-estimate", "with TALS, where the estimate also corrects the result (local extrapolation): largest ratio of work",
              used, "below 0.5", used < 0.5, 0);
}

int box_error_control(result* r, int quick) {
  controlRatio c[VARIANTS], extrapolated;
  hfError error = {HF_OK, ""};
  int status = CLI_GOOD;
  for (int k = 0; k < VARIANTS && status == CLI_GOOD; ++k) status = measure(k, 0, quick, &c[k], &error);
  if (status == CLI_GOOD) status = measure(TALS_AND_REGIONS, 1, quick, &extrapolated, &error);
  clear_progress();
  if (status != CLI_GOOD) return say_error("%s", error.message), status;
  for (int k = 0; k < VARIANTS; ++k) print(r, names[k], &c[k]);
  print(r, "TALS, a new matrix in each region, extrapolated", &extrapolated);
  draw(r, c, &extrapolated);
  judge(r, c, &extrapolated, quick);
  return CLI_GOOD;
}
