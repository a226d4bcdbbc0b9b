// Lift, shake (5 Hz, 5 cm) and turn by 180 degrees in 1 s and back (models/lift_shake_turn.xml): how far
// the bar has moved in the hand. Positions are compared at rest under the same load, so that the elastic deflection is the same
// in both. The largest displacement of the gripped point and of the centre of mass counts.
#include "stiction/stiction.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
enum { LIFT, SHAKE, TURN, NCTRL };

// From 0 to 1 between times a and b, with velocity and acceleration zero at both ends.
static double quintic(double t, double a, double b) {
  double s = fmin(1, fmax(0, (t - a) / (b - a)));
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

// Times [s]: lifted at 1.5, shaken from 2 to 4, turned from 4.5 to 5.5, turned back from 6 to 7.
static void targets(double t, const double* start, double* ctrl) {
  double envelope = quintic(t, 2, 2.4) - quintic(t, 3.6, 4);
  ctrl[LIFT] = start[LIFT] + 0.25 * quintic(t, 0.5, 1.5);
  ctrl[SHAKE] = start[SHAKE] + 0.05 * envelope * sin(2 * PI * 5 * (t - 2));
  ctrl[TURN] = start[TURN] + PI * (quintic(t, 4.5, 5.5) - quintic(t, 6, 7));
}

typedef struct barPlace {
  hfVec3 grip, com;
} barPlace; // points of the bar in the wrist's frame [m]

static hfVec3 in_wrist(const hfPose* wrist, const hfPose* bar, double y) {
  double p[3],
      d[3] = {bar->p.x + bar->R.m[1] * y - wrist->p.x, bar->p.y + bar->R.m[4] * y - wrist->p.y,
              bar->p.z + bar->R.m[7] * y - wrist->p.z};
  for (int i = 0; i < 3; ++i)
    p[i] = wrist->R.m[i] * d[0] + wrist->R.m[3 + i] * d[1] + wrist->R.m[6 + i] * d[2];
  hfVec3 r = {p[0], p[1], p[2]};
  return r;
}

static barPlace bar_in_hand(const world* w) {
  const hfDynamics* d = hf_sim_dynamics(w->sim);
  hfPose wrist = hf_dynamics_body_pose(d, hf_model_find(w->model, HF_OBJECT_BODY, "wrist"));
  hfPose bar = hf_dynamics_body_pose(d, hf_model_find(w->model, HF_OBJECT_BODY, "bar"));
  barPlace p = {in_wrist(&wrist, &bar, -0.05), in_wrist(&wrist, &bar, 0)};
  return p;
}

static double distance(hfVec3 a, hfVec3 b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}
static double moved(const barPlace* a, const barPlace* b) {
  return fmax(distance(a->grip, b->grip), distance(a->com, b->com));
}

typedef struct drift {
  double shaken, turned, back;
} drift; // against the bar at rest after the lift [m]

// file: the name of a recording; NULL: none.
static int manipulate(double h, result* r, const char* file, drift* out) {
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  world w;
  if (world_open(&w, "lift_shake_turn.xml", &config, "grasp") != CLI_GOOD) return CLI_FAILED;
  double start[NCTRL];
  for (int i = 0; i < NCTRL; ++i) start[i] = w.input->ctrl[i];
  barPlace lifted = {{0, 0, 0}, {0, 0, 0}};
  int status = file ? world_record(&w, r, file, 1.0 / 60) : CLI_GOOD, seen = 0;
  const double when[] = {1.99, 4.49, 5.99, 7.49};
  while (status == CLI_GOOD && seen < 4) {
    targets(w.state->time, start, w.input->ctrl);
    status = world_step(&w, 1, NULL);
    if (w.state->time < when[seen]) continue;
    barPlace now = bar_in_hand(&w);
    if (seen == 0) lifted = now;
    if (seen == 1) out->shaken = moved(&lifted, &now);
    if (seen == 2) out->turned = moved(&lifted, &now);
    if (seen == 3) out->back = moved(&lifted, &now);
    seen++;
  }
  world_close(&w);
  return status;
}

int stiction_shake(const experimentOptions* options, result* r) {
  static const double steps[] = {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4};
  int count = options->quick ? 3 : 7, held = 0, status = CLI_GOOD;
  double h[7], drifted[7];
  for (int i = 0; i < count && status == CLI_GOOD; ++i) {
    drift d = {NAN, NAN, NAN};
    show_progress((double)i / count, "shake, h = %g s", steps[i]);
    if ((status = manipulate(steps[i], r, steps[i] == 2e-3 ? "lift_shake_turn.hfrec" : NULL, &d)) != CLI_GOOD) break;
    double worst = fmax(d.shaken, d.back), limit = steps[i] <= 2e-3 ? 10e-6 : 50e-6;
    h[i] = steps[i], drifted[i] = 1e6 * worst;
    held += worst < 1e-3;
    char name[64], what[128], want[32];
    snprintf(name, sizeof name, "drift_%g_ms", 1e3 * steps[i]);
    result_figure(r, name, 1e6 * worst, "um");
    snprintf(what, sizeof what, "drift in the hand after shaking and turning, h = %g ms",
             1e3 * steps[i]);
    snprintf(want, sizeof want, "below %g um", 1e6 * limit);
    result_must(r, name, what, 1e6 * worst, want, worst < limit, 0);
    result_note(
        r, "h = %g ms: %.3f um after shaking, %.3f um upside down (elastic), %.3f um turned back",
        1e3 * steps[i], 1e6 * d.shaken, 1e6 * d.turned, 1e6 * d.back);
  }
  clear_progress();
  if (status != CLI_GOOD) return status;
  result_must(r, "same_outcome", "runs that hold the bar, of all steps from 0.1 to 10 ms", held,
              options->quick ? "3" : "7", held == count, 0);
  figure f = {.title = "Drift of a bar in the hand after lift, shake and turn",
              .xlabel = "step h [s]",
              .ylabel = "drift [um]",
              .xlog = 1,
              .ylog = 1};
  figure_add(&f, "drift", count, h, drifted, FIGURE_BOTH);
  figure_write(&f, r, "shake");
  return CLI_GOOD;
}
