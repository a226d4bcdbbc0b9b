// Rows of few trees, whose contacts move no dof (step/solve/tree_rows.h). The equations are those of newton.c,
//
//   r = A v - p* - J^T gamma,   s = J v,   K = A + J^T G J,   K dv = -r.
//
// with G = -dgamma/ds, tau = J^T gamma and all row velocities s at the velocities v. The drift is zero.
//
// Between their bounds the laws are linear. So one step is the solution, except for rounding, if no row passes a bound.
// The island is not gathered: scalars, whose row of J has one entry, are listed; every other block is a stack, which
// for a single tree points to the Jacobian of the problem itself; K is dense. For one tree, sums are computed in the
// same order as in system.c.
//
// A stack here is one block, whose J (nrow x ncol) has no padding. Consecutive stacks on the same dofs form a series.
// In the first stack of a series `nblock` is the number of its stacks.
//
// The Jacobian of an idle contact is zero, and so are its row velocities. It acts on nothing, and its impulses follow
// from its law alone.

#include "step/solve/inside.h"

#include "base/compile.h"
#include "base/finite.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/law/contact_response.h"
#include "step/law/tals.h"

#include <string.h>

enum { MAX_DOFS = 16 }; // If several trees have more dofs than this, too many entries of a dense K are zero.

// Momentum and velocities of the start (n). For one tree they point to arrays of the problem; those of several trees
// are copied to the island.
typedef struct Start { const double *p, *v0; } Start;

// |r| at a point, and the scale with which it is compared [sqrt(kg) m/s].
typedef struct Residual { double norm, scale; } Residual;

// Number of dofs of a tree.
static int32_t tree_size(const hfStepProblem* P, int32_t tree) {
  return P->tree_start[tree + 1] - P->tree_start[tree];
}

// Numbers the dofs of the trees one after the other.
static void number_dofs(hfiIsland* I, const hfStepProblem* P, const hfiMembers* m) {
  I->problem = P;
  I->ntree = m->ntree;
  I->parts.branches = 1;
  I->n = 0;
  for (int32_t k = 0; k < m->ntree; ++k) {
    I->tree[k] = m->trees[k];
    I->first[m->trees[k]] = I->n;
    I->n += tree_size(P, m->trees[k]);
  }
}

// Returns momentum and velocities of the start. Those of several trees are copied to the island, one after the other.
static Start get_start(const hfiIsland* I) {
  const hfStepProblem* P = I->problem;
  if (I->ntree == 1) {
    int32_t first = P->tree_start[I->tree[0]];
    return (Start){P->p + first, P->v0 + first};
  }

  for (int32_t k = 0; k < I->ntree; ++k) {
    int32_t from = P->tree_start[I->tree[k]];
    int32_t to = I->first[I->tree[k]];
    size_t size = sizeof(double) * (size_t)tree_size(P, I->tree[k]);
    memcpy(I->dofs.p + to, P->p + from, size);
    memcpy(I->dofs.v0 + to, P->v0 + from, size);
  }
  return (Start){I->dofs.p, I->dofs.v0};
}

// ---- rows -------------------------------------------------------------------------------------------

// Lists a block as a scalar: the entry of its row, its dof and its law. Scalar i is block i and row i of the island.
static void list_scalar(hfiIsland* I, const hfStepProblem* P, const hfStepBlock* b) {
  const hfStepPiece* piece = P->piece + b->piece;
  int32_t i = I->nscalar++;
  I->scalar[i].dof = I->first[piece->tree] + P->cols[piece->col];
  I->scalar[i].J = P->J[piece->jac];
  I->block[i].source = b->row;
  I->block[i].saturated = P->saturated + b->param;
}

static int same_dofs(const hfiStack* a, const hfiStack* b) {
  return a->ncol == b->ncol && memcmp(a->dof, b->dof, sizeof *a->dof * (size_t)a->ncol) == 0;
}

