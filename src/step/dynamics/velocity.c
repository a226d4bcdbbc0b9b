// Spatial velocities and velocity-dependent accelerations of all links.
//
//   V_l = V_p + sum_k S_k v_k
//   A_l = A_p + sum_k Sdot_k v_k            A_world = (0, -g): gravity acts on everything that has mass
//
// Dof by dof, with V the velocity in front of it and VJ = S_k v_k its own; the sorts of model/joint.h:
//
//   world   translations along axes fixed in the world: Sdot = 0
//   chain   Sdot v = V x VJ
//   body    three rotations at once, VJ = sum_k S_k v_k. Their axes turn with the body,
//           Sdot_k = (V + VJ) x S_k, and VJ x VJ = 0: again V x VJ
//
// A is about the point of the world that O passes at this instant, as in Featherstone, Rigid Body
// Dynamics Algorithms, 2.8 and 5.3.
#include "step/dynamics/inside.h"
#include <assert.h>
#include <string.h>

// S v of the three dofs of a rotation.
static hfMotion combine_columns(const hfMotion* S, const double* v) {
  return mo_axpy(v[2], S[2], mo_axpy(v[1], S[1], mo_scale(v[0], S[0])));
}

// Adds the motion VJ after all motions that move the link so far.
static inline void add_motion(hfMotion VJ, hfMotion* V, hfMotion* A) {
  *A = mo_add(*A, mo_cross(*V, VJ));
  *V = mo_add(*V, VJ);
}

// Computes the spatial velocity *V of a link and its velocity-dependent acceleration *A at velocities v (nv). On entry
// they are those of its parent; the motions of the joints are added. add_motion adds VJ to V and V x VJ to A.
static inline void move_link(const hfDynamics* d, const hfiLink* link, const double* v, hfMotion* V, hfMotion* A) {
  // nothing turns before the first slides, so V x VJ = 0
  for (int i = link->dof; i < link->dof + link->nslide; ++i) V->v = v3_axpy(v[i], d->S[i].v, V->v);

  for (int j = link->joint + link->nslide; j < link->joint + link->njoint; ++j) {
    const hfiJointStep* s = &d->kinematics.step[j];
    const hfMotion* S = d->S + s->dofadr;
    const double* vj = v + s->dofadr;
    if (s->kind->info.nv == 1) { // most joints
      add_motion(mo_scale(*vj, *S), V, A);
      continue;
    }

    int nworld = s->kind->nworld;
    int nplain = nworld + s->kind->nchain;

    // world, chain and body dofs, in this order
    if (nworld) V->v = v3_add(V->v, v3_load(vj));
    for (int k = nworld; k < nplain; ++k) add_motion(mo_scale(vj[k], S[k]), V, A);
    if (s->kind->nbody) add_motion(combine_columns(S + nplain, vj + nplain), V, A);
  }
}

// Writes V and A of links `first` to end - 1 from d->v. In a chain the parent of a link is the link before it, whose
// velocities need not be loaded again.
void hfi_tree_velocity(hfDynamics* d, int first, int end) {
  const double* v = d->v;
  hfMotion V = mo_zero();
  hfMotion A = mo_zero();

  for (int l = first; l < end; ++l) {
    const hfiLink* link = &d->link[l];
    if (l == first || link->parent != l - 1) {
      V = d->V[link->parent];
      A = d->A[link->parent];
    }
    if (link->ndof == 1 && !link->nslide) add_motion(mo_scale(v[link->dof], d->S[link->dof]), &V, &A); // most links
    else move_link(d, link, v, &V, &A);
    d->V[l] = V;
    d->A[l] = A;
  }
}

// Sets d->v and computes V and A of all links, unless they are known: sensors at the end of a step need the velocities
// with which the next step begins.
void hf_dynamics_set_velocity(hfDynamics* d, const double* v) {
  size_t size = (size_t)d->model->nv * sizeof *v;
  if (hfi_dynamics_is_fresh(d, HFI_FRESH_VELOCITY) && v != d->v && memcmp(d->v, v, size) == 0) return;
  if (v != d->v) memcpy(d->v, v, size);
  hfi_tree_velocity(d, 1, d->nlink);
  d->fresh |= HFI_FRESH_VELOCITY;
}

// Returns the angular velocity of a body and the velocity of its point at p_W.
hfMotion hf_dynamics_point_velocity(const hfDynamics* d, int body, hfVec3 p_W) {
  assert(body >= 0 && body < d->model->nbody);
  return hfi_point_velocity(d, body, p_W);
}
