// MuJoCo's soft constraint in physical terms.
//
// Its force at depth r and separation speed v, for a row of inverse mass w, is
//
//   f = (k d(r) r - b v) d(r)/((1 - d(r)) w)
//   k = 1/(dmax^2 T^2 z^2), b = 2/(dmax T)         solref = (T, z): time constant, damping ratio
//   k = -solref0/dmax^2,    b = -solref1/dmax       negative solref
//
// with the impedance d(r) rising from d0 to dmax over the width. Under the load g/w it rests where
// k d^2 r = (1 - d) g. There
//
//   stiffness (secant)     K = f/r = k d^2/((1 - d) w)
//   damping                C = b d/((1 - d) w) = K r D,  so  D = b/(k d r)
//
// docs/guide/from-mujoco.md shows the derivation and a comparison with MuJoCo itself.
#include "contact/solref.h"

#include "math/vec3.h"

double hfi_solimp_impedance(const double* solimp, double r) {
  double d0 = clamp(solimp[0], 1e-4, 0.9999), dmax = clamp(solimp[1], 1e-4, 0.9999);
  double width = max2(solimp[2], 1e-15), mid = clamp(solimp[3], 1e-4, 0.9999),
         power = max2(solimp[4], 1);
  double x = min2(r / width, 1);
  double y = x <= mid ? pow(x, power) / pow(mid, power - 1)
                      : 1 - pow(1 - x, power) / pow(1 - mid, power - 1);
  return d0 + y * (dmax - d0);
}

hfiCompliantContact hfi_solref_translate(const double* solref, const double* solimp, double w,
                                         double g, double h) {
  double dmax = clamp(solimp[1], 1e-4, 0.9999), k, b;
  if (solref[0] > 0) {
    double T = max2(solref[0], 2 * h), z = max2(solref[1], 1e-6);
    k = 1 / sqr(dmax * T * z), b = 2 / (dmax * T);
  } else
    k = -solref[0] / sqr(dmax), b = -solref[1] / dmax;
  // k d^2 r - (1 - d) g rises with r: bisection between zero and the softest answer
  double lo = 0, hi = g / (k * sqr(min2(clamp(solimp[0], 1e-4, 0.9999), dmax)));
  for (int i = 0; i < 100 && hi - lo > 1e-14 * hi; ++i) {
    double r = 0.5 * (lo + hi), d = hfi_solimp_impedance(solimp, r);
    if (k * d * d * r < (1 - d) * g)
      lo = r;
    else
      hi = r;
  }
  double r = 0.5 * (lo + hi), d = hfi_solimp_impedance(solimp, r);
  hfiCompliantContact out = {k * d * d / ((1 - d) * w), b / (k * d * r), r};
  return out;
}
