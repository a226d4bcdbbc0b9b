// Friction duals: friction forces as unknowns of Newton's method, for heaps.
#ifndef HFI_SOLVE_DUAL_H
#define HFI_SOLVE_DUAL_H

#include "solve/island.h"

// Up to this many trees the search over rows takes as few iterations as friction duals (heaps.md).
enum { HFI_FEW_TREES = 8 };

// Is the island a heap, in which the search over rows would take tiny steps?
static inline int hfi_use_friction_duals(const hfiIsland* I) { return I->ntree > HFI_FEW_TREES; }

// Sets all friction duals to zero: nothing is known yet of the friction forces.
void hfi_dual_reset(hfiIsland* I);
// Evaluates the friction groups of all contacts at I->s and I->response, for the two functions below.
void hfi_dual_evaluate(hfiIsland* I);
// The same, and replaces gtt in the responses by the matrix G of dual.c.
void hfi_dual_set_responses(hfiIsland* I);
// The same for contact k alone, whose normal force that bounds friction, `pi` of its response, is set. Sets its friction impulses, too.
void hfi_dual_respond(hfiIsland* I, int32_t k);
// Updates the friction duals for the full Newton step from I->s, where the groups were evaluated last, to I->s1: of all contacts, of contact k.
void hfi_dual_update(hfiIsland* I);
void hfi_dual_update_contact(hfiIsland* I, int32_t k);

#endif
