// What can be done with objects of each kind: the table of their functions, and adding and changing objects by it.
//
// A definition is checked on a copy. Only when nothing can refuse it any more, the copy becomes an entry of its list.
#include "build/inside.h"

#include "base/error.h"

#include <string.h>

// ---- the table of functions ------------------------------------------------------------------------

const hfiKind hfi_kinds[HF_OBJECT_KINDS] = {
    [HF_OBJECT_BODY] = {.check = hfi_check_body, .keep = hfi_keep_body, .adapt = hfi_adapt_body},
    [HF_OBJECT_JOINT] = {.check = hfi_check_joint, .admit = hfi_admit_joint, .note = hfi_note_joint,
                         .keep = hfi_keep_joint},
    [HF_OBJECT_GEOM] = {.check = hfi_check_geom, .adapt = hfi_adapt_geom},
    [HF_OBJECT_SITE] = {.check = hfi_check_site, .adapt = hfi_adapt_site},
    [HF_OBJECT_CAMERA] = {.check = hfi_check_camera, .adapt = hfi_adapt_camera},
    [HF_OBJECT_MESH] = {.check = hfi_check_mesh, .own = hfi_own_mesh, .admit = hfi_admit_mesh,
                        .release = hfi_release_mesh, .adapt = hfi_adapt_mesh},
    [HF_OBJECT_HFIELD] = {.check = hfi_check_height_field, .own = hfi_own_height_field,
                          .adapt = hfi_adapt_height_field},
    [HF_OBJECT_TENDON] = {.check = hfi_check_tendon, .own = hfi_own_tendon, .adapt = hfi_adapt_tendon},
    [HF_OBJECT_EQUALITY] = {.check = hfi_check_equality, .adapt = hfi_adapt_equality},
    [HF_OBJECT_PAIR] = {.check = hfi_check_pair},
    [HF_OBJECT_ACTUATOR] = {.check = hfi_check_actuator, .own = hfi_own_actuator, .adapt = hfi_adapt_actuator},
    [HF_OBJECT_SENSOR] = {.check = hfi_check_sensor},
};

// ---- checks ----------------------------------------------------------------------------------------

// Refuses a definition that names an object which does not exist.
static hfStatus check_references(const hfBuilder* b, hfObjectKind kind, hfiDefinition* def, hfError* error) {
  const hfiReference* reference = hfi_objects[kind].reference;
  for (int k = 0; k < HFI_MOST_REFERENCES && reference[k].offset > 0; ++k) {
    hfObjectKind target = hfi_reference_kind(&reference[k], def);
    int32_t* id = hfi_reference_id(&reference[k], def);
    if (target == HF_OBJECT_NONE) *id = -1;
    if (target == HF_OBJECT_NONE || (reference[k].is_optional && *id == -1)) continue;

    const char* noun = reference[k].noun ? reference[k].noun : hf_object_kind_name(target);
    if (!hfi_object_exists(b, (int)target, *id))
      return hfi_refuse_def(error, def->where, kind, def->name, "%s %d does not exist", noun, *id);
  }

  return HF_OK;
}

// Refuses a definition that names what does not exist or makes no sense. It is completed.
static hfStatus check_definition(const hfBuilder* b, hfObjectKind kind, hfiAnyEntry* entry, hfError* error) {
  hfStatus status = check_references(b, kind, &entry->def, error);
  if (status != HF_OK || !hfi_kinds[kind].check) return status;
  return hfi_kinds[kind].check(b, entry, error);
}

// Checks all definitions again.
static hfStatus check_definitions(const hfBuilder* b, hfError* error) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    const hfiObjects* objects = &hfi_objects[k];
    for (int i = objects->first; i < hf_builder_count(b, (hfObjectKind)k) && hfi_kinds[k].check; ++i) {
      hfiAnyEntry copy;
      memcpy(&copy, hfi_definition(b, (hfObjectKind)k, i), objects->def_size);
      hfStatus status = check_definition(b, (hfObjectKind)k, &copy, error);
      if (status != HF_OK) return status;
    }
  }

  return HF_OK;
}

// Refuses rules about inertia that no model follows.
static hfStatus check_rules(const hfBuildConfig* c, hfError* error) {
  if (c->inertia_from_geom < -1 || c->inertia_from_geom > 1)
    return hfi_refuse(error, HF_ERROR_MODEL, "inertia_from_geom must be -1, 0 or 1, is %d", c->inertia_from_geom);
  if (!(c->bound_mass >= 0 && c->bound_inertia >= 0 && c->total_mass >= 0) || !isfinite(c->bound_mass) ||
      !isfinite(c->bound_inertia) || !isfinite(c->total_mass))
    return hfi_refuse(error, HF_ERROR_MODEL,
                      "bound_mass %g, bound_inertia %g and total_mass %g must be finite and cannot be negative",
                      c->bound_mass, c->bound_inertia, c->total_mass);

  return HF_OK;
}

