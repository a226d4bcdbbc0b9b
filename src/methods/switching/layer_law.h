// The laws of the compliant layer (hfLayerLaw), as functions of u = deformation/L >= 0 (grasp-switching Eq. 6, 7).
//
//   force = k E(u) deformation + c D(u) rate
//
// One table of formulas serves the normal and the tangential direction. The slope d(u E)/du is what a stability test
// needs of the spring, and Newton's method with dD/du; the inverse of u E(u) = x gives the deformation under a force k
// L x, and the integral of u E(u) the energy of the spring.
#ifndef HFI_SWITCHING_LAYER_LAW_H
#define HFI_SWITCHING_LAYER_LAW_H

#include "math/vec3.h"

#include <holdfast/methods.h>

// The law at one u.
typedef struct hfiLayerFactors {
  double elastic;       // E [-]
  double damping;       // D [-]
  double slope;         // d(u E)/du [-]
  double damping_slope; // dD/du, for u > 0 [-]
  double energy;        // (integral of u E du)/u^2: the energy of the spring is k deformation^2 times this [-]
} hfiLayerFactors;

// Returns the factors of a law (hfLayerLaw) at u.
static inline hfiLayerFactors hfi_layer_factors(int law, double u) {
  switch (law) {
  case HF_LAYER_HERTZ:
    return (hfiLayerFactors){sqrt(u), sqrt(u), 1.5 * sqrt(u), 0.5 / sqrt(u), 0.4 * sqrt(u)};
  case HF_LAYER_HUNT_CROSSLEY:
    return (hfiLayerFactors){1, u, 1, 1, 0.5};
  case HF_LAYER_STIFFENING:
    return (hfiLayerFactors){1 + u * u, 1 + u * u, 1 + 3 * u * u, 2 * u, 0.5 + 0.25 * u * u};
  default:
    return (hfiLayerFactors){1, 1, 1, 0, 0.5};
  }
}

// Solves u + u^3 = x >= 0 by Newton's method from above, where u + u^3 is convex: u <- (2 u^3 + x)/(3 u^2 + 1) falls to

// the root until rounding stops it.
static inline double hfi_solve_stiffening(double x) {
  double u = min2(x, hfi_cbrt(x));
  for (;;) {
    double next = (2 * u * u * u + x) / (3 * u * u + 1);
    if (!(next < u)) return u;
    u = next;
  }
}

// The u with u E(u) = x >= 0.
static inline double hfi_layer_inverse(int law, double x) {
  if (law == HF_LAYER_HERTZ) return hfi_cbrt(x * x);
  return law == HF_LAYER_STIFFENING ? hfi_solve_stiffening(x) : x;
}

#endif
