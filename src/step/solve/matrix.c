// Newton matrix of an island (TAMSI Eq. 23):
//
//   K = dr/dv = A + J^T G J,   G = -dgamma/ds
//
//   A  mass matrix plus implicit damping, block-diagonal by tree    J  Jacobian of all rows
//   G  block-diagonal: one block for each contact, one number for each saturated row
//
// In a large heap Newton's method may set I->inertia; A is then replaced by (1 + I->inertia) A.
//
// K is formed in three steps (hfi_system_factor):
//   1. Copy A to the diagonal blocks of the nodes (place_mass).
//   2. Add J^2 G of each scalar to one diagonal entry.
//   3. For each patch, multiply the rows of its stacked Jacobian by G, form the small dense matrix J^T (G J), and add its parts to the nodes of its
//      segments (add_patch).
// Runs of active blocks are multiplied at once. Two cases are simpler: a patch of free bodies adds its products to K without the small matrix
// (hfi_system_add_patch), and K of a plain island, which has one patch on all its dofs, is the sum of two dense matrices (factor_plain).
#include "step/solve/system.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/solve/parts.h"
#include "step/solve/patch.h"

#include <string.h>

// Computes GJ of block k from its rows of J.
static inline void multiply_block(const hfiIsland* I, int32_t k, const double* J, double* GJ, int ld) {
  const hfiIslandBlock* b = I->block + k;
  if (b->law == HF_LAW_CONTACT)
    I->kernels->multiply_contact(I->response + k, b->dim, J, GJ, ld);
  else
    I->kernels->scale_rows(I->G + b->row, b->dim, J, GJ, ld);
}

// Computes I->local = J^T G J of a patch, one run of active blocks after the other. Returns 0 if no block is active.
HFI_COPIED int multiply_patch(const hfiIsland* I, const hfiPatch* patch, int symmetric) {
  int ld = patch->ld, any = 0;
  int32_t end = patch->block + patch->nblock, rows;
  for (int32_t k = patch->block; k < end; ++k) {
    if (!I->response[k].active) continue;
    if (!any) memset(I->local, 0, sizeof(double) * (size_t)((patch->ncol + 1) * ld));
    any = 1;
    int32_t first = I->block[k].row, stop = hfi_end_of_run(I, k, end, &rows);
    const double* J = patch->J + (first - patch->row) * ld;
    for (; k < stop; ++k) {
      int at = (I->block[k].row - first) * ld;
      multiply_block(I, k, J + at, I->GJ + at, ld);
    }
    I->kernels->add_product(patch, rows, J, I->GJ, symmetric, I->local);
  }
  return any;
}

// D[slot of row i][slot of column j] += local[i][j] for the rows of segment P and the columns of segment Q. D has rows of width w. Of a symmetric matrix
// this also writes entries below the diagonal, which nobody reads.
static void scatter(double* D, int w, const double* local, int ld, const hfiSegment* P, const hfiSegment* Q) {
  D += P->slot * w + Q->slot;
  if (P->ncol == 6 && Q->ncol == 6) // free bodies
    hfi_six_add(D, w, local, ld);
  else
    hfi_add_block(D, w, local, ld, P->ncol, Q->ncol);
}

// The same for a block that is stored transposed: T[slot of column j][slot of row i] += local[i][j].
static void scatter_transposed(double* T, int w, const double* local, int ld, const hfiSegment* P, const hfiSegment* Q) {
  T += Q->slot * w + P->slot;
  if (P->ncol == 6 && Q->ncol == 6) // With constants the compiler unrolls the loops.
    hfi_add_block_transposed(T, w, local, ld, 6, 6);
  else
    hfi_add_block_transposed(T, w, local, ld, Q->ncol, P->ncol);
}

// First column of the node of segment Q in the panel of the node of segment P, which is eliminated earlier.
static inline int32_t column_of(const hfiIsland* I, const hfiPatch* patch, const hfiSegment* P, const hfiSegment* Q) {
  return patch->nnode == 2 ? patch->column : hfi_block_column(&I->K, P->node, Q->node);
}

// Adds the rows of segment P and the columns of segment Q of I->local to the Newton matrix.
static void add_segments(hfiIsland* I, const hfiPatch* patch, const hfiSegment* P, const hfiSegment* Q) {
  const hfiBlockMatrix* K = &I->K;
  const double* local = I->local + P->column * patch->ld + Q->column;
  if (P->node > Q->node) { // The lower triangle is stored transposed.
    double* T = hfi_block_lower(K, Q->node) + column_of(I, patch, Q, P);
    scatter_transposed(T, K->width[Q->node], local, patch->ld, P, Q);
    return;
  }
  double* D = hfi_block_rows(K, P->node);
  if (P->node < Q->node) D += K->size[P->node] + column_of(I, patch, P, Q);
  scatter(D, hfi_block_stride(K, P->node), local, patch->ld, P, Q);
}

