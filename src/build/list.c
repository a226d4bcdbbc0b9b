// The lists of a builder: where the objects of each kind lie, what their definitions refer to, and what every check of
// a definition needs.
#include "build/inside.h"

#include "base/error.h"
#include "base/locale.h"

#include <stdarg.h>
#include <stdio.h>

// ---- the table of lists ----------------------------------------------------------------------------

static hfObjectKind find_actuator_target(const void* def) {
  return hfi_transmission_target(((const hfActuatorDef*)def)->trntype);
}

static hfObjectKind find_equality_target(const void* def) {
  const hfEqualityDef* d = def;
  return hfi_equality_target(d->type, d->objkind);
}

static hfObjectKind find_sensor_object(const void* def) { return (hfObjectKind)((const hfSensorDef*)def)->objkind; }

static hfObjectKind find_sensor_reference(const void* def) { return (hfObjectKind)((const hfSensorDef*)def)->refkind; }

#define LIST(member, Entry, Def) \
  .list = offsetof(hfBuilder, member), .entry_size = sizeof(Entry), .def_size = sizeof(Def)
#define ID(Def, member, word, object) {.offset = offsetof(Def, member), .noun = word, .kind = object}
#define OPTIONAL_ID(Def, member, word, object) \
  {.offset = offsetof(Def, member), .noun = word, .kind = object, .is_optional = 1}
#define ID_OF(Def, member, word, find, optional) \
  {.offset = offsetof(Def, member), .noun = word, .find_kind = find, .is_optional = optional}

const hfiObjects hfi_objects[HF_OBJECT_KINDS] = {
    [HF_OBJECT_BODY] = {LIST(body, hfBodyDef, hfBodyDef), .first = 1,
                        .reference = {ID(hfBodyDef, parent, "parent", HF_OBJECT_BODY)}},
    [HF_OBJECT_JOINT] = {LIST(joint, hfJointDef, hfJointDef), .body = offsetof(hfJointDef, body),
                         .reference = {ID(hfJointDef, body, "body", HF_OBJECT_BODY)}},
    [HF_OBJECT_GEOM] = {LIST(geom, hfGeomDef, hfGeomDef), .body = offsetof(hfGeomDef, body),
                        .reference = {ID(hfGeomDef, body, "body", HF_OBJECT_BODY),
                                      OPTIONAL_ID(hfGeomDef, mesh, "mesh", HF_OBJECT_MESH),
                                      OPTIONAL_ID(hfGeomDef, hfield, "height field", HF_OBJECT_HFIELD)}},
    [HF_OBJECT_SITE] = {LIST(site, hfSiteDef, hfSiteDef), .body = offsetof(hfSiteDef, body),
                        .reference = {ID(hfSiteDef, body, "body", HF_OBJECT_BODY)}},
    [HF_OBJECT_CAMERA] = {LIST(camera, hfCameraDef, hfCameraDef), .body = offsetof(hfCameraDef, body),
                          .reference = {ID(hfCameraDef, body, "body", HF_OBJECT_BODY),
                                        OPTIONAL_ID(hfCameraDef, target, "target", HF_OBJECT_BODY)}},
    [HF_OBJECT_MESH] = {LIST(mesh, hfiMesh, hfMeshDef)},
    [HF_OBJECT_HFIELD] = {LIST(hfield, hfHeightFieldDef, hfHeightFieldDef)},
    [HF_OBJECT_TENDON] = {LIST(tendon, hfTendonDef, hfTendonDef)},
    [HF_OBJECT_EQUALITY] = {LIST(equality, hfEqualityDef, hfEqualityDef),
                            .reference = {ID_OF(hfEqualityDef, obj1, NULL, find_equality_target, 0),
                                          ID_OF(hfEqualityDef, obj2, NULL, find_equality_target, 1)}},
    [HF_OBJECT_PAIR] = {LIST(pair, hfPairDef, hfPairDef),
                        .reference = {ID(hfPairDef, geom1, "geom", HF_OBJECT_GEOM),
                                      ID(hfPairDef, geom2, "geom", HF_OBJECT_GEOM)}},
    [HF_OBJECT_ACTUATOR] = {LIST(actuator, hfActuatorDef, hfActuatorDef),
                            .reference = {ID_OF(hfActuatorDef, trnid[0], NULL, find_actuator_target, 0),
                                          OPTIONAL_ID(hfActuatorDef, trnid[1], "reference site", HF_OBJECT_SITE)}},
    [HF_OBJECT_SENSOR] = {LIST(sensor, hfSensorDef, hfSensorDef),
                          .reference = {ID_OF(hfSensorDef, obj, NULL, find_sensor_object, 0),
                                        ID_OF(hfSensorDef, ref, NULL, find_sensor_reference, 0)}},
    [HF_OBJECT_KEY] = {LIST(key, hfiKey, hfKeyDef)},
};

// ---- look-ups --------------------------------------------------------------------------------------

