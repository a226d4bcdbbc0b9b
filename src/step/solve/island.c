// Gathering an island: its dofs and rows, copied from the step problem.
//
// The steps of hfi_island_gather:
//   1. Choose the order in which the trees are eliminated, so that the factors of the Newton matrix stay sparse
//      (order_trees). A small island is one dense node (make_one_node). This numbers the dofs of the island.
//   2. Copy the vectors p*, v0 and the diagonal of A in that numbering (gather_vectors).
//   3. Copy the rows (island_rows.c).
//   4. Find the limbs of a single tree (find_limbs).
#include "step/solve/inside.h"

#include "base/compile.h"
#include "linalg/block_rough.h"
#include "math/vec3.h"

#include <string.h>

// The storage of K, and of the product J^T G J of a stack, is planned for the worst case, all dofs coupled with each
// other, up to this many dofs, those of 1,300 free bodies. Larger heaps are sparse: 20,000 bodies fit, too. Pages that
// no island uses are never touched.
enum { PLANNED_DOFS = 8000 };
// For rough factors there is storage for this many numbers for each dof, beside the panels. Heaps of 400 and 1000 free
// bodies need up to 125 and 175.
enum { PLANNED_ROUGH = 500 };

// ---- storage ----------------------------------------------------------------------------------------

enum { PADDING = 3 }; // Rows and columns are padded to a multiple of four, by up to this many zeros.

// Takes storage for `count` numbers from the arena.
static hfiRoom plan_room(hfiArena* arena, size_t count) {
  return (hfiRoom){HFI_TAKE(arena, double, count), count};
}

// Returns n^2.
static size_t square(int32_t n) { return (size_t)n * (size_t)n; }

// Takes what has a number for each dof or row, or an item for each block.
static void take_values(hfiIsland* I, hfiArena* arena, size_t nv, size_t nrow, size_t nblock) {
  hfiDofVectors* x = &I->dofs;
  hfiRowVectors* rows = &I->rows;
  hfiForceEstimates* forces = &I->forces;

  // by dof
  size_t dofs = nv + PADDING;
  HFI_TAKE_EACH(arena, double, dofs, &x->v, &x->v0, &x->p, &x->dv, &x->v1, &x->r, &x->Av, &x->tau, &x->diag);
  HFI_TAKE_EACH(arena, double, dofs, &x->inverse_diag, &I->kept.v, &x->work);

  // by row
  size_t padded_rows = nrow + PADDING * nblock;
  HFI_TAKE_EACH(arena, double, padded_rows, &rows->s, &rows->s1, &I->kept.s, &rows->ds, &rows->gamma, &rows->G);
  HFI_TAKE_EACH(arena, double, padded_rows, &I->duals.w, &forces->friction, &forces->inverse_mass);
  HFI_TAKE_EACH(arena, double, padded_rows, &rows->drift, &rows->weight);

  // by block
  I->duals.groups = HFI_TAKE(arena, hfiDualGroups, nblock);
  forces->lag = HFI_TAKE(arena, double, nblock);
  I->kept.lag = HFI_TAKE(arena, double, nblock);
  forces->pi0 = HFI_TAKE(arena, double, nblock);
  forces->damping = HFI_TAKE(arena, hfiDamping, nblock);
  forces->law = HFI_TAKE(arena, hfContactLaw, nblock);
  forces->other_law = HFI_TAKE(arena, const hfContactLaw*, nblock);
  rows->response = HFI_TAKE(arena, hfiContactResponse, nblock);
}

// Takes the storage of the Newton matrix. A stack may act on all dofs of an island of up to PLANNED_DOFS, or on two
// trees of any size.
static void take_matrix(hfiNewtonMatrix* matrix, hfiArena* arena, const hfStepCapacity* c) {
  int32_t largest_stack = imax2(2 * c->max_tree_nv, PLANNED_DOFS);
  int32_t largest_dense = imax2(c->max_tree_nv, PLANNED_DOFS);
  int is_large = c->ntree > HFI_ROUGH_TREES;
  matrix->locals = plan_room(arena, square(imin2(c->nv, largest_stack) + PADDING));
  matrix->values = plan_room(arena, square(imin2(c->nv, largest_dense)));
  matrix->rough = plan_room(arena, is_large ? PLANNED_ROUGH * (size_t)c->nv : 0);

  hfi_block_plan(&matrix->sparse, arena, c->ntree, c->nv);
  hfi_block_plan(&matrix->dense, arena, 1, c->nv);
  hfi_star_plan(&matrix->star, arena, c->max_tree_nv);
  matrix->local = matrix->locals.start;
  matrix->dense.value = matrix->values.start; // The planned storage is always large enough for a single tree.
}

