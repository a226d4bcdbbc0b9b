// Gathering an island: order of elimination, dof numbers, patches.
#include "solve/island.h"

#include <assert.h>
#include <string.h>

static int32_t round_up4(int32_t n) { return (n + 3) & ~3; }

void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* c) {
  memset(I, 0, sizeof *I);
  size_t nv = (size_t)c->nv, nrow = (size_t)c->nrow, njac = (size_t)c->njac, nblock = (size_t)c->nblock;
  size_t padded = njac + 3 * nrow; // rows of J padded to a multiple of 4
  I->tree = HFI_TAKE(arena, int32_t, c->ntree);
  I->first = HFI_TAKE(arena, int32_t, c->ntree);
  I->node = HFI_TAKE(arena, int32_t, c->ntree);
  I->block = HFI_TAKE(arena, hfiIslandBlock, nblock);
  I->patch = HFI_TAKE(arena, hfiPatch, nblock);
  I->segment = HFI_TAKE(arena, hfiSegment, c->npiece);
  I->index = HFI_TAKE(arena, int32_t, 2 * njac);
  I->jacobian = HFI_TAKE(arena, double, padded);
  double** vectors[] = {&I->v, &I->v0, &I->p, &I->dv, &I->v1, &I->r, &I->Av, &I->tau, &I->inverse_diag,
                       &I->v_kept, &I->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = HFI_TAKE(arena, double, nv);
  double** rows[] = {&I->s, &I->s1, &I->ds, &I->gamma, &I->G};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) *rows[i] = HFI_TAKE(arena, double, nrow);
  I->lag = HFI_TAKE(arena, double, nblock);
  I->lag_kept = HFI_TAKE(arena, double, nblock);
  I->response = HFI_TAKE(arena, hfiContactResponse, nblock);
  I->GJ = HFI_TAKE(arena, double, padded);
  I->local = HFI_TAKE(arena, double, nv * (nv + 3));
  I->column = HFI_TAKE(arena, double, 2 * (nv + 3));
  hfi_block_plan(&I->K, arena, c->ntree, c->nv);
}

static int32_t tree_size(const hfStepProblem* P, int32_t tree) {
  return P->tree_start[tree + 1] - P->tree_start[tree];
}

// Couples the trees of every block and finds the order of elimination.
static void order_trees(hfiIsland* I, const int32_t* trees, int32_t ntree, const int32_t* blocks,
                        int32_t nblock) {
  const hfStepProblem* P = I->problem;
  hfiBlockMatrix* K = &I->K;
  hfi_block_begin(K, ntree);
  for (int32_t i = 0; i < ntree; ++i) {
    K->weight[i] = tree_size(P, trees[i]);
    I->node[trees[i]] = i;
  }
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    const hfStepPiece* piece = P->piece + block->piece;
    for (int32_t i = 1; i < block->npiece; ++i)
      for (int32_t j = 0; j < i; ++j)
        hfi_block_couple(K, I->node[piece[i].tree], I->node[piece[j].tree]);
  }
  hfi_block_order(K);
  for (int32_t k = 0; k < ntree; ++k) {
    int32_t tree = trees[K->order[k]];
    I->tree[k] = tree;
    I->node[tree] = k;
    I->first[tree] = K->first[k];
  }
}

// The whole island as one dense node.
static void take_trees(hfiIsland* I, const int32_t* trees, int32_t ntree, int32_t n) {
  int32_t at = 0;
  for (int32_t i = 0; i < ntree; ++i) {
    I->tree[i] = trees[i];
    I->node[trees[i]] = 0;
    I->first[trees[i]] = at;
    at += tree_size(I->problem, trees[i]);
  }
  hfi_block_begin(&I->K, 1);
  I->K.weight[0] = n;
  hfi_block_order(&I->K);
}

static void gather_vectors(hfiIsland* I) {
  const hfStepProblem* P = I->problem;
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], from = P->tree_start[tree], to = I->first[tree], m = tree_size(P, tree);
    const double* M = P->M + P->M_start[tree];
    for (int32_t i = 0; i < m; ++i) {
      I->p[to + i] = P->p[from + i];
      I->v0[to + i] = P->v0[from + i];
      I->inverse_diag[to + i] = 1 / (M[i * m + i] + P->diag[from + i]);
    }
  }
}

