// Residual of an island (TAMSI Eq. 21), its norms, and the scale of these norms. matrix.c has the Newton matrix.
//
//   r(v) = A v - p* - J^T gamma(s),   s = J v + drift
//
//   A  mass matrix plus implicit damping, block-diagonal by tree    J  Jacobian of all rows
//
// Blocks without force and stiffness, such as open contacts, are skipped in J^T gamma. The active blocks between them
// form runs, each of which is multiplied at once.

#include "step/solve/inside.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "linalg/weighted.h"
#include "math/vec3.h"
#include "step/law/contact_response.h"

#include <string.h>

// x (ncol) = the numbers of v that belong to the columns of a stack.
static inline void gather_columns(const hfiIsland* I, const hfiStack* stack, const double* v, double* x) {
  const hfiSegment* g = I->stacks.segment + stack->segment;
  for (int32_t i = 0; i < stack->nsegment; ++i, ++g) {
    const double* from = v + stack->dof[g->column];
    if (hfi_is_free_body(g))
      memcpy(x + g->column, from, 6 * sizeof(double));
    else
      for (int32_t c = 0; c < g->ncol; ++c) x[g->column + c] = from[c];
  }
}

// v += y at the dofs of the columns of a stack.
static inline void add_columns(const hfiIsland* I, const hfiStack* stack, const double* y, double* v) {
  const hfiSegment* g = I->stacks.segment + stack->segment;
  for (int32_t i = 0; i < stack->nsegment; ++i, ++g) {
    double* to = v + stack->dof[g->column];
    if (hfi_is_free_body(g))
      hfi_axpy(to, 1.0, y + g->column, 6);
    else
      hfi_axpy(to, 1.0, y + g->column, g->ncol);
  }
}

// s = J v of a stack with compact rows.
static inline void multiply_compact(const hfiIsland* I, const hfiStack* stack, const double* v, double* s) {
  const double* first = v + stack->body[0];
  const double* second = stack->nfree == 2 ? v + stack->body[1] : NULL;
  I->stacks.kernels->multiply_free(stack, first, second, s + stack->row);
}

// s = J v of a stack without compact rows.
static inline void multiply_full(const hfiIsland* I, const hfiStack* stack, const double* v, double* s) {
  gather_columns(I, stack, v, I->stacks.column);
  I->stacks.kernels->multiply(stack, I->stacks.column, s + stack->row);
}

// What the parts of an island share for s = J v. For y = A x, v is x and s is y.
typedef struct RowTask {
  const hfiIsland* I;
  const double* v;
  double* s;
} RowTask;

// s = J v of the compact stacks of a part.
static void multiply_part(void* context, int p) {
  const RowTask* task = context;
  const hfiIsland* I = task->I;
  for (int32_t k = I->parts.stack[p]; k < I->parts.stack[p + 1]; ++k)
    if (I->stacks.list[k].nfree) multiply_compact(I, I->stacks.list + k, task->v, task->s);
}

// s = J v of the scalars and stacks of an island. In a divided island the parts multiply the compact stacks; the caller
// does the others, because they share scratch (I->stacks.column).
HFI_NOINLINE static void multiply_stacks(const hfiIsland* I, const double* v, double* s) {
  const hfiStack* stack = I->stacks.list;
  const hfiStack* end = stack + I->stacks.nstack;
  for (int32_t i = 0; i < I->nscalar; ++i) s[i] = I->scalar[i].J * v[I->scalar[i].dof];

  if (hfi_is_divided(I)) {
    hfi_for_parts(I, multiply_part, &(RowTask){I, v, s});
    for (; I->stacks.nfull && stack < end; ++stack)
      if (!stack->nfree) multiply_full(I, stack, v, s);
    return;
  }

  for (; stack < end; ++stack) {
    if (stack->nfree)
      multiply_compact(I, stack, v, s);
    else
      multiply_full(I, stack, v, s);
  }
}

// s = J v, without drift. `s` has a number for each row of the island.
void hfi_system_row_changes(const hfiIsland* I, const double* v, double* s) {
  if (I->stacks.is_plain)
    I->stacks.kernels->multiply(I->stacks.list, v, s);
  else
    multiply_stacks(I, v, s);
}

