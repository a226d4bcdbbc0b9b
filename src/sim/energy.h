// Upper bounds on the energy that a step may have been given: W, C and R of the equation in energy.c. Each has a file of its own.
#ifndef HFI_SIM_ENERGY_H
#define HFI_SIM_ENERGY_H

#include "methods/continuous/continuous.h"
#include "sim/sim.h"

// Is the method "continuous"? It keeps copies of its contacts, so that the world may search for contacts at another state.
static inline int hfi_is_continuous(const hfSim* s) { return s->method == &hfi_method_continuous; }

// ---- W (energy_work.c): both functions read the actuation, which hfi_power_bound updates ------------

// Sum of |power| of everything that does work except gravity, springs and contacts, at the positions q, where the dynamics must be, and at the
// velocities of the dynamics [W]. Plain servos (hfi_servo_work) are left out unless there are equalities.
double hfi_power_bound(hfSim* s, const double* q, const hfInput* in);
// The largest work that plain servos can do in continuous time, from the start of the step, where the actuation is, to their lengths s->end_length at
// its end [J].
double hfi_servo_work(const hfSim* s);

// ---- C (energy_contact.c) -----------------------------------------------------------------------------

// m u^2/2 with the mass m of the world and the release speed u [J].
double hfi_energy_at_release_speed(const hfModel* m);
// The energy of the overlaps of a method of discrete time, 0 for other methods [J].
double hfi_overlap_energy(const hfSim* s);
// Energy in the springs of contacts and limits at a state in continuous time, and the power of the overlaps that open. The method "switching" counts
// only the springs of limits; in discrete time all is zero.
typedef struct hfiHeldEnergy {
  double overlaps, limits; // U, L [J]
  double power;            // P [W]
} hfiHeldEnergy;
// Computes it at the positions q, where the dynamics must be.
hfiHeldEnergy hfi_held_energy(hfSim* s, const double* q);
// The largest energy that these springs can have given in a step of length h [J].
double hfi_given_energy(hfiHeldEnergy start, hfiHeldEnergy end, double h);

// ---- R (energy_release.c) -----------------------------------------------------------------------------

// The largest energy that limits and equalities can give at the positions q, where the dynamics must be [J].
double hfi_release_energy(hfSim* s, const double* q);

#endif
