// What the solver of step problems tells other folders beyond its public interface.
#ifndef HFI_SOLVE_SOLVER_H
#define HFI_SOLVE_SOLVER_H

#include <holdfast/solver.h>

// Row velocities s (nrow) of the last answer, with which its impulses were computed. They may
// differ from J v by rounding. Valid until the next solve.
const double* hfi_solver_row_velocities(const hfSolver* solver);

#endif
