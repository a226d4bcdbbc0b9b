// Spatial velocities and velocity-dependent accelerations of all links.
//
//   V_l = V_p + sum_k S_k v_k
//   A_l = A_p + sum_k Sdot_k v_k            A_world = (0, -g): gravity acts on everything that has mass
//
// Joint by joint, with V the velocity in front of the joint and VJ = sum_k S_k v_k of the joint alone:
//
//   hinge, slide   Sdot v = V x VJ
//   ball           the axes turn with the body, Sdot_k = (V + VJ) x S_k, and VJ x VJ = 0: again V x VJ
//   free           translations are fixed in the world: Sdot = 0; they come first, then rotations as a ball
//
// A is about the point of the world that O passes at this instant, as in Featherstone, Rigid Body
// Dynamics Algorithms, 2.8 and 5.3.
#include "dynamics/dynamics.h"
#include <string.h>

static hfMotion combine_columns(const hfMotion* S, const double* v) {
  return mo_axpy(v[2], S[2], mo_axpy(v[1], S[1], mo_axpy(v[0], S[0], mo_zero())));
}

// S v of one dof, three for ball joints
static hfMotion joint_velocity(const hfDynamics* d, const hfiJointStep* s, const double* v) {
  const hfMotion* S = d->S + s->dofadr;
  if (s->type == HF_JOINT_BALL) return combine_columns(S, v);
  return mo_axpy(*v, *S, mo_zero());
}

static void move_link(const hfDynamics* d, const hfiLink* link, const double* v, hfMotion* V, hfMotion* A) {
  for (int j = link->joint; j < link->joint + link->njoint; ++j) {
    const hfiJointStep* s = &d->step[j];
    const double* vj = v + s->dofadr;
    hfMotion VJ;
    if (s->type == HF_JOINT_FREE) {
      V->v = v3_add(V->v, v3_load(vj));
      VJ = combine_columns(d->S + s->dofadr + 3, vj + 3);
    } else {
      VJ = joint_velocity(d, s, vj);
    }
    *A = mo_add(*A, mo_cross(*V, VJ));
    *V = mo_add(*V, VJ);
  }
}

void hf_dynamics_velocity(hfDynamics* d, const double* v) {
  if (v != d->v) memcpy(d->v, v, (size_t)d->model->nv * sizeof *v);
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    hfMotion V = d->V[link->parent], A = d->A[link->parent];
    move_link(d, link, v, &V, &A);
    d->V[l] = V;
    d->A[l] = A;
  }
}

hfMotion hf_dynamics_point_velocity(const hfDynamics* d, int body, hfVec3 p_W) { return hfi_point_velocity(d, body, p_W); }
