// What rounding leaves of the residual of an island.
#ifndef HFI_SOLVE_ROUNDING_H
#define HFI_SOLVE_ROUNDING_H

#include "solve/island.h"

// Velocities of the start are the answer where the residual is below this share of the tolerance [-]. K is larger than A, so that |dv| is
// at most |r| times the condition number of the scaled A, for which the share leaves room.
static const double HFI_BALANCED = 1e-3;
// Velocities of the start may be the answer where the residual is below this share of the tolerance: it may be rounding of positions [-].
static const double HFI_BALANCED_ROUNDING = 0.1;

// How large a residual the rounding of the row velocities can make [sqrt(kg) m/s].
double hfi_rounding_of_rows(const hfiIsland* I);

// Is each entry of the momentum x small against the impulses I->tau of rows on its tree, or below the rounding whose squares are in I->work?
int hfi_is_negligible(const hfiIsland* I, double tolerance, const double* x);

// Do the velocities I->v solve the problem already, as they do where all trees of the island rest or move evenly? norm, scale: of the residual
// I->r there. Writes I->work, and I->ds, which is free between two steps.
int hfi_is_balanced(const hfiIsland* I, double tolerance, double norm, double scale);

#endif