// Returns where part p adds to the diagonal block of K of a free body. *ld is the width of its rows. A branch has own blocks for bodies of the trunk.
static double* block_of_body(const hfiIsland* I, const hfiSegment* body, int32_t p, int* ld) {
  int own = p < I->branches && body->node >= I->K.branch_start[I->branches];
  *ld = own ? I->K.size[body->node] : hfi_block_stride(&I->K, body->node);
  return (own ? hfi_block_of_trunk(&I->K, p, body->node) : hfi_block_rows(&I->K, body->node)) + body->slot * (*ld + 1);
}

// K += J^T G J of a patch of free bodies, which belongs to part p. The node of the first segment is eliminated first.
void hfi_system_add_patch(const hfiIsland* I, const hfiPatch* patch, int p, int symmetric) {
  const hfiBlockMatrix* K = &I->K;
  size_t scratch = 12 * (size_t)I->patch[I->part_patch[p]].row; // Parts have scratch of their own. A row has at most 12 numbers.
  double *rows = I->rows + scratch, *GJ = I->GJ + scratch;
  const hfiSegment* body = I->segment + patch->segment;
  hfiFreeBlocks blocks = {.second = NULL, .below = NULL};
  if (!hfi_any_active(I, patch)) return;
  const double* J = hfi_patch_rows(patch, rows);
  for (int32_t k = patch->block; k < patch->block + patch->nblock; ++k) {
    int at = (I->block[k].row - patch->row) * patch->ld;
    multiply_block(I, k, J + at, GJ + at, patch->ld);
  }
  blocks.first = block_of_body(I, body, p, &blocks.ld_first);
  if (patch->nfree == 2) {
    int32_t node = body->node, slot = body->slot, column = patch->column + body[1].slot, width = K->width[node];
    blocks.second = block_of_body(I, body + 1, p, &blocks.ld_second);
    blocks.beside = blocks.first + K->size[node] - slot + column;
    blocks.below = symmetric ? NULL : hfi_block_lower(K, node) + slot * width + column;
    blocks.ld_below = width;
  }
  I->kernels->add_product_free(patch, J, GJ, &blocks);
}

// K += J^T G J of a patch without compact rows.
static void add_full(hfiIsland* I, const hfiPatch* patch, int symmetric) {
  if (!multiply_patch(I, patch, symmetric)) return;
  const hfiSegment* segment = I->segment + patch->segment;
  for (int32_t i = 0; i < patch->nsegment; ++i)
    for (int32_t j = symmetric ? i : 0; j < patch->nsegment; ++j) // Of a symmetric K only the upper triangle is read.
      add_segments(I, patch, segment + i, segment + j);
}

// D (m x m, in rows of width w) *= factor
static void scale_block(double* D, int32_t w, int32_t m, double factor) {
  for (int32_t i = 0; i < m; ++i) hfi_scale(D + i * w, factor, D + i * w, m);
}

// D (m x m, in rows of width w) = M (m x m)
HFI_COPIED void copy_square(double* D, int32_t w, const double* M, int32_t m) { hfi_copy_block(D, w, M, m, m, m); }

// Copies A, with added inertia, into the Newton matrix: the trees from `first` on to before `end`, in the order of elimination.
static void place_mass(const hfiIsland* I, int32_t first, int32_t end) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = first; t < end; ++t) {
    int32_t tree = I->tree[t], start = P->tree_start[tree], m = P->tree_start[tree + 1] - start;
    int32_t node = I->node[tree], slot = I->first[tree] - I->K.first[node];
    int32_t w = hfi_block_stride(&I->K, node);
    const double* M = P->M + P->M_start[tree];
    double* D = hfi_block_rows(&I->K, node) + slot * (w + 1);
    if (w == m)
      memcpy(D, M, sizeof(double) * (size_t)(m * m));
    else
      HFI_BY_SIZE(m, copy_square, D, w, M);
    for (int32_t i = 0; i < m; ++i) D[i * (w + 1)] += P->diag[start + i];
    if (I->inertia > 0) scale_block(D, w, m, 1 + I->inertia);
  }
}

