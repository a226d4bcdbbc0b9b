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

// Constants of one joint step of forward kinematics, from frame E to the body frame B behind the joint. For a body's first joint E is the parent
// body's frame; for the others it is B behind the joint before.
typedef struct hfiJointStep {
  int32_t type;       // hfJointType
  int32_t qposadr;
  int32_t dofadr;
  int32_t off_centre; // 1: the anchor is not at B's origin
  int32_t hinge;      // number of a hinge or screw among these, in half_sin and half_cos
  int32_t along;      // number of the axis of B along which the joint's direction points; -1: it has another direction
  int32_t is_behind;  // 1: another joint of the body is before it, so that q_EB is the identity and p_EB is zero
  const hfiJointKind* kind;
  double ref;         // reference coordinate of a joint that has one coordinate [rad or m]
  double pitch;       // pitch of a screw [m/rad]
  hfQuat q_EB;        // rotation at the reference coordinate
  hfQuat q_EB_axis;   // q_EB (0, axis_B)
  hfVec3 p_EB;        // B's origin at the reference coordinate [m]
  hfVec3 p_EA;        // the anchor at the reference coordinate [m]
  hfVec3 p_BA;        // the anchor in B [m]
  hfVec3 axis_B;      // direction of the joint in B
  hfVec3 axis_E;      // direction of the joint in E at the reference coordinate
} hfiJointStep;

typedef enum hfiBodyMotion {
  HFI_BODY_WELDED,
  HFI_BODY_HINGED,  // by one hinge and no other joint
  HFI_BODY_JOINTED, // by other joints
  HFI_BODY_MOCAP
} hfiBodyMotion;

// A body whose pose can change.
typedef struct hfiMovingBody {
  int32_t body, parent;
  int32_t motion;         // hfiBodyMotion
  int32_t joint, njoint;  // its steps
  int32_t nslide;         // number of slides with which its joints begin, if nothing turns its parent, so that their axes never change; else 0
  int32_t slid;           // number of its frame behind these slides, in hfDynamics; -1: it has none, or it is the frame of the body
  int32_t only_slides;    // as in hfDynamics
  hfQuat q_PB;            // welded and mocap bodies
  hfPose X_PB;
} hfiMovingBody;

// The pose of a frame in the world, and its rotation as a quaternion.
typedef struct hfiSlidFrame { hfQuat q; hfPose X; } hfiSlidFrame;

// A frame fixed in a body: of a geom or site.
typedef enum hfiOffset { HFI_OFFSET_POSE, HFI_OFFSET_TRANSLATION, HFI_OFFSET_NONE } hfiOffset;
typedef struct hfiFixedFrame {
  int32_t body;
  int32_t offset; // hfiOffset: which part of X_BF is not the identity
  int32_t only_slides; // only_slides of its body, as in hfDynamics
  hfPose X_BF;
} hfiFixedFrame;

typedef struct hfiLink {
  int32_t body;           // the body with the joints
  int32_t parent;         // link
  int32_t tree;
  int32_t joint, njoint;
  int32_t dof, ndof;
  int32_t nslide;         // as in hfiMovingBody
  int32_t has_free_root;  // 1: its tree begins with a free joint, whose origin is O
  int32_t only_slides;    // only_slides of its body, as in hfDynamics
  double mass;            // [kg]; followed by the two below, which are read with it
  hfVec3 com_B;           // centre of mass of the link, from the body's origin [m]
  double inertia_B[6];    // inertia of the link about its centre of mass: xx yy zz xy xz yz [kg m^2]
} hfiLink;

// What tendon armature adds to one entry of M, at (row, col) with col <= row.
typedef struct hfiArmature { int32_t entry, row, col, tendon; double value; } hfiArmature;

// A row of M, of a dof that is not one of a free root (crba.c).
typedef struct hfiMassRow {
  int32_t dof, link;
  int32_t adr, n;        // its first entry in M, and how many there are
  int32_t has_free_root; // as in hfiLink
} hfiMassRow;

// Articulated inertia, symmetric: n = J w + H v, f = H^T w + N v.
typedef struct hfiArticulated { double J[6], H[9], N[6]; } hfiArticulated;

