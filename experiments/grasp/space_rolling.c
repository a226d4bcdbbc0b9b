// A grasp in space that rolls: the proximal links of two fingers are rough, the other four links smooth. The object moves so that it rolls on the
// two and slides on the others; torques squeeze it, and nothing controls its motion.
//
//   rows  2 rolling contacts with 1 normal and 2 tangential rows each, 4 sliding ones with 1: 10 of the 12 degrees of freedom
#include "grasp/draw.h"
#include "grasp/rolling.h"

#include <math.h>
#include <string.h>

static const double ROUGH = 1.2, SMOOTH = 0.05; // friction of the contacts that roll and of those that slide [-]
static const double SPEED = 0.01;               // of the motion [m/s]
enum { ROLLING = 1 << 0 | 1 << 2, CONTACTS = 6 }; // contacts 1 and 3

static void plan_squeeze(graspPlan* plan, graspScene* s) {
  const double* key = hf_model_key_qpos(s->model); // low
  memset(plan, 0, sizeof *plan);
  plan->scene = s;
  plan->duration = 1;
  plan->least_force = 1;
  memcpy(plan->from, key, (size_t)s->nq * sizeof *key);
}

static void draw(const graspRun* run, result* r) {
  static const char* const names[CONTACTS] = {"contact 1, rolls", "contact 2", "contact 3, rolls", "contact 4", "contact 5", "contact 6"};
  graspCurve slip[CONTACTS], fn[CONTACTS];
  for (int i = 0; i < CONTACTS; ++i) {
    figureStyle style = ROLLING >> i & 1 ? FIGURE_LINE : FIGURE_DASHED;
    slip[i] = (graspCurve){names[i], run, &run->sample[0].slip[i][1], 1e3, style, 0};
    fn[i] = (graspCurve){names[i], run, &run->sample[0].fn[i], 1, style, 0};
  }
  grasp_draw(r, "space_rolling_slip", "Slip in the fingers' planes, two contacts roll", "slip [mm/s]", CONTACTS, slip, run);
  grasp_draw(r, "space_rolling_force", "Normal forces, two contacts roll", "force [N]", CONTACTS, fn, run);
}

static void judge(const graspRun* run, int nc, double duration, result* r) {
  double rolled = grasp_rolling_time(run, nc, ROLLING), slid = 0;
  for (int i = 0; i < nc; ++i)
    if (!(ROLLING >> i & 1) && run->count) slid = fmax(slid, hypot(run->sample[0].slip[i][0], run->sample[0].slip[i][1]));
  result_figure(r, "space_rolling_time", rolled, "s");
  result_figure(r, "space_rolling_rigid_share", run->rigid_time / duration, "-");
  result_figure(r, "space_rolling_slip_of_the_others", 1e3 * slid, "mm/s");
  result_must(r, "space_rolling", "in space two contacts roll and four slide: rigid and certified while they do", rolled,
              "rigid, certified, rolling for 0.02 s or more", rolled >= 0.02 && run->rigid_time >= 0.02 && run->uncertified == 0 && slid > 1e-3, 0);
}

int grasp_space_rolling(graspScene* s, result* r) {
  graspPlan plan;
  graspRun run = {0};
  graspOptions o = grasp_options_default();
  double mu[GRASP_CONTACTS];
  for (int i = 0; i < s->nc; ++i) mu[i] = ROLLING >> i & 1 ? ROUGH : SMOOTH;
  if (grasp_set_friction(s, mu) != CLI_GOOD) return CLI_FAILED;
  plan_squeeze(&plan, s);
  o.return_modes = HF_RETURN_LAYER;
  o.begin = 0, o.end = 0.1;
  if (!grasp_rolling_motion(s, plan.from, ROLLING, o.velocity)) return say_error("grasp-space: no motion rolls at two contacts"), CLI_FAILED;
  for (int k = 0; k < s->no; ++k) o.velocity[k] *= SPEED;
  int status = grasp_run(&plan, &o, &run);
  if (status == CLI_GOOD) grasp_note_switches(r, "rolling", &run), draw(&run, r), judge(&run, s->nc, o.end - o.begin, r);
  grasp_run_free(&run);
  return status;
}
