// Joints, dofs, bodies and kinematic trees.
//
// dof_parent is the previous dof on the way to the root; row i of M has the entries
// {ancestors of i, i}, ascending, so its length is dof_depth + 1.
#include "model/finish.h"

#include <string.h>

// Coordinates at the reference configuration and at rest of the spring.
static void fill_reference(hfModel* m, const hfJointDef* d, int j, int qadr) {
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  double *q0 = hfi_set_qpos0(m) + qadr, *qs = hfi_set_qpos_spring(m) + qadr;
  int b = hf_model_jnt_body(m)[j], quat = joint->info.quat;
  for (int i = 0; i < joint->nworld; ++i) q0[i] = qs[i] = hf_model_body_pos(m)[3 * b + i];
  for (int i = joint->nworld; i < joint->nworld + joint->nchain; ++i)
    q0[i] = d->ref, qs[i] = d->springref;
  if (quat < 0) return;
  hfQuat q = joint->nworld ? q_load(hf_model_body_quat(m) + 4 * b) : q_identity();
  q_store(q0 + quat, q);
  q_store(qs + quat, q);
}

static void fill_joint(hfModel* m, const hfJointDef* d, int j, int body, int qadr, int vadr) {
  hfi_set_jnt_type(m)[j] = d->type;
  hfi_set_jnt_body(m)[j] = body;
  hfi_set_jnt_qposadr(m)[j] = qadr;
  hfi_set_jnt_dofadr(m)[j] = vadr;
  hfi_set_jnt_limited(m)[j] = d->limited != 0;
  hfi_set_jnt_actfrclimited(m)[j] = d->actfrclimited != 0;
  hfi_set_jnt_actgravcomp(m)[j] = d->actgravcomp != 0;
  memcpy(hfi_set_jnt_pos(m) + 3 * j, d->pos, sizeof d->pos);
  memcpy(hfi_set_jnt_axis(m) + 3 * j, d->axis, sizeof d->axis);
  memcpy(hfi_set_jnt_range(m) + 2 * j, d->range, sizeof d->range);
  memcpy(hfi_set_jnt_actfrcrange(m) + 2 * j, d->actfrcrange, sizeof d->actfrcrange);
  hfi_set_jnt_margin(m)[j] = d->margin;
  hfi_set_jnt_stiffness(m)[j] = d->stiffness;
  hfi_set_jnt_limit_stiffness(m)[j] = d->limit_stiffness;
  hfi_set_jnt_limit_damping(m)[j] = d->limit_damping;
  fill_reference(m, d, j, qadr);
  for (int i = vadr; i < vadr + hfi_joint_nv(d->type); ++i) {
    hfi_set_dof_body(m)[i] = body;
    hfi_set_dof_jnt(m)[i] = j;
    hfi_set_dof_armature(m)[i] = d->armature;
    hfi_set_dof_damping(m)[i] = d->damping;
    hfi_set_dof_frictionloss(m)[i] = d->frictionloss;
  }
}

void hfi_finish_joints(hfiFinish* f) {
  hfModel* m = f->m;
  for (int i = 0; i < m->nbody; ++i) {
    const hfBodyDef* d = &f->b->body.data[f->order.body_of[i]];
    memcpy(hfi_set_body_pos(m) + 3 * i, d->pos, sizeof d->pos);
    memcpy(hfi_set_body_quat(m) + 4 * i, d->quat, sizeof d->quat);
    hfi_set_body_jntadr(m)[i] = hfi_set_body_dofadr(m)[i] = -1;
  }
  int qadr = 0, vadr = 0;
  for (int j = 0; j < m->njnt; ++j) {
    const hfJointDef* d = &f->b->joint.data[f->order.joint_of[j]];
    int body = f->order.new_body[d->body];
    if (hfi_set_body_jntnum(m)[body]++ == 0)
      hfi_set_body_jntadr(m)[body] = j, hfi_set_body_dofadr(m)[body] = vadr;
    fill_joint(m, d, j, body, qadr, vadr);
    hfi_set_body_dofnum(m)[body] += hfi_joint_nv(d->type);
    qadr += hfi_joint_nq(d->type);
    vadr += hfi_joint_nv(d->type);
  }
}

// Topology of body b, whose parent is done.
static void link_body(hfModel* m, const hfBodyDef* d, int b, int parent, int* nmocap, int* ntree) {
  hfi_set_body_parent(m)[b] = parent;
  hfi_set_body_gravcomp(m)[b] = d->gravcomp;
  hfi_set_body_mocap(m)[b] = -1;
  if (d->mocap) {
    hfi_set_body_mocap(m)[b] = *nmocap;
    hfi_set_mocap_body(m)[(*nmocap)++] = b;
  }
  int moves = hf_model_body_dofnum(m)[b] > 0;
  hfi_set_body_root(m)[b] = b == 0 || parent == 0 ? b : hf_model_body_root(m)[parent];
  hfi_set_body_weld(m)[b] = b == 0 || moves || d->mocap ? b : hf_model_body_weld(m)[parent];
  int last = b ? hf_model_body_lastdof(m)[parent] : -1,
      tree = b ? hf_model_body_tree(m)[parent] : -1;
  if (moves && tree < 0) {
    tree = (*ntree)++;
    hfi_set_tree_body(m)[tree] = b;
    hfi_set_tree_dofadr(m)[tree] = hf_model_body_dofadr(m)[b];
  }
  if (moves) hfi_set_tree_dofnum(m)[tree] += hf_model_body_dofnum(m)[b];
  hfi_set_body_tree(m)[b] = tree;
  for (int k = 0; k < hf_model_body_dofnum(m)[b]; ++k) {
    int i = hf_model_body_dofadr(m)[b] + k;
    hfi_set_dof_parent(m)[i] = last;
    hfi_set_dof_tree(m)[i] = tree;
    hfi_set_dof_depth(m)[i] = last < 0 ? 0 : hf_model_dof_depth(m)[last] + 1;
    last = i;
  }
  hfi_set_body_lastdof(m)[b] = last;
}

static void fill_sparsity(hfModel* m) {
  int at = 0;
  for (int i = 0; i < m->nv; ++i) {
    hfi_set_dof_Madr(m)[i] = at;
    int depth = hf_model_dof_depth(m)[i];
    for (int k = depth, j = i; k >= 0; --k, j = hf_model_dof_parent(m)[j])
      hfi_set_M_col(m)[at + k] = j;
    at += depth + 1;
  }
}

void hfi_finish_tree(hfiFinish* f) {
  hfModel* m = f->m;
  int nmocap = 0, ntree = 0;
  for (int b = 0; b < m->nbody; ++b) {
    const hfBodyDef* d = &f->b->body.data[f->order.body_of[b]];
    link_body(m, d, b, b ? f->order.new_body[d->parent] : 0, &nmocap, &ntree);
    hfi_set_body_subtreeend(m)[b] = b + 1;
  }
  for (int b = m->nbody - 1; b > 0; --b) {
    int32_t* end = hfi_set_body_subtreeend(m);
    int parent = hf_model_body_parent(m)[b];
    if (end[b] > end[parent]) end[parent] = end[b];
  }
  fill_sparsity(m);
}
