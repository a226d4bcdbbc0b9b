// The islands of a step problem, one at a time, with memory of their own.
#ifndef HF_TESTS_ISLAND_H
#define HF_TESTS_ISLAND_H

#include "step/solve/inside.h"
#include "step/problem/partition.h"
#include "support/cmocka_all.h"

#include <stdlib.h>

typedef struct testIsland {
  hfiPartition partition;
  hfiIsland island;
  void* memory;
} testIsland;

static inline void plan_island(testIsland* t, const hfStepProblem* P, hfiArena* arena) {
  hfStepCapacity c = hf_step_problem_capacity(P);
  hfi_partition_plan(&t->partition, arena, c.ntree, c.nblock, c.npiece);
  hfi_island_plan(&t->island, arena, &c);
}

// Takes memory for islands of the problem and finds which there are. None of them is gathered yet.
static inline void open_islands(testIsland* t, const hfStepProblem* P) {
  hfiArena size = hfi_arena(NULL, 0);
  plan_island(t, P, &size);
  t->memory = calloc(1, size.used);
  assert_non_null(t->memory);
  hfiArena arena = hfi_arena(t->memory, size.used);
  plan_island(t, P, &arena);
  hfi_partition_find(&t->partition, P);
}

// Gathers the island k of the partition. Returns 0 where it has no blocks.
static inline int gather_island(testIsland* t, const hfStepProblem* P, int k) {
  hfiMembers m = hfi_partition_members(&t->partition, k);
  if (m.nblock == 0) return 0;
  assert_true(hfi_island_gather(&t->island, P, m.trees, m.ntree, m.blocks, m.nblock));
  return 1;
}

static inline void close_islands(testIsland* t) {
  free(t->memory);
}

#endif
