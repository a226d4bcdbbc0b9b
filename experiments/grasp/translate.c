// experiment grasp-translate: example 2 of the switching paper, figures 9 to 13. The object is moved from
// y = 0.12 m to 0.18 m with friction 0.8 at the proximal and 0.6 at the distal links; on the way A ceases to be a
// P-matrix (its determinant turns negative) and becomes one again (sliding reverses at contacts 2 and 4).
#include "grasp/draw.h"
#include "grasp/growth.h"
#include "common/world.h"
#include "grasp/planar.h"

#include <math.h>
#include <stdlib.h>

static const double FRICTION[2] = {0.8, 0.6}, FROM = 0.12, WAY = 0.06; // [-], [m]
enum { CHANGES = 8 };

static int plan_translation(graspPlan* plan, graspScene* s, graspProfile profile) {
  int status = planar_plan(plan, s, FROM, 0, profile);
  plan->path[1] = WAY;
  return status;
}

// ---- the plan: figures 9 and 10 ---------------------------------------------------------------------

static int draw_plan(const graspPlan* plan, result* r) {
  const graspPlanFigure f = {"figure_09",
                             plan->profile == GRASP_CUBIC ? "_cubic" : "_quintic",
                             "Desired displacement of the object",
                             "y [mm]",
                             plan->profile == GRASP_CUBIC ? "cubic" : "quintic",
                             1,
                             1e3,
                             0};
  return grasp_draw_plan(r, plan, &f, NULL);
}

// Figure 10: for which coefficients is A a P-matrix at 0.2 s and at 0.5 s?
static int draw_region(const graspPlan* plan, int quick, result* r) {
  enum { POINTS = 61 };
  static const double times[2] = {0.2, 0.5}, MOST = 2, DISTAL = 1.5;
  static const char* const names[2] = {"limit at 0.2 s", "limit at 0.5 s"};
  double proximal[2][POINTS], distal[POINTS];
  figure f = {.title = "P-matrix region (below and left of a limit)",
              .xlabel = "mu of links 1 and 3",
              .ylabel = "mu of links 2 and 4"};
  int points = quick ? 16 : POINTS, inside[2], solutions[2];
  for (int k = 0; k < 2; ++k) {
    graspSetpoint at;
    if (grasp_plan(plan, times[k], NULL, &at) != CLI_GOOD) return CLI_FAILED;
    for (int i = 0; i < points; ++i) {
      distal[i] = DISTAL * i / (points - 1);
      proximal[k][i] = planar_friction_limit(plan->scene, &at, distal[i], MOST);
    }
    graspJudgement here = grasp_judge(plan->scene, plan->scene->mu, &at);
    double z[16 * PLANAR_CONTACTS];
    inside[k] = here.is_p;
    figure_add(&f, names[k], points, proximal[k], distal, k ? FIGURE_DASHED : FIGURE_LINE);
    char name[64];
    snprintf(name, sizeof name, "mu1_limit_at_%.1fs", times[k]);
    result_figure(r, name, planar_friction_limit(plan->scene, &at, FRICTION[1], MOST), "-");
    snprintf(name, sizeof name, "rigid_solutions_at_%.1fs", times[k]);
    solutions[k] = grasp_count_solutions(plan->scene, &here, &at, 16, z);
    result_figure(r, name, solutions[k], "-");
  }
  figure_add(&f, "0.8, 0.6", 1, &FRICTION[0], &FRICTION[1], FIGURE_MARKS);
  figure_write(&f, r, "figure_10");
  result_must(r, "mu_space", "the coefficients lie inside the P region at 0.2 s, outside at 0.5 s",
              inside[0] - inside[1], "1", inside[0] && !inside[1], 0);
  result_must(r, "not_unique", "rigid solutions under the planned torques at 0.5 s, where A is no P-matrix", solutions[1], "more than one, and one at 0.2 s",
              solutions[1] > 1 && solutions[0] == 1, 0);
  return CLI_GOOD;
}

