// experiment feedback-steps: figures 1 and 3 of Shepherd, Zapolsky and Drumwright (2016): joint errors over the step
// for each controller of the quadruped and of the UR10, and for each joint of the UR10; and the condition number of
// M. A controller that is unstable at a step has no point there.
#include "common/bars.h"
#include "feedback/legs.h"
#include <holdfast/lcp.h>

#include <math.h>
#include <stdio.h>

enum { STEPS = 9, CURVES = 6, LEG_CURVES = 6 };
static const double kStep[STEPS] = {0.001, 0.0014, 0.002, 0.005, 0.01, 0.02, 0.05, 0.07, 0.1};

static const armMethod kMethods[CURVES] = {
    {.name = "implicit PD", .control = ARM_PD_IMPLICIT, .model = "ur10.xml", .gains = arm_pd_gains, .method = HF_METHOD_CONVEX},
    {.name = "geared PD", .control = ARM_PD_EXPLICIT, .model = "ur10_geared.xml", .gains = arm_rotor_gains, .method = HF_METHOD_CONVEX},
    {.name = "explicit PD", .control = ARM_PD_EXPLICIT, .model = "ur10.xml", .gains = arm_pd_gains, .method = HF_METHOD_CONVEX},
    {.name = "ID control", .control = ARM_ID_CONTROL, .model = "ur10.xml", .gains = arm_id_gains, .method = HF_METHOD_CONVEX},
    {.name = "ID constraint, rates", .control = ARM_ID_RATES, .model = "ur10.xml", .method = HF_METHOD_CONVEX},
    {.name = "ID constraint", .control = ARM_ID_TARGETS, .model = "ur10.xml", .method = HF_METHOD_CONVEX}};

static const legMethod kLegMethods[LEG_CURVES] = {
    {.name = "explicit PD", .control = LEGS_PD_EXPLICIT, .method = HF_METHOD_CONVEX},
    {.name = "implicit PD", .control = LEGS_PD_IMPLICIT, .method = HF_METHOD_CONVEX},
    {.name = "ID control", .control = LEGS_ID_CONTROL, .method = HF_METHOD_CONVEX},
    {.name = "two-stage", .control = LEGS_TARGETS, .method = HF_METHOD_MLCP, .form = HF_MLCP_TWO_STAGE, .lcp = HF_LCP_LEMKE},
    {.name = "ours, 4 N m", .control = LEGS_STANCE, .method = HF_METHOD_CONVEX, .limit = 4},
    {.name = "ours, wide", .control = LEGS_TARGETS, .method = HF_METHOD_CONVEX, .near_rigid = 0.01}};

// Figure 1 as the paper draws it: a bar for each controller and step, transparent where the controller is unstable at that step.
static bars begin_bars(const char* title, int nseries) {
  bars b = {.title = title, .xlabel = "step", .ylabel = "mean absolute joint error [rad]", .ngroup = STEPS, .nseries = nseries, .transparent_means = "unstable, until lost"};
  for (int k = 0; k < STEPS; ++k) snprintf(b.group[k], sizeof b.group[k], "%g ms", 1000 * kStep[k]);
  return b;
}

static void set_bar(bars* b, int series, const char* name, int step, const feedbackRun* run) {
  b->series[series] = name;
  b->value[series][step] = isfinite(run->error) ? run->error : 0;
  b->transparent[series][step] = !run->stable;
}

// Figure 3: the error of each joint at each step, for one of the controllers.
static void draw_joints(const feedbackRun* runs, const char* title, const char* file, result* r) {
  static const char* const names[ARM_JOINTS] = {"shoulder pan", "shoulder lift", "elbow", "wrist 1", "wrist 2", "wrist 3", "left finger [m]", "right finger [m]"};
  bars b = begin_bars(title, ARM_JOINTS);
  for (int i = 0; i < ARM_JOINTS; ++i)
    for (int k = 0; k < STEPS; ++k) {
      b.series[i] = names[i];
      b.value[i][k] = isfinite(runs[k].joint_error[i]) ? runs[k].joint_error[i] : 0;
      b.transparent[i][k] = !runs[k].stable;
    }
  bars_write(&b, r, file);
}

