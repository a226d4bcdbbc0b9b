// The rows of an island, copied from the step problem.
//
// In general (gather_scalars, gather_patches):
//   1. A saturated row on one dof is a scalar. All other blocks are listed in I->wide.
//   2. The blocks of I->wide are stacked in patches. A block that acts on the same dofs as the block before it extends its patch; any other block begins
//      a new patch. Contacts of free bodies have compact rows (patch.h); all blocks of such a patch have the same number of rows.
// A plain island, such as a body on the ground, has one patch on all its dofs and needs no lists (gather_plain).
#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "step/solve/parts.h"
#include "step/solve/patch.h"

#include <string.h>

static int32_t round_up4(int32_t n) { return (n + 3) & ~3; }

// Appends a block to the blocks of the island. Its rows follow those of the last block.
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

// ---- patches ----------------------------------------------------------------------------------------

// The rest of the storage of index lists, J and JT, which no patch uses yet.
typedef struct PatchStorage {
  int32_t* index;
  double *jacobian, *transposed;
} PatchStorage;

static PatchStorage whole_storage(const hfiIsland* I) { return (PatchStorage){I->index, I->jacobian, I->transposed}; }

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

// Sorts the pieces of a block by the dofs of the island (insertion sort). So the upper triangle of the product J^T G J of a patch belongs to the upper
// triangle of the Newton matrix.
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
  int32_t next = last ? last->slot + last->ncol : -1, n = piece->ncol; // next: the slot that would continue the last segment
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

// Sets the fields of a patch that depend on all its nodes. All columns must have been added.
static void finish_columns(hfiIsland* I, hfiPatch* patch) {
  const hfiSegment *first = I->segment + patch->segment, *last = I->segment + I->nsegment - 1;
  int free = hfi_is_free_body(first) && hfi_is_free_body(last) && patch->nsegment == patch->nnode && patch->nnode <= 2;
  if (patch->nnode == 2) patch->column = hfi_block_column(&I->K, first->node, last->node);
  patch->nfree = free ? patch->nsegment : 0;
}

// Can the rows of a block be compact (patch.h)?
static int is_compact(const hfStepProblem* P, const hfStepBlock* block) {
  const hfStepPiece *first = P->piece + block->piece, *last = first + block->npiece - 1;
  if (block->npiece > 2 || first->ncol != 6 || last->ncol != 6) return 0;
  const double *a = P->J + first->jac, *b = P->J + last->jac;
  for (int32_t r = 0; r < block->dim; ++r, a += 6, b += 6) {
    if (block->npiece == 2 && !(a[0] == -b[0] && a[1] == -b[1] && a[2] == -b[2])) return 0;
    if (r >= 3 && !(a[0] == 0 && a[1] == 0 && a[2] == 0)) return 0;
  }
  return 1;
}

// Begins a new patch with the columns of `block`.
static void begin_patch(hfiIsland* I, const hfStepBlock* block, PatchStorage* rest) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  int32_t ncol = 0;
  for (int32_t i = 0; i < block->npiece; ++i) ncol += piece[i].ncol;
  hfiPatch* patch = I->patch + I->npatch++;
  *patch = (hfiPatch){.block = I->nblock,
                      .row = I->nrow,
                      .ncol = ncol,
                      .ld = round_up4(ncol),
                      .segment = I->nsegment,
                      .piece = rest->index,
                      .dof = rest->index + block->npiece,
                      .J = rest->jacobian};
  rest->index += block->npiece + ncol;
  order_pieces(I, block, patch->piece);
  int32_t c = 0;
  for (int32_t i = 0; i < block->npiece; ++i) {
    add_columns(I, patch, piece + patch->piece[i], c);
    c += piece[patch->piece[i]].ncol;
  }
  finish_columns(I, patch);
  if (patch->nfree != block->npiece || !is_compact(I->problem, block)) patch->nfree = 0;
  patch->dim = block->dim;
  for (int32_t i = 0; i < patch->nfree; ++i) patch->body[i] = patch->dof[6 * i];
}

