// The transition-aware line search over all rows of an island (docs/theory/tals.md).
#ifndef HFI_SOLVE_SEARCH_H
#define HFI_SOLVE_SEARCH_H

#include "solve/island.h"
#include "solve/tals.h"

// Returns the share alpha in (0, 1] of the Newton step from I->s to I->s1 that may be taken: the smallest alpha that any row demands. norm: |r| at the
// start of the step [sqrt(kg) m/s]. *turn: sine and cosine of theta_max; if they are zero, they are computed when a contact slips.
double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiTurn* turn);

// Releases the scalars at a bound that the step would carry across their whole interval: their law is taken to be linear without bounds, and r, gamma, G
// and K are changed accordingly. Returns the number of released scalars.
int32_t hfi_release_crossing_rows(hfiIsland* I, double norm);

#endif
