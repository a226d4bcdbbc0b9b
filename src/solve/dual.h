// Friction directions kept beside the velocities, for Newton's matrix in heaps.
#ifndef HFI_SOLVE_DUAL_H
#define HFI_SOLVE_DUAL_H

#include "solve/island.h"

enum { HFI_FEW_TREES = 8 }; // where both ways take as many iterations (heaps.md)

// Is this an island of many trees, where the search over rows stalls?
static inline int hfi_dual_serves(const hfiIsland* I) { return I->ntree > HFI_FEW_TREES; }

// No friction known yet: I->dual = 0.
void hfi_dual_begin(hfiIsland* I);
// Puts I->dual into the responses at I->s, in the place of the directions of slip there.
void hfi_dual_weigh(hfiIsland* I);
// I->dual after the step from I->s to I->s1, by the equations of Newton's method, within the disc.
void hfi_dual_advance(hfiIsland* I);

#endif
