// Gathering an island: its dofs, its scalars and its patches, copied from the step problem.
//
// The steps of hfi_island_gather:
//   1. Choose the order in which the trees are eliminated, so that the factors of the Newton matrix
//      stay sparse (order_trees); a small island is one dense node (make_one_node). This numbers the
//      dofs of the island.
//   2. Copy the vectors p*, v0 and the diagonal of A in that numbering (gather_vectors).
//   3. Append the scalars, and collect the other blocks in I->wide.
//   4. Stack the other blocks in patches: a block that acts on the same dofs as the one before it
//      extends its patch, any other block opens a new one (gather_patches).
// A plain island, as that of a body on the ground, has one patch on all its dofs, and needs neither 3 nor lists (gather_plain); a narrow one is small
// and has one block (gather_narrow).
#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/patch.h"
#include "solve/system.h"

#include <assert.h>
#include <string.h>

// A Newton matrix of this many dofs, and a patch of so many columns, are planned for even if they are dense: a heap of 1,300 free bodies. Larger heaps have
// sparse factors, which mostly need less.
static const int32_t PLANNED_DOFS = 8000, PLANNED_COLUMNS = 1000;

static int32_t round_up4(int32_t n) { return (n + 3) & ~3; }

// ---- storage ----------------------------------------------------------------------------------------

static size_t square(int32_t n) { return (size_t)n * (size_t)n; }

static void plan_room(hfiRoom* room, hfiArena* arena, size_t count) { *room = (hfiRoom){HFI_TAKE(arena, double, count), count, NULL}; }

// Makes room for `count` numbers, and for a fourth more where that has to be allocated. Returns 0 where there is no memory.
static int make_room(hfiRoom* room, size_t count, const hfAllocator* allocator) {
  if (count <= room->count) return 1;
  size_t more = count + count / 4;
  double* grown = hfi_allocate(allocator, sizeof *grown * more);
  if (!grown) return 0;
  hfi_release(room->grown);
  *room = (hfiRoom){grown, more, grown};
  return 1;
}

