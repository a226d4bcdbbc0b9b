// Solution of a heap: soft laws first, then Newton's method on the true ones.
#ifndef HFI_SOLVE_SOFT_H
#define HFI_SOLVE_SOFT_H

#include "solve/newton.h"

// The iterations on soft laws of one island. hfi_soft_begin sets it.
typedef struct hfiSoft {
  double cap;         // largest slope of a soft law over that of the row's own inertia, 1/(h W) [-]
  double close;       // Newton's method takes over at this residual of the true laws, over its scale [-]
  int32_t iterations; // factorisations so far
} hfiSoft;

// Chooses the first forces at I->v. Those of contacts that an earlier solution had (I->known_rows) are its own, and so are their friction
// duals; duals of other contacts are zero. All contacts have anchored friction. Returns 0 where Newton's method may begin at once: the residual of the true laws at
// I->v is small, or an earlier solution had all contacts.
int hfi_soft_begin(hfiIsland* I, hfiSoft* soft);
// Iterates until the residual of the true laws is below soft->close, `most` times at most. Newton's method may go on from I->v, I->s and
// the friction duals. Returns 0 where an iteration had no finite step.
int hfi_soft_approach(hfiIsland* I, hfiSoft* soft, int32_t most);

// Iterates on soft laws from I->v = I->v0 and sets the impulses to the forces known then: an estimate, from which hfi_soft_solve can go on.
// The result is converged where there is an estimate, and not where Newton's method may begin at once.
hfiNewtonResult hfi_soft_estimate(hfiIsland* I, const hfSolverConfig* config);

// Solves the problem with two-way coupling from I->v = I->v0 by the two functions above and Newton's method. Where that fails, or
// friction is not anchored everywhere, the result is not converged, and I->v is I->v0 again.
hfiNewtonResult hfi_soft_solve(hfiIsland* I, const hfSolverConfig* config);

#endif
