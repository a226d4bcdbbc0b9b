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

// Returns the force of a PID controller [N or N m] for the present *integral, then advances that by h e. Without an
// integral (NULL) ki has no effect.
double hf_pid(const hfGains* gains, hfSetpoint wanted, double q, double v, double h, double* integral) {
  double e = wanted.q - q;
  double sum = integral ? *integral : 0;
  if (integral) *integral += h * e;
  return gains->kp * e + gains->ki * sum + gains->kd * (wanted.v - v);
}

// Computes the forces tau (nv) that give every dof its wanted acceleration plus feedback. scratch: (nv).
void hf_computed_torque(hfDynamics* dynamics, const double* q, const double* v, const hfSetpoint* wanted,
                        const hfGains* gains, double* scratch, double* tau) {
  int nv = dynamics->model->nv;
  for (int i = 0; i < nv; ++i) scratch[i] = wanted[i].a + hf_pid(&gains[i], wanted[i], q[i], v[i], 0, NULL);
  hf_dynamics_inverse(dynamics, v, scratch, NULL, tau);
}

// Returns the velocity [rad/s or m/s] that removes the position error within a period T [s], at most as fast as the
// acceleration a_max can still brake.
double hf_braking_target(hfSetpoint wanted, double q, double T, double a_max) {
  double e = wanted.q - q;
  double fastest = sqrt(2 * a_max * fabs(e));
  return wanted.v + clamp(e / T, -fastest, fastest);
}
