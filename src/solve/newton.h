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

// Whether friction duals are unknowns too, and which values they start with: zero, or those in I->dual. With the latter I->v is
// thought to be close to the answer, and the method gives up early where the residual hardly falls.
typedef enum hfiDuals { HFI_NO_DUALS, HFI_NEW_DUALS, HFI_KEPT_DUALS } hfiDuals;

// A step is cut back where the residual along it, dv'r, at its end exceeds this share of minus that at its start [-].
static const double HFI_OVERSHOOT = 0.5;
// Steps shorter than this share of the scale are added to s instead of computing s = J v again [-].
static const double HFI_SHORT_STEP = 1e-6;
// No further step follows where the residual is below this share of the tolerance: the other half of the tolerance is for rounding [-].
static const double HFI_SETTLED = 0.5;

// Starts from I->v and leaves v, s, gamma and the responses at the answer. rung is one of
//   HF_RUNG_TAMSI   transition-aware line search
//   HF_RUNG_MERIT   the same, then steps are halved until the residual decreases
//   HF_RUNG_CONVEX  full steps, cut back only where they go too far; the coupling must be one for
//                   which r is the gradient of a convex function
// duals other than HFI_NO_DUALS adds friction duals (dual.h); rows then do not limit steps. Not with HF_RUNG_MERIT,
// whose search needs the exact derivative.
hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung,
                                 hfiDuals duals);

#endif
