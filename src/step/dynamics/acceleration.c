// Accelerations due to vdot, and what sensors derive from them.
//
//   B_l = B_p + sum_k S_k vdot_k;  a link accelerates with A_l + B_l, gravity included as -g
//
//   acceleration of the body's point p, r = p - O:   A_v + A_w x r + w x v_p
//   force on a subtree about p:                      sum_b I_b (A + B) + V x* I_b V, moved from O to p
#include "step/dynamics/inside.h"

// Writes d->B, the accelerations of all links due to vdot (nv).
void hfi_accelerate(hfDynamics* d, const double* vdot) {
  d->B[0] = mo_zero();
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];

    hfMotion B = d->B[link->parent];
    for (int i = link->dof; i < link->dof + link->ndof; ++i) B = mo_axpy(vdot[i], d->S[i], B);

    d->B[l] = B;
  }
}

// Returns the acceleration of a body and of its point p_W, less gravity, in world axes. Needs d->B.
hfMotion hfi_proper_acceleration(const hfDynamics* d, int body, hfVec3 p_W) {
  int l = d->body_link[body];
  hfMotion V = hf_dynamics_point_velocity(d, body, p_W);
  hfMotion A = mo_add(d->A[l], d->B[l]);
  hfVec3 r = v3_sub(p_W, hfi_link_reference(d, l));

  A.v = v3_add(v3_add(A.v, v3_cross(A.w, r)), v3_cross(V.w, V.v));
  return A;
}

// Returns the force about O that body b takes to accelerate as its link does, with d->A and d->B.
static hfForce body_force(const hfDynamics* d, int b, hfVec3 O) {
  const hfModel* m = d->model;
  int l = d->body_link[b];

  hfiInertia I;
  hfi_place_inertia(&I, hf_model_body_mass(m)[b], v3_load(hf_model_body_com(m) + 3 * b),
                    hf_model_body_inertia(m) + 6 * b, &d->X_WB[b], O);
  return hfi_inertial_force(&I, d->V[l], mo_add(d->A[l], d->B[l]));
}

// Returns the force and torque about p_W that accelerate the body and all bodies that it carries. Needs d->B.
hfForce hfi_subtree_force(const hfDynamics* d, int body, hfVec3 p_W) {
  hfForce sum = fo_zero();
  int end = hf_model_body_subtreeend(d->model)[body];
  for (int b = body; b < end; ++b) {
    hfVec3 O = hfi_body_reference(d, b);
    hfForce F = body_force(d, b, O);
    F.n = v3_add(F.n, v3_cross(v3_sub(O, p_W), F.f));
    sum = fo_add(sum, F);
  }
  return sum;
}