struct hfDynamics {
  const hfModel* model;
  int32_t nlink, nmoving, nslid, nhinge, nmovinggeom, nmovingsite, narmature, nfixed_armature;

  const double* rest;      // (nq + 2 ntendon) rests of springs, as in hfState; NULL: those of the model

  // constants
  hfVec3 gravity;          // zero if the model disables it [m/s^2]
  hfiJointStep* step;      // (njnt)
  hfiMovingBody* moving;   // (nmoving) parents first
  int32_t* hinge_qposadr;  // (nhinge) coordinates of hinges and screws, followed by repetitions of the last one up to a multiple of four
  double* hinge_ref;       // (nhinge) their references [rad]
  hfiFixedFrame* geom;     // (ngeom)
  hfiFixedFrame* site;     // (nsite)
  hfiPathConstants path;   // constants of spatial tendons
  int32_t* movinggeom;     // (nmovinggeom) the geoms on moving bodies that may touch another, ascending
  int32_t* movingsite;     // (nmovingsite) the sites on moving bodies at which actuators or equalities act
  hfiLink* link;           // (nlink) parents first
  int32_t* body_link;      // (nbody)
  int32_t* only_slides;    // (nbody) 1: only slides move the body, so that its rotation never changes
  double* most_inverse_mass; // (nv) upper bound of (M^-1)_ii at any configuration; infinite if none is known (inverse_mass.c)
  hfiMassRow* mass_row;    // (nv) at first the nvarying rows that depend on poses, then those that stay, nmass_row together
  int32_t nvarying, nmass_row;
  int32_t* trunk;          // (ntree) 6 or 3 if the first 6 or 3 dofs of the tree are ancestors of all its others; else 0
  int32_t* steady;         // (ntree) 1: the tree has only slides, and no tendon has armature, so that S, M and the bias never change
  hfiArmature* armature;   // (narmature) first the nfixed_armature entries of fixed tendons, then those of spatial tendons, whose values
                           // hf_dynamics_set_position computes

  // hf_dynamics_set_position
  double *half_sin, *half_cos; // (nhinge) sine and cosine of half the angle by which a hinge or screw is away from its reference
  hfQuat* q_WB;            // (nbody)
  hfPose* X_WB;            // (nbody)
  hfiSlidFrame* slid;      // (nslid) frames of bodies that slides move before other joints turn them
  hfPose* X_WG;            // (ngeom) poses of fixed geoms and of those in movinggeom; hf_dynamics_geom_pose gives all
  hfPose* X_WS;            // (nsite) poses of fixed sites and of those in movingsite; hf_dynamics_site_pose gives all
  hfVec3* axis_W;          // (njnt) hinge, slide, screw
  hfVec3* p_WA;            // (njnt) anchors [m]
  hfVec3* p_WO;            // (ntree) reference points [m]
  hfMotion* S;             // (nv)
  int32_t any_whirls;      // 1: hfi_flight_begin has turned S of a free body far beyond its pose
  hfiInertia* I;           // (nlink)

  // hf_dynamics_set_velocity
  double* v;               // (nv)
  hfMotion* V;             // (nlink)
  hfMotion* A;             // (nlink)

  // hf_dynamics_update_mass_matrix, _factor: computed once at a position
  // Those of steady trees stay until hf_dynamics_refresh: has_steady_M says that M has them, has_steady_bias that c has. The rows of M of the nslide slides
  // of a link stay, too, if no tendon has armature: they depend on masses alone.
  int32_t has_rotations;   // 1: rotations of bodies that only slides move, and axes and S of the nslide slides of links, are computed; they stay, too
  int32_t has_steady_M, has_steady_bias;
  int32_t has_M, has_factors; // 1: M, or its factors except for postponed trees, are those of S and I
  int32_t has_velocity;    // 1: V and A of all links are those of v and S
  hfiInertia* Ic;          // (nlink)
  double* M;               // (nM) see dof_Madr
  double* L;               // (nM) unit lower-triangular, D on the diagonal
  double* Dinv;            // (nv)
  double* inverse_mass;    // (nv) (M^-1)_ii if somebody asked for it since hf_dynamics_factor, else -1
  int32_t* postponed;      // (ntree) 1: M of the tree is factored when its factors are needed

