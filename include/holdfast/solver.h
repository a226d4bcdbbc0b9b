// Solvers of the step problem: TAMSI, the convex problem, and the ladder that never fails.
#ifndef HOLDFAST_SOLVER_H
#define HOLDFAST_SOLVER_H

#include <holdfast/step_problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfCoupling {
  HF_COUPLING_TWO_WAY = 0,      // normal and friction forces both implicit and coupled (TAMSI)
  HF_COUPLING_ONE_WAY = 1,      // normal force frozen at the start of the step (semi-implicit Euler)
  HF_COUPLING_FRICTIONLESS = 2, // normal forces only, implicit
} hfCoupling;

// The rungs of the ladder, in the order they are tried.
typedef enum hfRung {
  HF_RUNG_NONE = 0,     // no rows: one linear solve
  HF_RUNG_TAMSI = 1,    // Newton with the transition-aware line search, in heaps with friction duals
  HF_RUNG_MERIT = 2,    // the same Newton with a residual-decreasing line search
  HF_RUNG_CONVEX = 3,   // friction bound fixed: minimum of a strictly convex function; bounds iterated
} hfRung;

typedef struct hfSolverConfig {
  int32_t coupling;        // hfCoupling
  int32_t first_rung;      // hfRung to start at; HF_RUNG_CONVEX for the convex method
  int32_t last_rung;       // hfRung to stop at; HF_RUNG_CONVEX never fails
  int32_t max_iterations;  // Newton iterations a rung [-]
  double tolerance;        // residual over max(|p*|, |J^T gamma|), mass-scaled [-]
  double theta_max;        // largest turn of a slip velocity in one iteration; not in heaps [rad]
} hfSolverConfig;

HF_API hfSolverConfig hf_solver_config_default(void);

typedef struct hfSolveReport {
  hfStatus status;          // HF_OK, or > 0 when the last rung allowed did not meet the tolerance
  int32_t rung;             // the highest rung that served any island
  int32_t islands;          // with rows
  int32_t iterations;       // Newton iterations: factorisations, sum over islands and rungs
  int32_t max_iterations;   // most in one island
  int32_t limited;          // iterations whose step was shortened
  double residual;          // of the rung that served, relative, worst island [-]
  double coupled_residual;  // of the coupling asked for: differs where the convex rung served [-]
} hfSolveReport;

// Largest sizes a solver must be ready for; memory is planned from it once. Room for the factors is
// reserved for full fill (nv^2 numbers); pages that no problem needs are never touched.
typedef struct hfStepCapacity {
  int32_t nv, ntree, nblock, nrow, npiece, ncol, njac;
  int32_t max_tree_nv; // dofs of the largest tree
} hfStepCapacity;

typedef struct hfSolver hfSolver;

HF_API hfStatus hf_solver_create(hfSolver** solver, const hfStepCapacity* capacity, hfError* error);
HF_API void hf_solver_free(hfSolver* solver);

// Solves r(v) = 0. v (nv) and impulse (nrow) are outputs. Allocates nothing. Non-finite input is
// refused (HF_ERROR_NONFINITE) and leaves the outputs as they were.
HF_API hfStatus hf_solver_solve(hfSolver* solver, const hfSolverConfig* config,
                                const hfStepProblem* problem, double* v, double* impulse,
                                hfSolveReport* report, hfError* error);

#ifdef __cplusplus
}
#endif
#endif
