// Newton's method on an island, with a choice of line search (newton.c), what it asks for in one step (predict.c,
// search.c), whether a residual is only rounding (rounding.c), and the convex problem, which is solved by it
// (convex.c).
#ifndef HFI_SOLVE_NEWTON_H
#define HFI_SOLVE_NEWTON_H

#include "step/law/tals.h"
#include "step/solve/island.h"

typedef struct hfiNewtonResult {
  int32_t converged;  // 1: the residual and the last step are within the tolerance
  int32_t iterations; // number of factorisations of the Newton matrix
  int32_t limited;    // number of steps that the line search shortened
  double residual;    // |r| at I->dofs.v, relative to its scale [-]
} hfiNewtonResult;

// Whether the friction duals (dual.c) are unknowns, too, and with which values they start.
typedef enum hfiDuals {
  HFI_NO_DUALS,  // The velocities are the only unknowns.
  HFI_NEW_DUALS, // The duals start with zero.
  // The duals start with the values in I->duals.w. The caller expects that I->dofs.v is close to the answer: the method
  // gives up early if the residual hardly falls.
  HFI_KEPT_DUALS
} hfiDuals;

// g = dv'r is negative at the start of a step. The step is cut back if g at its end exceeds this share of |g| at its
// start [-].
static const double HFI_OVERSHOOT = 0.5;
// If |dv| is below this share of the scale, J dv is added to s; otherwise s = J v + drift is computed again [-].
static const double HFI_SHORT_STEP = 1e-6;
// The method stops without a further step if the residual is below this share of the tolerance. The rest of the
// tolerance is left for rounding [-].
static const double HFI_SETTLED = 0.5;

// Solves the problem from I->dofs.v. At the end v, s, gamma and the responses are those of the answer. rung selects the
// line search:
//   HF_RUNG_TAMSI   the transition-aware line search
//   HF_RUNG_MERIT   the same; the step is then halved until the residual decreases
//   HF_RUNG_CONVEX  whole steps, cut back only if they go too far. r must be the gradient of a convex function for this
//                   coupling.
// With friction duals, rows do not shorten the steps. HF_RUNG_MERIT cannot have friction duals, because its search
// needs the exact derivative of r.
hfiNewtonResult hfi_newton_solve(hfiIsland* I, const hfSolverConfig* config, int coupling, int rung, hfiDuals duals);

// ---- predict.c: row velocities of a body that turns about its contacts ------------------------------

// Predicts the row velocities I->rows.s1 at the end of the step for an island of one tree that has only contacts and
// limits. Linearises the laws at I->rows.s1: sets I->rows.response to their derivatives there and I->rows.gamma to the
// impulses of their tangents at I->rows.s. Returns 0 if there is no prediction or if the laws are almost linear between
// I->rows.s and I->rows.s1; I->rows.response, I->rows.gamma and I->rows.s1 are then of no use.
int hfi_predict(hfiIsland* I, int coupling);

// ---- search.c: the transition-aware line search over all rows (docs/theory/tals.md) -----------------

// Returns the share alpha in (0, 1] of the Newton step from I->rows.s to I->rows.s1 that may be taken: the smallest
// alpha that any row demands. norm: |r| at the start of the step [sqrt(kg) m/s]. *turn: sine and cosine of theta_max;
// if they are zero, they are computed when a contact slips.
double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiSine* turn);

// Releases the scalars at a bound that the step would carry across their whole interval: their law is taken to be
// linear without bounds, and r, gamma, G and K are changed accordingly. Returns the number of released scalars.
int32_t hfi_release_crossing_rows(hfiIsland* I, double norm);

// Called after a step from v1, s1 to v = v1 + alpha dv along which g = dv'r changed from `start` < 0 to `end` > 0.
// Returns a smaller alpha at which |g| is small. Changes I->rows.s and I->rows.gamma; v1 and s1 are kept.
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end);

// ---- rounding.c: the residual of an island that rounding errors alone can cause ----------------------

// The velocities of the start are the answer if the residual is below this share of the tolerance [-]. The share is so
// small because |dv| may be larger than |r|: K is larger than A, so that |dv| is at most |r| times the condition number
// of the scaled A.
static const double HFI_BALANCED = 1e-3;
// The velocities of the start may be the answer if the residual is below this share of the tolerance, because it may be
// rounding of positions [-].
static const double HFI_BALANCED_ROUNDING = 0.1;

// The largest residual that the rounding of row velocities is expected to cause [sqrt(kg) m/s].
double hfi_rounding_of_rows(const hfiIsland* I);

// Is each entry of the momentum x small compared with the impulses I->dofs.tau of the rows on its tree, or is it
// rounding? I->dofs.work has the mean squares of the rounding errors.
int hfi_is_negligible(const hfiIsland* I, double tolerance, const double* x);

// Do the velocities I->dofs.v solve the problem already? They do if all trees of the island rest or move uniformly.
// norm, scale: norm of the residual I->dofs.r at I->dofs.v, and its scale. Uses I->dofs.work and I->rows.ds as scratch;
// nobody needs I->rows.ds between two steps.
int hfi_is_balanced(const hfiIsland* I, double tolerance, double norm, double scale);

// ---- convex.c: the last rung for two-way coupling: friction is bounded by given normal forces ---------

// Solves problems with lagged coupling, and improves their bounds of friction as long as that lowers the residual of
// the coupled problem. *coupled is the relative residual of the coupled problem at the answer [-].
hfiNewtonResult hfi_convex_solve(hfiIsland* I, const hfSolverConfig* config, double* coupled);

#endif
