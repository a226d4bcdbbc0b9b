// Where states keep what acts or arrives later: one history for each actuator that has samples.
#include "model/delay.h"
#include "model/finish.h"

#include "base/error.h"
#include "model/builder.h"

// No state has more numbers in its histories (hf_model_validate).
enum { MOST_NUMBERS = 1 << 28 };

// Places of a history behind the others.
static hfStatus place_history(hfModel* m, const char* where, hfObjectKind kind, const char* name, double delay, int nsample, int dim,
                              int32_t* address, hfError* error) {
  double h = m->world.timestep;
  if (!hfi_delay_fits(delay, nsample, h))
    return hfi_refuse_def(error, where, kind, name, "a delay of %g s needs nsample %g at steps of %g s, has %d", delay,
                          ceil(delay / h - 1e-6), h, nsample);
  if (m->nhistory + hfi_delay_size(nsample, dim) > MOST_NUMBERS)
    return hfi_refuse_def(error, where, kind, name, "the histories of all delays have more than %d numbers", MOST_NUMBERS);
  *address = nsample > 0 ? m->nhistory : -1;
  m->nhistory += (int32_t)hfi_delay_size(nsample, dim);
  return HF_OK;
}

hfStatus hfi_finish_histories(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  hfStatus status = HF_OK;
  for (int i = 0; i < m->nu && status == HF_OK; ++i) {
    const hfActuatorDef* d = &f->b->actuator.data[i];
    hfi_set_actuator_nsample(m)[i] = d->nsample;
    hfi_set_actuator_interp(m)[i] = d->interp;
    hfi_set_actuator_delay(m)[i] = d->delay;
    status = place_history(m, d->where, HF_OBJECT_ACTUATOR, d->name, d->delay, d->nsample, 1, &hfi_set_actuator_historyadr(m)[i], error);
  }
  return status;
}
