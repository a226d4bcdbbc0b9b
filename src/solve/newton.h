// Newton's method on an island, with a choice of line search.
#ifndef HFI_SOLVE_NEWTON_H
#define HFI_SOLVE_NEWTON_H

#include "solve/island.h"

typedef struct hfiNewtonResult {
  int32_t converged;  // 1: residual and last step are within the tolerance
  int32_t iterations; // factorisations of the Newton matrix
  int32_t limited;    // steps that the line search shortened
  double residual;    // |r| over its scale at I->v [-]
} hfiNewtonResult;

// Starts from I->v and leaves v, s, gamma and the responses at the answer. rung is one of
//   HF_RUNG_TAMSI   transition-aware line search
//   HF_RUNG_MERIT   the same, then steps are halved until the residual decreases
//   HF_RUNG_CONVEX  full steps, cut back only where they go too far; the coupling must be one for
//                   which r is the gradient of a convex function
// dual = 1 adds friction duals (dual.h); rows then do not limit steps. Not with HF_RUNG_MERIT,
// whose search needs the exact derivative.
hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung,
                                 int dual);

#endif
