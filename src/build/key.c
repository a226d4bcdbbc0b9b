// Keyframes of a builder (key.h).
#include "build/key.h"

#include "base/error.h"
#include "build/inside.h"

#include <stdlib.h>
#include <string.h>

// ---- layouts ---------------------------------------------------------------------------------------

// Finds where each joint, actuator and mocap body has its numbers in a keyframe: in the order of a model, or with order
// NULL by ids of the builder. One block of memory holds all five lists of *l.
hfStatus hfi_key_layout_create(hfiKeyLayout* l, const hfBuilder* b, const hfiOrder* order, hfError* error) {
  size_t njoint = (size_t)b->joint.count;
  size_t nactuator = (size_t)b->actuator.count;
  *l = (hfiKeyLayout){.nu = b->actuator.count};
  l->qpos = malloc((2 * njoint + 2 * nactuator + (size_t)b->body.count) * sizeof *l->qpos + 1);
  if (!l->qpos) return hfi_refuse_memory(error);

  l->qvel = l->qpos + njoint;
  l->act = l->qvel + njoint;
  l->act_count = l->act + nactuator;
  l->mocap = l->act_count + nactuator;

  for (int i = 0; i < b->joint.count; ++i) {
    int j = order ? hfi_order_old(order, HF_OBJECT_JOINT, i) : i;
    l->qpos[j] = l->nq;
    l->qvel[j] = l->nv;
    l->nq += hfi_joint_nq(b->joint.data[j].type);
    l->nv += hfi_joint_nv(b->joint.data[j].type);
  }

  // actuators have the same order in both; by ids there is room for any: none has more activations than a motor
  for (int i = 0; i < b->actuator.count; ++i) {
    const hfActuatorDef* d = &b->actuator.data[i];
    l->act[i] = l->na;
    l->act_count[i] = order ? hfi_activation_count(d->dyntype, d->motor) : HFI_MOTOR_STATES;
    l->na += l->act_count[i];
  }

  for (int i = 0; i < b->body.count; ++i) {
    int body = order ? hfi_order_old(order, HF_OBJECT_BODY, i) : i;
    // by ids any body may be a mocap body
    int has_pose = !order || b->body.data[body].mocap;
    l->mocap[body] = has_pose ? l->nmocap++ : -1;
  }

  return HF_OK;
}

void hfi_key_layout_release(hfiKeyLayout* l) {
  free(l->qpos);
  *l = (hfiKeyLayout){0};
}

// Makes the layout that keyframes have in the model which the builder describes now.
static hfStatus create_model_layout(hfiKeyLayout* l, const hfBuilder* b, hfError* error) {
  hfiOrder order;
  hfStatus status = hfi_order_create(&order, b, error);
  if (status != HF_OK) return status;

  status = hfi_key_layout_create(l, b, &order, error);
  hfi_order_release(&order);
  return status;
}

// ---- copies ----------------------------------------------------------------------------------------

// Copies numbers from one array to another, if both are there.
static void copy(double* to, int to_first, const double* from, int from_first, int count) {
  if (to && from) memcpy(to + to_first, from + from_first, sizeof *to * (size_t)count);
}

void hfi_key_copy_joint(const hfiKeyArrays* a, const hfiKeyLayout* to, int j, const hfKeyDef* d,
                        const hfiKeyLayout* from, int k, int type) {
  copy(a->qpos, to->qpos[j], d->qpos, from->qpos[k], hfi_joint_nq(type));
  copy(a->qvel, to->qvel[j], d->qvel, from->qvel[k], hfi_joint_nv(type));
}

void hfi_key_copy_actuator(const hfiKeyArrays* a, const hfiKeyLayout* to, int i, const hfKeyDef* d,
                           const hfiKeyLayout* from, int k) {
  copy(a->ctrl, i, d->ctrl, k, 1);
  copy(a->act, to->act[i], d->act, from->act[k], imin2(to->act_count[i], from->act_count[k]));
}

void hfi_key_copy_mocap(const hfiKeyArrays* a, const hfiKeyLayout* to, int body, const hfKeyDef* d,
                        const hfiKeyLayout* from, int k) {
  if (to->mocap[body] < 0 || from->mocap[k] < 0) return;
  copy(a->mpos, 3 * to->mocap[body], d->mpos, 3 * from->mocap[k], 3);
  copy(a->mquat, 4 * to->mocap[body], d->mquat, 4 * from->mocap[k], 4);
}

// Copies all of the first joints, actuators and bodies from one layout of b to another.
static void copy_all(const hfBuilder* b, const hfiKey* key, const hfKeyDef* d, const hfiKeyLayout* from,
                     const hfiKeyLayout* to, const hfiKeyArrays* a) {
  for (int j = 0; j < key->njoint; ++j) hfi_key_copy_joint(a, to, j, d, from, j, b->joint.data[j].type);
  for (int i = 0; i < key->nactuator; ++i) hfi_key_copy_actuator(a, to, i, d, from, i);
  for (int i = 0; i < key->nbody; ++i) hfi_key_copy_mocap(a, to, i, d, from, i);
}

