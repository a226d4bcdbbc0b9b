// Forward kinematics: poses, dof motions S and link inertias in the world.
//
// A body's joints act one after the other, each in the frame the one before leaves (frames as in
// MuJoCo). E is the frame before the joint, B behind it, A the joint's anchor, u the rate's axis:
//
//   hinge   q_WB = q_WE q_EB exp(u (q - ref)/2),  p_WA = p_WE + R_WE p_EA,  p_WB = p_WA - R_WB p_BA
//   screw   the same, and p_WA goes along the axis by the pitch times q - ref
//   ball    the same with the joint's quaternion
//   slide   q_WB = q_WE q_EB,  p_WB = p_WE + R_WE (p_EB + u (q - ref))
//   free    q_WB and p_WB are the coordinates
//
// A body that only slides move keeps its rotation, axes and S, which are computed once. If slides move a body before
// other joints turn it, the frame behind the slides keeps its rotation.
//
// Motion of a dof about the tree's reference point O:
//   rotation about u through A: S = (u, (p_WA - O) x u);  translation along u: S = (0, u)
//   screw: the sum, the latter times the pitch
// with u fixed in B for ball and free rotations, in the world for free translations.
#include "step/dynamics/inside.h"

#include "base/compile.h"
#include "math/sine_lanes.h"
#include "math/spatial_lanes.h"

#include <assert.h>

// A frame in the world, in the arrays of hfDynamics.
typedef struct Frame { hfQuat* q; hfPose* X; } Frame;

// Returns the frame of a body, in q_WB and X_WB.
static Frame body_frame(const hfDynamics* d, int body) {
  Frame frame = {&d->q_WB[body], &d->X_WB[body]};
  return frame;
}

// Returns the frame of a body behind its first joints, as far as these are slides. Without such slides it is the frame
// of the body.
static Frame slid_frame(const hfDynamics* d, const hfiMovingBody* body) {
  if (body->slid < 0) return body_frame(d, body->body);
  Frame frame = {&d->kinematics.slid[body->slid].q, &d->kinematics.slid[body->slid].X};
  return frame;
}

// Sets B's rotation to q_WE q_EB. A product of n unit quaternions has unit length up to n rounding errors.
static inline void set_rotation(Frame B, Frame E, hfQuat q_EB) {
  hfQuat q = q_mul(*E.q, q_EB);
  *B.q = q;
  B.X->R = m3_from_quat(q);
}

// Returns the body's origin p_WB, once it has turned about the anchor.
static hfVec3 origin_from_anchor(Frame B, const hfiJointStep* s, hfVec3 p_WA) {
  return s->off_centre ? v3_sub(p_WA, m3_mulv(B.X->R, s->p_BA)) : p_WA;
}

// In the steps below E and B may be one frame, so E is read before B is written.

// Return the joint's anchor and B's origin at the reference coordinate, in the world.
static inline hfVec3 anchor_at_reference(Frame E, const hfiJointStep* s) {
  return s->is_behind && !s->off_centre ? E.X->p : pose_point(*E.X, s->p_EA);
}
static inline hfVec3 origin_at_reference(Frame E, const hfiJointStep* s) {
  return s->is_behind ? E.X->p : pose_point(*E.X, s->p_EB);
}

// Returns the direction in the world of a joint of a body with the rotation R.
static inline hfVec3 joint_axis(const hfMat3* R, const hfiJointStep* s) {
  if (s->along < 0) return m3_mulv(*R, s->axis_B);
  const double* column = R->m + s->along;
  return v3(column[0], column[3], column[6]);
}

// Writes half_sin and half_cos of all hinges and screws at q (nq), several at a time.
HFI_NOINLINE static void compute_half_angles(hfDynamics* d, const double* q) {
  hfiKinematics* x = &d->kinematics;
  for (int k = 0; k < x->nhinge; k += HFI_LANES) {
    hfiLanes angle = hfi_gather_numbers(q, x->hinge_qposadr + k) - hfi_lanes_load(x->hinge_ref + k);
    hfiSines half = hfi_sines(0.5 * angle);
    hfi_lanes_store(x->half_sin + k, half.sin);
    hfi_lanes_store(x->half_cos + k, half.cos);
  }
}

