// Sensors and keyframes.
#include "build/inside.h"

#include "build/key.h"

// ---- sensors ---------------------------------------------------------------------------------------

// Is the value of this sensor never negative? Then it is clamped to [0, cutoff].
static int is_never_negative(int type) {
  return type == HF_SENSOR_TOUCH || type == HF_SENSOR_ENERGY_KINETIC || type == HF_SENSOR_CLOCK;
}

// Fills sensors; their numbers follow each other.
void hfi_finish_sensors(hfiFinish* f) {
  hfModel* m = f->m;
  int adr = 0;

  for (int i = 0; i < m->nsensor; ++i) {
    const hfSensorDef* d = &f->b->sensor.data[i];
    int num = hfi_sensor_num(f->b, d);
    int dim = hfi_sensor_dim(d->type, d->data, num);

    hfi_set_sensor_type(m)[i] = d->type;
    hfi_set_sensor_objkind(m)[i] = d->objkind;
    hfi_set_sensor_obj(m)[i] = hfi_order_new(&f->order, d->objkind, d->obj);
    hfi_set_sensor_refkind(m)[i] = d->refkind;
    hfi_set_sensor_ref(m)[i] = hfi_order_new(&f->order, d->refkind, d->ref);
    hfi_set_sensor_dim(m)[i] = dim;
    hfi_set_sensor_data(m)[i] = d->data;
    hfi_set_sensor_num(m)[i] = num;
    hfi_set_sensor_reduce(m)[i] = d->reduce;
    hfi_set_sensor_subtree(m)[i] = d->subtree;
    hfi_set_sensor_adr(m)[i] = adr;
    hfi_set_sensor_positive(m)[i] = is_never_negative(d->type);
    hfi_set_sensor_cutoff(m)[i] = d->cutoff;
    hfi_set_sensor_noise(m)[i] = d->noise;
    adr += dim;
  }
}

// ---- keyframes -------------------------------------------------------------------------------------

// Gives a quaternion of a keyframe unit length, as in MuJoCo; zeros become the identity.
static void normalise_key_quat(double* quat) { q_store(quat, q_unit_once(q_load(quat))); }

// Fills keyframe i, which is laid out by ids in the builder, in the order of the model.
static void fill_key(const hfiFinish* f, const hfiKeyLayout* ids, const hfiKeyLayout* model, int i) {
  hfModel* m = f->m;
  const hfiKey* key = &f->b->key.data[i];
  size_t row = (size_t)i;
  size_t nmocap = (size_t)m->nmocap;
  hfiKeyArrays a = {.qpos = hfi_set_key_qpos(m) + row * (size_t)m->nq,
                    .qvel = hfi_set_key_qvel(m) + row * (size_t)m->nv,
                    .act = hfi_set_key_act(m) + row * (size_t)m->na,
                    .ctrl = hfi_set_key_ctrl(m) + row * (size_t)m->nu,
                    .mpos = hfi_set_key_mpos(m) + 3 * row * nmocap,
                    .mquat = hfi_set_key_mquat(m) + 4 * row * nmocap};
  hfi_set_key_time(m)[i] = key->def.time;
  hfi_key_unfold(f->b, ids, model, key, &a);

  for (size_t k = 0; k < nmocap; ++k) normalise_key_quat(a.mquat + 4 * k);
  for (int j = 0; j < m->njnt; ++j) {
    int quat = hf_joint_info(hf_model_jnt_type(m)[j]).quat;
    if (quat >= 0) normalise_key_quat(a.qpos + hf_model_jnt_qposadr(m)[j] + quat);
  }
}

// Fills keyframes in the order of the model.
hfStatus hfi_finish_keys(hfiFinish* f, hfError* error) {
  if (f->m->nkey == 0) return HF_OK;

  hfiKeyLayout ids = {0};
  hfiKeyLayout model = {0};
  hfStatus status = hfi_key_layout_create(&ids, f->b, NULL, error);
  if (status == HF_OK) status = hfi_key_layout_create(&model, f->b, &f->order, error);
  for (int i = 0; i < f->m->nkey && status == HF_OK; ++i) fill_key(f, &ids, &model, i);
  hfi_key_layout_release(&ids);
  hfi_key_layout_release(&model);

  return status;
}
