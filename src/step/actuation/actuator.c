// Actuator forces.
//
//   input  u = clamp(ctrl), or the activation; with actearly the activation at the end of the step
//   rate     = u (integrator), (u - act)/tau (filters, muscles), u - length (error), to u at a bounded speed (slew)
//   force    = (g0 + g1 length + g2 velocity) u + b0 + b1 length + b2 velocity
//
// The length of a servo on a ball joint, or on the rotation of a site in its reference, is an angle: lengths that
// differ by the period T of a whole turn are one place. As in MuJoCo, the servo takes the shorter way: u - T round((u
// - length)/T) stands for u.
//
// A PID controller is a servo whose activation is the integral I of its error; it adds the force ki
// I. Over a step h the integral is that of its end, I + h (u - length), with the length at the end
// of the step where drives are implicit.
//
// Limits are applied in this order:
//   1. The total force on a limited tendon is scaled into its range.
//   2. Each force is clamped to its own range.
//   3. Forces go to the joints. Gravity compensation that counts as actuation is added, and the total of
//      each limited joint is clamped.
#include "step/actuation/inside.h"

#include "math/elementary.h"

#include <string.h>

// ---- activations ----------------------------------------------------------------------------------

// A filter with a smaller time constant than this follows its input at once [s].
static const double SHORTEST_TIME_CONSTANT = 1e-15;

// Returns that value, of all that differ from x by whole periods, which is nearest to `place`; x if the period is 0.
static double find_nearest_turn(double x, double place, double period) {
  return period > 0 ? x - period * round((x - place) / period) : x;
}

// Returns the rate of the activation act of actuator i for the control u. prm[0]: time constant of a filter [s], or
// largest speed of a slew.
static double find_activation_rate(const hfActuation* a, int i, double u, double act) {
  const double* prm = hf_model_actuator_dynprm(a->model) + 3 * i;
  int dynamics = hf_model_actuator_dyntype(a->model)[i];
  if (dynamics == HF_ACTIVATION_INTEGRATOR) return u;

  // of all inputs that mean the same place, the one next to the length or activation that follows it
  double follower = dynamics == HF_ACTIVATION_ERROR ? a->length[i] : act;
  u = find_nearest_turn(u, follower, a->drives.servo[i].period);

  switch (dynamics) {
  case HF_ACTIVATION_SLEW: return hfi_slew_rate(a, u - act, prm[0]);
  case HF_ACTIVATION_ERROR: return u - a->length[i];
  case HF_ACTIVATION_MUSCLE: return (clamp(u, 0, 1) - act) / max2(SHORTEST_TIME_CONSTANT, hfi_muscle_time(prm, u, act));
  default: return (u - act) / max2(SHORTEST_TIME_CONSTANT, prm[0]);
  }
}

// Returns the activation a step h later. A filter takes an Euler step, which ends at its target if h is longer than the
// time constant. An exact filter follows the exponential.
static double advance_activation(const hfModel* m, int i, double act, double rate, double h) {
  const double* range = hf_model_actuator_actrange(m) + 2 * i;
  double tau = max2(SHORTEST_TIME_CONSTANT, hf_model_actuator_dynprm(m)[3 * i]);

  // the time for which the activation moves at its rate
  double span = h;
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_FILTER) span = min2(h, tau);
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_FILTER_EXACT) span = -tau * hfi_expm1(-h / tau);

  act += span * rate;
  return hf_model_actuator_actlimited(m)[i] ? clamp(act, range[0], range[1]) : act;
}

