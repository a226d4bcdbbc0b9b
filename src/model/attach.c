// hf_builder_attach: a graft of everything. A refusal takes back what was copied so far.
#include "base/error.h"
#include "model/builder_add.h"
#include "model/graft.h"

hfAttachDef hf_attach_def_default(void) {
  hfAttachDef d = {.quat = {1, 0, 0, 0}};
  return d;
}

typedef struct Counts {
  int body, joint, geom, mesh, hfield, site, camera, tendon, equality, pair, exclude, actuator, sensor, key, part;
} Counts;

static Counts count_all(const hfBuilder* b) {
  Counts n = {b->body.count,     b->joint.count, b->geom.count,    b->mesh.count,     b->hfield.count, b->site.count,   b->camera.count, b->tendon.count,
              b->equality.count, b->pair.count,  b->exclude.count, b->actuator.count, b->sensor.count, b->key.count,
              b->part.count};
  return n;
}

// Removes everything that was added since the counts were taken, and restores the names of that time. The strings stay in the pool.
static void rewind_to(hfBuilder* b, const Counts* n, hfiNames* names) {
  for (int i = n->mesh; i < b->mesh.count; ++i) hfi_hull_release(&b->mesh.data[i].hull);
  b->body.count = n->body, b->joint.count = n->joint, b->geom.count = n->geom, b->mesh.count = n->mesh, b->hfield.count = n->hfield;
  if (b->companions.count > n->body) b->companions.count = n->body; // Guests add joints only to their own bodies.
  b->site.count = n->site, b->camera.count = n->camera, b->tendon.count = n->tendon, b->equality.count = n->equality, b->pair.count = n->pair;
  b->exclude.count = n->exclude, b->actuator.count = n->actuator, b->sensor.count = n->sensor, b->key.count = n->key, b->part.count = n->part;
  for (int i = 0; i < b->part.count; ++i)
    if (b->part.data[i].end > n->body) b->part.data[i].end = n->body; // An older part of the builder had grown by the bodies that are removed.
  hfi_names_release(&b->names);
  b->names = *names;
  *names = (hfiNames){0};
}

static hfStatus graft_all(hfiGraft* g, hfError* error) {
  static const hfObjectKind kinds[] = {HF_OBJECT_PAIR, HF_OBJECT_TENDON, HF_OBJECT_EQUALITY, HF_OBJECT_ACTUATOR, HF_OBJECT_SENSOR};
  hfStatus status = hfi_graft_tree(g, error);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == HF_OK; ++i) status = hfi_graft_kind(g, kinds[i], error);
  return status;
}

hfStatus hf_builder_attach(hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error) {
  hfi_clear_error(error);
  if (guest == b) return hfi_refuse(error, HF_ERROR_ARGUMENT, "a builder cannot be attached to itself");
  Counts before = count_all(b);
  hfiNames names = {0};
  if (hfi_names_copy(&names, &b->names) != 0) return (hfStatus)hfi_refuse_memory(error);
  hfiGraft g;
  hfStatus status = hfi_graft_open(&g, b, guest, def, error);
  if (status == HF_OK) status = graft_all(&g, error);
  if (status == HF_OK) status = hfi_graft_keys(&g, error);
  if (status != HF_OK) rewind_to(b, &before, &names);
  hfi_names_release(&names);
  return status;
}
