// Transition-aware line search: shortens a Newton step that would jump across a stick region.
#ifndef HFI_SOLVE_TALS_H
#define HFI_SOLVE_TALS_H

#include "solve/law.h"

// Sine and cosine of theta_max, the largest angle by which one iteration may turn a slip velocity.
typedef struct hfiTurn {
  double sin, cos;
} hfiTurn;

// Returns the share alpha in (0, 1] of a step from u to u + du for the stick region |u| <= radius.
double hfi_tals_disc(const double u[2], const double du[2], double radius, hfiTurn turn);
// The same for one row with the stick region lo <= u <= hi.
double hfi_tals_interval(double u, double du, double lo, double hi);

// The same for friction group g of a contact and a step from row velocities s to s1. pi is the
// normal force at s [N].
static inline double hfi_tals_contact(const hfContactLaw* law, double h, int g, double pi,
                                      const double* s, const double* s1, hfiTurn turn) {
  double u[2], end[2], radius = hfi_contact_stick(law, h, g, pi, s, u);
  if (!(law->mu[g] > 0 && u[0] * u[0] + u[1] * u[1] > radius * radius)) return 1;
  hfi_contact_stick(law, h, g, pi, s1, end);
  double du[2] = {end[0] - u[0], end[1] - u[1]};
  if (hfi_group_dim(g) == 1) return hfi_tals_interval(u[0], du[0], -radius, radius);
  return hfi_tals_disc(u, du, radius, turn);
}
// The same for a saturated row and a step from row velocity s to s1.
double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1);

#endif
