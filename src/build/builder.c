// The builder: creation, look-ups, and code that all additions share.
#include "build/builder.h"

#include "base/error.h"
#include "base/locale.h"
#include "math/vec3.h"
#include "build/builder_add.h"
#include "model/object.h"
#include "model/actuator.h"

#include <holdfast/methods.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

hfStatus hfi_refuse_def(hfError* error, const char* where, hfObjectKind kind, const char* name,
                        const char* format, ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  locale_t outer = hfi_enter_c_locale();
  vsnprintf(what, sizeof what, format, args);
  hfi_leave_c_locale(outer);
  va_end(args);
  return hfi_refuse(error, HF_ERROR_MODEL, "%s%s%s: %s", where ? where : "", where ? ": " : "",
                    hfi_label(kind, name, -1).text, what);
}

// ---- creation ------------------------------------------------------------------------------------

static hfWorld default_world(void) {
  hfWorld w = {0};
  w.timestep = 0.002;
  w.gravity[2] = -9.81;
  w.magnetic[1] = -0.5;
  w.dissipation = 20;
  w.stiction_speed = 1e-4;
  w.tangential_ratio = 0.8;
  w.release_speed = 0.5;
  w.impratio = 1;
  w.pyramidal_cone = 1;
  w.sleep_speed = 1e-3; // MuJoCo's default
  w.method = HF_METHOD_TAMSI;
  w.friction = HF_FRICTION_ANCHORED;
  w.friction_rule = HF_COMBINE_MAX;
  w.filter_parent = 1;
  return w;
}

hfBuildConfig hfi_build_config_default(void) { return (hfBuildConfig){.inertia_from_geom = -1, .inertia_group_max = 5}; }

hfBuilder* hf_builder_create(void) {
  hfBuilder* b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->world = default_world();
  b->config = hfi_build_config_default();
  hfBodyDef world = hf_body_def_default();
  world.name = "world";
  world.parent = -1;
  world.has_inertial = 1;
  b->body.data = hfi_grow(NULL, &b->body.capacity, 0, sizeof *b->body.data);
  if (!b->body.data || hfi_names_add(&b->names, HF_OBJECT_BODY, world.name, 0) != 0) {
    hf_builder_free(b);
    return NULL;
  }
  b->body.data[b->body.count++] = world;
  return b;
}

void hf_builder_free(hfBuilder* b) {
  if (!b) return;
  for (int i = 0; i < b->mesh.count; ++i) hfi_hull_release(&b->mesh.data[i].hull);
  void* lists[] = {b->body.data,    b->joint.data,    b->geom.data,     b->mesh.data,
                   b->hfield.data,
                   b->site.data,    b->camera.data,   b->tendon.data,   b->equality.data, b->pair.data,
                   b->exclude.data, b->actuator.data, b->sensor.data,   b->key.data,
                   b->part.data,    b->companions.data};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) free(lists[i]);
  hfi_names_release(&b->names);
  hfi_pool_release(&b->pool);
  free(b);
}

hfWorld* hf_builder_world(hfBuilder* b) { return &b->world; }
hfBuildConfig* hf_builder_config(hfBuilder* b) { return &b->config; }

// ---- rules about inertia ---------------------------------------------------------------------------

static int same_rules(const hfBuildConfig* a, const hfBuildConfig* b) {
  return a->inertia_from_geom == b->inertia_from_geom && a->inertia_group_min == b->inertia_group_min && a->inertia_group_max == b->inertia_group_max &&
         a->bound_mass == b->bound_mass && a->bound_inertia == b->bound_inertia && a->balance_inertia == b->balance_inertia;
}

hfStatus hfi_builder_add_part(hfBuilder* b, hfiPart part, hfError* error) {
  hfiPart* last = b->part.count ? &b->part.data[b->part.count - 1] : NULL;
  if (part.first >= part.end) return HF_OK;
  if (last && last->end == part.first && same_rules(&last->config, &part.config)) { // Many copies of one model become one part.
    last->end = part.end;
    return HF_OK;
  }
  void* grown = hfi_grow(b->part.data, &b->part.capacity, b->part.count, sizeof *b->part.data);
  if (!grown) return (hfStatus)hfi_refuse_memory(error);
  b->part.data = grown;
  HFI_APPEND(b->part, part);
  return HF_OK;
}

const hfBuildConfig* hfi_builder_rules(const hfBuilder* b, int body) {
  for (int i = 0; i < b->part.count; ++i)
    if (body >= b->part.data[i].first && body < b->part.data[i].end) return &b->part.data[i].config;
  return &b->config;
}