// Heights at which the P property changes along the plan, beside the reference computation.
static int judge_plan(const graspPlan* plan, result* r, double* times) {
  static const double reference[2] = {0.142829, 0.162540}; // facts of the geometry, six digits [m]
  int n = grasp_find_changes(plan, 0.01, times, CHANGES);
  if (n < 0) return CLI_FAILED;
  double y[2] = {NAN, NAN};
  for (int i = 0; i < 2 && i < n; ++i)
    y[i] = FROM + WAY * grasp_profile(plan->profile, plan->duration, times[i]).q;
  if (plan->profile == GRASP_CUBIC) {
    result_figure(r, "p_lost_at", y[0], "m");
    result_figure(r, "p_regained_at", y[1], "m");
    double off = fmax(fabs(y[0] - reference[0]), fabs(y[1] - reference[1]));
    result_must(r, "p_interval",
                "A is no P-matrix on one interval of the plan, 0.142829 m to 0.162540 m", off,
                "off by at most 1e-6 m", n == 2 && off <= 1e-6, 0);
  }
  return CLI_GOOD;
}

// ---- runs: figures 11 to 13 -------------------------------------------------------------------------

enum { GROSS, PAPER_START, LAYER_RETURN, STIFF, QUINTIC, RUNS };
static const char* const RUN_NAMES[RUNS] = {"cubic", "paper_start", "layer_return", "stiff",
                                            "quintic"};

static void draw_run(const graspScene* s, const graspRun* run, result* r) {
  static const double times[] = {0.01, 0.2, 0.42, 0.643, 0.99};
  static const char* const names[PLANAR_CONTACTS] = {"contact 1", "contact 2", "contact 3",
                                                     "contact 4"};
  graspCurve fn[PLANAR_CONTACTS], ft[PLANAR_CONTACTS], slip[PLANAR_CONTACTS],
      torque[PLANAR_CONTACTS];
  static const char* const joints[PLANAR_CONTACTS] = {"joint 1", "joint 2", "joint 3", "joint 4"};
  for (int i = 0; i < PLANAR_CONTACTS; ++i) {
    figureStyle style =
        i < 2 ? FIGURE_LINE : FIGURE_DASHED; // the left finger mirrors the right one
    fn[i] = (graspCurve){names[i], run, &run->sample[0].fn[i], 1, style, 0};
    ft[i] = (graspCurve){names[i], run, &run->sample[0].ft[i][0], 1, style, 0};
    slip[i] = (graspCurve){names[i], run, &run->sample[0].slip[i][0], 1e3, style, 0};
    torque[i] = (graspCurve){joints[i], run, &run->sample[0].torque[i], 1, style, 0};
  }
  graspCurve y = {"object", run, &run->sample[0].q[1], 1e3, FIGURE_LINE, 0};
  grasp_draw_hand(r, "figure_11", "Translation: configurations", s, run, 5, times);
  grasp_draw(r, "figure_09b_acting", "Joint torques that acted", "torque [N m]", PLANAR_CONTACTS,
             torque, run);
  grasp_draw(r, "figure_12_normal", "Normal contact forces", "force [N]", PLANAR_CONTACTS, fn, run);
  grasp_draw(r, "figure_12_tangential", "Tangential contact forces", "force [N]", PLANAR_CONTACTS,
             ft, run);
  grasp_draw(r, "figure_13a", "Displacement of the object", "y [mm]", 1, &y, run);
  grasp_draw(r, "figure_13b", "Relative tangential velocities", "slip [mm/s]", PLANAR_CONTACTS,
             slip, run);
}

static void report_run(const graspRun* run, const char* name, const graspOptions* o, result* r) {
  static const double paper[2] = {0.420, 0.643}; // [s]
  char label[96];
  for (int i = 0; i < run->nswitch && i < 2; ++i) {
    snprintf(label, sizeof label, "%s_switch_%d", name, i + 1);
    result_compare(r, label, run->switches[i].time, paper[i], "s");
  }
  for (int i = 0; i < run->nswitch && i < 2; ++i) {
    const hfSwitch* s = &run->switches[i];
    snprintf(label, sizeof label, "%s_force_jump_%d", name, i + 1);
    result_figure(r, label, s->df, "N");
    if (s->rigid) continue;
    snprintf(label, sizeof label, "%s_force_jump_equilibrium_start", name);
    result_figure(r, label, s->df_equilibrium, "N");
    snprintf(label, sizeof label, "%s_force_jump_paper_start", name);
    result_figure(r, label, s->df_paper, "N");
  }
  snprintf(label, sizeof label, "%s_rigid_share", name);
  result_figure(r, label, run->rigid_time / (o->end - o->begin), "-");
  snprintf(label, sizeof label, "%s_cpu", name);
  result_figure(r, label, run->cpu, "s");
  snprintf(label, sizeof label, "%s_largest_error", name);
  double worst = 0;
  for (int i = 0; i < run->count; ++i)
    worst = fmax(worst, hypot(run->sample[i].error[0], run->sample[i].error[1]));
  result_figure(r, label, 1e6 * worst, "um");
  grasp_note_switches(r, name, run);
}

