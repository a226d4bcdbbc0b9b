// What the solver of step problems tells other folders beyond its public interface.
#ifndef HFI_SOLVE_SOLVER_H
#define HFI_SOLVE_SOLVER_H

#include <holdfast/solver.h>

// Row velocities s (nrow) of the last answer, with which its impulses were computed. They may
// differ from J v by rounding. Valid until the next solve.
const double* hfi_solver_row_velocities(const hfSolver* solver);
// Solves again after blocks were added behind those of the problem that was solved last. Only the islands with a tree
// that changed (ntree) marks are solved; v, impulses and row velocities of the others stay. The report goes on. With anchored friction
// problem->v0 should be the answer of the last problem: heaps start from the forces that the laws have there.
hfStatus hfi_solver_solve_changed(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                  const int32_t* changed, double* v, double* impulse, hfSolveReport* report,
                                  hfError* error);
// Solves the islands with a tree that is marked (ntree), as hf_solver_solve does; v, impulses and row velocities of the others
// stay.
hfStatus hfi_solver_solve_marked(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                 const int32_t* marked, double* v, double* impulse, hfSolveReport* report,
                                 hfError* error);

#endif
