// The method `mlcp`: steps of discrete time whose problem is solved with rigid contact.
#include "methods/mlcp/mlcp.h"

#include "step/actuation/actuation.h"
#include "step/discrete/discrete.h"

#include <holdfast/mlcp.h>

// Creates the solver. Limits that are further away have rows, too: errors of this solver are relative to the numbers of
// the rows, and where joints are at rest only the distances to limits are not zero.
static hfStatus create_solver(void** solver, const hfStepCapacity* capacity, const hfSimConfig* config,
                              hfiStepPolicy* policy, hfError* error) {
  hfMlcp* mlcp = NULL;
  hfStatus status = hf_mlcp_create(&mlcp, capacity, &config->mlcp, error);
  if (status != HF_OK) return status;

  *solver = mlcp;
  *policy = (hfiStepPolicy){.has_rigid_contacts = 1,
                            .has_rigid_rows = 1,
                            .falls_back = config->mlcp.fallback,
                            .recovery = config->mlcp.recovery,
                            .limit_speed = HFI_FAST_SPEED};
  return HF_OK;
}

static void free_solver(void* solver) { hf_mlcp_free(solver); }

// Solves a step problem for the discrete method.
static hfStatus solve(void* solver, const hfStepProblem* problem, double* v, double* impulse, hfSolveReport* report,
                      hfError* error) {
  return hf_mlcp_solve(solver, problem, v, impulse, report, error);
}

static const hfiProblemSolver SOLVER = {create_solver, free_solver, solve};

static hfStatus create(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  return hfi_discrete_create_method(method, world, config, &SOLVER, error);
}

const hfiMethod hfi_method_mlcp = {
    .traits = HFI_DISCRETE_TIME | HFI_INVERSE_DRIVES | HFI_COULOMB_FRICTION,
    .create = create,
    .free = hfi_discrete_free_method,
    .step = hfi_discrete_step_method,
    .contact_count = hfi_discrete_count_contacts,
    .contact = hfi_discrete_read_contact,
    .problem_maker = hfi_discrete_find_maker,
    .energy = {.overlaps = hfi_discrete_overlap_energy, .row_work = hfi_discrete_row_work},
};
