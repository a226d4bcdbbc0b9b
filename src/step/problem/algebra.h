// The algebra of a step problem, straight from its arrays (include/holdfast/step_problem.h has the symbols):
//
//   s_b = J_b v + drift_b      row velocities of block b
//   gamma_b(s_b)               its impulses, G_b = -dgamma_b/ds_b
//   r(v) = A v - p* - sum_b J_b^T gamma_b,   A = M + diag
//   K(v) = dr/dv = A + sum_b J_b^T G_b J_b
//
// These functions serve everybody who needs a block or a whole problem now and then. The solver multiplies with the
// same J and A in every iteration; step/solve/system.c and matrix.c do that in the form of an island, which is made for
// speed, and step/solve/tree_rows.c does it for rows of few trees.
#ifndef HFI_PROBLEM_ALGEBRA_H
#define HFI_PROBLEM_ALGEBRA_H

#include <holdfast/step_problem.h>

enum { HFI_MAX_BLOCK_ROWS = 6 }; // A block has at most this many rows.

// ---- one block ---------------------------------------------------------------------------------------

// s (dim) = J_b v + drift_b
void hfi_block_velocity(const hfStepProblem* problem, const hfStepBlock* block, const double* v, double* s);
// Returns J v of the first row of a block, without the drift. For a contact it is the normal velocity [m/s].
double hfi_normal_velocity(const hfStepProblem* problem, const hfStepBlock* block, const double* v);
// Returns J v of row i of a block, without the drift [m/s].
double hfi_row_velocity(const hfStepProblem* problem, const hfStepBlock* block, int i, const double* v);
// x (nv) += J_i^T gamma, for row i of a block
void hfi_row_add_impulse(const hfStepProblem* problem, const hfStepBlock* block, int i, double gamma, double* x);
// Writes row i of a block as a dense row J (an entry for each velocity of the caller). The velocities of tree t begin
// at first[t]; `count` is their number.
void hfi_block_dense_row(const hfStepProblem* problem, const hfStepBlock* block, int i, const int32_t* first, int count,
                         double* J);
// r (nv) -= J_b^T gamma
void hfi_block_subtract_impulse(const hfStepProblem* problem, const hfStepBlock* block, const double* gamma, double* r);
// Computes the impulses gamma (dim) of a block at row velocities s. G, if not NULL, becomes -dgamma/ds (dim x dim),
// exact and maybe unsymmetric [kg]. lag: the normal force that bounds friction with HFI_COUPLING_LAGGED [N]; other
// couplings (hfCoupling) do not read it.
void hfi_block_respond(const hfStepProblem* problem, const hfStepBlock* block, int coupling, double lag,
                       const double* s, double* gamma, double* G);

// ---- the whole problem -------------------------------------------------------------------------------

// s (nrow) = J v + drift
void hfi_problem_row_velocities(const hfStepProblem* problem, const double* v, double* s);
// r (nv) = A v - p*
void hfi_problem_momentum_change(const hfStepProblem* problem, const double* v, double* r);
// r (nv) = A v - p* - J^T gamma(J v + drift). coupling: hfCoupling. If gamma is not NULL, it becomes the impulses
// (nrow).
void hfi_problem_residual(const hfStepProblem* problem, int coupling, const double* v, double* r, double* gamma);
// K (nv x nv, row-major) = dr/dv at v: the exact matrix, unsymmetric if friction depends on the normal velocity.
// coupling: hfCoupling.
void hfi_problem_matrix(const hfStepProblem* problem, int coupling, const double* v, double* K);

#endif
