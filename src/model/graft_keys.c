// Keyframes when one builder is attached to another. The arrays of a keyframe are in the order of the model: joints by the
// depth-first order of their bodies, activations and controls by actuator, mocap poses by body.
#include "model/graft.h"

#include "model/builder_add.h"
#include "model/motor.h"
#include "model/order.h"

#include <stdlib.h>
#include <string.h>

hfStatus hfi_key_layout_create(hfiKeyLayout* l, const hfBuilder* b, hfError* error) {
  hfiOrder order;
  *l = (hfiKeyLayout){.njoint = b->joint.count, .nactuator = b->actuator.count};
  hfStatus status = hfi_order_create(&order, b, error);
  if (status != HF_OK) return status;
  hf_builder_sizes(b, &l->nq, &l->nv, &l->na, &l->nu, &l->nmocap);
  size_t total = 2 * (size_t)b->joint.count + 2 * (size_t)b->actuator.count + (size_t)b->body.count;
  l->qpos = malloc(total * sizeof *l->qpos + 1);
  if (l->qpos) {
    l->qvel = l->qpos + b->joint.count;
    l->act = l->qvel + b->joint.count;
    l->act_count = l->act + b->actuator.count;
    l->mocap = l->act_count + b->actuator.count;
    for (int i = 0, q = 0, v = 0; i < b->joint.count; ++i) {
      int j = order.joint_of[i], type = b->joint.data[j].type;
      l->qpos[j] = q, l->qvel[j] = v;
      q += hfi_joint_nq(type), v += hfi_joint_nv(type);
    }
    for (int i = 0, a = 0; i < b->actuator.count; a += l->act_count[i++]) {
      l->act[i] = a;
      l->act_count[i] = hfi_activation_count(b->actuator.data[i].dyntype, b->actuator.data[i].motor);
    }
    for (int i = 0, n = 0; i < b->body.count; ++i) {
      int body = order.body_of[i];
      l->mocap[body] = b->body.data[body].mocap ? n++ : -1;
    }
  }
  hfi_order_release(&order);
  return l->qpos ? HF_OK : (hfStatus)hfi_refuse_memory(error);
}

void hfi_key_layout_release(hfiKeyLayout* l) {
  free(l->qpos);
  *l = (hfiKeyLayout){0};
}

// The arrays of a keyframe, for writing.
typedef struct KeyArrays {
  double *qpos, *qvel, *act, *ctrl, *mpos, *mquat;
} KeyArrays;

// Coordinates of a joint at the reference configuration.
static void reference_coordinates(const hfBuilder* b, int j, double* q) {
  const hfJointDef* d = &b->joint.data[j];
  const hfiJointKind* kind = &hfi_joint_kinds[d->type];
  const hfBodyDef* body = &b->body.data[d->body];
  for (int i = 0; i < kind->info.nq; ++i) q[i] = d->ref;
  if (kind->nworld) memcpy(q, body->pos, sizeof body->pos);
  if (kind->info.quat < 0) return;
  static const double unit[4] = {1, 0, 0, 0};
  memcpy(q + kind->info.quat, kind->nworld ? body->quat : unit, sizeof unit);
}

// Arrays in the pool for a builder of this layout, with everything at its reference. Arrays that `d` lacks stay NULL: they
// mean the reference.
static hfStatus make_arrays(hfBuilder* b, const hfiKeyLayout* l, const hfKeyDef* d, KeyArrays* a, hfError* error) {
  struct {
    double** array;
    const double* given;
    int count;
  } arrays[] = {{&a->qpos, d->qpos, l->nq}, {&a->qvel, d->qvel, l->nv},        {&a->act, d->act, l->na},
                {&a->ctrl, d->ctrl, l->nu}, {&a->mpos, d->mpos, 3 * l->nmocap}, {&a->mquat, d->mquat, 4 * l->nmocap}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i].array = NULL;
    if (!arrays[i].given) continue;
    *arrays[i].array = hfi_pool_copy(&b->pool, NULL, sizeof(double) * (size_t)arrays[i].count);
    if (!*arrays[i].array) return (hfStatus)hfi_refuse_memory(error);
  }
  for (int j = 0; a->qpos && j < b->joint.count; ++j) reference_coordinates(b, j, a->qpos + l->qpos[j]);
  for (int i = 0; i < b->body.count; ++i) {
    if (l->mocap[i] < 0) continue;
    if (a->mpos) memcpy(a->mpos + 3 * l->mocap[i], b->body.data[i].pos, 3 * sizeof(double));
    if (a->mquat) memcpy(a->mquat + 4 * l->mocap[i], b->body.data[i].quat, 4 * sizeof(double));
  }
  return HF_OK;
}

static void copy(double* to, int at, const double* from, int from_at, int count) {
  if (to && from) memcpy(to + at, from + from_at, sizeof *to * (size_t)count);
}

static void copy_joint(KeyArrays* a, const hfiKeyLayout* to, int j, const hfKeyDef* d, const hfiKeyLayout* from, int k,
                       int type) {
  copy(a->qpos, to->qpos[j], d->qpos, from->qpos[k], hfi_joint_nq(type));
  copy(a->qvel, to->qvel[j], d->qvel, from->qvel[k], hfi_joint_nv(type));
}

