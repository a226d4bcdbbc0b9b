// Newton matrix of an island (TAMSI Eq. 23):
//
//   K = dr/dv = A + J^T G J,   G = -dgamma/ds
//
//   A  mass matrix plus implicit damping, block-diagonal by tree    J  Jacobian of all rows
//   G  block-diagonal: one block for each contact, one number for each saturated row
//
// In a large heap Newton's method may set I->matrix.inertia; A is then replaced by (1 + I->matrix.inertia) A.
//
// K is formed in three steps (hfi_system_factor):
//   1. Copy A to the diagonal blocks of the nodes (place_mass).
//   2. Add J^2 G of each scalar to one diagonal entry.
//   3. For each stack, multiply the rows of its stacked Jacobian by G, form the small dense matrix J^T (G J), and add
//      its parts to the nodes of its segments (add_stack).
// Runs of active blocks are multiplied at once. Two cases are simpler: a stack of free bodies adds its products to K
// without the small matrix (hfi_system_add_stack), and K of a plain island, which has one stack on all its dofs, is the
// sum of two dense matrices (factor_plain).
//
// `symmetric` is 1 if no friction depends on its normal velocity. Then only the upper triangle of K is formed. Blocks
// below the diagonal are stored transposed, in `lower` of the panels (linalg/block_sparse.h). P and Q are two segments
// of a stack: P has the rows of a block, Q its columns. `local` is the small matrix J^T G J of the stack.

#include "step/solve/inside.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

// Computes GJ of block k from its rows of J.
static inline void multiply_block(const hfiIsland* I, int32_t k, const double* J, double* GJ, int ld) {
  const hfiIslandBlock* b = I->block + k;
  if (b->law == HF_LAW_CONTACT)
    I->stacks.kernels->multiply_contact(I->rows.response + k, b->dim, J, GJ, ld);
  else
    I->stacks.kernels->scale_rows(I->rows.G + b->row, b->dim, J, GJ, ld);
}

// Computes I->matrix.local = J^T G J of a stack, one run of active blocks after the other. Returns 0 if no block is
// active; `local` is then not set.
HFI_FORCE_INLINE int multiply_stack(const hfiIsland* I, const hfiStack* stack, int symmetric) {
  double* local = I->matrix.local;
  double* GJ = I->matrix.GJ;
  int ld = stack->ld;
  int any = 0; // whether a block is active
  int32_t end = stack->block + stack->nblock;

  for (int32_t k = stack->block; k < end; ++k) {
    if (!I->rows.response[k].active) continue;

    // add_product may write one row more than there are columns
    if (!any) memset(local, 0, sizeof *local * (size_t)((stack->ncol + 1) * ld));
    any = 1;

    // G J of the run that begins here, then J^T (G J). The block after the run is not active and can be skipped.
    int32_t rows;
    int32_t first = I->block[k].row;
    int32_t stop = hfi_end_of_run(I, k, end, &rows);
    const double* J = stack->J + (first - stack->row) * ld;
    for (; k < stop; ++k) {
      int offset = (I->block[k].row - first) * ld;
      multiply_block(I, k, J + offset, GJ + offset, ld);
    }
    I->stacks.kernels->add_product(stack, rows, J, GJ, symmetric, local);
  }
  return any;
}

// D[slot of row i][slot of column j] += local[i][j] for the rows of segment P and the columns of segment Q. D has rows
// of width w. Of a symmetric matrix this also writes entries below the diagonal, which nobody reads.
static void scatter(double* D, int w, const double* local, int ld, const hfiSegment* P, const hfiSegment* Q) {
  D += P->slot * w + Q->slot;
  if (P->ncol == 6 && Q->ncol == 6) // free bodies
    hfi_six_add(D, w, local, ld);
  else
    hfi_add_block(D, w, local, ld, P->ncol, Q->ncol);
}

