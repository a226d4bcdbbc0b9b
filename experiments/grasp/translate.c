// experiment grasp-translate: example 2 of the switching paper, figures 9 to 13. The object is moved from
// y = 0.12 m to 0.18 m with friction 0.8 at the proximal and 0.6 at the distal links; on the way A ceases to be a
// P-matrix (its determinant turns negative) and becomes one again (sliding reverses at contacts 2 and 4).
#include "common/figure.h"
#include "grasp/planar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FRICTION[2] = {0.8, 0.6}, FROM = 0.12, WAY = 0.06; // [-], [m]
enum { CHANGES = 8 };

static int plan_translation(graspPlan* plan, graspScene* s, graspProfile profile) {
  int status = planar_plan(plan, s, FROM, 0, profile);
  plan->path[1] = WAY;
  return status;
}

static const char* profile_name(graspProfile p) { return p == GRASP_CUBIC ? "cubic" : "quintic"; }

// ---- the plan: figures 9 and 10 ---------------------------------------------------------------------

static int draw_plan(const graspPlan* plan, result* r) {
  enum { POINTS = 201 };
  double t[POINTS], y[POINTS], torque[4][POINTS];
  char file[64];
  graspSetpoint at = {0};
  memcpy(at.q, plan->from, sizeof at.q);
  for (int i = 0; i < POINTS; ++i) {
    graspSetpoint here;
    t[i] = plan->duration * i / (POINTS - 1);
    if (grasp_plan(plan, t[i], at.q, &here) != CLI_GOOD) return CLI_FAILED;
    at = here;
    y[i] = 1e3 * at.q[1];
    for (int k = 0; k < 4; ++k) torque[k][i] = at.torque[k];
  }
  static const char* const names[4] = {"joint 1", "joint 2", "joint 3", "joint 4"};
  figure way = {.title = "Desired displacement of the object", .xlabel = "time [s]", .ylabel = "y [mm]"};
  figure_add(&way, profile_name(plan->profile), POINTS, t, y, FIGURE_LINE);
  snprintf(file, sizeof file, "figure_09a_%s", profile_name(plan->profile));
  figure_write(&way, r, file);
  figure torques = {.title = "Planned joint torques", .xlabel = "time [s]", .ylabel = "torque [N m]"};
  for (int k = 0; k < 4; ++k)
    figure_add(&torques, names[k], POINTS, t, torque[k], k % 2 ? FIGURE_DASHED : FIGURE_LINE);
  snprintf(file, sizeof file, "figure_09b_%s", profile_name(plan->profile));
  figure_write(&torques, r, file);
  return CLI_GOOD;
}

// Figure 10: for which coefficients is A a P-matrix at 0.2 s and at 0.5 s?
static int draw_region(const graspPlan* plan, int quick, result* r) {
  enum { POINTS = 61 };
  static const double times[2] = {0.2, 0.5}, MOST = 2, DISTAL = 1.5;
  static const char* const names[2] = {"limit at 0.2 s", "limit at 0.5 s"};
  double proximal[2][POINTS], distal[POINTS];
  figure f = {.title = "P-matrix region (below and left of a limit)", .xlabel = "mu of links 1 and 3", .ylabel = "mu of links 2 and 4"};
  int points = quick ? 16 : POINTS, inside[2];
  for (int k = 0; k < 2; ++k) {
    graspSetpoint at;
    if (grasp_plan(plan, times[k], NULL, &at) != CLI_GOOD) return CLI_FAILED;
    for (int i = 0; i < points; ++i) {
      distal[i] = DISTAL * i / (points - 1);
      proximal[k][i] = planar_friction_limit(plan->scene, &at, distal[i], MOST);
    }
    inside[k] = grasp_judge(plan->scene, plan->scene->mu, &at).is_p;
    figure_add(&f, names[k], points, proximal[k], distal, k ? FIGURE_DASHED : FIGURE_LINE);
    char name[64];
    snprintf(name, sizeof name, "mu1_limit_at_%.1fs", times[k]);
    result_figure(r, name, planar_friction_limit(plan->scene, &at, FRICTION[1], MOST), "-");
  }
  figure_add(&f, "0.8, 0.6", 1, &FRICTION[0], &FRICTION[1], FIGURE_MARKS);
  figure_write(&f, r, "figure_10");
  result_must(r, "mu_space", "the coefficients lie inside the P region at 0.2 s, outside at 0.5 s",
              inside[0] - inside[1], "1", inside[0] && !inside[1], 0);
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
    result_must(r, "p_interval", "A is no P-matrix on one interval of the plan, 0.142829 m to 0.162540 m", off,
                "off by at most 1e-6 m", n == 2 && off <= 1e-6, 0);
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
    if (status == CLI_GOOD && profile == GRASP_CUBIC) status = draw_region(&plan, options->quick, r);
    if (status == CLI_GOOD) status = judge_plan(&plan, r, times);
  }
  grasp_close(&s);
  return status;
}

const experiment experiment_grasp_translate = {
    "grasp-translate", "switching between rigid and compliant contact: figures 9 to 13 of the paper", run};
