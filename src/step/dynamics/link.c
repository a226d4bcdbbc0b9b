// Links: a body with joints together with the bodies welded to it, as one rigid body.
//
//   m = sum m_b,   c = sum m_b c_b/m,   I = sum R I_b R^T + m_b (|r|^2 1 - r r^T),   r = c_b - c
//
// b runs over the bodies of the link; c_b is the centre of mass of body b, I_b its inertia about c_b, and R turns from
// its axes to the axes of the link, which are those of the body with the joints.
#include "step/dynamics/inside.h"
#include <string.h>

// Whether the tree of a body with joints begins with a free joint that is alone on its body. The links of the body's
// ancestors must be known.
static int begins_with_free_joint(const hfDynamics* d, int body) {
  const hfModel* m = d->model;
  int parent = d->body_link[hf_model_body_parent(m)[body]];
  if (parent) return d->link[parent].has_free_root;
  return hf_model_body_jntnum(m)[body] == 1 && hf_model_jnt_type(m)[hf_model_body_jntadr(m)[body]] == HF_JOINT_FREE;
}

// Makes a link of every body with joints, and writes body_link. Bodies without joints belong to the link of their
// parent; mocap bodies and the world are link 0. Needs hfi_kinematics_make. The masses follow in hfi_merge_link.
void hfi_make_links(hfDynamics* d) {
  const hfModel* m = d->model;
  d->link[0] = (hfiLink){.parent = 0, .tree = -1};
  d->body_link[0] = 0;

  int n = 1;
  for (int b = 1; b < m->nbody; ++b) {
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
                           .nslide = hfi_count_steady_slides(d, b),
                           .has_free_root = begins_with_free_joint(d, b),
                           .only_slides = d->kinematics.only_slides[b]};
    d->body_link[b] = n++;
  }
}

// Returns X_LB of a body that is welded, directly or through others, to the body L with the joints of its link.
static hfPose pose_in_link(const hfModel* m, int link_body, int body) {
  hfPose X = pose_identity();
  for (int b = body; b != link_body; b = hf_model_body_parent(m)[b]) {
    hfQuat q_PB = q_unit(q_load(hf_model_body_quat(m) + 4 * b));
    hfPose X_PB = pose_from(v3_load(hf_model_body_pos(m) + 3 * b), q_PB);
    X = pose_mul(X_PB, X);
  }
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

// Computes mass, centre of mass and inertia of link l from the parameters of all bodies that belong to it. They are in
// the axes of the link, from the origin of the link's body: com_L is the centre of body b there, `moment` sum m_b c_b.
void hfi_merge_link(hfDynamics* d, int l) {
  const hfModel* m = d->model;
  hfiLink* link = &d->link[l];
  int end = hf_model_body_subtreeend(m)[link->body]; // the bodies of the link are among link->body to end - 1

  // mass and centre of mass
  hfVec3 moment = v3_zero();
  link->mass = 0;
  for (int b = link->body; b < end; ++b) {
    if (d->body_link[b] != l) continue;
    double mass = hf_model_body_mass(m)[b];
    hfVec3 com_L = pose_point(pose_in_link(m, link->body, b), v3_load(hf_model_body_com(m) + 3 * b));
    link->mass += mass;
    moment = v3_axpy(mass, com_L, moment);
  }
  link->com_B = link->mass > 0 ? v3_scale(1 / link->mass, moment) : v3_zero();

  // inertia about the centre of mass
  memset(link->inertia_B, 0, sizeof link->inertia_B);
  for (int b = link->body; b < end; ++b) {
    if (d->body_link[b] != l) continue;
    hfPose X_LB = pose_in_link(m, link->body, b);
    hfVec3 r = v3_sub(pose_point(X_LB, v3_load(hf_model_body_com(m) + 3 * b)), link->com_B);
    add_inertia(link->inertia_B, X_LB.R, hf_model_body_inertia(m) + 6 * b, hf_model_body_mass(m)[b], r);
  }
}
