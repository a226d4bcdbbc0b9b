// Rows of a step that are not contacts: drives, limits, friction losses, springs of tendons,
// equalities. Each is a saturated row, force = clamp(-kappa (s - s0), lo, hi), s = J v.
//
// Rows come in blocks with one sparse Jacobian over global dofs. The set is planned once from the
// model and filled anew at every step (hfi_actuation_step).
#ifndef HFI_ACTUATION_ROWS_H
#define HFI_ACTUATION_ROWS_H

#include "base/arena.h"
#include "step/dynamics/dynamics.h"
#include <holdfast/step_problem.h>

#include <assert.h>

// What the rows of a block stand for. The first word of each comment says what the block's `id` is an index of.
typedef enum hfiRowSource {
  HFI_ROW_ACTUATOR,             // Actuator: its drive.
  HFI_ROW_JOINT_DRIVE,          // Joint: the sum of the drives of all its actuators, which the force range of the joint bounds.
  HFI_ROW_TENDON_DRIVE,         // Tendon: the sum of the drives of all its actuators, which the force range of the tendon bounds.
  HFI_ROW_JOINT_LIMIT,          // Joint: one end of its range. For a hinge or slide, J is 1 at the lower end and -1 at the upper end.
  HFI_ROW_TENDON_LOWER,         // Tendon: the lower end of its range. The row velocity is the rate of the length.
  HFI_ROW_TENDON_UPPER,         // Tendon: the upper end of its range. The row velocity is minus the rate of the length.
  HFI_ROW_JOINT_FRICTION,       // Dof: its friction loss.
  HFI_ROW_TENDON_FRICTION,      // Tendon: its friction loss.
  HFI_ROW_TENDON_SPRING,        // Tendon: its spring.
  HFI_ROW_TENDON_DAMPER,        // Tendon: its damper.
  HFI_ROW_EQUALITY,             // Equality: its conditions.
  HFI_ROW_TENSION,              // Equality: a damper on the relative rotation of its two bodies (tension.c).
  HFI_ROW_TARGET                // Dof: the velocity target of the input.
} hfiRowSource;

typedef struct hfiRowBlock {
  int32_t source, id; // hfiRowSource, and the index of the joint, tendon, ... that it names
  int32_t dim, ncol;  // number of rows, and of dofs that they act on
  int32_t row; // first of dim entries of hfiRows.row
  int32_t col; // first of ncol entries of hfiRows.cols: global dofs, ascending
  int32_t jac; // first of dim*ncol entries of hfiRows.J, row-major
} hfiRowBlock;

// Sizes of a set of rows.
typedef struct hfiRowSizes { int32_t nblock, nrow, npiece, ncol, njac; } hfiRowSizes;

typedef struct hfiRows {
  hfiRowSizes n, max; // sizes in use, and capacity; n.npiece is not used, because hfi_rows_append makes the pieces
  int32_t ncapped;    // rows whose slope was capped for conditioning
  hfiRowBlock* block;
  hfSaturatedRow* row;
  int32_t* cols;
  double* J;
} hfiRows;

// Finds the dofs that move a body, ascending, as a view into the model. Returns their number.
static inline int hfi_chain(const hfModel* m, int body, const int32_t** dofs) {
  int last = hf_model_body_lastdof(m)[body];
  if (last < 0) return 0;
  if (dofs) *dofs = hf_model_M_col(m) + hf_model_dof_Madr(m)[last];
  return hf_model_dof_depth(m)[last] + 1;
}
// Upper bound on the number of dofs that an actuator acts on.
int hfi_moment_capacity(const hfModel* model, int actuator);

hfiRowSizes hfi_row_capacity(const hfModel* model);
void hfi_rows_init(hfiRows* rows, const hfModel* model, hfiArena* arena);
void hfi_rows_clear(hfiRows* rows);
// Appends a block. The caller fills its rows, columns and Jacobian.
static inline hfiRowBlock hfi_rows_add(hfiRows* r, hfiRowSource source, int id, int dim, int ncol) {
  hfiRowBlock b = {source, id, dim, ncol, r->n.nrow, r->n.ncol, r->n.njac};
  r->block[r->n.nblock++] = b;
  r->n.nrow += dim;
  r->n.ncol += ncol;
  r->n.njac += dim * ncol;
  assert(r->n.nblock <= r->max.nblock && r->n.nrow <= r->max.nrow && r->n.ncol <= r->max.ncol && r->n.njac <= r->max.njac);
  return b;
}

// Appends a block of one row over n >= 0 dofs.
static inline void hfi_rows_add_row(hfiRows* r, hfiRowSource source, int id, hfSaturatedRow row, int n, const int32_t* dof, const double* J) {
  hfiRowBlock b = hfi_rows_add(r, source, id, 1, n);
  r->row[b.row] = row;
  if (n == 1) r->cols[b.col] = dof[0], r->J[b.jac] = J[0]; // the usual case
  else for (int k = 0; k < n; ++k) r->cols[b.col + k] = dof[k], r->J[b.jac + k] = J[k];
}

// Appends all blocks to a step problem whose arrays have room for them (hfi_row_capacity).
void hfi_rows_append(const hfiRows* rows, const hfModel* model, hfStepProblem* problem);
// Computes the forces (dim) of a block at velocity v.
void hfi_rows_force(const hfiRows* rows, const hfiRowBlock* block, const double* v, double* force);

// Inverse mass w = J M^-1 J^T of a row over several dofs, and (M^-1)_ii of one dof [1/kg or 1/(kg m^2)]. x (nv) is scratch, zero before and after;
// d->work is scratch, too. Both functions need hf_dynamics_factor or hfi_postpone_factors before. The dynamics keeps the inverse mass of a dof,
// because drive, limit and friction of a joint all need it.
double hfi_coupled_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J);
double hfi_dof_inverse_mass(const hfDynamics* d, int dof);
// An upper bound of the inverse mass of a row over n dofs, at any configuration; infinite or NAN if none is known. For positive definite B = M^-1,
//   J B J^T <= (sum_k |J_k| sqrt(B_kk))^2 <= n sum_k J_k^2 B_kk
static inline double hfi_most_inverse_mass(const hfDynamics* d, int n, const int32_t* dof, const double* J) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += J[k] * J[k] * d->most_inverse_mass[dof[k]];
  return n * sum;
}
// The inverse mass of a row with any number of columns.
static inline double hfi_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J) {
  if (ncol == 1) return J[0] * J[0] * hfi_dof_inverse_mass(d, cols[0]);
  return hfi_coupled_inverse_mass(d, x, ncol, cols, J);
}

#endif