// s = J v + drift
void hfi_system_rows(const hfiIsland* I, const double* v, double* s) {
  hfi_system_row_changes(I, v, s);
  if (I->problem->drift) hfi_axpy(s, 1.0, I->rows.drift, I->nrow);
}

// Evaluates the saturated rows of a block: sets gamma and G. Of the response only the three flags are set.
static void respond_saturated(hfiIsland* I, const hfiIslandBlock* b, hfiContactResponse* response) {
  hfiRowVectors* rows = &I->rows;
  response->active = 0;
  response->coupled = 0;
  response->slipping = 0;

  for (int32_t i = 0; i < b->dim; ++i) {
    int32_t row = b->row + i;
    rows->gamma[row] = hfi_saturated_respond(b->saturated + i, I->problem->h, rows->s[row], rows->G + row);
    if (rows->gamma[row] != 0 || rows->G[row] != 0) response->active = 1;
  }
}

// Evaluates the scalars: sets gamma and G.
HFI_FORCE_INLINE void respond_scalars(hfiIsland* I) {
  double h = I->problem->h;
  hfiRowVectors* rows = &I->rows;
  for (int32_t i = 0; i < I->nscalar; ++i)
    rows->gamma[i] = hfi_saturated_respond(I->block[i].saturated, h, rows->s[i], rows->G + i);
}

// Evaluates all saturated rows at I->rows.s, scalars and others: sets gamma, G and the flags of their responses.
void hfi_system_respond_saturated(hfiIsland* I) {
  respond_scalars(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (I->block[k].law == HF_LAW_SATURATED) respond_saturated(I, I->block + k, I->rows.response + k);
}

// Evaluates the laws of the blocks from `first` on to before `end`. derivatives: 0 if the derivatives of contacts are
// not needed; they go to a local variable that nobody reads, so that the compiler removes their computation. The caller
// passes constants for `derivatives` and for the most common coupling, so that the branches on them disappear.
HFI_FORCE_INLINE void respond_blocks(hfiIsland* I, int32_t first, int32_t end, int coupling, int derivatives) {
  double h = I->problem->h;
  const hfiRowVectors* rows = &I->rows;

  for (int32_t k = first; k < end; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->law == HF_LAW_SATURATED) {
      respond_saturated(I, b, rows->response + k);
      continue;
    }

    hfiContactResponse unread;
    hfiContactResponse* response = derivatives ? rows->response + k : &unread;
    double lag = I->forces.lag[k];
    hfi_contact_respond(b->contact, h, b->dim, coupling, lag, rows->s + b->row, rows->gamma + b->row, response);
    rows->response[k].active = response->active;
  }
}

// Evaluates the laws of the blocks of a part.
static void respond_two_way(void* island, int p) {
  hfiIsland* I = island;
  respond_blocks(I, I->parts.block[p], I->parts.block[p + 1], HF_COUPLING_TWO_WAY, 1);
}

// Does the same without derivatives.
static void find_two_way_impulses(void* island, int p) {
  hfiIsland* I = island;
  respond_blocks(I, I->parts.block[p], I->parts.block[p + 1], HF_COUPLING_TWO_WAY, 0);
}

// Evaluates all laws at I->rows.s: sets gamma, G and responses.
void hfi_system_respond(hfiIsland* I, int coupling) {
  respond_scalars(I);
  if (coupling != HF_COUPLING_TWO_WAY)
    respond_blocks(I, I->nscalar, I->nblock, coupling, 1);
  else if (hfi_is_divided(I))
    hfi_for_parts(I, respond_two_way, I);
  else
    respond_blocks(I, I->nscalar, I->nblock, HF_COUPLING_TWO_WAY, 1);
}

// Does the same without the derivatives of contacts.
void hfi_system_impulses(hfiIsland* I, int coupling) {
  respond_scalars(I);
  if (coupling != HF_COUPLING_TWO_WAY)
    respond_blocks(I, I->nscalar, I->nblock, coupling, 0);
  else if (hfi_is_divided(I))
    hfi_for_parts(I, find_two_way_impulses, I);
  else
    respond_blocks(I, I->nscalar, I->nblock, HF_COUPLING_TWO_WAY, 0);
}

