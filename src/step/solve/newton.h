// Newton's method on an island, with a choice of line search.
#ifndef HFI_SOLVE_NEWTON_H
#define HFI_SOLVE_NEWTON_H

#include "step/solve/island.h"

typedef struct hfiNewtonResult {
  int32_t converged;  // 1: the residual and the last step are within the tolerance
  int32_t iterations; // number of factorisations of the Newton matrix
  int32_t limited;    // number of steps that the line search shortened
  double residual;    // |r| at I->v, relative to its scale [-]
} hfiNewtonResult;

// Whether the friction duals (dual.h) are unknowns, too, and with which values they start.
typedef enum hfiDuals {
  HFI_NO_DUALS,  // The velocities are the only unknowns.
  HFI_NEW_DUALS, // The duals start with zero.
  HFI_KEPT_DUALS // The duals start with the values in I->dual. The caller expects that I->v is close to the answer: the method gives up early if the
                 // residual hardly falls.
} hfiDuals;

// g = dv'r is negative at the start of a step. The step is cut back if g at its end exceeds this share of |g| at its start [-].
static const double HFI_OVERSHOOT = 0.5;
// If |dv| is below this share of the scale, J dv is added to s; otherwise s = J v + drift is computed again [-].
static const double HFI_SHORT_STEP = 1e-6;
// The method stops without a further step if the residual is below this share of the tolerance. The rest of the tolerance is left for rounding [-].
static const double HFI_SETTLED = 0.5;

// Solves the problem from I->v. At the end v, s, gamma and the responses are those of the answer. rung selects the line search:
//   HF_RUNG_TAMSI   the transition-aware line search
//   HF_RUNG_MERIT   the same; the step is then halved until the residual decreases
//   HF_RUNG_CONVEX  whole steps, cut back only if they go too far. r must be the gradient of a convex function for this coupling.
// With friction duals, rows do not shorten the steps. HF_RUNG_MERIT cannot have friction duals, because its search needs the exact derivative of r.
hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung, hfiDuals duals);

#endif