void hfi_island_plan(hfiIsland* I, hfiArena* arena, const hfStepCapacity* c) {
  memset(I, 0, sizeof *I);
  I->kernels = hfi_patch_choose();
  size_t nv = (size_t)c->nv, nrow = (size_t)c->nrow, njac = (size_t)c->njac,
         nblock = (size_t)c->nblock;
  // A patch of r rows and c columns is padded to at most (r + 3) (c + 3) numbers.
  size_t padded = 4 * njac + 3 * nrow + 9 * nblock;
  HFI_TAKE_EACH(arena, int32_t, c->ntree, &I->tree, &I->first, &I->node);
  I->block = HFI_TAKE(arena, hfiIslandBlock, nblock);
  I->scalar = HFI_TAKE(arena, hfiScalar, nblock);
  I->patch = HFI_TAKE(arena, hfiPatch, nblock);
  I->wide = HFI_TAKE(arena, int32_t, nblock);
  I->segment = HFI_TAKE(arena, hfiSegment, njac);
  I->index = HFI_TAKE(arena, int32_t, njac + (size_t)c->npiece);
  I->jacobian = HFI_TAKE(arena, double, padded);
  I->transposed = HFI_TAKE(arena, double, padded);
  double** vectors[] = {&I->v,  &I->v0,  &I->p,    &I->dv,           &I->v1,     &I->r,
                        &I->Av, &I->tau, &I->diag, &I->inverse_diag, &I->v_kept, &I->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    *vectors[i] = HFI_TAKE(arena, double, nv + 3);
  double** rows[] = {&I->s, &I->s1, &I->s_kept, &I->ds, &I->gamma, &I->G, &I->dual, &I->force, &I->inverse_mass, &I->drift, &I->weight};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    *rows[i] = HFI_TAKE(arena, double, nrow + 3 * nblock); // A patch has up to 3 rows of padding.
  I->dual_groups = HFI_TAKE(arena, hfiDualGroups, nblock);
  I->lag = HFI_TAKE(arena, double, nblock);
  I->lag_kept = HFI_TAKE(arena, double, nblock);
  I->pi0 = HFI_TAKE(arena, double, nblock);
  I->damping = HFI_TAKE(arena, hfiDamping, nblock);
  I->soft = HFI_TAKE(arena, hfContactLaw, nblock);
  I->other_law = HFI_TAKE(arena, const hfContactLaw*, nblock);
  I->response = HFI_TAKE(arena, hfiContactResponse, nblock);
  I->GJ = HFI_TAKE(arena, double, padded);
  I->column = HFI_TAKE(arena, double, nv + 3);
  plan_room(&I->locals, arena, square(imin2(c->nv, imax2(2 * c->max_tree_nv, PLANNED_COLUMNS)) + 3));
  plan_room(&I->values, arena, square(imin2(c->nv, imax2(c->max_tree_nv, PLANNED_DOFS))));
  hfi_block_plan(&I->sparse, arena, c->ntree, c->nv);
  hfi_block_plan(&I->dense, arena, 1, c->nv);
  hfi_star_plan(&I->star, arena, c->max_tree_nv);
  I->local = I->locals.at;
  I->dense.value = I->values.at; // A tree always has room in what was planned.
  I->allocator = c->allocator;
}

void hfi_island_release(hfiIsland* I) {
  hfi_block_release(&I->sparse);
  hfi_release(I->values.grown);
  hfi_release(I->locals.grown);
}

static int32_t tree_size(const hfStepProblem* P, int32_t tree) {
  return P->tree_start[tree + 1] - P->tree_start[tree];
}

// Makes one node of each tree, couples the nodes of every block, and numbers trees and dofs in the
// order of elimination. I->node is a tree's place in the given list first, and in that order at last. Returns 0 where there is no memory for K.
static int order_trees(hfiIsland* I, const int32_t* trees, int32_t ntree, const int32_t* blocks,
                        int32_t nblock) {
  const hfStepProblem* P = I->problem;
  hfiBlockMatrix* K = &I->sparse;
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
  if (!hfi_block_order(K, &I->allocator)) return 0;
  if (!make_room(&I->values, K->at[ntree], &I->allocator)) return 0;
  K->value = I->values.at;
  I->K = *K;
  for (int32_t k = 0; k < ntree; ++k) {
    int32_t tree = trees[K->order[k]];
    I->tree[k] = tree;
    I->node[tree] = k;
    I->first[tree] = K->first[k];
  }
  return 1;
}

// Makes one dense node of the whole island, with the trees in the given order.
static void make_one_node(hfiIsland* I, const int32_t* trees, int32_t ntree) {
  int32_t at = 0;
  for (int32_t i = 0; i < ntree; ++i) {
    I->tree[i] = trees[i];
    I->node[trees[i]] = 0;
    I->first[trees[i]] = at;
    at += tree_size(I->problem, trees[i]);
  }
  hfi_block_make_one(&I->dense, I->n);
  I->K = I->dense;
}

// Copies p*, v0 and the diagonal of A = M + diag of a tree with m dofs, a constant where many trees have that number.
HFI_COPIED void gather_tree(hfiIsland* I, int32_t tree, int32_t m) {
  const hfStepProblem* P = I->problem;
  int32_t from = P->tree_start[tree], to = I->first[tree];
  const double *M = P->M + P->M_start[tree], *p = P->p + from, *v0 = P->v0 + from, *added = P->diag + from;
  double *restrict to_p = I->p + to, *restrict to_v0 = I->v0 + to, *restrict diag = I->diag + to, *restrict inverse = I->inverse_diag + to;
  for (int32_t i = 0; i < m; ++i) {
    to_p[i] = p[i];
    to_v0[i] = v0[i];
    diag[i] = M[i * m + i] + added[i];
    inverse[i] = 1 / diag[i];
  }
}

static void gather_vectors(hfiIsland* I) {
  for (int32_t t = 0; t < I->ntree; ++t) {
    int32_t tree = I->tree[t], m = tree_size(I->problem, tree);
    if (m == 6) // a free body
      gather_tree(I, tree, 6);
    else if (m == 3)
      gather_tree(I, tree, 3);
    else
      gather_tree(I, tree, m);
  }
  I->p_norm = hfi_system_momentum_norm(I, I->p);
}

// Do two blocks act on the same dofs?
static int same_columns(const hfStepProblem* P, const hfStepBlock* a, const hfStepBlock* b) {
  if (a->npiece != b->npiece) return 0;
  for (int32_t i = 0; i < a->npiece; ++i) {
    const hfStepPiece *x = P->piece + a->piece + i, *y = P->piece + b->piece + i;
    if (x->tree != y->tree || x->ncol != y->ncol) return 0;
    if (x->col == y->col) continue;
    for (int32_t j = 0; j < x->ncol; ++j)
      if (P->cols[x->col + j] != P->cols[y->col + j]) return 0;
  }
  return 1;
}

// Sorts the pieces of a block by the dofs of the island, by insertion. Then the upper triangle of a
// patch's product J^T G J belongs to the upper triangle of the Newton matrix.
static void order_pieces(const hfiIsland* I, const hfStepBlock* block, int32_t* order) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  for (int32_t i = 0; i < block->npiece; ++i) {
    int32_t k = i;
    for (; k > 0 && I->first[piece[order[k - 1]].tree] > I->first[piece[i].tree]; --k)
      order[k] = order[k - 1];
    order[k] = i;
  }
}

