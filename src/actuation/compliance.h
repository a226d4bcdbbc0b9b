// How steep a row is: that of a spring and a damper, a near-rigid one, and the steepest slope that a step takes (docs/theory/one-law.md).
//
//   k, c  stiffness and damping    r   error of the row    h  step
//   w     inverse mass of the row  s0  target velocity     kappa = h k + c, at most the near-rigid slope
//
// At the end of the step the spring is stretched by r + h s: the force -(k (r + h s) + c s) is -kappa (s - s0) with s0 = -k r/kappa.
#ifndef HFI_ACTUATION_COMPLIANCE_H
#define HFI_ACTUATION_COMPLIANCE_H

#include "actuation/actuation.h"

// A drive or tendon spring, which has a slope kappa of its own, is capped at h kappa w = this [-],
// its target s0 kept. A load then moves it by 1e-6 of what it would in a step without the row, and
// residuals keep ten digits.
static const double HFI_STIFFEST_DRIVE = 1e6;

// A row that is slowed down becomes steeper by at most this factor [-]. Rows that contradict each other pull with large forces: with more than
// this the forces of other rows would be lost in the rounding of theirs.
static const double HFI_MOST_STRENGTHENING = 100;

// Returns kappa, but at most `stiffest`, and counts the rows that are capped.
static inline double hfi_cap_slope(hfiRows* rows, double kappa, double stiffest) {
  rows->ncapped += kappa > stiffest;
  return min2(kappa, stiffest);
}

// Spring and damper of a row with error r; with k = c = 0 the row is near-rigid.
typedef struct hfiCompliance { double k, c; } hfiCompliance; // [N/m, N s/m] or [N m/rad, N m s/rad]

// The near-rigid slope of a row with inverse mass w: h kappa = (2 pi)^2/(beta^2 w).
static inline double hfi_stiffest(const hfiActuationStep* step, double w) {
  return sqr(2 * HFI_PI / step->near_rigid) / (w * step->h);
}

// The row that brings the error r to zero, without bounds and at most with the near-rigid slope. A
// near-rigid row aims at removing its error within r_time [s].
static inline hfSaturatedRow hfi_compliant_row(hfiRows* rows, const hfiActuationStep* step, hfiCompliance law, double w, double r, double r_time) {
  hfSaturatedRow inert = {0, 1, -INFINITY, INFINITY};
  if (!(w > 0)) return inert; // The row moves nothing.
  double stiffest = hfi_stiffest(step, w);
  hfSaturatedRow row = {-r / r_time, stiffest, -INFINITY, INFINITY};
  if (law.k <= 0 && law.c <= 0) return row;
  double kappa = step->h * law.k + law.c;
  row.s0 = -law.k * r / kappa;
  row.kappa = hfi_cap_slope(rows, kappa, stiffest);
  return row;
}

// The factor for the slope of a row that aims at a `slowing` times lower speed than its error asks for [-]. At rest the row then exerts the
// force that it would exert without the bound on its speed: a steady load does not open it for ever, however light what carries it is.
static inline double hfi_strengthen_slowed_row(double slowing) { return min2(slowing, HFI_MOST_STRENGTHENING); }

#endif
