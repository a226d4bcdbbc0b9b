// Whether velocities solve the problem up to rounding.
//
// Velocities have a relative error of DBL_EPSILON, and positions of about a metre have an error of DBL_EPSILON metres.
// The slopes g = -dgamma/ds of stiff rows turn these errors into momenta. A residual that consists of such momenta is
// no reason for a step.

#include "step/solve/inside.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

// The residual of each dof must be below this share of the tolerance, relative to the impulses of the rows on its tree
// [-]. So a light body that touches a heavy one keeps its acceleration, if that is more than 1e-10 of the acceleration
// that its contact forces alone would cause.
static const double BALANCED_TREE = 1e-2;
// A rounding error is a sum of many errors, of which only the mean square is known. An error of a single dof may be
// this many times the root of its mean square [-]. Among the 6,000 dofs of a heap of 1,000 bodies the largest error was
// 4.6 times the root.
static const double OUTLIER = 6;
// The norm of all rounding errors of velocities together may be this many times the root of its mean square [-].
static const double NORM_OUTLIER = 2;

// ---- rounding of velocities --------------------------------------------------------------------------

// The mean square of the rounding error of the velocity of row i of block b [m^2/s^2 or rad^2/s^2]. The velocity is a
// sum of products, each with a relative error of DBL_EPSILON. In the normal law of a contact h s is subtracted from the
// depth, so that the rounding error of the depth counts, too.
static double row_velocity_error2(const hfiIsland* I, const hfiIslandBlock* b, int i) {
  int is_normal = i == 0 && b->law == HF_LAW_CONTACT;
  double sum = is_normal ? sqr(b->contact->depth / I->problem->h) : 0;
  if (b->stack < 0) return sqr(DBL_EPSILON) * (sum + sqr(I->rows.s[b->row]));

  const hfiStack* stack = I->stacks.list + b->stack;
  double written_out[12];
  const double* J = hfi_stack_row(stack, b->row - stack->row + i, written_out);
  for (int32_t c = 0; c < stack->ncol; ++c) sum += sqr(J[c] * I->dofs.v[stack->dof[c]]);
  return sqr(DBL_EPSILON) * sum;
}

// Returns the slope -dgamma/ds of row i of block k, a number on the diagonal of G.
static double get_row_slope(const hfiIsland* I, int32_t k, int i) {
  static const int diagonal[] = {0, 2, 3, 4, 6}; // entries of gtt
  const hfiContactResponse* response = I->rows.response + k;
  if (I->block[k].law != HF_LAW_CONTACT) return I->rows.G[I->block[k].row + i];
  if (!response->active) return 0;
  if (i == 0) return response->gnn;
  return response->pi_mu > 0 ? response->gtt[diagonal[i - 1]] : 0;
}

// Returns the norm of the residual that the rounding of row velocities is expected to cause [sqrt(kg) m/s].
double hfi_rounding_of_rows(const hfiIsland* I) {
  double sum = 0; // mean square of that norm
  for (int32_t k = 0; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    for (int i = 0; i < b->dim; ++i) {
      double slope = get_row_slope(I, k, i);
      if (slope > 0) sum += sqr(slope * hfi_system_row_weight(I, b, i)) * row_velocity_error2(I, b, i);
    }
  }
  return NORM_OUTLIER * sqrt(sum);
}

// ---- rounding of positions ---------------------------------------------------------------------------

// Computes the rounding error of the impulse of each row of a stack [N s or N m s], error (nrow): g DBL_EPSILON/h with
// the slope g = -dgamma/ds, since positions of about a metre have an error of DBL_EPSILON metres. Only contacts have
// such errors: their depths are differences of positions, and so are the deformations of anchored friction. Returns
// whether any contact acts.
static int find_impulse_errors(const hfiIsland* I, const hfiStack* stack, double* error) {
  const double h = I->problem->h;
  int any = 0;

  for (int32_t k = stack->block, end = k + stack->nblock; k < end; ++k) {
    const hfiIslandBlock* b = I->block + k;
    const hfiContactResponse* response = I->rows.response + k;
    double* m = error + (b->row - stack->row); // (dim) errors of this contact's rows
    int acts = b->contact && response->active;
    int has_anchor = acts && response->pi_mu > 0 && b->contact->friction == HF_FRICTION_ANCHORED;
    any |= acts;

    m[0] = acts ? response->gnn * DBL_EPSILON / h : 0;
    if (b->dim > 1) m[1] = has_anchor ? response->gtt[0] * DBL_EPSILON / h : 0;
    if (b->dim > 2) m[2] = has_anchor ? response->gtt[2] * DBL_EPSILON / h : 0;
    for (int i = 3; i < b->dim; ++i) m[i] = 0;
  }
  return any;
}