// Turns B about the joint's axis; c, sn: cosine and sine of half the angle. Writes anchor and axis in the world.
HFI_FORCE_INLINE void move_hinge(Frame B, Frame E, const hfiJointStep* s, double c, double sn, hfVec3* p_WA,
                                 hfVec3* axis_W) {
  const hfQuat* a = &s->q_EB;
  const hfQuat* b = &s->q_EB_axis;
  hfQuat q_EB = {c * a->w + sn * b->w, c * a->x + sn * b->x, c * a->y + sn * b->y, c * a->z + sn * b->z};
  hfVec3 anchor = anchor_at_reference(E, s);
  set_rotation(B, E, q_EB);
  *p_WA = anchor;
  *axis_W = joint_axis(&B.X->R, s);
  B.X->p = origin_from_anchor(B, s, anchor);
}

// Turns B as a hinge does and moves it along the axis; q: the coordinate.
static void move_screw(Frame B, Frame E, const hfiJointStep* s, double q, double c, double sn, hfVec3* p_WA,
                       hfVec3* axis_W) {
  move_hinge(B, E, s, c, sn, p_WA, axis_W);
  hfVec3 travel = v3_scale(s->pitch * (q - s->ref), *axis_W);
  *p_WA = v3_add(*p_WA, travel);
  B.X->p = v3_add(B.X->p, travel);
}

// Moves B along the joint's axis; q: the coordinate.
static inline void move_slide(Frame B, Frame E, const hfiJointStep* s, double q, hfVec3* p_WA, hfVec3* axis_W) {
  hfVec3 axis = m3_mulv(E.X->R, s->axis_E);
  hfVec3 p = v3_axpy(q - s->ref, axis, origin_at_reference(E, s));
  if (!s->is_behind) set_rotation(B, E, s->q_EB);
  B.X->p = p;
  *axis_W = axis;
  *p_WA = s->off_centre ? v3_add(p, m3_mulv(B.X->R, s->p_BA)) : p;
}

// Moves B along a slide, if nothing turns before the slide and if B's rotation and the joint's axis are known already.
static inline void move_along(Frame B, Frame E, const hfiJointStep* s, double q, hfVec3 axis_W, hfVec3* p_WA) {
  hfVec3 p = v3_axpy(q - s->ref, axis_W, origin_at_reference(E, s));
  B.X->p = p;
  *p_WA = s->off_centre ? v3_add(p, m3_mulv(B.X->R, s->p_BA)) : p;
}

// Turns B about the anchor; q (4): the coordinates. Writes the anchor in the world.
static void move_ball(Frame B, Frame E, const hfiJointStep* s, const double* q, hfVec3* p_WA) {
  hfVec3 anchor = anchor_at_reference(E, s);
  set_rotation(B, E, q_mul(s->q_EB, q_unit(q_load(q))));
  *p_WA = anchor;
  B.X->p = origin_from_anchor(B, s, anchor);
}

// Sets the pose of B.
static void set_pose(Frame B, hfVec3 p, hfQuat q) {
  *B.q = q;
  *B.X = pose_from(p, q);
}

// Moves B along a slide that is among the first joints of a body, if its axis in the world is not known yet.
HFI_COLD static void move_new_slide(Frame B, Frame E, const hfiJointStep* s, double q, hfVec3* p_WA, hfVec3* axis_W) {
  move_slide(B, E, s, q, p_WA, axis_W);
}

// Moves the frame behind the first slides of a body (slid_frame), and returns it. E: frame of the parent.
static inline Frame move_first_slides(hfDynamics* d, const hfiMovingBody* body, Frame E, const double* q) {
  hfiKinematics* x = &d->kinematics;
  Frame B = slid_frame(d, body);
  int has_axes = hfi_dynamics_is_fresh(d, HFI_FRESH_ROTATIONS);

  for (int j = body->joint; j < body->joint + body->nslide; ++j) {
    const hfiJointStep* s = &x->step[j];
    if (has_axes) move_along(B, E, s, q[s->qposadr], d->kinematics.axis_W[j], &x->p_WA[j]);
    else move_new_slide(B, E, s, q[s->qposadr], &x->p_WA[j], &d->kinematics.axis_W[j]);
    E = B;
  }
  return B;
}