// Largest difference of a contact force between two runs.
static double force_difference(const graspRun* a, const graspRun* b) {
  double worst = 0;
  for (int i = 0; i < PLANAR_CONTACTS; ++i) {
    worst = fmax(worst, grasp_difference(a, b, &a->sample[0].fn[i], 0, 1));
    worst = fmax(worst, grasp_difference(a, b, &a->sample[0].ft[i][0], 0, 1));
  }
  return worst;
}

static void judge_runs(const graspRun* run, double jump, result* r) {
  const graspRun* cubic = &run[GROSS];
  double off = cubic->nswitch == 2 ? fmax(fabs(cubic->switches[0].time - 0.420),
                                          fabs(cubic->switches[1].time - 0.643))
                                   : NAN;
  result_must(r, "switch_times",
              "with the cubic profile it goes compliant at 0.420 s and rigid again at 0.643 s", off,
              "two switches, each within 0.005 s",
              cubic->nswitch == 2 && off <= 0.005 && !cubic->switches[0].rigid &&
                  cubic->switches[1].rigid,
              0);
  if (run[PAPER_START].count > 0)
    result_figure(r, "force_difference_of_starts", force_difference(cubic, &run[PAPER_START]), "N");
  result_must(r, "continuous",
              "change of coordinates and velocities over a step near a switch, with steps of a quarter over that with whole ones, in every run", jump,
              "at most 0.5: 1/4 where they are continuous, 1 where they jump", jump <= 0.5, 0);
}

static const graspSceneFile scene_file = {
    "grasp_translate",
    "Example 2 of the grasp-switching paper as a scene: four motors move the elliptical object away from the palm by 6 cm while all\n"
    "     contacts slide. Signals of feedback of the object's pose and of the joints drive them: the control law of the experiment\n"
    "     grasp-translate, linear about its plan. Contact is rigid, compliant from 0.41 s on, and rigid again. That experiment writes this\n"
    "     file and holds that the scene moves as its own runs.\n\n"
    "     Start: keyframe start, for 0.98 s. The paper's layer: set switching.rigid.layer.eps=5e-4, switching.rank_margin=1e-4,\n"
    "     switching.return_modes=gross, switching.settle=0",
    {0, 0, 0},
    0.01,
    0.99};

// Runs the scene file with its own drives, beside the experiment's run: the largest distance of the object between the two, and the
// largest difference of times of switches.
static int compare_scene(const graspScene* s, const graspRun* run, const graspOptions* o, result* r) {
  world w;
  hfError error = {HF_OK, ""};
  hfStepReport report;
  hfSimConfig config = grasp_config(s, o);
  double apart = 0, late = 0;
  int switches = 0;
  if (world_open(&w, "grasp_translate.xml", &config, "start") != CLI_GOOD) return CLI_FAILED;
  hfInput none = {0}; // the scene's drives alone
  for (int i = 0; i < run->count; ++i) {
    if (hf_sim_step(w.sim, w.state, &none, &report, &error) < 0) return say_error("grasp_translate.xml: %s", error.message), world_close(&w), CLI_FAILED;
    for (int k = 0; k < report.switching.nswitch; ++k, ++switches)
      if (switches < run->nswitch && switches < GRASP_SWITCHES) late = fmax(late, fabs(hf_sim_switch(w.sim, k).time + o->begin - run->switches[switches].time));
    apart = fmax(apart, hypot(hf_state_q(w.state)[0] - run->sample[i].q[0], hf_state_q(w.state)[1] - run->sample[i].q[1]));
  }
  world_close(&w);
  result_figure(r, "scene_switch_difference", late, "s");
  result_must(r, "scene_agrees", "largest distance of the object between the scene, by its own drives, and the experiment [um]", 1e6 * apart,
              "at most 20, with the same switches, each within 3 ms", apart <= 2e-5 && switches == run->nswitch && late <= 3e-3, 0);
  return CLI_GOOD;
}