// y = (M + diag) x of a tree with m dofs.
HFI_FORCE_INLINE void multiply_tree(const double* M, const double* diag, const double* x, double* y, int32_t m) {
  for (int32_t i = 0; i < m; ++i) y[i] = diag[i] * x[i];
  hfi_add_rows(y, 1.0, x, 1, M, m, m, m);
}

// y = A x of the trees from `first_tree` on to before `end`, in the order of elimination.
HFI_FORCE_INLINE void multiply_trees(const hfiIsland* I, int32_t first_tree, int32_t end, const double* x, double* y) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = first_tree; t < end; ++t) {
    int32_t tree = I->tree[t];
    int32_t start = P->tree_start[tree];
    int32_t m = P->tree_start[tree + 1] - start;
    int32_t first = I->first[tree];
    HFI_BY_SIZE(m, multiply_tree, P->M + P->M_start[tree], P->diag + start, x + first, y + first);
  }
}

// y = A x of the trees of a part.
static void multiply_trees_of_part(void* context, int p) {
  const RowTask* task = context;
  const int32_t* start = task->I->matrix.K.branches.start;
  multiply_trees(task->I, start[p], start[p + 1], task->v, task->s);
}

// y = A x
void hfi_system_multiply(const hfiIsland* I, const double* x, double* y) {
  if (hfi_is_divided(I))
    hfi_for_parts(I, multiply_trees_of_part, &(RowTask){I, x, y});
  else
    multiply_trees(I, 0, I->ntree, x, y);
}

// y (ld) = J^T gamma of a stack, one run of active blocks after the other.
HFI_FORCE_INLINE void multiply_impulse(const hfiIsland* I, const hfiStack* stack, double* y) {
  int32_t end = stack->block + stack->nblock;
  int32_t rows; // of the run
  for (int32_t c = 0; c < stack->ld; ++c) y[c] = 0;

  for (int32_t k = stack->block; k < end; ++k) {
    if (!I->rows.response[k].active) continue;

    // the run that begins with block k; the block after it is not active and can be skipped
    int32_t row = I->block[k].row;
    k = hfi_end_of_run(I, k, end, &rows);
    I->stacks.kernels->add_transposed(stack, row - stack->row, rows, I->rows.gamma + row, y);
  }
}

// tau += J^T gamma of a stack with compact rows. For its last (or only) body last_tau stands in the place of tau.
static inline void add_compact_impulse(const hfiIsland* I, const hfiStack* stack, double* tau, double* last_tau) {
  const hfiStackKernels* kernels = I->stacks.kernels;
  const double* gamma = I->rows.gamma + stack->row;
  if (!hfi_any_active(I, stack)) return;

  if (stack->nfree == 2)
    kernels->add_transposed_free(stack, gamma, tau + stack->body[0], last_tau + stack->body[1]);
  else
    kernels->add_transposed_free(stack, gamma, last_tau + stack->body[0], NULL);
}

// tau += J^T gamma of a stack without compact rows.
static inline void add_full_impulse(const hfiIsland* I, const hfiStack* stack, double* tau) {
  multiply_impulse(I, stack, I->stacks.column);
  add_columns(I, stack, I->stacks.column, tau);
}

// Sets tau of the dofs of part p to zero, and what the part adds to dofs of the trunk.
void hfi_system_begin_impulses(const hfiIsland* I, int p) {
  const hfiBlockMatrix* K = &I->matrix.K;
  double* tau = I->dofs.tau;
  int32_t first = K->first[K->branches.start[p]];
  int32_t end = K->first[K->branches.start[p + 1]];
  memset(tau + first, 0, sizeof *tau * (size_t)(end - first));

  if (p == I->parts.branches) return;
  int32_t trunk = hfi_trunk_dof(I);
  memset(I->parts.trunk_tau[p] + trunk, 0, sizeof *tau * (size_t)(I->n - trunk));
}

// tau += J^T gamma of a compact stack of part p. What a branch adds to dofs of the trunk goes to trunk_tau of the part.
void hfi_system_add_impulse(const hfiIsland* I, const hfiStack* stack, int p) {
  int in_trunk = stack->body[stack->nfree - 1] >= hfi_trunk_dof(I);
  double* last_tau = in_trunk && p < I->parts.branches ? I->parts.trunk_tau[p] : I->dofs.tau;
  add_compact_impulse(I, stack, I->dofs.tau, last_tau);
}

