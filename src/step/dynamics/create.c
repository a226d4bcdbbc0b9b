// Plans an hfDynamics and computes everything that does not change while a world runs.
//
//   joint steps   p_EA = p_EB + R_EB p_BA and q_EB (0, axis): a hinge then costs one rotation and one
//                 quaternion product (fk.c)
//   links         inertia of a body and all bodies welded to it, merged about their common centre:
//                   m = sum m_b,  c = sum m_b c_b/m,  Ic = sum R I_b R^T + m_b (|r|^2 1 - r r^T), r = c_b - c
#include "step/dynamics/inside.h"
#include "base/object.h"
#include "model/path.h"
#include "model/shape.h"
#include <string.h>

// ---- layout ---------------------------------------------------------------------------------------

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

static int is_moving_site(const hfModel* m, int site) {
  return hf_model_body_weld(m)[hf_model_site_body(m)[site]] != 0 && acts_at_site(m, site);
}

static int count_moving_sites(const hfModel* m) {
  int n = 0;
  for (int i = 0; i < m->nsite; ++i) n += is_moving_site(m, i);
  return n;
}

static int is_moving_geom(const hfModel* m, int geom) {
  return hf_model_body_weld(m)[hf_model_geom_body(m)[geom]] != 0 && hfi_geom_may_touch(m, geom);
}

static int count_moving_geoms(const hfModel* m) {
  int n = 0;
  for (int g = 0; g < m->ngeom; ++g) n += is_moving_geom(m, g);
  return n;
}

// The number of slides with which the joints of a body begin.
static int count_first_slides(const hfModel* m, int body) {
  const int32_t* type = hf_model_jnt_type(m) + hf_model_body_jntadr(m)[body];
  int n = 0;
  while (n < hf_model_body_jntnum(m)[body] && type[n] == HF_JOINT_SLIDE) ++n;
  return n;
}

// Whether slides move a body before other joints do.
static int slides_first(const hfModel* m, int body) {
  int n = count_first_slides(m, body);
  return 0 < n && n < hf_model_body_jntnum(m)[body];
}

static int turns_about_axis(int joint_type) { return joint_type == HF_JOINT_HINGE || joint_type == HF_JOINT_SCREW; }

// The number of hinges and screws, as a multiple of four, for which there are always enough lanes (fk.c).
static int count_hinges(const hfModel* m) {
  int n = 0;
  for (int j = 0; j < m->njnt; ++j) n += turns_about_axis(hf_model_jnt_type(m)[j]);
  return (n + 3) / 4 * 4;
}

// Counts links, moving bodies, hinges, and the geoms and sites whose poses are kept.
static void count_bodies(hfDynamics* d) {
  const hfModel* m = d->model;
  hfiKinematics* x = &d->kinematics;
  d->nlink = 1;
  x->nmoving = 0;
  x->nslid = 0;

  for (int b = 1; b < m->nbody; ++b) {
    d->nlink += hf_model_body_jntnum(m)[b] > 0;
    x->nmoving += hf_model_body_weld(m)[b] != 0;
    x->nslid += slides_first(m, b);
  }
  x->nhinge = count_hinges(m);
  x->nmovinggeom = count_moving_geoms(m);
  x->nmovingsite = count_moving_sites(m);
}

// Number of pairs of dofs that tendons couple.
static int count_tendon_pairs(const hfModel* m) {
  int n = 0;
  for (int t = 0; t < m->ntendon; ++t) {
    int k = hfi_tendon_is_spatial(m, t) ? hfi_tendon_dofs(m, t, NULL) : hf_model_tendon_num(m)[t];
    n += k * (k + 1) / 2;
  }
  return n;
}

