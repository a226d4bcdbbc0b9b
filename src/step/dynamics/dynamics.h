// Scratch and results of the dynamics of one world, taken from an arena.
//
// Everything that moves is described by links. A link is a body with joints together with the bodies
// welded to it: they share one spatial velocity, so their inertia is merged once (create.c) and the
// recursions run over links, not bodies. Link 0 is the world; mocap bodies, at rest, belong to it.
//
//   O      reference point of a tree: the origin of the tree's first body with a joint
//   S      spatial velocity for unit rate of one dof, about O in world axes
//   V      spatial velocity of a link about O in world axes
//   A      spatial acceleration of a link about O at vdot = 0, gravity included as a base
//          acceleration of -g
//   I, Ic  spatial inertia of a link, of everything from it outward, about O in world axes
//   F      spatial force about O in world axes
#ifndef HFI_DYNAMICS_DYNAMICS_H
#define HFI_DYNAMICS_DYNAMICS_H

#include "base/arena.h"
#include "base/lanes.h"
#include "math/spatial.h"
#include "model/joint.h"
#include "model/path.h"
#include <holdfast/dynamics.h>

typedef struct hfiLink {
  int32_t body;           // the body with the joints
  int32_t parent;         // link
  int32_t tree;
  int32_t joint, njoint;
  int32_t dof, ndof;
  int32_t nslide;         // as in hfiMovingBody
  int32_t has_free_root;  // 1: its tree begins with a free joint, whose origin is O
  int32_t only_slides;    // only_slides of its body, as in hfiKinematics
  double mass;            // [kg]; followed by the two below, which are read with it
  hfVec3 com_B;           // centre of mass of the link, from the body's origin [m]
  double inertia_B[6];    // inertia of the link about its centre of mass: xx yy zz xy xz yz [kg m^2]
} hfiLink;

// What is computed and still valid, as bits of hfDynamics.fresh. One rule: only the functions of this folder set and
// clear them. Whoever changes what a result depends on clears its bit; whoever needs a result calls the function that
// computes it, or hfi_dynamics_need.
typedef enum hfiDynamicsFresh {
  HFI_FRESH_MASS = 1,         // M is that of S and I
  HFI_FRESH_FACTORS = 2,      // L and Dinv are those of M, but for trees that mass.postponed marks
  HFI_FRESH_VELOCITY = 4,     // V and A of all links are those of v and S
  HFI_FRESH_AXES = 8,         // no free body has S turned far beyond its pose (flight.h)
  // These stay until hf_dynamics_refresh:
  HFI_FRESH_ROTATIONS = 16,   // rotations of bodies that only slides move, and axes and S of the nslide slides of links
  // M of steady trees, and the rows of the nslide slides of a link if no tendon has armature
  HFI_FRESH_STEADY_MASS = 32,
  HFI_FRESH_STEADY_BIAS = 64  // c of steady trees
} hfiDynamicsFresh;

typedef struct hfiJointStep hfiJointStep;
typedef struct hfiMovingBody hfiMovingBody;
typedef struct hfiFixedFrame hfiFixedFrame;
typedef struct hfiSlidFrame hfiSlidFrame;
typedef struct hfiMassRow hfiMassRow;
typedef struct hfiArmature hfiArmature;
typedef struct hfiArticulated hfiArticulated;

