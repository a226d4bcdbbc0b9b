// Transition-aware line search (TAMSI section III-A) for every saturating row.
//
// A row sticks inside a disc (an interval for one row) and slips outside, where its force hardly
// changes. A Newton step that starts and ends outside and crosses the disc would miss the stiff
// region: it is cut at the point of the segment closest to the centre, u . du = 0. One that stays
// outside may turn by at most theta_max. With the linear law the derivative inside the disc is
// constant, so there is no need to leave or enter the disc by halves, nor for a soft norm.
//
//   crossing   alpha = -u.du/|du|^2,            |u + alpha du| < radius
//   turning    alpha = |u|^2 sin/(|u x du| cos - u.du sin),   the angle of u and u + alpha du is
//   theta_max
//
// The turn is a linear equation: with e = u/|u| and c = |u x du|/|u|, a = u.du/|u|, the point is
// (|u| + alpha a, alpha c) and tan theta = alpha c/(|u| + alpha a). Where the full step turns
// further, |u x du| cos > (|u|^2 + u.du) sin, so the denominator exceeds |u|^2 sin and alpha is in
// (0, 1).
#include "solve/tals.h"

#include "math/vec3.h"
#include "solve/law.h"

// A step in (0, 1], whatever overflowed on the way.
static double step_or_one(double alpha) { return alpha > 0 && alpha < 1 ? alpha : 1; }

double hfi_tals_disc(const double u[2], const double du[2], double radius, hfiTurn turn) {
  double uu = u[0] * u[0] + u[1] * u[1], rr = radius * radius;
  if (!(uu > rr)) return 1;
  double e0 = u[0] + du[0], e1 = u[1] + du[1];
  if (!(e0 * e0 + e1 * e1 > rr)) return 1;
  double along = u[0] * du[0] + u[1] * du[1], dd = du[0] * du[0] + du[1] * du[1];
  double across = fabs(u[0] * du[1] - u[1] * du[0]);
  if (along < 0 && -along < dd && across * across < rr * dd) return step_or_one(-along / dd);
  if (across * turn.cos <= (uu + along) * turn.sin) return 1;
  return step_or_one(uu * turn.sin / (across * turn.cos - along * turn.sin));
}

double hfi_tals_interval(double u, double du, double lo, double hi) {
  double end = u + du;
  if (!((u > hi && end < lo) || (u < lo && end > hi)) || !(lo < hi)) return 1;
  return step_or_one((0.5 * (lo + hi) - u) / du);
}

double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1) {
  double f = hfi_saturated_free(row, s);
  return hfi_tals_interval(f, hfi_saturated_free(row, s1) - f, row->lo, row->hi);
}
