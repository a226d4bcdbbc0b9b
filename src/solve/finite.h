// Are all numbers of a step problem finite?
#ifndef HFI_SOLVE_FINITE_H
#define HFI_SOLVE_FINITE_H

#include <holdfast/step_problem.h>

// Refuses (HF_ERROR_NONFINITE) and names the tree or block at fault. Bounds of saturated rows may
// be infinite, but not NaN.
hfStatus hfi_problem_check_finite(const hfStepProblem* problem, hfError* error);

#endif