// What forward kinematics knows and keeps (fk.c): constants of joints and frames, and what lies between the joints of
// a body.
typedef struct hfiKinematics {
  int32_t nmoving, nslid, nhinge, nmovinggeom, nmovingsite;
  hfiJointStep* step;            // (njnt)
  hfiMovingBody* moving;         // (nmoving) parents first
  // (nhinge) coordinates of hinges and screws, followed by repetitions of the last one up to a multiple of four
  int32_t* hinge_qposadr;
  double* hinge_ref;             // (nhinge) their references [rad]
  hfiFixedFrame* geom;           // (ngeom)
  hfiFixedFrame* site;           // (nsite)
  hfiPathConstants path;         // constants of spatial tendons
  int32_t* movinggeom;           // (nmovinggeom) the geoms on moving bodies that may touch another, ascending
  int32_t* movingsite;           // (nmovingsite) the sites on moving bodies at which actuators or equalities act
  // (nhinge) sine and cosine of half the angle by which a hinge or screw is away from its reference
  double *half_sin, *half_cos;
  hfiSlidFrame* slid;            // (nslid) frames of bodies that slides move before other joints turn them
  hfVec3* p_WA;                  // (njnt) anchors [m]
  hfVec3* axis_W;                // (njnt) directions of hinges, slides and screws
  int32_t* only_slides;          // (nbody) 1: only slides move the body, so that its rotation never changes
} hfiKinematics;

// What M is made of, its factors and its inverse (crba.c, ltdl.c, inverse_mass.c, tendon.c).
typedef struct hfiMassMatrix {
  hfiInertia *I, *Ic;      // (nlink) in the world, about O
  hfiMassRow* row;         // (nv) at first the nvarying rows that depend on poses, then those that stay, nrow together
  int32_t nvarying, nrow;
  int32_t narmature, nfixed_armature;
  // (narmature) first the nfixed_armature entries of fixed tendons, then those of spatial tendons, whose values
  // hf_dynamics_set_position computes
  hfiArmature* armature;
  // (ntree) 6 or 3 if the first 6 or 3 dofs of the tree are ancestors of all its others; else 0
  int32_t* trunk;
  // (ntree) 1: the tree has only slides, and no tendon has armature, so that S, M and the bias never change
  int32_t* steady;
  int32_t* postponed;      // (ntree) 1: M of the tree is factored when its factors are needed
  double* L;               // (nM) unit lower-triangular, D on the diagonal; placed as M
  double* Dinv;            // (nv) 1/D
  double* inverse;         // (nv) (M^-1)_ii if somebody asked for it since hf_dynamics_factor, else -1
  // (nv) upper bound of (M^-1)_ii at any configuration; infinite if none is known (inverse_mass.c)
  double* largest_inverse;
} hfiMassMatrix;

// Scratch of the recursions.
typedef struct hfiDynamicsScratch {
  hfForce* F;              // (nlink)
  hfiArticulated* Ia;      // (nlink)
  hfForce* U;              // (nv) Ia S, or Ic S
  double* u;               // (nv)
  double* gradient;        // (nv) gradient of a spatial tendon's length
  int32_t* tendon_dof;     // (nv)
  double* work;            // (nq + 3 nv) for derivatives and for (M^-1)_ii
} hfiDynamicsScratch;

struct hfDynamics {
  const hfModel* model;
  const double* rest;        // (nq + 2 ntendon) rests of springs, as in hfState; NULL: those of the model
  uint32_t fresh;            // hfiDynamicsFresh

  // constants
  hfVec3 gravity;            // zero if the model disables it [m/s^2]
  int32_t nlink;
  hfiLink* link;             // (nlink) parents first
  int32_t* body_link;        // (nbody)

  // hf_dynamics_set_position
  hfQuat* q_WB;              // (nbody)
  hfPose* X_WB;              // (nbody)
  // (ngeom) poses of fixed geoms and of kinematics.movinggeom; hf_dynamics_geom_pose gives all
  hfPose* X_WG;
  // (nsite) poses of fixed sites and of kinematics.movingsite; hf_dynamics_site_pose gives all
  hfPose* X_WS;
  hfVec3* p_WO;              // (ntree) reference points [m]
  hfMotion* S;               // (nv)

  // hf_dynamics_set_velocity
  double* v;                 // (nv)
  hfMotion *V, *A;           // (nlink)

  // hf_dynamics_update_mass_matrix: computed once at a position
  double* M;                 // (nM) see dof_Madr

  // hf_dynamics_update_bias, _inverse, _forward
  double* c;                 // (nv) bias
  hfMotion* B;               // (nlink) acceleration due to vdot

