// Refuses step problems with numbers that are not finite.
#ifndef HFI_SOLVE_FINITE_H
#define HFI_SOLVE_FINITE_H

#include <holdfast/step_problem.h>

// Returns HF_ERROR_NONFINITE, and names the tree or block, if a number of the problem is not
// finite. Bounds of saturated rows may be infinite, but not NaN.
hfStatus hfi_problem_check_finite(const hfStepProblem* problem, hfError* error);

#endif