// The same for a block that is stored transposed: T[slot of column j][slot of row i] += local[i][j].
static void scatter_transposed(double* T, int w, const double* local, int ld, const hfiSegment* P,
                               const hfiSegment* Q) {
  T += Q->slot * w + P->slot;
  if (P->ncol == 6 && Q->ncol == 6) // With constants the compiler unrolls the loops.
    hfi_add_block_transposed(T, w, local, ld, 6, 6);
  else
    hfi_add_block_transposed(T, w, local, ld, Q->ncol, P->ncol);
}

// First column of the node of segment Q in the panel of the node of segment P, which is eliminated earlier.
static inline int32_t column_of(const hfiIsland* I, const hfiStack* stack, const hfiSegment* P, const hfiSegment* Q) {
  return stack->nnode == 2 ? stack->column : hfi_block_column(&I->matrix.K, P->node, Q->node);
}

// Adds the rows of segment P and the columns of segment Q of I->matrix.local to the Newton matrix. The panel of the
// earlier node has the block: in `rows` if P is there, transposed in `lower` if Q is.
static void add_segments(hfiIsland* I, const hfiStack* stack, const hfiSegment* P, const hfiSegment* Q) {
  const hfiBlockMatrix* K = &I->matrix.K;
  const double* local = I->matrix.local + P->column * stack->ld + Q->column;

  // a block of the lower triangle, which is stored transposed
  if (P->node > Q->node) {
    double* T = hfi_block_lower(K, Q->node) + column_of(I, stack, Q, P);
    scatter_transposed(T, K->width[Q->node], local, stack->ld, P, Q);
    return;
  }

  // the diagonal block, or one beside it
  double* D = hfi_block_rows(K, P->node);
  if (P->node < Q->node) D += K->size[P->node] + column_of(I, stack, P, Q);
  scatter(D, hfi_block_stride(K, P->node), local, stack->ld, P, Q);
}

// Returns where part p adds to the diagonal block of K of a free body. *ld is the width of its rows. A branch has own
// blocks for bodies of the trunk.
static double* block_of_body(const hfiIsland* I, const hfiSegment* body, int32_t p, int* ld) {
  const hfiBlockMatrix* K = &I->matrix.K;
  int32_t node = body->node;
  double* block;
  if (p < I->parts.branches && node >= hfi_block_trunk(K)) {
    block = hfi_block_of_trunk(K, p, node);
    *ld = K->size[node];
  } else {
    block = hfi_block_rows(K, node);
    *ld = hfi_block_stride(K, node);
  }
  return block + body->slot * (*ld + 1);
}

// K += J^T G J of a stack of free bodies, which belongs to part p. Each body has one segment, body[0] and body[1]. The
// node of the first segment is eliminated first.
void hfi_system_add_stack(const hfiIsland* I, const hfiStack* stack, int p, int symmetric) {
  const hfiBlockMatrix* K = &I->matrix.K;
  const hfiSegment* body = I->stacks.segment + stack->segment;
  if (!hfi_any_active(I, stack)) return;

  // G J. Parts have scratch of their own, which begins 12 numbers a row behind that of the earlier parts. A row of a
  // stack of free bodies has at most 12 numbers.
  size_t scratch = 12 * (size_t)I->stacks.list[I->parts.stack[p]].row;
  double* GJ = I->matrix.GJ + scratch;
  const double* J = hfi_stack_rows(stack, I->stacks.full_rows + scratch);
  for (int32_t k = stack->block; k < stack->block + stack->nblock; ++k) {
    int offset = (I->block[k].row - stack->row) * stack->ld;
    multiply_block(I, k, J + offset, GJ + offset, stack->ld);
  }

  // where the blocks of J^T (G J) are in K
  hfiFreeBlocks blocks = {.second = NULL, .below = NULL};
  blocks.first = block_of_body(I, body, p, &blocks.ld_first);
  if (stack->nfree == 2) {
    int32_t node = body->node;
    int32_t column = stack->column + body[1].slot;
    blocks.second = block_of_body(I, body + 1, p, &blocks.ld_second);
    blocks.beside = blocks.first + K->size[node] - body->slot + column;
    blocks.below = symmetric ? NULL : hfi_block_lower(K, node) + body->slot * K->width[node] + column;
    blocks.ld_below = K->width[node];
  }
  I->stacks.kernels->add_product_free(stack, J, GJ, &blocks);
}

