// Controls as functions of time: the signals of a scene.
//
//   sine    y = y0 + A sin(2 pi f t + phase)
//   ramp    y0 until t0, then linear to y1 at t1, then y1
//   chirp   y = y0 + A sin(2 pi (f0 t + (f1 - f0) t^2/(2 T))) for t <= T, then at f1 with the same phase
//   table   linear between rows (t, y), constant outside them
//   cycle   the rows of a table again and again: the last time less the first is the period
#include <holdfast/actuation.h>

#include "math/vec3.h"

#include <assert.h>

static double interpolate(double t, double t0, double y0, double t1, double y1) {
  if (t <= t0) return y0;
  if (t >= t1) return y1;
  return y0 + (y1 - y0) * ((t - t0) / (t1 - t0));
}

// Phase of a chirp in turns.
static double chirp_turns(double t, double f0, double f1, double duration) {
  if (duration <= 0) return f1 * t;
  double sweep = clamp(t, 0, duration), after = t - sweep;
  return f0 * sweep + (f1 - f0) * sweep * sweep / (2 * duration) + (t < 0 ? f0 : f1) * after;
}

// Returns the last row i of n with t_i <= time, or 0.
static int find_row(const double* rows, int n, double time) {
  int lo = 0, hi = n;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (rows[2 * mid] <= time) lo = mid;
    else hi = mid;
  }
  return lo;
}

static double table_value(const double* rows, int n, double time) {
  int i = find_row(rows, n, time);
  if (i + 1 == n) return rows[2 * i + 1];
  return interpolate(time, rows[2 * i], rows[2 * i + 1], rows[2 * i + 2], rows[2 * i + 3]);
}

// The time within the rows of a cycle.
static double wrap_time(const double* rows, int n, double time) {
  double period = rows[2 * (n - 1)] - rows[0], turns = (time - rows[0]) / period;
  return period > 0 ? rows[0] + period * (turns - floor(turns)) : time;
}

double hf_signal_value(const hfModel* m, int signal, double time) {
  assert(signal >= 0 && signal < m->nsignal);
  const double* p = hf_model_signal_data(m) + hf_model_signal_adr(m)[signal];
  int rows = hf_model_signal_num(m)[signal] / 2;
  switch (hf_model_signal_type(m)[signal]) {
  case HF_SIGNAL_CONSTANT: return p[0];
  case HF_SIGNAL_SINE: return p[3] + p[0] * sin(2 * HFI_PI * p[1] * time + p[2]);
  case HF_SIGNAL_RAMP: return interpolate(time, p[0], p[1], p[2], p[3]);
  case HF_SIGNAL_CHIRP: return p[4] + p[0] * sin(2 * HFI_PI * chirp_turns(time, p[1], p[2], p[3]));
  case HF_SIGNAL_TABLE: return table_value(p, rows, time);
  case HF_SIGNAL_CYCLE: return table_value(p, rows, wrap_time(p, rows, time));
  default: return 0;
  }
}

static double slope_between(double t, double t0, double y0, double t1, double y1) {
  return t >= t0 && t < t1 ? (y1 - y0) / (t1 - t0) : 0;
}

// y = A sin(x(t)) with x' = w, x'' = dw
static void sine_rates(double amplitude, double x, double w, double dw, double rate[2]) {
  rate[0] = amplitude * w * cos(x);
  rate[1] = amplitude * (dw * cos(x) - w * w * sin(x));
}

static void chirp_rates(const double* p, double time, double rate[2]) {
  double sweep = p[3] > 0 ? (p[2] - p[1]) / p[3] : 0, turns = chirp_turns(time, p[1], p[2], p[3]);
  int sweeps = time >= 0 && time < p[3];
  double hz = sweeps ? p[1] + sweep * time : time < 0 && p[3] > 0 ? p[1] : p[2];
  sine_rates(p[0], 2 * HFI_PI * turns, 2 * HFI_PI * hz, sweeps ? 2 * HFI_PI * sweep : 0, rate);
}

void hf_signal_rates(const hfModel* m, int signal, double time, double rate[2]) {
  assert(signal >= 0 && signal < m->nsignal);
  const double* p = hf_model_signal_data(m) + hf_model_signal_adr(m)[signal];
  int rows = hf_model_signal_num(m)[signal] / 2;
  rate[0] = rate[1] = 0;
  switch (hf_model_signal_type(m)[signal]) {
  case HF_SIGNAL_SINE: sine_rates(p[0], 2 * HFI_PI * p[1] * time + p[2], 2 * HFI_PI * p[1], 0, rate); break;
  case HF_SIGNAL_RAMP: rate[0] = slope_between(time, p[0], p[1], p[2], p[3]); break;
  case HF_SIGNAL_CHIRP: chirp_rates(p, time, rate); break;
  case HF_SIGNAL_CYCLE: time = wrap_time(p, rows, time); // fall through
  case HF_SIGNAL_TABLE: {
    const double* row = p + 2 * find_row(p, rows, time);
    if (row < p + 2 * (rows - 1)) rate[0] = slope_between(time, row[0], row[1], row[2], row[3]);
    break;
  }
  default: break;
  }
}

void hf_signal_controls(const hfModel* m, double time, double* ctrl) {
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i];
    if (signal >= 0) ctrl[i] = hf_signal_value(m, signal, time);
  }
}
