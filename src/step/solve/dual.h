// Friction duals: friction forces as unknowns of Newton's method, for heaps.
#ifndef HFI_SOLVE_DUAL_H
#define HFI_SOLVE_DUAL_H

#include "step/solve/island.h"

// In an island of up to this many trees, the search over rows takes as few iterations as friction duals (docs/theory/heaps.md).
enum { HFI_FEW_TREES = 8 };

// Is the island a heap? There the search over rows would take tiny steps, and friction duals are used.
static inline int hfi_use_friction_duals(const hfiIsland* I) { return I->ntree > HFI_FEW_TREES; }

// Sets all friction duals to zero, their value while nothing is known about the friction forces.
void hfi_dual_reset(hfiIsland* I);
// Evaluates the friction groups of all contacts at I->s with the normal forces of I->response. hfi_dual_update needs them.
void hfi_dual_evaluate(hfiIsland* I);
// Evaluates the friction groups like hfi_dual_evaluate, and replaces gtt in the responses by the matrix G of dual.c.
void hfi_dual_set_responses(hfiIsland* I);
// Does the same as hfi_dual_set_responses for contact k, and sets its friction impulses. The caller has set `pi` of its response, the normal force that
// bounds friction.
void hfi_dual_respond_contact(hfiIsland* I, int32_t k);
// Updates the friction duals of all contacts, or of contact k, for a full Newton step to I->s1 from I->s, at which the groups were evaluated.
void hfi_dual_update(hfiIsland* I);
void hfi_dual_update_contact(hfiIsland* I, int32_t k);

#endif
