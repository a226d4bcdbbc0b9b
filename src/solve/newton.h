// Newton's method on an island, with the line search as policy.
#ifndef HFI_SOLVE_NEWTON_H
#define HFI_SOLVE_NEWTON_H

#include "solve/island.h"

typedef struct hfiOutcome {
  int32_t converged;
  int32_t iterations;
  int32_t limited; // iterations whose step was shortened
  double residual; // relative, at I->v
} hfiOutcome;

// From I->v; leaves v, s, gamma and the responses at the answer.
//   HF_RUNG_TAMSI   transition-aware line search
//   HF_RUNG_MERIT   the same, then shortened until the residual decreases
//   HF_RUNG_CONVEX  line search along the gradient of a convex function: for couplings that have
//   one
// dual: friction forces are kept beside the velocities (dual.h), no row limits a step. Not for the
// merit search, which asks for the derivative itself.
hfiOutcome hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung,
                            int dual);

#endif
