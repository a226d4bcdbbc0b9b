// The step of tree_rows.h for one tree with one dof, such as a drawer, a key or a door, in numbers instead of vectors and matrices.
#ifndef HFI_SOLVE_DOF_ROWS_H
#define HFI_SOLVE_DOF_ROWS_H

#include "step/solve/newton.h"

// Solves an island of one dof whose rows are all listed as scalars. If one step solves it, writes I->v1, I->s1 and I->gamma, fills *out and returns 1. The bits
// are those of hfi_tree_rows_solve without this function.
int hfi_dof_rows_solve(hfiIsland* I, double tolerance, hfiNewtonResult* out);

#endif