// Sets a->input of actuator i, which is no DC motor, and the rate of its activation if it has one. If the activation
// is an integral of the error, sets drives.integral, its value at the end of the step; the input stays the control.
// act (na) and ctrl (nu) may be NULL: zero. h: length of the step; 0 at an instant.
static void update_input(hfActuation* a, int i, const double* act, const double* ctrl, double h) {
  const hfModel* m = a->model;
  int dynamics = hf_model_actuator_dyntype(m)[i];
  int adr = hf_model_actuator_actadr(m)[i];
  double u = hfi_clamped_control(m, i, ctrl);
  double period = a->drives.servo[i].period;

  a->input[i] = find_nearest_turn(u, a->length[i], period); // u itself if the period is 0
  if (adr < 0) return; // no activation

  // the activation at the start of the step, its rate, and its value at the end
  double now = act ? act[adr] : 0;
  a->rate[adr] = hfi_actuator_acts(m, i) ? find_activation_rate(a, i, u, now) : 0;
  double next = advance_activation(m, i, now, a->rate[adr], h);

  if (dynamics == HF_ACTIVATION_ERROR) {
    a->drives.integral[i] = next;
    return;
  }

  // the activation is the input: mostly its value at the start
  int is_early = hf_model_actuator_actearly(m)[i] || dynamics == HF_ACTIVATION_SLEW;
  a->input[i] = find_nearest_turn(is_early ? next : now, a->length[i], period);
}

// Sets inputs, rates and integrals of all actuators, for a step of length h or an instant (h = 0).
void hfi_update_inputs(hfActuation* a, const double* act, const double* ctrl, double h) {
  a->h = h;
  for (int i = 0, n = a->model->nu; i < n; ++i) {
    const hfiServo* servo = &a->drives.servo[i];
    if (servo->obeys) a->input[i] = ctrl ? clamp(ctrl[i], servo->ctrl_lo, servo->ctrl_hi) : 0; // most actuators
    else if (servo->is_motor) hfi_update_motor(a, i, act, ctrl);
    else update_input(a, i, act, ctrl, h);
  }
  hfi_update_orientations(a);
}

// Returns the activation without whole turns if it is a place to go to. Integrals, and activations that move at a
// bounded speed, are kept as they are.
static double remove_whole_turns(const hfActuation* a, int i, double act) {
  int dynamics = hf_model_actuator_dyntype(a->model)[i];
  if (dynamics == HF_ACTIVATION_ERROR || dynamics == HF_ACTIVATION_SLEW) return act;
  return find_nearest_turn(act, a->length[i], a->drives.servo[i].period);
}

// Moves activations and states of motors, act (na), over a step h.
void hf_actuation_advance(const hfActuation* a, double* act, double h) {
  const hfModel* m = a->model;
  for (int i = 0; m->na && i < m->nu; ++i) {
    int adr = hf_model_actuator_actadr(m)[i];
    if (hfi_is_motor(m, i)) hfi_motor_advance(a, i, act, h);
    else if (adr >= 0) act[adr] = remove_whole_turns(a, i, advance_activation(m, i, act[adr], a->rate[adr], h));
  }

  hfi_orientations_advance(a, act);
}

// ---- limits and joints ------------------------------------------------------------------------------

// Scales a->force of the actuators on each limited tendon by one factor, so that their total is in the tendon's range
// actfrcrange. Overwrites drives.tendon_total with the totals before.
static void scale_tendon_totals(const hfActuation* a) {
  const hfModel* m = a->model;
  double* total = a->drives.tendon_total;
  if (m->ntendon == 0) return;

  // the totals
  memset(total, 0, (size_t)m->ntendon * sizeof *total);
  for (int i = 0; i < m->nu; ++i) {
    int t = hf_model_actuator_trnid(m)[2 * i];
    if (hf_model_actuator_trntype(m)[i] == HF_TRANSMISSION_TENDON) total[t] += a->force[i];
  }

  // all forces on a tendon get the same factor
  for (int i = 0; i < m->nu; ++i) {
    if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_TENDON) continue;
    int t = hf_model_actuator_trnid(m)[2 * i];

    const double* range = hf_model_tendon_actfrcrange(m) + 2 * t;
    double kept = clamp(total[t], range[0], range[1]);
    int is_scaled = hf_model_tendon_actfrclimited(m)[t] && kept != total[t] && total[t] != 0;
    if (is_scaled) a->force[i] *= kept / total[t];
  }
}

