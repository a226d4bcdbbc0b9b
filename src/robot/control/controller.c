// Feedback laws.
//
//   PID               tau = kp e + ki I + kd edot,  I += h e
//   computed torque   tau = M(q) (a_des + kp e + kd edot) + bias(q, v)
//   braking target    v_des + clamp(e/T, -v_b, v_b),  v_b = sqrt(2 a_max |e|)
//
//   e position error, I its integral, T period, v_b the speed from which the acceleration a_max stops within |e|.
//   Without v_b the joint would oscillate if the force limit cannot brake the speed e/T in time.
#include <holdfast/control.h>

#include "step/dynamics/dynamics.h"

double hf_pid(const hfGains* k, hfSetpoint wanted, double q, double v, double h, double* integral) {
  double e = wanted.q - q, sum = integral ? *integral : 0;
  if (integral) *integral += h * e;
  return k->kp * e + k->ki * sum + k->kd * (wanted.v - v);
}

void hf_computed_torque(hfDynamics* d, const double* q, const double* v, const hfSetpoint* wanted, const hfGains* gains, double* scratch, double* tau) {
  int nv = d->model->nv;
  for (int i = 0; i < nv; ++i) scratch[i] = wanted[i].a + hf_pid(&gains[i], wanted[i], q[i], v[i], 0, NULL);
  hf_dynamics_inverse(d, v, scratch, NULL, tau);
}

double hf_braking_target(hfSetpoint wanted, double q, double T, double a_max) {
  double e = wanted.q - q, fastest = sqrt(2 * a_max * fabs(e));
  return wanted.v + clamp(e / T, -fastest, fastest);
}