  // hf_dynamics_update_bias, _inverse, _forward
  double* c;               // (nv) bias
  hfForce* F;              // (nlink)
  hfMotion* B;             // (nlink) acceleration due to vdot
  hfiArticulated* Ia;      // (nlink)
  hfForce* U;              // (nv) Ia S, or Ic S
  double* u;               // (nv)
  double* gradient;        // (nv) scratch: gradient of a spatial tendon's length
  int32_t* tendon_dof;     // (nv) scratch
  double* work;            // (nq + 3 nv) scratch for derivatives and for (M^-1)_ii
};

// Takes all arrays from the arena. With an arena without memory it only plans their size. Otherwise it also computes the constants and puts the world
// at qpos0, at rest.
void hfi_dynamics_init(hfDynamics* d, const hfModel* model, hfiArena* arena);

// The two parts of hf_dynamics_set_position: the poses of bodies, and everything that depends on them.
void hfi_dynamics_pose(hfDynamics* d, const double* q, const hfInput* input);
void hfi_dynamics_complete(hfDynamics* d);
// From now on X_WG holds the poses of only these n moving geoms, ascending, and of the fixed ones.
void hfi_dynamics_restrict_geoms(hfDynamics* d, const int32_t* geom, int n);

// Whether the link is a free body at the root of its tree.
static inline int hfi_is_free_root(const hfiLink* link) { return !link->parent && link->has_free_root; }

// The link that a body belongs to.
static inline const hfiLink* hfi_link_of(const hfDynamics* d, int body) { return &d->link[d->body_link[body]]; }

// Whether a body is free and alone in its tree, so that forces turn it about the centre of mass of its link.
static inline int hfi_is_free_alone(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  return hf_model_tree_dofnum(m)[hf_model_body_tree(m)[body]] == 6 && hf_model_jnt_type(m)[hfi_link_of(d, body)->joint] == HF_JOINT_FREE;
}

static inline hfVec3 hfi_link_reference(const hfDynamics* d, int link) {
  int tree = d->link[link].tree;
  return tree < 0 ? v3_zero() : d->p_WO[tree];
}
// The reference point of the spatial quantities of a body.
static inline hfVec3 hfi_body_reference(const hfDynamics* d, int body) {
  return hfi_link_reference(d, d->body_link[body]);
}
// Velocity of a body, and of its point at p_W.
static inline hfMotion hfi_point_velocity(const hfDynamics* d, int body, hfVec3 p_W) {
  int link = d->body_link[body];
  hfMotion V = d->V[link];
  V.v = v3_add(V.v, v3_cross(V.w, v3_sub(p_W, hfi_link_reference(d, link))));
  return V;
}
static inline hfVec3 hfi_body_com(const hfDynamics* d, int body) {
  return pose_point(d->X_WB[body], v3_load(hf_model_body_com(d->model) + 3 * body));
}

// Inertia about O in world axes: Ibar = R I_B R^T + m (c^T c 1 - c c^T), h = m c, c from O to the centre of mass; I_B about the centre and Ibar as xx
// yy zz xy xz yz. The macro works on numbers and on lanes of numbers.
#define HFI_ROTATE_INERTIA(number, R, I_B, h, c, Ibar)                                                       \
  do {                                                                                                       \
    number RI[9], xx = (h).x * (c).x, yy = (h).y * (c).y, zz = (h).z * (c).z;                                \
    for (int i = 0; i < 9; i += 3) {                                                                         \
      RI[i] = (R)[i] * (I_B)[0] + (R)[i + 1] * (I_B)[3] + (R)[i + 2] * (I_B)[4];                             \
      RI[i + 1] = (R)[i] * (I_B)[3] + (R)[i + 1] * (I_B)[1] + (R)[i + 2] * (I_B)[5];                         \
      RI[i + 2] = (R)[i] * (I_B)[4] + (R)[i + 1] * (I_B)[5] + (R)[i + 2] * (I_B)[2];                         \
    }                                                                                                        \
    (Ibar)[0] = RI[0] * (R)[0] + RI[1] * (R)[1] + RI[2] * (R)[2] + (yy + zz);                                \
    (Ibar)[1] = RI[3] * (R)[3] + RI[4] * (R)[4] + RI[5] * (R)[5] + (xx + zz);                                \
    (Ibar)[2] = RI[6] * (R)[6] + RI[7] * (R)[7] + RI[8] * (R)[8] + (xx + yy);                                \
    (Ibar)[3] = RI[0] * (R)[3] + RI[1] * (R)[4] + RI[2] * (R)[5] - (h).x * (c).y;                            \
    (Ibar)[4] = RI[0] * (R)[6] + RI[1] * (R)[7] + RI[2] * (R)[8] - (h).x * (c).z;                            \
    (Ibar)[5] = RI[3] * (R)[6] + RI[4] * (R)[7] + RI[5] * (R)[8] - (h).y * (c).z;                            \
  } while (0)
