// Trajectories.
//
//   quintic  q(s) = sum_k c_k s^k with q, v, a given at s = 0 and s = T
//   trot     a cycle of `period`: stance [0, duty), swing [duty, 1); the foot is at x = 0 at mid-stance
#include <holdfast/control.h>

#include "math/sine.h"

#include <assert.h>
#include <math.h>

hfSetpoint hf_sinusoid(double amplitude, double rate, double phase, double offset, double t) {
  hfiSine at = hfi_sine(rate * t + phase);
  hfSetpoint p = {offset + amplitude * at.sin, amplitude * rate * at.cos, -amplitude * rate * rate * at.sin};
  return p;
}

// With u = t/T the boundary values at 0 fix c0, c1, c2; the rest solves three equations at u = 1.
hfSetpoint hf_quintic(hfSetpoint from, hfSetpoint to, double T, double t) {
  if (t <= 0) return from;
  if (t >= T) return to;
  double u = t / T, c1 = from.v * T, c2 = from.a * T * T / 2;
  double d = to.q - from.q - c1 - c2, e = to.v * T - c1 - 2 * c2, f = to.a * T * T - 2 * c2;
  double c3 = 10 * d - 4 * e + f / 2, c4 = -15 * d + 7 * e - f, c5 = 6 * d - 3 * e + f / 2;
  hfSetpoint p = {from.q + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5)))),
                  (c1 + u * (2 * c2 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / T,
                  (2 * c2 + u * (6 * c3 + u * (12 * c4 + u * 20 * c5))) / (T * T)};
  return p;
}

static hfSetpoint key_setpoint(int n, const double* times, const double* values, int i) {
  hfSetpoint p = {values[i], 0, 0};
  if (i > 0 && i + 1 < n) p.v = (values[i + 1] - values[i - 1]) / (times[i + 1] - times[i - 1]);
  return p;
}

hfSetpoint hf_keyframes(int n, const double* times, const double* values, double t) {
  assert(n >= 1);
  int i = 0;
  while (i + 1 < n && t >= times[i + 1]) i++;
  hfSetpoint here = key_setpoint(n, times, values, i);
  if (i + 1 == n || t <= times[0]) return here;
  return hf_quintic(here, key_setpoint(n, times, values, i + 1), times[i + 1] - times[i], t - times[i]);
}

hfFootPlan hf_trot(const hfTrot* g, double phase, double t) {
  double cycle = phase + t / g->period, s = cycle - floor(cycle), half = g->speed * g->duty * g->period / 2;
  double swing = (1 - g->duty) * g->period, since = (s - g->duty) * g->period;
  hfFootPlan plan = {.stance = s < g->duty};
  hfSetpoint front = {half, -g->speed, 0}, back = {-half, -g->speed, 0}, ground = {0, 0, 0}, top = {g->lift, 0, 0};
  if (plan.stance) {
    plan.x.q = half - g->speed * s * g->period;
    plan.x.v = -g->speed;
    return plan;
  }
  plan.x = hf_quintic(back, front, swing, since);
  plan.z = since < swing / 2 ? hf_quintic(ground, top, swing / 2, since) : hf_quintic(top, ground, swing / 2, since - swing / 2);
  return plan;
}
