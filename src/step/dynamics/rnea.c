// Inverse dynamics by recursive Newton-Euler (Featherstone, Rigid Body Dynamics Algorithms, 5.3).
//
//   B_l   = B_p + sum_k S_k vdot_k                       (acceleration.c)
//   F_l   = I_l (A_l + B_l) + V_l x* (I_l V_l) - wrenches
//   tau_i = S_i . sum of F over the links that dof i moves + armature
//
// The bias is tau at vdot = 0. All forces of a tree are about one point, so that passing a force
// inward is an addition.
#include "step/dynamics/inside.h"

#include "base/compile.h"
#include "math/spatial_lanes.h"

// Subtracts the wrenches (nbody), which act at the centres of mass, from scratch.F of the links.
static void subtract_wrenches(hfDynamics* d, const hfForce* wrench) {
  for (int b = 1; b < d->model->nbody; ++b) {
    hfVec3 f = wrench[b].f;
    hfVec3 r = v3_sub(hfi_body_com(d, b), hfi_body_reference(d, b));

    hfForce* F = &d->scratch.F[d->body_link[b]];
    F->f = v3_sub(F->f, f);
    F->n = v3_sub(F->n, v3_add(wrench[b].n, v3_cross(r, f)));
  }
}

// Writes scratch.F of HFI_LANES links at once: their inertial forces I (A + B) + V x* (I V). B: accelerations (nlink)
// that are added to A of d, or NULL. hfi_inertial_force does the same for one link.
HFI_FORCE_INLINE void find_lane_forces(hfDynamics* d, const hfMotion* B, const int* links) {
  // where the numbers of each link are
  const double* I_numbers[HFI_LANES];
  const double* V_numbers[HFI_LANES];
  const double* A_numbers[HFI_LANES];
  const double* B_numbers[HFI_LANES];
  double* F_numbers[HFI_LANES];
  for (int k = 0; k < HFI_LANES; ++k) {
    int l = links[k];
    I_numbers[k] = (const double*)&d->mass.I[l];
    V_numbers[k] = (const double*)&d->V[l];
    A_numbers[k] = (const double*)&d->A[l];
    B_numbers[k] = B ? (const double*)&B[l] : NULL;
    F_numbers[k] = (double*)&d->scratch.F[l];
  }

  // gather them into lanes: an inertia has 10 numbers, a motion and a force 6
  hfiInertias I;
  hfiMotions V;
  hfiMotions A;
  hfi_gather(I_numbers, 10, (hfiLanes*)&I);
  hfi_gather(V_numbers, 6, (hfiLanes*)&V);
  hfi_gather(A_numbers, 6, (hfiLanes*)&A);

  if (B) {
    hfiMotions more;
    hfi_gather(B_numbers, 6, (hfiLanes*)&more);
    A = mos_add(A, more);
  }

  // compute and scatter
  hfiForces F = fos_add(inertias_mul(&I, A), mos_cross_force(V, inertias_mul(&I, V)));
  hfi_scatter((const hfiLanes*)&F, 6, F_numbers);
}

// Writes scratch.F of links `first` to end - 1 at the acceleration A + B (B may be NULL). A single link that is left
// over is computed alone, which takes less time.
HFI_FORCE_INLINE void find_link_forces(hfDynamics* d, const hfMotion* B, int first, int end) {
  int links[HFI_LANES];
  int l = first;
  for (; l < end - 1; l += HFI_LANES) find_lane_forces(d, B, hfi_fill_lanes(l, end, links));
  if (l != end - 1) return;

  hfMotion A = B ? mo_add(d->A[l], B[l]) : d->A[l];
  d->scratch.F[l] = hfi_inertial_force(&d->mass.I[l], d->V[l], A);
}

// Writes tau (nv) of the dofs of links `first` to end - 1, without armature, and sums scratch.F inward. If the parent
// of a link is the link before it, as in a chain, the force is passed on without being stored. F: the force on link l
// and on everything that it carries, all of which is at hand because links come after their parents.
static inline void find_joint_forces(hfDynamics* d, int first, int end, double* tau) {
  hfForce* forces = d->scratch.F;
  hfForce F = forces[end - 1];

  for (int l = end - 1; l >= first; --l) {
    const hfiLink* link = &d->link[l];
    int parent = link->parent;
    int i = link->dof;
    if (link->ndof == 1) tau[i] = fo_dot(F, d->S[i]); // most links
    else for (; i < link->dof + link->ndof; ++i) tau[i] = fo_dot(F, d->S[i]);

    // pass F to the parent, and go on with the link before this one
    if (parent && parent == l - 1) {
      F = fo_add(forces[parent], F);
      continue;
    }
    if (parent) forces[parent] = fo_add(forces[parent], F);
    F = forces[l - 1];
  }
}

// Writes scratch.F of all links.
void hfi_link_forces(hfDynamics* d, const hfMotion* B, const hfForce* wrench) {
  d->scratch.F[0] = fo_zero();
  find_link_forces(d, B, 1, d->nlink);
  if (wrench) subtract_wrenches(d, wrench);
}

// Writes tau_i = S_i . (sum of F over the links that dof i moves) for all dofs.
void hfi_joint_forces(hfDynamics* d, double* tau) { find_joint_forces(d, 1, d->nlink, tau); }

// Writes the bias d->c of the dofs of links `first` to end - 1, which are all links of a tree.
void hfi_tree_bias(hfDynamics* d, int first, int end) {
  find_link_forces(d, NULL, first, end);
  find_joint_forces(d, first, end, d->c);
}

// Writes d->c at the velocities in d.
void hf_dynamics_update_bias(hfDynamics* d) {
  hfi_link_forces(d, NULL, NULL);
  hfi_joint_forces(d, d->c);
  hfi_add_tendon_bias(d, d->c);
}

// Writes the bias c (nv) at rest: F = I A with the base acceleration A = (0, -g) of all links.
void hfi_gravity_bias(hfDynamics* d, double* c) {
  hfVec3 a = d->A[0].v;
  d->scratch.F[0] = fo_zero();
  for (int l = 1; l < d->nlink; ++l) {
    const hfiInertia* I = &d->mass.I[l];
    d->scratch.F[l] = (hfForce){v3_cross(I->h, a), v3_scale(I->m, a)};
  }

  hfi_joint_forces(d, c);
}

// tau += armature vdot, of joints and of tendons.
static void add_armature(const hfDynamics* d, const double* vdot, double* tau) {
  const double* armature = hf_model_dof_armature(d->model);
  for (int i = 0; i < d->model->nv; ++i) tau[i] += armature[i] * vdot[i];

  for (int k = 0; k < d->mass.narmature; ++k) {
    const hfiArmature* a = &d->mass.armature[k];
    tau[a->row] += a->value * vdot[a->col];
    if (a->row != a->col) tau[a->col] += a->value * vdot[a->row];
  }
}

// Writes tau (nv) for the accelerations vdot (nv) at velocities v (nv): the recursion of the head of this file, with
// armature. wrench (nbody, or NULL).
void hf_dynamics_inverse(hfDynamics* d, const double* v, const double* vdot, const hfForce* wrench, double* tau) {
  hf_dynamics_set_velocity(d, v);
  hfi_accelerate(d, vdot);
  hfi_link_forces(d, d->B, wrench);
  hfi_joint_forces(d, tau);
  add_armature(d, vdot, tau);
  hfi_add_tendon_bias(d, tau);
}
