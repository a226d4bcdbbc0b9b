// Trajectories.
//
//   quintic  q(t) = sum_k c_k (t/T)^k with q, v, a given at t = 0 and t = T
//   trot     a cycle of `period`: stance [0, duty), swing [duty, 1); the foot is at x = 0 at mid-stance
#include <holdfast/control.h>

#include "math/sine.h"

#include <assert.h>
#include <math.h>

// Returns a point of a sinusoid: q = offset + amplitude sin(rate t + phase), with its rates.
hfSetpoint hf_sinusoid(double amplitude, double rate, double phase, double offset, double t) {
  hfiSine angle = hfi_sine(rate * t + phase);
  hfSetpoint setpoint = {
      offset + amplitude * angle.sin,
      amplitude * rate * angle.cos,
      -amplitude * rate * rate * angle.sin,
  };
  return setpoint;
}

// Returns the point at time t of the quintic between two setpoints a time T apart; before and after it they are held.
// It is q = sum_k ck u^k with u = t/T. The values at u = 0 fix c0, c1 and c2. The other three coefficients solve the
// three equations at u = 1.
hfSetpoint hf_quintic(hfSetpoint from, hfSetpoint to, double T, double t) {
  if (t <= 0) return from;
  if (t >= T) return to;

  // what the first three terms leave at u = 1, of q, T v and T^2 a
  double u = t / T;
  double c1 = from.v * T;
  double c2 = from.a * T * T / 2;
  double d = to.q - from.q - c1 - c2;
  double e = to.v * T - c1 - 2 * c2;
  double f = to.a * T * T - 2 * c2;

  // the other coefficients
  double c3 = 10 * d - 4 * e + f / 2;
  double c4 = -15 * d + 7 * e - f;
  double c5 = 6 * d - 3 * e + f / 2;

  hfSetpoint setpoint = {
      from.q + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5)))),
      (c1 + u * (2 * c2 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / T,
      (2 * c2 + u * (6 * c3 + u * (12 * c4 + u * 20 * c5))) / (T * T),
  };
  return setpoint;
}

// Key i: its rate is the mean slope between its neighbours, and zero at the first and last key.
static hfSetpoint key_setpoint(int n, const double* times, const double* values, int i) {
  hfSetpoint setpoint = {values[i], 0, 0};
  if (i > 0 && i + 1 < n) setpoint.v = (values[i + 1] - values[i - 1]) / (times[i + 1] - times[i - 1]);
  return setpoint;
}

// The point at time t of a curve through n keys, of quintics; before and after them the first and last are held.
hfSetpoint hf_keyframes(int n, const double* times, const double* values, double t) {
  assert(n >= 1);

  int i = 0;
  while (i + 1 < n && t >= times[i + 1]) i++;

  hfSetpoint here = key_setpoint(n, times, values, i);
  if (i + 1 == n || t <= times[0]) return here;

  hfSetpoint next = key_setpoint(n, times, values, i + 1);
  return hf_quintic(here, next, times[i + 1] - times[i], t - times[i]);
}

// Returns where a foot of a trotting robot is, at time t of a gait and at a phase of the cycle [-]: x is forward of its
// place at mid-stance, z above the ground. In stance it moves back with the speed of the ground. In the swing it
// returns by a quintic, and rises and falls by one quintic each.
hfFootPlan hf_trot(const hfTrot* trot, double phase, double t) {
  double cycle = phase + t / trot->period;
  double s = cycle - floor(cycle); // place in the cycle, 0 to 1
  double half_stride = trot->speed * trot->duty * trot->period / 2;
  hfFootPlan plan = {.stance = s < trot->duty};
  if (plan.stance) {
    plan.x.q = half_stride - trot->speed * s * trot->period;
    plan.x.v = -trot->speed;
    return plan;
  }

  // forward
  double swing = (1 - trot->duty) * trot->period;
  double since = (s - trot->duty) * trot->period;
  hfSetpoint front = {half_stride, -trot->speed, 0};
  hfSetpoint back = {-half_stride, -trot->speed, 0};
  plan.x = hf_quintic(back, front, swing, since);

  // up, then down
  hfSetpoint ground = {0, 0, 0};
  hfSetpoint top = {trot->lift, 0, 0};
  if (since < swing / 2) plan.z = hf_quintic(ground, top, swing / 2, since);
  else plan.z = hf_quintic(top, ground, swing / 2, since - swing / 2);
  return plan;
}
