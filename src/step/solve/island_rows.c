// The rows of an island, copied from the step problem.
//
// In general (gather_scalars, gather_stacks):
//   1. A saturated row on one dof is a scalar. All other blocks are listed in I->stacks.wide.
//   2. The blocks of I->stacks.wide are stacked in stacks. A block that acts on the same dofs as the block before it
//      extends its stack; any other block begins a new stack. Contacts of free bodies have compact rows (stack.h); all
//      blocks of such a stack have the same number of rows.
// A plain island, such as a body on the ground, has one stack on all its dofs and needs no lists (gather_plain).
#include "step/solve/inside.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

static int32_t round_up4(int32_t n) { return (n + 3) & ~3; }

// Appends a block to the blocks of the island. Its rows follow those of the last block. stack: index of its stack.
static void append_block(hfiIsland* I, const hfStepBlock* block, int32_t stack) {
  const hfStepProblem* P = I->problem;
  int is_contact = block->law == HF_LAW_CONTACT;
  hfiIslandBlock* b = I->block + I->nblock++;
  b->law = block->law;
  b->dim = block->dim;
  b->row = I->nrow;
  b->source = block->row;
  b->stack = stack;
  b->contact = is_contact ? P->contact + block->param : NULL;
  b->saturated = is_contact ? NULL : P->saturated + block->param;
  I->nrow += block->dim;
}

// ---- stacks ----------------------------------------------------------------------------------------

// The rest of the storage of index lists, J and JT, which no stack uses yet.
typedef struct StackStorage {
  int32_t* index;
  double *jacobian, *transposed;
} StackStorage;

static StackStorage get_whole_storage(const hfiIsland* I) {
  return (StackStorage){I->stacks.index, I->stacks.jacobian, I->stacks.transposed};
}

static hfiStack* last_stack(const hfiIsland* I) { return I->stacks.list + I->stacks.nstack - 1; }

// Do two blocks act on the same dofs?
static int act_on_same_dofs(const hfStepProblem* P, const hfStepBlock* a, const hfStepBlock* b) {
  if (a->npiece != b->npiece) return 0;

  for (int32_t i = 0; i < a->npiece; ++i) {
    const hfStepPiece* x = P->piece + a->piece + i;
    const hfStepPiece* y = P->piece + b->piece + i;
    if (x->tree != y->tree || x->ncol != y->ncol) return 0;
    if (x->col == y->col) continue; // They share their list of dofs.

    for (int32_t j = 0; j < x->ncol; ++j)
      if (P->cols[x->col + j] != P->cols[y->col + j]) return 0;
  }
  return 1;
}

// Sets order[i] to the index of the i-th piece of a block by ascending dofs of the island (insertion sort). So the
// upper triangle of the product J^T G J of a stack belongs to the upper triangle of the Newton matrix.
static void order_pieces(const hfiIsland* I, const hfStepBlock* block, int32_t* order) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  for (int32_t i = 0; i < block->npiece; ++i) {
    int32_t k = i;
    for (; k > 0 && I->first[piece[order[k - 1]].tree] > I->first[piece[i].tree]; --k) order[k] = order[k - 1];
    order[k] = i;
  }
}

// Adds the columns of a piece to a stack, from column c on: sets their dofs, and appends segments of consecutive dofs.
// Counts the segments of the stack and of the island, and the nodes of the stack. `cols` counts dofs within the tree,
// a slot within the node.
static void add_columns(hfiIsland* I, hfiStack* stack, const hfStepPiece* piece, int32_t c) {
  hfiStacks* stacks = &I->stacks;
  int32_t node = I->node[piece->tree];
  int32_t first = I->first[piece->tree];
  int32_t first_of_node = I->matrix.K.first[node];
  const int32_t* cols = I->problem->cols + piece->col;

  // the last segment, which the first columns may lengthen if it belongs to the same node
  hfiSegment* segment = stack->nsegment ? stacks->segment + stacks->nsegment - 1 : NULL;
  if (!segment || segment->node != node) {
    ++stack->nnode;
    segment = NULL;
  }
  int32_t next_slot = segment ? segment->slot + segment->ncol : -1; // the slot that would lengthen it

  for (int32_t j = 0; j < piece->ncol; ++j) {
    int32_t dof = first + cols[j];
    int32_t slot = dof - first_of_node;
    stack->dof[c + j] = dof;

    if (slot == next_slot) {
      ++segment->ncol;
    } else {
      segment = stacks->segment + stacks->nsegment++;
      *segment = (hfiSegment){.node = node, .column = c + j, .ncol = 1, .slot = slot};
      ++stack->nsegment;
    }
    next_slot = slot + 1;
  }
}

