// Rigid contact over the step problem: mixed linear complementarity (Shepherd, Zapolsky, Drumwright
// Eq. 2-7), and two forms by quadratic programming. They can fail; the convex problem cannot.
//
//   complementarity  polygonal friction cones, bounds of saturated rows: Lemke or Dantzig
//   two-stage        a feasible point without friction, then friction that dissipates most without
//                    violating targets and normal velocities (the paper's experimental solver)
//   dissipation      contact without complementarity: targets met, then the forces within their cones that
//                    dissipate most of what is left free; inverse dynamics for robots in contact
//
// Stiffness and dissipation of contacts do not count; rows stiffer than near-rigid are rigid.
// docs/theory/drives.md
#ifndef HOLDFAST_MLCP_H
#define HOLDFAST_MLCP_H

#include <holdfast/lcp.h>
#include <holdfast/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfMlcp hfMlcp;

HF_API hfStatus hf_mlcp_create(hfMlcp** mlcp, const hfStepCapacity* capacity, const hfMlcpConfig* config, hfError* error);
HF_API void hf_mlcp_free(hfMlcp* mlcp);

// Refuses a problem beyond the capacity. v (nv) and impulse (nrow) are outputs; report: status, iterations (pivots), residual. Status > 0: no
// solution was found and v, impulse are what came out; v of islands that were not solved is that of the start, v0. Matrices are dense. It allocates
// memory if an island has more rows than were planned and than any island before, and refuses with HF_ERROR_MEMORY if the machine has too little.
HF_API hfStatus hf_mlcp_solve(hfMlcp* mlcp, const hfStepProblem* problem, double* v, double* impulse,
                              hfSolveReport* report, hfError* error);

// Generalised force (nv) of the saturated rows of a problem that has these impulses: drives, limits and
// targets, without contacts.
HF_API void hf_step_problem_row_force(const hfStepProblem* problem, const double* impulse, double* force);

#ifdef __cplusplus
}
#endif
#endif
