// A tree, or a few small ones, whose rows are all saturated, as those of a robot that touches nothing: one iteration of Newton's method on the
// problem as it is. The rotors of a geared robot may be trees of their own.
#ifndef HFI_SOLVE_TREE_ROWS_H
#define HFI_SOLVE_TREE_ROWS_H

#include "solve/newton.h"
#include "solve/partition.h"

// Where the answer of an island goes: velocities (nv), impulses (nrow) and row velocities (nrow) of the whole problem.
typedef struct hfiAnswer { double *v, *impulse, *s; } hfiAnswer;

// Where one full step from the velocities of the start solves the island of these members, writes the answer, fills *out and returns 1.
// Otherwise returns 0, and leaves all that to hfi_newton_solve: a start that is the answer already, a step that a row limits, many dofs in several
// trees. Numbers of one tree are the same to the last bit in both ways.
int hfi_tree_rows_solve(hfiIsland* I, const hfSolverConfig* config, const hfStepProblem* problem, const hfiMembers* members,
                        const hfiAnswer* answer, hfiNewtonResult* out);

#endif
