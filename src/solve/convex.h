// The last rung for two-way coupling: friction bounded by a given normal force.
#ifndef HFI_SOLVE_CONVEX_H
#define HFI_SOLVE_CONVEX_H

#include "solve/newton.h"

// Solves lagged problems, their bounds iterated towards the coupled answer as far as that lowers
// its residual. *coupled is that residual at the answer, relative.
hfiOutcome hfi_convex_solve(hfiIsland* I, const hfSolverConfig* config, double* coupled);

#endif