// Can the rows of a block be compact (stack.h)? It must act on one or two free bodies. Its rows of forces, 0 to 2, must
// act on both with opposite signs; its rows of torques, from row 3 on, must push none. Of one body `last` is `first`.
static int is_compact(const hfStepProblem* P, const hfStepBlock* block) {
  const hfStepPiece* first = P->piece + block->piece;
  const hfStepPiece* last = first + block->npiece - 1;
  if (block->npiece > 2 || first->ncol != 6 || last->ncol != 6) return 0;

  // the columns of translation of both bodies, row by row
  const double* a = P->J + first->jac;
  const double* b = P->J + last->jac;
  for (int32_t r = 0; r < block->dim; ++r, a += 6, b += 6) {
    int are_opposite = a[0] == -b[0] && a[1] == -b[1] && a[2] == -b[2];
    int are_zero = a[0] == 0 && a[1] == 0 && a[2] == 0;
    if (block->npiece == 2 && !are_opposite) return 0;
    if (r >= 3 && !are_zero) return 0;
  }
  return 1;
}

// Begins a new stack with the columns of `block`, and finds out whether its rows are compact. It has no rows yet. Its
// lists begin at the start of `rest`, which shrinks by `piece` and `dof`; extend_stack takes what J needs.
static void begin_stack(hfiIsland* I, const hfStepBlock* block, StackStorage* rest) {
  const hfStepPiece* piece = I->problem->piece + block->piece;
  int32_t ncol = 0;
  for (int32_t i = 0; i < block->npiece; ++i) ncol += piece[i].ncol;

  hfiStack* stack = I->stacks.list + I->stacks.nstack++;
  *stack = (hfiStack){.block = I->nblock,
                      .row = I->nrow,
                      .ncol = ncol,
                      .ld = round_up4(ncol),
                      .segment = I->stacks.nsegment,
                      .piece = rest->index,
                      .dof = rest->index + block->npiece,
                      .J = rest->jacobian};
  rest->index += block->npiece + ncol;

  // columns, piece by piece
  order_pieces(I, block, stack->piece);
  int32_t c = 0;
  for (int32_t i = 0; i < block->npiece; ++i) {
    add_columns(I, stack, piece + stack->piece[i], c);
    c += piece[stack->piece[i]].ncol;
  }

  // the place of the second node in K
  const hfiSegment* first = I->stacks.segment + stack->segment;
  const hfiSegment* last = I->stacks.segment + I->stacks.nsegment - 1;
  if (stack->nnode == 2) stack->column = hfi_block_column(&I->matrix.K, first->node, last->node);

  // only one or two free bodies, one piece and one segment each?
  int has_one_segment_each = stack->nsegment == stack->nnode && stack->nsegment == block->npiece;
  int are_free = hfi_is_free_body(first) && hfi_is_free_body(last) && stack->nnode <= 2;
  stack->nfree = has_one_segment_each && are_free && is_compact(I->problem, block) ? stack->nsegment : 0;
  stack->dim = block->dim;
  for (int32_t i = 0; i < stack->nfree; ++i) stack->body[i] = stack->dof[6 * i];
}

// May a block that acts on the same dofs as the last stack extend it? A stack without compact rows takes any such
// block. All blocks of a stack with compact rows have compact rows, and the same number of them.
static int fits_last_stack(const hfiIsland* I, const hfStepBlock* block) {
  const hfiStack* stack = last_stack(I);
  return !stack->nfree || (block->dim == stack->dim && is_compact(I->problem, block));
}

