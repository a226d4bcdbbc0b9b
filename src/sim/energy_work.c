// W, the work of actuators, input forces and gravity compensation in a step (energy.c). It is bounded by h times their
// power at the start or at the end of the step, whichever is larger.
//
// In continuous time a stiff servo may push and brake within a step, so that its power at the ends says little. The
// work of a plain servo on a hinge or slide follows from its lengths l0 and l1 at both ends instead:
//
//   force at length l and speed s   clip(c + b l + d s),   d <= 0: the damper takes energy
//   work                            at most the integral of clip(c + b l) from l0 to l1
#include "sim/energy.h"

// Does the work of servo i follow from its lengths? It does not if the servo has an activation or follows a signal.
static int is_plain_servo(const hfSim* s, int i) {
  const hfActuation* a = &s->world->actuation;
  const hfiServo* servo = &a->drives.servo[i];
  if (!hfi_method_is(s->method, HFI_CONTINUOUS_TIME)) return 0;
  if (!servo->direct || hf_model_actuator_actadr(s->model)[i] >= 0) return 0;
  if (s->config.scene_signals && hf_model_actuator_signal(s->model)[i] >= 0) return 0;
  return servo->gain[2] * a->input[i] + servo->bias[2] <= 0;
}

// Integral of clip(y) from 0.
static double integrate_clipped(double y, double lo, double hi) {
  double kept = clamp(y, lo, hi);
  return kept * y - 0.5 * kept * kept;
}

// Integral of clip(c + b l) from l0 to l1 [J].
static double integrate_force(const hfiServo* servo, double c, double b, double l0, double l1) {
  double lo = servo->lo, hi = servo->hi;
  if (b == 0) return clamp(c, lo, hi) * (l1 - l0);
  return (integrate_clipped(c + b * l1, lo, hi) - integrate_clipped(c + b * l0, lo, hi)) / b;
}

// Returns the work of the plain servos from their lengths now to those at the end of the step [J].
double hfi_servo_work(const hfSim* s) {
  const hfActuation* a = &s->world->actuation;
  double sum = 0;
  for (int i = 0; i < s->model->nu; ++i) {
    if (!is_plain_servo(s, i)) continue;
    const hfiServo* servo = &a->drives.servo[i];
    double u = a->input[i];
    double c = servo->gain[0] * u + servo->bias[0];
    double b = servo->gain[1] * u + servo->bias[1];
    double work = integrate_force(servo, c, b, a->length[i], s->judge.end_length[i]);

    // With equalities, the energy that a servo takes counts, too: an equality that closes against it does that work.
    sum += s->model->neq ? fabs(work) : work;
  }
  return sum;
}

// Returns an upper bound on the power of all forces but those of plain servos, at the present pose and velocity [W].
double hfi_power_bound(hfSim* s, const double* q, const hfInput* in) {
  const hfModel* m = s->model;
  const hfDynamics* d = &s->world->dynamics;
  hfActuation* a = &s->world->actuation;
  double power = 0;
  hf_actuation_update(a, d, q);

  for (int i = 0; i < m->nu; ++i)
    if (m->neq || !is_plain_servo(s, i)) power += fabs(a->force[i] * a->velocity[i]);
  for (int i = 0; i < m->nv; ++i) power += fabs((fabs(a->gravcomp[i]) + fabs(a->target_force[i])) * d->v[i]);

  // forces and wrenches of the input
  for (int i = 0; in && in->force && i < m->nv; ++i) power += fabs(in->force[i] * d->v[i]);
  for (int b = 1; in && in->wrench && b < m->nbody; ++b) {
    hfMotion V = hf_dynamics_point_velocity(d, b, d->X_WB[b].p);
    power += v3_norm(in->wrench[b].n) * v3_norm(V.w) + v3_norm(in->wrench[b].f) * v3_norm(V.v);
  }
  return power;
}
