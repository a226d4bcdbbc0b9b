// Plans the histories in states, of controls that act later and measurements that arrive later: one for each actuator
// and each sensor that has samples.
#include "build/inside.h"

#include "base/error.h"
#include "model/history.h"

// A history for which room in the state is needed.
typedef struct Place {
  const hfiDefinition* def; // who has it
  hfObjectKind kind;
  double delay, interval;   // [s]
  int nsample;
  int64_t size;             // numbers
} Place;

// Finds room for a history behind those that are planned already. *address is -1 if it has no samples.
static hfStatus place_history(hfModel* m, const Place* place, int32_t* address, hfError* error) {
  double step = fmax(place->interval, m->world.timestep);
  if (!hfi_delay_fits(place->delay, place->nsample, step))
    return HFI_REFUSE(place->def, place->kind, "a delay of %g s needs nsample %g at steps of %g s, has %d",
                      place->delay, ceil(place->delay / step - 1e-6), step, place->nsample);
  if (m->nhistory + place->size > HFI_MOST_OBJECTS)
    return HFI_REFUSE(place->def, place->kind, "the histories of all delays have more than %d numbers",
                      HFI_MOST_OBJECTS);

  *address = place->nsample > 0 ? m->nhistory : -1;
  m->nhistory += (int32_t)place->size;
  return HF_OK;
}

// Counts the rests of springs in a state. States keep the rests of all springs if any of them yields.
static int32_t count_rests(const hfBuilder* b, const hfModel* m) {
  int yields = 0;
  for (int i = 0; i < b->joint.count; ++i) yields |= b->joint.data[i].springyield > 0;
  for (int i = 0; i < b->tendon.count; ++i) yields |= b->tendon.data[i].springyield > 0;
  return yields ? m->nq + 2 * m->ntendon : 0;
}

// Plans the histories of actuators, then of sensors, and the rests of springs.
hfStatus hfi_finish_histories(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfStatus status = HF_OK;
  m->nrest = count_rests(f->b, m);

  for (int i = 0; i < m->nu && status == HF_OK; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    hfi_set_actuator_nsample(m)[i] = d->nsample;
    hfi_set_actuator_interp(m)[i] = d->interp;
    hfi_set_actuator_delay(m)[i] = d->delay;
    // delay, interval (none), number of samples, size
    Place place = {(const hfiDefinition*)d, HF_OBJECT_ACTUATOR, d->delay, 0, d->nsample, hfi_delay_size(d->nsample, 1)};
    status = place_history(m, &place, &hfi_set_actuator_historyadr(m)[i], error);
  }

  for (int i = 0; i < m->nsensor && status == HF_OK; ++i) {
    const hfSensorDef* d = &f->b->sensor.data[i];
    hfi_set_sensor_nsample(m)[i] = d->nsample;
    hfi_set_sensor_interp(m)[i] = d->interp;
    hfi_set_sensor_delay(m)[i] = d->delay;
    memcpy(hfi_set_sensor_interval(m) + 2 * i, d->interval, sizeof d->interval);
    int64_t size = hfi_samples_size(m, i);
    Place place = {(const hfiDefinition*)d, HF_OBJECT_SENSOR, d->delay, d->interval[0], d->nsample, size};
    status = place_history(m, &place, &hfi_set_sensor_historyadr(m)[i], error);
  }

  return status;
}
