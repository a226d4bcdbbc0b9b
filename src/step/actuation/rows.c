// The set of rows of a step: its capacity, its blocks in the step problem, and their velocities and forces.
#include "step/actuation/rows.h"

#include "math/vec3.h"
#include "model/joint.h"
#include "model/path.h"

#include <string.h>

// ---- capacity -------------------------------------------------------------------------------------

// Returns the number of dofs that move a site or its reference; a dof that moves both counts twice.
static int count_site_dofs(const hfModel* m, int site, int reference) {
  int count = hfi_body_dofs(m, hf_model_site_body(m)[site], NULL);
  if (reference >= 0) count += hfi_body_dofs(m, hf_model_site_body(m)[reference], NULL);
  return count;
}

// Returns an upper bound on the number of dofs that an actuator acts on. A dof that moves both its sites counts twice.
int hfi_moment_capacity(const hfModel* m, int actuator) {
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * actuator;
  switch (hf_model_actuator_trntype(m)[actuator]) {
  case HF_TRANSMISSION_TENDON: return hfi_tendon_dofs(m, id[0], NULL);
  case HF_TRANSMISSION_SITE:
  case HF_TRANSMISSION_SLIDER_CRANK: return count_site_dofs(m, id[0], id[1]);
  case HF_TRANSMISSION_BODY: return 0; // Its force acts at contacts (step/world/adhesion.c).
  default: return hfi_joint_nv(hf_model_jnt_type(m)[id[0]]);
  }
}

// Adds `blocks` blocks of dim rows over ncol columns in at most npiece pieces to the sizes.
static void reserve(const hfModel* m, hfiRowSizes* s, int blocks, int dim, int ncol, int npiece) {
  s->nblock += blocks;
  s->nrow += blocks * dim;
  s->npiece += blocks * imin2(imin2(npiece, ncol), m->ntree);
  s->ncol += blocks * ncol;
  s->njac += blocks * dim * ncol;
}

// Returns the body of an object to which an equality is attached: a body or a site.
static int find_body(const hfModel* m, int kind, int id) {
  return kind == HF_OBJECT_SITE ? hf_model_site_body(m)[id] : id;
}

// Adds the rows of equality e to the sizes *s. The last four numbers of `reserve`: blocks, rows of each, columns,
// pieces.
static void reserve_equality(const hfModel* m, hfiRowSizes* s, int e) {
  int kind = hf_model_eq_objkind(m)[e];
  int first = hf_model_eq_obj1(m)[e];
  int second = hf_model_eq_obj2(m)[e];

  switch (hf_model_eq_type(m)[e]) {
  case HF_EQUALITY_JOINT: reserve(m, s, 1, 1, 2, 2); break;
  case HF_EQUALITY_TENDON: {
    int n = hfi_tendon_dofs(m, first, NULL) + (second < 0 ? 0 : hfi_tendon_dofs(m, second, NULL));
    reserve(m, s, 1, 1, n, n);
    break;
  }
  default: { // a dof that moves both bodies counts twice
    int n = hfi_body_dofs(m, find_body(m, kind, first), NULL) + hfi_body_dofs(m, find_body(m, kind, second), NULL);
    // a connect: its three rows, and three of its damper, which are computed among six
    int blocks = hf_model_eq_type(m)[e] == HF_EQUALITY_CONNECT ? 2 : 1;
    reserve(m, s, blocks, 6, n, 2);
  }
  }
}

// Returns the largest sizes that the rows of a model can have: the sum over actuators, limits, dofs, tendons and
// equalities.
hfiRowSizes hfi_row_capacity(const hfModel* m) {
  hfiRowSizes s = {0};

  // a motor has a row for its current and one for its friction
  for (int i = 0; i < m->nu; ++i) {
    int blocks = hf_model_actuator_gaintype(m)[i] == HF_GAIN_MOTOR ? 2 : 1;
    reserve(m, &s, blocks, 1, hfi_moment_capacity(m, i), m->ntree);
  }

  // a joint has a limit at both ends
  for (int j = 0; j < m->njnt; ++j)
    if (hf_model_jnt_limited(m)[j]) reserve(m, &s, 2, 1, hfi_joint_nv(hf_model_jnt_type(m)[j]), 1);

  // a dof has up to one friction loss and one velocity target; a tendon up to two limits, friction, two springs and a
  // damper
  reserve(m, &s, 2 * m->nv, 1, 1, 1);
  for (int t = 0; t < m->ntendon; ++t) reserve(m, &s, 6, 1, hfi_tendon_dofs(m, t, NULL), m->ntree);

  for (int e = 0; e < m->neq; ++e) reserve_equality(m, &s, e);
  return s;
}

// ---- blocks ---------------------------------------------------------------------------------------

// Takes the arrays of origins and scratch; the blocks stand in the problem.
void hfi_rows_init(hfiRows* rows, const hfModel* m, hfiArena* arena) {
  memset(rows, 0, sizeof *rows);
  rows->tree_of = hf_model_dof_tree(m);
  rows->capacity = hfi_row_capacity(m);
  rows->origin = HFI_TAKE(arena, hfiRowOrigin, rows->capacity.nblock);
  rows->split = HFI_TAKE(arena, double, m->neq || m->ntendon || m->nu ? 6 * m->nv : 0);
}

