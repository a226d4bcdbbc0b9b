// The slope and the target of a row with a spring and a damper, or of a near-rigid one (docs/theory/one-law.md).
//
//   k, c  stiffness and damping    r   error of the row    h  step
//   w     inverse mass of the row  s0  target velocity     kappa = h k + c, at most the near-rigid slope
//
// At the end of the step the spring is stretched by r + h s: the force -(k (r + h s) + c s) is -kappa (s - s0) with s0 = -k r/kappa.
#include "actuation/actuation.h"

hfSaturatedRow hfi_compliant_row(hfiRows* rows, const hfiActuationStep* step, hfiCompliance law, double w, double r, double r_time) {
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

// A row that is slowed down becomes steeper by at most this factor [-]. Rows that contradict each other pull with large forces: with more than
// this the forces of other rows would be lost in the rounding of theirs.
static const double MOST_STRENGTHENING = 100;

double hfi_strengthen_slowed_row(double slowing) { return min2(slowing, MOST_STRENGTHENING); }
