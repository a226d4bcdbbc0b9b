// Damping of the soft iterations of a large heap, and of one in which Newton's method stalled (docs/theory/heaps.md).
#ifndef HFI_SOLVE_DAMP_H
#define HFI_SOLVE_DAMP_H

#include "step/solve/island.h"

// A heap of more trees than this is large: its iterations are damped from the start. In a smaller heap damping costs as many iterations as it saves,
// unless Newton's method stalls.
enum { HFI_MANY_TREES = 500 };

// Resets the damping of contact k: its first changes are taken whole.
void hfi_damp_begin(hfiIsland* I, int32_t k);
// Returns the damped normal force of contact k after an iteration that ends with the force `next` of its soft law; 0 if the contact opens.
double hfi_damp_normal_force(const hfiIsland* I, int32_t k, double next);
// Moves the friction forces of contact k towards f (dim - 1), and the normal force that bounds friction, I->lag[k], towards `next`.
void hfi_damp_friction(hfiIsland* I, int32_t k, double next, const double* f);
// Adds `extra` times their last changes to pi0, I->lag and the friction forces of contact k, if the contact acted before and after these changes. The
// friction forces may exceed their bounds afterwards. Returns whether it changed the forces.
int hfi_damp_extrapolate(hfiIsland* I, int32_t k, double extra);

#endif
