// Computes everything except contact that acts over a step. The order is that of the rows in the step problem.
#include "step/actuation/inside.h"

#include <string.h>

// Begins the rows and the notes of the step, then calls one part after the other. A part loops over all joints, dofs
// or actuators, so it is left out if the model has nothing for it.
void hfi_actuation_step(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, hfStepProblem* problem,
                        double* tau) {
  const hfModel* m = a->model;
  const hfiPassive* has = &a->passive;
  hfiRowNotes* notes = &a->notes;

  // no rows and no notes yet
  hfi_rows_begin(&a->rows, problem);

  a->h = step->h;
  if (m->ntendon) memcpy(notes->start_length, a->tendons.length, sizeof *notes->start_length * (size_t)m->ntendon);
  notes->free_way = INFINITY;
  notes->noverload = 0;
  notes->first_friction = 0;
  notes->nfriction = 0;
  notes->ntarget = 0;

  // the parts, in the order of their rows
  if (m->nu) hfi_drive_rows(a, d, step, tau);
  int is_passive = has->springs | has->dampers | has->gravcomp | has->medium | m->ntendon;
  if (is_passive) hfi_spring_rows(a, d, step, tau, problem->diag);
  if (hfi_any_range(&has->ranges) | m->ntendon) hfi_limit_rows(a, d, step);
  if (has->losses | m->ntendon) hfi_friction_rows(a, d, step);
  if (m->neq) hfi_equality_rows(a, d, step);
  if (notes->ntension) hfi_tension_rows(a, d, step);
  if (step->velocity_target) hfi_target_rows(a, d, step);
}
