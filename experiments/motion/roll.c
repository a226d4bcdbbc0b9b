// A ball that rolls and pivots, one on a turntable, and Euler's disc.
#include "motion/motion.h"

#include <math.h>

static const char* const FLOOR =
    "<mujoco><worldbody><geom type='plane' size='99 99 1'/><body pos='0 0 .05'><freejoint/>"
    "<geom size='.05' friction='.8 0 0'/></body></worldbody></mujoco>";
static const char* const TABLE =
    "<mujoco><worldbody><body><joint axis='0 0 1' armature='1e4'/><geom type='cylinder' size='3 .05' pos='0 0 -.05' mass='1000'/></body>"
    "<body pos='1 0 .05'><freejoint/><geom size='.05' friction='.8 0 0'/></body></worldbody></mujoco>";

// Sideways speed, and speed gained, from half of the time on. Rolls with v and turns with spin about the vertical.
static int roll(double v, double spin, double h, double* sideways, double* gain) {
  world w;
  if (motion_open(&w, FLOOR, h) != CLI_GOOD) return CLI_FAILED;
  double* qvel = hf_state_mutable_v(w.state);
  qvel[0] = v, qvel[4] = v / 0.05, qvel[5] = spin;
  int status = world_step(&w, lround(1 / h), NULL);
  double y = hf_state_q(w.state)[1], x = hf_state_q(w.state)[0];
  if (status == CLI_GOOD) status = world_step(&w, lround(1 / h), NULL);
  *sideways = hf_state_q(w.state)[1] - y;
  *gain = (hf_state_q(w.state)[0] - x) / v - 1;
  world_close(&w);
  return status;
}

// A ball that rolls on a turntable runs in a circle, at 2/7 of its rate. Change of the radius in ten turns of the
// table; the radius is |v|/(2 Om/7).
static int circle(double h, double* change) {
  const double turn = 2 * 3.14159265358979323846, Om = turn / 5, v0 = 0.3;
  world w;
  if (motion_open(&w, TABLE, h) != CLI_GOOD) return CLI_FAILED;
  double* v = hf_state_mutable_v(w.state);
  v[0] = Om, v[2] = v0, v[4] = (Om - v0) / 0.05;
  int status = world_step(&w, lround(1 / h), NULL); // has settled
  double start = hypot(hf_state_v(w.state)[1], hf_state_v(w.state)[2]);
  if (status == CLI_GOOD) status = world_step(&w, lround(10 * turn / Om / h), NULL);
  *change = hypot(hf_state_v(w.state)[1], hf_state_v(w.state)[2]) / start - 1;
  world_close(&w);
  return status;
}

// Euler's disc: a coin that leans by 10 degrees to the floor and rolls around, its centre at rest, precesses with
// Om^2 sin(lean) = 4 g/R; its angular velocity Om sin(lean) points from the centre to the contact. Om over its law at
// the mean lean of half a second.
static int spin_disc(double h, double* ratio) {
  static const char* const DISC =
      "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='9 9 1' friction='1 0 0'/>"
      "<body pos='0 0 .00700423' euler='.17453292519943295 0 0'><freejoint/>"
      "<geom type='cylinder' size='.0375 .0005' density='7800' friction='1 0 0'/></body></worldbody></mujoco>";
  const double R = 0.0375, g = 9.81, pi = 3.14159265358979323846, lean = pi / 18, law = sqrt(4 * g / (R * sin(lean)));
  world w;
  if (motion_open(&w, DISC, h) != CLI_GOOD) return CLI_FAILED;
  hf_state_mutable_v(w.state)[4] = -law * sin(lean);
  long steps = lround(0.5 / h);
  double turned = 0, leans = 0, last = -pi / 2;
  int status = CLI_GOOD;
  for (long k = 0; status == CLI_GOOD && k < steps; ++k) {
    status = world_step(&w, 1, NULL);
    const double* q = hf_state_q(w.state) + 3;
    double now = atan2(q[2] * q[3] - q[0] * q[1], q[1] * q[3] + q[0] * q[2]);
    turned += remainder(now - last, 2 * pi);
    leans += acos(1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    last = now;
  }
  *ratio = fabs(turned / 0.5) / sqrt(4 * g / (R * sin(leans / (double)steps)));
  world_close(&w);
  return status;
}

int motion_roll(const experimentOptions* options, result* r) {
  double sideways, gain, straight, unused, radius, disc, fine = 0;
  if (roll(1, 10, 1e-3, &sideways, &unused) != CLI_GOOD || roll(2.5, 0, 5e-3, &straight, &gain) != CLI_GOOD ||
      circle(1e-3, &radius) != CLI_GOOD || spin_disc(1e-3, &disc) != CLI_GOOD || (!options->quick && circle(5e-4, &fine) != CLI_GOOD))
    return CLI_FAILED;
  result_must(r, "pivot", "sideways speed of a ball that rolls at 1 m/s and pivots at 10 rad/s, 1 ms", sideways,
              "within 1e-6 m/s", fabs(sideways) <= 1e-6, 0);
  result_must(r, "straight", "speed gained in straight rolling at 50 rad/s and 5 ms", gain, "within 1e-3",
              fabs(gain) <= 1e-3, 0);
  result_figure(r, "turntable_1ms", radius, "-");
  if (!options->quick) result_figure(r, "turntable_half_ms", fine, "-");
  result_must(r, "turntable", "change of the radius on a turntable in ten turns, 1 ms", radius, "within 0.1 %",
              fabs(radius) <= 1e-3, 0);
  result_must(r, "disc", "precession of Euler's disc at a lean of 10 degrees and 1 ms, over its law", disc - 1,
              "within 2 %", fabs(disc - 1) <= 0.02, 0);
  return CLI_GOOD;
}
