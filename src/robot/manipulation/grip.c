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

// A width counts as reached within this distance [m].
static const double WIDTH_TOLERANCE = 1e-3;

// Returns the control of a gripper of about 80 N.
hfGripConfig hf_grip_config_default(void) {
  hfGripConfig c = {
      .stiffness = 2000,
      .damping = 60,
      .speed = 0.1,
      .force_limit = 80,
      .touch = 1,
      .integral = 20,
      .slew = 200,
      .settle_share = 0.05,
      .settle_time = 0.05,
  };
  return c;
}

// Commands a width [m]. A grip that does not yet hold a width starts from its width now.
void hf_grip_open(hfGrip* grip, double width_now, double width) {
  double reference = grip->mode == HF_GRIP_POSITION ? grip->reference : width_now;
  hfGrip fresh = {HF_GRIP_POSITION, width, reference, 0, 0};
  *grip = fresh;
}

// Commands a squeeze [N]. A grip that squeezes already goes on from its present force.
void hf_grip_close(hfGrip* grip, double width_now, double squeeze) {
  grip->target = squeeze;
  grip->settled = 0;
  if (grip->mode == HF_GRIP_FORCE) return;

  grip->reference = width_now;
  grip->mode = HF_GRIP_CLOSING;
}

// Returns `from`, moved towards `to` by at most `largest`.
static double approach(double from, double to, double largest) {
  return from + clamp(to - from, -largest, largest);
}

// Moves the reference towards the target width [m] for a period h [s].
// Returns the force of the drive [N] that follows it.
static double move_fingers(const hfGripConfig* config, hfGrip* grip, double target, double width,
                           double rate, double h) {
  double before = grip->reference;
  grip->reference = approach(before, target, config->speed * h);

  // F = -k (r - w) + c (wdot - rdot)
  double moved = grip->reference - before;
  double force = -config->stiffness * (grip->reference - width) - config->damping * (moved / h - rate);
  return clamp(force, -config->force_limit, config->force_limit);
}

// Moves the reference force towards the target for a period h [s], and advances the integral and the time of rest.
// Returns the force of the drive [N].
static double squeeze_object(const hfGripConfig* config, hfGrip* grip, double rate, double squeeze,
                             double h) {
  grip->reference = approach(grip->reference, grip->target, config->slew * h);
  double error = grip->reference - squeeze;
  double asked = grip->reference + grip->integral + config->damping * rate;
  double force = clamp(asked, -config->force_limit, config->force_limit);

  // the integral does not grow at the limit
  if (force == asked || error * asked < 0) grip->integral += config->integral * h * error;

  // the time of rest at the target
  int is_close = fabs(squeeze - grip->target) <= config->settle_share * grip->target;
  grip->settled = is_close ? grip->settled + h : 0;
  return force;
}

// Advances the grip by a period h [s] and returns the force of the drive [N].
// Reads the width [m] between the fingers, its rate [m/s] and the measured squeeze [N].
double hf_grip_control(const hfGripConfig* config, hfGrip* grip, double width, double rate, double squeeze,
                       double h) {
  // a touch ends the closing
  if (grip->mode == HF_GRIP_CLOSING && squeeze >= config->touch) {
    grip->mode = HF_GRIP_FORCE;
    grip->reference = squeeze;
    grip->integral = 0;
  }
  if (grip->mode == HF_GRIP_FORCE) return squeeze_object(config, grip, rate, squeeze, h);

  double target = grip->mode == HF_GRIP_CLOSING ? 0 : grip->target;
  double force = move_fingers(config, grip, target, width, rate, h);
  if (grip->mode == HF_GRIP_POSITION)
    grip->settled = fabs(width - grip->target) <= WIDTH_TOLERANCE ? grip->settled + h : 0;
  return force;
}

// Whether the grip has been at its target for the settling time.
int hf_grip_settled(const hfGripConfig* config, const hfGrip* grip) {
  return grip->mode != HF_GRIP_CLOSING && grip->settled >= config->settle_time;
}

// Returns what the fingers `left` and `right` (bodies) feel of the object.
hfGripSense hf_sense_grip(const hfSim* sim, int left, int right, int object) {
  assert(left >= 0 && left < hf_sim_model(sim)->nbody);
  assert(right >= 0 && right < hf_sim_model(sim)->nbody);

  hfVec3 normal_left;
  hfVec3 friction_left;
  hfVec3 normal_right;
  hfVec3 friction_right;
  hfGripSense s = {.contacts = hf_sim_pair_force(sim, left, object, &normal_left, &friction_left)};
  s.contacts += hf_sim_pair_force(sim, right, object, &normal_right, &friction_right);

  s.left = v3_norm(normal_left);
  s.right = v3_norm(normal_right);
  s.squeeze = 0.5 * (s.left + s.right);
  s.load = v3_neg(v3_add(friction_left, friction_right));
  return s;
}
