// Upper bounds on the energy that a step may have been given: W, C and R of the equation in energy.c.
#ifndef HFI_SIM_ENERGY_H
#define HFI_SIM_ENERGY_H

#include "sim/inside.h"

// ---- W (energy_work.c): both functions read the actuation, which hfi_power_bound updates ------------

// Sum of |power| of everything that does work except gravity, springs and contacts, at the positions q, where the
// dynamics must be, and at the velocities of the dynamics [W]. Plain servos (hfi_servo_work) are left out unless there
// are equalities.
double hfi_power_bound(hfSim* s, const double* q, const hfInput* in);
// The largest work that plain servos can do in continuous time, from the start of the step, where the actuation is, to
// their lengths s->judge.end_length at its end [J].
double hfi_servo_work(const hfSim* s);

// ---- C: hfiMethodEnergy.overlaps and .held; R (energy_release.c) ---------------------------------------

// The largest energy that limits and equalities can give at the positions q, where the dynamics must be [J].
double hfi_release_energy(hfSim* s, const double* q);

#endif