// Does a block that acts on the same dofs as the last patch belong to it?
static int fits_patch(const hfiIsland* I, const hfStepBlock* block) {
  const hfiPatch* patch = I->patch + I->npatch - 1;
  return !patch->nfree || (block->dim == patch->dim && is_compact(I->problem, block));
}

// Writes the compact rows of a block of `dim` rows.
HFI_COPIED void copy_compact(const hfStepProblem* P, const hfStepBlock* block, const hfiPatch* patch, double* F, int dim) {
  const hfStepPiece* piece = P->piece + block->piece;
  const double *a = P->J + piece[patch->piece[0]].jac, *b = patch->nfree == 2 ? P->J + piece[patch->piece[1]].jac : NULL;
  double* A = F + 4 * hfi_pushing_rows(dim);
  for (int r = 0; r < hfi_pushing_rows(dim); ++r) F[4 * r] = a[6 * r], F[4 * r + 1] = a[6 * r + 1], F[4 * r + 2] = a[6 * r + 2], F[4 * r + 3] = 0;
  for (int r = 0; r < dim; ++r, A += 6, a += 6) {
    A[0] = a[3], A[1] = a[4], A[2] = a[5];
    A[3] = b ? b[6 * r + 3] : 0, A[4] = b ? b[6 * r + 4] : 0, A[5] = b ? b[6 * r + 5] : 0;
  }
}

// Copies a Jacobian of dim rows and n columns to rows that are padded with zeros to the width ld, which is n rounded up to a multiple of 4.
HFI_COPIED void copy_padded_rows(const double* restrict J, int32_t dim, int32_t n, int32_t ld, double* restrict to) {
  for (int32_t r = 0; r < dim; ++r, to += ld, J += n) {
    to[ld - 4] = to[ld - 3] = to[ld - 2] = to[ld - 1] = 0;
    for (int32_t c = 0; c < n; ++c) to[c] = J[c];
  }
}

// Copies the Jacobian of a block, piece beside piece, to rows that are padded with zeros to the width ld. The last four numbers of each row are cleared
// first, because padding is among them.
static void copy_rows(const hfStepProblem* P, const hfStepBlock* block, const hfiPatch* patch,
                      double* to) {
  int32_t dim = block->dim, ld = patch->ld;
  if (block->npiece == 1 && dim == 3 && patch->ncol == 6) { // A free body: with constants the compiler unrolls the loops.
    copy_padded_rows(P->J + P->piece[block->piece].jac, 3, 6, 8, to);
    return;
  }
  for (int32_t r = 0; r < dim && patch->ncol < ld; ++r) {
    double* last = to + (r + 1) * ld - 4;
    last[0] = last[1] = last[2] = last[3] = 0;
  }
  for (int32_t i = 0; i < block->npiece; ++i) {
    const hfStepPiece* piece = P->piece + block->piece + patch->piece[i];
    const double* from = P->J + piece->jac;
    if (dim == 3) // With a constant the compiler unrolls the loops.
      hfi_copy_block(to, ld, from, piece->ncol, 3, piece->ncol);
    else
      hfi_copy_block(to, ld, from, piece->ncol, dim, piece->ncol);
    to += piece->ncol;
  }
}

// Appends a block to the last patch.
static void extend_patch(hfiIsland* I, const hfStepBlock* block, PatchStorage* rest) {
  hfiPatch* patch = I->patch + I->npatch - 1;
  append_block(I, block, I->npatch - 1);
  if (patch->nfree)
    HFI_BY_SIZE(block->dim, copy_compact, I->problem, block, patch, rest->jacobian);
  else
    copy_rows(I->problem, block, patch, rest->jacobian);
  rest->jacobian += patch->nfree ? hfi_compact_size(block->dim) : block->dim * patch->ld;
  ++patch->nblock;
  patch->nrow += block->dim;
}

