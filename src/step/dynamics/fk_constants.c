// What forward kinematics (fk.c) knows before a world runs: steps of joints, moving bodies, frames of geoms and sites.
//
//   p_EA = p_EB + R_EB p_BA,   q_EB_axis = q_EB (0, axis_B)
//
// E is the frame before a joint, B the body frame behind it, A the joint's anchor. With these constants a hinge costs
// one rotation and one product of quaternions.
#include "step/dynamics/inside.h"
#include "model/path.h"
#include "model/shape.h"

// Lists of hinges end with repetitions of the last one, so that their length is a multiple of this, which is a
// multiple of HFI_LANES.
enum { HINGE_PADDING = 4 };

// ---- which bodies, geoms and sites ------------------------------------------------------------------

// Whether an actuator or an equality acts at the site.
static int acts_at_site(const hfModel* m, int site) {
  for (int i = 0; i < m->nu; ++i) {
    int type = hf_model_actuator_trntype(m)[i];
    const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
    int is_on_sites = type == HF_TRANSMISSION_SITE || type == HF_TRANSMISSION_SLIDER_CRANK;
    if (is_on_sites && (id[0] == site || id[1] == site)) return 1;
  }

  for (int i = 0; i < m->neq; ++i) {
    if (hf_model_eq_objkind(m)[i] != HF_OBJECT_SITE) continue;
    if (hf_model_eq_obj1(m)[i] == site || hf_model_eq_obj2(m)[i] == site) return 1;
  }
  return 0;
}

// Whether hf_dynamics_set_position keeps the pose of a site up to date: its body moves and something acts at it.
static int is_moving_site(const hfModel* m, int site) {
  return hf_model_body_weld(m)[hf_model_site_body(m)[site]] != 0 && acts_at_site(m, site);
}

// Whether hf_dynamics_set_position keeps the pose of a geom up to date: its body moves and it may touch another geom.
static int is_moving_geom(const hfModel* m, int geom) {
  return hf_model_body_weld(m)[hf_model_geom_body(m)[geom]] != 0 && hfi_geom_may_touch(m, geom);
}

// Returns the number of slides with which the joints of a body begin.
static int count_first_slides(const hfModel* m, int body) {
  const int32_t* type = hf_model_jnt_type(m) + hf_model_body_jntadr(m)[body];
  int n = 0;
  while (n < hf_model_body_jntnum(m)[body] && type[n] == HF_JOINT_SLIDE) ++n;
  return n;
}

// Whether slides move a body before other joints do.
static int has_slides_before_others(const hfModel* m, int body) {
  int n = count_first_slides(m, body);
  return 0 < n && n < hf_model_body_jntnum(m)[body];
}

static int turns_about_axis(int joint_type) { return joint_type == HF_JOINT_HINGE || joint_type == HF_JOINT_SCREW; }

// Returns the number of slides with which the joints of a body begin, if nothing turns its parent; else 0.
// Needs kinematics.only_slides.
int hfi_count_steady_slides(const hfDynamics* d, int body) {
  int parent = hf_model_body_parent(d->model)[body];
  return d->kinematics.only_slides[parent] ? count_first_slides(d->model, body) : 0;
}

// ---- layout -----------------------------------------------------------------------------------------

// Sets nmoving, nslid, nhinge, nmovinggeom and nmovingsite.
static void count_moving_things(hfiKinematics* x, const hfModel* m) {
  x->nmoving = 0;
  x->nslid = 0;
  for (int b = 1; b < m->nbody; ++b) {
    x->nmoving += hf_model_body_weld(m)[b] != 0;
    x->nslid += has_slides_before_others(m, b);
  }

  int nhinge = 0;
  for (int j = 0; j < m->njnt; ++j) nhinge += turns_about_axis(hf_model_jnt_type(m)[j]);
  x->nhinge = (nhinge + HINGE_PADDING - 1) / HINGE_PADDING * HINGE_PADDING;

  x->nmovinggeom = 0;
  x->nmovingsite = 0;
  for (int g = 0; g < m->ngeom; ++g) x->nmovinggeom += is_moving_geom(m, g);
  for (int s = 0; s < m->nsite; ++s) x->nmovingsite += is_moving_site(m, s);
}