// Copies the columns of a block with pieces on several trees, piece beside piece, to the storage after that of the last
// stack.
static void copy_columns(const hfiIsland* I, const hfStepProblem* P, const hfStepBlock* b, hfiStack* stack) {
  const hfiStack* last = stack > I->stacks.list ? stack - 1 : NULL;
  const hfStepPiece* piece = P->piece + b->piece;
  stack->dof = last ? last->dof + last->ncol : I->stacks.index;
  stack->J = last ? last->J + last->nrow * last->ncol : I->stacks.jacobian;
  stack->ncol = 0;
  for (int32_t i = 0; i < b->npiece; ++i) stack->ncol += piece[i].ncol;

  int32_t column = 0;
  for (int32_t i = 0; i < b->npiece; ++i, ++piece) {
    int32_t* dof = stack->dof + column;
    for (int32_t c = 0; c < piece->ncol; ++c) dof[c] = I->first[piece->tree] + P->cols[piece->col + c];
    hfi_copy_block(stack->J + column, stack->ncol, P->J + piece->jac, piece->ncol, b->dim, piece->ncol);
    column += piece->ncol;
  }
}

// Lists a block that is not a scalar as a stack. *series: the first stack of the last series, or NULL. If the block
// acts on the same dofs, its stack continues that series. Otherwise it begins a new series, and *series points to it.
static void list_stack(hfiIsland* I, const hfStepProblem* P, const hfStepBlock* b, hfiStack** series) {
  const hfStepPiece* piece = P->piece + b->piece;
  hfiStack* stack = I->stacks.list + I->stacks.nstack++;
  stack->block = I->nblock;
  stack->nblock = 1;
  stack->row = I->nrow;
  stack->nrow = b->dim;

  // the Jacobian of a single tree is used where it is
  if (I->ntree > 1)
    copy_columns(I, P, b, stack);
  else {
    stack->ncol = piece->ncol;
    stack->dof = P->cols + piece->col;
    stack->J = P->J + piece->jac;
  }

  I->block[I->nblock].source = b->row;
  I->block[I->nblock].saturated = P->saturated + b->param;
  I->nblock += 1;
  I->nrow += b->dim;

  if (*series && same_dofs(*series, stack))
    ++(*series)->nblock;
  else
    *series = stack;
}

// Whether two pieces of a block act on the same tree. Only the general method handles these.
static int has_twin_pieces(const hfStepProblem* P, const hfStepBlock* b) {
  const hfStepPiece* piece = P->piece + b->piece;
  for (int32_t i = 1; i < b->npiece; ++i)
    for (int32_t k = 0; k < i; ++k)
      if (piece[i].tree == piece[k].tree) return 1;
  return 0;
}

// Lists the rows of the island of these members in I: first the scalars, then the other blocks as stacks. *nidle counts
// the idle contacts, which are not listed. Returns 0 if some rows need the general method.
static int list_rows(hfiIsland* I, const hfiMembers* m, int32_t* nidle) {
  const hfStepProblem* P = I->problem;
  int32_t* wide = I->stacks.wide;
  int32_t nwide = 0;
  I->nscalar = 0;
  I->stacks.nstack = 0;

  for (int32_t i = 0; i < m->nblock; ++i) {
    const hfStepBlock* b = P->block + m->blocks[i];
    if (hfi_is_felt_contact(P, b)) return 0;
    if (b->law == HF_LAW_CONTACT)
      ++*nidle;
    else if (b->npiece > 1 && has_twin_pieces(P, b))
      return 0;
    else if (b->dim == 1 && b->npiece == 1 && P->piece[b->piece].ncol == 1)
      list_scalar(I, P, b);
    else
      wide[nwide++] = m->blocks[i];
  }

  // the blocks that are not scalars
  hfiStack* series = NULL; // first stack of the series that the next stack may continue
  I->nblock = I->nscalar;
  I->nrow = I->nscalar;
  for (int32_t i = 0; i < nwide; ++i) list_stack(I, P, P->block + wide[i], &series);
  return 1;
}

// Row r of J times x.
static double multiply_row(const hfiStack* stack, int32_t r, const double* x) {
  const double* J = stack->J + r * stack->ncol;
  double sum = 0;
  for (int32_t c = 0; c < stack->ncol; ++c) sum += x[stack->dof[c]] * J[c];
  return sum;
}

// s = J v
static void multiply_rows(const hfiIsland* I, const double* v, double* s) {
  for (int32_t i = 0; i < I->nscalar; ++i) s[i] = I->scalar[i].J * v[I->scalar[i].dof];

  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    for (int32_t r = 0; r < stack->nrow; ++r) s[stack->row + r] = multiply_row(stack, r, v);
  }
}

// Computes the impulses gamma and slopes G of the rows of a stack at the row velocities s (rows of the island).
static void respond(const hfiIsland* I, const hfiStack* stack, double h, const double* s) {
  const hfSaturatedRow* law = I->block[stack->block].saturated - stack->row; // law + i: the law of row i
  for (int32_t i = stack->row; i < stack->row + stack->nrow; ++i)
    I->rows.gamma[i] = hfi_saturated_respond(law + i, h, s[i], I->rows.G + i);
}