// ---- the reference ---------------------------------------------------------------------------------

// Writes the coordinates of a joint at the reference configuration to q.
static void fill_reference_coordinates(const hfBuilder* b, int j, double* q) {
  static const double unit[4] = {1, 0, 0, 0};
  const hfJointDef* d = &b->joint.data[j];
  const hfiJointKind* kind = &hfi_joint_kinds[d->type];
  const hfBodyDef* body = &b->body.data[d->body];

  for (int i = 0; i < kind->info.nq; ++i) q[i] = d->ref;
  if (kind->nworld) memcpy(q, body->pos, sizeof body->pos);
  if (kind->info.quat >= 0) memcpy(q + kind->info.quat, kind->nworld ? body->quat : unit, sizeof unit);
}

static void fill_zero(double* x, int n) {
  if (x && n > 0) memset(x, 0, sizeof *x * (size_t)n);
}

// Puts everything at its reference, at rest and without controls. Arrays that are NULL are left out.
static void fill_reference(const hfBuilder* b, const hfiKeyLayout* l, const hfiKeyArrays* a) {
  for (int j = 0; a->qpos && j < b->joint.count; ++j) fill_reference_coordinates(b, j, a->qpos + l->qpos[j]);
  fill_zero(a->qvel, l->nv);
  fill_zero(a->act, l->na);
  fill_zero(a->ctrl, l->nu);

  for (int i = 0; i < b->body.count; ++i) {
    if (l->mocap[i] < 0) continue;
    copy(a->mpos, 3 * l->mocap[i], b->body.data[i].pos, 0, 3);
    copy(a->mquat, 4 * l->mocap[i], b->body.data[i].quat, 0, 4);
  }
}

// Fills arrays of a keyframe with the reference configuration, laid out as in the model which the builder describes
// now.
hfStatus hfi_key_reference(const hfBuilder* b, const hfiKeyArrays* a, hfError* error) {
  hfiKeyLayout model = {0};
  hfStatus status = create_model_layout(&model, b, error);
  if (status == HF_OK) fill_reference(b, &model, a);
  hfi_key_layout_release(&model);
  return status;
}

// ---- keyframes -------------------------------------------------------------------------------------

// Makes a keyframe laid out by ids, with the time and name of `like` and the arrays that it gives, which begin at the
// reference configuration. *a are its arrays; one that is not given is NULL.
hfStatus hfi_key_create(hfBuilder* b, const hfiKeyLayout* ids, const hfKeyDef* like, hfiKey* key, hfiKeyArrays* a,
                        hfError* error) {
  const struct {
    double** array;
    const double* given;
    int count;
  } arrays[] = {{&a->qpos, like->qpos, ids->nq},
                {&a->qvel, like->qvel, ids->nv},
                {&a->act, like->act, ids->na},
                {&a->ctrl, like->ctrl, ids->nu},
                {&a->mpos, like->mpos, 3 * ids->nmocap},
                {&a->mquat, like->mquat, 4 * ids->nmocap}};

  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i].array = NULL;
    if (!arrays[i].given) continue;
    *arrays[i].array = hfi_pool_copy(&b->pool, NULL, sizeof(double) * (size_t)arrays[i].count);
    if (!*arrays[i].array) return hfi_refuse_memory(error);
  }

  // a keyframe knows how many joints, actuators and bodies there were
  fill_reference(b, ids, a);
  *key = (hfiKey){*like, b->joint.count, b->actuator.count, b->body.count};
  key->def.qpos = a->qpos;
  key->def.qvel = a->qvel;
  key->def.act = a->act;
  key->def.ctrl = a->ctrl;
  key->def.mpos = a->mpos;
  key->def.mquat = a->mquat;

  return HF_OK;
}

int hfi_key_add(hfBuilder* b, hfiKey* key, hfError* error) { return hfi_builder_enter(b, HF_OBJECT_KEY, key, error); }

void hfi_key_unfold(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyLayout* model, const hfiKey* key,
                    const hfiKeyArrays* a) {
  fill_reference(b, model, a);
  copy_all(b, key, &key->def, ids, model, a);
}

// Adds a keyframe that is given in the order of the model.
static int add_by_layouts(hfBuilder* b, const hfKeyDef* d, const hfiKeyLayout* model, const hfiKeyLayout* ids,
                          hfError* error) {
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

// Adds a keyframe, which is given in the order of the model and kept in the order of ids. Returns its id or a status.
int hf_builder_add_key(hfBuilder* b, const hfKeyDef* def, hfError* error) {
  hfi_clear_error(error);
  hfiKeyLayout model = {0};
  hfiKeyLayout ids = {0};
  hfStatus status = create_model_layout(&model, b, error);
  if (status == HF_OK) status = hfi_key_layout_create(&ids, b, NULL, error);
  int id = status == HF_OK ? add_by_layouts(b, def, &model, &ids, error) : (int)status;
  hfi_key_layout_release(&model);
  hfi_key_layout_release(&ids);

  return id;
}
