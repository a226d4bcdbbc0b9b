// Memory of a block-sparse matrix for tests, and solutions with its rough factors.
#ifndef HF_TESTS_LINALG_BLOCK_MEMORY_H
#define HF_TESTS_LINALG_BLOCK_MEMORY_H

#include "support/cmocka_all.h"

#include "linalg/rough_factor.h"

#include <stdlib.h>

// Plans a matrix of up to max_nodes nodes with max_n unknowns in all. Returns its memory, which the caller frees.
static inline void* plan_block_matrix(hfiBlockMatrix* B, int32_t max_nodes, int32_t max_n) {
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_block_plan(B, &plan, max_nodes, max_n);
  void* memory = malloc(plan.used);
  assert_non_null(memory);
  hfiArena arena = hfi_arena(memory, plan.used);
  hfi_block_plan(B, &arena, max_nodes, max_n);
  return memory;
}

// Solves K x = b in place with rough factors, whole or in branches.
static inline void solve_roughly(hfiRoughFactors* F, const hfiBlockMatrix* B, double* b) {
  hfi_rough_begin_solution(F, B, b, b, NULL);
  for (int32_t branch = 0; branch < B->branches.count; ++branch) hfi_rough_end_solution(F, B, branch, b);
}

#endif