static inline void hfi_place_inertia(hfiInertia* restrict I, double mass, hfVec3 com_B, const double* inertia_B, const hfPose* X_WB, hfVec3 O) {
  hfVec3 c = v3_sub(pose_point(*X_WB, com_B), O), h = v3_scale(mass, c);
  I->m = mass;
  I->h = h;
  HFI_ROTATE_INERTIA(double, X_WB->R.m, inertia_B, h, c, I->I);
}

// q <- q (+) h v, and the rates v with q1 = q0 (+) h v, for the coordinates of one joint.
void hfi_joint_integrate(int type, double* q, const double* v, double h);
void hfi_joint_difference(int type, const double* q0, const double* q1, double h, double* v);

// ---- springs ----------------------------------------------------------------------------------------

// Makes springs use the rest positions of the state from now on. The state must outlive their use.
void hfi_dynamics_rest_as(hfDynamics* d, const hfState* state);
static inline const double* hfi_rest_positions(const hfDynamics* d) { return d->rest ? d->rest : hf_model_qpos_spring(d->model); }
static inline const double* hfi_rest_lengths(const hfDynamics* d, int tendon) {
  return (d->rest ? d->rest + d->model->nq : hf_model_tendon_springlength(d->model)) + 2 * tendon;
}
// Length of a tendon at q [m]. The bodies must have been placed at q by hf_dynamics_set_position.
double hfi_tendon_length(const hfDynamics* d, int tendon, const double* q);
// Moves the rest positions of springs that yield at q (yield.c). The poses must be those of q.
void hfi_yield_springs(const hfDynamics* d, const double* q, double* rest);

// Adds to gradient (nv) how much the length l of a spatial tendon grows per unit of each dof, so that dl/dt = gradient . v. Returns l [m].
double hfi_tendon_gradient(const hfDynamics* d, int tendon, double* gradient);
// The time derivative of the gradient, times v. The points where the tendon touches geoms are taken as fixed to these geoms.
double hfi_tendon_gradient_rate(const hfDynamics* d, int tendon);
// Lists the entries of M to which the armature of tendons adds. Those of fixed tendons get their values (tendon_armature.c).
void hfi_list_tendon_armature(hfDynamics* d);
// Computes the armature of spatial tendons at the present configuration.
void hfi_update_tendon_armature(hfDynamics* d);
// Adds to tau what the armature of spatial tendons adds to the bias.
void hfi_add_tendon_bias(hfDynamics* d, double* tau);

// Replaces hf_dynamics_factor: M of a tree is factored only when its factors are first needed. Many steps need no factors at all.
void hfi_postpone_factors(hfDynamics* d);
void hfi_factor_tree(const hfDynamics* d, int tree);
// Computes d->trunk of a tree.
int hfi_find_trunk(const hfModel* model, int tree);
// Factors M of a tree if that was postponed. Code that uses L, Dinv or inverse_mass of its dofs must call this first.
static inline void hfi_need_factors(const hfDynamics* d, int tree) {
  if (d->postponed[tree]) hfi_factor_tree(d, tree);
}
// Solves M x = b for the dofs of one tree, in place in x (nv).
void hfi_solve_tree(const hfDynamics* d, int tree, double* x);
// y = M x of the dofs of one tree.
void hfi_multiply_tree(const hfDynamics* d, int tree, const double* x, double* y);
// Computes most_inverse_mass from the masses of the links.
void hfi_bound_inverse_masses(hfDynamics* d);
// M_ii
static inline double hfi_diagonal_mass(const hfDynamics* d, int dof) {
  return d->M[hf_model_dof_Madr(d->model)[dof] + hf_model_dof_depth(d->model)[dof]];
}

