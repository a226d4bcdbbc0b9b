// What only the files of step/dynamics may see.
#ifndef HFI_DYNAMICS_INSIDE_H
#define HFI_DYNAMICS_INSIDE_H

#include "base/lanes.h"
#include "step/dynamics/dynamics.h"
#include "step/dynamics/flight.h"

// ---- forward kinematics (fk.c, fk_constants.c) ------------------------------------------------------------

// Constants of one joint step of forward kinematics, from frame E to the body frame B behind the joint. For a body's
// first joint E is the parent body's frame; for the others it is B behind the joint before.
struct hfiJointStep {
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
};

// How a body moves relative to its parent.
typedef enum hfiBodyMotion {
  HFI_BODY_WELDED,
  HFI_BODY_HINGED,  // by one hinge and no other joint
  HFI_BODY_JOINTED, // by other joints
  HFI_BODY_MOCAP
} hfiBodyMotion;

// A body whose pose can change.
struct hfiMovingBody {
  int32_t body, parent;
  hfiBodyMotion motion;
  int32_t joint, njoint;  // its steps
  // number of slides with which its joints begin, if nothing turns its parent, so that their axes never change; else 0
  int32_t nslide;
  // number of its frame behind these slides, in hfiKinematics.slid; -1: it has none, or it is the frame of the body
  int32_t slid;
  int32_t only_slides;    // as in hfiKinematics
  hfQuat q_PB;            // welded and mocap bodies
  hfPose X_PB;
};

// The pose of a frame in the world, and its rotation as a quaternion.
struct hfiSlidFrame {
  hfQuat q;
  hfPose X;
};

// Which part of a pose is not the identity.
typedef enum hfiOffset { HFI_OFFSET_POSE, HFI_OFFSET_TRANSLATION, HFI_OFFSET_NONE } hfiOffset;

// A frame fixed in a body: of a geom or site.
struct hfiFixedFrame {
  int32_t body;
  hfiOffset offset;    // of X_BF
  int32_t only_slides; // only_slides of its body, as in hfiKinematics
  hfPose X_BF;
};

// Counts what moves and takes all arrays from the arena (fk_constants.c).
void hfi_kinematics_take(hfiKinematics* x, const hfModel* model, hfiArena* arena);
// Computes all constants of d->kinematics.
void hfi_kinematics_make(hfDynamics* d);
// Computes the poses of bodies fixed in the world, and of their geoms and sites.
void hfi_place_fixed_bodies(hfDynamics* d);
// Returns the number of slides with which the joints of a body begin, if nothing turns its parent; else 0.
int hfi_count_steady_slides(const hfDynamics* d, int body);

// ---- links (link.c) -----------------------------------------------------------------------------------

// Makes all links, without their masses.
void hfi_make_links(hfDynamics* d);
// Computes mass, centre of mass and inertia of a link from the present parameters.
void hfi_merge_link(hfDynamics* d, int link);

// Whether the link is a free body at the root of its tree.
static inline int hfi_is_free_root(const hfiLink* link) { return !link->parent && link->has_free_root; }

// Inertia about O in world axes: Ibar = R I_B R^T + m (c^T c 1 - c c^T), h = m c, c from O to the centre of mass; I_B
// about the centre and Ibar as xx yy zz xy xz yz. The macro works on numbers and on lanes of numbers.
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

// Writes the inertia about O of a body at X_WB. com_B, inertia_B: as in hfiLink.
static inline void hfi_place_inertia(hfiInertia* restrict I, double mass, hfVec3 com_B, const double* inertia_B,
                                     const hfPose* X_WB, hfVec3 O) {
  hfVec3 c = v3_sub(pose_point(*X_WB, com_B), O);
  hfVec3 h = v3_scale(mass, c);
  I->m = mass;
  I->h = h;
  HFI_ROTATE_INERTIA(double, X_WB->R.m, inertia_B, h, c, I->I);
}

// ---- M, its factors and armature (crba.c, ltdl.c, inverse_mass.c, tendon.c) ---------------------------

// What tendon armature adds to one entry of M, at (row, col) with col <= row.
struct hfiArmature {
  int32_t entry, row, col, tendon;
  double value;
};

// A row of M, of a dof that is not one of a free root (crba.c).
struct hfiMassRow {
  int32_t dof, link;
  int32_t adr, n;        // its first entry in M, and how many there are
  int32_t has_free_root; // as in hfiLink
};

// Articulated inertia, symmetric: n = J w + H v, f = H^T w + N v.
struct hfiArticulated { double J[6], H[9], N[6]; };

// Lists the entries of M to which the armature of tendons adds. Those of fixed tendons get their values (tendon.c).
void hfi_list_tendon_armature(hfDynamics* d);
// Computes the armature of spatial tendons at the present configuration.
void hfi_update_tendon_armature(hfDynamics* d);
// Adds to tau what the armature of spatial tendons adds to the bias.
void hfi_add_tendon_bias(hfDynamics* d, double* tau);

// Finds the steady trees, and marks that nothing of them is computed yet (crba.c).
void hfi_find_steady_trees(hfDynamics* d);
// Lists the rows of M: first those that depend on poses, then those that stay (crba.c).
void hfi_list_mass_rows(hfDynamics* d);

// Factors M of a tree.
void hfi_factor_tree(const hfDynamics* d, int tree);
// Computes d->mass.trunk of a tree.
int hfi_find_trunk(const hfModel* model, int tree);
// Factors M of a tree if that was postponed. Code that uses L, Dinv or inverse_mass of its dofs must call this first.
static inline void hfi_need_factors(const hfDynamics* d, int tree) {
  if (d->mass.postponed[tree]) hfi_factor_tree(d, tree);
}
// y = M x of the dofs of one tree.
void hfi_multiply_tree(const hfDynamics* d, int tree, const double* x, double* y);
// Computes d->mass.largest_inverse from the masses of the links.
void hfi_bound_inverse_masses(hfDynamics* d);