// Clamps each force to its own range and adds it to joint_force (nv).
static void clamp_and_pass_forces(const hfActuation* a) {
  const int32_t* limited = hf_model_actuator_forcelimited(a->model);
  const int32_t* start = a->moments.start;
  const int32_t* dof = a->moments.dof;
  const double* range = hf_model_actuator_forcerange(a->model);
  double* force = a->force;
  double* joint_force = a->joint_force;

  for (int i = 0, n = a->model->nu; i < n; ++i) {
    double f = force[i];

    // the range of a motor has bounded the force of its current already (motor.c)
    if (limited[i] && !hfi_is_motor(a->model, i)) {
      f = clamp(f, range[2 * i], range[2 * i + 1]);
      force[i] = f;
    }

    for (int k = start[i]; k < start[i + 1]; ++k) joint_force[dof[k]] += f * a->moments.entry[k];
  }
}

// Adds gravity compensation that counts as actuation to the forces tau (nv) of joint j, and clamps the total.
static void limit_joint_force(const hfActuation* a, int j, double* tau) {
  const hfModel* m = a->model;
  const double* range = hf_model_jnt_actfrcrange(m) + 2 * j;
  int dof = hf_model_jnt_dofadr(m)[j];
  int n = hfi_joint_nv(hf_model_jnt_type(m)[j]);

  if (a->passive.gravcomp && hf_model_jnt_actgravcomp(m)[j])
    for (int k = dof; k < dof + n; ++k) tau[k] += a->gravcomp[k];

  if (hf_model_jnt_actfrclimited(m)[j] && n == 1) tau[dof] = clamp(tau[dof], range[0], range[1]);
}

// Applies all limits to force (nu) and computes joint_force (nv).
void hfi_transmit_forces(const hfActuation* a) {
  const hfModel* m = a->model;
  memset(a->joint_force, 0, (size_t)m->nv * sizeof *a->joint_force);
  if (m->world.disable_actuation) memset(a->force, 0, (size_t)m->nu * sizeof *a->force);
  if (m->nu == 0 || m->world.disable_actuation) return;

  hfi_bound_orientations(a);
  scale_tendon_totals(a);
  clamp_and_pass_forces(a);
  for (int k = 0; k < a->drives.nlimited_joint; ++k) limit_joint_force(a, a->drives.limited_joint[k], a->joint_force);
}

// ---- forces at a state ------------------------------------------------------------------------------

// Adds to *f the force of the integral of actuator i: ki (I + h (u - l)), or ki times the bound at which I stops.
void hfi_add_integral(const hfActuation* a, int i, hfiAffine* f) {
  const hfModel* m = a->model;
  const double* range = hf_model_actuator_actrange(m) + 2 * i;
  double integral = a->drives.integral[i];
  double ki = hf_model_actuator_dynprm(m)[3 * i];
  double slope = a->h * ki;

  f->constant += ki * integral;
  if (hf_model_actuator_actlimited(m)[i] && !(integral > range[0] && integral < range[1])) return;

  f->constant += slope * a->length[i];
  f->length -= slope;
}

// Returns the force of actuator i at the present length and velocity [N or N m].
static double find_present_force(const hfActuation* a, int i) {
  if (!hfi_actuator_acts(a->model, i)) return 0;
  if (hfi_is_motor(a->model, i)) {
    hfiMotorForce f = hfi_motor_force(a, i, 0);
    return hfi_drive_force(f.electric, 0) + hfi_drive_force(f.drag, 0);
  }
  if (a->law[i] != HF_DRIVE_SERVO) return 0; // a drive by inverse dynamics acts over a step only

  hfiAffine f = hfi_affine_force(a, i);
  return f.constant + f.length * a->length[i] + f.velocity * a->velocity[i];
}

// Computes all forces at a state: force, joint_force, and target_force, which is zero because targets act in steps with
// rows only. h: length of the step whose early activations count; 0 at an instant.
void hf_actuation_forces(hfActuation* a, const double* act, const double* ctrl, double h) {
  hfi_update_inputs(a, act, ctrl, h);
  for (int i = 0; i < a->model->nu; ++i) a->force[i] = find_present_force(a, i);

  *a->fresh |= HFI_FRESH_FORCES;
  memset(a->target_force, 0, sizeof *a->target_force * (size_t)a->model->nv);

  hfi_transmit_forces(a);
}
