// What a solver knows beyond its answer.
#ifndef HFI_SOLVE_SOLVER_H
#define HFI_SOLVE_SOLVER_H

#include <holdfast/solver.h>

// J v of the last answer (nrow), as the laws saw it; valid until the next solve.
const double* hfi_solver_row_velocities(const hfSolver* solver);

#endif