// Adds the columns of a piece to a patch, from column c on.
static void add_columns(hfiIsland* I, hfiPatch* patch, const hfStepPiece* piece, int32_t c) {
  int32_t node = I->node[piece->tree], first = I->first[piece->tree], base = I->K.first[node];
  const int32_t* cols = I->problem->cols + piece->col;
  hfiSegment* last = patch->nsegment ? I->segment + I->nsegment - 1 : NULL;
  if (!last || last->node != node) ++patch->nnode, last = NULL;
  int32_t next = last ? last->slot + last->ncol : -1, n = piece->ncol; // next: the slot that goes on with the last segment
  for (int32_t j = 0; j < n; ++j) {
    int32_t dof = first + cols[j], slot = dof - base;
    patch->dof[c + j] = dof;
    if (slot == next++) {
      ++last->ncol;
      continue;
    }
    last = I->segment + I->nsegment++;
    *last = (hfiSegment){.node = node, .column = c + j, .ncol = 1, .slot = slot};
    ++patch->nsegment;
    next = slot + 1;
  }
}

// Sets what a patch knows of its nodes when all its columns are there.
static void close_columns(hfiIsland* I, hfiPatch* patch) {
  const hfiSegment *first = I->segment + patch->segment, *last = I->segment + I->nsegment - 1;
  int free = hfi_is_free_body(first) && hfi_is_free_body(last) && patch->nsegment == patch->nnode && patch->nnode <= 2;
  if (patch->nnode == 2) patch->column = hfi_block_column(&I->K, first->node, last->node);
  patch->nfree = free ? patch->nsegment : 0;
}

// Begins a new patch with the columns of `block`. *index is storage for its index lists and moves
// on; its J begins at `jacobian`.
static void open_patch(hfiIsland* I, const hfStepBlock* block, int32_t** index, double* jacobian) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  int32_t ncol = 0;
  for (int32_t i = 0; i < block->npiece; ++i) ncol += piece[i].ncol;
  hfiPatch* patch = I->patch + I->npatch++;
  *patch = (hfiPatch){.block = I->nblock,
                      .row = I->nrow,
                      .ncol = ncol,
                      .ld = round_up4(ncol),
                      .segment = I->nsegment,
                      .piece = *index,
                      .dof = *index + block->npiece,
                      .J = jacobian};
  *index += block->npiece + ncol;
  order_pieces(I, block, patch->piece);
  int32_t c = 0;
  for (int32_t i = 0; i < block->npiece; ++i) {
    add_columns(I, patch, piece + patch->piece[i], c);
    c += piece[patch->piece[i]].ncol;
  }
  close_columns(I, patch);
}

