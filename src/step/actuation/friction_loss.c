// Friction losses of joints and tendons as rows of a step.
//
// Friction loss b: kappa = b/v_s with the world's stiction speed v_s, bounds +-b. Anchored, the slope is half that of
// a spring and half that of a damper, kappa = h k + c with h k = c. The spring's force phi at the start of the step is
// remembered:
//
//   force = -(phi + kappa s), bounded by +-b;   phi <- (phi - force)/2, the spring's force at the end
//
// At rest under a load below b the force is -phi and s is zero: the joint does not creep.
#include "step/actuation/inside.h"

// The bound of an inverse mass may be too small by rounding errors, by far less than this factor [-].
static const double ROUNDING_FACTOR = 1.01;

// Returns the row of a friction loss. kappa: its slope; held: the force phi of its spring at the start of the step.
static hfSaturatedRow make_friction_row(double kappa, double loss, double held) {
  hfSaturatedRow row = {-clamp(held, -loss, loss) / kappa, kappa, -loss, loss};
  return row;
}

// Returns the slope kappa of a friction loss before it is capped [N s/m or N m s/rad].
static double find_friction_slope(const hfActuation* a, double loss) { return loss / a->model->world.stiction_speed; }

// Returns the slope of the friction of a dof. Mostly it is below the stiffest slope for every inverse mass that the dof
// can have, so that M need not be factored.
static double find_dof_friction_slope(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int dof,
                                 double loss) {
  double kappa = find_friction_slope(a, loss);
  if (ROUNDING_FACTOR * kappa <= hfi_stiffest(step, d->mass.largest_inverse[dof])) return kappa;
  return hfi_cap_slope(&a->rows, kappa, hfi_stiffest(step, hfi_dof_inverse_mass(d, dof)));
}

// Appends the rows of all friction losses, and notes which blocks they are. held: the spring's force phi at the start
// of the step; 0 if friction is not anchored (step->friction is NULL).
void hfi_friction_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  const hfModel* m = a->model;
  int first_block = a->rows.nblock;
  if (m->world.disable_frictionloss) return;

  // dofs
  int ndof = a->passive.losses ? m->nv : 0;
  for (int32_t i = 0; i < ndof; ++i) {
    double loss = hf_model_dof_frictionloss(m)[i];
    if (!(loss > 0)) continue;

    double held = step->friction ? step->friction[i] : 0;
    hfSaturatedRow row = make_friction_row(find_dof_friction_slope(a, d, step, i, loss), loss, held);
    hfi_rows_append_scalar(&a->rows, (hfiRowOrigin){HFI_ROW_JOINT_FRICTION, i}, row, i, 1);
  }

  // tendons; the slope is capped at the stiffest that the row may have, which is 0 if no dof moves the tendon
  for (int t = 0; t < m->ntendon; ++t) {
    double loss = hf_model_tendon_frictionloss(m)[t];
    double kappa = find_friction_slope(a, loss);
    double stiffest = loss > 0 ? hfi_tendon_stiffest(a, d, t, step->h, kappa, hfi_near_rigid(step)) : 0;
    if (!(stiffest > 0)) continue;

    double held = step->friction ? step->friction[m->nv + t] : 0;
    hfSaturatedRow row = make_friction_row(hfi_cap_slope(&a->rows, kappa, stiffest), loss, held);
    hfi_tendon_row(a, HFI_ROW_TENDON_FRICTION, t, 1, row);
  }

  a->notes.first_friction = first_block;
  a->notes.nfriction = a->rows.nblock - first_block;
}

// Writes to friction (nv + ntendon) the forces phi of the springs at the end of the step, for velocities v1 (nv).
void hfi_friction_remember(const hfActuation* a, const double* v1, double* friction) {
  for (int b = a->notes.first_friction, end = b + a->notes.nfriction; b < end; ++b) {
    hfiRowOrigin origin = a->rows.origin[b];
    double* held = friction + (origin.source == HFI_ROW_TENDON_FRICTION ? a->model->nv : 0) + origin.id;
    double force;
    hfi_rows_force(&a->rows, b, v1, &force);
    *held = 0.5 * (*held - force);
  }
}