int hfi_builder_has_own_rules(const hfBuilder* b, int body) { return !same_rules(hfi_builder_rules(b, body), &b->config); }

// ---- what every addition uses (builder_add.h) -----------------------------------------------------

int hfi_refuse_memory(hfError* error) {
  return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
}

int hfi_normalise_quat(double* quat) {
  hfQuat q = q_load(quat);
  if (!hfi_all_finite(quat, 4) || !(q_norm(q) > 1e-10)) return 0;
  q_store(quat, q_unit_once(q));
  return 1;
}

int hfi_object_exists(const hfBuilder* b, int kind, int id) {
  return id >= 0 && id < hf_builder_count(b, (hfObjectKind)kind);
}

hfStatus hfi_check_numbers(const hfiNumbers* fields, int count, const char* where, hfObjectKind kind, const char* name, hfError* error) {
  for (const hfiNumbers* f = fields; f < fields + count; ++f)
    for (int i = 0; i < f->count; ++i) {
      if (f->is_range ? !isnan(f->x[i]) : isfinite(f->x[i])) continue;
      char index[16] = "";
      if (f->count > 1) snprintf(index, sizeof index, "[%d]", i);
      return hfi_refuse(error, HF_ERROR_NONFINITE, "%s%s%s: %s%s is not %s: %g", where ? where : "", where ? ": " : "", hfi_label(kind, name, -1).text,
                        f->field, index, f->is_range ? "a number" : "finite", f->x[i]);
    }
  return HF_OK;
}

int hfi_own_strings(hfBuilder* b, const char** name, const char** where) {
  if (*name && !**name) *name = NULL;
  const char *n = hfi_pool_string(&b->pool, *name), *w = hfi_pool_string(&b->pool, *where);
  if ((*name && !n) || (*where && !w)) return -1;
  *name = n, *where = w;
  return 0;
}

// ---- look-ups ------------------------------------------------------------------------------------

int hf_builder_find(const hfBuilder* b, hfObjectKind kind, const char* name) {
  return hfi_names_find(&b->names, kind, name);
}

// The objects of a kind: how many there are, and where the names of their definitions lie.
typedef struct Objects {
  int count;
  const char* const* name; // of the first one
  size_t stride;           // bytes from one definition to the next
} Objects;

static Objects find_objects(const hfBuilder* b, hfObjectKind kind) {
#define OBJECTS(list, name) ((Objects){b->list.count, b->list.count ? &b->list.data->name : NULL, sizeof *b->list.data})
  switch (kind) {
  case HF_OBJECT_BODY:
  case HF_OBJECT_INERTIAL:
    return OBJECTS(body, name);
  case HF_OBJECT_JOINT:
    return OBJECTS(joint, name);
  case HF_OBJECT_GEOM:
    return OBJECTS(geom, name);
  case HF_OBJECT_SITE:
    return OBJECTS(site, name);
  case HF_OBJECT_CAMERA:
    return OBJECTS(camera, name);
  case HF_OBJECT_MESH:
    return OBJECTS(mesh, def.name);
  case HF_OBJECT_HFIELD:
    return OBJECTS(hfield, name);
  case HF_OBJECT_TENDON:
    return OBJECTS(tendon, name);
  case HF_OBJECT_EQUALITY:
    return OBJECTS(equality, name);
  case HF_OBJECT_ACTUATOR:
    return OBJECTS(actuator, name);
  case HF_OBJECT_SENSOR:
    return OBJECTS(sensor, name);
  case HF_OBJECT_KEY:
    return OBJECTS(key, def.name);
  case HF_OBJECT_PAIR:
    return OBJECTS(pair, name);
  case HF_OBJECT_NONE:
  case HF_OBJECT_KINDS:
    break;
  }
#undef OBJECTS
  return (Objects){0};
}

int hf_builder_count(const hfBuilder* b, hfObjectKind kind) { return find_objects(b, kind).count; }

const char* hf_builder_name(const hfBuilder* b, hfObjectKind kind, int id) {
  Objects o = find_objects(b, kind);
  if (id < 0 || id >= o.count) return "";
  const char* name = *(const char* const*)((const char*)o.name + (size_t)id * o.stride);
  return name ? name : "";
}

int hf_builder_range(const hfBuilder* b, hfObjectKind kind, int id, double range[2]) {
  if (!hfi_object_exists(b, (int)kind, id) || (kind != HF_OBJECT_JOINT && kind != HF_OBJECT_TENDON))
    return 0;
  const double* from = kind == HF_OBJECT_JOINT ? b->joint.data[id].range : b->tendon.data[id].range;
  if (!(from[0] < from[1])) return 0;
  range[0] = from[0], range[1] = from[1];
  return 1;
}

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
