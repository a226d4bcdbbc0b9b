// The arrays of a batch: tensors, states in and out, resetting.
#include "sim/batch/batch.h"

#include "base/error.h"
#include "model/state_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Returns the name of a field, or NULL if there is no such field.
const char* hf_batch_field_name(hfBatchField field) {
  static const char* const names[HF_BATCH_FIELDS] = {
      [HF_BATCH_TIME] = "time",
      [HF_BATCH_Q] = "q",
      [HF_BATCH_V] = "v",
      [HF_BATCH_ACT] = "act",
      [HF_BATCH_HISTORY] = "history",
      [HF_BATCH_REST] = "rest",
      [HF_BATCH_CTRL] = "ctrl",
      [HF_BATCH_FORCE] = "force",
      [HF_BATCH_WRENCH] = "wrench",
      [HF_BATCH_MOCAP_POS] = "mocap_pos",
      [HF_BATCH_MOCAP_QUAT] = "mocap_quat",
      [HF_BATCH_VELOCITY_TARGET] = "velocity_target",
      [HF_BATCH_FORCE_LIMIT] = "force_limit",
      [HF_BATCH_SENSORS] = "sensors",
      [HF_BATCH_ACTUATOR_FORCE] = "actuator_force",
      [HF_BATCH_ACCELERATION] = "acceleration",
      [HF_BATCH_POSE] = "pose",
  };

  return field >= 0 && field < HF_BATCH_FIELDS ? names[field] : NULL;
}

// The numbers of a world in a field.
typedef struct FieldShape {
  int rows;
  int columns; // 0: a vector of `rows` numbers
} FieldShape;

// Returns the shape of a field.
static FieldShape find_shape(const hfModel* m, hfBatchField field) {
  switch (field) {
  case HF_BATCH_TIME: return (FieldShape){1, 0};
  case HF_BATCH_Q: return (FieldShape){m->nq, 0};
  case HF_BATCH_ACT: return (FieldShape){m->na, 0};
  case HF_BATCH_HISTORY: return (FieldShape){m->nhistory, 0};
  case HF_BATCH_REST: return (FieldShape){m->nrest, 0};

  // inputs and results
  case HF_BATCH_CTRL:
  case HF_BATCH_ACTUATOR_FORCE: return (FieldShape){m->nu, 0};
  case HF_BATCH_WRENCH: return (FieldShape){m->nbody, 6};
  case HF_BATCH_MOCAP_POS: return (FieldShape){m->nmocap, 3};
  case HF_BATCH_MOCAP_QUAT: return (FieldShape){m->nmocap, 4};
  case HF_BATCH_SENSORS: return (FieldShape){m->nsensordata, 0};
  case HF_BATCH_POSE: return (FieldShape){m->nbody, 7};

  // v, force, velocity_target, force_limit, acceleration
  default: return (FieldShape){m->nv, 0};
  }
}

int hfi_batch_width(const hfModel* m, hfBatchField field) {
  FieldShape shape = find_shape(m, field);
  return shape.rows * (shape.columns ? shape.columns : 1);
}

// Returns the array of a field that is a part of a state.
static void* state_data(hfState* s, hfBatchField field) {
  switch (field) {
  case HF_BATCH_TIME: return &s->time;
  case HF_BATCH_Q: return hf_state_mutable_q(s);
  case HF_BATCH_V: return hf_state_mutable_v(s);
  case HF_BATCH_HISTORY: return hf_state_mutable_history(s);
  case HF_BATCH_REST: return hf_state_mutable_rest(s);
  default: return hf_state_mutable_act(s);
  }
}

// Resets an input of a world to the values of hf_input_create: only signals set controls, there are no forces or
// targets, and mocap bodies are where the model puts them.
static void reset_input(hfBatch* b, hfBatchField field, int world) {
  const hfModel* m = b->model;
  int width = hfi_batch_width(m, field);
  double* x = b->field[field] + (size_t)world * (size_t)width;
  double none = 0;
  if (field == HF_BATCH_VELOCITY_TARGET) none = NAN;
  else if (field == HF_BATCH_FORCE_LIMIT) none = INFINITY;
  for (int i = 0; i < width; ++i) x[i] = none;

  for (int i = 0; field == HF_BATCH_CTRL && i < m->nu; ++i)
    if (hf_model_actuator_signal(m)[i] >= 0) x[i] = NAN;
  for (int i = 0; i < m->nmocap; ++i) {
    int body = hf_model_mocap_body(m)[i];
    if (field == HF_BATCH_MOCAP_POS) memcpy(x + 3 * i, hf_model_body_pos(m) + 3 * body, 3 * sizeof *x);
    if (field == HF_BATCH_MOCAP_QUAT) memcpy(x + 4 * i, hf_model_body_quat(m) + 4 * body, 4 * sizeof *x);
  }
}

