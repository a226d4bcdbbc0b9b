// Histories in a state: controls that act with a delay, and measurements of sensors.
#ifndef HFI_MODEL_HISTORY_H
#define HFI_MODEL_HISTORY_H

#include <holdfast/model.h>
#include <math.h>
#include <string.h>

// ---- delays ----------------------------------------------------------------------------------------
//
// A history is what was given or measured at the last n times. It has n times, ascending, then n rows of `dim` numbers,
// one row for each time.

// Times that differ by less are the same [s].
static const double HFI_SAME_TIME = 1e-10;
// More samples would be more than a minute of steps of a millisecond.
enum { HFI_MOST_SAMPLES = 1 << 16 };

// How many numbers a history of n rows has.
static inline int64_t hfi_delay_size(int n, int dim) { return (int64_t)n * (1 + dim); }

// Do n samples, one for each step of length h, reach back far enough, up to rounding?
static inline int hfi_delay_fits(double delay, int n, double h) { return delay <= (1 + 1e-9) * n * h; }

// Does the history of an actuator of a model reach back far enough?
static inline int hfi_control_fits(const hfModel* m, int actuator, double h) {
  return hfi_delay_fits(hf_model_actuator_delay(m)[actuator], hf_model_actuator_nsample(m)[actuator], h);
}

// Fills a history as if n steps of length h with zeros had come before time t.
static inline void hfi_delay_init(double* history, int n, int dim, double t, double h) {
  for (int k = 0; k < n; ++k) history[k] = t - (n - k) * h;
  memset(history + n, 0, sizeof *history * (size_t)n * (size_t)dim);
}

// Replaces the oldest row, or the last one if it has the same time. If the clock was set back, all times are set back
// with it.
static inline void hfi_delay_push(double* history, int n, int dim, double t, const double* x) {
  double* row = history + n;
  double late = t - history[n - 1];
  if (late > HFI_SAME_TIME) {
    memmove(history, history + 1, sizeof *history * (size_t)(n - 1));
    memmove(row, row + dim, sizeof *row * (size_t)(n - 1) * (size_t)dim);
  } else if (late < -HFI_SAME_TIME) {
    for (int k = 0; k < n - 1; ++k) history[k] += late;
  }

  history[n - 1] = t;
  memcpy(row + (size_t)(n - 1) * (size_t)dim, x, sizeof *x * (size_t)dim);
}

// Slope of the cubic at row k of n, from its neighbours; zero at the ends. x: one column of the numbers.
static inline double hfi_delay_slope(const double* time, const double* x, int n, int dim, int k) {
  if (k == 0 || k + 1 == n) return 0;
  return (x[(k + 1) * dim] - x[(k - 1) * dim]) / (time[k + 1] - time[k - 1]);
}

// The value between rows k and k + 1 of n, at the share s of the time between them.
static inline double hfi_delay_blend(const double* time, const double* x, int n, int dim, int k, int interpolation,
                                     double s) {
  double x0 = x[k * dim];
  double x1 = x[(k + 1) * dim];
  if (interpolation == HF_INTERPOLATE_LINEAR) return x0 + s * (x1 - x0);

  double span = time[k + 1] - time[k];
  double r = 1 - s;
  double a = span * hfi_delay_slope(time, x, n, dim, k);
  double b = span * hfi_delay_slope(time, x, n, dim, k + 1);

  return r * r * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + s * r * (r * a - s * b);
}

// Writes the numbers at time t to out (dim), from n rows x at these times. They are constant before the first and after
// the last row.
static inline void hfi_delay_read(const double* time, const double* x, int n, int dim, int interpolation, double t,
                                  double* out) {
  int k = n - 1;
  while (k > 0 && time[k] > t + HFI_SAME_TIME) --k;

  int is_at_row = k == n - 1 || interpolation == HF_INTERPOLATE_HOLD || t <= time[k] + HFI_SAME_TIME;
  double s = is_at_row ? 0 : (t - time[k]) / (time[k + 1] - time[k]);
  for (int i = 0; i < dim; ++i)
    out[i] = is_at_row ? x[k * dim + i] : hfi_delay_blend(time, x + i, n, dim, k, interpolation, s);
}

// Are all numbers finite, and do the times ascend?
static inline int hfi_delay_is_sound(const double* history, int n, int dim) {
  for (int64_t k = 0; k < hfi_delay_size(n, dim); ++k)
    if (!isfinite(history[k])) return 0;
  for (int k = 1; k < n; ++k)
    if (!(history[k] > history[k - 1])) return 0;
  return 1;
}

