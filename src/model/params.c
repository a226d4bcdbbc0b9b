// A parameter overlay: a header like that of the base model. Its offsets lead to its own arrays for fields marked `overlay`, and to the base model's
// memory for all others. Every function that takes a model also takes an overlay.
#include "base/error.h"
#include "model/block.h"
#include "model/derive.h"

#include <stdlib.h>
#include <string.h>

struct hfParams {
  const hfModel* base;
  hfModel* block; // header and own arrays
  hfModel* trial; // copy in which an update is checked before it acts
};

static int is_overlay(int field) {
  static const unsigned char overlay[] = {
#define X(type, name, rows, columns, flag) flag,
      HF_MODEL_FIELDS(X)
#undef X
  };
  return overlay[field];
}

// Lays out the overlaid fields behind the header; other offsets lead from here to the base.
static size_t layout_overlay(hfModel* block, const hfModel* base) {
  size_t at = (sizeof *block + 63) / 64 * 64;
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    if (is_overlay(f)) {
      if (block) block->offset[f] = (int64_t)at;
      at = (at + hfi_field_bytes(base, (hfModelField)f) + 63) / 64 * 64;
    } else if (block)
      block->offset[f] = (int64_t)((uintptr_t)base + (uintptr_t)base->offset[f] - (uintptr_t)block);
  }
  return at;
}

static hfModel* create_overlay(const hfModel* base) {
  hfModel* block = aligned_alloc(64, layout_overlay(NULL, base));
  if (!block) return NULL;
  *block = *base;
  layout_overlay(block, base);
  block->size = 0;
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f)
    if (is_overlay(f))
      memcpy((char*)block + block->offset[f],
             (const void*)((uintptr_t)base + (uintptr_t)base->offset[f]),
             hfi_field_bytes(base, (hfModelField)f));
  return block;
}

hfStatus hf_params_create(hfParams** params, const hfModel* base, hfError* error) {
  hfi_clear_error(error);
  hfParams* p = calloc(1, sizeof *p);
  if (p) p->base = base;
  if (p) p->block = create_overlay(base);
  if (p) p->trial = create_overlay(base);
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

const hfModel* hf_params_model(const hfParams* p) { return p->block; }

double* hf_params_field(hfParams* p, hfModelField field) {
  if (field < 0 || field >= HF_MODEL_FIELD_COUNT || !is_overlay(field)) return NULL;
  return (double*)((char*)p->trial + p->trial->offset[field]);
}

double* hf_params_gravity(hfParams* p) { return p->trial->world.gravity; }

static void copy_overlay(hfModel* to, const hfModel* from) {
  memcpy(to->world.gravity, from->world.gravity, sizeof to->world.gravity);
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f)
    if (is_overlay(f))
      memcpy((char*)to + to->offset[f], (const char*)from + from->offset[f],
             hfi_field_bytes(from, (hfModelField)f));
}

hfStatus hf_params_update(hfParams* p, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_check_values(p->trial, error);
  // The search for inertial frames starts from those of the base, so that the result does not depend on earlier parameters. Bounds of meshes, height
  // fields and planes are no parameters.
  memcpy(hfi_set_geom_rbound(p->trial), hf_model_geom_rbound(p->base), (size_t)p->base->ngeom * sizeof(double));
  memcpy(hfi_set_body_iquat(p->trial), hf_model_body_iquat(p->base), 4 * (size_t)p->base->nbody * sizeof(double));
  if (status == HF_OK) status = hfi_derive(p->trial, NULL, error);
  if (status != HF_OK) return status;
  copy_overlay(p->block, p->trial);
  ++p->block->revision; // Sims notice this.
  return HF_OK;
}
