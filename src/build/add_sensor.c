// Adding sensors, and how many numbers they have.
#include "build/inside.h"

#include "base/error.h"
#include "model/history.h"

static const hfObjectKind KIND = HF_OBJECT_SENSOR;

// ---- histories -------------------------------------------------------------------------------------

// Refuses a delay [s], a number of samples or an interpolation of a history that cannot be.
hfStatus hfi_check_samples(const hfiDefinition* d, hfObjectKind kind, double delay, int nsample, int interp,
                           hfError* error) {
  if (!(delay >= 0 && isfinite(delay)))
    return HFI_REFUSE(d, kind, "delay %g must be finite and cannot be negative", delay);
  if (nsample < 0 || nsample > HFI_MOST_SAMPLES)
    return HFI_REFUSE(d, kind, "nsample %d must be between 0 and %d", nsample, HFI_MOST_SAMPLES);
  if (interp < HF_INTERPOLATE_HOLD || interp > HF_INTERPOLATE_CUBIC)
    return HFI_REFUSE(d, kind, "interpolation %d does not exist", interp);
  return HF_OK;
}

// Checks the time between measurements, which begin within one interval before the start.
static hfStatus check_interval(const hfSensorDef* d, hfError* error) {
  double interval = d->interval[0];
  double phase = d->interval[1];
  if (!(interval >= 0 && isfinite(interval)))
    return HFI_REFUSE(d, KIND, "interval %g must be finite and cannot be negative", interval);
  if (!hfi_interval_is_sound(interval, phase))
    return HFI_REFUSE(d, KIND, "measurements must begin between -%g and 0, not at %g", interval, phase);
  return HF_OK;
}

// ---- what is measured --------------------------------------------------------------------------------

// Refuses an object of a kind that the sensor cannot measure.
static hfStatus check_object(const hfBuilder* b, const hfSensorDef* d, hfError* error) {
  int is_joint = d->objkind == HF_OBJECT_JOINT;
  int is_accepted = hfi_sensor_accepts(d->type, d->objkind);
  if (is_accepted && is_joint) is_accepted = hfi_sensor_accepts_joint(d->type, b->joint.data[d->obj].type);
  if (!is_accepted && d->objkind == HF_OBJECT_NONE) return HFI_REFUSE(d, KIND, "needs an object");
  if (!is_accepted) return HFI_REFUSE(d, KIND, "cannot measure a %s", hf_object_kind_name((hfObjectKind)d->objkind));

  if (d->objkind == HF_OBJECT_ACTUATOR && hfi_is_later_axis(&b->actuator.data[d->obj]))
    return HFI_REFUSE(d, KIND,
                      "measures all axes of an orientation servo, so that it must name the first of its actuators");
  return HF_OK;
}

// Refuses a reference to which the sensor cannot refer, and a sensor that lacks one.
static hfStatus check_reference(const hfSensorDef* d, hfError* error) {
  if (d->refkind != HF_OBJECT_NONE && !hfi_sensor_accepts(d->type, d->refkind))
    return HFI_REFUSE(d, KIND, "cannot refer to a %s", hf_object_kind_name((hfObjectKind)d->refkind));

  if (d->type == HF_SENSOR_INSIDE_SITE && d->refkind != HF_OBJECT_SITE) return HFI_REFUSE(d, KIND, "needs a site");
  if (d->type == HF_SENSOR_CAMERA_PROJECTION && (d->objkind != HF_OBJECT_SITE || d->refkind != HF_OBJECT_CAMERA))
    return HFI_REFUSE(d, KIND, "needs a site and a camera");
  if (d->type >= HF_SENSOR_DISTANCE && d->type <= HF_SENSOR_FROM_TO && d->refkind == HF_OBJECT_NONE)
    return HFI_REFUSE(d, KIND, "needs two geoms or bodies");

  return HF_OK;
}

// Sets data and reduce if they are not given: a rangefinder reports distances, a contact sensor the net force and
// torque.
static void complete(hfSensorDef* d) {
  if (d->data != 0) return;
  if (d->type == HF_SENSOR_RANGEFINDER) d->data = HF_RAY_DIST;
  if (d->type == HF_SENSOR_CONTACT) {
    d->data = HF_CONTACT_DATA_FORCE | HF_CONTACT_DATA_TORQUE;
    d->reduce = HF_REDUCE_NETFORCE;
  }
}

