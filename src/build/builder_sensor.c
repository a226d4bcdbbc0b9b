// Adding sensors.
#include "build/builder_add.h"
#include "model/actuator.h"
#include "model/history.h"

#include "base/error.h"
#include <math.h>

// Here only sizes are checked: how far a history must reach back depends on the step (finish_history.c).
hfStatus hfi_check_samples(const char* where, hfObjectKind kind, const char* name, double delay, int nsample, int interp, hfError* error) {
  if (!(delay >= 0 && isfinite(delay)))
    return hfi_refuse_def(error, where, kind, name, "delay %g must be finite and cannot be negative", delay);
  if (nsample < 0 || nsample > HFI_MOST_SAMPLES)
    return hfi_refuse_def(error, where, kind, name, "nsample %d must be between 0 and %d", nsample, HFI_MOST_SAMPLES);
  if (interp < HF_INTERPOLATE_HOLD || interp > HF_INTERPOLATE_CUBIC)
    return hfi_refuse_def(error, where, kind, name, "interpolation %d does not exist", interp);
  return HF_OK;
}

// Measurements begin within one interval before the start.
static hfStatus check_interval(const hfSensorDef* d, hfError* error) {
  double interval = d->interval[0], phase = d->interval[1];
  if (!(interval >= 0 && isfinite(interval)))
    return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "interval %g must be finite and cannot be negative", interval);
  if (!hfi_interval_is_sound(interval, phase))
    return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "measurements must begin between -%g and 0, not at %g", interval, phase);
  return HF_OK;
}

// Refuses a sensor whose object does not exist or is of a kind that it cannot measure.
static hfStatus check_object(const hfBuilder* b, const hfSensorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  const char* name = hf_object_kind_name((hfObjectKind)d->objkind);
  int free_standing = d->objkind == HF_OBJECT_NONE;
  if (!free_standing && !hfi_object_exists(b, d->objkind, d->obj))
    return hfi_refuse_def(error, d->where, kind, d->name, "names a %s that does not exist", name);
  if (!hfi_sensor_accepts(d->type, d->objkind) ||
      (d->objkind == HF_OBJECT_JOINT && !hfi_sensor_accepts_joint(d->type, b->joint.data[d->obj].type)))
    return hfi_refuse_def(error, d->where, kind, d->name, free_standing ? "needs an object" : "cannot measure a %s", name);
  if (d->objkind == HF_OBJECT_ACTUATOR && hfi_is_later_axis(&b->actuator.data[d->obj]))
    return hfi_refuse_def(error, d->where, kind, d->name, "measures all axes of an orientation servo, so that it must name the first of its actuators");
  return HF_OK;
}

// Checks the reference, relative to which a sensor measures.
static hfStatus check_reference(const hfBuilder* b, const hfSensorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  const char* name = hf_object_kind_name((hfObjectKind)d->refkind);
  if (d->refkind == HF_OBJECT_NONE) return HF_OK;
  if (!hfi_object_exists(b, d->refkind, d->ref))
    return hfi_refuse_def(error, d->where, kind, d->name, "reference %s does not exist", name);
  if (!hfi_sensor_accepts(d->type, d->refkind)) return hfi_refuse_def(error, d->where, kind, d->name, "cannot refer to a %s", name);
  return HF_OK;
}

// Refuses sensors that lack an object which their type needs.
static hfStatus check_needs(const hfSensorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  if (d->type == HF_SENSOR_INSIDE_SITE && d->refkind != HF_OBJECT_SITE) return hfi_refuse_def(error, d->where, kind, d->name, "needs a site");
  if (d->type == HF_SENSOR_CAMERA_PROJECTION && (d->objkind != HF_OBJECT_SITE || d->refkind != HF_OBJECT_CAMERA))
    return hfi_refuse_def(error, d->where, kind, d->name, "needs a site and a camera");
  if (d->type >= HF_SENSOR_DISTANCE && d->type <= HF_SENSOR_FROM_TO && d->refkind == HF_OBJECT_NONE)
    return hfi_refuse_def(error, d->where, kind, d->name, "needs two geoms or bodies");
  return HF_OK;
}

static hfStatus check_numbers(const hfSensorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  if (d->num < 1 || d->num > HFI_MOST_SENSOR_SLOTS || d->data < 0 || d->data >= 2 * HF_CONTACT_DATA_ANGVEL || d->reduce < HF_REDUCE_NONE ||
      d->reduce > HF_REDUCE_NETFORCE || d->subtree < 0 || d->subtree > 3)
    return hfi_refuse_def(error, d->where, kind, d->name, "data %d, num %d, reduce %d or subtree %d does not exist", d->data, d->num, d->reduce, d->subtree);
  if (!isfinite(d->noise) || d->noise < 0) return hfi_refuse_def(error, d->where, kind, d->name, "noise %g is negative", d->noise);
  if (!isfinite(d->cutoff) || d->cutoff < 0) return hfi_refuse_def(error, d->where, kind, d->name, "cutoff %g is negative", d->cutoff);
  return HF_OK;
}

hfStatus hfi_check_sensor(const hfBuilder* b, hfSensorDef* d, hfError* error) {
  if (d->type < 0 || d->type >= HF_SENSOR_TYPES) return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "unknown type %d", d->type);
  hfStatus status = check_object(b, d, error);
  if (status == HF_OK) status = check_reference(b, d, error);
  if (status == HF_OK) hfi_sensor_complete(d), status = check_numbers(d, error);
  if (status == HF_OK) status = check_needs(d, error);
  if (status == HF_OK) status = hfi_check_samples(d->where, HF_OBJECT_SENSOR, d->name, d->delay, d->nsample, d->interp, error);
  return status == HF_OK ? check_interval(d, error) : status;
}

int hf_builder_add_sensor(hfBuilder* b, const hfSensorDef* source, hfError* error) {
  hfi_clear_error(error);
  hfSensorDef d = *source;
  hfStatus status = hfi_check_sensor(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->sensor, HF_OBJECT_SENSOR, d);
  return HFI_APPEND(b->sensor, d);
}
