// Jacobians of bodies at world points, and their rates times v.
//
//   column of dof i at point p, r = p - O:     (w, v) = (S_w, S_v + S_w x r)
//   Jdot v: acceleration of the body and its point p at vdot = 0, r as above, w and v_p of the body:
//           (A_w, A_v + A_w x r + w x v_p),    A without gravity
//
// The dofs that move a body are its last dof and the ancestors of its last dof: row body_lastdof of M.
#include "step/dynamics/inside.h"
#include <assert.h>
#include <string.h>

// Moves the reference point of a motion by r: returns the velocity of the point at r.
static inline hfMotion shift_motion(hfMotion S, hfVec3 r) {
  S.v = v3_add(S.v, v3_cross(S.w, r));
  return S;
}

// Writes the velocity of the body and of its point at p_W for unit rate of each dof that moves it.
void hfi_jacobian_columns(const hfDynamics* d, int body, hfVec3 p_W, hfMotion* columns) {
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);
  hfVec3 r = v3_sub(p_W, hfi_body_reference(d, body));
  for (int k = 0; k < n; ++k) columns[k] = shift_motion(d->S[dofs[k]], r);
}

// tau += J^T F for a force F on the body at p_W.
void hfi_jacobian_transpose_add(const hfDynamics* d, int body, hfVec3 p_W, hfForce F, double* tau) {
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);
  hfVec3 r = v3_sub(p_W, hfi_body_reference(d, body));

  F.n = v3_add(F.n, v3_cross(r, F.f));
  for (int k = 0; k < n; ++k) tau[dofs[k]] += fo_dot(F, d->S[dofs[k]]);
}

// Writes J (6 x nv): rows w and v of the body at p_W, in world axes.
void hf_dynamics_jacobian(const hfDynamics* d, int body, hfVec3 p_W, double* J) {
  assert(body >= 0 && body < d->model->nbody);
  size_t nv = (size_t)d->model->nv;
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);
  hfVec3 r = v3_sub(p_W, hfi_body_reference(d, body));

  memset(J, 0, 6 * nv * sizeof *J);
  for (int k = 0; k < n; ++k) {
    hfMotion S = shift_motion(d->S[dofs[k]], r);
    double column[6] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
    for (size_t i = 0; i < 6; ++i) J[i * nv + (size_t)dofs[k]] = column[i];
  }
}

// Returns Jdot v of the body at p_W, at the velocities in d.
hfMotion hf_dynamics_jacobian_rate(const hfDynamics* d, int body, hfVec3 p_W) {
  assert(body >= 0 && body < d->model->nbody);
  hfMotion V = hf_dynamics_point_velocity(d, body, p_W);
  hfMotion A = shift_motion(d->A[d->body_link[body]], v3_sub(p_W, hfi_body_reference(d, body)));
  A.v = v3_add(v3_add(A.v, d->gravity), v3_cross(V.w, V.v));
  return A;
}