// ---- samples ---------------------------------------------------------------------------------------
//
// The history of a sensor with samples: the time at which the last measurement was due (`tick`), then n + 1
// measurements. The last one may be that of the present time. A reader at time t sees only the n measurements before t,
// so that a state reads the same before and after its own measurement is kept.

static inline int64_t hfi_samples_size(const hfModel* m, int sensor) {
  int n = hf_model_sensor_nsample(m)[sensor];
  return n > 0 ? 1 + hfi_delay_size(n + 1, hf_model_sensor_dim(m)[sensor]) : 0;
}

// Are these allowed: the time between measurements (0: one at each step) and the phase, the time of the first one [s]?
static inline int hfi_interval_is_sound(double interval, double phase) {
  return interval >= 0 && isfinite(interval) && phase <= 0 && (phase == 0 || phase > -interval);
}

// Does the history of a sensor reach back far enough in steps of length h?
static inline int hfi_samples_fit(const hfModel* m, int sensor, double h) {
  double apart = fmax(hf_model_sensor_interval(m)[2 * sensor], h);
  return hfi_delay_fits(hf_model_sensor_delay(m)[sensor], hf_model_sensor_nsample(m)[sensor], apart);
}

// A view of the history of one sensor.
typedef struct hfiSamples {
  double tick;
  const double *time, *row;
  double interval; // time between measurements [s]; 0: one at each step
  int count, dim;  // rows: n + 1
} hfiSamples;

// A view of the history of a sensor, which begins with its tick.
static inline hfiSamples hfi_samples_of(const hfModel* m, int sensor, const double* history) {
  int count = hf_model_sensor_nsample(m)[sensor] + 1;
  return (hfiSamples){.tick = history[0],
                      .time = history + 1,
                      .row = history + 1 + count,
                      .interval = hf_model_sensor_interval(m)[2 * sensor],
                      .count = count,
                      .dim = hf_model_sensor_dim(m)[sensor]};
}

// Fills a history as if zeros had been measured before time t, at steps of the scene, at or after the times at which
// measurements were due.
static inline void hfi_samples_init(const hfModel* m, int sensor, double t, double* history) {
  hfiSamples s = hfi_samples_of(m, sensor, history);
  double h = m->world.timestep;
  double phase = hf_model_sensor_interval(m)[2 * sensor + 1];
  double apart = fmax(s.interval, h);
  double start = phase < 0 ? phase : -apart; // of the last measurement, from t on

  hfi_delay_init(history + 1, s.count, s.dim, t, h);
  history[0] = t + start;

  for (int k = 0; k < s.count; ++k) {
    double due = start - (s.count - 1 - k) * apart;
    history[1 + k] = t + ceil(due / h - 1e-6) * h;
  }
}

// Is a measurement at time t due and not yet kept? If there is a measurement later than t, the clock was set back.
// Times are compared to the last bit, as in MuJoCo, so that both measure at the same steps.
static inline int hfi_samples_due(const hfiSamples* s, double t) {
  double last = s->time[s->count - 1];
  if (last > t + HFI_SAME_TIME) return 1;
  return last < t - HFI_SAME_TIME && (s->interval == 0 || t >= s->tick + s->interval);
}

// Keeps a measurement x (dim) that is due at time t [s], and moves the tick forward to when it was due.
static inline void hfi_samples_keep(const hfModel* m, int sensor, double* history, double t, const double* x) {
  hfiSamples s = hfi_samples_of(m, sensor, history);
  double* tick = history; // the time at which the last measurement was due
  double since_last = t - s.time[s.count - 1];

  if (since_last < 0) {
    // the clock was set back, and the tick with it
    *tick += since_last;
  } else if (s.interval > 0) {
    // one interval, or several if the clock was set forward
    *tick += s.interval * fmax(1, floor((t - *tick) / s.interval));
  }
  hfi_delay_push(history + 1, s.count, s.dim, t, x);
}

// Writes what a sensor with this delay reports at time t to x, which has the measurement of that time before.
static inline void hfi_samples_read(const hfiSamples* s, double t, double delay, int interpolation, double* x) {
  size_t dim = (size_t)s->dim;
  int end = s->count; // number of rows with earlier times
  while (end > 1 && s->time[end - 1] >= t - HFI_SAME_TIME) --end;

  // n rows before t; while the row of t is not kept yet, the oldest one is left out, whose place it will take
  int first = end < s->count ? 0 : 1;
  const double* last = s->row + (size_t)(s->count - 1) * dim;
  if (delay > 0) {
    const double* row = s->row + (size_t)first * dim;
    hfi_delay_read(s->time + first, row, end - first, s->dim, interpolation, t - delay, x);
  } else if (s->interval > 0 && !hfi_samples_due(s, t)) {
    memcpy(x, last, sizeof *x * dim);
  }
}

#endif