// Refuses numbers and choices that do not exist. Bits end below twice the last one; subtree has two bits.
static hfStatus check_numbers(const hfSensorDef* d, hfError* error) {
  int data_end = d->type == HF_SENSOR_RANGEFINDER ? 2 * HF_RAY_DEPTH : 2 * HF_CONTACT_DATA_ANGVEL;
  if (d->num < 1 || d->num > HFI_MOST_SENSOR_SLOTS || d->data < 0 || d->data >= data_end ||
      d->reduce < HF_REDUCE_NONE || d->reduce > HF_REDUCE_NETFORCE || d->subtree < 0 || d->subtree > 3)
    return HFI_REFUSE(d, KIND, "data %d, num %d, reduce %d or subtree %d does not exist", d->data, d->num, d->reduce,
                      d->subtree);
  if (!isfinite(d->noise) || d->noise < 0) return HFI_REFUSE(d, KIND, "noise %g is negative", d->noise);
  if (!isfinite(d->cutoff) || d->cutoff < 0) return HFI_REFUSE(d, KIND, "cutoff %g is negative", d->cutoff);

  return HF_OK;
}

// Completes a sensor, then checks what it measures and its numbers.
hfStatus hfi_check_sensor(const hfBuilder* b, void* def, hfError* error) {
  hfSensorDef* d = def;
  if (d->type < 0 || d->type >= HF_SENSOR_TYPES) return HFI_REFUSE(d, KIND, "unknown type %d", d->type);

  complete(d);

  hfStatus status = check_object(b, d, error);
  if (status == HF_OK) status = check_numbers(d, error);
  if (status == HF_OK) status = check_reference(d, error);
  if (status == HF_OK) status = hfi_check_samples(def, KIND, d->delay, d->nsample, d->interp, error);

  return status == HF_OK ? check_interval(d, error) : status;
}

// ---- numbers of a sensor -----------------------------------------------------------------------------

static int64_t count_pixels(const hfCameraDef* camera) {
  return (int64_t)camera->resolution[0] * camera->resolution[1];
}

// Returns the sensor_num of a sensor: the pixels of its camera, the axes of its orientation servo, or the given number.
int hfi_sensor_num(const hfBuilder* b, const hfSensorDef* d) {
  if (d->type == HF_SENSOR_RANGEFINDER)
    return d->objkind == HF_OBJECT_CAMERA ? (int)count_pixels(&b->camera.data[d->obj]) : 1;
  if (d->type < HF_SENSOR_ACTUATOR_POS || d->type > HF_SENSOR_ACTUATOR_FORCE) return d->num;

  const hfActuatorDef* actuator = &b->actuator.data[d->obj];
  return actuator->gaintype == HF_GAIN_ORIENTATION && hfi_orientation_count(actuator->inputs) ? 3 : 1;
}

// Counts the numbers of all sensors up to the limit. It needs cameras and actuators as they are at the end.
hfStatus hfi_check_sensor_numbers(const hfBuilder* b, hfError* error) {
  int64_t total = 0;
  for (int i = 0; i < b->sensor.count; ++i) {
    const hfSensorDef* d = &b->sensor.data[i];
    int has_pixels = d->type == HF_SENSOR_RANGEFINDER && d->objkind == HF_OBJECT_CAMERA;
    if (has_pixels && count_pixels(&b->camera.data[d->obj]) > HFI_MOST_SENSOR_PIXELS)
      return HFI_REFUSE(d, KIND, "its camera has more than %d pixels", HFI_MOST_SENSOR_PIXELS);

    total += hfi_sensor_dim(d->type, d->data, hfi_sensor_num(b, d));
    if (total > HFI_MOST_SENSOR_NUMBERS)
      return HFI_REFUSE(d, KIND, "the sensors up to it have more than %d numbers", HFI_MOST_SENSOR_NUMBERS);
  }

  return HF_OK;
}
