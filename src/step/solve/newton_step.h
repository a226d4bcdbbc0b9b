// What newton.c asks for in one Newton step on an island: where the laws are linearised (predict.c), how far the step may go (search.c), and where to cut it
// back if it went too far (line.c).
#ifndef HFI_SOLVE_NEWTON_STEP_H
#define HFI_SOLVE_NEWTON_STEP_H

#include "step/solve/island.h"
#include "step/law/tals.h"

// ---- predict.c: row velocities of a body that turns about its contacts ------------------------------

// Predicts the row velocities I->s1 at the end of the step for an island of one tree that has only contacts and limits. Linearises the laws at I->s1:
// sets I->response to their derivatives there and I->gamma to the impulses of their tangents at I->s. Returns 0 if there is no prediction or if the laws
// are almost linear between I->s and I->s1; I->response, I->gamma and I->s1 are then of no use.
int hfi_predict(hfiIsland* I, int coupling);

// ---- search.c: the transition-aware line search over all rows (docs/theory/tals.md) -----------------

// Returns the share alpha in (0, 1] of the Newton step from I->s to I->s1 that may be taken: the smallest alpha that any row demands. norm: |r| at the
// start of the step [sqrt(kg) m/s]. *turn: sine and cosine of theta_max; if they are zero, they are computed when a contact slips.
double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiSine* turn);

// Releases the scalars at a bound that the step would carry across their whole interval: their law is taken to be linear without bounds, and r, gamma, G
// and K are changed accordingly. Returns the number of released scalars.
int32_t hfi_release_crossing_rows(hfiIsland* I, double norm);

// ---- line.c: the residual along a step --------------------------------------------------------------

// Called after a step from v1, s1 to v = v1 + alpha dv along which g = dv'r changed from `start` < 0 to `end` > 0. Returns a smaller alpha at which |g|
// is small. Changes I->s and I->gamma; v1 and s1 are kept.
double hfi_line_cut(hfiIsland* I, int coupling, double alpha, double start, double end);

#endif
