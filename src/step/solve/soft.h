// Solution of a heap: first iterations on soft laws, then Newton's method on the true laws.
#ifndef HFI_SOLVE_SOFT_H
#define HFI_SOLVE_SOFT_H

#include "step/solve/newton.h"

// State of the iterations on soft laws of one island. hfi_soft_begin sets it.
typedef struct hfiSoft {
  double cap;         // largest slope of a soft law, relative to 1/(h W) of its row (soft.c) [-]
  double close;       // Newton's method takes over when the residual of the true laws is below this share of its scale [-]
  int32_t iterations; // number of factorisations so far
} hfiSoft;

// Chooses the first forces at I->v. A contact that an earlier solution of the step had (I->known_rows) starts with the forces and friction duals of
// that solution. The duals of other contacts start with zero. All contacts must have anchored friction. Returns 0 if no soft iterations are needed
// before Newton's method: the residual of the true laws at I->v is small, or, in a heap that is not large, the earlier solution had all contacts.
int hfi_soft_begin(hfiIsland* I, hfiSoft* soft);
// Iterates until the residual of the true laws is below soft->close, at most `most` times. Newton's method can continue from I->v, I->s and the
// friction duals. Returns 0 if an iteration had no finite step.
int hfi_soft_approach(hfiIsland* I, hfiSoft* soft, int32_t most);

// Iterates on soft laws from I->v = I->v0 and sets the impulses to the forces of the last iteration. This is an estimate, from which hfi_soft_solve can
// continue. The result is converged if there is an estimate. It is not converged if no soft iterations are needed (hfi_soft_begin).
hfiNewtonResult hfi_soft_estimate(hfiIsland* I, const hfSolverConfig* config);

// Solves the problem with two-way coupling from I->v = I->v0 by soft iterations and Newton's method. If that fails, or if some contact has no anchored
// friction, the result is not converged and I->v is I->v0.
hfiNewtonResult hfi_soft_solve(hfiIsland* I, const hfSolverConfig* config);

#endif
