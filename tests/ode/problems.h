// Equations with known answers, shared by the tests of the integrators.
#ifndef HF_TESTS_INTEGRATE_PROBLEMS_H
#define HF_TESTS_INTEGRATE_PROBLEMS_H

#include "../../experiments/tamsi/box_model.h"
#include "math/vec3.h"
#include "support/near.h"

#include <holdfast/integrate.h>
#include <string.h>

// ---- pendulum: theta'' = -g/l sin theta - c theta' ---------------------------------------------

typedef struct pendulumModel { double g_over_l, damping; } pendulumModel;

static inline hfStatus pendulum_rhs(void* context, double t, const double* x, double* xdot) {
  const pendulumModel* p = context;
  (void)t;
  xdot[0] = x[1];
  xdot[1] = -p->g_over_l * sin(x[0]) - p->damping * x[1];
  return HF_OK;
}
static inline hfStatus pendulum_jacobian(void* context, double t, const double* x, double* J) {
  const pendulumModel* p = context;
  (void)t;
  J[0] = 0;
  J[1] = 1;
  J[2] = -p->g_over_l * cos(x[0]);
  J[3] = -p->damping;
  return HF_OK;
}
static inline hfOde pendulum_ode(pendulumModel* p) {
  hfOde ode = {.context = p, .nx = 2, .n = 2, .rhs = pendulum_rhs, .jacobian = pendulum_jacobian};
  return ode;
}

// ---- torque-free body: x = (q_WB, w_B), tangent (rotation in the body, w) ----------------------------

typedef struct bodyModel { double I[3]; } bodyModel;

static inline hfStatus body_rhs(void* context, double t, const double* x, double* xdot) {
  const double *I = ((const bodyModel*)context)->I, *w = x + 4;
  (void)t;
  for (int i = 0; i < 3; ++i) xdot[i] = w[i];
  xdot[3] = (I[1] - I[2]) * w[1] * w[2] / I[0];
  xdot[4] = (I[2] - I[0]) * w[2] * w[0] / I[1];
  xdot[5] = (I[0] - I[1]) * w[0] * w[1] / I[2];
  return HF_OK;
}
static inline void body_plus(void* context, const double* x0, const double* u, double* x) {
  (void)context;
  q_store(x, q_unit(q_mul(q_load(x0), q_exp(v3_load(u)))));
  for (int i = 0; i < 3; ++i) x[4 + i] = x0[4 + i] + u[3 + i];
}
// q = q0 exp(u), body rates: udot = w + u x w/2 + b(|u|) u x (u x w)
static inline void body_lift(void* context, const double* u, double* xdot) {
  hfVec3 r = v3_load(u), w = v3_load(xdot);
  double a = v3_norm(r), b = a > 1e-3 ? (1 - 0.5 * a / tan(0.5 * a)) / (a * a) : 1. / 12 + a * a / 720;
  hfVec3 rw = v3_cross(r, w);
  (void)context;
  v3_store(xdot, v3_axpy(b, v3_cross(r, rw), v3_axpy(0.5, rw, w)));
}
static inline hfOde body_ode(bodyModel* b) {
  hfOde ode = {.context = b, .nx = 7, .n = 6, .rhs = body_rhs, .plus = body_plus, .lift = body_lift};
  return ode;
}

// ---- elastic ball on a plane: x = (height of the lowest point, velocity) ----------------------------

typedef struct ballModel { double mass, gravity, stiffness; } ballModel;

static inline hfStatus ball_rhs(void* context, double t, const double* x, double* xdot) {
  const ballModel* b = context;
  (void)t;
  xdot[0] = x[1];
  xdot[1] = -b->gravity + b->stiffness / b->mass * fmax(0, -x[0]);
  return HF_OK;
}
static inline hfOde ball_ode(ballModel* b) {
  hfOde ode = {.context = b, .nx = 2, .n = 2, .rhs = ball_rhs};
  return ode;
}
// Exact: a parabola above the plane, a sine about the resting depth below it.
static inline void ball_flow(const ballModel* b, double dt, double* x) {
  while (dt > 0) {
    int below = x[0] < 0 || (x[0] == 0 && x[1] < 0);
    double w = sqrt(b->stiffness / b->mass), rest = -b->gravity / (w * w), end;
    if (!below) {
      end = (x[1] + sqrt(x[1] * x[1] + 2 * b->gravity * x[0])) / b->gravity;
    } else { // x - rest = R cos(w t + phase) returns to -rest: cos = -rest/R on the rising side
      double R = hypot(x[0] - rest, x[1] / w), phase = atan2(-x[1] / w, x[0] - rest);
      end = (2 * HFI_PI - acos(-rest / R) - phase) / w;
      while (end * w > 2 * HFI_PI - 1e-12) end -= 2 * HFI_PI / w;
    }
    double t = fmin(end, dt), x0 = x[0], v0 = x[1];
    if (!below) {
      x[0] = x0 + v0 * t - 0.5 * b->gravity * t * t;
      x[1] = v0 - b->gravity * t;
    } else {
      x[0] = rest + (x0 - rest) * cos(w * t) + v0 / w * sin(w * t);
      x[1] = v0 * cos(w * t) - (x0 - rest) * w * sin(w * t);
    }
    if (end <= dt) x[0] = 0;
    dt -= t;
  }
}

// ---- the classical Runge-Kutta method, as an oracle for smooth equations ------------------------------

static inline void oracle_flow(const hfOde* ode, double t, double dt, int steps, double* x) {
  double k[4][16], u[16], y[16], sum[16];
  static const double a[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double h = dt / steps;
  for (int s = 0; s < steps; ++s, t += h) {
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < ode->n; ++j) u[j] = i ? h * a[i] * k[i - 1][j] : 0;
      if (ode->plus) ode->plus(ode->context, x, u, y);
      else for (int j = 0; j < ode->n; ++j) y[j] = x[j] + u[j];
      ode->rhs(ode->context, t + a[i] * h, y, k[i]);
      if (ode->lift) ode->lift(ode->context, u, k[i]);
      for (int j = 0; j < ode->n; ++j) sum[j] += h * b[i] * k[i][j];
    }
    if (ode->plus) ode->plus(ode->context, x, sum, y);
    else for (int j = 0; j < ode->n; ++j) y[j] = x[j] + sum[j];
    memcpy(x, y, (size_t)ode->nx * sizeof *x);
  }
}

#endif
