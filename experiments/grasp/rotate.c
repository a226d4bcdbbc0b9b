// experiment grasp-rotate: example 1 of the switching paper, figures 5 to 8. The object turns from 70 to 110 degrees
// (angle of its minor axis: at 90 the major axis is parallel to the palm) about its centre, with friction 0.1
// everywhere. A is a P-matrix during the whole motion, so that rigid and compliant contact must agree; the difference falls with
// eps.
#include "grasp/draw.h"
#include "grasp/planar.h"

#include <math.h>
#include <stdlib.h>

static const double FRICTION[2] = {0.1, 0.1}, HEIGHT = 0.13, DEGREE = 3.14159265358979323846 / 180;
static const double FIRST = -20, TURN = 40; // of the major axis [deg]
enum { RIGID, SOFT, STIFF, RUNS };
static const double EPS[RUNS] = {1e-3, 1e-3, 5e-4}; // in the rigid run eps is used by the stability certificate only

static void draw_runs(const graspScene* s, graspRun* run, result* r) {
  static const double times[] = {0.02, 0.35, 0.5, 0.65, 0.98};
  static const char* const names[RUNS] = {"rigid", "compliant, eps 1e-3", "compliant, eps 5e-4"};
  static const figureStyle styles[RUNS] = {FIGURE_LINE, FIGURE_DASHED, FIGURE_DASHED};
  grasp_draw_hand(r, "figure_06", "Rotation: configurations (rigid)", s, &run[RIGID], 5, times);
  for (int i = 0; i < PLANAR_CONTACTS; ++i) {
    graspCurve fn[RUNS], ft[RUNS];
    char file[64], title[64];
    for (int k = 0; k < RUNS; ++k) {
      fn[k] = (graspCurve){names[k], &run[k], &run[k].sample[0].fn[i], 1, styles[k], 0};
      ft[k] = (graspCurve){names[k], &run[k], &run[k].sample[0].ft[i][0], 1, styles[k], 0};
    }
    snprintf(file, sizeof file, "figure_07_normal_%d", i + 1);
    snprintf(title, sizeof title, "Normal force at contact %d", i + 1);
    grasp_draw(r, file, title, "force [N]", RUNS, fn, NULL);
    snprintf(file, sizeof file, "figure_07_tangential_%d", i + 1);
    snprintf(title, sizeof title, "Tangential force at contact %d", i + 1);
    grasp_draw(r, file, title, "force [N]", RUNS, ft, NULL);
  }
  graspCurve angle[RUNS], x[RUNS];
  for (int k = 0; k < RUNS; ++k) {
    angle[k] = (graspCurve){names[k], &run[k], &run[k].sample[0].q[2], 1 / DEGREE, styles[k], 90};
    x[k] = (graspCurve){names[k], &run[k], &run[k].sample[0].q[0], 1e3, styles[k], 0};
  }
  grasp_draw(r, "figure_08a", "Orientation of the object", "angle of the minor axis [deg]", RUNS,
             angle, NULL);
  grasp_draw(r, "figure_08b", "Position of the object", "x [mm]", RUNS, x, NULL);
  static const char* const files[RUNS] = {"rigid.csv", "compliant_1e-3.csv", "compliant_5e-4.csv"};
  for (int k = 0; k < RUNS; ++k) grasp_write(s, &run[k], r, files[k]);
}

// Largest distance between the object's centres of two runs [m].
static double distance(const graspRun* a, const graspRun* b) {
  double worst = 0;
  for (int i = 0; i < a->count; ++i) {
    double t = a->sample[i].t, x = a->sample[i].q[0] - grasp_value_at(b, &b->sample[0].q[0], t),
           y = a->sample[i].q[1] - grasp_value_at(b, &b->sample[0].q[1], t);
    worst = fmax(worst, hypot(x, y));
  }
  return worst;
}

