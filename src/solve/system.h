// The equations of an island: residual, Newton matrix and their norms.
#ifndef HFI_SOLVE_SYSTEM_H
#define HFI_SOLVE_SYSTEM_H

#include "solve/island.h"

// s = J v
void hfi_system_rows(const hfiIsland* I, const double* v, double* s);
// Laws at I->s: I->gamma, I->response, I->G.
void hfi_system_respond(hfiIsland* I, int coupling);
// I->tau = J^T gamma and I->r = A v - p* - tau, at I->v.
void hfi_system_residual(hfiIsland* I);
// y = A x
void hfi_system_multiply(const hfiIsland* I, const double* x, double* y);
// I->K = A + J^T G J, factored. Returns 0, or > 0 when a pivot failed.
int hfi_system_factor(hfiIsland* I);

// Is the Newton matrix unsymmetric?
int hfi_system_is_coupled(const hfiIsland* I);
// Takes the unsymmetric terms out of the responses.
void hfi_system_decouple(hfiIsland* I);
// Mass-scaled norm of row i of a block: |J_i| with 1/A_ii as weight.
double hfi_system_row_weight(const hfiIsland* I, const hfiIslandBlock* b, int32_t i);

// |x| with 1/A_ii as weight: for momenta. sqrt(kg) m/s, as is the next.
double hfi_system_momentum_norm(const hfiIsland* I, const double* x);
// |x| with A_ii as weight: for velocities.
double hfi_system_velocity_norm(const hfiIsland* I, const double* x);
// Largest impulse of a row, mass-scaled: impulses may cancel in J^T gamma, their rounding does not.
double hfi_system_largest_impulse(const hfiIsland* I);
// max(|p*|, |J^T gamma|), what residuals are measured against.
double hfi_system_scale(const hfiIsland* I);

#endif