// Computes JT of a complete patch, 4 x 4 entries at a time.
static void transpose_patch(const hfiPatch* patch, double* to) {
  int32_t ld = patch->ld, height = patch->height;
  for (int32_t r = 0; r < height; r += 4)
    for (int32_t c = 0; c < ld; c += 4)
      for (int32_t i = 0; i < 4; ++i) {
        const double* from = patch->J + r * ld + c + i;
        double* column = to + (c + i) * height + r;
        column[0] = from[0], column[1] = from[ld], column[2] = from[2 * ld],
        column[3] = from[3 * ld];
      }
}

// Ends the last patch, if there is one: pads its rows with zeros and transposes it.
static void finish_patch(hfiIsland* I, PatchStorage* rest) {
  if (I->npatch == 0) return;
  hfiPatch* patch = I->patch + I->npatch - 1;
  patch->height = patch->nfree ? patch->nrow : round_up4(patch->nrow);
  if (patch->nfree) return;
  I->full_patches += 1;
  size_t padding = (size_t)((patch->height - patch->nrow) * patch->ld);
  memset(rest->jacobian, 0, sizeof(double) * padding);
  rest->jacobian += padding;
  while (I->nrow < patch->row + patch->height) I->gamma[I->nrow++] = 0;
  patch->JT = rest->transposed;
  rest->transposed += patch->ld * patch->height;
  transpose_patch(patch, patch->JT);
}

// Stacks consecutive blocks that act on the same dofs in patches. Returns 0 if there is no memory for the product J^T G J of the widest patch.
static int gather_patches(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  int32_t widest = 0;
  const hfStepBlock* last = NULL;
  PatchStorage rest = whole_storage(I);
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (!last || !same_columns(P, last, block) || !fits_patch(I, block)) {
      finish_patch(I, &rest);
      begin_patch(I, block, &rest);
      widest = imax2(widest, I->patch[I->npatch - 1].ncol);
    }
    extend_patch(I, block, &rest);
    last = block;
  }
  finish_patch(I, &rest);
  int enough = hfi_room_make(&I->locals, (size_t)(widest + 3) * (size_t)(widest + 3), &I->allocator);
  I->local = I->locals.at;
  return enough;
}

// ---- parts ------------------------------------------------------------------------------------------

static int32_t part_of_node(const hfiIsland* I, int32_t node) {
  int32_t p = 0;
  while (node >= I->K.branch_start[p + 1]) ++p;
  return p;
}

// Returns the part of a block: that of its first node in the order of elimination.
static int32_t part_of_block(const hfiIsland* I, const hfStepBlock* block) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  int32_t first = I->node[piece[0].tree];
  for (int32_t i = 1; i < block->npiece; ++i) first = imin2(first, I->node[piece[i].tree]);
  return part_of_node(I, first);
}

// Sorts the list I->wide by parts; blocks of one part keep their order.
static void sort_by_parts(hfiIsland* I, int32_t nwide) {
  int32_t next[HFI_MAX_BRANCHES + 2] = {0};
  memcpy(I->unsorted, I->wide, sizeof *I->wide * (size_t)nwide);
  for (int32_t i = 0; i < nwide; ++i) ++next[part_of_block(I, I->problem->block + I->unsorted[i]) + 1];
  for (int32_t p = 0; p < I->branches; ++p) next[p + 1] += next[p];
  for (int32_t i = 0; i < nwide; ++i) I->wide[next[part_of_block(I, I->problem->block + I->unsorted[i])]++] = I->unsorted[i];
}

