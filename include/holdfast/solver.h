// Solvers of the step problem: TAMSI, the convex problem, and the ladder that tries them in turn.
#ifndef HOLDFAST_SOLVER_H
#define HOLDFAST_SOLVER_H

#include <holdfast/step_problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfSolver hfSolver;

HF_API hfStatus hf_solver_create(hfSolver** solver, const hfStepCapacity* capacity, hfError* error);
HF_API void hf_solver_free(hfSolver* solver);

// Solves r(v) = 0. v (nv) and impulse (nrow) are outputs. A problem beyond the capacity
// (HF_ERROR_ARGUMENT) and non-finite input (HF_ERROR_NONFINITE) are refused and leave the outputs as they were. Allocates nothing, unless
// thousands of trees are coupled and their factors need more than was planned. If there is no memory for that, it is refused with
// HF_ERROR_MEMORY; only then v and impulse may hold a part of the answer.
HF_API hfStatus hf_solver_solve(hfSolver* solver, const hfSolverConfig* config,
                                const hfStepProblem* problem, double* v, double* impulse,
                                hfSolveReport* report, hfError* error);

#ifdef __cplusplus
}
#endif
#endif
