// The last rung for two-way coupling: friction is bounded by given normal forces.
#ifndef HFI_SOLVE_CONVEX_H
#define HFI_SOLVE_CONVEX_H

#include "step/solve/newton.h"

// Solves problems with lagged coupling, and improves their bounds of friction as long as that lowers the residual of the coupled problem. *coupled is
// the relative residual of the coupled problem at the answer [-].
hfiNewtonResult hfi_convex_solve(hfiIsland* I, const hfSolverConfig* config, double* coupled);

#endif