// Refuses a builder that no model can be made of: its world, its rules, then its definitions, as in the order of a
// file.
hfStatus hfi_check_builder(const hfBuilder* b, hfError* error) {
  hfStatus status = hfi_check_world(&b->world, error);
  if (status == HF_OK) status = check_rules(&b->config, error);
  if (status == HF_OK) status = check_definitions(b, error);
  if (status == HF_OK) status = hfi_check_sensor_numbers(b, error);
  return status;
}

// Refuses names that are not UTF-8 or have control characters. The message has the object's number instead of the name.
hfStatus hfi_check_names(const hfBuilder* b, hfError* error) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k)
    for (int i = 0; i < hf_builder_count(b, (hfObjectKind)k); ++i) {
      const hfiDefinition* d = hfi_definition(b, (hfObjectKind)k, i);
      if (d->name && !hfi_name_is_sound(d->name))
        return hfi_refuse_at(error, HF_ERROR_MODEL, d->where, "%s: its name has a control character or is not UTF-8",
                             hfi_label((hfObjectKind)k, NULL, i).text);
    }

  return HF_OK;
}

// ---- additions -------------------------------------------------------------------------------------

// Copies name and place into the pool. Returns 0 if there is no memory. An empty name becomes none.
static int own_strings(hfBuilder* b, hfiDefinition* def) {
  if (def->name && !*def->name) def->name = NULL;
  const char* name = hfi_pool_string(&b->pool, def->name);
  const char* where = hfi_pool_string(&b->pool, def->where);
  if ((def->name && !name) || (def->where && !where)) return 0;

  def->name = name;
  def->where = where;
  return 1;
}

// Appends an entry that was checked to its list, and its name to the names. Returns its id, or a status < 0 after a
// refusal (the name is used already, or out of memory); the entry is then released.
int hfi_builder_enter(hfBuilder* b, hfObjectKind kind, void* entry, hfError* error) {
  const hfiKind* row = &hfi_kinds[kind];
  hfiList* list = hfi_list_of(b, kind);
  hfiDefinition* def = entry;
  hfStatus status = HF_OK;

  if (def->name && *def->name && hfi_names_find(&b->names, kind, def->name) >= 0) {
    status = HFI_REFUSE(def, kind, "name is used already");
  } else {
    int has_room = hfi_list_reserve(list, hfi_objects[kind].entry_size) && own_strings(b, def);
    if (!has_room || (def->name && hfi_names_add(&b->names, kind, def->name, list->count) != 0))
      status = hfi_refuse_memory(error);
  }

  if (status != HF_OK) {
    if (row->release) row->release(entry);
    return (int)status;
  }

  size_t size = hfi_objects[kind].entry_size;
  memcpy((char*)list->data + (size_t)list->count * size, entry, size);
  if (row->note) row->note(b, entry);
  return list->count++;
}

// Works on a copy of the definition, whose size the table knows.
int hfi_builder_add(hfBuilder* b, hfObjectKind kind, const void* source, hfError* error) {
  const hfiKind* row = &hfi_kinds[kind];
  hfiAnyEntry entry;
  memset(&entry, 0, sizeof entry);
  memcpy(&entry, source, hfi_objects[kind].def_size);

  hfi_clear_error(error);
  hfStatus status = check_definition(b, kind, &entry, error);
  if (status == HF_OK && row->own) status = row->own(b, &entry, error);
  if (status == HF_OK && row->admit) status = row->admit(b, &entry, error);

  return status == HF_OK ? hfi_builder_enter(b, kind, &entry, error) : (int)status;
}

int hf_builder_add_body(hfBuilder* b, const hfBodyDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_BODY, def, error);
}

int hf_builder_add_joint(hfBuilder* b, const hfJointDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_JOINT, def, error);
}

int hf_builder_add_geom(hfBuilder* b, const hfGeomDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_GEOM, def, error);
}

int hf_builder_add_site(hfBuilder* b, const hfSiteDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_SITE, def, error);
}

int hf_builder_add_camera(hfBuilder* b, const hfCameraDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_CAMERA, def, error);
}

int hf_builder_add_mesh(hfBuilder* b, const hfMeshDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_MESH, def, error);
}

