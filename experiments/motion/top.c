// A heavy top at 200 rad/s on a ball joint: rate of steady precession, and nutation when it is let go.
//
//   Om = (I3 w3 - sqrt((I3 w3)^2 - 4 I1 m g l cos th))/(2 I1 cos th)       slow precession, I1 about the fixed point
//   nods: sqrt((I3 w3/I1 - 2 Om cos th)^2 + (Om sin th)^2)                  small ones about steady precession
#include "motion/motion.h"

#include "common/pose.h"

#include <math.h>

static const char* const TOP =
    "<mujoco><worldbody><body><joint type='ball'/>"
    "<geom type='cylinder' size='.05 .005' pos='0 0 .05' density='2000' contype='0' conaffinity='0'/>"
    "</body></worldbody></mujoco>";
static const double LEAN = 20 * 3.14159265358979323846 / 180, RADIUS = 0.05, HALF = 0.005, LENGTH = 0.05, SPIN = 200,
                    GRAVITY = 9.81;

// The third axis of a body with quaternion (w, x, y, z), in the world.
static hfVec3 axis_of(const world* w) {
  const double* q = hf_state_q(w->state);
  return vec(2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

// Spins about its axis with SPIN, and about the vertical with Om. It leans about x, so that the vertical is
// (0, sin, cos) in its own axes.
static void set_spin(world* w, double Om) {
  double* v = hf_state_mutable_v(w->state);
  v[0] = 0, v[1] = Om * sin(LEAN), v[2] = SPIN;
  hf_state_mutable_q(w->state)[0] = cos(LEAN / 2), hf_state_mutable_q(w->state)[1] = sin(LEAN / 2);
}

// Motion of the axis: mean rate of precession, and of nods between the first and the last of them [rad/s].
typedef struct Nod { double rate, nods; } Nod;

static int watch(world* w, double time, Nod* n) {
  hfVec3 last = axis_of(w);
  double turned = 0, before = 0, first = 0, latest = 0;
  int count = 0;
  while (w->state->time < time) {
    if (world_step(w, 1, NULL) != CLI_GOOD) return CLI_FAILED;
    hfVec3 now = axis_of(w);
    turned += atan2(last.x * now.y - last.y * now.x, last.x * now.x + last.y * now.y);
    double rise = now.z - last.z;
    if (before > 0 && rise <= 0) { // the axis is highest between two steps
      latest = w->state->time - 1e-3 * rise / (rise - before);
      if (count++ == 0) first = latest;
    }
    before = rise;
    last = now;
  }
  n->rate = turned / time;
  n->nods = count > 1 ? 2 * 3.14159265358979323846 * (count - 1) / (latest - first) : 0;
  return CLI_GOOD;
}

int motion_top(const experimentOptions* options, result* r) {
  const double m = 2000 * 3.14159265358979323846 * RADIUS * RADIUS * 2 * HALF, time = options->quick ? 1 : 5;
  const double I3 = 0.5 * m * RADIUS * RADIUS, I1 = m * (0.25 * RADIUS * RADIUS + HALF * HALF / 3 + LENGTH * LENGTH);
  const double L3 = I3 * SPIN, weight = m * GRAVITY * LENGTH;
  const double Om = (L3 - sqrt(L3 * L3 - 4 * I1 * weight * cos(LEAN))) / (2 * I1 * cos(LEAN));
  world w;
  Nod steady, nods;
  if (motion_open(&w, TOP, 1e-3) != CLI_GOOD) return CLI_FAILED;
  set_spin(&w, Om);
  int status = world_record(&w, r, "top.hfrec", 0.01);
  if (status == CLI_GOOD) status = watch(&w, time, &steady);
  world_close(&w);
  if (status != CLI_GOOD || motion_open(&w, TOP, 1e-3) != CLI_GOOD) return CLI_FAILED;
  set_spin(&w, 0);
  status = watch(&w, time, &nods);
  world_close(&w);
  double a = L3 / I1 - 2 * Om * cos(LEAN), rate = sqrt(a * a + Om * Om * sin(LEAN) * sin(LEAN));
  result_compare(r, "top_precession", steady.rate, Om, "rad/s");
  result_compare(r, "top_nutation", nods.nods, rate, "rad/s");
  result_must(r, "top", "a top at 200 rad/s precesses at its rate at 1 ms", steady.rate / Om - 1, "within 1 %",
              fabs(steady.rate / Om - 1) <= 0.01, 0);
  result_must(r, "top_nods", "and nods at its rate when it is let go", nods.nods / rate - 1, "within 2 %",
              fabs(nods.nods / rate - 1) <= 0.02, 0);
  return status;
}
