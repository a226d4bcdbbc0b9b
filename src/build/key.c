#include "build/key.h"

#include "base/error.h"
#include "math/vec3.h"
#include "build/builder_add.h"
#include "model/actuator.h"

#include <stdlib.h>
#include <string.h>

hfStatus hfi_key_layout_create(hfiKeyLayout* l, const hfBuilder* b, const hfiOrder* order, hfError* error) {
  *l = (hfiKeyLayout){.nu = b->actuator.count};
  size_t total = 2 * (size_t)b->joint.count + 2 * (size_t)b->actuator.count + (size_t)b->body.count;
  l->qpos = malloc(total * sizeof *l->qpos + 1);
  if (!l->qpos) return (hfStatus)hfi_refuse_memory(error);
  l->qvel = l->qpos + b->joint.count;
  l->act = l->qvel + b->joint.count;
  l->act_count = l->act + b->actuator.count;
  l->mocap = l->act_count + b->actuator.count;
  for (int i = 0; i < b->joint.count; ++i) {
    int j = order ? order->joint_of[i] : i, type = b->joint.data[j].type;
    l->qpos[j] = l->nq, l->qvel[j] = l->nv;
    l->nq += hfi_joint_nq(type), l->nv += hfi_joint_nv(type);
  }
  for (int i = 0; i < b->actuator.count; ++i) {
    const hfActuatorDef* d = &b->actuator.data[i];
    l->act[i] = l->na;
    l->act_count[i] = order ? hfi_activation_count(d->dyntype, d->motor) : HFI_MOTOR_STATES; // No actuator has more activations than a motor.
    l->na += l->act_count[i];
  }
  for (int i = 0; i < b->body.count; ++i) {
    int body = order ? order->body_of[i] : i;
    l->mocap[body] = !order || b->body.data[body].mocap ? l->nmocap++ : -1;
  }
  return HF_OK;
}

void hfi_key_layout_release(hfiKeyLayout* l) {
  free(l->qpos);
  *l = (hfiKeyLayout){0};
}

static void copy(double* to, int at, const double* from, int from_at, int count) {
  if (to && from) memcpy(to + at, from + from_at, sizeof *to * (size_t)count);
}

void hfi_key_copy_joint(const hfiKeyArrays* a, const hfiKeyLayout* to, int j, const hfKeyDef* d, const hfiKeyLayout* from, int k,
                        int type) {
  copy(a->qpos, to->qpos[j], d->qpos, from->qpos[k], hfi_joint_nq(type));
  copy(a->qvel, to->qvel[j], d->qvel, from->qvel[k], hfi_joint_nv(type));
}

void hfi_key_copy_actuator(const hfiKeyArrays* a, const hfiKeyLayout* to, int i, const hfKeyDef* d, const hfiKeyLayout* from, int k) {
  copy(a->ctrl, i, d->ctrl, k, 1);
  copy(a->act, to->act[i], d->act, from->act[k], imin2(to->act_count[i], from->act_count[k]));
}

void hfi_key_copy_mocap(const hfiKeyArrays* a, const hfiKeyLayout* to, int body, const hfKeyDef* d, const hfiKeyLayout* from, int k) {
  if (to->mocap[body] < 0 || from->mocap[k] < 0) return;
  copy(a->mpos, 3 * to->mocap[body], d->mpos, 3 * from->mocap[k], 3);
  copy(a->mquat, 4 * to->mocap[body], d->mquat, 4 * from->mocap[k], 4);
}

// Copies all of the first joints, actuators and bodies from one layout of b to another.
static void copy_all(const hfBuilder* b, const hfiKey* key, const hfKeyDef* d, const hfiKeyLayout* from, const hfiKeyLayout* to,
                     const hfiKeyArrays* a) {
  for (int j = 0; j < key->njoint; ++j) hfi_key_copy_joint(a, to, j, d, from, j, b->joint.data[j].type);
  for (int i = 0; i < key->nactuator; ++i) hfi_key_copy_actuator(a, to, i, d, from, i);
  for (int i = 0; i < key->nbody; ++i) hfi_key_copy_mocap(a, to, i, d, from, i);
}

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

static void fill_zero(double* x, int n) {
  if (x && n > 0) memset(x, 0, sizeof *x * (size_t)n);
}

