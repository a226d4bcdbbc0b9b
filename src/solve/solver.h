// What the solver of step problems tells other folders beyond its public interface.
#ifndef HFI_SOLVE_SOLVER_H
#define HFI_SOLVE_SOLVER_H

#include <holdfast/solver.h>

// Refuses what the solver cannot use.
hfStatus hfi_solver_config_check(const hfSolverConfig* config, hfError* error);

// Row velocities s (nrow) of the last answer, with which its impulses were computed. They may
// differ from J v by rounding. Valid until the next solve.
const double* hfi_solver_row_velocities(const hfSolver* solver);
// Solves again after blocks were added behind those of the problem that was solved last. Only the islands with a tree
// that changed (ntree) marks are solved; v, impulses and row velocities of the others stay. The report goes on. With anchored friction
// problem->v0 should be the answer of the last problem and impulse its impulses: heaps start from these.
hfStatus hfi_solver_solve_changed(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                  const int32_t* changed, double* v, double* impulse, hfSolveReport* report,
                                  hfError* error);
// Lets the next solution, and those of changed problems after it, leave heaps of anchored friction at an estimate: velocities and impulses
// of a soft start (docs/theory/heaps.md), which tell what is about to touch. With 0 hfi_solver_solve_changed solves the islands that were
// left so, too.
void hfi_solver_estimate_heaps(hfSolver* solver, int estimate);
// Does the last solution have islands that were only estimated?
int hfi_solver_has_estimates(const hfSolver* solver);
// Solves the islands with a tree that is marked (ntree), or with NULL all islands, as hf_solver_solve does; v, impulses and row velocities of the others
// stay. The problem has room in the solver: it was made with the same capacity.
hfStatus hfi_solver_solve_marked(hfSolver* solver, const hfSolverConfig* config, const hfStepProblem* problem,
                                 const int32_t* marked, double* v, double* impulse, hfSolveReport* report,
                                 hfError* error);

#endif
