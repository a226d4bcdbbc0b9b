// Transition-aware line search: shortens a Newton step that would jump across a stick region.
#ifndef HFI_LAW_TALS_H
#define HFI_LAW_TALS_H

#include "math/sine.h"
#include "step/law/law.h"

#include <math.h>

// Bounds of theta_max [rad]. A smaller theta_max would shorten nearly every step of a contact that slips; an angle
// cannot exceed pi.
#define HFI_LEAST_TURN 1e-3
#define HFI_LARGEST_TURN 3.14
static inline int hfi_turn_is_allowed(double theta_max) {
  return theta_max >= HFI_LEAST_TURN && theta_max <= HFI_LARGEST_TURN;
}

// Returns alpha if it is in (0, 1), else 1. An overflow must not produce any other step.
static inline double hfi_tals_step_or_one(double alpha) { return alpha > 0 && alpha < 1 ? alpha : 1; }

// Returns the share alpha in (0, 1] of a step from u to u + du that the stick region |u| <= radius allows. turn: sine
// and cosine of theta_max, the largest angle by which one iteration may turn a slip velocity. It is inline, because it
// is called for every contact that slips in every iteration.
static inline double hfi_tals_disc(const double u[2], const double du[2], double radius, hfiSine turn) {
  // steps that start or end inside
  double uu = u[0] * u[0] + u[1] * u[1];
  double rr = radius * radius;
  if (!(uu > rr)) return 1;
  double end0 = u[0] + du[0];
  double end1 = u[1] + du[1];
  if (!(end0 * end0 + end1 * end1 > rr)) return 1;

  // 1. steps that cross the disc, 2. steps that turn too far (tals.c)
  double along = u[0] * du[0] + u[1] * du[1];
  double dd = du[0] * du[0] + du[1] * du[1];
  double across = fabs(u[0] * du[1] - u[1] * du[0]);
  if (along < 0 && -along < dd && across * across < rr * dd) return hfi_tals_step_or_one(-along / dd);
  if (across * turn.cos <= (uu + along) * turn.sin) return 1;
  return hfi_tals_step_or_one(uu * turn.sin / (across * turn.cos - along * turn.sin));
}
// The same for one row with the stick region lo <= u <= hi.
double hfi_tals_interval(double u, double du, double lo, double hi);

// The same for friction group g of a contact and a step from row velocities s to s1. pi: the normal force at s [N].
static inline double hfi_tals_contact(const hfContactLaw* law, double h, int g, double pi,
                                      const double* s, const double* s1, hfiSine turn) {
  double u[2];
  double end[2];
  double radius = hfi_contact_stick(law, h, g, pi, s, u);
  if (!(law->mu[g] > 0 && u[0] * u[0] + u[1] * u[1] > radius * radius)) return 1;

  hfi_contact_stick(law, h, g, pi, s1, end);
  double du[2] = {end[0] - u[0], end[1] - u[1]};
  if (hfi_group_dim(g) == 1) return hfi_tals_interval(u[0], du[0], -radius, radius);
  return hfi_tals_disc(u, du, radius, turn);
}
// The same for a saturated row and a step from row velocity s to s1.
double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1);

#endif