// tau += J^T gamma of a series of stacks.
static void add_impulses(const hfiIsland* I, const hfiStack* series) {
  const hfiStack* end = series + series->nblock;
  for (int32_t c = 0; c < series->ncol; ++c) {
    double sum = 0;
    for (const hfiStack* stack = series; stack < end; ++stack)
      for (int32_t r = 0; r < stack->nrow; ++r) sum += I->rows.gamma[stack->row + r] * stack->J[r * stack->ncol + c];
    I->dofs.tau[series->dof[c]] += sum;
  }
}

// Returns the entry of J^T G J of a series of stacks in column i and column j of these stacks.
static double find_entry(const hfiIsland* I, const hfiStack* series, int32_t i, int32_t j) {
  const hfiStack* end = series + series->nblock;
  double sum = 0;
  for (const hfiStack* stack = series; stack < end; ++stack) {
    const double* J = stack->J;
    const double* G = I->rows.G + stack->row;
    for (int32_t r = 0; r < stack->nrow; ++r, J += stack->ncol) sum += J[i] * (G[r] * J[j]);
  }
  return sum;
}

// K += J^T G J of a series of stacks, in the upper triangle. The dofs of each tree are ascending, but the trees may be
// in any order.
static void add_slopes(const hfiIsland* I, const hfiStack* series, double* K, int32_t n) {
  for (int32_t i = 0; i < series->ncol; ++i)
    for (int32_t j = i; j < series->ncol; ++j) {
      int32_t a = series->dof[i];
      int32_t b = series->dof[j];
      K[imin2(a, b) * n + imax2(a, b)] += find_entry(I, series, i, j);
    }
}

// Is row i of the island at a bound (its slope G is zero), and would the line search shorten the step from s to s1 for
// it? law: the law of this row.
static int shortens(const hfiIsland* I, const hfSaturatedRow* law, int32_t i) {
  return I->rows.G[i] == 0 && hfi_tals_saturated(law, I->rows.s[i], I->rows.s1[i]) < 1;
}

// Would any row that is at a bound shorten the step?
static int any_shortens(const hfiIsland* I) {
  for (int32_t i = 0; i < I->nscalar; ++i)
    if (shortens(I, I->block[i].saturated, i)) return 1;

  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    for (int32_t r = 0; r < stack->nrow; ++r)
      if (shortens(I, I->block[stack->block].saturated + r, stack->row + r)) return 1;
  }
  return 0;
}

// Copies the velocities v1, the impulses and the row velocities s1 of the end of the step to the answer.
static void write_answer(const hfiIsland* I, const hfiAnswer* answer) {
  const hfStepProblem* P = I->problem;
  const hfiRowVectors* rows = &I->rows;
  double* impulse = answer->impulse;
  double* s = answer->s;

  for (int32_t k = 0; k < I->ntree; ++k) {
    int32_t tree = I->tree[k];
    memcpy(answer->v + P->tree_start[tree], I->dofs.v1 + I->first[tree], sizeof *s * (size_t)tree_size(P, tree));
  }

  for (int32_t i = 0; i < I->nscalar; ++i) {
    impulse[I->block[i].source] = rows->gamma[i];
    s[I->block[i].source] = rows->s1[i];
  }

  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    int32_t to = I->block[stack->block].source;
    memcpy(impulse + to, rows->gamma + stack->row, sizeof *s * (size_t)stack->nrow);
    memcpy(s + to, rows->s1 + stack->row, sizeof *s * (size_t)stack->nrow);
  }
}

// Writes the answer of the idle contacts, of which there are nidle: row velocities of zero, and the impulses of their
// laws at these. Contacts are mostly the last blocks, so that the search begins there.
HFI_COLD static void write_idle_contacts(const hfStepProblem* P, const hfiMembers* m, int32_t nidle, int coupling,
                                         const hfiAnswer* answer) {
  hfiContactResponse unread;
  for (int32_t i = m->nblock - 1; nidle > 0; --i) {
    const hfStepBlock* b = P->block + m->blocks[i];
    if (b->law != HF_LAW_CONTACT) continue;
    --nidle;
    memset(answer->s + b->row, 0, sizeof *answer->s * (size_t)b->dim);
    double* impulse = answer->impulse + b->row;
    // The 0 is the lag: only the convex problem reads it.
    hfi_contact_respond(P->contact + b->param, P->h, b->dim, coupling, 0, answer->s + b->row, impulse, &unread);
  }
}

