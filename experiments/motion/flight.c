// Bodies in free flight: a T-handle that flips, a box at any speed and step, a quadruped that tumbles.
#include "motion/motion.h"

#include "common/pose.h"

#include <math.h>
#include <string.h>

static const char* const HANDLE =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
    "<geom type='cylinder' fromto='0 -.1 0 0 .1 0' size='.01' density='2000'/>"
    "<geom type='cylinder' fromto='0 0 0 .08 0 0' size='.01' density='2000'/></body></worldbody></mujoco>";
static const char* const BOX =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
    "<geom type='box' size='.05 .02 .01'/></body></worldbody></mujoco>";
static const char* const LEGS =
    "<mujoco><include file='quadruped.xml'/><option gravity='0 0 0'><flag actuation='disable' contact='disable'/>"
    "</option></mujoco>";

// Largest changes during a run, relative to the start.
typedef struct Changes {
  double energy, gain, angular; // |E - E0|/E0, (E - E0)/E0, |L - L0|/|L0|
  int finite;
} Changes;

// r: where the run is recorded as handle.hfrec; NULL: nowhere.
static int fly(const char* xml, double h, double time, const double* v, int nv, result* r, Changes* c) {
  world w;
  motionBalance b = {0};
  memset(c, 0, sizeof *c);
  if (motion_open(&w, xml, h) != CLI_GOOD) return CLI_FAILED;
  memcpy(hf_state_mutable_v(w.state), v, sizeof *v * (size_t)nv);
  int status = r ? world_record(&w, r, "handle.hfrec", 0.02) : CLI_GOOD;
  if (status == CLI_GOOD) status = motion_weigh(&b, &w);
  double E0 = b.energy, L0 = vec_norm(b.angular);
  hfVec3 L = b.angular;
  c->finite = 1;
  while (status == CLI_GOOD && w.state->time < time - 0.5 * h) {
    status = world_step(&w, 1, NULL);
    if (status == CLI_GOOD) status = motion_weigh(&b, &w);
    c->finite &= isfinite(b.energy);
    c->energy = fmax(c->energy, fabs(b.energy - E0) / E0);
    c->gain = fmax(c->gain, (b.energy - E0) / E0);
    c->angular = fmax(c->angular, vec_norm(vec_axpy(-1, L, b.angular)) / L0);
  }
  motion_balance_free(&b);
  world_close(&w);
  return status;
}

static int fly_handle(const experimentOptions* options, result* r) {
  const double v[6] = {0, 0, 0, 0.01, 10, 0}, steps[2] = {1e-3, 1e-2};
  for (int i = 0; i < 2; ++i) {
    Changes c;
    if (fly(HANDLE, steps[i], options->quick ? 10 : 60, v, 6, i ? r : NULL, &c) != CLI_GOOD) return CLI_FAILED;
    double worst = fmax(c.energy, c.angular);
    result_figure(r, i ? "handle_energy_10ms" : "handle_energy_1ms", c.energy, "-");
    result_figure(r, i ? "handle_momentum_10ms" : "handle_momentum_1ms", c.angular, "-");
    result_must(r, i ? "handle_10ms" : "handle_1ms", "a flipping T-handle keeps energy and angular momentum", worst,
                "within 1e-6", worst <= 1e-6, 0);
  }
  return CLI_GOOD;
}

static int fly_box(const experimentOptions* options, result* r) {
  static const double speeds[3] = {20, 200, 2000}, steps[4] = {1e-4, 1e-3, 1e-2, 5e-2};
  double gain = 0;
  int finite = 1;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) {
      const double v[6] = {0, 0, 0, 0.05 * speeds[i], speeds[i], 0.02 * speeds[i]};
      Changes c;
      if (fly(BOX, steps[k], (options->quick ? 1000 : 10000) * steps[k], v, 6, NULL, &c) != CLI_GOOD) return CLI_FAILED;
      gain = fmax(gain, c.gain), finite &= c.finite;
    }
  result_must(r, "box", "a box at 20 to 2000 rad/s, steps of 0.1 to 50 ms: finite, and energy never grows", gain,
              "below 1e-9", finite && gain <= 1e-9, 0);
  return CLI_GOOD;
}

static int fly_legs(const experimentOptions* options, result* r) {
  double v[18] = {0.3, -0.2, 0.1, 1, -2, 1.5};
  for (int i = 6; i < 18; ++i) v[i] = 4 * sin(1.7 * i);
  Changes c;
  if (fly(LEGS, 1e-3, options->quick ? 2 : 10, v, 18, NULL, &c) != CLI_GOOD) return CLI_FAILED;
  double worst = fmax(c.energy, c.angular);
  result_figure(r, "legs_energy", c.energy, "-");
  result_figure(r, "legs_momentum", c.angular, "-");
  result_must(r, "legs", "a quadruped of 12 joints in flight keeps energy and angular momentum at 1 ms", worst,
              "within 1e-4", worst <= 1e-4, 0);
  return CLI_GOOD;
}

int motion_flight(const experimentOptions* options, result* r) {
  if (fly_handle(options, r) != CLI_GOOD || fly_box(options, r) != CLI_GOOD) return CLI_FAILED;
  return fly_legs(options, r);
}