// Copies a Jacobian of dim rows and n columns into rows of width ld, n rounded up to a multiple of 4, padded with zeros.
HFI_COPIED void widen_rows(const double* restrict J, int32_t dim, int32_t n, int32_t ld, double* restrict to) {
  for (int32_t r = 0; r < dim; ++r, to += ld, J += n) {
    to[ld - 4] = to[ld - 3] = to[ld - 2] = to[ld - 1] = 0;
    for (int32_t c = 0; c < n; ++c) to[c] = J[c];
  }
}

// Copies the Jacobian of a block, piece beside piece, into rows of width ld padded with zeros: the last four of a row are cleared at once.
static void copy_rows(const hfStepProblem* P, const hfStepBlock* block, const hfiPatch* patch,
                      double* to) {
  int32_t dim = block->dim, ld = patch->ld;
  if (block->npiece == 1 && dim == 3 && patch->ncol == 6) { // a free body: constants, so that the compiler unrolls the loops
    widen_rows(P->J + P->piece[block->piece].jac, 3, 6, 8, to);
    return;
  }
  for (int32_t r = 0; r < dim && patch->ncol < ld; ++r) {
    double* last = to + (r + 1) * ld - 4;
    last[0] = last[1] = last[2] = last[3] = 0;
  }
  for (int32_t i = 0; i < block->npiece; ++i) {
    const hfStepPiece* piece = P->piece + block->piece + patch->piece[i];
    const double* from = P->J + piece->jac;
    if (dim == 3) // a constant, so that the compiler unrolls the loops
      hfi_copy_block(to, ld, from, piece->ncol, 3, piece->ncol);
    else
      hfi_copy_block(to, ld, from, piece->ncol, dim, piece->ncol);
    to += piece->ncol;
  }
}

// Appends a block to the list of the island's blocks; its rows follow those of the block before.
static void append_block(hfiIsland* I, const hfStepBlock* block, int32_t patch) {
  const hfStepProblem* P = I->problem;
  hfiIslandBlock* b = I->block + I->nblock++;
  b->law = block->law;
  b->dim = block->dim;
  b->row = I->nrow;
  b->source = block->row;
  b->patch = patch;
  b->contact = block->law == HF_LAW_CONTACT ? P->contact + block->param : NULL;
  b->saturated = block->law == HF_LAW_CONTACT ? NULL : P->saturated + block->param;
  I->nrow += block->dim;
}

// Appends a block to the last patch. *jacobian moves behind its rows.
static void extend_patch(hfiIsland* I, const hfStepBlock* block, double** jacobian) {
  hfiPatch* patch = I->patch + I->npatch - 1;
  append_block(I, block, I->npatch - 1);
  copy_rows(I->problem, block, patch, *jacobian);
  *jacobian += block->dim * patch->ld;
  ++patch->nblock;
  patch->nrow += block->dim;
}

// Is the block one saturated row on one dof?
static int is_scalar(const hfStepProblem* P, const hfStepBlock* block) {
  return block->law == HF_LAW_SATURATED && block->dim == 1 && block->npiece == 1 &&
         P->piece[block->piece].ncol == 1;
}

// Appends the scalars, whose rows are numbered as their blocks are. Returns the number of the other blocks, which are listed
// in I->wide.
static int32_t gather_scalars(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  int32_t n = 0, nwide = 0;
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (!is_scalar(P, block)) {
      I->wide[nwide++] = blocks[b];
      continue;
    }
    const hfStepPiece* piece = P->piece + block->piece;
    int32_t node = I->node[piece->tree], dof = I->first[piece->tree] + P->cols[piece->col];
    // K[dof][dof] lies on the diagonal of the node's panel: one row and one column further for each slot.
    size_t diagonal = (size_t)(dof - I->K.first[node]) * (size_t)(hfi_block_stride(&I->K, node) + 1);
    I->scalar[n] = (hfiScalar){.dof = dof, .J = P->J[piece->jac], .at = I->K.at[node] + diagonal};
    I->block[n] = (hfiIslandBlock){HF_LAW_SATURATED, 1, n, block->row, -1, NULL, P->saturated + block->param};
    ++n;
  }
  I->nscalar = I->nblock = I->nrow = n;
  return nwide;
}

