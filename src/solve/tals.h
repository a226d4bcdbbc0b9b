// The transition-aware line search: how far a Newton step may go before it jumps across a stick
// region.
#ifndef HFI_SOLVE_TALS_H
#define HFI_SOLVE_TALS_H

#include "solve/law.h"

// sin and cos of the largest turn theta_max of a slip velocity in one iteration.
typedef struct hfiTurn {
  double sin, cos;
} hfiTurn;

// Largest step alpha in (0, 1] from u along du for a disc |u| <= radius.
double hfi_tals_disc(const double u[2], const double du[2], double radius, hfiTurn turn);
// The same for one row and an interval lo <= u <= hi.
double hfi_tals_interval(double u, double du, double lo, double hi);

// Friction group g of a contact, from row velocities s to s1, with normal force pi at s.
static inline double hfi_tals_contact(const hfContactLaw* law, double h, int g, double pi,
                                      const double* s, const double* s1, hfiTurn turn) {
  double u[2], end[2], radius = hfi_contact_stick(law, h, g, pi, s, u);
  if (!(law->mu[g] > 0 && u[0] * u[0] + u[1] * u[1] > radius * radius)) return 1;
  hfi_contact_stick(law, h, g, pi, s1, end);
  double du[2] = {end[0] - u[0], end[1] - u[1]};
  if (hfi_group_dim(g) == 1) return hfi_tals_interval(u[0], du[0], -radius, radius);
  return hfi_tals_disc(u, du, radius, turn);
}
double hfi_tals_saturated(const hfSaturatedRow* row, double s, double s1);

#endif