int hf_builder_add_height_field(hfBuilder* b, const hfHeightFieldDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_HFIELD, def, error);
}

int hf_builder_add_tendon(hfBuilder* b, const hfTendonDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_TENDON, def, error);
}

int hf_builder_add_equality(hfBuilder* b, const hfEqualityDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_EQUALITY, def, error);
}

int hf_builder_add_pair(hfBuilder* b, const hfPairDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_PAIR, def, error);
}

int hf_builder_add_actuator(hfBuilder* b, const hfActuatorDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_ACTUATOR, def, error);
}

int hf_builder_add_sensor(hfBuilder* b, const hfSensorDef* def, hfError* error) {
  hfi_clear_error(error);
  return hfi_builder_add(b, HF_OBJECT_SENSOR, def, error);
}

// ---- definitions as they stand ---------------------------------------------------------------------

// The definition of an object, or NULL if there is no such id.
static const void* find_definition(const hfBuilder* b, hfObjectKind kind, int id) {
  return hfi_object_exists(b, (int)kind, id) ? hfi_definition(b, kind, id) : NULL;
}

const hfBodyDef* hf_builder_body(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_BODY, id); }
const hfJointDef* hf_builder_joint(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_JOINT, id); }
const hfGeomDef* hf_builder_geom(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_GEOM, id); }
const hfSiteDef* hf_builder_site(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_SITE, id); }
const hfCameraDef* hf_builder_camera(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_CAMERA, id); }
const hfTendonDef* hf_builder_tendon(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_TENDON, id); }
const hfEqualityDef* hf_builder_equality(const hfBuilder* b, int id) {
  return find_definition(b, HF_OBJECT_EQUALITY, id);
}
const hfPairDef* hf_builder_pair(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_PAIR, id); }
const hfActuatorDef* hf_builder_actuator(const hfBuilder* b, int id) {
  return find_definition(b, HF_OBJECT_ACTUATOR, id);
}
const hfSensorDef* hf_builder_sensor(const hfBuilder* b, int id) { return find_definition(b, HF_OBJECT_SENSOR, id); }

// ---- changes ---------------------------------------------------------------------------------------

// Replaces the definition of an object if the new one passes the checks of an addition. Name and place stay.
static hfStatus set_definition(hfBuilder* b, hfObjectKind kind, int id, const void* source, hfError* error) {
  const hfiKind* row = &hfi_kinds[kind];
  hfi_clear_error(error);
  if (id < hfi_objects[kind].first || id >= hf_builder_count(b, kind))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no %s %d", hf_object_kind_name(kind), id);

  hfiDefinition* old = (hfiDefinition*)(uintptr_t)hfi_definition(b, kind, id);
  hfiAnyEntry entry;
  memcpy(&entry, source, hfi_objects[kind].def_size);
  entry.def = *old;

  hfStatus status = row->keep ? row->keep(b, id, &entry, error) : HF_OK;
  if (status == HF_OK) status = check_definition(b, kind, &entry, error);
  if (status == HF_OK && row->own) status = row->own(b, &entry, error);
  if (status == HF_OK) memcpy(old, &entry, hfi_objects[kind].def_size);

  return status;
}

hfStatus hf_builder_set_body(hfBuilder* b, int id, const hfBodyDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_BODY, id, def, error);
}

hfStatus hf_builder_set_joint(hfBuilder* b, int id, const hfJointDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_JOINT, id, def, error);
}

hfStatus hf_builder_set_geom(hfBuilder* b, int id, const hfGeomDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_GEOM, id, def, error);
}

hfStatus hf_builder_set_site(hfBuilder* b, int id, const hfSiteDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_SITE, id, def, error);
}

hfStatus hf_builder_set_camera(hfBuilder* b, int id, const hfCameraDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_CAMERA, id, def, error);
}

hfStatus hf_builder_set_tendon(hfBuilder* b, int id, const hfTendonDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_TENDON, id, def, error);
}

hfStatus hf_builder_set_equality(hfBuilder* b, int id, const hfEqualityDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_EQUALITY, id, def, error);
}

hfStatus hf_builder_set_pair(hfBuilder* b, int id, const hfPairDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_PAIR, id, def, error);
}

hfStatus hf_builder_set_actuator(hfBuilder* b, int id, const hfActuatorDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_ACTUATOR, id, def, error);
}

hfStatus hf_builder_set_sensor(hfBuilder* b, int id, const hfSensorDef* def, hfError* error) {
  hfi_clear_error(error);
  return set_definition(b, HF_OBJECT_SENSOR, id, def, error);
}

