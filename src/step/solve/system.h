// The equations of an island: impulses, residual, Newton matrix and norms.
//
//   s = J v + drift row velocities, gamma(s) impulses, G = -dgamma/ds, r = A v - p* - J^T gamma residual
#ifndef HFI_SOLVE_SYSTEM_H
#define HFI_SOLVE_SYSTEM_H

#include "linalg/block_rough.h"
#include "step/solve/island.h"

// s = J v + drift of velocities v; ds = J dv of their change.
void hfi_system_rows(const hfiIsland* I, const double* v, double* s);
void hfi_system_row_changes(const hfiIsland* I, const double* dv, double* ds);
// Evaluates all laws at I->rows.s: sets I->rows.gamma, I->rows.response and I->rows.G.
void hfi_system_respond(hfiIsland* I, int coupling);
// Evaluates all laws at I->rows.s without the derivatives of contacts: sets I->rows.gamma, I->rows.G and `active` of
// the responses of contacts.
void hfi_system_impulses(hfiIsland* I, int coupling);
// Evaluates the laws of the saturated rows only.
void hfi_system_respond_saturated(hfiIsland* I);
// Computes I->dofs.tau = J^T gamma, I->dofs.Av = A v and I->dofs.r = A v - p* - tau at I->dofs.v.
void hfi_system_residual(hfiIsland* I);
// Computes I->dofs.tau and I->dofs.r when I->dofs.Av is already A v.
void hfi_system_residual_again(hfiIsland* I);
// The same in steps, for a divided island (heap.h) whose parts do more at once: set the sums of a part to zero, add a
// compact stack of the part, and, after all parts, complete I->dofs.tau and compute I->dofs.r.
void hfi_system_begin_impulses(const hfiIsland* I, int part);
void hfi_system_add_impulse(const hfiIsland* I, const hfiStack* stack, int part);
void hfi_system_end_residual(hfiIsland* I);
// Does the same as hfi_system_residual and returns |r|. Sets *scale to the number with which |r| is compared
// (hfi_system_scale).
double hfi_system_measure(hfiIsland* I, double* scale);
// Evaluates all laws at I->rows.s, then does the same as hfi_system_measure.
double hfi_system_evaluate(hfiIsland* I, int coupling, double* scale);
// y = A x
void hfi_system_multiply(const hfiIsland* I, const double* x, double* y);
// Forms and factors I->matrix.K = A + J^T G J. Returns 0, or > 0 if a pivot failed.
int hfi_system_factor(hfiIsland* I);
// The same in steps, for a divided island: copy A to the panels of a part, add a compact stack of the part, and, after
// all parts, complete and factor K.
void hfi_system_begin_matrix(hfiIsland* I, int part, int symmetric);
void hfi_system_add_stack(const hfiIsland* I, const hfiStack* stack, int part, int symmetric);
int hfi_system_end_factor(hfiIsland* I, int symmetric);
// Solves K x = b in place by iterations with rough factors, until |b - K x| <= tolerance |b| in the norm of momenta. If
// the iterations do not reach that, K is factored completely, now and for the rest of the solution. x is not finite if
// that fails.
void hfi_system_iterate(hfiIsland* I, double tolerance, double* x);
// Solves K x = b in place with the factors of hfi_system_factor. The tolerance is used for rough factors only.
static inline void hfi_system_solve(hfiIsland* I, double tolerance, double* x) {
  if (hfi_block_is_rough(&I->matrix.K))
    hfi_system_iterate(I, tolerance, x);
  else
    hfi_block_solve(&I->matrix.K, x);
}

// Exchanges v and s with v1 and s1.
static inline void hfi_system_exchange_points(hfiIsland* I) {
  double* v = I->dofs.v;
  I->dofs.v = I->dofs.v1;
  I->dofs.v1 = v;

  double* s = I->rows.s;
  I->rows.s = I->rows.s1;
  I->rows.s1 = s;
}

// Is the Newton matrix unsymmetric, because the friction of some contact depends on its normal velocity?
int hfi_system_is_coupled(const hfiIsland* I);
// Sets the unsymmetric terms gtn of all responses to zero.
void hfi_system_decouple(hfiIsland* I);
// The weight sqrt(sum_c J_ic^2/A_cc) of row i of a block: the mass-scaled norm of the momentum that a unit impulse of
// the row causes [1/sqrt(kg)].
double hfi_system_row_weight(const hfiIsland* I, const hfiIslandBlock* b, int32_t i);
// The weights of all rows (nrow), 0 in padding. They are computed once for each island.
const double* hfi_system_row_weights(hfiIsland* I);

// sqrt(sum x_i^2/A_ii), the norm of momenta [sqrt(kg) m/s].
double hfi_system_momentum_norm(const hfiIsland* I, const double* x);
// sqrt(sum A_ii x_i^2), the norm of velocities [sqrt(kg) m/s].
double hfi_system_velocity_norm(const hfiIsland* I, const double* x);
// The largest impulse of a single row, in the norm of momenta [sqrt(kg) m/s]. Impulses may cancel in J^T gamma; their
// rounding errors do not.
double hfi_system_largest_impulse(hfiIsland* I);
// max(|p*|, |J^T gamma|), with which residuals are compared [sqrt(kg) m/s].
double hfi_system_scale(const hfiIsland* I);

#endif
