// What the definition of a sensor leaves open, and how many numbers sensors may have.
#include "build/builder.h"
#include "model/actuator.h"

void hfi_sensor_complete(hfSensorDef* d) {
  if (d->type == HF_SENSOR_RANGEFINDER && d->data == 0) d->data = HF_RAY_DIST;
  if (d->type != HF_SENSOR_CONTACT || d->data != 0) return;
  d->data = HF_CONTACT_DATA_FORCE | HF_CONTACT_DATA_TORQUE;
  d->reduce = HF_REDUCE_NETFORCE;
}

static int is_of_actuator(int type) { return type >= HF_SENSOR_ACTUATOR_POS && type <= HF_SENSOR_ACTUATOR_FORCE; }

static int64_t count_pixels(const hfCameraDef* camera) { return (int64_t)camera->resolution[0] * camera->resolution[1]; }

hfStatus hfi_check_sensors(const hfBuilder* b, hfError* error) {
  int64_t total = 0;
  for (int i = 0; i < b->sensor.count; ++i) {
    const hfSensorDef* d = &b->sensor.data[i];
    if (d->type == HF_SENSOR_RANGEFINDER && d->objkind == HF_OBJECT_CAMERA && count_pixels(&b->camera.data[d->obj]) > HFI_MOST_SENSOR_PIXELS)
      return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "its camera has more than %d pixels", HFI_MOST_SENSOR_PIXELS);
    total += hfi_sensor_dim(d->type, d->data, hfi_sensor_num(b, d));
    if (total > HFI_MOST_SENSOR_NUMBERS)
      return hfi_refuse_def(error, d->where, HF_OBJECT_SENSOR, d->name, "the sensors up to it have more than %d numbers", HFI_MOST_SENSOR_NUMBERS);
  }
  return HF_OK;
}

int hfi_sensor_num(const hfBuilder* b, const hfSensorDef* d) {
  if (d->type == HF_SENSOR_RANGEFINDER) return d->objkind == HF_OBJECT_CAMERA ? (int)count_pixels(&b->camera.data[d->obj]) : 1;
  if (!is_of_actuator(d->type)) return d->num;
  const hfActuatorDef* actuator = &b->actuator.data[d->obj];
  return actuator->gaintype == HF_GAIN_ORIENTATION && hfi_orientation_count(actuator->inputs) ? 3 : 1;
}