// Counts what moves and takes all arrays of x from the arena.
void hfi_kinematics_take(hfiKinematics* x, const hfModel* m, hfiArena* arena) {
  count_moving_things(x, m);

  // joints
  x->step = HFI_TAKE(arena, hfiJointStep, m->njnt);
  x->hinge_qposadr = HFI_TAKE(arena, int32_t, x->nhinge);
  HFI_TAKE_EACH(arena, double, x->nhinge, &x->hinge_ref, &x->half_sin, &x->half_cos);
  HFI_TAKE_EACH(arena, hfVec3, m->njnt, &x->axis_W, &x->p_WA);

  // bodies
  x->moving = HFI_TAKE(arena, hfiMovingBody, x->nmoving);
  x->only_slides = HFI_TAKE(arena, int32_t, m->nbody);
  x->slid = HFI_TAKE(arena, hfiSlidFrame, x->nslid);

  // geoms, sites and tendons
  x->geom = HFI_TAKE(arena, hfiFixedFrame, m->ngeom);
  x->site = HFI_TAKE(arena, hfiFixedFrame, m->nsite);
  x->movinggeom = HFI_TAKE(arena, int32_t, x->nmovinggeom);
  x->movingsite = HFI_TAKE(arena, int32_t, x->nmovingsite);
  hfi_path_constants_init(&x->path, m, arena);
}

// ---- joints -----------------------------------------------------------------------------------------

// Returns the number of the coordinate axis along which the unit vector u points; -1 if it has another direction.
static int find_axis(hfVec3 u) {
  if (u.x == 1 && u.y == 0 && u.z == 0) return 0;
  if (u.x == 0 && u.y == 1 && u.z == 0) return 1;
  return u.x == 0 && u.y == 0 && u.z == 1 ? 2 : -1;
}

// Returns the constants of a joint (hfiJointStep). q_EB, p_EB: the body frame B behind it in the frame E before it, at
// the reference coordinate.
static hfiJointStep make_joint_step(const hfModel* m, int joint, hfQuat q_EB, hfVec3 p_EB) {
  int type = hf_model_jnt_type(m)[joint];
  int qposadr = hf_model_jnt_qposadr(m)[joint];
  hfVec3 axis_B = v3_load(hf_model_jnt_axis(m) + 3 * joint);
  hfVec3 p_BA = v3_load(hf_model_jnt_pos(m) + 3 * joint);
  hfQuat axis = {0, axis_B.x, axis_B.y, axis_B.z};

  return (hfiJointStep){.type = type,
                        .kind = &hfi_joint_kinds[type],
                        .qposadr = qposadr,
                        .dofadr = hf_model_jnt_dofadr(m)[joint],
                        .off_centre = v3_norm2(p_BA) > 0,
                        .ref = hf_model_qpos0(m)[qposadr],
                        .pitch = hf_model_jnt_pitch(m)[joint],
                        .q_EB = q_EB,
                        .q_EB_axis = q_mul(q_EB, axis),
                        .p_EB = p_EB,
                        .along = find_axis(axis_B),
                        .p_EA = v3_add(p_EB, q_rotate(q_EB, p_BA)),
                        .p_BA = p_BA,
                        .axis_B = axis_B,
                        .axis_E = q_rotate(q_EB, axis_B)};
}

// Makes the steps of the joints of a body. At the reference coordinates the first joint leads from the parent to the
// body's place in it, and the others change nothing.
static void make_joint_steps(hfDynamics* d, int body) {
  const hfModel* m = d->model;
  int first = hf_model_body_jntadr(m)[body];

  for (int k = 0; k < hf_model_body_jntnum(m)[body]; ++k) {
    hfQuat q = k ? q_identity() : q_unit(q_load(hf_model_body_quat(m) + 4 * body));
    hfVec3 p = k ? v3_zero() : v3_load(hf_model_body_pos(m) + 3 * body);
    d->kinematics.step[first + k] = make_joint_step(m, first + k, q, p);
    d->kinematics.step[first + k].is_behind = k > 0;
  }
}

// Lists hinges and screws, and fills the list with repetitions of the last one.
static void list_hinges(hfiKinematics* x, const hfModel* m) {
  int k = 0;
  for (int j = 0; j < m->njnt; ++j) {
    hfiJointStep* s = &x->step[j];
    if (!turns_about_axis(s->type)) continue;
    x->hinge_qposadr[k] = s->qposadr;
    x->hinge_ref[k] = s->ref;
    s->hinge = k++;
  }

  for (; k < x->nhinge; ++k) {
    x->hinge_qposadr[k] = x->hinge_qposadr[k - 1];
    x->hinge_ref[k] = x->hinge_ref[k - 1];
  }
}

// ---- bodies and frames ------------------------------------------------------------------------------

// Finds the bodies that only slides move: fixed ones, and those with no other joints on a parent of this kind.
static void find_only_slides(hfDynamics* d) {
  const hfModel* m = d->model;
  int32_t* only_slides = d->kinematics.only_slides;

  for (int b = 0; b < m->nbody; ++b) {
    only_slides[b] = 1;
    if (hf_model_body_weld(m)[b] == 0) continue;
    only_slides[b] = hf_model_body_mocap(m)[b] < 0 && only_slides[hf_model_body_parent(m)[b]];
    only_slides[b] &= count_first_slides(m, b) == hf_model_body_jntnum(m)[b];
  }
}

