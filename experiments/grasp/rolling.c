// experiment grasp-rolling: the planar grasp with contacts that roll. Section 3.2 of the switching paper: with nR
// rolling and nS sliding contacts the rows are 2 nR + nS; more than six leave nothing to determine them, and nR = 4
// must go compliant.
//
// First it computes the certificates of all ways to divide the four contacts at y = 0.15 m into rolling and sliding ones,
// where sliding contacts slide as in the plan. Then it simulates the grasp under torques that squeeze the object; the
// initial velocity is such that the chosen contacts, which are rough, roll.
#include "grasp/draw.h"
#include "grasp/planar.h"
#include "grasp/rolling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FRICTION[2] = {0.8, 0.6}, MIDDLE = 0.15, LOW = 0.13; // [-], [m]
static const double ROUGH = 1.2; // friction of contacts that roll in the runs [-]
static const double EPS = 5e-4;

// ---- certificates of all splits ---------------------------------------------------------------------

static void choose(const graspScene* s, int mask, hfRigidChoice* choice) {
  for (int i = 0; i < s->nc; ++i)
    choice[i] = (hfRigidChoice){s->object_geom,
                                s->link_geom[i],
                                mask >> i & 1 ? HF_MODE_ROLLING : HF_MODE_SLIDING,
                                {0, 0, 0}};
}

static const char* verdict(const hfRigidCertificate* c) {
  if (c->holds) return "holds";
  if (!c->full_rank || !c->rolling) return "rank";
  return !c->p_matrix ? "not P" : "unstable";
}

static int judge_splits(graspScene* s, result* r) {
  graspPlan plan;
  graspSetpoint at;
  hfError error = {HF_OK, ""};
  hfRigid* rigid = NULL;
  hfRigidConfig config = hf_rigid_config_default();
  int held[PLANAR_CONTACTS + 1] = {0}, all[PLANAR_CONTACTS + 1] = {0}, deficient = 0,
                             status = CLI_GOOD;
  config.max_contacts = 8;
  config.layer.eps = EPS;
  config.layer.mass = hf_model_body_mass(s->model)[s->object_body];
  if (planar_plan(&plan, s, 0.12, 0, GRASP_CUBIC) != CLI_GOOD) return CLI_FAILED;
  plan.path[1] = 2 * (MIDDLE - 0.12);
  if (grasp_plan(&plan, 0.5, NULL, &at) != CLI_GOOD ||
      hf_rigid_create(&rigid, grasp_model(s), &config, &error) < 0)
    return say_error("grasp-rolling: %s", error.message), CLI_FAILED;
  result_note(r, "  rolling contacts   rows  rank margin  P margin    abscissa   verdict");
  for (int mask = 0; mask < 1 << PLANAR_CONTACTS && status == CLI_GOOD; ++mask) {
    hfRigidChoice choice[PLANAR_CONTACTS];
    const hfRigidProblem* p = NULL;
    char name[PLANAR_CONTACTS + 1] = "----";
    choose(s, mask, choice);
    if (hf_rigid_evaluate(rigid, 0, at.q, at.v, NULL, NULL, choice, PLANAR_CONTACTS, &p, &error) !=
        HF_OK)
      status = (say_error("grasp-rolling: %s", error.message), CLI_FAILED);
    else {
      for (int i = 0; i < PLANAR_CONTACTS; ++i)
        if (mask >> i & 1) name[i] = (char)('1' + i);
      result_note(r, "  %s               %4d  %11.3e %9.2e %11.3e   %s", name, p->n,
                  p->certificate.rank_margin, p->certificate.p_margin, p->certificate.abscissa,
                  verdict(&p->certificate));
      all[p->nR]++;
      held[p->nR] += p->certificate.holds;
      if (p->nR == PLANAR_CONTACTS) deficient = !p->certificate.full_rank;
    }
  }
  hf_rigid_free(rigid);
  for (int n = 0; n <= PLANAR_CONTACTS && status == CLI_GOOD; ++n) {
    char name[32];
    snprintf(name, sizeof name, "certified_nR%d_of_%d", n, all[n]);
    result_figure(r, name, held[n], "-");
  }
  result_must(r, "rank_deficient", "with all four contacts rolling the rows are dependent",
              deficient, "not full rank", deficient, 0);
  return status;
}

// ---- runs -------------------------------------------------------------------------------------------

typedef struct rollingCase {
  const char* name;
  int mask;     // contacts that roll at the start
  double speed; // of the motion [m/s]
  double smooth; // friction of the other contacts [-]
  const char* about;
} rollingCase;

