// Changes definitions that a builder has already. A new definition must pass the checks of an addition before it replaces the old one.
#include "build/builder_add.h"

#include "base/error.h"
#include "model/block.h"

#define DEFINE_GET(noun, Def)                                                                      \
  const Def* hf_builder_##noun(const hfBuilder* b, int id) {                                       \
    return id >= 0 && id < b->noun.count ? &b->noun.data[id] : NULL;                               \
  }

DEFINE_GET(body, hfBodyDef)
DEFINE_GET(joint, hfJointDef)
DEFINE_GET(geom, hfGeomDef)
DEFINE_GET(site, hfSiteDef)
DEFINE_GET(camera, hfCameraDef)
DEFINE_GET(tendon, hfTendonDef)
DEFINE_GET(equality, hfEqualityDef)
DEFINE_GET(pair, hfPairDef)
DEFINE_GET(actuator, hfActuatorDef)
DEFINE_GET(sensor, hfSensorDef)

hfStatus hf_builder_set_world(hfBuilder* b, const hfWorld* world, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hfi_check_world(world, error);
  if (status == HF_OK) b->world = *world;
  return status;
}

static hfStatus refuse_id(hfError* error, hfObjectKind kind, int id) {
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no %s %d", hf_object_kind_name(kind), id);
}

hfStatus hf_builder_set_body(hfBuilder* b, int id, const hfBodyDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 1 || id >= b->body.count) return refuse_id(error, HF_OBJECT_BODY, id);
  hfBodyDef d = *def, *old = &b->body.data[id];
  d.name = old->name, d.where = old->where, d.parent = old->parent;
  if (d.mocap && hfi_body_has_joints(b, id)) return hfi_refuse_def(error, d.where, HF_OBJECT_BODY, d.name, "a mocap body has no joints");
  hfStatus status = hfi_check_body(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_joint(hfBuilder* b, int id, const hfJointDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->joint.count) return refuse_id(error, HF_OBJECT_JOINT, id);
  hfJointDef d = *def, *old = &b->joint.data[id];
  d.name = old->name, d.where = old->where, d.body = old->body, d.type = old->type;
  hfStatus status = hfi_check_joint(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_geom(hfBuilder* b, int id, const hfGeomDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->geom.count) return refuse_id(error, HF_OBJECT_GEOM, id);
  hfGeomDef d = *def, *old = &b->geom.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_geom(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_site(hfBuilder* b, int id, const hfSiteDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->site.count) return refuse_id(error, HF_OBJECT_SITE, id);
  hfSiteDef d = *def, *old = &b->site.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_site(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_camera(hfBuilder* b, int id, const hfCameraDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->camera.count) return refuse_id(error, HF_OBJECT_CAMERA, id);
  hfCameraDef d = *def, *old = &b->camera.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_camera(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_tendon(hfBuilder* b, int id, const hfTendonDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->tendon.count) return refuse_id(error, HF_OBJECT_TENDON, id);
  hfTendonDef d = *def, *old = &b->tendon.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_tendon(b, &d, error);
  if (status == HF_OK) status = hfi_own_tendon(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_equality(hfBuilder* b, int id, const hfEqualityDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->equality.count) return refuse_id(error, HF_OBJECT_EQUALITY, id);
  hfEqualityDef d = *def, *old = &b->equality.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_equality(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_pair(hfBuilder* b, int id, const hfPairDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->pair.count) return refuse_id(error, HF_OBJECT_PAIR, id);
  hfPairDef d = *def, *old = &b->pair.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_pair(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}

hfStatus hf_builder_set_actuator(hfBuilder* b, int id, const hfActuatorDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->actuator.count) return refuse_id(error, HF_OBJECT_ACTUATOR, id);
  hfActuatorDef d = *def, *old = &b->actuator.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_actuator(b, &d, error);
  if (status != HF_OK) return status;
  d.signal_data = hfi_pool_copy(&b->pool, d.signal_data, sizeof *d.signal_data * (size_t)d.signal_count);
  if (!d.signal_data) return (hfStatus)hfi_refuse_memory(error);
  *old = d;
  return HF_OK;
}

hfStatus hf_builder_set_sensor(hfBuilder* b, int id, const hfSensorDef* def, hfError* error) {
  hfi_clear_error(error);
  if (id < 0 || id >= b->sensor.count) return refuse_id(error, HF_OBJECT_SENSOR, id);
  hfSensorDef d = *def, *old = &b->sensor.data[id];
  d.name = old->name, d.where = old->where;
  hfStatus status = hfi_check_sensor(b, &d, error);
  if (status == HF_OK) *old = d;
  return status;
}
