// A fast solution for an island of one tree, or of a few small trees, whose rows are all saturated: a robot that touches nothing. It is one iteration of
// Newton's method directly on the step problem. There are several trees if, for example, the rotors of a geared robot are trees of their own.
#ifndef HFI_SOLVE_TREE_ROWS_H
#define HFI_SOLVE_TREE_ROWS_H

#include "solve/newton.h"
#include "solve/partition.h"

// The arrays to which the answer of an island is written: velocities (nv), impulses (nrow) and row velocities (nrow) of the whole problem.
typedef struct hfiAnswer { double *v, *impulse, *s; } hfiAnswer;

// Takes one full Newton step from the velocities of the start. If that solves the island of these members, writes the answer, fills *out and returns 1.
// Otherwise returns 0, and the caller has to use hfi_newton_solve: for example if a moving island starts at the answer, if a row limits the step, or if
// several trees have many dofs. For one tree both functions give the same bits.
int hfi_tree_rows_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* problem, const hfiMembers* members,
                        const hfiAnswer* answer, hfiNewtonResult* out);

#endif
