// experiment grasp-space: the planar grasp's example 2 carried into three dimensions (models/space_grasp.xml). A
// spheroid with six degrees of freedom is lifted between three two-link fingers; six contacts slide in vertical
// planes. The rigid model loses uniqueness when a pair of eigenvalues of A become negative together: the
// determinant stays positive, and only smaller minors show it. The experiment runs it rigid, compliant and switching.
#include "grasp/draw.h"
#include "grasp/growth.h"
#include "grasp/rolling.h"

#include <math.h>
#include <string.h>

enum { CONTACTS = 6, CHANGES = 8, SOLUTIONS = 64 };
enum { SWITCHING, RIGID, COMPLIANT, RUNS };
static const char* const MODES[RUNS] = {"switching", "rigid", "compliant"};
static const double WAY = 0.06; // [m]

static void plan_lift(graspPlan* plan, graspScene* s) {
  const double* key = hf_model_key_qpos(s->model); // low
  memset(plan, 0, sizeof *plan);
  plan->scene = s;
  plan->duration = 1;
  plan->profile = GRASP_CUBIC;
  plan->least_force = 0.05;
  plan->frequency = 20;
  plan->path[2] = WAY;
  memcpy(plan->from, key, (size_t)s->nq * sizeof *key);
}

// Where uniqueness is lost and regained, and how many rigid motions there are in between.
static int judge_plan(const graspPlan* plan, result* r, double* times) {
  graspSetpoint at;
  double z[SOLUTIONS * CONTACTS];
  int n = grasp_find_changes(plan, 0.01, times, CHANGES);
  if (n < 0 || grasp_plan(plan, 0.5, NULL, &at) != CLI_GOOD) return CLI_FAILED;
  graspJudgement j = grasp_judge(plan->scene, plan->scene->mu, &at);
  int solutions = grasp_count_solutions(plan->scene, &j, &at, SOLUTIONS, z);
  result_figure(r, "changes", n, "-");
  for (int i = 0; i < 2 && i < n; ++i)
    result_figure(r, i ? "p_regained_time" : "p_lost_time", times[i], "s");
  result_figure(r, "determinant_at_0.5s", j.determinant, "-");
  result_figure(r, "least_minor_at_0.5s", j.least_minor, "-");
  result_figure(r, "rigid_solutions_at_0.5s", solutions, "-");
  result_must(r, "not_unique",
              "half-way the rigid model has several solutions under the planned torques", solutions,
              "more than 1, though det A > 0", solutions > 1 && j.determinant > 0 && !j.is_p, 0);
  return n == 2 ? CLI_GOOD : (say_error("%d changes of the P property, not 2", n), CLI_FAILED);
}

static double height_error(const graspRun* run) {
  return fabs(run->sample[run->count - 1].error[2]);
}

static double lateral(const graspRun* run) {
  double worst = 0;
  for (int i = 0; i < run->count; ++i)
    worst = fmax(worst, hypot(run->sample[i].q[0], run->sample[i].q[1]));
  return worst;
}

static void draw_runs(const graspScene* s, const graspRun* run, result* r) {
  static const char* const contacts[CONTACTS] = {"contact 1", "contact 2", "contact 3",
                                                 "contact 4", "contact 5", "contact 6"};
  graspCurve z[RUNS], fn[CONTACTS], slip[CONTACTS];
  for (int k = 0; k < RUNS; ++k)
    z[k] = (graspCurve){MODES[k], &run[k], &run[k].sample[0].error[2], 1e6,
                        k ? FIGURE_DASHED : FIGURE_LINE, 0};
  grasp_draw(r, "space_height_error", "Height of the object less the plan's", "z - plan [um]", RUNS,
             z, &run[SWITCHING]);
  for (int i = 0; i < CONTACTS; ++i) {
    figureStyle style = i % 2 ? FIGURE_DASHED : FIGURE_LINE;
    fn[i] = (graspCurve){contacts[i], &run[SWITCHING], &run[SWITCHING].sample[0].fn[i], 1, style, 0};
    slip[i] = (graspCurve){contacts[i], &run[SWITCHING], &run[SWITCHING].sample[0].slip[i][1], 1e3,
                           style, 0};
  }
  grasp_draw(r, "space_forces", "Normal forces (switching)", "force [N]", CONTACTS, fn,
             &run[SWITCHING]);
  grasp_draw(r, "space_slip", "Slip in the fingers' planes (switching)", "slip [mm/s]", CONTACTS,
             slip, &run[SWITCHING]);
  for (int k = 0; k < RUNS; ++k) {
    char file[64];
    snprintf(file, sizeof file, "space_%s.csv", MODES[k]);
    grasp_write(s, &run[k], r, file);
  }
}