// Puts everything at its reference, at rest and without controls.
static void fill_reference(const hfBuilder* b, const hfiKeyLayout* l, const hfiKeyArrays* a) {
  for (int j = 0; a->qpos && j < b->joint.count; ++j) reference_coordinates(b, j, a->qpos + l->qpos[j]);
  fill_zero(a->qvel, l->nv);
  fill_zero(a->act, l->na);
  fill_zero(a->ctrl, l->nu);
  for (int i = 0; i < b->body.count; ++i) {
    if (l->mocap[i] < 0) continue;
    copy(a->mpos, 3 * l->mocap[i], b->body.data[i].pos, 0, 3);
    copy(a->mquat, 4 * l->mocap[i], b->body.data[i].quat, 0, 4);
  }
}

hfStatus hfi_key_create(hfBuilder* b, const hfiKeyLayout* ids, const hfKeyDef* like, hfiKey* key, hfiKeyArrays* a, hfError* error) {
  struct {
    double** array;
    const double* given;
    int count;
  } arrays[] = {{&a->qpos, like->qpos, ids->nq}, {&a->qvel, like->qvel, ids->nv},         {&a->act, like->act, ids->na},
                {&a->ctrl, like->ctrl, ids->nu}, {&a->mpos, like->mpos, 3 * ids->nmocap}, {&a->mquat, like->mquat, 4 * ids->nmocap}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i].array = arrays[i].given ? hfi_pool_copy(&b->pool, NULL, sizeof(double) * (size_t)arrays[i].count) : NULL;
    if (arrays[i].given && !*arrays[i].array) return (hfStatus)hfi_refuse_memory(error);
  }
  fill_reference(b, ids, a);
  *key = (hfiKey){*like, b->joint.count, b->actuator.count, b->body.count};
  key->def.qpos = a->qpos, key->def.qvel = a->qvel, key->def.act = a->act, key->def.ctrl = a->ctrl;
  key->def.mpos = a->mpos, key->def.mquat = a->mquat;
  return HF_OK;
}

int hfi_key_add(hfBuilder* b, hfiKey* key, hfError* error) {
  HFI_ADD(b->key, HF_OBJECT_KEY, key->def);
  return HFI_APPEND(b->key, *key);
}

void hfi_key_unfold(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyLayout* model, const hfiKey* key, const hfiKeyArrays* a) {
  fill_reference(b, model, a);
  copy_all(b, key, &key->def, ids, model, a);
}

// The layout that keyframes have in the model which the builder describes now.
static hfStatus create_model_layout(hfiKeyLayout* l, hfBuilder* b, hfError* error) {
  hfiOrder order;
  hfStatus status = hfi_order_create(&order, b, error);
  if (status != HF_OK) return status;
  status = hfi_key_layout_create(l, b, &order, error);
  hfi_order_release(&order);
  return status;
}

hfStatus hfi_key_reference(hfBuilder* b, const hfiKeyArrays* a, hfError* error) {
  hfiKeyLayout model = {0};
  hfStatus status = create_model_layout(&model, b, error);
  if (status == HF_OK) fill_reference(b, &model, a);
  hfi_key_layout_release(&model);
  return status;
}

static int add_by_layouts(hfBuilder* b, const hfKeyDef* d, const hfiKeyLayout* model, const hfiKeyLayout* ids, hfError* error) {
  const hfiNumbers numbers[] = {{"time", &d->time, 1, 0},
                                {"qpos", d->qpos, d->qpos ? model->nq : 0, 0},
                                {"qvel", d->qvel, d->qvel ? model->nv : 0, 0},
                                {"act", d->act, d->act ? model->na : 0, 0},
                                {"ctrl", d->ctrl, d->ctrl ? model->nu : 0, 0},
                                {"mpos", d->mpos, d->mpos ? 3 * model->nmocap : 0, 0},
                                {"mquat", d->mquat, d->mquat ? 4 * model->nmocap : 0, 0}};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, HF_OBJECT_KEY, error);
  if (status != HF_OK) return status;
  hfiKey key;
  hfiKeyArrays a;
  status = hfi_key_create(b, ids, d, &key, &a, error);
  if (status != HF_OK) return status;
  copy_all(b, &key, d, model, ids, &a);
  return hfi_key_add(b, &key, error);
}

int hf_builder_add_key(hfBuilder* b, const hfKeyDef* def, hfError* error) {
  hfi_clear_error(error);
  hfiKeyLayout model = {0}, ids = {0};
  hfStatus status = create_model_layout(&model, b, error);
  if (status == HF_OK) status = hfi_key_layout_create(&ids, b, NULL, error);
  int id = status == HF_OK ? add_by_layouts(b, def, &model, &ids, error) : status;
  hfi_key_layout_release(&model);
  hfi_key_layout_release(&ids);
  return id;
}
