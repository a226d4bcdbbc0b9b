// Refuses step problems that a solver cannot take: too large for its memory, or with numbers that are not finite.
#ifndef HFI_SOLVE_FINITE_H
#define HFI_SOLVE_FINITE_H

#include <holdfast/solver.h>

// Returns HF_ERROR_NONFINITE, and names the tree or block, if a number of the problem is not
// finite. Bounds of saturated rows may be infinite, but not NaN.
hfStatus hfi_problem_check_finite(const hfStepProblem* problem, hfError* error);

// Returns HF_ERROR_ARGUMENT, and names what there is too much of, if the problem is larger than the capacity that a
// solver's memory was planned for.
hfStatus hfi_problem_check_capacity(const hfStepProblem* problem, const hfStepCapacity* capacity, hfError* error);

#endif
