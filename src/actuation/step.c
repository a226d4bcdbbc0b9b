// Computes everything but contact that acts over a step. The order is that of the rows in the step
// problem.
#include "actuation/actuation.h"

void hfi_actuation_step(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau, double* diag) {
  hfi_rows_clear(&a->rows);
  hfi_drive_rows(a, d, step, tau);
  hfi_spring_rows(a, d, step, tau, diag);
  hfi_limit_rows(a, d, step);
  hfi_friction_rows(a, d, step);
  hfi_equality_rows(a, d, step);
  hfi_target_rows(a, d, step);
}
