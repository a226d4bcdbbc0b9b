// The arrays of a batch: tensors, states in and out, resetting.
#include "sim/batch/batch.h"

#include "base/error.h"
#include "model/state_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char* hf_batch_field_name(hfBatchField field) {
  static const char* const names[HF_BATCH_FIELDS] = {
      "time",       "q",          "v",       "act",           "history", "rest", "ctrl",         "force", "wrench", "mocap_pos",
      "mocap_quat", "velocity_target", "force_limit", "sensors", "actuator_force", "acceleration", "pose"};
  return field >= 0 && field < HF_BATCH_FIELDS ? names[field] : NULL;
}

// Sets the rows and columns that a world has in a field; columns 0 means a vector of `rows` numbers.
static void size_field(const hfModel* m, hfBatchField field, int* rows, int* columns) {
  *columns = 0;
  switch (field) {
  case HF_BATCH_TIME: *rows = 1; break;
  case HF_BATCH_Q: *rows = m->nq; break;
  case HF_BATCH_ACT: *rows = m->na; break;
  case HF_BATCH_HISTORY: *rows = m->nhistory; break;
  case HF_BATCH_REST: *rows = m->nrest; break;
  case HF_BATCH_CTRL:
  case HF_BATCH_ACTUATOR_FORCE: *rows = m->nu; break;
  case HF_BATCH_WRENCH: *rows = m->nbody, *columns = 6; break;
  case HF_BATCH_MOCAP_POS: *rows = m->nmocap, *columns = 3; break;
  case HF_BATCH_MOCAP_QUAT: *rows = m->nmocap, *columns = 4; break;
  case HF_BATCH_SENSORS: *rows = m->nsensordata; break;
  case HF_BATCH_POSE: *rows = m->nbody, *columns = 7; break;
  default: *rows = m->nv;
  }
}

int hfi_batch_width(const hfModel* m, hfBatchField field) {
  int rows, columns;
  size_field(m, field, &rows, &columns);
  return rows * (columns ? columns : 1);
}

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

// Inputs of a new batch are those of hf_input_create: only signals set controls, there are no forces or targets, and mocap bodies are where the model
// puts them.
static void reset_input(hfBatch* b, hfBatchField field, int world) {
  const hfModel* m = b->model;
  int width = hfi_batch_width(m, field);
  double* x = b->field[field] + (size_t)world * (size_t)width;
  for (int i = 0; i < width; ++i)
    x[i] = field == HF_BATCH_VELOCITY_TARGET ? NAN : field == HF_BATCH_FORCE_LIMIT ? INFINITY : 0;
  for (int i = 0; field == HF_BATCH_CTRL && i < m->nu; ++i)
    if (hf_model_actuator_signal(m)[i] >= 0) x[i] = NAN;
  for (int i = 0; i < m->nmocap; ++i) {
    int body = hf_model_mocap_body(m)[i];
    if (field == HF_BATCH_MOCAP_POS) memcpy(x + 3 * i, hf_model_body_pos(m) + 3 * body, 3 * sizeof *x);
    if (field == HF_BATCH_MOCAP_QUAT) memcpy(x + 4 * i, hf_model_body_quat(m) + 4 * body, 4 * sizeof *x);
  }
}

hfTensor hf_batch_tensor(hfBatch* b, hfBatchField field) {
  assert(field >= 0 && field < HF_BATCH_FIELDS);
  int rows, columns, is_state = field < HF_BATCH_CTRL;
  size_field(b->model, field, &rows, &columns);
  if (!b->used[field] && field >= HF_BATCH_CTRL && field < HF_BATCH_SENSORS)
    for (int w = 0; w < b->nworld; ++w) reset_input(b, field, w);
  b->used[field] = 1;
  int64_t row = (int64_t)sizeof(double) * (columns ? columns : 1);
  return (hfTensor){
      .data = is_state ? state_data(hfi_batch_state(b, 0), field) : b->field[field],
      .device = b->config.device,
      .ordinal = b->config.ordinal,
      .type = 'd',
      .ndim = field == HF_BATCH_TIME ? 1 : columns ? 3 : 2,
      .shape = {b->nworld, rows, columns},
      .stride = {is_state ? (int64_t)b->state_bytes : row * rows, row, (int64_t)sizeof(double)},
  };
}

static double* input_array(const hfBatch* b, hfBatchField field, int world) {
  return b->used[field] ? b->field[field] + (size_t)world * (size_t)hfi_batch_width(b->model, field) : NULL;
}

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

static hfStatus check_state(const hfBatch* b, int world, const hfState* state, hfError* error) {
  const hfState* mine = hfi_batch_state(b, 0);
  if (world < 0 || world >= b->nworld)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "world %d does not exist: the batch has %d", world, b->nworld);
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

hfStatus hf_batch_reset(hfBatch* b, const uint8_t* mask, int key, hfError* error) {
  hfi_clear_error(error);
  if (key >= b->model->nkey)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "keyframe %d does not exist: the model has %d", key, b->model->nkey);
  for (int w = 0; w < b->nworld; ++w) {
    if (mask && !mask[w]) continue;
    for (int f = HF_BATCH_CTRL; f < HF_BATCH_SENSORS; ++f)
      if (b->used[f]) reset_input(b, (hfBatchField)f, w);
    hfInput input = hfi_batch_input(b, w);
    if (key < 0)
      hf_state_reset(hfi_batch_state(b, w), b->model);
    else
      hf_state_set_key(hfi_batch_state(b, w), &input, b->model, key, error);
    b->report[w] = (hfWorldReport){0};
  }
  return HF_OK;
}