// Finds the first patch and block of each part. An island that is not divided has one branch, and a trunk without blocks.
static void find_parts(hfiIsland* I) {
  int32_t k = 0;
  if (!hfi_is_divided(I)) {
    I->part_patch[0] = 0, I->part_patch[1] = I->part_patch[2] = I->npatch;
    I->part_block[0] = I->nscalar, I->part_block[1] = I->part_block[2] = I->nblock;
    return;
  }
  for (int32_t p = 0; p <= I->branches + 1; ++p) {
    while (k < I->npatch && part_of_node(I, I->segment[I->patch[k].segment].node) < p) ++k;
    I->part_patch[p] = k;
    I->part_block[p] = k < I->npatch ? I->patch[k].block : I->nblock;
  }
}

// ---- scalars ----------------------------------------------------------------------------------------

// Is the block one saturated row on one dof?
static int is_scalar(const hfStepProblem* P, const hfStepBlock* block) {
  return block->law == HF_LAW_SATURATED && block->dim == 1 && block->npiece == 1 &&
         P->piece[block->piece].ncol == 1;
}

// Appends the scalars; the row of a scalar has the same number as its block. Lists the other blocks in I->wide, by parts if the island is divided, and
// returns their number.
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
    // K[dof][dof] is on the diagonal of the node's panel. The next slot is one row and one column further.
    size_t diagonal = (size_t)(dof - I->K.first[node]) * (size_t)(hfi_block_stride(&I->K, node) + 1);
    I->scalar[n] = (hfiScalar){.dof = dof, .J = P->J[piece->jac], .at = I->K.at[node] + diagonal};
    I->block[n] = (hfiIslandBlock){HF_LAW_SATURATED, 1, n, block->row, -1, NULL, P->saturated + block->param};
    ++n;
  }
  I->nscalar = I->nblock = I->nrow = n;
  if (hfi_is_divided(I)) sort_by_parts(I, nwide);
  return nwide;
}

// ---- plain islands ----------------------------------------------------------------------------------

// Are these the blocks of a plain island: one tree without scalars, each block on all dofs of the tree? I->n and I->ntree must be set. With a block of
// two pieces the island is not plain, because the pieces may share dofs.
static int are_plain(const hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  if (I->ntree != 1) return 0;
  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (is_scalar(P, block) || block->npiece != 1 || P->piece[block->piece].ncol != I->n) return 0;
  }
  return 1;
}

// Gathers the blocks of a plain island into its only patch. Piece 0 has all columns and column c is dof c, so that the lists `piece` and `dof` of the
// patch are the same list 0, 1, 2, ...
static void gather_plain(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  PatchStorage rest = whole_storage(I);
  int32_t n = I->n;
  I->nscalar = I->nblock = I->nrow = 0;
  I->npatch = I->nsegment = 1;
  I->segment[0] = (hfiSegment){.ncol = n};
  I->patch[0] = (hfiPatch){.ncol = n, .ld = round_up4(n), .nsegment = 1, .nnode = 1, .piece = I->index, .dof = I->index, .J = I->jacobian};
  for (int32_t c = 0; c < n; ++c) I->index[c] = c;
  for (int32_t b = 0; b < nblock; ++b) extend_patch(I, I->problem->block + blocks[b], &rest);
  finish_patch(I, &rest);
}

// ---- all rows ---------------------------------------------------------------------------------------

// Copies the drift of the rows. The drift of padding is zero.
static void gather_drift(hfiIsland* I) {
  memset(I->drift, 0, sizeof(double) * (size_t)I->nrow);
  for (int32_t k = 0; k < I->nblock; ++k)
    memcpy(I->drift + I->block[k].row, I->problem->drift + I->block[k].source, sizeof(double) * (size_t)I->block[k].dim);
}

int hfi_island_gather_rows(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  I->is_plain = are_plain(I, blocks, nblock);
  if (I->is_plain)
    gather_plain(I, blocks, nblock);
  else if (!gather_patches(I, I->wide, gather_scalars(I, blocks, nblock)))
    return 0;
  find_parts(I);
  if (I->problem->drift) gather_drift(I);
  return 1;
}
