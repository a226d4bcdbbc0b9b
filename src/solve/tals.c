// Transition-aware line search (TAMSI section III-A) for every row that saturates.
//
//   u      unclamped force or slip velocity of a friction group, at the start of a Newton step
//   du     its change over the full step
//   alpha  share of the step that may be taken, 0 < alpha <= 1
//
// A row sticks inside a disc |u| <= radius (an interval for one row). Outside it slips, and its
// force hardly changes. Two kinds of steps are shortened:
//
// 1. A step that starts and ends outside and crosses the disc. It would not notice the stiff region
//    inside, so it ends at the point of the segment that is closest to the centre:
//
//      |u + alpha du| minimal:   alpha = -u.du/|du|^2,   if |u + alpha du| < radius there
//
// 2. A step that stays outside but turns u by more than theta_max. With the unit vector e along u, the
//    components along and across e at alpha are |u| + alpha (u.du)/|u| and alpha |u x du|/|u|, and
//    tan(theta) = alpha |u x du|/(|u|^2 + alpha u.du) is a linear equation for alpha:
//
//      alpha = |u|^2 sin/(|u x du| cos - u.du sin),   sin and cos of theta_max
//
//    The full step turns further than theta_max if |u x du| cos > (|u|^2 + u.du) sin; then the
//    denominator exceeds |u|^2 sin > 0 and alpha lies in (0, 1).
//
// A step that starts inside is not shortened: with a law that is linear there the derivative is
// exact.
#include "solve/tals.h"

#include "solve/law.h"

double hfi_tals_interval(double u, double du, double lo, double hi) {
  double end = u + du;
  if (!((u > hi && end < lo) || (u < lo && end > hi)) || !(lo < hi)) return 1;
  return hfi_tals_step_or_one((0.5 * (lo + hi) - u) / du);
}

double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1) {
  double f = hfi_saturated_unclamped(row, s);
  return hfi_tals_interval(f, hfi_saturated_unclamped(row, s1) - f, row->lo, row->hi);
}