  hfiKinematics kinematics;
  hfiMassMatrix mass;
  hfiDynamicsScratch scratch;
};

// Computes what is missing of MASS and FACTORS, at the present position.
void hfi_dynamics_need(hfDynamics* d, uint32_t what);
static inline int hfi_dynamics_is_fresh(const hfDynamics* d, uint32_t what) { return (d->fresh & what) == what; }

// Takes all arrays from the arena. With an arena without memory it only plans their size. Otherwise it also computes
// the constants and puts the world at qpos0, at rest.
void hfi_dynamics_init(hfDynamics* d, const hfModel* model, hfiArena* arena);

// The two parts of hf_dynamics_set_position: the poses of bodies, and everything that depends on them.
void hfi_dynamics_pose(hfDynamics* d, const double* q, const hfInput* input);
void hfi_dynamics_complete(hfDynamics* d);
// From now on X_WG holds the poses of only these n moving geoms, ascending, and of the fixed ones.
void hfi_dynamics_restrict_geoms(hfDynamics* d, const int32_t* geom, int n);

// The link that a body belongs to.
static inline const hfiLink* hfi_link_of(const hfDynamics* d, int body) { return &d->link[d->body_link[body]]; }

// Whether a body is free and alone in its tree, so that forces turn it about the centre of mass of its link.
static inline int hfi_is_free_alone(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  if (hf_model_tree_dofnum(m)[hf_model_body_tree(m)[body]] != 6) return 0;
  return hf_model_jnt_type(m)[hfi_link_of(d, body)->joint] == HF_JOINT_FREE;
}

// The reference point of the spatial quantities of a link; the origin of the world for link 0 [m].
static inline hfVec3 hfi_link_reference(const hfDynamics* d, int link) {
  int tree = d->link[link].tree;
  return tree < 0 ? v3_zero() : d->p_WO[tree];
}
// The reference point of the spatial quantities of a body.
static inline hfVec3 hfi_body_reference(const hfDynamics* d, int body) {
  return hfi_link_reference(d, d->body_link[body]);
}
// Returns the angular velocity of a body and the velocity of its point at p_W.
static inline hfMotion hfi_point_velocity(const hfDynamics* d, int body, hfVec3 p_W) {
  int link = d->body_link[body];
  hfMotion V = d->V[link];
  V.v = v3_add(V.v, v3_cross(V.w, v3_sub(p_W, hfi_link_reference(d, link))));
  return V;
}
// Centre of mass of a body alone, in the world [m].
static inline hfVec3 hfi_body_com(const hfDynamics* d, int body) {
  return pose_point(d->X_WB[body], v3_load(hf_model_body_com(d->model) + 3 * body));
}

// q <- q (+) h v, and the rates v with q1 = q0 (+) h v, for the coordinates of one joint.
void hfi_joint_integrate(int type, double* q, const double* v, double h);
void hfi_joint_difference(int type, const double* q0, const double* q1, double h, double* v);

// ---- springs ----------------------------------------------------------------------------------------

// Makes springs use the rest positions of the state from now on. The state must outlive their use.
static inline void hfi_dynamics_rest_as(hfDynamics* d, const hfState* state) {
  d->rest = state->nrest ? hf_state_rest(state) : NULL;
}
// Rest positions (nq) of the springs of joints, and rest interval (2) of the spring of a tendon.
static inline const double* hfi_rest_positions(const hfDynamics* d) {
  return d->rest ? d->rest : hf_model_qpos_spring(d->model);
}
static inline const double* hfi_rest_lengths(const hfDynamics* d, int tendon) {
  return (d->rest ? d->rest + d->model->nq : hf_model_tendon_springlength(d->model)) + 2 * tendon;
}
// Length of a tendon at q [m]. The bodies must have been placed at q by hf_dynamics_set_position.
double hfi_tendon_length(const hfDynamics* d, int tendon, const double* q);
// Moves the rest positions of springs that yield at q (yield.c). The poses must be those of q.
void hfi_yield_springs(const hfDynamics* d, const double* q, double* rest);

