// A history: what was given or measured at the last n times. It has n times, ascending, then n rows of `dim` numbers, one row for each time.
#ifndef HFI_MODEL_DELAY_H
#define HFI_MODEL_DELAY_H

#include <holdfast/model.h>
#include <math.h>
#include <string.h>

// Times that differ by less are the same [s].
static const double HFI_SAME_TIME = 1e-10;
// More samples would be more than a minute of steps of a millisecond.
enum { HFI_MOST_SAMPLES = 1 << 16 };

// How many numbers a history of n rows has.
static inline int64_t hfi_delay_size(int n, int dim) { return (int64_t)n * (1 + dim); }

// Whether n samples, one for each step of length h, reach back far enough, up to rounding.
static inline int hfi_delay_fits(double delay, int n, double h) { return delay <= (1 + 1e-9) * n * h; }

// Whether the history of an actuator of a model reaches back far enough.
static inline int hfi_control_fits(const hfModel* m, int actuator, double h) {
  return hfi_delay_fits(hf_model_actuator_delay(m)[actuator], hf_model_actuator_nsample(m)[actuator], h);
}

// Fills a history as if n steps of length h with zeros had come before time t.
static inline void hfi_delay_init(double* history, int n, int dim, double t, double h) {
  for (int k = 0; k < n; ++k) history[k] = t - (n - k) * h;
  memset(history + n, 0, sizeof *history * (size_t)n * (size_t)dim);
}

// Replaces the oldest row, or the last one if it has the same time. If the clock was set back, all times are set back with it.
static inline void hfi_delay_push(double* history, int n, int dim, double t, const double* x) {
  double *row = history + n, late = t - history[n - 1];
  if (late > HFI_SAME_TIME) {
    memmove(history, history + 1, sizeof *history * (size_t)(n - 1));
    memmove(row, row + dim, sizeof *row * (size_t)(n - 1) * (size_t)dim);
  } else if (late < -HFI_SAME_TIME)
    for (int k = 0; k < n - 1; ++k) history[k] += late;
  history[n - 1] = t;
  memcpy(row + (size_t)(n - 1) * (size_t)dim, x, sizeof *x * (size_t)dim);
}

// Slope of the cubic at row k of n: that between its neighbours, zero at the ends. x: column of the numbers.
static inline double hfi_delay_slope(const double* time, const double* x, int n, int dim, int k) {
  return k > 0 && k + 1 < n ? (x[(k + 1) * dim] - x[(k - 1) * dim]) / (time[k + 1] - time[k - 1]) : 0;
}

// The value between rows k and k + 1 of n, at the share s of the time between them.
static inline double hfi_delay_blend(const double* time, const double* x, int n, int dim, int k, int interpolation, double s) {
  double x0 = x[k * dim], x1 = x[(k + 1) * dim], span = time[k + 1] - time[k], r = 1 - s;
  if (interpolation == HF_INTERPOLATE_LINEAR) return x0 + s * (x1 - x0);
  double a = span * hfi_delay_slope(time, x, n, dim, k), b = span * hfi_delay_slope(time, x, n, dim, k + 1);
  return r * r * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + s * r * (r * a - s * b);
}

// Writes the numbers at time t to out (dim), from n rows x at these times. They are constant before the first and after the last row.
static inline void hfi_delay_read(const double* time, const double* x, int n, int dim, int interpolation, double t, double* out) {
  int k = n - 1;
  while (k > 0 && time[k] > t + HFI_SAME_TIME) --k;
  int exact = k == n - 1 || interpolation == HF_INTERPOLATE_HOLD || t <= time[k] + HFI_SAME_TIME;
  double s = exact ? 0 : (t - time[k]) / (time[k + 1] - time[k]);
  for (int i = 0; i < dim; ++i) out[i] = exact ? x[k * dim + i] : hfi_delay_blend(time, x + i, n, dim, k, interpolation, s);
}

// Are all numbers finite, and do the times ascend?
static inline int hfi_delay_is_sound(const double* history, int n, int dim) {
  for (int64_t k = 0; k < hfi_delay_size(n, dim); ++k)
    if (!isfinite(history[k]) || (k > 0 && k < n && !(history[k] > history[k - 1]))) return 0;
  return 1;
}

#endif