// Writes the compact rows of a block of `dim` rows to F. a, b: its rows of J for the first and the second body (NULL:
// there is one), six numbers each, three of translation and three of rotation.
HFI_FORCE_INLINE void copy_compact(const hfStepProblem* P, const hfStepBlock* block, const hfiStack* stack, double* F,
                                   int dim) {
  const hfStepPiece* piece = P->piece + block->piece;
  const double* a = P->J + piece[stack->piece[0]].jac;
  const double* b = stack->nfree == 2 ? P->J + piece[stack->piece[1]].jac : NULL;
  double* A = F + 4 * hfi_force_rows(dim);

  // the axes of forces, each with a fourth number
  for (int r = 0; r < hfi_force_rows(dim); ++r) {
    for (int i = 0; i < 3; ++i) F[4 * r + i] = a[6 * r + i];
    F[4 * r + 3] = 0;
  }

  // [A_1 A_2]
  for (int r = 0; r < dim; ++r, A += 6) {
    for (int i = 0; i < 3; ++i) A[i] = a[6 * r + 3 + i];
    for (int i = 0; i < 3; ++i) A[3 + i] = b ? b[6 * r + 3 + i] : 0;
  }
}

// Copies a Jacobian of dim rows and n columns to rows that are padded with zeros to the width ld, which is n rounded up
// to a multiple of 4.
HFI_FORCE_INLINE void copy_padded_rows(const double* restrict J, int32_t dim, int32_t n, int32_t ld,
                                       double* restrict to) {
  for (int32_t r = 0; r < dim; ++r, to += ld, J += n) {
    for (int32_t i = 1; i <= 4; ++i) to[ld - i] = 0;
    for (int32_t c = 0; c < n; ++c) to[c] = J[c];
  }
}

// Copies the Jacobian of a block, piece beside piece, to rows that are padded with zeros to the width ld. The last four
// numbers of each row are cleared first, because padding is among them.
static void copy_rows(const hfStepProblem* P, const hfStepBlock* block, const hfiStack* stack, double* to) {
  int32_t dim = block->dim;
  int32_t ld = stack->ld;

  // the most common block, a contact of one free body: with constants the compiler unrolls the loops
  if (block->npiece == 1 && dim == 3 && stack->ncol == 6) {
    copy_padded_rows(P->J + P->piece[block->piece].jac, 3, 6, 8, to);
    return;
  }

  // padding
  for (int32_t r = 0; r < dim && stack->ncol < ld; ++r) {
    double* last = to + (r + 1) * ld - 4;
    for (int i = 0; i < 4; ++i) last[i] = 0;
  }

  // pieces
  for (int32_t i = 0; i < block->npiece; ++i) {
    const hfStepPiece* piece = P->piece + block->piece + stack->piece[i];
    const double* from = P->J + piece->jac;
    if (dim == 3) // With a constant the compiler unrolls the loops.
      hfi_copy_block(to, ld, from, piece->ncol, 3, piece->ncol);
    else
      hfi_copy_block(to, ld, from, piece->ncol, dim, piece->ncol);
    to += piece->ncol;
  }
}

// Appends a block to the last stack: copies its rows, and appends it to the blocks of the island.
static void extend_stack(hfiIsland* I, const hfStepBlock* block, StackStorage* rest) {
  hfiStack* stack = last_stack(I);
  append_block(I, block, I->stacks.nstack - 1);

  if (stack->nfree) {
    HFI_BY_SIZE(block->dim, copy_compact, I->problem, block, stack, rest->jacobian);
    rest->jacobian += hfi_compact_size(block->dim);
  } else {
    copy_rows(I->problem, block, stack, rest->jacobian);
    rest->jacobian += block->dim * stack->ld;
  }
  ++stack->nblock;
  stack->nrow += block->dim;
}

// Computes JT of a complete stack at `to` (ld x height), 4 x 4 entries at a time.
static void transpose_stack(const hfiStack* stack, double* to) {
  int32_t ld = stack->ld;
  int32_t height = stack->height;

  for (int32_t r = 0; r < height; r += 4)
    for (int32_t c = 0; c < ld; c += 4)
      for (int32_t i = 0; i < 4; ++i) {
        const double* from = stack->J + r * ld + c + i;
        double* column = to + (c + i) * height + r;
        column[0] = from[0];
        column[1] = from[ld];
        column[2] = from[2 * ld];
        column[3] = from[3 * ld];
      }
}