// ---- one step ---------------------------------------------------------------------------------------

// Computes the diagonal of A, its inverse, and |p*|.
static void compute_diagonal(hfiIsland* I, const Start* start) {
  const hfStepProblem* P = I->problem;
  for (int32_t k = 0; k < I->ntree; ++k) {
    int32_t tree = I->tree[k];
    int32_t m = tree_size(P, tree);
    const double* M = P->M + P->M_start[tree];
    const double* added = P->diag + P->tree_start[tree];
    double* diag = I->dofs.diag + I->first[tree];
    double* inverse = I->dofs.inverse_diag + I->first[tree];

    for (int32_t i = 0; i < m; ++i) {
      diag[i] = M[i * m + i] + added[i];
      inverse[i] = 1 / diag[i];
    }
  }
  I->dofs.p_norm = hfi_system_momentum_norm(I, start->p);
}

// Evaluates the velocities v (n) with their row velocities s: computes gamma, G, tau, A v and r. p: free momentum p*.
// Returns |r|, and the scale max(|p*|, |tau|) with which it is compared.
static Residual evaluate(hfiIsland* I, const double* p, const double* v, const double* s) {
  hfiDofVectors* x = &I->dofs;
  int32_t n = I->n;
  double h = I->problem->h;

  // tau = J^T gamma
  for (int32_t i = 0; i < n; ++i) x->tau[i] = 0;
  for (int32_t i = 0; i < I->nscalar; ++i) {
    I->rows.gamma[i] = hfi_saturated_respond(I->block[i].saturated, h, s[i], I->rows.G + i);
    x->tau[I->scalar[i].dof] += I->scalar[i].J * I->rows.gamma[i];
  }
  // every stack has laws of its own; the stacks of a series share their columns and are added together
  const hfiStack* stack = I->stacks.list;
  for (int32_t k = 0; k < I->stacks.nstack; ++k) respond(I, stack + k, h, s);
  for (int32_t k = 0; k < I->stacks.nstack; k += stack[k].nblock) add_impulses(I, stack + k);

  // r = A v - p* - tau
  hfi_system_multiply(I, v, x->Av);
  for (int32_t i = 0; i < n; ++i) x->r[i] = x->Av[i] - p[i] - x->tau[i];
  double scale = hfi_system_scale(I);
  return (Residual){hfi_system_momentum_norm(I, x->r), scale};
}

static int is_small(double norm, double tolerance, double scale) { return norm <= tolerance * scale; }

// K = A
static void place_mass(const hfiIsland* I, double* K) {
  const hfStepProblem* P = I->problem;
  int32_t n = I->n;
  if (I->ntree > 1) memset(K, 0, sizeof *K * (size_t)(n * n));

  for (int32_t k = 0; k < I->ntree; ++k) {
    int32_t tree = I->tree[k];
    int32_t m = tree_size(P, tree);
    const double* M = P->M + P->M_start[tree];
    const double* diag = P->diag + P->tree_start[tree];
    double* D = K + I->first[tree] * (n + 1);

    if (m == n)
      memcpy(D, M, sizeof *K * (size_t)(n * n));
    else
      hfi_copy_block(D, n, M, m, m, m);
    for (int32_t i = 0; i < m; ++i) D[i * (n + 1)] += diag[i];
  }
}

// Computes dv = -K^-1 r with G and r of the last evaluation, and v1 = v0 + dv. Returns 0 if a pivot fails.
static int find_step(hfiIsland* I, const double* v0) {
  hfiDofVectors* x = &I->dofs;
  int32_t n = I->n;
  double* K = I->matrix.local;

  // K = A + J^T G J
  place_mass(I, K);
  for (int32_t i = 0; i < I->nscalar; ++i) K[I->scalar[i].dof * (n + 1)] += sqr(I->scalar[i].J) * I->rows.G[i];
  const hfiStack* stack = I->stacks.list;
  for (int32_t k = 0; k < I->stacks.nstack; k += stack[k].nblock) add_slopes(I, stack + k, K, n);

  // dv
  if (hfi_ldlt(K, n, n, 1) != 0) return 0;
  hfi_scale(x->dv, -1.0, x->r, n);
  hfi_ldlt_solve(K, n, n, x->dv);
  for (int32_t i = 0; i < n; ++i) x->v1[i] = v0[i] + x->dv[i];
  return 1;
}

