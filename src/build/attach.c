// hf_builder_attach: a graft of everything. A refusal takes back what was copied so far.
// hf_builder_remove: a graft of everything but one object, and what refers to it, into a new builder, which takes the
// place of the old one.
#include "build/inside.h"

#include "base/error.h"

hfAttachDef hf_attach_def_default(void) { return (hfAttachDef){.quat = {1, 0, 0, 0}}; }

// How many entries the lists of a builder have.
typedef struct Counts {
  int object[HF_OBJECT_KINDS];
  int exclude, part;
} Counts;

static Counts count_all(const hfBuilder* b) {
  Counts counts = {.exclude = b->exclude.count, .part = b->part.count};
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) counts.object[k] = hf_builder_count(b, (hfObjectKind)k);
  return counts;
}

// Removes everything that was added since the counts were taken, and restores the names of that time, which it takes.
// The strings stay in the pool.
static void rewind_to(hfBuilder* b, const Counts* counts, hfiNames* names) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    const hfiKind* kind = &hfi_kinds[k];
    hfiList* list = hfi_list_of(b, (hfObjectKind)k);
    for (int i = counts->object[k]; kind->release && i < list->count; ++i)
      kind->release((char*)list->data + (size_t)i * hfi_objects[k].entry_size);
    if (list) list->count = counts->object[k];
  }

  b->exclude.count = counts->exclude;
  b->part.count = counts->part;

  // guests add joints only to their own bodies
  int nbody = counts->object[HF_OBJECT_BODY];
  if (b->companions.count > nbody) b->companions.count = nbody;

  // an older part may have grown by the bodies that are removed
  for (int i = 0; i < b->part.count; ++i)
    if (b->part.data[i].end > nbody) b->part.data[i].end = nbody;

  hfi_names_release(&b->names);
  b->names = *names;
  *names = (hfiNames){0};
}

// Copies all objects and keyframes.
static hfStatus graft_all(hfiGraft* g, hfError* error) {
  static const hfObjectKind kinds[] = {HF_OBJECT_PAIR, HF_OBJECT_TENDON, HF_OBJECT_EQUALITY, HF_OBJECT_ACTUATOR,
                                       HF_OBJECT_SENSOR};
  hfStatus status = hfi_graft_tree(g, error);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == HF_OK; ++i)
    status = hfi_graft_kind(g, kinds[i], error);
  return status == HF_OK ? hfi_graft_keys(g, error) : status;
}

// Copies a guest, or a subtree of it, into b. A refusal leaves b as it was: names are restored from a copy, lists from
// their counts.
hfStatus hf_builder_attach(hfBuilder* b, const hfBuilder* guest, const hfAttachDef* def, hfError* error) {
  hfi_clear_error(error);
  if (guest == b) return hfi_refuse(error, HF_ERROR_ARGUMENT, "a builder cannot be attached to itself");

  Counts before = count_all(b);
  hfiNames names = {0};
  if (hfi_names_copy(&names, &b->names) != 0) return hfi_refuse_memory(error);

  hfiGraft g;
  hfStatus status = hfi_graft_open(&g, b, guest, def, error);
  if (status == HF_OK) status = graft_all(&g, error);
  if (status != HF_OK) rewind_to(b, &before, &names);
  hfi_names_release(&names);

  return status;
}

// ---- removing --------------------------------------------------------------------------------------

// How many actuators in a row are one, as the inputs of a DC motor or the axes of an orientation servo are.
static int count_inputs(const hfActuatorDef* d) {
  int n = 1;
  if (d->gaintype == HF_GAIN_MOTOR) n = hfi_count_bits(d->inputs);
  if (d->gaintype == HF_GAIN_ORIENTATION) n = hfi_orientation_count(d->inputs);
  return imax2(n, 1);
}

// Finds the ids [first, end) that go with an object.
static void find_range(const hfBuilder* b, hfObjectKind kind, int id, int range[2]) {
  range[0] = id;
  range[1] = id + 1;
  if (kind != HF_OBJECT_ACTUATOR) return;

  int next = 0;
  while (next <= id) {
    range[0] = next;
    next += count_inputs(&b->actuator.data[next]);
  }

  range[1] = next;
}

// Removes an object and what refers to it: copies everything else into a new builder, and exchanges the contents of
// both. With an actuator all actuators of its motor or servo go (find_range).
hfStatus hf_builder_remove(hfBuilder* b, hfObjectKind kind, int id, hfError* error) {
  hfi_clear_error(error);
  if (kind == HF_OBJECT_NONE || kind == HF_OBJECT_INERTIAL || !hfi_object_exists(b, (int)kind, id))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no %s %d", hf_object_kind_name(kind), id);
  if (kind == HF_OBJECT_BODY && id == 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "the world cannot be removed");

  hfBuilder* rest = hf_builder_create();
  if (!rest) return hfi_refuse_memory(error);

  rest->world = b->world;
  rest->config = b->config;

  hfAttachDef everything = hf_attach_def_default();
  hfiGraft g;
  hfStatus status = hfi_graft_open(&g, rest, b, &everything, error);
  g.replaces = 1;
  g.without_kind = (int)kind;
  find_range(b, kind, id, g.without);
  if (status == HF_OK) status = graft_all(&g, error);

  if (status == HF_OK) {
    hfBuilder old = *b;
    *b = *rest;
    *rest = old;
  }

  hf_builder_free(rest);
  return status;
}