static void report_run(const graspRun* run, const char* mode, result* r) {
  const struct {
    const char* name;
    double value;
    const char* unit;
  } rows[] = {{"cpu", run->cpu, "s"},
              {"height_error_at_end", 1e6 * height_error(run), "um"},
              {"lateral_motion", 1e6 * lateral(run), "um"},
              {"rigid_time", run->rigid_time, "s"},
              {"steps_without_certificate", run->uncertified, "-"},
              {"steps_with_trouble", run->trouble, "-"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char name[96];
    snprintf(name, sizeof name, "%s_%s", mode, rows[i].name);
    result_figure(r, name, rows[i].value, rows[i].unit);
  }
  grasp_note_switches(r, mode, run);
}

static void judge_runs(const graspRun* run, const double* times, double jump, result* r) {
  const graspRun* s = &run[SWITCHING];
  double off = s->nswitch == 2 ? fmax(fabs(s->switches[0].time - times[0]),
                                      fabs(s->switches[1].time - times[1]))
                               : NAN;
  result_must(r, "space_switches",
              "switching leaves the rigid model where P is lost and returns where it holds again",
              off, "2 switches, within 0.005 s", s->nswitch == 2 && off <= 0.005, 0);
  result_must(r, "space_continuous", "change of coordinates and velocities over a step near a switch, with steps of a quarter over that with whole ones", jump,
              "at most 0.5: 1/4 where they are continuous, 1 where they jump", jump <= 0.5, 0);
  result_must(r, "space_uncertified",
              "the rigid model alone goes on without a certificate; switching never does",
              run[RIGID].uncertified, "some steps rigid alone, none switching",
              run[RIGID].uncertified > 0 && s->uncertified == 0, 0);
  double z = fmax(height_error(s), height_error(&run[COMPLIANT]));
  result_must(r, "space_arrives", "switching and compliant bring the object to the planned height",
              1e3 * z, "within 1 mm", z <= 1e-3, 0);
}

static int run_modes(const graspPlan* plan, const double* times, const experimentOptions* options, result* r) {
  static const int contacts[RUNS] = {HF_CONTACT_MODEL_SWITCHING, HF_CONTACT_MODEL_RIGID,
                                     HF_CONTACT_MODEL_COMPLIANT};
  graspRun run[RUNS] = {{0}};
  int status = CLI_GOOD;
  double jump = 0;
  for (int k = 0; k < RUNS && status == CLI_GOOD; ++k) {
    graspOptions o = grasp_options_default();
    o.contacts = contacts[k];
    if (k == SWITCHING) o.folder = options->out, o.recording = "switching.hfrec", result_replay(r, "switching.hfrec");
    if (options->quick && k == RIGID) o.end = 0.5; // ends soon after uniqueness is lost, because the rigid run is slow from there on
    status = grasp_run(plan, &o, &run[k]);
    if (status == CLI_GOOD && k == SWITCHING) status = grasp_measure_jump(plan, &o, &run[k], &jump);
    if (status == CLI_GOOD) report_run(&run[k], MODES[k], r);
  }
  if (status == CLI_GOOD) draw_runs(plan->scene, run, r), judge_runs(run, times, jump, r);
  for (int k = 0; k < RUNS; ++k) grasp_run_free(&run[k]);
  return status;
}

static int measure_growth(graspPlan plan, result* r) {
  graspGrowth g = {.from = 0.57, .to = 0.62};
  graspOptions o = grasp_options_default();
  o.begin = 0.44, o.end = 0.64;
  o.offset[0] = 1e-6;
  if (grasp_measure_growth(&plan, &o, r, "space_growth", &g) != CLI_GOOD) return CLI_FAILED;
  result_figure(r, "growth_measured", g.measured, "1/s");
  result_figure(r, "growth_theory", g.theory, "1/s");
  result_must(r, "space_growth",
              "a lateral offset of 1 um grows at the layer's rate: ratio to theory",
              g.measured / g.theory, "0.7 to 1.3",
              g.measured / g.theory > 0.7 && g.measured / g.theory < 1.3, 0);
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  static const char* const links[CONTACTS] = {"link1", "link2", "link3", "link4", "link5", "link6"};
  graspScene s;
  graspPlan plan;
  double times[CHANGES];
  if (grasp_open(&s, "space_grasp.xml", CONTACTS, links) != CLI_GOOD) return CLI_FAILED;
  plan_lift(&plan, &s);
  int status = judge_plan(&plan, r, times);
  if (status == CLI_GOOD) status = run_modes(&plan, times, options, r);
  if (status == CLI_GOOD) status = measure_growth(plan, r);
  if (status == CLI_GOOD) status = grasp_space_rolling(&s, r);
  grasp_close(&s);
  return status;
}

const experiment experiment_grasp_space = {
    "grasp-space", "a grasp in three dimensions where rigid contact is not unique, in three modes",
    run};