// Forgets all rows. The next ones become the first blocks of the problem, whose address is kept.
void hfi_rows_begin(hfiRows* rows, hfStepProblem* problem) {
  assert(problem->nblock == 0);
  rows->problem = problem;
  rows->nblock = 0;
  rows->ncapped = 0;
}

// Returns how many columns, from the first one on, are dofs of the same tree.
static int count_in_tree(const int32_t* tree_of, const int32_t* cols, int ncol) {
  int n = 1;
  while (n < ncol && tree_of[cols[n]] == tree_of[cols[0]]) ++n;
  return n;
}

// Appends the pieces of a block, one for each tree that has columns. The columns (ncol) and the Jacobian (dim x ncol)
// of the block stand at the ends of the arrays of the problem, where the caller wrote them. There columns are dofs of
// the model, those of one tree side by side; they become local to their trees.
static void append_pieces(hfiRows* rows, int dim, int ncol) {
  hfStepProblem* p = rows->problem;
  const double* J = p->J + p->njac;
  int is_parted = count_in_tree(rows->tree_of, p->cols + p->ncol, ncol) < ncol;

  // a piece has a dim x n Jacobian of its own; with several pieces these replace that of the block, from a copy
  if (is_parted) {
    memcpy(rows->split, J, sizeof *J * (size_t)(dim * ncol));
    J = rows->split;
  }

  // columns first to first + n - 1 are of one tree
  int n = 0;
  for (int first = 0; first < ncol; first += n) {
    int32_t* cols = p->cols + p->ncol;
    int32_t tree = rows->tree_of[cols[0]];
    n = count_in_tree(rows->tree_of, cols, ncol - first);

    p->piece[p->npiece++] = (hfStepPiece){tree, n, p->ncol, p->njac};

    // columns count from the tree's first dof
    for (int k = 0; k < n; ++k) cols[k] -= p->tree_start[tree];

    for (int r = 0; r < dim && is_parted; ++r)
      memcpy(p->J + p->njac + r * n, J + r * ncol + first, sizeof *J * (size_t)n);

    p->ncol += n;
    p->njac += dim * n;
  }
}

// Appends the block of dim rows over ncol dofs that stands at hfi_rows_next, with one piece for each tree that has
// columns.
void hfi_rows_append(hfiRows* rows, hfiRowOrigin origin, int dim, int ncol) {
  hfStepProblem* p = rows->problem;
  hfStepBlock block = {HF_LAW_SATURATED, dim, p->nrow, p->nsaturated, p->npiece, 0};
  assert(rows->nblock == p->nblock);

  if (ncol > 0) append_pieces(rows, dim, ncol);
  block.npiece = p->npiece - block.piece;
  p->nrow += dim;
  p->nsaturated += dim;
  p->block[p->nblock++] = block;
  rows->origin[rows->nblock++] = origin;

  assert(p->nblock <= rows->capacity.nblock && p->nrow <= rows->capacity.nrow && p->npiece <= rows->capacity.npiece);
  assert(p->ncol <= rows->capacity.ncol && p->njac <= rows->capacity.njac);
}

// Appends a block of one row over n dofs. A row over one dof takes the short way.
void hfi_rows_append_row(hfiRows* rows, hfiRowOrigin origin, hfSaturatedRow row, int n, const int32_t* dof,
                         const double* J) {
  if (n == 1) { // most rows
    hfi_rows_append_scalar(rows, origin, row, dof[0], J[0]);
    return;
  }
  hfiRowSpace next = hfi_rows_next(rows);
  next.row[0] = row;
  for (int k = 0; k < n; ++k) {
    next.cols[k] = dof[k];
    next.J[k] = J[k];
  }
  hfi_rows_append(rows, origin, 1, n);
}

// ---- velocities and forces ------------------------------------------------------------------------

// Writes the velocities J v (dim) of block b at velocities v (nv): sums piece by piece, in the order of the dofs.
void hfi_rows_velocity(const hfiRows* rows, int b, const double* v, double* velocity) {
  const hfStepProblem* p = rows->problem;
  const hfStepBlock* block = &p->block[b];
  for (int r = 0; r < block->dim; ++r) velocity[r] = 0;

  for (const hfStepPiece *piece = p->piece + block->piece, *end = piece + block->npiece; piece < end; ++piece) {
    const double* v_tree = v + p->tree_start[piece->tree];
    const double* J = p->J + piece->jac;
    const int32_t* cols = p->cols + piece->col;
    for (int r = 0; r < block->dim; ++r, J += piece->ncol)
      for (int k = 0; k < piece->ncol; ++k) velocity[r] += J[k] * v_tree[cols[k]];
  }
}

// Writes the forces (dim) of the rows of block b at velocities v (nv), by their laws.
void hfi_rows_force(const hfiRows* rows, int b, const double* v, double* force) {
  const hfSaturatedRow* row = hfi_rows_laws(rows, b);
  double velocity[6];

  hfi_rows_velocity(rows, b, v, velocity);
  for (int r = 0; r < hfi_rows_block(rows, b)->dim; ++r)
    force[r] = clamp(-row[r].kappa * (velocity[r] - row[r].s0), row[r].lo, row[r].hi);
}