static int draw_arm(double seconds, result* r) {
  double mean[CURVES][STEPS];
  feedbackRun runs[CURVES][STEPS];
  figure f = {.title = "UR10: joint error over the step", .xlabel = "step [s]", .ylabel = "mean absolute error [rad]", .xlog = 1, .ylog = 1};
  bars b = begin_bars("UR10: joint error (paper's figure 1b)", 4);
  static const int series[CURVES] = {-1, 2, 3, 1, -1, 0}; // the paper's order: ID constraint, ID control, geared PD; and PD
  int ordered = 1;
  for (int c = 0; c < CURVES; ++c) {
    for (int k = 0; k < STEPS; ++k) {
      if (arm_run(&kMethods[c], seconds, kStep[k], &runs[c][k]) != CLI_GOOD) return CLI_FAILED;
      mean[c][k] = runs[c][k].stable ? runs[c][k].error : NAN;
      if (series[c] >= 0) set_bar(&b, series[c], kMethods[c].name, k, &runs[c][k]);
    }
    figure_add(&f, kMethods[c].name, STEPS, kStep, mean[c], FIGURE_BOTH);
  }
  for (int k = 0; k < STEPS; ++k) ordered &= isfinite(mean[5][k]) && mean[5][k] <= mean[4][k];
  figure_write(&f, r, "feedback-steps");
  bars_write(&b, r, "figure1b");
  draw_joints(runs[2], "Explicit PD: error of each joint", "figure3_pd", r);
  draw_joints(runs[1], "Geared PD: error of each joint", "figure3_geared_pd", r);
  draw_joints(runs[4], "ID constraint (rates alone): error of each joint", "figure3_id_constraint", r);
  result_must(r, "constraint_everywhere", "the ID constraint is stable at every step tried, error at 0.1 s", mean[5][STEPS - 1], "stable", ordered, 0);
  return CLI_GOOD;
}

static int draw_legs(double seconds, result* r) {
  double mean[LEG_CURVES][STEPS];
  figure f = {.title = "Quadruped: joint error over the step", .xlabel = "step [s]", .ylabel = "mean absolute error [rad]", .xlog = 1, .ylog = 1};
  bars b = begin_bars("Quadruped: joint error (paper's figure 1a)", 4);
  static const int series[LEG_CURVES] = {2, -1, 1, 0, 3, -1}; // the paper's order: ID constraint (two-stage), ID control, PD; and ours
  int stable = 1;
  for (int c = 0; c < LEG_CURVES; ++c) {
    show_progress((double)c / LEG_CURVES, "%s", kLegMethods[c].name);
    for (int k = 0; k < STEPS; ++k) {
      legRun out;
      if (legs_run(&kLegMethods[c], seconds, kStep[k], &out) != CLI_GOOD) return CLI_FAILED;
      mean[c][k] = out.run.stable ? out.run.error : NAN;
      if (series[c] >= 0) set_bar(&b, series[c], kLegMethods[c].name, k, &out.run);
      if (c >= LEG_CURVES - 2) stable &= out.run.stable;
    }
    figure_add(&f, kLegMethods[c].name, STEPS, kStep, mean[c], FIGURE_BOTH);
  }
  clear_progress();
  figure_write(&f, r, "feedback-legs");
  bars_write(&b, r, "figure1a");
  result_must(r, "legs_everywhere", "ours is stable at every step tried, wide and with 4 N m, error at 0.1 s with 4 N m", mean[4][STEPS - 1], "stable", stable, 0);
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  double seconds = options->quick ? 1 : 5;
  if (draw_legs(seconds, r) != CLI_GOOD || draw_arm(seconds, r) != CLI_GOOD) return CLI_FAILED;
  // ours at the largest step of the figures, for replays
  if (legs_record(&kLegMethods[4], seconds, kStep[STEPS - 1], r, "legs_100ms.hfrec") != CLI_GOOD || arm_record(&kMethods[5], seconds, kStep[STEPS - 1], r, "arm_100ms.hfrec") != CLI_GOOD)
    return CLI_FAILED;
  return condition_sweep(r);
}

const experiment experiment_feedback_steps = {"feedback-steps", "an arm and a quadruped under error feedback: errors over the step, condition of M", run};