// Adds to gradient (nv) how much the length l of a spatial tendon grows per unit of each dof, so that dl/dt = gradient
// . v. Returns l [m].
double hfi_tendon_gradient(const hfDynamics* d, int tendon, double* gradient);
// The time derivative of the gradient, times v. The points where the tendon touches geoms are taken as fixed to these
// geoms.
double hfi_tendon_gradient_rate(const hfDynamics* d, int tendon);
// Replaces hf_dynamics_factor: M of a tree is factored only when its factors are first needed. Many steps need no
// factors at all.
void hfi_postpone_factors(hfDynamics* d);
// Solves M x = b for the dofs of one tree, in place in x (nv).
void hfi_solve_tree(const hfDynamics* d, int tree, double* x);
// M_ii
static inline double hfi_diagonal_mass(const hfDynamics* d, int dof) {
  return d->M[hf_model_dof_Madr(d->model)[dof] + hf_model_dof_depth(d->model)[dof]];
}

// Returns the inverse mass w = J M^-1 J^T of a row over several dofs, or (M^-1)_ii of one dof [1/kg or 1/(kg m^2)]. x
// (nv) is scratch, zero before and after; d->scratch.work is scratch, too. Both functions need hf_dynamics_factor or
// hfi_postpone_factors before. The dynamics keeps the inverse mass of a dof, because drive, limit and friction of a
// joint all need it.
double hfi_coupled_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J);
double hfi_dof_inverse_mass(const hfDynamics* d, int dof);
// The inverse mass of a row with any number of columns.
static inline double hfi_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J) {
  if (ncol == 1) return J[0] * J[0] * hfi_dof_inverse_mass(d, cols[0]);
  return hfi_coupled_inverse_mass(d, x, ncol, cols, J);
}
// An upper bound of the inverse mass of a row over n dofs, at any configuration; infinite or NAN if none is known. For
// positive definite B = M^-1,
//   J B J^T <= (sum_k |J_k| sqrt(B_kk))^2 <= n sum_k J_k^2 B_kk
static inline double hfi_largest_inverse_mass(const hfDynamics* d, int n, const int32_t* dof, const double* J) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += J[k] * J[k] * d->mass.largest_inverse[dof[k]];
  return n * sum;
}

// ---- forces and accelerations ---------------------------------------------------------------------

// B of all links for vdot; also done by hf_dynamics_inverse and _forward.
void hfi_accelerate(hfDynamics* d, const double* vdot);
// For sensors, after hfi_accelerate: the acceleration of a body and of its point p_W, less gravity, in world axes. An
// accelerometer there measures it.
hfMotion hfi_proper_acceleration(const hfDynamics* d, int body, hfVec3 p_W);
// Force and torque about p_W that accelerate the body and all bodies that it carries, gravity included: the sum of
// what its parent and everything outside exert.
hfForce hfi_subtree_force(const hfDynamics* d, int body, hfVec3 p_W);

// ---- Jacobians in sparse form ---------------------------------------------------------------------

// Finds the dofs that move a body, ascending, as a view into the model; dofs may be NULL. Returns their number.
static inline int hfi_body_dofs(const hfModel* m, int body, const int32_t** dofs) {
  int last = hf_model_body_lastdof(m)[body];
  if (last < 0) return 0;
  if (dofs) *dofs = hf_model_M_col(m) + hf_model_dof_Madr(m)[last];
  return hf_model_dof_depth(m)[last] + 1;
}
static inline int hfi_jacobian_dofs(const hfDynamics* d, int body, const int32_t** dofs) {
  return hfi_body_dofs(d->model, body, dofs);
}
// Velocity of the body, and of its point at p_W, for unit rate of each of these dofs.
void hfi_jacobian_columns(const hfDynamics* d, int body, hfVec3 p_W, hfMotion* columns);
// tau += J^T F for a force F on the body at p_W.
void hfi_jacobian_transpose_add(const hfDynamics* d, int body, hfVec3 p_W, hfForce F, double* tau);

#endif