static void compare(const graspRun* run, result* r) {
  double soft = distance(&run[RIGID], &run[SOFT]), stiff = distance(&run[RIGID], &run[STIFF]);
  double soft_turn = grasp_difference(&run[RIGID], &run[SOFT], &run[RIGID].sample[0].q[2], 0, 1),
         stiff_turn = grasp_difference(&run[RIGID], &run[STIFF], &run[RIGID].sample[0].q[2], 0, 1);
  result_figure(r, "difference_1e-3", 1e3 * soft, "mm");
  result_figure(r, "difference_5e-4", 1e3 * stiff, "mm");
  result_figure(r, "turn_difference_1e-3", soft_turn / DEGREE, "deg");
  result_figure(r, "turn_difference_5e-4", stiff_turn / DEGREE, "deg");
  result_figure(r, "difference_ratio", soft / stiff, "-");
  result_must(r, "agree", "rigid and compliant contact put the object's centre within 1 mm",
              1e3 * soft, "at most 1 mm, for both eps", soft <= 1e-3 && stiff <= 1e-3, 0);
  result_must(r, "shrinks", "the difference shrinks with eps: ratio of eps 1e-3 to 5e-4",
              soft / stiff, "1.5 to 2.5 (the deformation goes with eps)",
              soft / stiff >= 1.5 && soft / stiff <= 2.5, 0);
  result_must(r, "rigid_throughout", "the rigid run is certified at every step",
              run[RIGID].uncertified, "0 steps without a certificate",
              run[RIGID].uncertified == 0 && run[RIGID].trouble == 0, 0);
  static const char* const cpu_names[RUNS] = {"cpu_rigid", "cpu_compliant_1e-3",
                                              "cpu_compliant_5e-4"};
  for (int k = 0; k < RUNS; ++k) result_figure(r, cpu_names[k], run[k].cpu, "s");
  static const char* const work_names[RUNS] = {"evaluations_a_step_rigid", "evaluations_a_step_compliant_1e-3", "evaluations_a_step_compliant_5e-4"};
  for (int k = 0; k < RUNS; ++k) result_figure(r, work_names[k], run[k].evaluations / run[k].count, "-");
  double saved = fmin(run[SOFT].evaluations, run[STIFF].evaluations) / run[RIGID].evaluations;
  result_must(r, "not_dearer", "rigid contact takes hardly more evaluations of the equations of motion: compliant over rigid", saved, "at least 0.8", saved >= 0.8, 0);
  result_figure(r, "cpu_ratio_1e-3", run[SOFT].cpu / run[RIGID].cpu, "-");
  result_figure(r, "cpu_ratio_5e-4", run[STIFF].cpu / run[RIGID].cpu, "-");
}

static const graspSceneFile scene_file = {
    "grasp_rotate",
    "Example 1 of the grasp-switching paper as a scene: four servos turn the elliptical object by 40 degrees between\n"
    "     two fingers, while all contacts slide. The experiment grasp-rotate writes this file.\n\n"
    "     Start: keyframe start, for 0.96 s",
    {20, 0, 1},
    0.02,
    0.98};

static int run_all(const experimentOptions* options, graspScene* s, result* r) {
  graspPlan plan;
  graspRun run[RUNS] = {{0}};
  double least_minor;
  int status = planar_plan(&plan, s, HEIGHT, FIRST * DEGREE, GRASP_QUINTIC);
  plan.path[2] = TURN * DEGREE;
  const graspPlanFigure f = {"figure_05",
                             "",
                             "Desired orientation of the object",
                             "angle of the minor axis [deg]",
                             "quintic",
                             2,
                             1 / DEGREE,
                             90};
  if (status == CLI_GOOD) status = grasp_draw_plan(r, &plan, &f, &least_minor);
  if (status == CLI_GOOD)
    result_must(r, "p_throughout",
                "A is a P-matrix along the whole plan: its smallest principal minor", least_minor,
                "positive", least_minor > 0, 0);
  if (status == CLI_GOOD)
    status = grasp_write_scene(&plan, &scene_file, r);
  for (int k = 0; k < RUNS && status == CLI_GOOD; ++k) {
    graspOptions o = grasp_options_default();
    o.contacts = k == RIGID ? HF_CONTACT_MODEL_RIGID : HF_CONTACT_MODEL_COMPLIANT;
    o.eps = EPS[k];
    o.begin = 0.02, o.end = 0.98; // all four contacts slide in this interval; at rest they would roll
    if (options->quick) o.step = 2e-3;
    if (k == RIGID) o.folder = options->out, o.recording = "rigid.hfrec", result_replay(r, "rigid.hfrec");
    status = grasp_run(&plan, &o, &run[k]);
  }
  if (status == CLI_GOOD) draw_runs(s, run, r), compare(run, r);
  for (int k = 0; k < RUNS; ++k) grasp_run_free(&run[k]);
  return status;
}

static int run(const experimentOptions* options, result* r) {
  graspScene s;
  int status = planar_open(&s, FRICTION);
  if (status == CLI_GOOD) status = run_all(options, &s, r);
  grasp_close(&s);
  return status;
}

const experiment experiment_grasp_rotate = {
    "grasp-rotate", "a grasp that turns, rigid and compliant: figures 5 to 8 of the paper", run};
