// Parameters of each world: arrays over all worlds, of which a thread loads one row into its own overlay.
//
// A thread has one hfParams and one sim over it. Worlds share them in turn, so that a world costs only the numbers that
// differ. The values that the user writes (param) and those that act (in_force) are separate, so that the old values
// act on after a row is refused.
#include "sim/batch/batch.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int hfi_param_width(const hfModel* m, int field) {
  if (field == HFI_GRAVITY) return 3;
  hfFieldInfo info = hf_model_field_info(m, (hfModelField)field);
  return info.rows * info.columns;
}

// The values of a field, or of gravity, in an overlay.
static double* overlay_values(hfParams* params, int field) {
  return field == HFI_GRAVITY ? hf_params_gravity(params) : hf_params_field(params, (hfModelField)field);
}

// Writes a world's row of every field into an overlay.
static void load_rows(const hfBatch* b, double* const* arrays, hfParams* params, int w) {
  for (int f = 0; f <= HFI_GRAVITY; ++f) {
    if (!arrays[f]) continue;
    size_t width = (size_t)hfi_param_width(b->model, f);
    memcpy(overlay_values(params, f), arrays[f] + (size_t)w * width, width * sizeof(double));
  }
}

// Whether hf_params_update computes a field from the others.
static int is_derived(int field) {
  return field == HF_FIELD_geom_rbound || field == HF_FIELD_body_subtreemass || field == HF_FIELD_body_iquat ||
         field == HF_FIELD_dof_M0;
}

// Fills every row of a field that no world has changed: with the model's values, or with what follows from the other
// fields that are in force. Returns 0 if there is no memory.
static int fill_field(hfBatch* b, int field, double* array) {
  size_t width = (size_t)hfi_param_width(b->model, field);
  hfParams* params = b->lane[0].params;

  for (int w = 0; w < b->nworld; ++w) {
    if (is_derived(field)) {
      load_rows(b, b->in_force, params, w);
      if (hf_params_update(params, NULL) < 0) return 0;
    }
    memcpy(array + (size_t)w * width, overlay_values(params, field), width * sizeof(double));
  }
  return 1;
}

// Allocates both arrays of a field and fills them. Returns 0 if there is no memory.
static int allocate_field(hfBatch* b, int field) {
  size_t bytes = (size_t)hfi_param_width(b->model, field) * (size_t)b->nworld * sizeof(double);
  double* param = malloc(bytes + 1);
  double* in_force = malloc(bytes + 1);
  if (!param || !in_force || !fill_field(b, field, param)) {
    free(param);
    free(in_force);
    return 0;
  }

  memcpy(in_force, param, bytes);
  b->param[field] = param;
  b->in_force[field] = in_force;
  return 1;
}

// Creates an overlay for every lane that has none.
static hfStatus create_overlays(hfBatch* b) {
  for (int i = 0; i < b->nlane; ++i) {
    hfiLane* lane = &b->lane[i];
    if (!lane->params && hf_params_create(&lane->params, b->model, NULL) < 0) return HF_ERROR_MEMORY;
  }

  b->overlays = 1;
  return HF_OK;
}

// Returns the array of a field over all worlds, which have values of their own from then on. Its ndim is 0 if there is
// no memory.
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

// Returns the sim that steps world w on this lane, with the world's parameters loaded. Returns NULL after a refusal,
// with a
// message in *error.
hfSim* hfi_batch_sim(hfBatch* b, hfiLane* lane, int w, hfError* error) {
  if (!b->overlays) return lane->sim;

  load_rows(b, b->in_force, lane->params, w);
  if (hf_params_update(lane->params, error) < 0) return NULL;

  // the sim notices that its parameters changed; the first world creates it
  if (!lane->overlaid) hf_sim_create(&lane->overlaid, hf_params_model(lane->params), &b->config.sim, error);
  return lane->overlaid;
}

// Copies every field of world w from the overlay of the first lane, where hf_params_update has computed the fields that
// follow from others.
static void store_rows(hfBatch* b, int w) {
  for (int f = 0; f <= HFI_GRAVITY; ++f) {
    if (!b->param[f]) continue;
    size_t width = (size_t)hfi_param_width(b->model, f);
    size_t place = (size_t)w * width;
    memcpy(b->param[f] + place, overlay_values(b->lane[0].params, f), width * sizeof(double));
    memcpy(b->in_force[f] + place, b->param[f] + place, width * sizeof(double));
  }
}

// Checks the parameters of the worlds of the mask (NULL: of all) and lets them act. A world whose parameters are
// refused keeps the old ones; *error quotes the first.
hfStatus hf_batch_update(hfBatch* b, const uint8_t* mask, hfError* error) {
  hfi_clear_error(error);
  hfStatus result = HF_OK;
  for (int w = 0; b->overlays && w < b->nworld; ++w) {
    if (mask && !mask[w]) continue;

    hfError refusal;
    load_rows(b, b->param, b->lane[0].params, w);
    hfStatus status = hf_params_update(b->lane[0].params, &refusal);
    b->report[w].status = status;

    if (status >= 0) store_rows(b, w);
    else if (result == HF_OK) result = hfi_refuse(error, HF_FLAGGED, "world %d: %s", w, refusal.message);
  }
  return result;
}

// Frees the overlays, their sims and the arrays of parameters of a batch.
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
