// Validation of step problems: checks that indices, sizes and numbers are what step_problem.h says,
// and names the tree or block that is not.
//
// P: the problem, t: a tree, b: a block, M: the mass matrix of a tree, n: its dofs.
#include <holdfast/step_problem.h>

#include "base/error.h"
#include "base/finite.h"

// Two entries of M that should be equal may differ by this share of the diagonal, because they may have been summed in
// different orders [-].
static const double ASYMMETRY_SHARE = 1e-9;

#define REFUSE(...) return hfi_refuse(error, HF_ERROR_ARGUMENT, __VA_ARGS__)

// Whether `count` elements from index `first` on lie within `total`.
static int is_in_range(int64_t first, int64_t count, int64_t total) {
  return first >= 0 && count >= 0 && first + count <= total;
}

// Whether n numbers are finite and none of them is negative.
static int are_nonnegative(const double* x, int n) {
  return hfi_none_negative(x, n) && hfi_all_finite(x, n);
}

// Refuses a step that is not positive, negative counts, and trees that do not cover the dofs.
static hfStatus check_counts(const hfStepProblem* P, hfError* error) {
  const int32_t counts[] = {P->nv,   P->ntree, P->nblock,     P->nrow,    P->npiece,
                            P->ncol, P->njac,  P->nsaturated, P->ncontact};
  if (!(P->h > 0 && isfinite(P->h))) REFUSE("step problem: h = %g is not a positive time", P->h);
  for (int i = 0; i < 9; ++i)
    if (counts[i] < 0) REFUSE("step problem: a count is negative (%d)", counts[i]);

  if (P->tree_start[0] != 0 || P->M_start[0] != 0 || P->tree_start[P->ntree] != P->nv)
    REFUSE("step problem: trees start at dof %d and end at %d of %d", P->tree_start[0], P->tree_start[P->ntree], P->nv);
  return HF_OK;
}

// Refuses a tree whose mass matrix has the wrong size, is not symmetric, or whose numbers are not finite.
static hfStatus check_tree(const hfStepProblem* P, int t, hfError* error) {
  int64_t first = P->tree_start[t];
  int64_t n = P->tree_start[t + 1] - first;
  int64_t size = P->M_start[t + 1] - (int64_t)P->M_start[t];
  const double* M = P->M + P->M_start[t];

  // sizes
  int is_inside = first >= 0 && first + n <= P->nv && P->M_start[t + 1] <= P->M_start[P->ntree];
  if (n < 1 || !is_inside || size != n * n)
    REFUSE("tree %d: %d dofs with a mass matrix of %d numbers", t, (int)n, (int)size);

  // numbers
  int is_finite = hfi_all_finite(M, (int)(n * n)) && hfi_all_finite(P->p + first, (int)n) &&
                  hfi_all_finite(P->v0 + first, (int)n);
  if (!is_finite) REFUSE("tree %d: M, p or v0 is not finite", t);
  if (!are_nonnegative(P->diag + first, (int)n)) REFUSE("tree %d: diag is negative or not finite", t);

  // M has a positive diagonal and is symmetric
  for (int i = 0; i < n; ++i) {
    if (!(M[i * n + i] > 0)) REFUSE("tree %d: M[%d][%d] = %g is not positive", t, i, i, M[i * n + i]);
    for (int j = 0; j < i; ++j)
      if (!(fabs(M[i * n + j] - M[j * n + i]) <= ASYMMETRY_SHARE * sqrt(M[i * n + i] * M[j * n + j])))
        REFUSE("tree %d: M[%d][%d] and M[%d][%d] differ", t, i, j, j, i);
  }
  return HF_OK;
}

// Refuses a saturated row without a positive slope, or with bounds that hold no force.
static hfStatus check_saturated(const hfSaturatedRow* row, int block, hfError* error) {
  if (!(row->kappa > 0 && isfinite(row->kappa) && isfinite(row->s0)))
    REFUSE("block %d: kappa = %g, s0 = %g", block, row->kappa, row->s0);
  if (!(row->lo <= row->hi && row->lo < INFINITY && row->hi > -INFINITY))
    REFUSE("block %d: bounds %g, %g", block, row->lo, row->hi);
  return HF_OK;
}

// Refuses a contact with a parameter that is negative, not finite, or missing for its law of friction.
static hfStatus check_contact(const hfContactLaw* c, int block, hfError* error) {
  int has_stiffness = are_nonnegative(&c->stiffness, 1) && are_nonnegative(&c->dissipation, 1);
  if (!has_stiffness || !isfinite(c->depth) || !are_nonnegative(&c->normal_force0, 1))
    REFUSE("block %d: stiffness %g, dissipation %g, depth %g, normal_force0 %g", block, c->stiffness, c->dissipation,
           c->depth, c->normal_force0);

  if (c->friction < HF_FRICTION_REGULARISED || c->friction > HF_FRICTION_COULOMB)
    REFUSE("block %d: friction law %d", block, c->friction);
  if (!are_nonnegative(c->mu, 3) || !are_nonnegative(c->k_t, 3) || !are_nonnegative(c->c_t, 3) ||
      !are_nonnegative(c->stiction_speed, 3) || !hfi_all_finite(c->xi0, 5))
    REFUSE("block %d: a friction parameter is negative or not finite", block);

  for (int g = 0; g < 3; ++g)
    if (c->friction != HF_FRICTION_ANCHORED && c->mu[g] > 0 && !(c->stiction_speed[g] > 0))
      REFUSE("block %d: stiction speed of friction group %d is zero", block, g);
  return HF_OK;
}