// The list of a kind, NULL for numbers that are not a kind with objects. An inertial frame is one of a body.
hfiList* hfi_list_of(const hfBuilder* b, hfObjectKind kind) {
  if (kind == HF_OBJECT_INERTIAL) kind = HF_OBJECT_BODY;
  if ((int)kind < 0 || kind >= HF_OBJECT_KINDS || hfi_objects[kind].entry_size == 0) return NULL;
  return (hfiList*)((uintptr_t)b + hfi_objects[kind].list);
}

const hfiDefinition* hfi_definition(const hfBuilder* b, hfObjectKind kind, int id) {
  if (kind == HF_OBJECT_INERTIAL) kind = HF_OBJECT_BODY;
  return (const hfiDefinition*)((const char*)hfi_list_of(b, kind)->data + (size_t)id * hfi_objects[kind].entry_size);
}

int hf_builder_count(const hfBuilder* b, hfObjectKind kind) {
  const hfiList* list = hfi_list_of(b, kind);
  return list ? list->count : 0;
}

int hfi_object_exists(const hfBuilder* b, int kind, int id) {
  return id >= 0 && id < hf_builder_count(b, (hfObjectKind)kind);
}

int hf_builder_find(const hfBuilder* b, hfObjectKind kind, const char* name) {
  return hfi_names_find(&b->names, kind, name);
}

const char* hf_builder_name(const hfBuilder* b, hfObjectKind kind, int id) {
  const char* name = hfi_object_exists(b, (int)kind, id) ? hfi_definition(b, kind, id)->name : NULL;
  return name ? name : "";
}

int hfi_list_reserve(hfiList* list, size_t entry_size) {
  void* data = hfi_grow(list->data, &list->capacity, list->count, entry_size);
  if (data) list->data = data;
  return data != NULL;
}

int32_t* hfi_reference_id(const hfiReference* reference, void* def) {
  return (int32_t*)((char*)def + reference->offset);
}

hfObjectKind hfi_reference_kind(const hfiReference* reference, const void* def) {
  return reference->find_kind ? reference->find_kind(def) : reference->kind;
}

// ---- refusals --------------------------------------------------------------------------------------

// Numbers in the message are written with a decimal point in every locale.
static void print_message(char* message, size_t size, const char* format, va_list args) {
  locale_t outer = hfi_enter_c_locale();
  vsnprintf(message, size, format, args);
  hfi_leave_c_locale(outer);
}

// Refuses with a message that begins with the place `where` of a definition, if it has one.
hfStatus hfi_refuse_at(hfError* error, hfStatus status, const char* where, const char* format, ...) {
  char what[HF_MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  print_message(what, sizeof what, format, args);
  va_end(args);

  if (!where) return hfi_refuse(error, status, "%s", what);
  return hfi_refuse(error, status, "%s: %s", where, what);
}

// Refuses a definition: the message has its place in a file (`where`), its kind and name, and what is printed.
hfStatus hfi_refuse_def(hfError* error, const char* where, hfObjectKind kind, const char* name, const char* format,
                        ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  print_message(what, sizeof what, format, args);
  va_end(args);
  return hfi_refuse_at(error, HF_ERROR_MODEL, where, "%s: %s", hfi_label(kind, name, -1).text, what);
}

hfStatus hfi_refuse_memory(hfError* error) { return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory"); }

// ---- checks of numbers -------------------------------------------------------------------------------

int hfi_normalise_quat(double* quat) {
  hfQuat q = q_load(quat);
  if (!hfi_all_finite(quat, 4) || !(q_norm(q) > 1e-10)) return 0;
  q_store(quat, q_unit_once(q));
  return 1;
}

// Refuses a range whose ends are not numbers, not in order, or have no finite number between them.
static hfStatus check_range(const hfiNumbers* f, const hfiDefinition* def, hfObjectKind kind, hfError* error) {
  double low = f->x[0];
  double high = f->x[1];
  if (low > high || low == INFINITY || high == -INFINITY)
    return HFI_REFUSE(def, kind, "%s [%g, %g] is empty", f->field, low, high);
  return HF_OK;
}

// Refuses the first of these numbers that is not finite. The ends of a range may be infinite, but it must not be empty.
hfStatus hfi_check_numbers(const hfiNumbers* fields, int count, const hfiDefinition* def, hfObjectKind kind,
                           hfError* error) {
  for (const hfiNumbers* f = fields; f < fields + count; ++f) {
    for (int i = 0; i < f->count; ++i) {
      if (f->is_range ? !isnan(f->x[i]) : isfinite(f->x[i])) continue;
      char index[16] = "";
      if (f->count > 1) snprintf(index, sizeof index, "[%d]", i);
      return hfi_refuse_at(error, HF_ERROR_NONFINITE, def->where, "%s: %s%s is not %s: %g",
                           hfi_label(kind, def->name, -1).text, f->field, index, f->is_range ? "a number" : "finite",
                           f->x[i]);
    }
    hfStatus status = f->is_range ? check_range(f, def, kind, error) : HF_OK;
    if (status != HF_OK) return status;
  }

  return HF_OK;
}
