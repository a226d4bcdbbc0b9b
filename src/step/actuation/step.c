// Computes everything except contact that acts over a step. The order is that of the rows in the step problem.
#include "step/actuation/inside.h"

#include <string.h>

// Each part loops over all joints, dofs or actuators, so it is left out if the model has nothing for it.
void hfi_actuation_step(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, hfStepProblem* problem, double* tau) {
  const hfModel* m = a->model;
  const hfiPassive* has = &a->passive;
  double* diag = problem->diag;
  hfi_rows_begin(&a->rows, problem);
  a->h = step->h;
  if (m->ntendon) memcpy(a->notes.start_length, a->tendon_length, sizeof *a->notes.start_length * (size_t)m->ntendon);
  a->notes.free_way = INFINITY;
  a->notes.noverload = 0;
  a->notes.first_friction = a->notes.nfriction = a->notes.ntarget = 0;
  if (m->nu) hfi_drive_rows(a, d, step, tau);
  if (has->springs | has->dampers | has->gravcomp | has->medium | m->ntendon) hfi_spring_rows(a, d, step, tau, diag);
  if (hfi_any_range(&a->passive.ranges) | m->ntendon) hfi_limit_rows(a, d, step);
  if (has->losses | m->ntendon) hfi_friction_rows(a, d, step);
  if (m->neq) hfi_equality_rows(a, d, step);
  if (a->notes.ntension) hfi_tension_rows(a, d, step);
  if (step->velocity_target) hfi_target_rows(a, d, step);
}
