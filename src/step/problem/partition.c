// Islands are the connected components of the graph whose nodes are trees and whose edges are blocks.
//
//   1. Join the trees of each block (base/disjoint_sets.h).
//   2. Number the components in the order of their first trees. The numbers do not depend on the order of blocks.
//   3. List the trees and the blocks of each island by a counting sort.
//
// Most steps have the same contacts as the last step. If each block has the same trees as in the last problem, the
// islands are the same, too, and nothing is computed.
#include "step/problem/partition.h"

#include "base/disjoint_sets.h"

// Takes the storage (partition.h). Nothing is known about a problem yet.
void hfi_partition_plan(hfiPartition* S, hfiArena* arena, int32_t ntree, int32_t nblock, int32_t npiece) {
  S->count = 0;
  S->tree_start = HFI_TAKE(arena, int32_t, ntree + 1);
  S->block_start = HFI_TAKE(arena, int32_t, ntree + 1);
  HFI_TAKE_EACH(arena, int32_t, ntree, &S->tree, &S->parent, &S->label, &S->next);
  S->block = HFI_TAKE(arena, int32_t, nblock);
  S->block_label = HFI_TAKE(arena, int32_t, nblock);

  S->known = HFI_TAKE(arena, int32_t, npiece);
  S->max_known = npiece;
  S->nknown = 0;
  S->known_trees = -1;
}

// Whether each block has the same trees as in the problem whose islands are known.
static int has_same_trees(const hfiPartition* S, const hfStepProblem* P) {
  const int32_t* known = S->known;
  const int32_t* end = known + S->nknown;

  if (S->known_trees != P->ntree) return 0;

  for (int32_t b = 0; b < P->nblock; ++b) {
    const hfStepBlock* block = P->block + b;
    const hfStepPiece* piece = P->piece + block->piece;

    if (end - known < block->npiece || *known++ != -1 - piece[0].tree) return 0;
    for (int32_t i = 1; i < block->npiece; ++i)
      if (*known++ != piece[i].tree) return 0;
  }
  return known == end;
}

// Remembers the trees of each block in S->known; the first tree of a block is stored as -1 - tree. Blocks may share
// pieces, so that the list of trees can be longer than its storage. Such a problem is not remembered.
static void remember_trees(hfiPartition* S, const hfStepProblem* P) {
  int32_t n = 0;
  S->known_trees = -1;

  for (int32_t b = 0; b < P->nblock; ++b) {
    const hfStepBlock* block = P->block + b;
    const hfStepPiece* piece = P->piece + block->piece;
    if (n + block->npiece > S->max_known) return;

    S->known[n++] = -1 - piece[0].tree;
    for (int32_t i = 1; i < block->npiece; ++i) S->known[n++] = piece[i].tree;
  }

  S->known_trees = P->ntree;
  S->nknown = n;
}

// Counting sort: item[start[k]] to item[start[k + 1] - 1] are the items with label k, ascending.
static void sort_by_label(int32_t* start, int32_t* item, int32_t* next, const int32_t* label, int32_t nitem,
                          int32_t nlabel) {
  for (int32_t k = 0; k <= nlabel; ++k) start[k] = 0;
  for (int32_t i = 0; i < nitem; ++i) ++start[label[i] + 1];
  for (int32_t k = 0; k < nlabel; ++k) start[k + 1] += start[k];

  for (int32_t k = 0; k < nlabel; ++k) next[k] = start[k];
  for (int32_t i = 0; i < nitem; ++i) item[next[label[i]]++] = i;
}

// Finds the islands of a problem, or keeps them if every block has the same trees as before: writes the trees and the
// blocks of island k to S->tree and S->block, from S->tree_start[k] and S->block_start[k] on.
void hfi_partition_find(hfiPartition* S, const hfStepProblem* P) {
  if (has_same_trees(S, P)) return;
  remember_trees(S, P);

  // join the trees of each block
  for (int32_t t = 0; t < P->ntree; ++t) S->parent[t] = t;
  for (int32_t b = 0; b < P->nblock; ++b) {
    const hfStepPiece* piece = P->piece + P->block[b].piece;
    for (int32_t i = 1; i < P->block[b].npiece; ++i) hfi_join_sets(S->parent, piece[0].tree, piece[i].tree);
  }

  // number the components in the order of their first trees
  S->count = 0;
  for (int32_t t = 0; t < P->ntree; ++t) {
    int32_t root = hfi_find_set(S->parent, t);
    S->label[t] = root == t ? S->count++ : S->label[root];
  }
  sort_by_label(S->tree_start, S->tree, S->next, S->label, P->ntree, S->count);

  // for example a single robot: all blocks belong to its island
  if (S->count == 1) {
    S->block_start[0] = 0;
    S->block_start[1] = P->nblock;
    for (int32_t b = 0; b < P->nblock; ++b) S->block[b] = b;
    return;
  }

  // several islands: a block belongs to the island of its first tree
  for (int32_t b = 0; b < P->nblock; ++b) S->block_label[b] = S->label[P->piece[P->block[b].piece].tree];
  sort_by_label(S->block_start, S->block, S->next, S->block_label, P->nblock, S->count);
}

// Forgets all islands.
void hfi_partition_clear(hfiPartition* S) {
  S->count = 0;
  S->known_trees = -1;
}