// Do two blocks touch the same columns of the same trees?
static int same_columns(const hfStepProblem* P, const hfStepBlock* a, const hfStepBlock* b) {
  if (a->npiece != b->npiece) return 0;
  for (int32_t i = 0; i < a->npiece; ++i) {
    const hfStepPiece *x = P->piece + a->piece + i, *y = P->piece + b->piece + i;
    if (x->tree != y->tree || x->ncol != y->ncol) return 0;
    if (x->col != y->col &&
        memcmp(P->cols + x->col, P->cols + y->col, sizeof(int32_t) * (size_t)x->ncol) != 0)
      return 0;
  }
  return 1;
}

// Dofs, slots and segments of a new patch with the columns of `block`.
static void open_patch(hfiIsland* I, const hfStepBlock* block, int32_t** index) {
  const hfStepProblem* P = I->problem;
  hfiPatch* patch = I->patch + I->npatch++;
  patch->block = I->nblock;
  patch->row = I->nrow;
  patch->nblock = patch->nrow = patch->ncol = patch->nsegment = 0;
  patch->segment = I->nsegment;
  for (int32_t i = 0; i < block->npiece; ++i) patch->ncol += P->piece[block->piece + i].ncol;
  patch->ld = round_up4(patch->ncol);
  patch->dof = *index;
  patch->slot = *index + patch->ncol;
  *index += 2 * patch->ncol;
  int32_t c = 0;
  for (int32_t i = 0; i < block->npiece; ++i) {
    const hfStepPiece* piece = P->piece + block->piece + i;
    int32_t node = I->node[piece->tree], first = I->first[piece->tree];
    hfiSegment* last = I->segment + I->nsegment - 1;
    if (patch->nsegment > 0 && last->node == node) last->ncol += piece->ncol;
    else {
      hfiSegment segment = {node, c, piece->ncol};
      I->segment[I->nsegment++] = segment;
      ++patch->nsegment;
    }
    for (int32_t j = 0; j < piece->ncol; ++j, ++c) {
      patch->dof[c] = first + P->cols[piece->col + j];
      patch->slot[c] = patch->dof[c] - I->K.first[node];
    }
  }
  patch->contiguous = patch->nsegment == 1;
  for (int32_t j = 1; j < c; ++j)
    if (patch->slot[j] != patch->slot[0] + j) patch->contiguous = 0;
}

// Appends the rows of a block to the last patch.
static void append_block(hfiIsland* I, const hfStepBlock* block, double** jacobian) {
  const hfStepProblem* P = I->problem;
  hfiPatch* patch = I->patch + I->npatch - 1;
  if (patch->nblock == 0) patch->J = *jacobian;
  hfiIslandBlock b = {block->law, block->dim, I->nrow, block->row, I->npatch - 1, NULL, NULL};
  if (block->law == HF_LAW_CONTACT) b.contact = P->contact + block->param;
  else b.saturated = P->saturated + block->param;
  I->block[I->nblock++] = b;
  for (int32_t r = 0; r < block->dim; ++r, *jacobian += patch->ld) {
    double* row = *jacobian;
    int32_t c = 0;
    for (int32_t i = 0; i < block->npiece; ++i) {
      const hfStepPiece* piece = P->piece + block->piece + i;
      const double* from = P->J + piece->jac + r * piece->ncol;
      for (int32_t j = 0; j < piece->ncol; ++j) row[c++] = from[j];
    }
    while (c < patch->ld) row[c++] = 0;
  }
  ++patch->nblock;
  patch->nrow += block->dim;
  I->nrow += block->dim;
}

void hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees, int32_t ntree,
                       const int32_t* blocks, int32_t nblock) {
  I->problem = problem;
  I->n = 0;
  for (int32_t i = 0; i < ntree; ++i) I->n += tree_size(problem, trees[i]);
  I->ntree = ntree;
  I->nblock = I->nrow = I->npatch = I->nsegment = 0;
  if (I->n <= HFI_DENSE_DOFS || ntree == 1) take_trees(I, trees, ntree, I->n);
  else order_trees(I, trees, ntree, blocks, nblock);
  gather_vectors(I);
  int32_t* index = I->index;
  double* jacobian = I->jacobian;
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = problem->block + blocks[b];
    if (b == 0 || !same_columns(problem, problem->block + blocks[b - 1], block))
      open_patch(I, block, &index);
    append_block(I, block, &jacobian);
  }
}
