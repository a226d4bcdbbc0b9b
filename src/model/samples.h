// The history of a sensor with samples, in a state: the time at which the last measurement was due (`tick`), then n + 1 measurements. The last one
// may be that of the present time. A reader at time t sees only the n measurements before t, so that a state reads the same before and after its own
// measurement is kept.
#ifndef HFI_MODEL_SAMPLES_H
#define HFI_MODEL_SAMPLES_H

#include "model/delay.h"

static inline int64_t hfi_samples_size(const hfModel* m, int sensor) {
  int n = hf_model_sensor_nsample(m)[sensor];
  return n > 0 ? 1 + hfi_delay_size(n + 1, hf_model_sensor_dim(m)[sensor]) : 0;
}

// Whether `interval` and `phase` are allowed: the time between measurements (0: one at each step) and that of the first one [s].
static inline int hfi_interval_is_sound(double interval, double phase) {
  return interval >= 0 && isfinite(interval) && phase <= 0 && (phase == 0 || phase > -interval);
}

// Whether the history of a sensor reaches back far enough in steps of length h.
static inline int hfi_samples_fit(const hfModel* m, int sensor, double h) {
  return hfi_delay_fits(hf_model_sensor_delay(m)[sensor], hf_model_sensor_nsample(m)[sensor], fmax(hf_model_sensor_interval(m)[2 * sensor], h));
}

// A view of the history of one sensor.
typedef struct hfiSamples {
  double tick;
  const double *time, *row;
  double interval; // time between measurements [s]; 0: one at each step
  int count, dim;  // rows: n + 1
} hfiSamples;

static inline hfiSamples hfi_samples_of(const hfModel* m, int sensor, const double* history) {
  int count = hf_model_sensor_nsample(m)[sensor] + 1;
  return (hfiSamples){.tick = history[0], .time = history + 1, .row = history + 1 + count, .interval = hf_model_sensor_interval(m)[2 * sensor],
                      .count = count, .dim = hf_model_sensor_dim(m)[sensor]};
}

// Fills a history as if zeros had been measured before time t, at steps of the scene, at or after the times at which measurements were due.
static inline void hfi_samples_init(const hfModel* m, int sensor, double t, double* history) {
  hfiSamples s = hfi_samples_of(m, sensor, history);
  double h = m->world.timestep, phase = hf_model_sensor_interval(m)[2 * sensor + 1], apart = fmax(s.interval, h), start = phase < 0 ? phase : -apart;
  hfi_delay_init(history + 1, s.count, s.dim, t, h);
  history[0] = t + start;
  for (int k = 0; k < s.count; ++k) history[1 + k] = t + ceil((start - (s.count - 1 - k) * apart) / h - 1e-6) * h;
}

// Whether a measurement at time t is due and not yet kept. If there is a measurement later than t, the clock was set back. Times are compared to the
// last bit, as in MuJoCo, so that both measure at the same steps.
static inline int hfi_samples_due(const hfiSamples* s, double t) {
  double last = s->time[s->count - 1];
  if (last > t + HFI_SAME_TIME) return 1;
  return last < t - HFI_SAME_TIME && (s->interval == 0 || t >= s->tick + s->interval);
}

// Keeps a measurement x (dim) that is due at time t.
static inline void hfi_samples_keep(const hfModel* m, int sensor, double* history, double t, const double* x) {
  hfiSamples s = hfi_samples_of(m, sensor, history);
  double *tick = history, late = t - s.time[s.count - 1];
  if (late < 0) *tick += late;
  else if (s.interval > 0) *tick += s.interval * fmax(1, floor((t - *tick) / s.interval)); // The clock may have been set forward.
  hfi_delay_push(history + 1, s.count, s.dim, t, x);
}

// Writes what a sensor with this delay reports at time t to x, which has the measurement of that time before.
static inline void hfi_samples_read(const hfiSamples* s, double t, double delay, int interpolation, double* x) {
  int end = s->count; // number of rows with earlier times
  while (end > 1 && s->time[end - 1] >= t - HFI_SAME_TIME) --end;
  int first = end < s->count ? 0 : 1;
  const double* last = s->row + (size_t)(s->count - 1) * (size_t)s->dim;
  if (delay > 0) hfi_delay_read(s->time + first, s->row + (size_t)first * (size_t)s->dim, end - first, s->dim, interpolation, t - delay, x);
  else if (s->interval > 0 && !hfi_samples_due(s, t)) memcpy(x, last, sizeof *x * (size_t)s->dim);
}

#endif