// tau = J^T gamma of the compact stacks of a part.
static void sum_impulses_of_part(void* context, int p) {
  const hfiIsland* I = context;
  hfi_system_begin_impulses(I, p);
  for (int32_t k = I->parts.stack[p]; k < I->parts.stack[p + 1]; ++k)
    if (I->stacks.list[k].nfree) hfi_system_add_impulse(I, I->stacks.list + k, p);
}

// tau += J^T gamma of the scalars.
static void add_scalar_impulses(const hfiIsland* I) {
  for (int32_t i = 0; i < I->nscalar; ++i) I->dofs.tau[I->scalar[i].dof] += I->scalar[i].J * I->rows.gamma[i];
}

// Completes tau = J^T gamma of a divided island after the impulses of its compact stacks were added.
static void end_impulses(hfiIsland* I) {
  double* tau = I->dofs.tau;
  int32_t trunk = hfi_trunk_dof(I);
  for (int32_t b = 0; b < I->parts.branches; ++b)
    hfi_axpy(tau + trunk, 1.0, I->parts.trunk_tau[b] + trunk, I->n - trunk);

  add_scalar_impulses(I);
  for (int32_t k = 0; I->stacks.nfull && k < I->stacks.nstack; ++k)
    if (!I->stacks.list[k].nfree) add_full_impulse(I, I->stacks.list + k, tau);
}

// tau = J^T gamma of an island that is not divided.
static void sum_impulses_of_stacks(const hfiIsland* I) {
  double* tau = I->dofs.tau;
  memset(tau, 0, sizeof *tau * (size_t)I->n);
  add_scalar_impulses(I);

  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    if (stack->nfree)
      add_compact_impulse(I, stack, tau, tau);
    else
      add_full_impulse(I, stack, tau);
  }
}

// tau = J^T gamma
static void sum_impulses(hfiIsland* I) {
  if (I->stacks.is_plain)
    multiply_impulse(I, I->stacks.list, I->dofs.tau);
  else if (hfi_is_divided(I)) {
    hfi_for_parts(I, sum_impulses_of_part, I);
    end_impulses(I);
  } else
    sum_impulses_of_stacks(I);
}

// r = A v - p* - tau, from I->dofs.Av and I->dofs.tau
HFI_FORCE_INLINE void subtract_momenta(const hfiIsland* I, int32_t n) {
  hfi_move(I->dofs.r, I->dofs.Av, -1.0, I->dofs.p, n);
  hfi_axpy(I->dofs.r, -1.0, I->dofs.tau, n);
}

// Completes tau and computes r after the parts of a divided island have added their impulses.
void hfi_system_end_residual(hfiIsland* I) {
  end_impulses(I);
  subtract_momenta(I, I->n);
}

// Computes tau and r. I->dofs.Av is A v already.
void hfi_system_residual_again(hfiIsland* I) {
  sum_impulses(I);
  subtract_momenta(I, I->n);
}

// Computes Av, tau and r.
void hfi_system_residual(hfiIsland* I) {
  hfi_system_multiply(I, I->dofs.v, I->dofs.Av);
  hfi_system_residual_again(I);
}

// Returns the weight of row i of block b (system.h) [1/sqrt(kg)].
double hfi_system_row_weight(const hfiIsland* I, const hfiIslandBlock* b, int32_t i) {
  const double* inverse = I->dofs.inverse_diag;
  if (b->stack < 0) {
    const hfiScalar* scalar = I->scalar + b->row;
    return fabs(scalar->J) * sqrt(inverse[scalar->dof]);
  }

  const hfiStack* stack = I->stacks.list + b->stack;
  double written_out[12];
  const double* J = hfi_stack_row(stack, b->row - stack->row + i, written_out);
  double sum = 0;
  for (int32_t c = 0; c < stack->ncol; ++c) sum += J[c] * J[c] * inverse[stack->dof[c]];
  return sqrt(sum);
}

