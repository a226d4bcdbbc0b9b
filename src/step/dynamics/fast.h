// Sums over the links of one tree at the velocities in the dynamics, and trees that turn far within a step (fast.c).
#ifndef HFI_DYNAMICS_FAST_H
#define HFI_DYNAMICS_FAST_H

#include "step/dynamics/flight.h"

// ---- one tree -------------------------------------------------------------------------------------

typedef struct hfiRange { int begin, end; } hfiRange;

static inline hfiRange hfi_tree_dofs(const hfModel* m, int t) {
  int first = hf_model_tree_dofadr(m)[t];
  hfiRange r = {first, first + hf_model_tree_dofnum(m)[t]};
  return r;
}

// How a tree moves at the velocities in d.
typedef struct hfiTreeMotion {
  hfForce momentum; // momentum about its reference point d->p_WO[t]
  double kinetic;   // energy, armature included [J]
} hfiTreeMotion;

static inline hfiTreeMotion hfi_tree_motion(const hfiFlight* f, const hfDynamics* d, int t) {
  hfiRange r = hfi_tree_dofs(d->model, t);
  hfForce sum = fo_zero();
  double twice = 0;
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l) {
    hfForce P = inertia_mul(&d->I[l], d->V[l]);
    sum = fo_add(sum, P);
    twice += fo_dot(P, d->V[l]);
  }
  for (int i = r.begin; i < r.end; ++i) twice += hf_model_dof_armature(d->model)[i] * sqr(d->v[i]);
  for (const hfiArmature *a = d->armature, *end = a + d->narmature; a < end; ++a) // of tendons
    if (a->row >= r.begin && a->row < r.end) twice += (a->row == a->col ? 1 : 2) * a->value * d->v[a->row] * d->v[a->col];
  return (hfiTreeMotion){sum, 0.5 * twice};
}

// Mass, first moment and inertia of the whole tree about d->p_WO[t].
static inline hfiInertia hfi_tree_inertia(const hfiFlight* f, const hfDynamics* d, int t) {
  hfiInertia sum = d->I[f->first_link[t]];
  for (int l = f->first_link[t] + 1; l < f->first_link[t + 1]; ++l) inertia_add(&sum, &d->I[l]);
  return sum;
}

// Whether a tree keeps its momentum, and its energy relative to its centre of mass, in flight. Its root must be free and have no armature, because armature
// adds terms to M that are no inertia of a body. In a model with armature of tendons (d->narmature) no tree counts: such armature may act on any of them.
static inline int hfi_tree_is_free(const hfiFlight* f, const hfDynamics* d, int t) {
  const hfiLink* root = &d->link[f->first_link[t]];
  if (root->njoint != 1 || d->step[root->joint].type != HF_JOINT_FREE || d->narmature) return 0;
  for (int i = root->dof; i < root->dof + 6; ++i)
    if (hf_model_dof_armature(d->model)[i] != 0) return 0;
  return 1;
}

// Adds to v the motion of the root alone in which the centre of mass has the velocity u and the tree turns with w.
static inline void hfi_tree_add_rigid(const hfDynamics* d, const hfiLink* root, const hfiInertia* I, hfVec3 u, hfVec3 w, double* v) {
  hfVec3 at_root = v3_sub(u, v3_cross(w, v3_scale(1 / I->m, I->h))), w_B = m3_tmulv(d->X_WB[root->body].R, w);
  v3_store(v + root->dof, v3_add(v3_load(v + root->dof), at_root));
  v3_store(v + root->dof + 3, v3_add(v3_load(v + root->dof + 3), w_B));
}

// ---- fast trees -----------------------------------------------------------------------------------

// Finds at v0 which trees are brisk or fast, and the inertial energy and momentum that each has. After
// hf_dynamics_update_mass_matrix and hf_dynamics_set_velocity at v0.
void hfi_fast_find(hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies);
// For a tree that was to fly but does not: computes its inertial energy, at the velocities in d, without gravity.
void hfi_fast_ground(hfiFlight* f, const hfDynamics* d, int tree);
// Bounds the inertial forces in p of the fast trees that do not fly, and measures those of brisk ones.
void hfi_fast_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau, const int32_t* flies,
                    double* p);
// Computes the energy and momentum that trees may have at the end, from the solution v of the step problem, before q moves.
void hfi_fast_solution(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* v);
// Bounds the velocities v at q1. After hf_dynamics_set_position at q1.
void hfi_fast_end(hfiFlight* f, hfDynamics* d, const int32_t* flies, double* v);

#endif