// Refuses a block of another number of rows than its law has, or whose law is not in the problem.
static hfStatus check_law(const hfStepProblem* P, int b, hfError* error) {
  const hfStepBlock* block = P->block + b;

  if (block->law == HF_LAW_CONTACT) {
    if (block->dim != 1 && block->dim != 3 && block->dim != 4 && block->dim != 6)
      REFUSE("block %d: a contact has 1, 3, 4 or 6 rows, not %d", b, block->dim);
    if (!is_in_range(block->param, 1, P->ncontact))
      REFUSE("block %d: contact %d of %d", b, block->param, P->ncontact);
    return check_contact(P->contact + block->param, b, error);
  }

  if (block->law != HF_LAW_SATURATED) REFUSE("block %d: law %d", b, block->law);
  if (block->dim < 1 || block->dim > 6) REFUSE("block %d: %d rows", b, block->dim);
  if (!is_in_range(block->param, block->dim, P->nsaturated))
    REFUSE("block %d: saturated row %d of %d", b, block->param, P->nsaturated);
  for (int i = 0; i < block->dim; ++i) {
    hfStatus status = check_saturated(P->saturated + block->param + i, b, error);
    if (status) return status;
  }
  return HF_OK;
}

// Refuses a drift that is not finite, or not zero on a row that is not a contact's.
static hfStatus check_drift(const hfStepProblem* P, const hfStepBlock* block, int b, hfError* error) {
  for (int i = 0; i < block->dim; ++i) {
    double drift = P->drift[block->row + i];
    if (!isfinite(drift) || (drift != 0 && block->law != HF_LAW_CONTACT))
      REFUSE("block %d: drift %g of row %d", b, drift, i);
  }
  return HF_OK;
}

// Refuses piece i of block b if its tree, columns or entries are not in the problem, or come twice.
static hfStatus check_piece(const hfStepProblem* P, int b, int i, hfError* error) {
  const hfStepBlock* block = P->block + b;
  const hfStepPiece* piece = P->piece + block->piece + i;

  // the tree
  if (!is_in_range(piece->tree, 1, P->ntree))
    REFUSE("block %d: piece %d on tree %d of %d", b, i, piece->tree, P->ntree);
  for (int j = 0; j < i; ++j)
    if (P->piece[block->piece + j].tree == piece->tree) REFUSE("block %d: two pieces on tree %d", b, piece->tree);

  // columns and entries
  if (piece->ncol < 1 || !is_in_range(piece->col, piece->ncol, P->ncol) ||
      !is_in_range(piece->jac, (int64_t)block->dim * piece->ncol, P->njac))
    REFUSE("block %d: piece %d has %d columns at %d, values at %d", b, i, piece->ncol, piece->col, piece->jac);

  const int32_t* cols = P->cols + piece->col;
  int n = P->tree_start[piece->tree + 1] - P->tree_start[piece->tree];
  for (int j = 0; j < piece->ncol; ++j) {
    int least = j > 0 ? cols[j - 1] + 1 : 0;
    if (cols[j] < least || cols[j] >= n)
      REFUSE("block %d: piece %d: column %d is out of order or range", b, i, cols[j]);
  }
  if (!hfi_all_finite(P->J + piece->jac, block->dim * piece->ncol)) REFUSE("block %d: J is not finite", b);
  return HF_OK;
}

// Refuses the problem at its first mistake (step_problem.h).
hfStatus hf_step_problem_validate(const hfStepProblem* P, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_counts(P, error);
  for (int t = 0; t < P->ntree && !status; ++t) status = check_tree(P, t, error);

  int64_t row = 0;
  for (int b = 0; b < P->nblock && !status; ++b) {
    const hfStepBlock* block = P->block + b;
    if (block->row != row) REFUSE("block %d: rows start at %d, not %d", b, block->row, (int)row);
    if (block->npiece < 1 || !is_in_range(block->piece, block->npiece, P->npiece))
      REFUSE("block %d: pieces %d to %d of %d", b, block->piece, block->piece + block->npiece, P->npiece);

    status = check_law(P, b, error);
    for (int i = 0; i < block->npiece && !status; ++i) status = check_piece(P, b, i, error);
    row += block->dim;
  }
  if (!status && row != P->nrow) REFUSE("step problem: blocks have %d rows of %d", (int)row, P->nrow);

  for (int b = 0; b < P->nblock && !status && P->drift; ++b) status = check_drift(P, P->block + b, b, error);
  return status;
}