// K += J^T G J of a stack without compact rows.
static void add_full(hfiIsland* I, const hfiStack* stack, int symmetric) {
  if (!multiply_stack(I, stack, symmetric)) return;
  const hfiSegment* segment = I->stacks.segment + stack->segment;
  for (int32_t i = 0; i < stack->nsegment; ++i)
    for (int32_t j = symmetric ? i : 0; j < stack->nsegment; ++j) // Of a symmetric K only the upper triangle is read.
      add_segments(I, stack, segment + i, segment + j);
}

// D (m x m, in rows of width w) *= factor
static void scale_block(double* D, int32_t w, int32_t m, double factor) {
  for (int32_t i = 0; i < m; ++i) hfi_scale(D + i * w, factor, D + i * w, m);
}

// D (m x m, in rows of width w) = M (m x m)
HFI_FORCE_INLINE void copy_square(double* D, int32_t w, const double* M, int32_t m) {
  hfi_copy_block(D, w, M, m, m, m);
}

// Copies A, with added inertia, into the Newton matrix: the trees from `first` on to before `end`, in the order of
// elimination.
static void place_mass(const hfiIsland* I, int32_t first, int32_t end) {
  const hfStepProblem* P = I->problem;
  const hfiBlockMatrix* K = &I->matrix.K;

  for (int32_t t = first; t < end; ++t) {
    int32_t tree = I->tree[t];
    int32_t start = P->tree_start[tree];
    int32_t m = P->tree_start[tree + 1] - start;
    int32_t node = I->node[tree];
    int32_t slot = I->first[tree] - K->first[node];
    int32_t w = hfi_block_stride(K, node);
    const double* M = P->M + P->M_start[tree];
    double* D = hfi_block_rows(K, node) + slot * (w + 1);

    if (w == m)
      memcpy(D, M, sizeof(double) * (size_t)(m * m));
    else
      HFI_BY_SIZE(m, copy_square, D, w, M);
    for (int32_t i = 0; i < m; ++i) D[i * (w + 1)] += P->diag[start + i];
    if (I->matrix.inertia > 0) scale_block(D, w, m, 1 + I->matrix.inertia);
  }
}

// K += J^T G J of the scalars.
static void add_scalars(hfiIsland* I) {
  for (int32_t i = 0; i < I->nscalar; ++i)
    I->matrix.K.value[I->scalar[i].diagonal] += sqr(I->scalar[i].J) * I->rows.G[i];
}

// Forms K of an island that is not divided.
static void form_whole(hfiIsland* I, int symmetric) {
  // The mass matrix of a single tree fills K.
  if (I->ntree > 1) hfi_block_zero(&I->matrix.K, 0, I->matrix.K.nodes, symmetric);
  place_mass(I, 0, I->ntree);
  add_scalars(I);

  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    if (I->stacks.list[k].nfree)
      hfi_system_add_stack(I, I->stacks.list + k, 0, symmetric);
    else
      add_full(I, I->stacks.list + k, symmetric);
  }
}

// What the parts of an island share to form K.
typedef struct MatrixTask {
  hfiIsland* I;
  int symmetric;
} MatrixTask;

// Copies A to the panels of part p, whose other numbers become zero.
void hfi_system_begin_matrix(hfiIsland* I, int p, int symmetric) {
  hfiBlockMatrix* K = &I->matrix.K;
  int32_t first = K->branches.start[p];
  int32_t end = K->branches.start[p + 1];
  hfi_block_zero(K, first, end, symmetric);
  if (p < I->parts.branches) hfi_block_zero_trunk(K, p);
  place_mass(I, first, end);
}