// Ends the last stack, if there is one: pads its rows with zeros and transposes it. Compact rows need neither.
static void finish_stack(hfiIsland* I, StackStorage* rest) {
  if (I->stacks.nstack == 0) return;

  hfiStack* stack = last_stack(I);
  if (stack->nfree) {
    stack->height = stack->nrow;
    return;
  }
  stack->height = round_up4(stack->nrow);
  I->stacks.nfull += 1;

  // rows of padding: zeros in J, and rows of the island without impulse
  size_t padding = (size_t)((stack->height - stack->nrow) * stack->ld);
  memset(rest->jacobian, 0, sizeof(double) * padding);
  rest->jacobian += padding;
  while (I->nrow < stack->row + stack->height) I->rows.gamma[I->nrow++] = 0;

  stack->JT = rest->transposed;
  rest->transposed += stack->ld * stack->height;
  transpose_stack(stack, stack->JT);
}

// Stacks consecutive blocks of the list that act on the same dofs. Returns 0 if the planned scratch I->matrix.locals
// cannot hold the padded product J^T G J of the stack with the most columns (`widest`).
static int gather_stacks(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  const hfStepBlock* last = NULL; // the block before
  StackStorage rest = get_whole_storage(I);
  int32_t widest = 0;

  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    int extends_stack = last && act_on_same_dofs(P, last, block) && fits_last_stack(I, block);
    if (!extends_stack) {
      finish_stack(I, &rest);
      begin_stack(I, block, &rest);
      widest = imax2(widest, last_stack(I)->ncol);
    }
    extend_stack(I, block, &rest);
    last = block;
  }
  finish_stack(I, &rest);

  // the scratch for J^T G J; rows and columns are padded to a multiple of four, by up to 3
  I->matrix.local = I->matrix.locals.start;
  return (size_t)(widest + 3) * (size_t)(widest + 3) <= I->matrix.locals.count;
}

// ---- parts ------------------------------------------------------------------------------------------

// Returns the part that a node of K belongs to.
static int32_t part_of_node(const hfiIsland* I, int32_t node) {
  int32_t p = 0;
  while (node >= I->matrix.K.branches.start[p + 1]) ++p;
  return p;
}

// Returns the part of a block: that of its first node in the order of elimination.
static int32_t part_of_block(const hfiIsland* I, int32_t block) {
  const hfStepBlock* b = I->problem->block + block;
  const hfStepPiece* piece = I->problem->piece + b->piece;
  int32_t first = I->node[piece[0].tree];
  for (int32_t i = 1; i < b->npiece; ++i) first = imin2(first, I->node[piece[i].tree]);
  return part_of_node(I, first);
}

// Sorts the list I->stacks.wide by parts (counting sort); blocks of one part keep their order.
static void sort_by_parts(hfiIsland* I, int32_t nwide) {
  int32_t* wide = I->stacks.wide;
  int32_t* unsorted = I->stacks.unsorted;
  int32_t next[HFI_MAX_BRANCHES + 2] = {0};
  memcpy(unsorted, wide, sizeof *wide * (size_t)nwide);

  for (int32_t i = 0; i < nwide; ++i) ++next[part_of_block(I, unsorted[i]) + 1];
  for (int32_t p = 0; p < I->parts.branches; ++p) next[p + 1] += next[p];
  for (int32_t i = 0; i < nwide; ++i) wide[next[part_of_block(I, unsorted[i])]++] = unsorted[i];
}

// Sets the first stack and block of each part, and behind the trunk, which is the last part, their numbers. An island
// that is not divided has one branch, and a trunk without blocks.
static void find_parts(hfiIsland* I) {
  hfiParts* parts = &I->parts;
  const hfiStacks* stacks = &I->stacks;
  if (!hfi_is_divided(I)) {
    parts->stack[0] = 0;
    parts->block[0] = I->nscalar;
    for (int p = 1; p <= 2; ++p) {
      parts->stack[p] = stacks->nstack;
      parts->block[p] = I->nblock;
    }
    return;
  }

  int32_t i = 0;
  for (int32_t p = 0; p <= parts->branches + 1; ++p) {
    // the first stack whose first node is in part p or a later part
    while (i < stacks->nstack && part_of_node(I, stacks->segment[stacks->list[i].segment].node) < p) ++i;
    parts->stack[p] = i;
    parts->block[p] = i < stacks->nstack ? stacks->list[i].block : I->nblock;
  }
}

// ---- scalars ----------------------------------------------------------------------------------------

// Is the block one saturated row on one dof?
static int is_scalar(const hfStepProblem* P, const hfStepBlock* block) {
  if (block->law != HF_LAW_SATURATED || block->dim != 1) return 0;
  return block->npiece == 1 && P->piece[block->piece].ncol == 1;
}