// Returns how a body moves. Most have one hinge.
static hfiBodyMotion find_motion(const hfModel* m, int body) {
  int njoint = hf_model_body_jntnum(m)[body];
  if (hf_model_body_mocap(m)[body] >= 0) return HFI_BODY_MOCAP;
  if (!njoint) return HFI_BODY_WELDED;

  int is_hinge = njoint == 1 && hf_model_jnt_type(m)[hf_model_body_jntadr(m)[body]] == HF_JOINT_HINGE;
  return is_hinge ? HFI_BODY_HINGED : HFI_BODY_JOINTED;
}

// Returns the constants of a body, without the number `slid` of its frame behind slides.
static hfiMovingBody make_moving_body(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  hfiMovingBody r = {.body = body,
                     .parent = hf_model_body_parent(m)[body],
                     .motion = find_motion(m, body),
                     .joint = hf_model_body_jntadr(m)[body],
                     .njoint = hf_model_body_jntnum(m)[body],
                     .nslide = hfi_count_steady_slides(d, body),
                     .slid = -1,
                     .only_slides = d->kinematics.only_slides[body],
                     .q_PB = q_unit(q_load(hf_model_body_quat(m) + 4 * body))};
  r.X_PB = pose_from(v3_load(hf_model_body_pos(m) + 3 * body), r.q_PB);
  return r;
}

// Returns the frame that is fixed in a body at the position pos (3) with the orientation quat (4).
static hfiFixedFrame make_fixed_frame(const hfDynamics* d, int body, const double* pos, const double* quat) {
  hfVec3 p = v3_load(pos);
  hfQuat q = q_unit(q_load(quat));
  hfiFixedFrame r = {.body = body, .only_slides = d->kinematics.only_slides[body], .X_BF = pose_from(p, q)};

  if (q.x != 0 || q.y != 0 || q.z != 0) r.offset = HFI_OFFSET_POSE;
  else r.offset = v3_norm2(p) > 0 ? HFI_OFFSET_TRANSLATION : HFI_OFFSET_NONE;
  return r;
}

// Computes all constants: steps of joints, moving bodies, and frames of geoms and sites.
void hfi_kinematics_make(hfDynamics* d) {
  const hfModel* m = d->model;
  hfiKinematics* x = &d->kinematics;
  find_only_slides(d);

  // bodies and joints; k counts the entries of the list that is being written
  int k = 0;
  int slid = 0;
  for (int b = 1; b < m->nbody; ++b) {
    make_joint_steps(d, b);
    if (hf_model_body_weld(m)[b] == 0) continue; // welded to the world: it never moves
    x->moving[k] = make_moving_body(d, b);
    // other joints come behind its slides: the frame between them gets a number
    if (x->moving[k].nslide && !x->only_slides[b]) x->moving[k].slid = slid++;
    ++k;
  }
  list_hinges(x, m);

  // geoms
  k = 0;
  for (int i = 0; i < m->ngeom; ++i) {
    int body = hf_model_geom_body(m)[i];
    x->geom[i] = make_fixed_frame(d, body, hf_model_geom_pos(m) + 3 * i, hf_model_geom_quat(m) + 4 * i);
    if (is_moving_geom(m, i)) x->movinggeom[k++] = i;
  }

  // sites
  k = 0;
  for (int i = 0; i < m->nsite; ++i) {
    int body = hf_model_site_body(m)[i];
    x->site[i] = make_fixed_frame(d, body, hf_model_site_pos(m) + 3 * i, hf_model_site_quat(m) + 4 * i);
    if (is_moving_site(m, i)) x->movingsite[k++] = i;
  }
}

// Computes the poses that never change: those of bodies fixed in the world, and of their geoms and sites.
// Writes q_WB, X_WB, X_WG and X_WS; entries of things that move get numbers without meaning.
void hfi_place_fixed_bodies(hfDynamics* d) {
  const hfModel* m = d->model;
  const hfiKinematics* x = &d->kinematics;
  d->q_WB[0] = q_identity();
  d->X_WB[0] = pose_identity();

  for (int b = 1; b < m->nbody; ++b) {
    if (hf_model_body_weld(m)[b] != 0) continue;
    hfiMovingBody r = make_moving_body(d, b);
    d->q_WB[b] = q_mul(d->q_WB[r.parent], r.q_PB);
    d->X_WB[b] = pose_mul(d->X_WB[r.parent], r.X_PB);
  }

  for (int i = 0; i < m->ngeom; ++i) d->X_WG[i] = pose_mul(d->X_WB[x->geom[i].body], x->geom[i].X_BF);
  for (int i = 0; i < m->nsite; ++i) d->X_WS[i] = pose_mul(d->X_WB[x->site[i].body], x->site[i].X_BF);
}
