// Transition-aware line search (TAMSI section III-A) for every row that saturates.
//
//   u      unclamped force or slip velocity of a friction group, at the start of a Newton step
//   du     its change over the full step
//   alpha  share of the step that may be taken, 0 < alpha <= 1
//
// A friction group sticks inside a disc |u| <= radius (an interval for one row). Outside of the disc it slips, and its
// force hardly changes. Two kinds of steps are shortened:
//
// 1. A step that starts and ends outside and crosses the disc. The full step would jump over the stiff region inside.
// It is shortened to its point that
//    is closest to the centre:
//
//      |u + alpha du| minimal:   alpha = -u.du/|du|^2,   if |u + alpha du| < radius there
//
// 2. A step that stays outside but turns u by more than theta_max. With the unit vector e along u, the components of u
// + alpha du along and across e are
//    |u| + alpha (u.du)/|u| and alpha |u x du|/|u|. So tan(theta) = alpha |u x du|/(|u|^2 + alpha u.du), which is a
//    linear equation for alpha:
//
//      alpha = |u|^2 sin/(|u x du| cos - u.du sin),   sin and cos of theta_max
//
//    The full step turns u by more than theta_max if |u x du| cos > (|u|^2 + u.du) sin. Then the denominator exceeds
//    |u|^2 sin > 0, and alpha is in (0, 1).
//
// A step that starts inside is not shortened: the law is linear there, so that its derivative is exact.
#include "step/law/tals.h"

#include "step/law/law.h"

// Returns the share of a step from u to u + du that the stick region lo <= u <= hi of one row allows.
double hfi_tals_interval(double u, double du, double lo, double hi) {
  double end = u + du;
  int crosses = (u > hi && end < lo) || (u < lo && end > hi);
  if (!crosses || !(lo < hi)) return 1;
  return hfi_tals_step_or_one((0.5 * (lo + hi) - u) / du);
}

// Returns the same for a saturated row and a step from row velocity s to s1.
double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1) {
  double f = hfi_saturated_unclamped(row, s);
  return hfi_tals_interval(f, hfi_saturated_unclamped(row, s1) - f, row->lo, row->hi);
}