// Takes the arrays of constants.
static void take_constants(hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  hfiKinematics* x = &d->kinematics;
  hfiMassMatrix* mass = &d->mass;

  // joints, bodies, geoms and sites
  x->step = HFI_TAKE(arena, hfiJointStep, m->njnt);
  x->moving = HFI_TAKE(arena, hfiMovingBody, x->nmoving);
  x->hinge_qposadr = HFI_TAKE(arena, int32_t, x->nhinge);
  x->hinge_ref = HFI_TAKE(arena, double, x->nhinge);
  x->geom = HFI_TAKE(arena, hfiFixedFrame, m->ngeom);
  x->site = HFI_TAKE(arena, hfiFixedFrame, m->nsite);
  x->movinggeom = HFI_TAKE(arena, int32_t, x->nmovinggeom);
  x->movingsite = HFI_TAKE(arena, int32_t, x->nmovingsite);

  // links
  d->link = HFI_TAKE(arena, hfiLink, d->nlink);
  HFI_TAKE_EACH(arena, int32_t, m->nbody, &d->body_link, &x->only_slides);
  mass->largest_inverse = HFI_TAKE(arena, double, m->nv);
  mass->row = HFI_TAKE(arena, hfiMassRow, m->nv);
  mass->trunk = HFI_TAKE(arena, int32_t, m->ntree);
  mass->steady = HFI_TAKE(arena, int32_t, m->ntree);
  mass->armature = HFI_TAKE(arena, hfiArmature, count_tendon_pairs(m));
  hfi_path_constants_init(&x->path, m, arena);
}

// Takes the arrays of results and scratch.
static void take_results(hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  hfiKinematics* x = &d->kinematics;
  hfiMassMatrix* mass = &d->mass;
  hfiDynamicsScratch* scratch = &d->scratch;

  // poses
  HFI_TAKE_EACH(arena, double, x->nhinge, &x->half_sin, &x->half_cos);
  d->q_WB = HFI_TAKE(arena, hfQuat, m->nbody);
  d->X_WB = HFI_TAKE(arena, hfPose, m->nbody);
  x->slid = HFI_TAKE(arena, hfiSlidFrame, x->nslid);
  d->X_WG = HFI_TAKE(arena, hfPose, m->ngeom);
  d->X_WS = HFI_TAKE(arena, hfPose, m->nsite);
  x->axis_W = HFI_TAKE(arena, hfVec3, m->njnt);
  x->p_WA = HFI_TAKE(arena, hfVec3, m->njnt);
  d->p_WO = HFI_TAKE(arena, hfVec3, m->ntree);
  d->S = HFI_TAKE(arena, hfMotion, m->nv);

  // velocities, M and bias
  mass->I = HFI_TAKE(arena, hfiInertia, d->nlink);
  mass->Ic = HFI_TAKE(arena, hfiInertia, d->nlink);
  HFI_TAKE_EACH(arena, double, m->nv, &d->v, &mass->Dinv, &mass->inverse, &d->c, &scratch->u, &scratch->gradient);
  HFI_TAKE_EACH(arena, hfMotion, d->nlink, &d->V, &d->A, &d->B);
  d->M = HFI_TAKE(arena, double, m->nM);
  mass->L = HFI_TAKE(arena, double, m->nM);
  mass->postponed = HFI_TAKE(arena, int32_t, m->ntree);

  // scratch
  scratch->F = HFI_TAKE(arena, hfForce, d->nlink);
  scratch->Ia = HFI_TAKE(arena, hfiArticulated, d->nlink);
  scratch->U = HFI_TAKE(arena, hfForce, m->nv);
  scratch->tendon_dof = HFI_TAKE(arena, int32_t, m->nv);
  scratch->work = HFI_TAKE(arena, double, m->nq + 3 * m->nv);
}

// ---- kinematics -----------------------------------------------------------------------------------

// The number of the axis that u is; -1: none.
static int find_axis(hfVec3 u) {
  if (u.x == 1 && u.y == 0 && u.z == 0) return 0;
  if (u.x == 0 && u.y == 1 && u.z == 0) return 1;
  return u.x == 0 && u.y == 0 && u.z == 1 ? 2 : -1;
}

