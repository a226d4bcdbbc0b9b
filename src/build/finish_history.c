// Plans the histories in states, of controls that act later and measurements that arrive later: one for each actuator and each sensor that has
// samples.
#include "build/finish.h"

#include "base/error.h"
#include "build/builder.h"
#include "model/history.h"

// The histories of a state have at most this many numbers (hf_model_validate).
enum { MOST_NUMBERS = 1 << 28 };

// A history (of delayed or sampled values) for which room in the state is needed.
typedef struct hfiPlace {
  const char *where, *name; // who has it
  hfObjectKind kind;
  double delay, interval;
  int nsample;
  int64_t size;
  int32_t* address;
} hfiPlace;

static hfStatus place_history(hfModel* m, const hfiPlace* p, hfError* error) {
  double h = fmax(p->interval, m->world.timestep);
  if (!hfi_delay_fits(p->delay, p->nsample, h))
    return hfi_refuse_def(error, p->where, p->kind, p->name, "a delay of %g s needs nsample %g at steps of %g s, has %d", p->delay,
                          ceil(p->delay / h - 1e-6), h, p->nsample);
  if (m->nhistory + p->size > MOST_NUMBERS)
    return hfi_refuse_def(error, p->where, p->kind, p->name, "the histories of all delays have more than %d numbers", MOST_NUMBERS);
  *p->address = p->nsample > 0 ? m->nhistory : -1;
  m->nhistory += (int32_t)p->size;
  return HF_OK;
}

// Counts the rests of springs in a state. States keep the rests of all springs if any of them yields.
static int32_t count_rests(const hfBuilder* b, const hfModel* m) {
  int yields = 0;
  for (int i = 0; i < b->joint.count; ++i) yields |= b->joint.data[i].springyield > 0;
  for (int i = 0; i < b->tendon.count; ++i) yields |= b->tendon.data[i].springyield > 0;
  return yields ? m->nq + 2 * m->ntendon : 0;
}

hfStatus hfi_finish_histories(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfStatus status = HF_OK;
  m->nrest = count_rests(f->b, m);
  for (int i = 0; i < m->nu && status == HF_OK; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    hfi_set_actuator_nsample(m)[i] = d->nsample;
    hfi_set_actuator_interp(m)[i] = d->interp;
    hfi_set_actuator_delay(m)[i] = d->delay;
    hfiPlace place = {d->where, d->name, HF_OBJECT_ACTUATOR, d->delay, 0, d->nsample, hfi_delay_size(d->nsample, 1), &hfi_set_actuator_historyadr(m)[i]};
    status = place_history(m, &place, error);
  }
  for (int i = 0; i < m->nsensor && status == HF_OK; ++i) {
    const hfSensorDef* d = &f->b->sensor.data[i];
    hfi_set_sensor_nsample(m)[i] = d->nsample;
    hfi_set_sensor_interp(m)[i] = d->interp;
    hfi_set_sensor_delay(m)[i] = d->delay;
    memcpy(hfi_set_sensor_interval(m) + 2 * i, d->interval, sizeof d->interval);
    hfiPlace place = {d->where, d->name, HF_OBJECT_SENSOR, d->delay, d->interval[0], d->nsample, hfi_samples_size(m, i), &hfi_set_sensor_historyadr(m)[i]};
    status = place_history(m, &place, error);
  }
  return status;
}