// Moves a body by its joints, one after the other, at q (nq). Each joint moves B from E, the frame before it: first the
// parent, or the frame behind the body's first slides, then B itself. Also writes p_WA of the joints, and axis_W of
// those with one axis.
static inline void move_joints(hfDynamics* d, const hfiMovingBody* body, const double* q) {
  hfiKinematics* x = &d->kinematics;
  Frame B = body_frame(d, body->body);
  Frame E = body_frame(d, body->parent);
  if (body->nslide) E = move_first_slides(d, body, E, q);

  for (int j = body->joint + body->nslide; j < body->joint + body->njoint; ++j) {
    const hfiJointStep* s = &x->step[j];
    const double* qj = q + s->qposadr;
    hfVec3* p_WA = &x->p_WA[j];
    hfVec3* axis_W = &d->kinematics.axis_W[j];
    switch (s->type) {
    case HF_JOINT_HINGE: move_hinge(B, E, s, x->half_cos[s->hinge], x->half_sin[s->hinge], p_WA, axis_W); break;
    case HF_JOINT_SCREW: move_screw(B, E, s, *qj, x->half_cos[s->hinge], x->half_sin[s->hinge], p_WA, axis_W); break;
    case HF_JOINT_SLIDE: move_slide(B, E, s, *qj, p_WA, axis_W); break;
    case HF_JOINT_BALL: move_ball(B, E, s, qj, p_WA); break;
    default: // a free joint
      *p_WA = v3_load(qj);
      set_pose(B, *p_WA, q_unit(q_load(qj + 3)));
    }
    E = B;
  }
}

// Moves a body that has a single joint, a hinge.
static inline void move_hinged(hfDynamics* d, const hfiMovingBody* body) {
  hfiKinematics* x = &d->kinematics;
  int j = body->joint;
  const hfiJointStep* s = &x->step[j];
  Frame B = body_frame(d, body->body);
  Frame E = body_frame(d, body->parent);
  move_hinge(B, E, s, x->half_cos[s->hinge], x->half_sin[s->hinge], &x->p_WA[j], &d->kinematics.axis_W[j]);
}

// Moves a body that is welded to its parent.
static void move_welded(hfDynamics* d, const hfiMovingBody* body) {
  Frame B = body_frame(d, body->body);
  Frame P = body_frame(d, body->parent);

  // a body that slides carry keeps its rotation
  if (body->only_slides & hfi_dynamics_is_fresh(d, HFI_FRESH_ROTATIONS)) {
    B.X->p = pose_point(*P.X, body->X_PB.p);
    return;
  }

  *B.q = q_mul(*P.q, body->q_PB);
  *B.X = pose_mul(*P.X, body->X_PB);
}

// Moves a mocap body to the pose of the input, or of the model if the input has none.
static void move_mocap(hfDynamics* d, const hfiMovingBody* body, const hfInput* input) {
  int id = hf_model_body_mocap(d->model)[body->body];
  hfVec3 p = input && input->mocap_pos ? v3_load(input->mocap_pos + 3 * id) : body->X_PB.p;
  hfQuat q = input && input->mocap_quat ? q_unit(q_load(input->mocap_quat + 4 * id)) : body->q_PB;
  set_pose(body_frame(d, body->body), p, q);
}

// Writes q_WB and X_WB of all bodies that move.
static void place_bodies(hfDynamics* d, const double* q, const hfInput* input) {
  if (d->kinematics.nhinge) compute_half_angles(d, q);

  for (int i = 0; i < d->kinematics.nmoving; ++i) {
    const hfiMovingBody* body = &d->kinematics.moving[i];
    switch (body->motion) {
    case HFI_BODY_HINGED: move_hinged(d, body); break;
    case HFI_BODY_JOINTED: move_joints(d, body, q); break;
    case HFI_BODY_WELDED: move_welded(d, body); break;
    default: move_mocap(d, body, input);
    }
  }
}

// X_WF = X_WB X_BF, without products with an identity. keeps_rotation: X_WF has its rotation already.
static inline void place_frame(hfPose* X_WF, const hfPose* X_WB, const hfiFixedFrame* frame, int keeps_rotation) {
  if (!keeps_rotation && frame->offset == HFI_OFFSET_POSE) X_WF->R = m3_mul(X_WB->R, frame->X_BF.R);
  if (!keeps_rotation && frame->offset != HFI_OFFSET_POSE) X_WF->R = X_WB->R;
  X_WF->p = frame->offset == HFI_OFFSET_NONE ? X_WB->p : pose_point(*X_WB, frame->X_BF.p);
}

