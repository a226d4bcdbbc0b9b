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

typedef enum hfMlcpForm {
  HF_MLCP_COMPLEMENTARITY = 0,
  HF_MLCP_TWO_STAGE = 1,
  HF_MLCP_DISSIPATION = 2,
} hfMlcpForm;

typedef struct hfMlcpConfig {
  int32_t form;      // hfMlcpForm
  int32_t method;    // hfLcpMethod
  int32_t edges;     // of a friction cone, even, 4 to 32
  int32_t fallback;  // 1: where it fails hf_sim_step takes the convex answer; 0: the state stays
  double tikhonov;   // added to the diagonal, in units of the mean diagonal of J A^-1 J^T [-]
  double recovery;   // share of an overlap that a step removes [-]
  double tolerance;  // residual of the complementarity problem [-]
} hfMlcpConfig;

HF_API hfMlcpConfig hf_mlcp_config_default(void);

typedef struct hfMlcp hfMlcp;

HF_API hfStatus hf_mlcp_create(hfMlcp** mlcp, const hfStepCapacity* capacity, const hfMlcpConfig* config, hfError* error);
HF_API void hf_mlcp_free(hfMlcp* mlcp);

// Refuses a problem beyond the capacity. v (nv) and impulse (nrow) are outputs; report: status, iterations (pivots), residual. Status > 0: no
// solution was found and v, impulse are what came out. Allocates nothing.
HF_API hfStatus hf_mlcp_solve(hfMlcp* mlcp, const hfStepProblem* problem, double* v, double* impulse,
                              hfSolveReport* report, hfError* error);

// Generalised force (nv) of the saturated rows of a problem that has these impulses: drives, limits and
// targets, without contacts.
HF_API void hf_step_problem_row_force(const hfStepProblem* problem, const double* impulse, double* force);

#ifdef __cplusplus
}
#endif
#endif