// Takes all storage from the arena. c: the largest numbers of trees, dofs, rows, ... that a problem may have; an island
// may be all of it.
void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* c) {
  size_t nv = (size_t)c->nv;
  size_t nrow = (size_t)c->nrow;
  size_t njac = (size_t)c->njac;
  size_t nblock = (size_t)c->nblock;
  hfiStacks* stacks = &I->stacks;
  memset(I, 0, sizeof *I);

  // trees and blocks
  HFI_TAKE_EACH(arena, int32_t, c->ntree, &I->tree, &I->first, &I->node);
  I->block = HFI_TAKE(arena, hfiIslandBlock, nblock);
  I->scalar = HFI_TAKE(arena, hfiScalar, nblock);

  // stacks; a stack of r rows and c columns has at most (r + 3) (c + 3) = r c + 3 r + 3 c + 9 numbers, and c <= r c
  size_t padded = 4 * njac + PADDING * nrow + PADDING * PADDING * nblock;
  stacks->kernels = hfi_stack_choose();
  stacks->list = HFI_TAKE(arena, hfiStack, nblock);
  HFI_TAKE_EACH(arena, int32_t, nblock, &stacks->wide, &stacks->unsorted);
  stacks->segment = HFI_TAKE(arena, hfiSegment, njac);
  stacks->index = HFI_TAKE(arena, int32_t, njac + (size_t)c->npiece);
  HFI_TAKE_EACH(arena, double, padded, &stacks->jacobian, &stacks->transposed, &I->matrix.GJ, &stacks->full_rows);
  stacks->column = HFI_TAKE(arena, double, nv + PADDING);

  // vectors, parts and matrix
  take_values(I, arena, nv, nrow, nblock);
  for (int b = 0; b < HFI_MAX_BRANCHES; ++b)
    I->parts.trunk_tau[b] = HFI_TAKE(arena, double, c->ntree > HFI_ROUGH_TREES ? nv : 0);
  take_matrix(&I->matrix, arena, c);
}

// Number of dofs of a tree.
static int32_t tree_size(const hfStepProblem* P, int32_t tree) {
  return P->tree_start[tree + 1] - P->tree_start[tree];
}

// Gives K of a large heap rough factors. Returns 0 if they need more storage than was planned.
static int use_rough_factors(hfiIsland* I) {
  hfiNewtonMatrix* matrix = &I->matrix;
  size_t numbers = hfi_block_count_rough(&matrix->K);
  if (numbers > matrix->rough.count) return 0;

  hfi_block_make_rough(&matrix->K, &matrix->rough_factors, matrix->rough.start, numbers, I->parts.workers);
  return 1;
}

// Makes one node for each tree, couples the nodes of every block, and numbers trees and dofs in the order of
// elimination: sets I->tree, I->node, I->first and I->matrix.K. Until the order is known, I->node is the index of a
// tree in the list `trees`. Returns 0 if K needs more storage than was planned.
static int order_trees(hfiIsland* I, const int32_t* trees, int32_t ntree, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  hfiBlockMatrix* K = &I->matrix.sparse;
  int is_large = ntree > HFI_ROUGH_TREES;

  // nodes and their couplings
  hfi_block_begin(K, ntree);
  K->branches.max = is_large ? HFI_MAX_BRANCHES : 1;
  for (int32_t i = 0; i < ntree; ++i) {
    K->weight[i] = tree_size(P, trees[i]);
    I->node[trees[i]] = i;
  }
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    const hfStepPiece* piece = P->piece + block->piece;

    // each pair of trees that the block acts on
    for (int32_t i = 1; i < block->npiece; ++i)
      for (int32_t j = 0; j < i; ++j) hfi_block_couple(K, I->node[piece[i].tree], I->node[piece[j].tree]);
  }

  // the order, and the storage of the panels
  if (!hfi_block_order(K)) return 0;
  if (K->panel_start[ntree] > I->matrix.values.count) return 0;
  K->value = I->matrix.values.start;
  I->matrix.K = *K;
  if (is_large && !use_rough_factors(I)) return 0;

  // the numbers of trees and dofs
  for (int32_t k = 0; k < ntree; ++k) {
    int32_t tree = trees[K->ordering.order[k]];
    I->tree[k] = tree;
    I->node[tree] = k;
    I->first[tree] = K->first[k];
  }
  return 1;
}

