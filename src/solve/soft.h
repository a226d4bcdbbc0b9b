// Soft start: a first guess of velocities and friction duals of a heap.
#ifndef HFI_SOLVE_SOFT_H
#define HFI_SOLVE_SOFT_H

#include "solve/island.h"

// Starts from I->v and moves I->v, I->s and the friction duals close to the answer of the problem with two-way coupling. Sets
// *iterations to the number of factorisations, at most `most`. Returns 1 where Newton's method should go on from there; 0 where it
// should start as usual, and I->v is as it was: friction is not anchored everywhere, I->v is close already, or the start failed.
int hfi_soft_start(hfiIsland* I, int32_t most, int32_t* iterations);

#endif
