// Checks that refuse step problems: those too large for the memory of a solver, and those with numbers that are not
// finite.
#ifndef HFI_PROBLEM_FINITE_H
#define HFI_PROBLEM_FINITE_H

#include "step/problem/trouble.h"

#include <holdfast/step_problem.h>

// Returns HF_ERROR_NONFINITE and names the tree or block if a number of the problem is not finite. Bounds of saturated
// rows may be infinite, but not NaN.
hfStatus hfi_problem_check_finite(const hfStepProblem* problem, hfiTrouble* trouble);

// Returns HF_ERROR_ARGUMENT and names the count that is too large if the problem exceeds the capacity of a solver.
hfStatus hfi_problem_check_capacity(const hfStepProblem* problem, const hfStepCapacity* capacity, hfiTrouble* trouble);

#endif