// The constants of a joint. q_EB, p_EB: body frame in E at the reference coordinate.
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

// Makes the steps of the joints of a body.
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

// Finds the bodies that only slides move.
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

// The number of slides with which the joints of a body begin, if nothing turns its parent.
static int count_steady_slides(const hfDynamics* d, int body) {
  int parent = hf_model_body_parent(d->model)[body];
  return d->kinematics.only_slides[parent] ? count_first_slides(d->model, body) : 0;
}

// How a body moves. Most have one hinge.
static hfiBodyMotion find_motion(const hfModel* m, int body) {
  int njoint = hf_model_body_jntnum(m)[body];
  if (hf_model_body_mocap(m)[body] >= 0) return HFI_BODY_MOCAP;
  if (!njoint) return HFI_BODY_WELDED;
  int is_hinge = njoint == 1 && hf_model_jnt_type(m)[hf_model_body_jntadr(m)[body]] == HF_JOINT_HINGE;
  return is_hinge ? HFI_BODY_HINGED : HFI_BODY_JOINTED;
}

static hfiMovingBody make_moving_body(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  hfiMovingBody r = {.body = body,
                     .parent = hf_model_body_parent(m)[body],
                     .motion = find_motion(m, body),
                     .joint = hf_model_body_jntadr(m)[body],
                     .njoint = hf_model_body_jntnum(m)[body],
                     .nslide = count_steady_slides(d, body),
                     .slid = -1,
                     .only_slides = d->kinematics.only_slides[body],
                     .q_PB = q_unit(q_load(hf_model_body_quat(m) + 4 * body))};
  r.X_PB = pose_from(v3_load(hf_model_body_pos(m) + 3 * body), r.q_PB);
  return r;
}

// A frame fixed in a body at `pos`, `quat`.
static hfiFixedFrame make_fixed_frame(const hfDynamics* d, int body, const double* pos, const double* quat) {
  hfVec3 p = v3_load(pos);
  hfQuat q = q_unit(q_load(quat));
  hfiFixedFrame r = {.body = body, .only_slides = d->kinematics.only_slides[body], .X_BF = pose_from(p, q)};
  if (q.x != 0 || q.y != 0 || q.z != 0) r.offset = HFI_OFFSET_POSE;
  else r.offset = v3_norm2(p) > 0 ? HFI_OFFSET_TRANSLATION : HFI_OFFSET_NONE;
  return r;
}

