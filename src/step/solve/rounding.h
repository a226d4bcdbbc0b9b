// The residual of an island that rounding errors alone can cause.
#ifndef HFI_SOLVE_ROUNDING_H
#define HFI_SOLVE_ROUNDING_H

#include "step/solve/island.h"

// The velocities of the start are the answer if the residual is below this share of the tolerance [-]. The share is so small because |dv| may be larger
// than |r|: K is larger than A, so that |dv| is at most |r| times the condition number of the scaled A.
static const double HFI_BALANCED = 1e-3;
// The velocities of the start may be the answer if the residual is below this share of the tolerance, because it may be rounding of positions [-].
static const double HFI_BALANCED_ROUNDING = 0.1;

// The largest residual that the rounding of row velocities is expected to cause [sqrt(kg) m/s].
double hfi_rounding_of_rows(const hfiIsland* I);

// Is each entry of the momentum x small compared with the impulses I->tau of the rows on its tree, or is it rounding? I->work has the mean squares of
// the rounding errors.
int hfi_is_negligible(const hfiIsland* I, double tolerance, const double* x);

// Do the velocities I->v solve the problem already? They do if all trees of the island rest or move uniformly. norm, scale: norm of the residual I->r at
// I->v, and its scale. Uses I->work and I->ds as scratch; nobody needs I->ds between two steps.
int hfi_is_balanced(const hfiIsland* I, double tolerance, double norm, double scale);

#endif
