// The islands of a step problem: trees that are connected by blocks.
#ifndef HFI_SOLVE_PARTITION_H
#define HFI_SOLVE_PARTITION_H

#include "base/arena.h"

#include <holdfast/step_problem.h>

typedef struct hfiPartition {
  int32_t count;                                // number of islands
  int32_t* tree_start;                          // (count + 1)
  int32_t* tree;                                // (ntree) trees, island by island, ascending in each
  int32_t* block_start;                         // (count + 1)
  int32_t* block;                               // (nblock) blocks, island by island, ascending in each
  int32_t *parent, *label, *block_label, *next; // scratch
} hfiPartition;

// Takes storage for problems of up to ntree trees and nblock blocks.
void hfi_partition_plan(hfiPartition* S, hfiArena* arena, int32_t ntree, int32_t nblock);
// Finds the islands of a problem. They are numbered by their first tree.
void hfi_partition_find(hfiPartition* S, const hfStepProblem* problem);

#endif
