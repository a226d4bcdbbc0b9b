// The stick-slip box of the TAMSI paper, section IV-A, as a plain equation and in closed form.
//
//   xdot = v,   m vdot = F cos(2 pi t) - mu W g(v/v_s)
//
//   g(s) = clamp(s, -1, 1)      linear law, Eq. (7): exact flow below, piece by piece
//   g(s) = s/sqrt(1 + s^2)      smooth law, the same slope at zero
//   g(s) = sign(s)              Coulomb's limit v_s -> 0: exact flow below
//
// The force is the cosine: only that brings the first transition into the step from 0.160 to 0.170 s.
#ifndef HF_EXPERIMENTS_TAMSI_BOX_MODEL_H
#define HF_EXPERIMENTS_TAMSI_BOX_MODEL_H

#include <holdfast/integrate.h>
#include <math.h>

typedef struct boxModel {
  double mass;           // [kg]
  double friction;       // mu W [N]
  double amplitude;      // F [N]
  double omega;          // [rad/s]
  double stiction_speed; // v_s [m/s]
  int smooth;            // 1: the smooth law
} boxModel;

static inline boxModel box_paper(int smooth) {
  boxModel box = {.33, .33 * 9.8, 4, 2 * 3.14159265358979323846, 1e-4, smooth};
  return box;
}

static inline double box_force(const boxModel* box, double t) { return box->amplitude * cos(box->omega * t); }

// ---- the equation ---------------------------------------------------------------------------------

static inline hfStatus box_rhs(void* context, double t, const double* x, double* xdot) {
  const boxModel* box = context;
  double s = x[1] / box->stiction_speed;
  double g = box->smooth ? s / sqrt(1 + s * s) : fmax(-1, fmin(1, s));
  xdot[0] = x[1];
  xdot[1] = (box_force(box, t) - box->friction * g) / box->mass;
  return HF_OK;
}

static inline hfStatus box_jacobian(void* context, double t, const double* x, double* J) {
  const boxModel* box = context;
  double s = x[1] / box->stiction_speed, r = 1 / sqrt(1 + s * s);
  double slope = box->smooth ? r * r * r : fabs(s) < 1;
  (void)t;
  J[0] = 0;
  J[1] = 1;
  J[2] = 0;
  J[3] = -box->friction / box->mass * slope / box->stiction_speed;
  return HF_OK;
}

// An update from one side of the stick region to the other stops where v dv = 0: at rest.
static inline double box_limit(void* context, double t, const double* x, const double* du) {
  double vs = ((const boxModel*)context)->stiction_speed, v = x[1], end = v + du[1];
  (void)t;
  return fabs(v) > vs && fabs(end) > vs && v * end < 0 ? -v / du[1] : 1;
}

// Sticks, slides to the right, slides to the left.
static inline uint64_t box_region(void* context, double t, const double* x) {
  double vs = ((const boxModel*)context)->stiction_speed;
  (void)t;
  return x[1] > vs ? 1 : x[1] < -vs ? 2 : 0;
}

static inline hfOde box_ode(boxModel* box) {
  hfOde ode = {.context = box, .nx = 2, .n = 2, .rhs = box_rhs, .jacobian = box_jacobian, .limit = box_limit, .region = box_region};
  return ode;
}

// ---- exact pieces ---------------------------------------------------------------------------------

// Sliding towards `side` (+1, -1) from v0 at t0.
static inline double box_slide(const boxModel* box, double t0, double v0, int side, double t) {
  double w = box->omega, m = box->mass;
  return v0 + box->amplitude / (m * w) * (sin(w * t) - sin(w * t0)) - side * box->friction / m * (t - t0);
}

// Sticking, linear law: vdot = (F/m) cos(w t) - lambda v, the steady response and a decaying part.
static inline double box_stick(const boxModel* box, double t0, double v0, double t) {
  double w = box->omega, lambda = box->friction / (box->mass * box->stiction_speed);
  double c = box->amplitude / box->mass / (lambda * lambda + w * w);
  double steady = c * (lambda * cos(w * t) + w * sin(w * t));
  double steady0 = c * (lambda * cos(w * t0) + w * sin(w * t0));
  return steady + (v0 - steady0) * exp(-lambda * (t - t0));
}

// What of a piece must stay positive: the distance to its end.
static inline double box_margin(const boxModel* box, double t0, double v0, int side, double edge, double t) {
  return side ? side * box_slide(box, t0, v0, side, t) - edge : edge - fabs(box_stick(box, t0, v0, t));
}

// The first zero of the margin in (t0, t1], or t1 + 1. Samples lie closer than any two zeros: 1/8 of
// the decay 1/lambda after the start of sticking, else 50 us against a force of period 1 s.
static inline double box_piece_end(const boxModel* box, double t0, double v0, int side, double edge, double t1) {
  double lambda = box->friction / (box->mass * box->stiction_speed), a = t0;
  while (a < t1) {
    double dt = !side && a - t0 < 40 / lambda ? 0.125 / lambda : 5e-5;
    double b = fmin(a + dt, t1);
    if (box_margin(box, t0, v0, side, edge, b) < 0) {
      for (int i = 0; i < 200 && b - a > 1e-17; ++i) {
        double mid = 0.5 * (a + b);
        if (mid <= a || mid >= b) break;
        if (box_margin(box, t0, v0, side, edge, mid) < 0) b = mid;
        else a = mid;
      }
      return b;
    }
    a = b;
  }
  return t1 + 1;
}

// v at t1 from v0 at t0 under the linear law, exact to round-off.
static inline double box_flow(const boxModel* box, double t0, double v0, double t1) {
  double vs = box->stiction_speed;
  while (t0 < t1) {
    int out = v0 > 0 ? 1 : -1;
    double pull = out * box_force(box, t0) - box->friction; // at the edge: outwards when positive
    int side = fabs(v0) > vs * (1 + 1e-12) || (fabs(v0) > vs * (1 - 1e-12) && pull > 0) ? out : 0;
    if (fabs(fabs(v0) - vs) <= 1e-12 * vs) v0 = out * vs;
    double end = box_piece_end(box, t0, v0, side, vs, t1), t = fmin(end, t1);
    v0 = side ? box_slide(box, t0, v0, side, t) : box_stick(box, t0, v0, t);
    if (end <= t1) v0 = (v0 > 0 ? 1 : -1) * vs;
    t0 = t;
  }
  return v0;
}

// v at t1 in Coulomb's limit. *change, if given, receives the first change of mode after t0 (t1 + 1:
// none).
static inline double box_flow_coulomb(const boxModel* box, double t0, double v0, double t1, double* change) {
  if (change) *change = t1 + 1;
  while (t0 < t1) {
    double f = box_force(box, t0);
    int side = v0 > 0 ? 1 : v0 < 0 ? -1 : fabs(f) > box->friction ? (f > 0 ? 1 : -1) : 0;
    double end;
    if (side) {
      end = box_piece_end(box, t0, v0, side, 0, t1);
      v0 = end <= t1 ? 0 : box_slide(box, t0, v0, side, t1);
    } else { // rests until |cos(w t)| = mu W/F, next after t0
      double phase = acos(box->friction / box->amplitude), half = 3.14159265358979323846;
      double k = ceil((box->omega * t0 + phase) / half);
      end = (k * half - phase) / box->omega + 1e-15;
      v0 = 0;
    }
    if (change && end <= t1 && *change > t1) *change = end;
    t0 = fmin(end, t1);
  }
  return v0;
}

#endif