// Writes X_WG and X_WS of the moving geoms and sites.
static void place_fixed_frames(hfDynamics* d) {
  const hfiKinematics* x = &d->kinematics;
  int has_rotations = hfi_dynamics_is_fresh(d, HFI_FRESH_ROTATIONS);

  for (int i = 0; i < x->nmovinggeom; ++i) {
    int g = x->movinggeom[i];
    const hfiFixedFrame* frame = &x->geom[g];
    place_frame(&d->X_WG[g], &d->X_WB[frame->body], frame, frame->only_slides & has_rotations);
  }
  for (int i = 0; i < x->nmovingsite; ++i) {
    int s = x->movingsite[i];
    const hfiFixedFrame* frame = &x->site[s];
    place_frame(&d->X_WS[s], &d->X_WB[frame->body], frame, frame->only_slides & has_rotations);
  }
}

// ---- dof motions ----------------------------------------------------------------------------------

// Writes S of three rotations about the columns of R through the anchor A.
static void make_rotations(hfMotion* S, hfMat3 R, hfVec3 r_OA) {
  for (int k = 0; k < 3; ++k) S[k] = mo_rotation(m3_col(R, k), r_OA);
}

// Writes S of the dofs of a link, but for its first slides whose S are fresh. O: reference point of its tree. r_OA:
// from O to the joint's anchor A.
static inline void make_motions(hfDynamics* d, const hfiLink* link, hfVec3 O) {
  int nknown = hfi_dynamics_is_fresh(d, HFI_FRESH_ROTATIONS) ? link->nslide : 0;

  for (int j = link->joint + nknown; j < link->joint + link->njoint; ++j) {
    const hfiJointStep* step = &d->kinematics.step[j];
    hfMotion* S = d->S + step->dofadr;
    hfVec3 r_OA = v3_sub(d->kinematics.p_WA[j], O);
    switch (step->type) {
    case HF_JOINT_HINGE: *S = mo_rotation(d->kinematics.axis_W[j], r_OA); break;
    case HF_JOINT_SLIDE: *S = mo_translation(d->kinematics.axis_W[j]); break;
    case HF_JOINT_SCREW: *S = mo_screw(d->kinematics.axis_W[j], r_OA, step->pitch); break;
    case HF_JOINT_BALL: make_rotations(S, d->X_WB[link->body].R, r_OA); break;
    default: // a free joint
      S[0] = mo_translation(v3(1, 0, 0));
      S[1] = mo_translation(v3(0, 1, 0));
      S[2] = mo_translation(v3(0, 0, 1));
      make_rotations(S + 3, d->X_WB[link->body].R, r_OA);
    }
  }
}

// ---- inertias -------------------------------------------------------------------------------------

// Writes d->mass.I of HFI_LANES links at once: mass, first moment and inertia about the reference points O of their
// trees, along the world's axes. hfi_place_inertia does the same for one link.
static inline void place_lane_inertias(hfDynamics* d, const int* links) {
  // where the numbers of each link are
  const double* link_numbers[HFI_LANES];
  const double* pose_numbers[HFI_LANES];
  double* inertia_numbers[HFI_LANES];
  hfiVec3s O;
  for (int k = 0; k < HFI_LANES; ++k) {
    const hfiLink* link = &d->link[links[k]];
    hfVec3 p_WO = d->p_WO[link->tree];
    link_numbers[k] = &link->mass;
    pose_numbers[k] = (const double*)&d->X_WB[link->body];
    inertia_numbers[k] = (double*)&d->mass.I[links[k]];
    O.x[k] = p_WO.x;
    O.y[k] = p_WO.y;
    O.z[k] = p_WO.z;
  }

  // gather them into lanes: a pose has 12 numbers, mass, com_B and inertia_B of a link have 10
  struct { hfiMat3s R; hfiVec3s p; } X;
  struct { hfiLanes mass; hfiVec3s com_B; hfiLanes inertia_B[6]; } B;
  hfi_gather(pose_numbers, 12, (hfiLanes*)&X);
  hfi_gather(link_numbers, 10, (hfiLanes*)&B);

  // compute, with c from O to the centre of mass, and scatter the 10 numbers of an inertia
  hfiVec3s c = v3s_sub(v3s_add(X.p, m3s_mulv(X.R, B.com_B)), O);
  hfiInertias I = {.m = B.mass, .h = v3s_scale(B.mass, c)};
  HFI_ROTATE_INERTIA(hfiLanes, X.R.m, B.inertia_B, I.h, c, I.I);
  hfi_scatter((const hfiLanes*)&I, 10, inertia_numbers);
}

