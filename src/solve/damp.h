// Damping of the soft iterations of a large heap, and of one in which Newton's method stalled (docs/theory/heaps.md).
#ifndef HFI_SOLVE_DAMP_H
#define HFI_SOLVE_DAMP_H

#include "solve/island.h"

// A heap of more trees than this is large: it is damped from the start. In smaller ones damping saves no more iterations than it costs, until Newton's
// method stalls.
enum { HFI_MANY_TREES = 500 };

// Forgets what is known of the iterations of contact k: whole changes are taken at first.
void hfi_damp_begin(hfiIsland* I, int32_t k);
// Returns the normal force of contact k after an iteration at whose end its soft law has the force `next`, 0 where the contact opens.
double hfi_damp_normal_force(const hfiIsland* I, int32_t k, double next);
// Moves the friction forces of contact k from those known before towards f (dim - 1), and the bound I->lag[k] of friction towards the normal force `next`.
void hfi_damp_friction(hfiIsland* I, int32_t k, double next, const double* f);
// Moves pi0, friction forces and bound of contact k further by `extra` times their last changes, where it acted before and after these. The friction forces may be
// outside of their bounds then. Returns whether it moved them.
int hfi_damp_go_on(hfiIsland* I, int32_t k, double extra);

#endif