// Computes JT of a complete patch, 4 x 4 entries at a time. *storage moves behind it.
static void transpose_patch(hfiPatch* patch, double** storage) {
  int32_t ld = patch->ld, height = patch->height;
  double* to = *storage;
  patch->JT = to;
  *storage += ld * height;
  for (int32_t r = 0; r < height; r += 4)
    for (int32_t c = 0; c < ld; c += 4)
      for (int32_t i = 0; i < 4; ++i) {
        const double* from = patch->J + r * ld + c + i;
        double* column = to + (c + i) * height + r;
        column[0] = from[0], column[1] = from[ld], column[2] = from[2 * ld],
        column[3] = from[3 * ld];
      }
}

// Has a row of J zeros in the first three columns of each free body?
static int is_torque(const hfiPatch* patch, int32_t row) {
  const double* J = patch->J + row * patch->ld;
  for (int32_t c = 0; c < 6 * patch->nfree; c += 6)
    if (J[c] != 0 || J[c + 1] != 0 || J[c + 2] != 0) return 0;
  return 1;
}

// Ends the last patch, if there is one: pads its rows with zeros and transposes it.
static void close_patch(hfiIsland* I, double** jacobian, double** transposed) {
  if (I->npatch == 0) return;
  hfiPatch* patch = I->patch + I->npatch - 1;
  patch->height = round_up4(patch->nrow);
  size_t filling = (size_t)((patch->height - patch->nrow) * patch->ld);
  memset(*jacobian, 0, sizeof(double) * filling);
  *jacobian += filling;
  while (I->nrow < patch->row + patch->height) I->gamma[I->nrow++] = 0;
  transpose_patch(patch, transposed);
  patch->pushing = patch->nrow;
  while (patch->nfree && patch->pushing > 0 && is_torque(patch, patch->pushing - 1)) --patch->pushing;
}

// Returns 0 where there is no memory for the product J^T G J of the widest patch.
static int gather_patches(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  int32_t widest = 0;
  const hfStepBlock* last = NULL;
  int32_t* index = I->index;
  double *jacobian = I->jacobian, *transposed = I->transposed;
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (!last || !same_columns(P, last, block)) {
      close_patch(I, &jacobian, &transposed);
      open_patch(I, block, &index, jacobian);
      widest = imax2(widest, I->patch[I->npatch - 1].ncol);
    }
    extend_patch(I, block, &jacobian);
    last = block;
  }
  close_patch(I, &jacobian, &transposed);
  int enough = make_room(&I->locals, square(widest + 3), &I->allocator);
  I->local = I->locals.at;
  return enough;
}

// Copies the velocities that surfaces add to the rows; padding has none.
static void gather_drift(hfiIsland* I) {
  memset(I->drift, 0, sizeof(double) * (size_t)I->nrow);
  for (int32_t k = 0; k < I->nblock; ++k)
    memcpy(I->drift + I->block[k].row, I->problem->drift + I->block[k].source, sizeof(double) * (size_t)I->block[k].dim);
}

// Do the blocks make a plain island: one tree without scalars, each block on all its dofs? I->n and I->ntree are known already. Two pieces on a tree
// may share dofs.
static int makes_plain(const hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  if (I->ntree != 1) return 0;
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (is_scalar(P, block) || block->npiece != 1 || P->piece[block->piece].ncol != I->n) return 0;
  }
  return 1;
}

// Gathers the blocks of a plain island into its only patch. Piece 0 has all columns, and column c is dof c: one list serves for both.
static void gather_plain(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  double *jacobian = I->jacobian, *transposed = I->transposed;
  int32_t n = I->n;
  I->nscalar = I->nblock = I->nrow = 0;
  I->npatch = I->nsegment = 1;
  I->segment[0] = (hfiSegment){.ncol = n};
  I->patch[0] = (hfiPatch){.ncol = n, .ld = round_up4(n), .nsegment = 1, .nnode = 1, .nfree = n == 6, .piece = I->index, .dof = I->index, .J = jacobian};
  for (int32_t c = 0; c < n; ++c) I->index[c] = c;
  for (int32_t b = 0; b < nblock; ++b) extend_patch(I, I->problem->block + blocks[b], &jacobian);
  close_patch(I, &jacobian, &transposed);
}