// Computes the row velocities s1 at the end of the step; for a short step s1 = s + J dv (newton.c: compute_end_rows).
// Returns 0 if a row that is at a bound would shorten the step.
static int find_end_rows(hfiIsland* I, int is_short) {
  hfiRowVectors* rows = &I->rows;
  multiply_rows(I, is_short ? I->dofs.dv : I->dofs.v1, rows->s1);
  for (int32_t i = 0; is_short && i < I->nrow; ++i) rows->s1[i] = rows->s[i] + rows->s1[i];
  return !any_shortens(I);
}

// Takes the full step from the start, where the residual is *r. Returns 1 if its end v1 is the answer; *r is then the
// residual there. Returns 0 if it is not, or if there is no finite step; *r may then be that of either point.
static int take_step(hfiIsland* I, const Start* start, double tolerance, Residual* r) {
  const hfiDofVectors* x = &I->dofs;
  double before = r->norm;
  if (!find_step(I, start->v0)) return 0;

  double step = hfi_system_velocity_norm(I, x->dv);
  double g_start = hfi_dot(x->dv, x->r, I->n); // dv'r at the start, negative if dv points downhill
  int is_short = !(step > HFI_SHORT_STEP * r->scale);
  if (!isfinite(step) || !find_end_rows(I, is_short)) return 0;

  // Newton's method would end at the end of this step if it does not go too far and both tests of convergence hold.
  // The second test expects that the next step is shorter by the same factor as the residual.
  *r = evaluate(I, start->p, x->v1, I->rows.s1);
  if (g_start < 0 && hfi_dot(x->dv, x->r, I->n) > -HFI_OVERSHOOT * g_start) return 0;
  if (!is_small(r->norm / HFI_SETTLED, tolerance, r->scale)) return 0;
  return is_small(step * (r->norm / before), tolerance, r->scale);
}

// Whether trees that rest (v0 = 0) stay at rest. r: the residual at v0. If they do, sets v1 to zero and s1 to s.
static int stays_at_rest(hfiIsland* I, const double* v0, double tolerance, Residual r) {
  size_t size = sizeof(double) * (size_t)I->n;
  if (!is_small(r.norm / HFI_BALANCED, tolerance, r.scale) || hfi_any_nonzero(v0, I->n)) return 0;

  memset(I->dofs.work, 0, size); // hfi_is_negligible then allows for no rounding
  if (!hfi_is_negligible(I, tolerance, I->dofs.r)) return 0;

  memset(I->dofs.v1, 0, size);
  memcpy(I->rows.s1, I->rows.s, sizeof(double) * (size_t)I->nrow);
  return 1;
}

// Solves an island whose rows are listed: by one step, or by none if it rests. Leaves the answer in v1, s1 and gamma.
// Returns 0 if that is not the answer.
static int solve_listed(hfiIsland* I, double tolerance, hfiNewtonResult* out) {
  Start start = get_start(I);
  compute_diagonal(I, &start);
  multiply_rows(I, start.v0, I->rows.s);
  Residual r = evaluate(I, start.p, start.v0, I->rows.s);

  // one step, unless the residual is so small that the velocities of the start may be the answer; only rest is then
  // accepted here
  int moves = r.norm / HFI_BALANCED_ROUNDING > tolerance * r.scale;
  int solved = moves ? take_step(I, &start, tolerance, &r) : stays_at_rest(I, start.v0, tolerance, r);
  if (!solved) return 0;

  double residual = r.scale > 0 ? r.norm / r.scale : r.norm;
  *out = (hfiNewtonResult){.converged = 1, .iterations = moves, .residual = residual};
  return 1;
}

// Solves the island of these members by one step on the problem itself (tree_rows.h). Returns 1 and writes *answer and
// *out, or returns 0 if the general method is needed.
int hfi_tree_rows_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* P, const hfiMembers* m,
                        const hfiAnswer* answer, hfiNewtonResult* out) {
  int32_t nidle = 0;
  if (P->drift || config->first_rung != HF_RUNG_TAMSI) return 0;

  number_dofs(I, P, m);
  if ((m->ntree > 1 && I->n > MAX_DOFS) || !list_rows(I, m, &nidle)) return 0;
  if (!solve_listed(I, config->tolerance, out)) return 0;

  write_answer(I, answer);
  if (nidle) write_idle_contacts(P, m, nidle, config->coupling, answer);
  return 1;
}
