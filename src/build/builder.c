// The builder: creation, world-wide values, rules about inertia.
#include "build/inside.h"

#include "base/error.h"
#include "model/actuator.h"
#include "model/block.h"

#include <holdfast/methods.h>
#include <stdlib.h>

// ---- creation --------------------------------------------------------------------------------------

// Returns the values of an empty scene: MJCF's where MJCF has one.
static hfWorld default_world(void) {
  return (hfWorld){.timestep = 0.002,
                   .gravity = {0, 0, -9.81},
                   .magnetic = {0, -0.5, 0},

                   // contact
                   .dissipation = 20,
                   .stiction_speed = 1e-4,
                   .tangential_ratio = 0.8,
                   .release_speed = 0.5,
                   .impratio = 1,
                   .pyramidal_cone = 1,

                   // steps
                   .sleep_speed = 1e-3,
                   .method = HF_METHOD_TAMSI,
                   .friction = HF_FRICTION_ANCHORED,
                   .friction_rule = HF_COMBINE_MAX,
                   .filter_parent = 1};
}

hfBuildConfig hfi_build_config_default(void) {
  return (hfBuildConfig){.inertia_from_geom = -1, .inertia_group_max = 5};
}

// Creates a builder with the world as its body 0. NULL: out of memory.
hfBuilder* hf_builder_create(void) {
  hfBuilder* b = calloc(1, sizeof *b);
  if (!b) return NULL;

  b->world = default_world();
  b->config = hfi_build_config_default();

  // body 0
  hfBodyDef world = hf_body_def_default();
  world.name = "world";
  world.parent = -1;
  world.has_inertial = 1;

  if (!hfi_list_reserve(&b->body.any, sizeof world) || hfi_names_add(&b->names, HF_OBJECT_BODY, world.name, 0) != 0) {
    hf_builder_free(b);
    return NULL;
  }

  HFI_APPEND(b->body, world);
  return b;
}

// Frees the entries and lists of all kinds, then what belongs to no kind.
void hf_builder_free(hfBuilder* b) {
  if (!b) return;

  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    size_t size = hfi_objects[k].entry_size;
    if (size == 0) continue;
    hfiList* list = hfi_list_of(b, (hfObjectKind)k);
    for (int i = 0; i < list->count && hfi_kinds[k].release; ++i)
      hfi_kinds[k].release((char*)list->data + (size_t)i * size);
    free(list->data);
  }

  free(b->exclude.data);
  free(b->companions.data);
  free(b->part.data);
  hfi_names_release(&b->names);
  hfi_pool_release(&b->pool);
  free(b);
}

// ---- world-wide values -----------------------------------------------------------------------------

hfWorld* hf_builder_world(hfBuilder* b) { return &b->world; }
hfBuildConfig* hf_builder_config(hfBuilder* b) { return &b->config; }

hfStatus hf_builder_set_world(hfBuilder* b, const hfWorld* world, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_check_world(world, error);
  if (status == HF_OK) b->world = *world;
  return status;
}

// Writes the range of a joint or tendon. Returns 1, or 0 if it has none: a range counts if its end is above its start.
int hf_builder_range(const hfBuilder* b, hfObjectKind kind, int id, double range[2]) {
  if (!hfi_object_exists(b, (int)kind, id)) return 0;
  if (kind != HF_OBJECT_JOINT && kind != HF_OBJECT_TENDON) return 0;

  const double* given = kind == HF_OBJECT_JOINT ? b->joint.data[id].range : b->tendon.data[id].range;
  if (!(given[0] < given[1])) return 0;
  range[0] = given[0];
  range[1] = given[1];
  return 1;
}

// Writes the sizes that a model of the present definitions would have.
void hf_builder_sizes(const hfBuilder* b, int* nq, int* nv, int* na, int* nu, int* nmocap) {
  *nq = *nv = *na = *nmocap = 0;
  for (int i = 0; i < b->joint.count; ++i) {
    *nq += hfi_joint_nq(b->joint.data[i].type);
    *nv += hfi_joint_nv(b->joint.data[i].type);
  }

  for (int i = 0; i < b->actuator.count; ++i)
    *na += hfi_activation_count(b->actuator.data[i].dyntype, b->actuator.data[i].motor);
  for (int i = 0; i < b->body.count; ++i) *nmocap += b->body.data[i].mocap != 0;
  *nu = b->actuator.count;
}

// ---- rules about inertia ---------------------------------------------------------------------------

// Do both infer and repair inertias in the same way? The total mass does not count.
static int same_rules(const hfBuildConfig* a, const hfBuildConfig* b) {
  return a->inertia_from_geom == b->inertia_from_geom && a->inertia_group_min == b->inertia_group_min &&
         a->inertia_group_max == b->inertia_group_max && a->bound_mass == b->bound_mass &&
         a->bound_inertia == b->bound_inertia && a->balance_inertia == b->balance_inertia;
}

// Parts of equal rules that follow each other are joined.
hfStatus hfi_builder_add_part(hfBuilder* b, hfiPart part, hfError* error) {
  if (part.first >= part.end) return HF_OK;

  // many copies of one model become one part
  hfiPart* last = b->part.count ? &b->part.data[b->part.count - 1] : NULL;
  if (last && last->end == part.first && same_rules(&last->config, &part.config)) {
    last->end = part.end;
    return HF_OK;
  }

  if (!hfi_list_reserve(&b->part.any, sizeof part)) return hfi_refuse_memory(error);
  HFI_APPEND(b->part, part);
  return HF_OK;
}

const hfBuildConfig* hfi_builder_rules(const hfBuilder* b, int body) {
  for (int i = 0; i < b->part.count; ++i)
    if (body >= b->part.data[i].first && body < b->part.data[i].end) return &b->part.data[i].config;
  return &b->config;
}

int hfi_builder_has_own_rules(const hfBuilder* b, int body) {
  return !same_rules(hfi_builder_rules(b, body), &b->config);
}
