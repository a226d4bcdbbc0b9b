// The transition-aware line search over all rows of an island (docs/theory/tals.md).
#ifndef HFI_SOLVE_SEARCH_H
#define HFI_SOLVE_SEARCH_H

#include "solve/island.h"
#include "solve/tals.h"

// Returns the share alpha in (0, 1] of the Newton step from I->s to I->s1 that may be taken: the smallest one that any row asks for.
// norm: |r| at the start of the step [sqrt(kg) m/s]. *turn belongs to theta_max. A zero is filled in when the first contact slips.
double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiTurn* turn);

// Takes scalars that would cross their interval in that step to be between their bounds: their law is continued from there to v, and r,
// gamma, G and K become those of that law. Returns their number.
int32_t hfi_release_crossing_rows(hfiIsland* I, double norm);

#endif