// Appends the scalars of the list `blocks`; scalar n is block n and row n of the island. Lists the other blocks in
// I->stacks.wide, by parts if the island is divided, and returns their number.
static int32_t gather_scalars(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  const hfiBlockMatrix* K = &I->matrix.K;
  int32_t n = 0; // number of scalars
  int32_t nwide = 0;

  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (!is_scalar(P, block)) {
      I->stacks.wide[nwide++] = blocks[b];
      continue;
    }

    const hfStepPiece* piece = P->piece + block->piece;
    int32_t node = I->node[piece->tree];
    int32_t dof = I->first[piece->tree] + P->cols[piece->col];
    int32_t slot = dof - K->first[node];
    // Along the diagonal of the node's panel the next slot is one row and one column further.
    size_t diagonal = K->panel_start[node] + (size_t)slot * (size_t)(hfi_block_stride(K, node) + 1);

    I->scalar[n] = (hfiScalar){.dof = dof, .J = P->J[piece->jac], .diagonal = diagonal};
    I->block[n] = (hfiIslandBlock){.law = HF_LAW_SATURATED,
                                   .dim = 1,
                                   .row = n,
                                   .source = block->row,
                                   .stack = -1,
                                   .saturated = P->saturated + block->param};
    ++n;
  }

  I->nscalar = n;
  I->nblock = n;
  I->nrow = n;
  if (hfi_is_divided(I)) sort_by_parts(I, nwide);
  return nwide;
}

// ---- plain islands ----------------------------------------------------------------------------------

// Are these the blocks of a plain island: one tree without scalars, each block on all dofs of the tree? I->n and
// I->ntree must be set. With a block of two pieces the island is not plain, because the pieces may share dofs.
static int are_plain(const hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  const hfStepProblem* P = I->problem;
  if (I->ntree != 1) return 0;

  for (int32_t b = 0; b < nblock; ++b) {
    const hfStepBlock* block = P->block + blocks[b];
    if (is_scalar(P, block) || block->npiece != 1 || P->piece[block->piece].ncol != I->n) return 0;
  }
  return 1;
}

// Gathers the blocks of a plain island into its only stack. Piece 0 has all columns and column c is dof c, so that the
// lists `piece` and `dof` of the stack are the same list 0, 1, 2, ...
static void gather_plain(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  hfiStacks* stacks = &I->stacks;
  StackStorage rest = get_whole_storage(I);
  int32_t n = I->n;
  I->nscalar = 0;
  I->nblock = 0;
  I->nrow = 0;

  // the stack, still without rows
  stacks->nstack = 1;
  stacks->nsegment = 1;
  stacks->segment[0] = (hfiSegment){.ncol = n};
  for (int32_t c = 0; c < n; ++c) stacks->index[c] = c;
  stacks->list[0] = (hfiStack){.ncol = n,
                               .ld = round_up4(n),
                               .nsegment = 1,
                               .nnode = 1,
                               .piece = stacks->index,
                               .dof = stacks->index,
                               .J = stacks->jacobian};

  for (int32_t b = 0; b < nblock; ++b) extend_stack(I, I->problem->block + blocks[b], &rest);
  finish_stack(I, &rest);
}

// ---- all rows ---------------------------------------------------------------------------------------

// Copies the drift of the rows. The drift of padding is zero.
static void gather_drift(hfiIsland* I) {
  double* drift = I->rows.drift;
  memset(drift, 0, sizeof *drift * (size_t)I->nrow);
  for (int32_t k = 0; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    memcpy(drift + b->row, I->problem->drift + b->source, sizeof *drift * (size_t)b->dim);
  }
}

// Reads the numbering of trees, dofs and nodes; sets the blocks, scalars, stacks, parts and drift. Returns 0 if there
// is not enough storage.
int hfi_island_gather_rows(hfiIsland* I, const int32_t* blocks, int32_t nblock) {
  I->stacks.is_plain = are_plain(I, blocks, nblock);
  if (I->stacks.is_plain)
    gather_plain(I, blocks, nblock);
  else {
    int32_t nwide = gather_scalars(I, blocks, nblock);
    if (!gather_stacks(I, I->stacks.wide, nwide)) return 0;
  }

  find_parts(I);
  if (I->problem->drift) gather_drift(I);
  return 1;
}