static void copy_actuator(KeyArrays* a, const hfiKeyLayout* to, int i, const hfKeyDef* d, const hfiKeyLayout* from, int k) {
  copy(a->ctrl, i, d->ctrl, k, 1);
  copy(a->act, to->act[i], d->act, from->act[k], from->act_count[k]);
}

static void point_to(hfKeyDef* d, const KeyArrays* a) {
  d->qpos = a->qpos, d->qvel = a->qvel, d->act = a->act, d->ctrl = a->ctrl, d->mpos = a->mpos, d->mquat = a->mquat;
}

hfStatus hfi_graft_extend_keys(hfBuilder* b, int count, const hfiKeyLayout* before, hfError* error) {
  hfiKeyLayout now = {0};
  hfStatus status = count > 0 ? hfi_key_layout_create(&now, b, error) : HF_OK;
  for (int i = 0; i < count && status == HF_OK; ++i) {
    hfKeyDef* d = &b->key.data[i];
    KeyArrays a;
    status = make_arrays(b, &now, d, &a, error);
    if (status != HF_OK) break;
    for (int j = 0; j < before->njoint; ++j) copy_joint(&a, &now, j, d, before, j, b->joint.data[j].type);
    for (int k = 0; k < before->nactuator; ++k) copy_actuator(&a, &now, k, d, before, k);
    for (int k = 0, n = 0; k < b->body.count && n < before->nmocap; ++k)
      if (now.mocap[k] >= 0 && ++n) { // mocap bodies that were added since have larger ids
        copy(a.mpos, 3 * now.mocap[k], d->mpos, 3 * before->mocap[k], 3);
        copy(a.mquat, 4 * now.mocap[k], d->mquat, 4 * before->mocap[k], 4);
      }
    point_to(d, &a);
  }
  hfi_key_layout_release(&now);
  return status;
}

// The pose of a floating or mocap body in b's world, which was written in the guest's world.
static void move_pose(const hfiGraft* g, double* pos, double* quat) {
  if (pos) v3_store(pos, v3_add(g->p, q_rotate(g->q, v3_load(pos))));
  if (quat) q_store(quat, q_unit(q_mul(g->q, q_load(quat))));
}

static void fill_from_guest(hfiGraft* g, const hfKeyDef* d, const hfiKeyLayout* from, const hfiKeyLayout* to, KeyArrays* a) {
  for (int k = 0; k < g->guest->joint.count; ++k) {
    int j = g->id[HF_OBJECT_JOINT][k], type = g->guest->joint.data[k].type;
    if (j < 0) continue;
    copy_joint(a, to, j, d, from, k, type);
    if (a->qpos && hfi_joint_kinds[type].nworld)
      move_pose(g, a->qpos + to->qpos[j], a->qpos + to->qpos[j] + hfi_joint_kinds[type].info.quat);
    if (a->qvel && hfi_joint_kinds[type].nworld)
      v3_store(a->qvel + to->qvel[j], q_rotate(g->q, v3_load(a->qvel + to->qvel[j])));
  }
  for (int k = 0; k < g->guest->actuator.count; ++k)
    if (g->id[HF_OBJECT_ACTUATOR][k] >= 0) copy_actuator(a, to, g->id[HF_OBJECT_ACTUATOR][k], d, from, k);
  for (int k = 0; k < g->guest->body.count; ++k) {
    int body = g->id[HF_OBJECT_BODY][k];
    if (from->mocap[k] < 0 || body < 0) continue;
    copy(a->mpos, 3 * to->mocap[body], d->mpos, 3 * from->mocap[k], 3);
    copy(a->mquat, 4 * to->mocap[body], d->mquat, 4 * from->mocap[k], 4);
    move_pose(g, a->mpos ? a->mpos + 3 * to->mocap[body] : NULL, a->mquat ? a->mquat + 4 * to->mocap[body] : NULL);
  }
}

static hfStatus copy_key(hfiGraft* g, const hfKeyDef* source, const hfiKeyLayout* from, const hfiKeyLayout* to, hfError* error) {
  hfKeyDef d = *source;
  KeyArrays a;
  hfStatus status = make_arrays(g->b, to, source, &a, error);
  if (status != HF_OK) return status;
  fill_from_guest(g, source, from, to, &a);
  point_to(&d, &a);
  d.name = hfi_graft_name(g, d.name);
  if (source->name && !d.name) return (hfStatus)hfi_refuse_memory(error);
  int id = hf_builder_add_key(g->b, &d, error);
  return id < 0 ? (hfStatus)id : HF_OK;
}

hfStatus hfi_graft_keys(hfiGraft* g, hfError* error) {
  hfiKeyLayout from = {0}, to = {0};
  hfStatus status = g->guest->key.count > 0 ? hfi_key_layout_create(&from, g->guest, error) : HF_OK;
  if (status == HF_OK && g->guest->key.count > 0) status = hfi_key_layout_create(&to, g->b, error);
  for (int i = 0; i < g->guest->key.count && status == HF_OK; ++i)
    status = copy_key(g, &g->guest->key.data[i], &from, &to, error);
  hfi_key_layout_release(&from);
  hfi_key_layout_release(&to);
  return status;
}