// Lists hinges and screws, and fills the list with repetitions of the last one.
static void make_hinges(hfDynamics* d) {
  hfiKinematics* x = &d->kinematics;
  int k = 0;
  for (int j = 0; j < d->model->njnt; ++j) {
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

// Makes joint steps, moving bodies and the frames of geoms and sites.
static void make_kinematics(hfDynamics* d) {
  const hfModel* m = d->model;
  hfiKinematics* x = &d->kinematics;

  // bodies and joints
  int k = 0;
  int slid = 0;
  for (int b = 1; b < m->nbody; ++b) {
    make_joint_steps(d, b);
    if (hf_model_body_weld(m)[b] == 0) continue;
    x->moving[k] = make_moving_body(d, b);
    if (x->moving[k].nslide && !x->only_slides[b]) x->moving[k].slid = slid++;
    ++k;
  }
  make_hinges(d);

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
static void place_fixed_bodies(hfDynamics* d) {
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

// ---- links ----------------------------------------------------------------------------------------

// Does the tree of a body with joints begin with a free joint that is alone on its body? The links of the body's
// ancestors must be known.
static int begins_with_free_joint(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  int parent = d->body_link[hf_model_body_parent(m)[body]];
  if (parent) return d->link[parent].has_free_root;
  return hf_model_body_jntnum(m)[body] == 1 && hf_model_jnt_type(m)[hf_model_body_jntadr(m)[body]] == HF_JOINT_FREE;
}

// Makes a link of every body with joints. Bodies without joints belong to the link of their parent; mocap bodies and
// the world are link 0.
static void make_links(hfDynamics* d) {
  const hfModel* m = d->model;
  d->link[0] = (hfiLink){.parent = 0, .tree = -1};
  d->body_link[0] = 0;

  for (int b = 1, n = 1; b < m->nbody; ++b) {
    int parent_link = d->body_link[hf_model_body_parent(m)[b]];
    if (hf_model_body_jntnum(m)[b] == 0) {
      d->body_link[b] = hf_model_body_mocap(m)[b] >= 0 ? 0 : parent_link;
      continue;
    }
    d->link[n] = (hfiLink){.body = b,
                           .parent = parent_link,
                           .tree = hf_model_body_tree(m)[b],
                           .joint = hf_model_body_jntadr(m)[b],
                           .njoint = hf_model_body_jntnum(m)[b],
                           .dof = hf_model_body_dofadr(m)[b],
                           .ndof = hf_model_body_dofnum(m)[b],
                           .nslide = count_steady_slides(d, b),
                           .has_free_root = begins_with_free_joint(d, b),
                           .only_slides = d->kinematics.only_slides[b]};
    d->body_link[b] = n++;
  }
}

// X_LB of a body welded to link body L.
static hfPose pose_in_link(const hfDynamics* d, int link_body, int body) {
  const int32_t* parent = hf_model_body_parent(d->model);
  hfPose X = pose_identity();
  for (int b = body; b != link_body; b = parent[b]) X = pose_mul(make_moving_body(d, b).X_PB, X);
  return X;
}

// I += R J R^T + mass (|r|^2 1 - r r^T), J and I as xx yy zz xy xz yz
static void add_inertia(double* I, hfMat3 R, const double* J, double mass, hfVec3 r) {
  hfMat3 full = {{J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}};
  const hfMat3 W = m3_mul(m3_mul(R, full), m3_transpose(R));
  double rr = v3_norm2(r);
  I[0] += W.m[0] + mass * (rr - r.x * r.x);
  I[1] += W.m[4] + mass * (rr - r.y * r.y);
  I[2] += W.m[8] + mass * (rr - r.z * r.z);
  I[3] += W.m[1] - mass * r.x * r.y;
  I[4] += W.m[2] - mass * r.x * r.z;
  I[5] += W.m[5] - mass * r.y * r.z;
}

// Computes mass, centre of mass and inertia of link l from all bodies that belong to it.
static void merge_link(hfDynamics* d, int l) {
  const hfModel* m = d->model;
  hfiLink* link = &d->link[l];
  int end = hf_model_body_subtreeend(m)[link->body];

  // mass and centre of mass
  hfVec3 moment = v3_zero();
  link->mass = 0;
  for (int b = link->body; b < end; ++b) {
    if (d->body_link[b] != l) continue;
    double mass = hf_model_body_mass(m)[b];
    hfVec3 com_L = pose_point(pose_in_link(d, link->body, b), v3_load(hf_model_body_com(m) + 3 * b));
    link->mass += mass;
    moment = v3_axpy(mass, com_L, moment);
  }
  link->com_B = link->mass > 0 ? v3_scale(1 / link->mass, moment) : v3_zero();

  // inertia about the centre of mass
  memset(link->inertia_B, 0, sizeof link->inertia_B);
  for (int b = link->body; b < end; ++b) {
    if (d->body_link[b] != l) continue;
    hfPose X_LB = pose_in_link(d, link->body, b);
    hfVec3 r = v3_sub(pose_point(X_LB, v3_load(hf_model_body_com(m) + 3 * b)), link->com_B);
    add_inertia(link->inertia_B, X_LB.R, hf_model_body_inertia(m) + 6 * b, hf_model_body_mass(m)[b], r);
  }
}

// ---- interface ------------------------------------------------------------------------------------

// Finds the steady trees, and marks that nothing of them is computed yet.
static void find_steady(hfDynamics* d) {
  for (int t = 0; t < d->model->ntree; ++t) {
    d->mass.steady[t] = d->mass.narmature == 0;
    d->mass.postponed[t] = 1;
  }
  for (int l = 1; l < d->nlink; ++l) d->mass.steady[d->link[l].tree] &= d->link[l].only_slides;
  d->fresh &= ~(uint32_t)(HFI_FRESH_STEADY_MASS | HFI_FRESH_STEADY_BIAS);
}

// Whether the first slides of a link have rows of M that stay.
static int keeps_rows(const hfDynamics* d, const hfiLink* link, int dof) {
  return d->mass.narmature == 0 && (d->mass.steady[link->tree] || dof < link->dof + link->nslide);
}

// Adds the rows of all links that stay, or those that do not.
static void list_rows(hfDynamics* d, int stays) {
  const hfModel* m = d->model;
  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    if (hfi_is_free_root(link)) continue;
    for (int i = link->dof; i < link->dof + link->ndof; ++i) {
      hfiMassRow row = {i, l, hf_model_dof_Madr(m)[i], hf_model_dof_depth(m)[i] + 1, link->has_free_root};
      if (keeps_rows(d, link, i) == stays) d->mass.row[d->mass.nrow++] = row;
    }
  }
}

static void list_mass_rows(hfDynamics* d) {
  d->mass.nrow = 0;
  list_rows(d, 0);
  d->mass.nvarying = d->mass.nrow;
  list_rows(d, 1);
}

// Computes everything that depends on parameters. Poses and S of fixed bodies stay.
void hf_dynamics_refresh(hfDynamics* d) {
  const hfModel* m = d->model;
  d->gravity = m->world.disable_gravity ? v3_zero() : v3_load(m->world.gravity);
  d->V[0] = mo_zero();
  d->A[0] = mo_zero();
  d->A[0].v = v3_neg(d->gravity);
  memset(&d->mass.I[0], 0, sizeof d->mass.I[0]);
  for (int l = 1; l < d->nlink; ++l) merge_link(d, l);

  hfi_list_tendon_armature(d);
  find_steady(d);
  list_mass_rows(d);
  d->fresh &= ~(uint32_t)(HFI_FRESH_MASS | HFI_FRESH_FACTORS | HFI_FRESH_VELOCITY);
  hfi_bound_inverse_masses(d);
}

// Plans, or makes the constants and places the world at qpos0, at rest.
void hfi_dynamics_init(hfDynamics* d, const hfModel* model, hfiArena* arena) {
  memset(d, 0, sizeof *d);
  d->model = model;
  count_bodies(d);
  take_constants(d, arena);
  take_results(d, arena);
  if (!arena->base) return;

  find_only_slides(d);
  make_links(d);
  for (int t = 0; t < model->ntree; ++t) d->mass.trunk[t] = hfi_find_trunk(model, t);
  make_kinematics(d);
  place_fixed_bodies(d);
  hf_dynamics_refresh(d);
  hf_dynamics_set_position(d, hf_model_qpos0(model), NULL);
  d->fresh |= HFI_FRESH_ROTATIONS;
  hf_dynamics_set_velocity(d, d->v);
}

static void init(void* object, hfiArena* arena) { hfi_dynamics_init(object, ((hfDynamics*)object)->model, arena); }

// Refuses with HF_ERROR_MEMORY.
hfStatus hf_dynamics_create(hfDynamics** dynamics, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfDynamics seed = {.model = model};
  hfDynamics* d = hfi_object_create(&seed, sizeof seed, init, NULL, "a dynamics", error);
  if (!d) return HF_ERROR_MEMORY;
  *dynamics = d;
  return HF_OK;
}

void hf_dynamics_free(hfDynamics* d) { hfi_release(d); }