// Returns the array of a field over all worlds: (nworld, rows), (nworld, rows, columns), or (nworld) for the time;
// strides are in bytes. From then on an input acts, with the values of hf_input_create, and a result is filled.
hfTensor hf_batch_tensor(hfBatch* b, hfBatchField field) {
  assert(field >= 0 && field < HF_BATCH_FIELDS);
  const int is_state = field < HF_BATCH_CTRL;
  const int is_input = !is_state && field < HF_BATCH_SENSORS;

  if (!b->used[field] && is_input)
    for (int w = 0; w < b->nworld; ++w) reset_input(b, field, w);
  b->used[field] = 1;

  FieldShape shape = find_shape(b->model, field);
  int64_t number = (int64_t)sizeof(double);
  int64_t row = number * (shape.columns ? shape.columns : 1);
  int ndim = shape.columns ? 3 : 2;
  return (hfTensor){
      .data = is_state ? state_data(hfi_batch_state(b, 0), field) : b->field[field],
      .device = b->config.device,
      .ordinal = b->config.ordinal,
      .type = 'd',
      .ndim = field == HF_BATCH_TIME ? 1 : ndim,
      .shape = {b->nworld, shape.rows, shape.columns},
      .stride = {is_state ? (int64_t)b->state_bytes : row * shape.rows, row, number},
  };
}

// A world's part of an input, or NULL if the input does not act.
static double* input_array(const hfBatch* b, hfBatchField field, int world) {
  return b->used[field] ? b->field[field] + (size_t)world * (size_t)hfi_batch_width(b->model, field) : NULL;
}

// Returns the input of world w: its row of each input that acts.
hfInput hfi_batch_input(const hfBatch* b, int w) {
  return (hfInput){.ctrl = input_array(b, HF_BATCH_CTRL, w),
                   .force = input_array(b, HF_BATCH_FORCE, w),
                   .wrench = (hfForce*)input_array(b, HF_BATCH_WRENCH, w),
                   .mocap_pos = input_array(b, HF_BATCH_MOCAP_POS, w),
                   .mocap_quat = input_array(b, HF_BATCH_MOCAP_QUAT, w),
                   .velocity_target = input_array(b, HF_BATCH_VELOCITY_TARGET, w),
                   .force_limit = input_array(b, HF_BATCH_FORCE_LIMIT, w)};
}

// ---- states in and out, reset ----------------------------------------------------------------------

// Refuses worlds that do not exist, and states of another model or capacity.
static hfStatus check_state(const hfBatch* b, int world, const hfState* state, hfError* error) {
  if (world < 0 || world >= b->nworld)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "world %d does not exist: the batch has %d", world, b->nworld);

  const hfState* mine = hfi_batch_state(b, 0);
  if (state->size != mine->size || state->max_memory != mine->max_memory || !hfi_state_same_sizes(state, mine))
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "the state is of another model or capacity (nq %d, nv %d, max_memory %d; here %d, %d, %d)",
                      state->nq, state->nv, state->max_memory, mine->nq, mine->nv, mine->max_memory);
  return HF_OK;
}

hfStatus hf_batch_get_state(const hfBatch* b, int world, hfState* state, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_state(b, world, state, error);
  if (status == HF_OK) memcpy(state, hfi_batch_state(b, world), (size_t)state->size);
  return status;
}

hfStatus hf_batch_set_state(hfBatch* b, int world, const hfState* state, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = check_state(b, world, state, error);
  if (status == HF_OK) memcpy(hfi_batch_state(b, world), state, (size_t)state->size);
  return status;
}

// Resets state, inputs and report of the worlds of the mask (NULL: of all) to keyframe `key`; key < 0 means the model's
// initial state.
hfStatus hf_batch_reset(hfBatch* b, const uint8_t* mask, int key, hfError* error) {
  hfi_clear_error(error);
  if (key >= b->model->nkey)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "keyframe %d does not exist: the model has %d", key, b->model->nkey);

  for (int w = 0; w < b->nworld; ++w) {
    if (mask && !mask[w]) continue;
    for (int f = HF_BATCH_CTRL; f < HF_BATCH_SENSORS; ++f)
      if (b->used[f]) reset_input(b, (hfBatchField)f, w);

    hfInput input = hfi_batch_input(b, w);
    hfState* state = hfi_batch_state(b, w);
    if (key < 0) hf_state_reset(state, b->model);
    else hf_state_set_key(state, &input, b->model, key, error);
    b->report[w] = (hfWorldReport){0};
  }
  return HF_OK;
}
