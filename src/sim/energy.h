// Upper bounds on the energy that a step may have been given: W, C and R of energy.c, which has the equation. A file for each.
#ifndef HFI_SIM_ENERGY_H
#define HFI_SIM_ENERGY_H

#include "continuous/continuous.h"
#include "sim/sim.h"

// Is the method one of continuous time? Its steps leave copies of their contacts, so that the world may look for others.
static inline int hfi_is_continuous(const hfSim* s) { return s->method == &hfi_method_continuous; }

// W, energy_work.c. Both read the actuation, which hfi_power_bound updates.
// |power| of all that does work but gravity, springs and contacts, at positions q, where the dynamics is, and its velocities [W]. Left out are
// the servos of hfi_servo_work, unless there are equalities.
double hfi_power_bound(hfSim* s, const double* q, const hfInput* in);
// The most work of plain servos in continuous time, from the start of the step, where the actuation is, to their lengths at its end, s->end_length [J].
double hfi_servo_work(const hfSim* s);

// C, energy_contact.c.
// m u^2/2 with the mass m of the world and the release speed u [J].
double hfi_energy_at_release_speed(const hfModel* m);
// The energy of the overlaps of a method of discrete time, 0 for other methods [J].
double hfi_overlap_energy(const hfSim* s);
// What the springs of contacts and limits hold at a state in continuous time, and the power of those overlaps that open. With the method switching it is
// what the springs of limits hold, in discrete time nothing.
typedef struct hfiHeldEnergy {
  double overlaps, limits; // U, L [J]
  double power;            // P [W]
} hfiHeldEnergy;
// At positions q, where the dynamics is.
hfiHeldEnergy hfi_held_energy(hfSim* s, const double* q);
// The most that these springs gave in a step of length h [J].
double hfi_given_energy(hfiHeldEnergy start, hfiHeldEnergy end, double h);

// R, energy_release.c: the most that limits and equalities may give at positions q, where the dynamics is [J].
double hfi_release_energy(hfSim* s, const double* q);

#endif
