// Velocity targets: inverse dynamics as rows of the step (Shepherd, Zapolsky, Drumwright Eq. 2-4).
//
//   tau_i = clamp(-kappa_i (v_i - v_des,i), -b_i, b_i),   h kappa_i = (2 pi/beta)^2/w_i
//
//   v_des  velocity asked for at the end of the step     b  force limit
//   w      (M^-1)_ii                                     beta  hfSimConfig.near_rigid
//
// If the limits allow it, the target is met up to 1/(1 + h kappa w) of the difference that there would be without the
// row. If not, the force is exactly the limit, whatever contact does. The rows minimise sum_i h b_i |v_i - v_des,i|
// (Huber, rounded below b/kappa) on top of Gauss's principle: an exact penalty, so desired velocities that conflict
// with contact leave a solvable problem. docs/theory/drives.md
#include "step/actuation/inside.h"

#include <string.h>

// Appends the row of the velocity target of a dof.
static void add_target(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int32_t dof) {
  double limit = step->force_limit ? step->force_limit[dof] : INFINITY;
  double stiffest = hfi_stiffest(step, hfi_dof_inverse_mass(d, dof));
  hfSaturatedRow row = {step->velocity_target[dof], stiffest, -limit, limit};
  hfi_rows_append_scalar(&a->rows, (hfiRowOrigin){HFI_ROW_TARGET, dof}, row, dof, 1);
}

// Appends a row for each dof that has a target, and notes how many there are.
void hfi_target_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  int before = a->rows.nblock;
  for (int32_t i = 0, n = a->model->nv; i < n; ++i)
    if (!isnan(step->velocity_target[i])) add_target(a, d, step, i);
  a->notes.ntarget = a->rows.nblock - before;
}

// Computes target_force (nv) at the velocities v1 (nv) of the end of the step. Forces of dofs without a target are
// zero.
void hfi_target_collect(const hfActuation* a, const double* v1) {
  const hfiRows* rows = &a->rows;
  memset(a->target_force, 0, sizeof *a->target_force * (size_t)a->model->nv);
  for (int b = 0; a->notes.ntarget && b < rows->nblock; ++b)
    if (rows->origin[b].source == HFI_ROW_TARGET) hfi_rows_force(rows, b, v1, &a->target_force[rows->origin[b].id]);
}