// Says which dofs of limbs the rows of a patch couple.
static void couple_columns(hfiStar* star, const hfiPatch* patch) {
  int32_t c = patch->ncol > HFI_TRUNK && patch->dof[HFI_TRUNK - 1] == HFI_TRUNK - 1 ? HFI_TRUNK : 0, last = patch->dof[patch->ncol - 1];
  while (c < patch->ncol && patch->dof[c] < HFI_TRUNK) ++c;
  for (; c < patch->ncol; ++c) hfi_star_couple(star, patch->dof[c], last);
}

// Finds the limbs of a tree: M and the patches tell which dofs are coupled. Arms with fingers gain nothing.
static void find_limbs(hfiIsland* I) {
  int32_t n = I->n;
  if (I->ntree != 1 || n < 2 * HFI_TRUNK) return;
  hfi_star_begin(&I->star, n);
  for (int32_t k = 0; k < I->npatch; ++k) couple_columns(&I->star, I->patch + k);
  if (hfi_star_find_limbs(&I->star, I->problem->M + I->problem->M_start[*I->tree], n)) I->K.star = &I->star;
}

// Do the blocks make a narrow island? I->n and I->ntree are known already.
static int makes_narrow(const hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  if (I->ntree != 1 || I->n > 4 || nblock != 1) return 0;
  const hfStepBlock* block = I->problem->block + blocks[0];
  return block->law == HF_LAW_CONTACT && block->npiece == 1 && I->problem->piece[block->piece].ncol == I->n;
}

// Gathers the only block of a narrow island. Its patch has neither pieces nor segments, and JT is not needed.
static void gather_narrow(hfiIsland* I, const hfStepBlock* block) {
  const double* J = I->problem->J + I->problem->piece[block->piece].jac;
  int32_t n = I->n, dim = block->dim, height = round_up4(dim);
  I->nscalar = I->nblock = I->nrow = 0;
  append_block(I, block, 0);
  I->patch[I->npatch++] = (hfiPatch){.nblock = 1, .nrow = dim, .ncol = n, .ld = 4, .height = height, .dof = I->index, .J = I->jacobian};
  for (int32_t c = 0; c < n; ++c) I->index[c] = c;
  if (n == 3 && dim == 3) // constants, so that the compiler unrolls the loops
    widen_rows(J, 3, 3, 4, I->jacobian);
  else
    widen_rows(J, dim, n, 4, I->jacobian);
  for (; I->nrow < height; ++I->nrow) I->gamma[I->nrow] = 0;
}

int hfi_island_gather(hfiIsland* I, const hfStepProblem* problem, const int32_t* trees,
                       int32_t ntree, const int32_t* blocks, int32_t nblock) {
  I->problem = problem;
  I->n = 0;
  for (int32_t i = 0; i < ntree; ++i) I->n += tree_size(problem, trees[i]);
  I->ntree = ntree;
  I->npatch = I->nsegment = I->has_weights = 0;
  if (I->n <= HFI_DENSE_DOFS || ntree == 1)
    make_one_node(I, trees, ntree);
  else if (!order_trees(I, trees, ntree, blocks, nblock))
    return 0;
  gather_vectors(I);
  I->is_narrow = makes_narrow(I, blocks, nblock);
  I->is_plain = I->is_narrow || makes_plain(I, blocks, nblock);
  if (I->is_narrow)
    gather_narrow(I, problem->block + blocks[0]);
  else if (I->is_plain)
    gather_plain(I, blocks, nblock);
  else if (!gather_patches(I, I->wide, gather_scalars(I, blocks, nblock)))
    return 0;
  else
    find_limbs(I);
  if (problem->drift) gather_drift(I);
  return 1;
}