// Writes d->mass.I of all links, several links at a time. A single link that is left over is computed alone, which
// takes less time.
static void place_inertias(hfDynamics* d) {
  int links[HFI_LANES];
  int last = d->nlink - 1;
  int l = 1;
  for (; l < last; l += HFI_LANES) place_lane_inertias(d, hfi_fill_lanes(l, d->nlink, links));
  if (l != last) return;

  const hfiLink* link = &d->link[last];
  hfi_place_inertia(&d->mass.I[l], link->mass, link->com_B, link->inertia_B, &d->X_WB[link->body], d->p_WO[link->tree]);
}

// Writes q_WB and X_WB of all bodies at q (nq).
void hfi_dynamics_pose(hfDynamics* d, const double* q, const hfInput* input) { place_bodies(d, q, input); }

// Computes everything that depends on poses: frames, reference points, S, inertias, armature. Velocities and M are then
// no longer fresh.
void hfi_dynamics_complete(hfDynamics* d) {
  const hfModel* m = d->model;
  int has_rotations = hfi_dynamics_is_fresh(d, HFI_FRESH_ROTATIONS);
  place_fixed_frames(d);

  for (int t = 0; t < m->ntree; ++t) d->p_WO[t] = d->X_WB[hf_model_tree_body(m)[t]].p;

  // dof motions, which stay where only slides move a link
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    if (!(link->only_slides & has_rotations)) make_motions(d, link, d->p_WO[link->tree]);
  }
  place_inertias(d);
  hfi_update_tendon_armature(d);

  d->fresh &= ~(uint32_t)(HFI_FRESH_MASS | HFI_FRESH_FACTORS | HFI_FRESH_VELOCITY);
  d->fresh |= HFI_FRESH_AXES;
}

// Computes poses and everything that depends on them at q (nq). input: poses of mocap bodies, or NULL.
void hf_dynamics_set_position(hfDynamics* d, const double* q, const hfInput* input) {
  hfi_dynamics_pose(d, q, input);
  hfi_dynamics_complete(d);
}

// Keeps only those of kinematics.movinggeom that are among the n geoms, which ascend.
void hfi_dynamics_restrict_geoms(hfDynamics* d, const int32_t* geom, int n) {
  hfiKinematics* x = &d->kinematics;
  int kept = 0;

  for (int i = 0, k = 0; i < x->nmovinggeom; ++i) {
    while (k < n && geom[k] < x->movinggeom[i]) ++k;
    if (k < n && geom[k] == x->movinggeom[i]) x->movinggeom[kept++] = geom[k];
  }

  x->nmovinggeom = kept;
}

// ---- results --------------------------------------------------------------------------------------

hfPose hf_dynamics_body_pose(const hfDynamics* d, int body) {
  assert(body >= 0 && body < d->model->nbody);
  return d->X_WB[body];
}

hfQuat hf_dynamics_body_quat(const hfDynamics* d, int body) {
  assert(body >= 0 && body < d->model->nbody);
  return d->q_WB[body];
}

// Computes the pose of a geom from its body, because X_WG does not hold the poses of geoms that are only drawn.
hfPose hf_dynamics_geom_pose(const hfDynamics* d, int geom) {
  assert(geom >= 0 && geom < d->model->ngeom);
  const hfiFixedFrame* frame = &d->kinematics.geom[geom];
  hfPose X_WG;
  place_frame(&X_WG, &d->X_WB[frame->body], frame, 0);
  return X_WG;
}

// Returns the pose of a site. X_WS holds it if the site is fixed; otherwise it is computed from the body.
hfPose hf_dynamics_site_pose(const hfDynamics* d, int site) {
  assert(site >= 0 && site < d->model->nsite);
  const hfiFixedFrame* frame = &d->kinematics.site[site];
  if (hf_model_body_weld(d->model)[frame->body] == 0) return d->X_WS[site];
  hfPose X_WS;
  place_frame(&X_WS, &d->X_WB[frame->body], frame, 0);
  return X_WS;
}
