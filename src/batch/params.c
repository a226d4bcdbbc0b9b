// Parameters of each world: arrays over all worlds, of which a thread loads one row into its own overlay.
//
// A thread has one hfParams and one sim over it. Worlds share them in turn, so that a world costs only the numbers that differ. The values that the
// user writes (param) and those that act (in_force) are separate, so that the old values act on after a row is refused.
#include "batch/batch.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int hfi_param_width(const hfModel* m, int field) {
  if (field == HFI_GRAVITY) return 3;
  hfFieldInfo info = hf_model_field_info(m, (hfModelField)field);
  return info.rows * info.columns;
}

static const double* base_values(const hfModel* m, int field) {
  if (field == HFI_GRAVITY) return m->world.gravity;
  return (const double*)(const void*)((const char*)m + m->offset[field]);
}

static void free_array(double** array) {
  free(*array);
  *array = NULL;
}

// Allocates both arrays of a field and fills every row with the model's values. Returns 0 if there is no memory.
static int allocate_field(hfBatch* b, int field) {
  size_t width = (size_t)hfi_param_width(b->model, field), n = (size_t)b->nworld;
  b->param[field] = malloc(n * width * sizeof(double) + 1);
  b->in_force[field] = malloc(n * width * sizeof(double) + 1);
  if (!b->param[field] || !b->in_force[field]) {
    free_array(&b->param[field]);
    free_array(&b->in_force[field]);
    return 0;
  }
  for (size_t w = 0; w < n; ++w)
    memcpy(b->param[field] + w * width, base_values(b->model, field), width * sizeof(double));
  memcpy(b->in_force[field], b->param[field], n * width * sizeof(double));
  return 1;
}

static hfStatus create_overlays(hfBatch* b) {
  for (int i = 0; i < b->nlane; ++i) {
    hfiLane* lane = &b->lane[i];
    if (!lane->params && hf_params_create(&lane->params, b->model, NULL) < 0) return HF_ERROR_MEMORY;
  }
  b->overlays = 1;
  return HF_OK;
}

static hfTensor make_tensor(hfBatch* b, int field, int rows, int columns) {
  hfTensor none = {.ndim = 0};
  if (!b->overlays && create_overlays(b) != HF_OK) return none;
  if (!b->param[field] && !allocate_field(b, field)) return none;
  int64_t number = (int64_t)sizeof(double);
  return (hfTensor){.data = b->param[field],
                    .type = 'd',
                    .ndim = columns > 1 ? 3 : 2,
                    .shape = {b->nworld, rows, columns},
                    .stride = {number * rows * columns, number * columns, number}};
}

hfTensor hf_batch_param(hfBatch* b, hfModelField field) {
  hfTensor none = {.ndim = 0};
  if (field < 0 || field >= HF_MODEL_FIELD_COUNT) return none;
  hfFieldInfo info = hf_model_field_info(b->model, field);
  return info.overlay ? make_tensor(b, field, info.rows, info.columns) : none;
}

hfTensor hf_batch_gravity(hfBatch* b) { return make_tensor(b, HFI_GRAVITY, 3, 1); }

// Writes a world's row of every field into an overlay.
static void load_rows(const hfBatch* b, double* const* arrays, hfParams* params, int w) {
  for (int f = 0; f <= HFI_GRAVITY; ++f) {
    if (!arrays[f]) continue;
    size_t width = (size_t)hfi_param_width(b->model, f);
    double* to = f == HFI_GRAVITY ? hf_params_gravity(params) : hf_params_field(params, (hfModelField)f);
    memcpy(to, arrays[f] + (size_t)w * width, width * sizeof *to);
  }
}

hfSim* hfi_batch_sim(hfBatch* b, hfiLane* lane, int w, hfError* error) {
  if (!b->overlays) return lane->sim;
  load_rows(b, b->in_force, lane->params, w);
  if (hf_params_update(lane->params, error) < 0) return NULL;
  // The sim notices that its parameters changed. The first world creates it.
  if (!lane->overlaid) hf_sim_create(&lane->overlaid, hf_params_model(lane->params), &b->config.sim, error);
  return lane->overlaid;
}

hfStatus hf_batch_update(hfBatch* b, const uint8_t* mask, hfError* error) {
  hfi_clear_error(error);
  hfStatus result = HF_OK;
  hfError refusal;
  for (int w = 0; b->overlays && w < b->nworld; ++w) {
    if (mask && !mask[w]) continue;
    load_rows(b, b->param, b->lane[0].params, w);
    hfStatus status = hf_params_update(b->lane[0].params, &refusal);
    b->report[w].status = status;
    if (status < 0) {
      if (result == HF_OK) result = hfi_refuse(error, HF_FLAGGED, "world %d: %s", w, refusal.message);
      continue;
    }
    for (int f = 0; f <= HFI_GRAVITY; ++f) {
      size_t width = (size_t)hfi_param_width(b->model, f);
      if (b->param[f])
        memcpy(b->in_force[f] + (size_t)w * width, b->param[f] + (size_t)w * width, width * sizeof(double));
    }
  }
  return result;
}

void hfi_params_free(hfBatch* b) {
  for (int i = 0; b->lane && i < b->nlane; ++i) {
    hf_sim_free(b->lane[i].overlaid);
    hf_params_free(b->lane[i].params);
  }
  for (int f = 0; f <= HFI_GRAVITY; ++f) {
    free(b->param[f]);
    free(b->in_force[f]);
  }
}