// Forms the panels of a part, without scalars and stacks without compact rows.
static void form_part(void* context, int p) {
  const MatrixTask* task = context;
  hfiIsland* I = task->I;
  hfi_system_begin_matrix(I, p, task->symmetric);
  for (int32_t k = I->parts.stack[p]; k < I->parts.stack[p + 1]; ++k)
    if (I->stacks.list[k].nfree) hfi_system_add_stack(I, I->stacks.list + k, p, task->symmetric);
}

// Factors K, which is formed. Returns 0, or > 0 if a pivot failed.
static int factor(hfiIsland* I, int symmetric) {
  hfiBlockMatrix* K = &I->matrix.K;
  return hfi_block_is_rough(K) ? hfi_block_factor_roughly(K, symmetric) : hfi_block_factor(K, symmetric);
}

// Completes K of a divided island and factors it. Returns 0, or > 0 if a pivot failed.
int hfi_system_end_factor(hfiIsland* I, int symmetric) {
  hfi_block_add_trunk(&I->matrix.K);
  add_scalars(I);
  for (int32_t k = 0; I->stacks.nfull && k < I->stacks.nstack; ++k)
    if (!I->stacks.list[k].nfree) add_full(I, I->stacks.list + k, symmetric);
  return factor(I, symmetric);
}

// Is K unsymmetric, because the friction of some contact depends on its normal velocity?
int hfi_system_is_coupled(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (I->rows.response[k].coupled) return 1;
  return 0;
}

// K = A + J^T G J of a plain island of n dofs. I->matrix.local is J^T G J.
HFI_FORCE_INLINE void fill_plain(hfiIsland* I, int32_t n) {
  const hfStepProblem* P = I->problem;
  const double* M = P->M + P->M_start[*I->tree];
  const double* diag = P->diag + P->tree_start[*I->tree];
  const double* local = I->matrix.local;
  double* K = I->matrix.K.value;
  int32_t ld = I->stacks.list->ld;

  for (int32_t i = 0; i < n; ++i, K += n, M += n, local += ld) {
    double d = M[i] + diag[i];
    for (int32_t j = 0; j < n; ++j) K[j] = M[j] + local[j];
    K[i] = d + local[i];
  }
}

// Forms and factors K of a plain island. Returns 0, or > 0 if a pivot failed.
static int factor_plain(hfiIsland* I, int symmetric) {
  const hfiStack* stack = I->stacks.list;
  if (!multiply_stack(I, stack, symmetric)) memset(I->matrix.local, 0, sizeof(double) * (size_t)(I->n * stack->ld));
  HFI_BY_SIZE(I->n, fill_plain, I);
  return hfi_block_factor(&I->matrix.K, symmetric);
}

// Forms and factors K. Returns 0, or > 0 if a pivot failed.
int hfi_system_factor(hfiIsland* I) {
  int symmetric = !hfi_system_is_coupled(I);
  if (I->stacks.is_plain) return factor_plain(I, symmetric);

  if (hfi_is_divided(I)) {
    hfi_for_parts(I, form_part, &(MatrixTask){I, symmetric});
    return hfi_system_end_factor(I, symmetric);
  }

  form_whole(I, symmetric);
  return factor(I, symmetric);
}

// Solves K x = b in place with rough factors, by iterations until |b - K x| <= tolerance |b|. If that takes too many,
// factors K completely and solves with that. If that fails, x is not a number.
void hfi_system_iterate(hfiIsland* I, double tolerance, double* x) {
  hfiBlockMatrix* K = &I->matrix.K;
  const double* weight = I->dofs.inverse_diag;
  if (hfi_block_iterate(K, weight, tolerance, x)) return;

  if (hfi_block_factor_again(K) == 0)
    hfi_block_iterate(K, weight, tolerance, x);
  else
    for (int32_t i = 0; i < I->n; ++i) x[i] = NAN;
}

// Sets the unsymmetric terms gtn of all responses to zero, so that K becomes symmetric.
void hfi_system_decouple(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    I->rows.response[k].coupled = 0;
    for (int i = 0; i < 5; ++i) I->rows.response[k].gtn[i] = 0;
  }
}