// ---- forces of links (rnea.c) -------------------------------------------------------------------------

// F = I A + V x* (I V)
static inline hfForce hfi_inertial_force(const hfiInertia* I, hfMotion V, hfMotion A) {
  return fo_add(inertia_mul(I, A), mo_cross_force(V, inertia_mul(I, V)));
}
// Forces of all links at the acceleration A + B (B may be NULL). The wrenches (nbody, or NULL), which act at the
// centres of mass of the bodies, are subtracted.
void hfi_link_forces(hfDynamics* d, const hfMotion* B, const hfForce* wrench);
// tau_i = S_i . (sum of F over the links that dof i moves); sums F inward on the way.
void hfi_joint_forces(hfDynamics* d, double* tau);

// Computes the velocities at d->v, and the bias without tendons, of the tree whose links are `first` to end - 1.
void hfi_tree_velocity(hfDynamics* d, int first, int end);
void hfi_tree_bias(hfDynamics* d, int first, int end);
// The bias c (nv) at rest. Leaves the velocities of the links as they are.
void hfi_gravity_bias(hfDynamics* d, double* c);

// ---- one tree -------------------------------------------------------------------------------------

// The dofs `begin` to end - 1.
typedef struct hfiRange { int begin, end; } hfiRange;

// Returns the dofs of tree t.
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

// Computes momentum and kinetic energy of tree t from d->V, d->v and the inertias of its links.
static inline hfiTreeMotion hfi_tree_motion(const hfiFlight* f, const hfDynamics* d, int t) {
  hfForce momentum = fo_zero();
  double twice_energy = 0;
  for (int l = f->first_link[t]; l < f->first_link[t + 1]; ++l) {
    hfForce P = inertia_mul(&d->mass.I[l], d->V[l]);
    momentum = fo_add(momentum, P);
    twice_energy += fo_dot(P, d->V[l]);
  }

  // armature of joints, then of tendons
  hfiRange r = hfi_tree_dofs(d->model, t);
  for (int i = r.begin; i < r.end; ++i) twice_energy += hf_model_dof_armature(d->model)[i] * sqr(d->v[i]);
  for (int k = 0; k < d->mass.narmature; ++k) {
    const hfiArmature* a = &d->mass.armature[k];
    if (a->row < r.begin || a->row >= r.end) continue;
    twice_energy += (a->row == a->col ? 1 : 2) * a->value * d->v[a->row] * d->v[a->col];
  }
  return (hfiTreeMotion){momentum, 0.5 * twice_energy};
}

// Mass, first moment and inertia of the whole tree about d->p_WO[t].
static inline hfiInertia hfi_tree_inertia(const hfiFlight* f, const hfDynamics* d, int t) {
  hfiInertia sum = d->mass.I[f->first_link[t]];
  for (int l = f->first_link[t] + 1; l < f->first_link[t + 1]; ++l) inertia_add(&sum, &d->mass.I[l]);
  return sum;
}

// Whether a tree keeps its momentum, and its energy relative to its centre of mass, in flight. Its root must be free
// and have no armature, because armature adds terms to M that are no inertia of a body. In a model with armature of
// tendons (d->mass.narmature) no tree counts: such armature may act on any of them.
static inline int hfi_tree_is_free(const hfiFlight* f, const hfDynamics* d, int t) {
  const hfiLink* root = &d->link[f->first_link[t]];
  if (root->njoint != 1 || d->kinematics.step[root->joint].type != HF_JOINT_FREE || d->mass.narmature) return 0;
  for (int i = root->dof; i < root->dof + 6; ++i)
    if (hf_model_dof_armature(d->model)[i] != 0) return 0;
  return 1;
}

// Adds to v the motion of the root alone in which the centre of mass has the velocity u and the tree turns with w.
// I: inertia of the tree about its reference point, which is the origin of the root.
static inline void hfi_tree_add_rigid(const hfDynamics* d, const hfiLink* root, const hfiInertia* I, hfVec3 u,
                                      hfVec3 w, double* v) {
  hfVec3 root_velocity = v3_sub(u, v3_cross(w, v3_scale(1 / I->m, I->h)));
  hfVec3 w_B = m3_tmulv(d->X_WB[root->body].R, w);
  v3_store(v + root->dof, v3_add(v3_load(v + root->dof), root_velocity));
  v3_store(v + root->dof + 3, v3_add(v3_load(v + root->dof + 3), w_B));
}

// ---- fast trees -----------------------------------------------------------------------------------

// Finds at v0 which trees are moderate or fast, and the inertial energy and momentum that each has. After
// hf_dynamics_update_mass_matrix and hf_dynamics_set_velocity at v0.
void hfi_fast_find(hfiFlight* f, const hfDynamics* d, double h, const int32_t* flies);
// For a tree that was to fly but does not: computes its inertial energy, at the velocities in d, without gravity.
void hfi_fast_ground(hfiFlight* f, const hfDynamics* d, int tree);
// Bounds the inertial forces in p of the fast trees that do not fly, and measures those of moderate ones.
void hfi_fast_begin(hfiFlight* f, hfDynamics* d, double h, const double* v0, const double* tau, const int32_t* flies,
                    double* p);
// Computes the energy and momentum that trees may have at the end, from the solution v of the step problem, before q
// moves.
void hfi_fast_solution(hfiFlight* f, hfDynamics* d, double h, const int32_t* flies, const double* v);
// Bounds the velocities v at q1. After hf_dynamics_set_position at q1.
void hfi_fast_end(hfiFlight* f, hfDynamics* d, const int32_t* flies, double* v);

#endif