static int run_all(const experimentOptions* options, graspScene* s, result* r) {
  graspRun run[RUNS] = {{0}};
  int status = CLI_GOOD;
  double jump = 0, largest_jump = 0;
  for (int k = 0; k < RUNS && status == CLI_GOOD; ++k) {
    graspPlan plan;
    graspOptions o = grasp_options_default();
    if (options->quick && k != GROSS && k != QUINTIC) continue;
    if (k == PAPER_START) o.start = HF_START_PAPER;
    if (k == LAYER_RETURN) o.return_modes = HF_RETURN_LAYER;
    if (k == STIFF) o.eps = 1e-4;
    if (k == GROSS) o.folder = options->out, o.recording = "switching.hfrec", result_replay(r, "switching.hfrec");
    status = plan_translation(&plan, s, k == QUINTIC ? GRASP_QUINTIC : GRASP_CUBIC);
    if (status == CLI_GOOD && k == GROSS)
      status = grasp_write_scene(&plan, &scene_file, r);
    if (status == CLI_GOOD) status = grasp_run(&plan, &o, &run[k]);
    if (status == CLI_GOOD) status = grasp_measure_jump(&plan, &o, &run[k], &jump);
    largest_jump = fmax(largest_jump, jump);
    if (status == CLI_GOOD) report_run(&run[k], RUN_NAMES[k], &o, r);
    if (status == CLI_GOOD && k == GROSS) status = compare_scene(s, &run[k], &o, r);
    char file[64];
    snprintf(file, sizeof file, "%s.csv", RUN_NAMES[k]);
    if (status == CLI_GOOD) grasp_write(s, &run[k], r, file);
  }
  if (status == CLI_GOOD) draw_run(s, &run[GROSS], r), judge_runs(run, largest_jump, r);
  for (int k = 0; k < RUNS; ++k) grasp_run_free(&run[k]);
  return status;
}

// ---- lateral instability of the compliant phase -----------------------------------------------------

// From 0.42 s on, with feedback (which keeps all contacts pressed), and without.
static int measure_growth(graspScene* s, int quick, result* r) {
  for (int feedback = 1; feedback >= quick; --feedback) {
    graspPlan plan;
    graspGrowth g = {.from = 0.52,
                     .to = feedback ? 0.61
                                    : 0.55}; // without feedback contacts 1 or 3 open after 0.55 s
    graspOptions o = grasp_options_default();
    if (plan_translation(&plan, s, GRASP_CUBIC) != CLI_GOOD) return CLI_FAILED;
    o.begin = 0.42, o.end = 0.64;
    o.offset[0] = 1e-6;
    if (!feedback) plan.frequency = 0;
    if (grasp_measure_growth(&plan, &o, r, feedback ? "growth" : "growth_no_feedback", &g) !=
        CLI_GOOD)
      return CLI_FAILED;
    result_figure(r, feedback ? "growth_rate" : "growth_rate_no_feedback", g.measured, "1/s");
    result_figure(r, feedback ? "growth_rate_theory" : "growth_rate_no_feedback_theory", g.theory,
                  "1/s");
    if (feedback)
      result_must(
          r, "growth",
          "a lateral offset of 1 um grows at the rate of the boundary layer: ratio to theory",
          g.measured / g.theory, "0.8 to 1.2",
          g.measured / g.theory > 0.8 && g.measured / g.theory < 1.2, 0);
  }
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  graspScene s;
  graspPlan plan;
  double times[CHANGES];
  int status = planar_open(&s, FRICTION);
  for (int profile = GRASP_CUBIC; status == CLI_GOOD && profile <= GRASP_QUINTIC; ++profile) {
    status = plan_translation(&plan, &s, profile);
    if (status == CLI_GOOD) status = draw_plan(&plan, r);
    if (status == CLI_GOOD && profile == GRASP_CUBIC)
      status = draw_region(&plan, options->quick, r);
    if (status == CLI_GOOD) status = judge_plan(&plan, r, times);
  }
  if (status == CLI_GOOD) status = run_all(options, &s, r);
  if (status == CLI_GOOD) status = measure_growth(&s, options->quick, r);
  grasp_close(&s);
  return status;
}

const experiment experiment_grasp_translate = {
    "grasp-translate",
    "switching between rigid and compliant contact: figures 9 to 13 of the paper", run};