// K += J^T G J of the scalars.
static void add_scalars(hfiIsland* I) {
  for (int32_t i = 0; i < I->nscalar; ++i) I->K.value[I->scalar[i].at] += sqr(I->scalar[i].J) * I->G[i];
}

// Forms K of an island that is not divided.
static void form_whole(hfiIsland* I, int symmetric) {
  if (I->ntree > 1) hfi_block_zero(&I->K, 0, I->K.nodes, symmetric); // The mass matrix of a single tree fills K.
  place_mass(I, 0, I->ntree);
  add_scalars(I);
  for (int32_t k = 0; k < I->npatch; ++k) {
    if (I->patch[k].nfree)
      hfi_system_add_patch(I, I->patch + k, 0, symmetric);
    else
      add_full(I, I->patch + k, symmetric);
  }
}

// What the parts of an island share to form K.
typedef struct MatrixTask {
  hfiIsland* I;
  int symmetric;
} MatrixTask;

void hfi_system_begin_matrix(hfiIsland* I, int p, int symmetric) {
  int32_t first = I->K.branch_start[p], end = I->K.branch_start[p + 1];
  hfi_block_zero(&I->K, first, end, symmetric);
  if (p < I->branches) hfi_block_zero_trunk(&I->K, p);
  place_mass(I, first, end);
}

// Forms the panels of a part, without scalars and patches without compact rows.
static void form_part(void* context, int p) {
  const MatrixTask* task = context;
  hfiIsland* I = task->I;
  hfi_system_begin_matrix(I, p, task->symmetric);
  for (int32_t k = I->part_patch[p]; k < I->part_patch[p + 1]; ++k)
    if (I->patch[k].nfree) hfi_system_add_patch(I, I->patch + k, p, task->symmetric);
}

// Factors K, which is formed.
static int factor(hfiIsland* I, int symmetric) {
  return hfi_block_is_rough(&I->K) ? hfi_block_factor_roughly(&I->K, symmetric) : hfi_block_factor(&I->K, symmetric);
}

int hfi_system_end_factor(hfiIsland* I, int symmetric) {
  hfi_block_add_trunk(&I->K);
  add_scalars(I);
  for (int32_t k = 0; I->full_patches && k < I->npatch; ++k)
    if (!I->patch[k].nfree) add_full(I, I->patch + k, symmetric);
  return factor(I, symmetric);
}

int hfi_system_is_coupled(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (I->response[k].coupled) return 1;
  return 0;
}

// K = A + J^T G J of a plain island of n dofs. I->local is J^T G J.
HFI_COPIED void fill_plain(hfiIsland* I, int32_t n) {
  const hfStepProblem* P = I->problem;
  const double *M = P->M + P->M_start[*I->tree], *diag = P->diag + P->tree_start[*I->tree], *local = I->local;
  int32_t ld = I->patch->ld;
  double* K = I->K.value;
  for (int32_t i = 0; i < n; ++i, K += n, M += n, local += ld) {
    double d = M[i] + diag[i];
    for (int32_t j = 0; j < n; ++j) K[j] = M[j] + local[j];
    K[i] = d + local[i];
  }
}

static int factor_plain(hfiIsland* I, int symmetric) {
  if (!multiply_patch(I, I->patch, symmetric))
    memset(I->local, 0, sizeof(double) * (size_t)(I->n * I->patch->ld));
  HFI_BY_SIZE(I->n, fill_plain, I);
  return hfi_block_factor(&I->K, symmetric);
}

int hfi_system_factor(hfiIsland* I) {
  int symmetric = !hfi_system_is_coupled(I);
  if (I->is_plain) return factor_plain(I, symmetric);
  if (hfi_is_divided(I)) {
    hfi_for_parts(I, form_part, &(MatrixTask){I, symmetric});
    return hfi_system_end_factor(I, symmetric);
  }
  form_whole(I, symmetric);
  return factor(I, symmetric);
}

void hfi_system_iterate(hfiIsland* I, double tolerance, double* x) {
  if (hfi_block_iterate(&I->K, I->inverse_diag, tolerance, x)) return;
  if (hfi_block_factor_again(&I->K) == 0)
    hfi_block_iterate(&I->K, I->inverse_diag, tolerance, x);
  else
    for (int32_t i = 0; i < I->n; ++i) x[i] = NAN;
}

void hfi_system_decouple(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    I->response[k].coupled = 0;
    for (int i = 0; i < 5; ++i) I->response[k].gtn[i] = 0;
  }
}
