// A parameter overlay: a header like that of the base model. Its offsets lead to its own arrays for fields marked
// `overlay`, and to the base model's memory for all others. Every function that takes a model also takes an overlay.
#include "base/error.h"
#include "model/derive.h"

#include <stdlib.h>
#include <string.h>

struct hfParams {
  const hfModel* base;
  hfModel* block; // header and own arrays
  hfModel* trial; // copy in which an update is checked before it acts
};

// ---- creation --------------------------------------------------------------------------------------

// Lays out the overlaid fields behind the header; other offsets lead from here to the base. Returns the size of the
// overlay [bytes]; if block is NULL, only that.
static size_t layout_overlay(hfModel* block, const hfModel* base) {
  size_t end = (sizeof *block + 63) / 64 * 64;
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    if (hfi_field_is_overlay((hfModelField)f)) {
      if (block) block->offset[f] = (int64_t)end;
      end = (end + hfi_field_bytes(base, (hfModelField)f) + 63) / 64 * 64;
    } else if (block) {
      block->offset[f] = (int64_t)((uintptr_t)hfi_field_array(base, (hfModelField)f) - (uintptr_t)block);
    }
  }

  return end;
}

// Copies gravity and the overlaid fields.
static void copy_overlay(hfModel* to, const hfModel* from) {
  memcpy(to->world.gravity, from->world.gravity, sizeof to->world.gravity);
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfModelField field = (hfModelField)f;
    if (!hfi_field_is_overlay(field)) continue;
    memcpy((char*)to + to->offset[f], hfi_field_array(from, field), hfi_field_bytes(from, field));
  }
}

// Makes an overlay with the values of the base. NULL: out of memory.
static hfModel* create_overlay(const hfModel* base) {
  hfModel* block = aligned_alloc(64, layout_overlay(NULL, base));
  if (!block) return NULL;
  *block = *base;
  layout_overlay(block, base);
  block->size = 0;
  copy_overlay(block, base);
  return block;
}

// Creates parameters with the values of the base, in an overlay. A second one, the trial, is checked at each update, so
// that a refused update leaves the first one as it was.
hfStatus hf_params_create(hfParams** params, const hfModel* base, hfError* error) {
  hfi_clear_error(error);
  hfParams* p = calloc(1, sizeof *p);
  if (p) {
    p->base = base;
    p->block = create_overlay(base);
    p->trial = create_overlay(base);
  }

  if (!p || !p->block || !p->trial) {
    hf_params_free(p);
    return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  }

  *params = p;
  return HF_OK;
}

void hf_params_free(hfParams* p) {
  if (!p) return;
  free(p->block);
  free(p->trial);
  free(p);
}

// ---- values ----------------------------------------------------------------------------------------

const hfModel* hf_params_model(const hfParams* p) { return p->block; }

double* hf_params_field(hfParams* p, hfModelField field) {
  if ((int)field < 0 || field >= HF_MODEL_FIELD_COUNT || !hfi_field_is_overlay(field)) return NULL;
  return (double*)((char*)p->trial + p->trial->offset[field]);
}

double* hf_params_gravity(hfParams* p) { return p->trial->world.gravity; }

// Checks and derives in the trial, then copies it.
hfStatus hf_params_update(hfParams* p, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_check_values(p->trial, error);

  // The search for inertial frames starts from those of the base, so that the result does not depend on earlier
  // parameters. Bounds of meshes, height fields and planes are not parameters.
  size_t nbody = (size_t)p->base->nbody;
  size_t ngeom = (size_t)p->base->ngeom;
  memcpy(hfi_set_geom_rbound(p->trial), hf_model_geom_rbound(p->base), sizeof(double) * ngeom);
  memcpy(hfi_set_body_iquat(p->trial), hf_model_body_iquat(p->base), sizeof(double) * 4 * nbody);
  if (status == HF_OK) status = hfi_derive(p->trial, NULL, error);
  if (status != HF_OK) return status;

  copy_overlay(p->block, p->trial);
  ++p->block->revision; // sims notice this
  return HF_OK;
}
