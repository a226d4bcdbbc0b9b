// Functions of the solver of step problems for other folders, beyond its public interface.
#ifndef HFI_SOLVE_SOLVER_H
#define HFI_SOLVE_SOLVER_H

#include "base/workers.h"
#include "linalg/block_sparse.h" // HFI_MAX_BRANCHES
#include "step/problem/trouble.h"

#include <holdfast/solver.h>

// Refuses a configuration that the solver cannot use.
hfStatus hfi_solver_config_check(const hfSolverConfig* config, hfError* error);

// The factors of an island of more trees than this are rough (linalg/block_rough.h), and threads can share the work on
// it. With 200 free bodies complete factors are faster, with 400 rough factors.
enum { HFI_ROUGH_TREES = 250 };

// A problem that the solver is to solve, and where its answer goes.
typedef struct hfiSolveJob {
  hfSolver* solver;
  const hfSolverConfig* config;
  const hfStepProblem* problem;
  double *v, *impulse; // (nv), (nrow) the answer
  hfSolveReport* report;
} hfiSolveJob;

// Lets threads share the work on large heaps (heap.h). More than HFI_MAX_BRANCHES are of no use. Results have the same
// bits with any number of threads. The workers belong to the caller and must live as long as the solver.
void hfi_solver_use_workers(hfSolver* solver, hfiWorkers* workers);

// The row velocities s (nrow) with which the impulses of the last answer were computed. They may differ from J v by
// rounding. Valid until the next solution.
const double* hfi_solver_row_velocities(const hfSolver* solver);
// Solves a problem again after the caller appended blocks to it. Only the islands with a tree that changed (ntree)
// marks are solved; v, impulses and row velocities of the others are kept. The counts of the report are continued. With
// anchored friction v0 of the problem should be the answer of the last problem, and `impulse` its impulses: heaps start
// from these.
hfStatus hfi_solver_solve_changed(const hfiSolveJob* job, const int32_t* changed, hfiTrouble* trouble);
// estimate = 1: the next solutions only estimate heaps of anchored friction. An estimate is the velocities and impulses
// of a soft start (docs/theory/heaps.md), which show which bodies will touch. estimate = 0: heaps are solved, and
// hfi_solver_solve_changed also solves the islands that were only estimated so far.
void hfi_solver_estimate_heaps(hfSolver* solver, int estimate);
// Does the last solution have islands that were only estimated?
int hfi_solver_has_estimates(const hfSolver* solver);
// Solves the islands with a tree that is marked (ntree), or all islands if marked is NULL, like hf_solver_solve. v,
// impulses and row velocities of the other islands are kept. The problem must fit into the capacity of the solver, and
// the configuration must be valid; this is not checked.
hfStatus hfi_solver_solve_marked(const hfiSolveJob* job, const int32_t* marked, hfiTrouble* trouble);

#endif