// Inverse mass w = J M^-1 J^T of a row over several dofs, and (M^-1)_ii of one dof [1/kg or 1/(kg m^2)]. x (nv) is scratch, zero before and after;
// d->work is scratch, too. Both functions need hf_dynamics_factor or hfi_postpone_factors before. The dynamics keeps the inverse mass of a dof,
// because drive, limit and friction of a joint all need it.
double hfi_coupled_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J);
double hfi_dof_inverse_mass(const hfDynamics* d, int dof);
// The inverse mass of a row with any number of columns.
static inline double hfi_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J) {
  if (ncol == 1) return J[0] * J[0] * hfi_dof_inverse_mass(d, cols[0]);
  return hfi_coupled_inverse_mass(d, x, ncol, cols, J);
}
// An upper bound of the inverse mass of a row over n dofs, at any configuration; infinite or NAN if none is known. For positive definite B = M^-1,
//   J B J^T <= (sum_k |J_k| sqrt(B_kk))^2 <= n sum_k J_k^2 B_kk
static inline double hfi_most_inverse_mass(const hfDynamics* d, int n, const int32_t* dof, const double* J) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += J[k] * J[k] * d->most_inverse_mass[dof[k]];
  return n * sum;
}

// Whether a body has gravity compensation.
int hfi_gravity_compensated(const hfDynamics* d);

// ---- forces and accelerations ---------------------------------------------------------------------

// F = I A + V x* (I V)
static inline hfForce hfi_inertial_force(const hfiInertia* I, hfMotion V, hfMotion A) {
  return fo_add(inertia_mul(I, A), mo_cross_force(V, inertia_mul(I, V)));
}
// B of all links for vdot; also done by hf_dynamics_inverse and _forward.
void hfi_accelerate(hfDynamics* d, const double* vdot);
// Forces of all links at the acceleration A + B (B may be NULL). The wrenches (nbody, or NULL), which act at the centres of mass of the bodies, are
// subtracted.
void hfi_link_forces(hfDynamics* d, const hfMotion* B, const hfForce* wrench);
// tau_i = S_i . (sum of F over the links that dof i moves); sums F inward on the way.
void hfi_joint_forces(hfDynamics* d, double* tau);

// Computes the velocities at d->v, and the bias without tendons, of the tree whose links are `first` to end - 1.
void hfi_tree_velocity(hfDynamics* d, int first, int end);
void hfi_tree_bias(hfDynamics* d, int first, int end);
// The bias c (nv) at rest. Leaves the velocities of the links as they are.
void hfi_gravity_bias(hfDynamics* d, double* c);

// For sensors, after hfi_accelerate: the acceleration of a body and of its point p_W, less gravity, in world axes. An accelerometer there measures
// it.
hfMotion hfi_proper_acceleration(const hfDynamics* d, int body, hfVec3 p_W);
// Force and torque about p_W that accelerate the body and all bodies that it carries, gravity included: the sum of what its parent and everything
// outside exert.
hfForce hfi_subtree_force(const hfDynamics* d, int body, hfVec3 p_W);

// ---- Jacobians in sparse form ---------------------------------------------------------------------

// Finds the dofs that move a body, ascending, as a view into the model; dofs may be NULL. Returns their number.
static inline int hfi_body_dofs(const hfModel* m, int body, const int32_t** dofs) {
  int last = hf_model_body_lastdof(m)[body];
  if (last < 0) return 0;
  if (dofs) *dofs = hf_model_M_col(m) + hf_model_dof_Madr(m)[last];
  return hf_model_dof_depth(m)[last] + 1;
}
static inline int hfi_jacobian_dofs(const hfDynamics* d, int body, const int32_t** dofs) { return hfi_body_dofs(d->model, body, dofs); }
// Velocity of the body, and of its point at p_W, for unit rate of each of these dofs.
void hfi_jacobian_columns(const hfDynamics* d, int body, hfVec3 p_W, hfMotion* columns);
// tau += J^T F for a force F on the body at p_W.
void hfi_jacobian_transpose_add(const hfDynamics* d, int body, hfVec3 p_W, hfForce F, double* tau);

#endif
