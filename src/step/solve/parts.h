// The parts of a large heap, which threads work on at the same time (linalg/block_sparse.h): branches, whose bodies touch those of no other branch, and the
// trunk, whose bodies touch all. Results do not depend on the number of threads, because the parts do not: without threads, one part follows the other.
//
// A patch belongs to the part of its first node. A patch of a branch may also act on one body of the trunk. What it adds to numbers of that body is summed
// for each branch alone, and the caller adds the sums of the branches afterwards.
#ifndef HFI_SOLVE_PARTS_H
#define HFI_SOLVE_PARTS_H

#include "step/solve/island.h"

static inline int hfi_is_divided(const hfiIsland* I) { return I->branches > 1; }

// Calls task(context, p) for each part p. The calls must not write what another one reads or writes.
static inline void hfi_for_parts(const hfiIsland* I, void (*task)(void* context, int part), void* context) {
  hfi_workers_run(I->workers, I->branches + 1, task, context);
}

// First dof of the trunk.
static inline int32_t hfi_trunk_dof(const hfiIsland* I) { return I->K.first[I->K.branch_start[I->branches]]; }

#endif
