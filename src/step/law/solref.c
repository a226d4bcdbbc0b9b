// MuJoCo's soft constraint in a step.
//
// Its force at depth r, separation speed v and acceleration a, for a row of inverse mass w, is
//
//   f = (k d(r) r - b v - a) d(r)/((1 - d(r)) w)
//   k = 1/(dmax^2 T^2 z^2), b = 2/(dmax T)         solref = (T, z): time constant, damping ratio
//   k = -solref0/dmax^2,    b = -solref1/dmax       negative solref
//
// with the impedance d(r) rising from d0 to dmax over the width. At rest it is F(r) = k d^2 r/((1 - d) w). A step of
// length h from depth r and speed v0 ends at depth r - h v with a = (v - v0)/h. Linearised at r it is
//
//   f = F + m v0/h - (h F' + c + m/h) v,   m = d/((1 - d) w),  c = b m,  F' = dF/dr
//
// A contact that is still open (r <= 0) has no force before it touches. It then brakes a free body as MuJoCo does,
// by d0 (k d0 r - b v): f = (k d0^2 + b d0/h) (r - h v)+/w.
//
// docs/guide/from-mujoco.md shows where this comes from and a comparison with MuJoCo itself.
#include "step/law/solref.h"

#include "math/vec3.h"

#include <stddef.h>

const double HFI_DEFAULT_SOLREF[2] = {0.02, 1};
const double HFI_DEFAULT_SOLIMP[5] = {0.9, 0.95, 0.001, 0.5, 2};

// MuJoCo keeps impedances within these bounds [-],
static const double LEAST_IMPEDANCE = 1e-4;
static const double LARGEST_IMPEDANCE = 0.9999;
// the width of an impedance above this [m],
static const double LEAST_WIDTH = 1e-15;
// and the damping ratio above this [-].
static const double LEAST_SOLREF_DAMPING_RATIO = 1e-6;
// The resting depth is found up to this share of itself [-].
static const double DEPTH_ROUNDING_SHARE = 1e-14;
// Bisection takes at most this many steps.
enum { MAX_BISECTIONS = 100 };

// Returns the impedance within the bounds that MuJoCo allows.
static double bound_impedance(double impedance) { return clamp(impedance, LEAST_IMPEDANCE, LARGEST_IMPEDANCE); }

// Returns x^power; squares and lines are the usual cases.
static double raise_to(double x, double power) {
  if (power == 2) return x * x;
  return power == 1 ? x : hfi_pow(x, power);
}

// Returns the impedance d(r) [-] and, if slope is not NULL, writes dd/dr [1/m]. solimp (5): d0, dmax, width, midpoint
// m, power p; r >= 0: the violation. With x = r/width, d rises from d0 to dmax by
//
//   d = d0 + (dmax - d0) y(x),   y = m (x/m)^p for x <= m,   1 - y = (1 - m) ((1 - x)/(1 - m))^p beyond it
double hfi_solimp_impedance(const double* solimp, double r, double* slope) {
  double d0 = bound_impedance(solimp[0]);
  double dmax = bound_impedance(solimp[1]);
  double width = max2(solimp[2], LEAST_WIDTH);
  double mid = bound_impedance(solimp[3]);
  double power = max2(solimp[4], 1);

  // beyond the width
  double x = r / width;
  if (slope) *slope = 0;
  if (x >= 1) return dmax;

  // before the midpoint y is found, after it 1 - y
  int is_first = x <= mid;
  double share = is_first ? x / mid : (1 - x) / (1 - mid);
  double part = is_first ? mid : 1 - mid;
  double y = part * raise_to(share, power);

  if (slope) *slope = (dmax - d0) / width * power * raise_to(share, power - 1);
  return d0 + (is_first ? y : 1 - y) * (dmax - d0);
}

// Returns MuJoCo's law for a row of inverse mass w: solref is a time constant T and a damping ratio z, or, if negative,
// stiffness and damping. h: the scene's timestep [s]; T is at least 2 h.
hfiSoftLaw hfi_soft_law(const double* solref, const double* solimp, double w, double h) {
  hfiSoftLaw law = {0, 0, {solimp[0], solimp[1], solimp[2], solimp[3], solimp[4]}, w};
  double dmax = bound_impedance(solimp[1]);

  if (solref[0] > 0) {
    double T = max2(solref[0], 2 * h);
    double z = max2(solref[1], LEAST_SOLREF_DAMPING_RATIO);
    law.k = 1 / sqr(dmax * T * z);
    law.b = 2 / (dmax * T);
  } else {
    law.k = -solref[0] / sqr(dmax);
    law.b = -solref[1] / dmax;
  }
  return law;
}

// Returns the depth r [m] with k d^2 r = (1 - d) g. The left side less the right one rises with r: bisection between
// zero and the softest answer.
double hfi_soft_resting_depth(const hfiSoftLaw* law, double g) {
  double softest = min2(bound_impedance(law->solimp[0]), bound_impedance(law->solimp[1]));
  double lo = 0;
  double hi = g / (law->k * sqr(softest));

  for (int i = 0; i < MAX_BISECTIONS && hi - lo > DEPTH_ROUNDING_SHARE * hi; ++i) {
    double r = 0.5 * (lo + hi);
    double d = hfi_solimp_impedance(law->solimp, r, NULL);
    if (law->k * d * d * r < (1 - d) * g) lo = r;
    else hi = r;
  }
  return 0.5 * (lo + hi);
}

// Returns force, secant and tangent stiffness, and the mass m of the law at depth r.
hfiSoftPoint hfi_soft_point(const hfiSoftLaw* law, double r) {
  double slope;
  double d = hfi_solimp_impedance(law->solimp, r, &slope);
  double m = d / ((1 - d) * law->w);
  hfiSoftPoint p = {law->k * d * r * m, law->k * d * m, 0, m};
  if (r > 0) p.secant = p.force / r;
  p.tangent = p.secant + law->k * r * d * slope * (2 - d) / (sqr(1 - d) * law->w);
  return p;
}

// Returns the law of a step that starts at depth r with separation speed v0, linearised at r.
hfiSoftStep hfi_soft_step(const hfiSoftLaw* law, double r, double v0, double h) {
  // still open: brakes as MuJoCo does once it touches
  if (r <= 0) {
    double d = hfi_solimp_impedance(law->solimp, 0, NULL);
    hfiSoftStep open = {(law->k * d + law->b / h) * d / law->w, r};
    return open;
  }

  hfiSoftPoint p = hfi_soft_point(law, r);
  double stiffness = p.tangent + law->b * p.mass / h + p.mass / sqr(h);
  hfiSoftStep step = {stiffness, (p.force + p.mass * v0 / h) / stiffness};
  return step;
}
