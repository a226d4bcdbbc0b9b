// The slopes of rows: that of a spring and a damper, the near-rigid slope, and the steepest slope of a step (docs/theory/one-law.md).
//
//   k, c  stiffness and damping    r   error of the row    h  step
//   w     inverse mass of the row  s0  target velocity     kappa = h k + c, at most the near-rigid slope
//
// At the end of the step the spring is stretched by r + h s: the force -(k (r + h s) + c s) is -kappa (s - s0) with s0 = -k r/kappa.
#ifndef HFI_ACTUATION_COMPLIANCE_H
#define HFI_ACTUATION_COMPLIANCE_H

#include "step/actuation/actuation.h"

// The slope kappa of a drive or tendon spring is capped at h kappa w = this [-]; its target s0 stays. A load then moves it by 1e-6 of the distance
// that it would move without the row, and residuals keep ten digits.
static const double HFI_STIFFEST_DRIVE = 1e6;

// A row that is slowed down becomes steeper by at most this factor [-]. Rows that contradict each other pull with large forces. With a larger factor
// the rounding errors of these forces would be as large as the forces of other rows.
static const double HFI_MOST_STRENGTHENING = 100;

// Returns the smaller one of kappa and `stiffest`, and counts the rows that are capped.
static inline double hfi_cap_slope(hfiRows* rows, double kappa, double stiffest) {
  rows->ncapped += kappa > stiffest;
  return min2(kappa, stiffest);
}

// Spring and damper of a row with error r; with k = c = 0 the row is near-rigid.
typedef struct hfiCompliance { double k, c; } hfiCompliance; // [N/m, N s/m] or [N m/rad, N m s/rad]

// h kappa w of a near-rigid row: (2 pi/beta)^2 [-].
static inline double hfi_near_rigid(const hfiActuationStep* step) { return sqr(2 * HFI_PI / step->near_rigid); }
// The near-rigid slope of a row with inverse mass w.
static inline double hfi_stiffest(const hfiActuationStep* step, double w) { return hfi_near_rigid(step) / (w * step->h); }

// The row that brings the error r to zero, without bounds. Its slope is at most the near-rigid one. A near-rigid row aims at removing its error
// within r_time [s].
static inline hfSaturatedRow hfi_compliant_row(hfiRows* rows, const hfiActuationStep* step, hfiCompliance law, double w, double r, double r_time) {
  hfSaturatedRow inert = {0, 1, -INFINITY, INFINITY};
  if (!(w > 0)) return inert; // The row moves no dof.
  double stiffest = hfi_stiffest(step, w);
  hfSaturatedRow row = {-r / r_time, stiffest, -INFINITY, INFINITY};
  if (law.k <= 0 && law.c <= 0) return row;
  double kappa = step->h * law.k + law.c;
  row.s0 = -law.k * r / kappa;
  row.kappa = hfi_cap_slope(rows, kappa, stiffest);
  return row;
}

// A row whose speed is bounded aims at a speed that is `slowing` times lower than the one at which its error would be removed. Its slope is
// multiplied by the factor that this function returns [-]. At rest the row then exerts the force that it would exert without the bound, so that a
// steady load does not open it further and further, however light the bodies are.
static inline double hfi_strengthen_slowed_row(double slowing) { return min2(slowing, HFI_MOST_STRENGTHENING); }

#endif