// Makes one dense node for the whole island, with the trees in the given order. Sets I->tree, I->node, I->first and
// I->matrix.K.
static void make_one_node(hfiIsland* I, const int32_t* trees, int32_t ntree) {
  int32_t dof = 0;
  for (int32_t i = 0; i < ntree; ++i) {
    I->tree[i] = trees[i];
    I->node[trees[i]] = 0;
    I->first[trees[i]] = dof;
    dof += tree_size(I->problem, trees[i]);
  }
  hfi_block_make_one(&I->matrix.dense, I->n);
  I->matrix.K = I->matrix.dense;
}

// Copies p*, v0 and the diagonal of A = M + diag of a tree with m dofs, and inverts this diagonal. tree: index in the
// problem.
HFI_FORCE_INLINE void gather_tree(hfiIsland* I, int32_t tree, int32_t m) {
  const hfStepProblem* P = I->problem;
  int32_t from = P->tree_start[tree];
  int32_t to = I->first[tree];
  const double* M = P->M + P->M_start[tree];
  const double* p = P->p + from;
  const double* v0 = P->v0 + from;
  const double* added = P->diag + from;
  double* restrict to_p = I->dofs.p + to;
  double* restrict to_v0 = I->dofs.v0 + to;
  double* restrict diag = I->dofs.diag + to;
  double* restrict inverse = I->dofs.inverse_diag + to;

  for (int32_t i = 0; i < m; ++i) {
    to_p[i] = p[i];
    to_v0[i] = v0[i];
    diag[i] = M[i * m + i] + added[i];
    inverse[i] = 1 / diag[i];
  }
}

// Copies the vectors of all trees, and sets |p*|.
static void gather_vectors(hfiIsland* I) {
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t];
    int32_t m = tree_size(I->problem, tree);
    HFI_BY_SIZE(m, gather_tree, I, tree);
  }
  I->dofs.p_norm = hfi_system_momentum_norm(I, I->dofs.p);
}

// Finds the limbs of an island of one tree from M and the stacks, which show which dofs are coupled. If there are
// limbs, K becomes a star. Trees of few dofs, such as arms with fingers, gain nothing from limbs.
static void find_limbs(hfiIsland* I) {
  const double* M = I->problem->M + I->problem->M_start[*I->tree];
  hfiStar* star = &I->matrix.star;
  int32_t n = I->n;
  if (I->ntree != 1 || n < 2 * HFI_TRUNK) return;
  hfi_star_begin(star, n);

  // the rows of a stack couple each of its dofs beyond the trunk with its last dof
  for (int32_t k = 0; k < I->stacks.nstack; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    int32_t last = stack->dof[stack->ncol - 1];
    int32_t c = 0;
    while (c < stack->ncol && stack->dof[c] < HFI_TRUNK) ++c;
    for (; c < stack->ncol; ++c) hfi_star_couple(star, stack->dof[c], last);
  }

  if (hfi_star_find_limbs(star, M, n)) I->matrix.K.star = star;
}

// Copies the trees and blocks from the problem into the island: sets all numbers of the island, and its vectors p, v0,
// diag and inverse_diag, but no iterate. Returns 0 if the island needs more storage than was planned.
int hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees, int32_t ntree,
                      const int32_t* blocks, int32_t nblock) {
  I->problem = problem;
  I->ntree = ntree;
  I->n = 0;
  for (int32_t i = 0; i < ntree; ++i) I->n += tree_size(problem, trees[i]);
  I->stacks.nstack = 0;
  I->stacks.nsegment = 0;
  I->stacks.nfull = 0;
  I->rows.has_weights = 0;
  I->matrix.inertia = 0;

  // the order of elimination, which numbers trees and dofs
  if (I->n <= HFI_DENSE_DOFS || ntree == 1)
    make_one_node(I, trees, ntree);
  else if (!order_trees(I, trees, ntree, blocks, nblock))
    return 0;
  I->parts.branches = I->matrix.K.branches.count;

  // dofs and rows
  gather_vectors(I);
  if (!hfi_island_gather_rows(I, blocks, nblock)) return 0;
  if (!I->stacks.is_plain) find_limbs(I);
  return 1;
}