// Computes the weights of the rows of a stack, four rows at a time. Each row sums its columns in the same order as in
// hfi_system_row_weight.
static void compute_full_weights(const hfiIsland* I, const hfiStack* stack, double* weight) {
  double* inverse = I->stacks.column;
  gather_columns(I, stack, I->dofs.inverse_diag, inverse);

  for (int32_t r = 0; r < stack->height; r += 4) {
    const double* x = stack->JT + r;
    double sum[4] = {0};
    for (int32_t c = 0; c < stack->ncol; ++c, x += stack->height)
      for (int i = 0; i < 4; ++i) sum[i] += x[i] * x[i] * inverse[c];
    for (int i = 0; i < 4; ++i) weight[r + i] = sqrt(sum[i]);
  }
}

// Computes the weights of compact rows [F A_1 -F A_2] (stack.h): sums the squares of their numbers over A_cc.
static void compute_compact_weights(const hfiIsland* I, const hfiStack* stack, double* weight) {
  static const double no_body[6] = {0};
  int dim = stack->dim;
  int forces = hfi_force_rows(dim);

  // 1/A_cc of the columns of both bodies; both share F
  const double* a = I->dofs.inverse_diag + stack->body[0];
  const double* b = stack->nfree == 2 ? I->dofs.inverse_diag + stack->body[1] : no_body;
  double x = a[0] + b[0];
  double y = a[1] + b[1];
  double z = a[2] + b[2];

  const double* F = stack->J;
  for (int32_t k = 0; k < stack->nblock; ++k, F += hfi_compact_size(dim), weight += dim) {
    const double* A = F + 4 * forces;
    for (int r = 0; r < dim; ++r, A += 6) {
      double first = sqr(A[0]) * a[3] + sqr(A[1]) * a[4] + sqr(A[2]) * a[5];
      double second = sqr(A[3]) * b[3] + sqr(A[4]) * b[4] + sqr(A[5]) * b[5];
      double force = r < forces ? sqr(F[4 * r]) * x + sqr(F[4 * r + 1]) * y + sqr(F[4 * r + 2]) * z : 0;
      weight[r] = sqrt(force + first + second);
    }
  }
}

// Returns the weights of all rows, I->rows.weight. Computes them in the first call for an island.
const double* hfi_system_row_weights(hfiIsland* I) {
  double* weight = I->rows.weight;
  if (I->rows.has_weights) return weight;

  for (int32_t k = 0; k < I->nscalar; ++k) weight[k] = hfi_system_row_weight(I, I->block + k, 0);
  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    if (stack->nfree)
      compute_compact_weights(I, stack, weight + stack->row);
    else
      compute_full_weights(I, stack, weight + stack->row);
  }
  I->rows.has_weights = 1;
  return weight;
}

// ---- norms -------------------------------------------------------------------------------------------

double hfi_system_momentum_norm(const hfiIsland* I, const double* x) {
  return sqrt(HFI_BY_SIZE(I->n, hfi_weighted_dot, I->dofs.inverse_diag, x, x));
}

double hfi_system_velocity_norm(const hfiIsland* I, const double* x) {
  return sqrt(HFI_BY_SIZE(I->n, hfi_weighted_dot, I->dofs.diag, x, x));
}

// Returns the largest impulse of a single row in the norm of momenta [sqrt(kg) m/s]. Reads gamma; computes the weights.
double hfi_system_largest_impulse(hfiIsland* I) {
  const double* weight = hfi_system_row_weights(I);
  double largest = 0;
  for (int32_t i = 0; i < I->nrow; ++i) largest = max2(largest, fabs(I->rows.gamma[i]) * weight[i]);
  return largest;
}

// Returns max(|p*|, |J^T gamma|), with which residuals are compared [sqrt(kg) m/s]. I->dofs.tau is J^T gamma.
double hfi_system_scale(const hfiIsland* I) {
  return max2(I->dofs.p_norm, hfi_system_momentum_norm(I, I->dofs.tau));
}

// Computes Av, tau and r for the impulses in I->rows.gamma. Returns |r| and sets its scale.
double hfi_system_measure(hfiIsland* I, double* scale) {
  hfi_system_residual(I);
  *scale = hfi_system_scale(I);
  return hfi_system_momentum_norm(I, I->dofs.r);
}

// Evaluates all laws at I->rows.s, computes Av, tau and r, returns |r| and sets its scale.
double hfi_system_evaluate(hfiIsland* I, int coupling, double* scale) {
  hfi_system_respond(I, coupling);
  return hfi_system_measure(I, scale);
}
