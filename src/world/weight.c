// Inverse weights of bodies: how much a force moves a body, over all directions, at the reference pose.
//
//   w_B = trace(J M^-1 J^T)/3,   J the Jacobian of the velocity of Bcm, at qpos0
//
// MuJoCo takes them, and the diagonal of M^-1 for dofs, for the inverse masses of contacts and limits whose softness solref and
// solimp define.
#include "world/world.h"

#include "actuation/rows.h"

static int any_nonzero(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (x[i] != 0) return 1;
  return 0;
}

static int has_soft_contacts(const hfModel* m) {
  return any_nonzero(hf_model_geom_solref(m), 2 * m->ngeom) || any_nonzero(hf_model_geom_solimp(m), 5 * m->ngeom) ||
         any_nonzero(hf_model_pair_solref(m), 2 * m->npair) || any_nonzero(hf_model_pair_solimp(m), 5 * m->npair);
}

static double component(hfVec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// x (nv) is zero before and after; column (nv).
static double weigh_body(const hfDynamics* d, int body, double* x, hfMotion* column) {
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);
  double sum = 0;
  hfi_jacobian_columns(d, body, hfi_body_com(d, body), column);
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < n; ++i) x[dofs[i]] = component(column[i].v, axis);
    hf_dynamics_solve(d, x);
    for (int i = 0; i < n; ++i) sum += x[dofs[i]] * component(column[i].v, axis);
    for (int i = 0; i < d->model->nv; ++i) x[i] = 0;
  }
  return sum / 3;
}

static void weigh_bodies(hfiWorld* w) {
  for (int b = 1; b < w->model->nbody; ++b)
    if (hf_model_body_lastdof(w->model)[b] >= 0)
      w->weight[b] = weigh_body(&w->dynamics, b, w->actuation.dense, w->actuation.column[0]);
}

void hfi_world_weigh(hfiWorld* w) {
  const hfModel* m = w->model;
  int all = w->config.mujoco_softness, contacts = all || has_soft_contacts(m),
      limits = all || any_nonzero(hf_model_jnt_limit_solref(m), 2 * m->njnt);
  for (int b = 0; b < m->nbody; ++b) w->weight[b] = 0;
  if (!contacts && !limits) return;
  hf_dynamics_position(&w->dynamics, hf_model_qpos0(m), NULL);
  hf_dynamics_mass_matrix(&w->dynamics);
  hf_dynamics_factor(&w->dynamics);
  if (contacts) weigh_bodies(w);
  for (int i = 0; limits && i < m->nv; ++i) w->actuation.dof_weight[i] = hfi_dof_inverse_mass(&w->dynamics, i);
  w->placed = 0;
}