// Adds the mean squares of the residuals that the impulse errors of a stack cause at each dof to square (n). Computes
// four columns at a time; rows are padded to a multiple of four.
static void add_rounding(const hfiIsland* I, const hfiStack* stack, const double* error, double* square) {
  const double* J = hfi_stack_rows(stack, I->stacks.full_rows);

  for (int32_t c = 0; c < stack->ncol; c += 4) {
    const double* x = J + c;
    const int32_t* dof = stack->dof + c;
    int32_t count = imin2(4, stack->ncol - c);
    double sum[4] = {0};

    for (int32_t i = 0; i < count; ++i) sum[i] = square[dof[i]];
    for (int32_t r = 0; r < stack->nrow; ++r, x += stack->ld)
      for (int i = 0; i < 4; ++i) sum[i] += sqr(error[r] * x[i]);
    for (int32_t i = 0; i < count; ++i) square[dof[i]] = sum[i];
  }
}

// Adds to square (n) the mean squares of the residuals that rounding of positions causes at each dof, from all stacks.
// Uses I->rows.ds as scratch.
static void compute_rounding(const hfiIsland* I, double* square) {
  for (const hfiStack *stack = I->stacks.list, *end = stack + I->stacks.nstack; stack < end; ++stack)
    if (find_impulse_errors(I, stack, I->rows.ds)) add_rounding(I, stack, I->rows.ds, square);
}

// ---- balance -----------------------------------------------------------------------------------------

// Is each entry of the momentum x (n) small compared with the impulses tau of the rows on its tree, or within the
// rounding error whose mean squares are in I->dofs.work?
int hfi_is_negligible(const hfiIsland* I, double tolerance, const double* x) {
  const hfiDofVectors* d = &I->dofs;
  for (int32_t t = 0; t < I->ntree; ++t) {
    const int32_t* start = I->problem->tree_start + I->tree[t];
    int32_t first = I->first[I->tree[t]];
    int32_t end = first + start[1] - start[0];

    double allowed = 0; // mass-scaled square of the residual that a dof of this tree may have
    for (int32_t i = first; i < end; ++i) allowed += sqr(d->tau[i]) * d->inverse_diag[i];
    allowed *= sqr(BALANCED_TREE * tolerance);

    for (int32_t i = first; i < end; ++i)
      if (!(sqr(x[i]) <= allowed * d->diag[i] + sqr(OUTLIER) * d->work[i])) return 0;
  }
  return 1;
}

// Do the velocities I->dofs.v solve the problem already, but for rounding? norm: |r|, compared with `scale`. Uses
// I->dofs.work and I->rows.ds as scratch.
int hfi_is_balanced(const hfiIsland* I, double tolerance, double norm, double scale) {
  const hfiDofVectors* d = &I->dofs;
  if (!(norm / HFI_BALANCED_ROUNDING <= tolerance * scale)) return 0;

  // without rounding of positions: its mean squares, in `work`, are zero
  int small = norm / HFI_BALANCED <= tolerance * scale;
  memset(d->work, 0, sizeof *d->work * (size_t)I->n);
  if (small && hfi_is_negligible(I, tolerance, d->r)) return 1;

  // with rounding of positions
  compute_rounding(I, d->work);
  double rounding = 0;
  for (int32_t i = 0; i < I->n; ++i) rounding += d->work[i] * d->inverse_diag[i];
  return (small || sqr(norm) <= rounding) && hfi_is_negligible(I, tolerance, d->r);
}
