// The islands of a step problem: trees that are connected by blocks.
#ifndef HFI_PROBLEM_PARTITION_H
#define HFI_PROBLEM_PARTITION_H

#include "base/arena.h"

#include <holdfast/step_problem.h>

typedef struct hfiPartition {
  int32_t count;        // number of islands
  int32_t* tree_start;  // (count + 1) index in `tree` of the first tree of each island, and the end
  int32_t* tree;        // (ntree) trees, island by island, ascending in each
  int32_t* block_start; // (count + 1) index in `block` of the first block of each island, and the end
  int32_t* block;       // (nblock) blocks, island by island, ascending in each

  // scratch
  int32_t* parent;      // (ntree) disjoint sets of trees
  int32_t* label;       // (ntree) island of each tree
  int32_t* block_label; // (nblock) island of each block
  int32_t* next;        // (ntree) place of the next item of each island

  // the problem whose islands these are
  int32_t known_trees;  // its number of trees; -1: not known
  int32_t nknown;       // number of entries in `known`
  int32_t max_known;    // room in `known`
  int32_t* known;       // (nknown) trees of each block, the first of them as -1 - tree
} hfiPartition;

// The trees and blocks of one island, by their numbers in the problem.
typedef struct hfiMembers {
  const int32_t *trees, *blocks;
  int32_t ntree, nblock;
} hfiMembers;

// Takes storage for problems of up to ntree trees, nblock blocks and npiece pieces.
void hfi_partition_plan(hfiPartition* S, hfiArena* arena, int32_t ntree, int32_t nblock, int32_t npiece);
// Finds the islands of a problem. They are numbered by their first tree.
void hfi_partition_find(hfiPartition* S, const hfStepProblem* problem);
// Forgets all islands.
void hfi_partition_clear(hfiPartition* partition);

// The trees and blocks of island k.
static inline hfiMembers hfi_partition_members(const hfiPartition* S, int32_t k) {
  int32_t tree = S->tree_start[k];
  int32_t block = S->block_start[k];
  return (hfiMembers){S->tree + tree, S->block + block, S->tree_start[k + 1] - tree, S->block_start[k + 1] - block};
}

#endif
