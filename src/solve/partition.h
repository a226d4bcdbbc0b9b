// Islands of a step problem: trees connected by blocks.
#ifndef HFI_SOLVE_PARTITION_H
#define HFI_SOLVE_PARTITION_H

#include "base/arena.h"

#include <holdfast/step_problem.h>

typedef struct hfiPartition {
  int32_t count;                                // islands
  int32_t* tree_start;                          // (count + 1)
  int32_t* tree;                                // (ntree) by island, ascending
  int32_t* block_start;                         // (count + 1)
  int32_t* block;                               // (nblock) by island, ascending
  int32_t *parent, *label, *block_label, *next; // scratch
} hfiPartition;

void hfi_partition_plan(hfiPartition* S, hfiArena* arena, int32_t ntree, int32_t nblock);
void hfi_partition_find(hfiPartition* S, const hfStepProblem* problem);

#endif
