// Bodies and joints.
#include "build/inside.h"

#include "model/derive.h"

#include <string.h>

// Fills the coordinates of joint j at the reference configuration and at the rest of its spring.
static void fill_reference(hfModel* m, const hfJointDef* d, int j) {
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  double* q0 = hfi_set_qpos0(m) + hf_model_jnt_qposadr(m)[j];
  double* rest = hfi_set_qpos_spring(m) + hf_model_jnt_qposadr(m)[j];
  int body = hf_model_jnt_body(m)[j];
  int quat = joint->info.quat;

  for (int i = 0; i < joint->nworld; ++i) q0[i] = rest[i] = hf_model_body_pos(m)[3 * body + i];
  for (int i = joint->nworld; i < joint->nworld + joint->nchain; ++i) {
    q0[i] = d->ref;
    rest[i] = d->springref;
  }

  if (quat >= 0) {
    hfQuat q = joint->nworld ? q_load(hf_model_body_quat(m) + 4 * body) : q_identity();
    q_store(q0 + quat, q);
    q_store(rest + quat, q);
  }
}

// Fills what joint j and its dofs have beside their places in the tree.
static void fill_joint(hfModel* m, const hfJointDef* d, int j) {
  hfi_set_jnt_limited(m)[j] = d->limited != 0;
  hfi_set_jnt_actfrclimited(m)[j] = d->actfrclimited != 0;
  hfi_set_jnt_actgravcomp(m)[j] = d->actgravcomp != 0;
  memcpy(hfi_set_jnt_pos(m) + 3 * j, d->pos, sizeof d->pos);
  memcpy(hfi_set_jnt_axis(m) + 3 * j, d->axis, sizeof d->axis);
  hfi_set_jnt_pitch(m)[j] = d->type == HF_JOINT_SCREW ? d->pitch : 0;
  memcpy(hfi_set_jnt_range(m) + 2 * j, d->range, sizeof d->range);
  memcpy(hfi_set_jnt_actfrcrange(m) + 2 * j, d->actfrcrange, sizeof d->actfrcrange);
  hfi_set_jnt_margin(m)[j] = d->margin;

  // springs and limits
  hfi_set_jnt_stiffness(m)[j] = d->stiffness;
  hfi_set_jnt_springyield(m)[j] = d->springyield;
  memcpy(hfi_set_jnt_stiffness_poly(m) + 2 * j, d->stiffness_poly, sizeof d->stiffness_poly);
  memcpy(hfi_set_jnt_bend(m) + 3 * j, d->bend, sizeof d->bend);
  memcpy(hfi_set_jnt_bend_rest(m) + 3 * j, d->bend_rest, sizeof d->bend_rest);
  hfi_set_jnt_limit_stiffness(m)[j] = d->limit_stiffness;
  hfi_set_jnt_limit_damping(m)[j] = d->limit_damping;
  memcpy(hfi_set_jnt_limit_solref(m) + 2 * j, d->limit_solref, sizeof d->limit_solref);
  memcpy(hfi_set_jnt_limit_solimp(m) + 5 * j, d->limit_solimp, sizeof d->limit_solimp);

  // its dofs
  int first = hf_model_jnt_dofadr(m)[j];
  for (int i = first; i < first + hfi_joint_nv(d->type); ++i) {
    hfi_set_dof_armature(m)[i] = d->armature;
    hfi_set_dof_damping(m)[i] = d->damping;
    memcpy(hfi_set_dof_damping_poly(m) + 2 * i, d->damping_poly, sizeof d->damping_poly);
    hfi_set_dof_frictionloss(m)[i] = d->frictionloss;
  }
}

// Fills bodies and joints, and what follows from the tree.
void hfi_finish_tree(hfiFinish* f) {
  hfModel* m = f->m;
  for (int i = 0; i < m->nbody; ++i) {
    const hfBodyDef* d = hfi_finish_def(f, HF_OBJECT_BODY, i);
    memcpy(hfi_set_body_pos(m) + 3 * i, d->pos, sizeof d->pos);
    memcpy(hfi_set_body_quat(m) + 4 * i, d->quat, sizeof d->quat);
    hfi_set_body_parent(m)[i] = i ? hfi_order_new(&f->order, HF_OBJECT_BODY, d->parent) : 0;
    hfi_set_body_gravcomp(m)[i] = d->gravcomp;
    // 0 only marks it; hfi_fill_topology numbers mocap bodies
    hfi_set_body_mocap(m)[i] = d->mocap ? 0 : -1;
  }

  for (int j = 0; j < m->njnt; ++j) {
    const hfJointDef* d = hfi_finish_def(f, HF_OBJECT_JOINT, j);
    hfi_set_jnt_type(m)[j] = d->type;
    hfi_set_jnt_body(m)[j] = hfi_order_new(&f->order, HF_OBJECT_BODY, d->body);
  }

  for (int i = 0; i < m->ngeom; ++i) {
    const hfGeomDef* d = hfi_finish_def(f, HF_OBJECT_GEOM, i);
    hfi_set_geom_body(m)[i] = hfi_order_new(&f->order, HF_OBJECT_BODY, d->body);
  }

  // the rest needs the addresses that follow from these
  hfi_fill_topology(m);

  for (int j = 0; j < m->njnt; ++j) {
    const hfJointDef* d = hfi_finish_def(f, HF_OBJECT_JOINT, j);
    fill_joint(m, d, j);
    fill_reference(m, d, j);
  }

  for (int t = 0; t < m->ntree; ++t) {
    const hfBodyDef* d = hfi_finish_def(f, HF_OBJECT_BODY, hf_model_tree_body(m)[t]);
    hfi_set_tree_sleep(m)[t] = d->sleep;
  }
}
