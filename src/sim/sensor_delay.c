// Sensors whose numbers arrive later, or that measure at intervals (model/history.h).
#include "model/history.h"
#include "sim/sensor.h"
#include "sim/inside.h"

// Whether sensor i has a history that needs a measurement at time t.
static int is_due(const hfModel* m, int i, const hfState* state, double t) {
  if (hf_model_sensor_nsample(m)[i] == 0) return 0;
  hfiSamples s = hfi_samples_of(m, i, hf_state_history(state) + hf_model_sensor_historyadr(m)[i]);
  return hfi_samples_due(&s, t);
}

// Whether a sensor with a history lacks a measurement of the state's own time.
int hfi_any_sensor_due(const hfModel* m, const hfState* state) {
  for (int i = 0; i < m->nsensor; ++i)
    if (is_due(m, i, state, state->time)) return 1;
  return 0;
}

// Adds the measurements `data` (nsensordata) of this time to the state's histories of the sensors for which they are
// due.
void hfi_keep_measurements(const hfModel* m, hfState* state, double time, const double* data) {
  double* histories = hf_state_mutable_history(state);
  for (int i = 0; i < m->nsensor; ++i) {
    if (!is_due(m, i, state, time)) continue;
    hfi_samples_keep(m, i, histories + hf_model_sensor_historyadr(m)[i], time, data + hf_model_sensor_adr(m)[i]);
  }
}

// Replaces the values `data` (nsensordata) of sensors with a history by those that arrive at the state's time.
void hfi_delay_sensors(const hfModel* m, const hfState* state, double* data) {
  for (int i = 0; i < m->nsensor; ++i) {
    if (hf_model_sensor_nsample(m)[i] == 0) continue;
    hfiSamples s = hfi_samples_of(m, i, hf_state_history(state) + hf_model_sensor_historyadr(m)[i]);
    double delay = hf_model_sensor_delay(m)[i];
    hfi_samples_read(&s, state->time, delay, hf_model_sensor_interp(m)[i], data + hf_model_sensor_adr(m)[i]);
  }
}
