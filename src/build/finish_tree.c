// Bodies and joints.
#include "build/finish.h"

#include "model/derive.h"

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

static void fill_joint(hfModel* m, const hfJointDef* d, int j) {
  int vadr = hf_model_jnt_dofadr(m)[j];
  hfi_set_jnt_limited(m)[j] = d->limited != 0;
  hfi_set_jnt_actfrclimited(m)[j] = d->actfrclimited != 0;
  hfi_set_jnt_actgravcomp(m)[j] = d->actgravcomp != 0;
  memcpy(hfi_set_jnt_pos(m) + 3 * j, d->pos, sizeof d->pos);
  memcpy(hfi_set_jnt_axis(m) + 3 * j, d->axis, sizeof d->axis);
  hfi_set_jnt_pitch(m)[j] = d->type == HF_JOINT_SCREW ? d->pitch : 0;
  memcpy(hfi_set_jnt_range(m) + 2 * j, d->range, sizeof d->range);
  memcpy(hfi_set_jnt_actfrcrange(m) + 2 * j, d->actfrcrange, sizeof d->actfrcrange);
  hfi_set_jnt_margin(m)[j] = d->margin;
  hfi_set_jnt_stiffness(m)[j] = d->stiffness;
  hfi_set_jnt_springyield(m)[j] = d->springyield;
  memcpy(hfi_set_jnt_stiffness_poly(m) + 2 * j, d->stiffness_poly, sizeof d->stiffness_poly);
  memcpy(hfi_set_jnt_bend(m) + 3 * j, d->bend, sizeof d->bend);
  memcpy(hfi_set_jnt_bend_rest(m) + 3 * j, d->bend_rest, sizeof d->bend_rest);
  hfi_set_jnt_limit_stiffness(m)[j] = d->limit_stiffness;
  hfi_set_jnt_limit_damping(m)[j] = d->limit_damping;
  memcpy(hfi_set_jnt_limit_solref(m) + 2 * j, d->limit_solref, sizeof d->limit_solref);
  memcpy(hfi_set_jnt_limit_solimp(m) + 5 * j, d->limit_solimp, sizeof d->limit_solimp);
  fill_reference(m, d, j, hf_model_jnt_qposadr(m)[j]);
  for (int i = vadr; i < vadr + hfi_joint_nv(d->type); ++i) {
    hfi_set_dof_armature(m)[i] = d->armature;
    hfi_set_dof_damping(m)[i] = d->damping;
    memcpy(hfi_set_dof_damping_poly(m) + 2 * i, d->damping_poly, sizeof d->damping_poly);
    hfi_set_dof_frictionloss(m)[i] = d->frictionloss;
  }
}

void hfi_finish_tree(hfiFinish* f) {
  hfModel* m = f->m;
  for (int i = 0; i < m->nbody; ++i) {
    const hfBodyDef* d = &f->b->body.data[f->order.body_of[i]];
    memcpy(hfi_set_body_pos(m) + 3 * i, d->pos, sizeof d->pos);
    memcpy(hfi_set_body_quat(m) + 4 * i, d->quat, sizeof d->quat);
    hfi_set_body_parent(m)[i] = i ? f->order.new_body[d->parent] : 0;
    hfi_set_body_gravcomp(m)[i] = d->gravcomp;
    hfi_set_body_mocap(m)[i] = d->mocap ? 0 : -1;
  }
  for (int j = 0; j < m->njnt; ++j) {
    const hfJointDef* d = &f->b->joint.data[f->order.joint_of[j]];
    hfi_set_jnt_type(m)[j] = d->type;
    hfi_set_jnt_body(m)[j] = f->order.new_body[d->body];
  }
  for (int i = 0; i < m->ngeom; ++i)
    hfi_set_geom_body(m)[i] = f->order.new_body[f->b->geom.data[f->order.geom_of[i]].body];
  hfi_fill_topology(m);
  for (int j = 0; j < m->njnt; ++j) fill_joint(m, &f->b->joint.data[f->order.joint_of[j]], j);
  for (int t = 0; t < m->ntree; ++t) hfi_set_tree_sleep(m)[t] = f->b->body.data[f->order.body_of[hf_model_tree_body(m)[t]]].sleep;
}
