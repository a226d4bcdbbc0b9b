// Rows of a step that are not contacts: drives, limits, friction losses, springs of tendons, equalities, velocity
// targets.
//
// Actuation writes them into the step problem itself, as its first blocks. Each is a saturated row, force =
// clamp(-kappa (s - s0), lo, hi) with s = J v. Beside the problem stands a table of what each block comes from, as
// MuJoCo's efc_type and efc_id.
#ifndef HFI_ACTUATION_ROWS_H
#define HFI_ACTUATION_ROWS_H

#include "base/arena.h"
#include "step/dynamics/dynamics.h"

#include <holdfast/step_problem.h>

#include <assert.h>

// What the rows of a block stand for. The first word of each comment says what the block's `id` is an index of.
typedef enum hfiRowSource {
  HFI_ROW_ACTUATOR,        // Actuator: its drive.
  // Joint: the sum of the drives of all its actuators, which the force range of the joint bounds.
  HFI_ROW_JOINT_DRIVE,
  // Tendon: the sum of the drives of all its actuators, which the force range of the tendon bounds.
  HFI_ROW_TENDON_DRIVE,
  // Joint: one end of its range. For a hinge or slide, J is 1 at the lower end and -1 at the upper end.
  HFI_ROW_JOINT_LIMIT,
  HFI_ROW_TENDON_LOWER,    // Tendon: the lower end of its range. The row velocity is the rate of the length.
  HFI_ROW_TENDON_UPPER,    // Tendon: the upper end of its range. The row velocity is minus the rate of the length.
  HFI_ROW_JOINT_FRICTION,  // Dof: its friction loss.
  HFI_ROW_TENDON_FRICTION, // Tendon: its friction loss.
  HFI_ROW_TENDON_SPRING,   // Tendon: its spring.
  HFI_ROW_TENDON_DAMPER,   // Tendon: its damper.
  HFI_ROW_EQUALITY,        // Equality: its conditions.
  HFI_ROW_TENSION,         // Equality: a damper on the relative rotation of its two bodies (tension.c).
  HFI_ROW_TARGET           // Dof: the velocity target of the input.
} hfiRowSource;

// What a block of rows comes from.
typedef struct hfiRowOrigin {
  hfiRowSource source;
  int32_t id; // index of the joint, tendon, ... that the source names
} hfiRowOrigin;

// Sizes of a set of rows.
typedef struct hfiRowSizes { int32_t nblock, nrow, npiece, ncol, njac; } hfiRowSizes;

// The rows of the last step.
typedef struct hfiRows {
  hfStepProblem* problem; // the step problem whose first `nblock` blocks these are; NULL before the first step
  const int32_t* tree_of; // (nv) tree of each dof
  hfiRowOrigin* origin;   // (capacity.nblock) what each block comes from
  hfiRowSizes capacity;
  int32_t nblock;
  int32_t ncapped;        // rows whose slope was capped for conditioning
  double* split;          // scratch: the largest Jacobian of a block
} hfiRows;

// The places of the next block, at the ends of the arrays of the problem.
typedef struct hfiRowSpace {
  hfSaturatedRow* row; // (dim)
  int32_t* cols;       // (ncol) dofs of the model, ascending
  double* J;           // (dim x ncol) row-major
} hfiRowSpace;

// The largest sizes that the rows of a model can have, whatever the values of its parameters.
hfiRowSizes hfi_row_capacity(const hfModel* model);
// Upper bound on the number of dofs that an actuator acts on.
int hfi_moment_capacity(const hfModel* model, int actuator);

void hfi_rows_init(hfiRows* rows, const hfModel* model, hfiArena* arena);
// Forgets all rows. The next ones become the first blocks of the problem, which must have none.
void hfi_rows_begin(hfiRows* rows, hfStepProblem* problem);

// The places where the caller writes rows, columns and Jacobian of the next block, before hfi_rows_append.
static inline hfiRowSpace hfi_rows_next(const hfiRows* rows) {
  const hfStepProblem* p = rows->problem;
  return (hfiRowSpace){p->saturated + p->nsaturated, p->cols + p->ncol, p->J + p->njac};
}

// Appends the block of dim rows over ncol dofs that stands at hfi_rows_next. Its columns become local to their trees,
// and its Jacobian is parted by trees.
void hfi_rows_append(hfiRows* rows, hfiRowOrigin origin, int dim, int ncol);

// Appends a block of one row over one dof, as most blocks are.
static inline void hfi_rows_append_scalar(hfiRows* rows, hfiRowOrigin origin, hfSaturatedRow row, int32_t dof,
                                          double J) {
  hfStepProblem* p = rows->problem;
  const int32_t tree = rows->tree_of[dof];
  const int32_t col = p->ncol++;
  const int32_t jac = p->njac++;
  const int32_t piece = p->npiece++;
  const int32_t param = p->nsaturated++;

  assert(rows->nblock == p->nblock && p->nblock < rows->capacity.nblock && jac < rows->capacity.njac);
  p->cols[col] = dof - p->tree_start[tree];
  p->J[jac] = J;
  p->saturated[param] = row;
  p->piece[piece] = (hfStepPiece){tree, 1, col, jac};
  p->block[p->nblock++] = (hfStepBlock){HF_LAW_SATURATED, 1, p->nrow++, param, piece, 1};
  rows->origin[rows->nblock++] = origin;
}

// Appends a block of one row over n >= 0 dofs.
void hfi_rows_append_row(hfiRows* rows, hfiRowOrigin origin, hfSaturatedRow row, int n, const int32_t* dof,
                         const double* J);

// Block b of the rows, in the step problem.
static inline const hfStepBlock* hfi_rows_block(const hfiRows* rows, int b) { return &rows->problem->block[b]; }
// The saturated rows (dim) of block b.
static inline const hfSaturatedRow* hfi_rows_laws(const hfiRows* rows, int b) {
  return rows->problem->saturated + hfi_rows_block(rows, b)->param;
}
// Number of pieces of all rows. They are the first pieces of the problem.
static inline int hfi_rows_piece_count(const hfiRows* rows) {
  if (!rows->nblock) return 0;
  const hfStepBlock* last = hfi_rows_block(rows, rows->nblock - 1);
  return last->piece + last->npiece;
}

// Computes the velocities J v (dim) of block b at velocities v (nv), and the forces (dim) at these.
void hfi_rows_velocity(const hfiRows* rows, int b, const double* v, double* velocity);
void hfi_rows_force(const hfiRows* rows, int b, const double* v, double* force);

#endif