static int run_case(graspScene* s, const rollingCase* c, const char* folder, result* r, graspRun* run) {
  graspPlan plan;
  graspOptions o = grasp_options_default();
  double mu[PLANAR_CONTACTS];
  for (int i = 0; i < PLANAR_CONTACTS; ++i) mu[i] = c->mask >> i & 1 ? ROUGH : c->smooth;
  if (grasp_set_friction(s, mu) != CLI_GOOD ||
      planar_plan(&plan, s, LOW, 0, GRASP_CUBIC) != CLI_GOOD)
    return CLI_FAILED;
  plan.frequency = 0; // torques of the squeeze alone
  plan.least_force = 1;
  o.return_modes = HF_RETURN_LAYER;
  o.begin = 0, o.end = 0.1;
  if (c->speed > 0) {
    if (!grasp_rolling_motion(s, plan.from, c->mask, o.velocity))
      return say_error("no motion rolls at %s", c->name), CLI_FAILED;
    for (int k = 0; k < s->no; ++k) o.velocity[k] *= c->speed;
  }
  char name[64], recording[64];
  snprintf(recording, sizeof recording, "%s.hfrec", c->name);
  o.folder = folder, o.recording = recording;
  result_replay(r, recording);
  int status = grasp_run(&plan, &o, run);
  if (status != CLI_GOOD) return status;
  snprintf(name, sizeof name, "%s_rolling_time", c->name);
  result_figure(r, name, grasp_rolling_time(run, s->nc, c->mask), "s");
  snprintf(name, sizeof name, "%s_rigid_share", c->name);
  result_figure(r, name, run->rigid_time / (o.end - o.begin), "-");
  grasp_note_switches(r, c->name, run);
  return CLI_GOOD;
}

static void draw_case(const rollingCase* c, const graspRun* run, result* r) {
  static const char* const names[PLANAR_CONTACTS] = {"contact 1", "contact 2", "contact 3",
                                                     "contact 4"};
  graspCurve slip[PLANAR_CONTACTS], fn[PLANAR_CONTACTS];
  char file[64], title[96];
  for (int i = 0; i < PLANAR_CONTACTS; ++i) {
    figureStyle style = i % 2 ? FIGURE_DASHED : FIGURE_LINE;
    slip[i] = (graspCurve){names[i], run, &run->sample[0].slip[i][0], 1e3, style, 0};
    fn[i] = (graspCurve){names[i], run, &run->sample[0].fn[i], 1, style, 0};
  }
  snprintf(file, sizeof file, "rolling_slip_%s", c->name);
  snprintf(title, sizeof title, "Slip, %s", c->name);
  grasp_draw(r, file, title, "slip [mm/s]", PLANAR_CONTACTS, slip, run);
  snprintf(file, sizeof file, "rolling_force_%s", c->name);
  snprintf(title, sizeof title, "Normal forces, %s", c->name);
  grasp_draw(r, file, title, "force [N]", PLANAR_CONTACTS, fn, run);
}

static int run_cases(graspScene* s, const char* folder, result* r) {
  // Three rolling contacts leave no motion, and a fourth with friction would roll too: it has none.
  static const rollingCase cases[] = {
      {"nR1", 1, 0.05, 0.05, "one rolling contact: rigid and certified while it rolls"},
      {"nR2", 5, 0.05, 0.05, "two rolling contacts: rigid and certified while they roll"},
      {"nR3", 7, 0, 0, "three rolling contacts and one without friction: rigid and certified, seven rows for seven degrees of freedom"},
      {"nR4", 15, 0, 0.05, ""}};
  enum { CASES = sizeof cases / sizeof *cases };
  int status = CLI_GOOD;
  for (int k = 0; k < CASES && status == CLI_GOOD; ++k) {
    graspRun run = {0};
    status = run_case(s, &cases[k], folder, r, &run);
    if (status == CLI_GOOD) {
      draw_case(&cases[k], &run, r);
      if (cases[k].mask == 15) {
        double moved = 0;
        for (int i = 0; i < run.count; ++i)
          moved = fmax(moved, hypot(run.sample[i].error[0], run.sample[i].error[1]));
        result_figure(r, "nR4_moved", 1e6 * moved, "um");
        result_must(r, "nR4_compliant",
                    "at rest all four contacts roll: the grasp goes compliant, and holds",
                    run.rigid_time,
                    "left at once for its rank, no rigid time, moved by less than 10 um",
                    run.nswitch > 0 && run.switches[0].reason == HF_SWITCH_RANK &&
                        run.rigid_time == 0 && moved < 1e-5,
                    0);
      } else {
        double rolled = grasp_rolling_time(&run, s->nc, cases[k].mask);
        result_must(r, cases[k].name, cases[k].about, rolled, "rigid, certified, rolling for 0.02 s or more",
                    rolled >= 0.02 && run.rigid_time >= 0.02 && run.uncertified == 0, 0);
      }
    }
    grasp_run_free(&run);
  }
  return status;
}

static int run(const experimentOptions* options, result* r) {
  graspScene s;
  int status = planar_open(&s, FRICTION);
  if (status == CLI_GOOD) status = judge_splits(&s, r);
  if (status == CLI_GOOD) status = run_cases(&s, options->out, r);
  grasp_close(&s);
  return status;
}

const experiment experiment_grasp_rolling = {
    "grasp-rolling",
    "certificates of every split into rolling and sliding contacts, and runs that roll", run};
