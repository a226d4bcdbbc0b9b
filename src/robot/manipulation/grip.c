// Control of a parallel gripper: it holds a width, closes until contact, or squeezes by measured
// force.
//
//   position  F = -k (r - w) + c (wdot - rdot),  r moves to the target width at the given speed
//   closing   the same with r ahead of the fingers until the measured squeeze reaches `touch`
//   force     F = f_r + I,  I' = a (f_r - f),  f_r moves to the command at the given rate; c wdot damps
//
//   F  force of the drive, closing > 0     w  width between the fingers     f  measured squeeze
//
// If friction or inertia of the gripper take the force d, then f = F - d and I' = -a (I - d): the
// integral makes up for the loss with the rate a.
#include <holdfast/manipulation.h>

#include "math/vec3.h"

#include <assert.h>

hfGripConfig hf_grip_config_default(void) {
  hfGripConfig c = {.stiffness = 2000,
                    .damping = 60,
                    .speed = 0.1,
                    .force_limit = 80,
                    .touch = 1,
                    .integral = 20,
                    .slew = 200,
                    .settle_share = 0.05,
                    .settle_time = 0.05};
  return c;
}

void hf_grip_open(hfGrip* g, double width_now, double width) {
  hfGrip fresh = {HF_GRIP_POSITION, width, g->mode == HF_GRIP_POSITION ? g->reference : width_now,
                  0, 0};
  *g = fresh;
}

void hf_grip_close(hfGrip* g, double width_now, double squeeze) {
  g->target = squeeze;
  g->settled = 0;
  if (g->mode == HF_GRIP_FORCE) return;
  g->reference = width_now;
  g->mode = HF_GRIP_CLOSING;
}

static double approach(double from, double to, double most) {
  return from + clamp(to - from, -most, most);
}

// Position control towards a reference that has moved by `moved` in this period.
static double hold_width(const hfGripConfig* c, double reference, double moved, double width,
                         double rate, double h) {
  return clamp(-c->stiffness * (reference - width) - c->damping * (moved / h - rate),
               -c->force_limit, c->force_limit);
}

static double move_fingers(const hfGripConfig* c, hfGrip* g, double target, double width,
                           double rate, double h) {
  double before = g->reference;
  g->reference = approach(before, target, c->speed * h);
  return hold_width(c, g->reference, g->reference - before, width, rate, h);
}

static double squeeze_object(const hfGripConfig* c, hfGrip* g, double rate, double squeeze,
                             double h) {
  double error;
  g->reference = approach(g->reference, g->target, c->slew * h);
  error = g->reference - squeeze;
  double asked = g->reference + g->integral + c->damping * rate,
         force = clamp(asked, -c->force_limit, c->force_limit);
  if (force == asked || error * asked < 0) g->integral += c->integral * h * error; // The integral does not grow at the limit.
  g->settled = fabs(squeeze - g->target) <= c->settle_share * g->target ? g->settled + h : 0;
  return force;
}

double hf_grip_control(const hfGripConfig* c, hfGrip* g, double width, double rate, double squeeze,
                       double h) {
  if (g->mode == HF_GRIP_CLOSING && squeeze >= c->touch) {
    g->mode = HF_GRIP_FORCE;
    g->reference = squeeze;
    g->integral = 0;
  }
  if (g->mode == HF_GRIP_FORCE) return squeeze_object(c, g, rate, squeeze, h);
  double force = move_fingers(c, g, g->mode == HF_GRIP_CLOSING ? 0 : g->target, width, rate, h);
  if (g->mode == HF_GRIP_POSITION)
    g->settled = fabs(width - g->target) <= 1e-3 ? g->settled + h : 0;
  return force;
}

int hf_grip_settled(const hfGripConfig* c, const hfGrip* g) {
  return g->mode != HF_GRIP_CLOSING && g->settled >= c->settle_time;
}

hfGripSense hf_sense_grip(const hfSim* sim, int left, int right, int object) {
  assert(left >= 0 && left < hf_sim_model(sim)->nbody && right >= 0 && right < hf_sim_model(sim)->nbody);
  hfVec3 nl, fl, nr, fr;
  hfGripSense s = {.contacts = hf_sim_pair_force(sim, left, object, &nl, &fl)};
  s.contacts += hf_sim_pair_force(sim, right, object, &nr, &fr);
  s.left = v3_norm(nl), s.right = v3_norm(nr);
  s.squeeze = 0.5 * (s.left + s.right);
  s.load = v3_neg(v3_add(fl, fr));
  return s;
}
