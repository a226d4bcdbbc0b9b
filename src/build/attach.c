// hf_builder_attach: a graft of everything. A refusal takes back what was copied so far.
// hf_builder_remove: a graft of everything but one object, and what refers to it, into a new builder, which takes the place of the old one.
#include "base/error.h"
#include "build/builder_add.h"
#include "build/graft.h"
#include "model/actuator.h"

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

static hfStatus graft_with_keys(hfiGraft* g, hfError* error) {
  hfStatus status = graft_all(g, error);
  return status == HF_OK ? hfi_graft_keys(g, error) : status;
}

hfStatus hf_builder_attach(hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error) {
  hfi_clear_error(error);
  if (guest == b) return hfi_refuse(error, HF_ERROR_ARGUMENT, "a builder cannot be attached to itself");
  Counts before = count_all(b);
  hfiNames names = {0};
  if (hfi_names_copy(&names, &b->names) != 0) return (hfStatus)hfi_refuse_memory(error);
  hfiGraft g;
  hfStatus status = hfi_graft_open(&g, b, guest, def, error);
  if (status == HF_OK) status = graft_with_keys(&g, error);
  if (status != HF_OK) rewind_to(b, &before, &names);
  hfi_names_release(&names);
  return status;
}

// How many actuators in a row are one, as the inputs of a DC motor or the axes of an orientation servo are.
static int count_inputs(const hfActuatorDef* d) {
  int n = d->gaintype == HF_GAIN_MOTOR ? hfi_count_bits(d->inputs) : d->gaintype == HF_GAIN_ORIENTATION ? hfi_orientation_count(d->inputs) : 1;
  return n > 1 ? n : 1;
}

// The ids [first, end) that go with an object.
static void find_range(const hfBuilder* b, hfObjectKind kind, int id, int range[2]) {
  range[0] = id, range[1] = id + 1;
  if (kind != HF_OBJECT_ACTUATOR) return;
  for (int i = 0, n; i <= id; i += n) {
    n = count_inputs(&b->actuator.data[i]);
    range[0] = i, range[1] = i + n;
  }
}

hfStatus hf_builder_remove(hfBuilder* b, hfObjectKind kind, int id, hfError* error) {
  hfi_clear_error(error);
  if (kind == HF_OBJECT_NONE || kind == HF_OBJECT_INERTIAL || !hfi_object_exists(b, (int)kind, id))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no %s %d", hf_object_kind_name(kind), id);
  if (kind == HF_OBJECT_BODY && id == 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "the world cannot be removed");
  hfBuilder* rest = hf_builder_create();
  if (!rest) return (hfStatus)hfi_refuse_memory(error);
  rest->world = b->world, rest->config = b->config;
  hfAttachDef everything = hf_attach_def_default();
  hfiGraft g;
  hfStatus status = hfi_graft_open(&g, rest, b, &everything, error);
  g.replaces = 1, g.without_kind = (int)kind;
  find_range(b, kind, id, g.without);
  if (status == HF_OK) status = graft_with_keys(&g, error);
  if (status == HF_OK) {
    hfBuilder old = *b;
    *b = *rest;
    *rest = old;
  }
  hf_builder_free(rest);
  return status;
}
