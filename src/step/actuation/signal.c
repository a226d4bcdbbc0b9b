// Controls as functions of time: the signals of a scene.
//
//   sine    y = y0 + A sin(2 pi f t + phase)
//   ramp    y0 until t0, then linear to y1 at t1, then y1
//   chirp   y = y0 + A sin(2 pi (f0 t + (f1 - f0) t^2/(2 T))) for t <= T, then at f1 with the same phase
//   table   linear between rows (t, y), constant outside them
//   cycle   the rows of a table again and again: the last time less the first is the period
//   feedback  u = y(t) + sum_i kp_i(t) (q_d,i(t) - q_i) + kd_i(t) (v_d,i(t) - v_i) over its joints i; the functions of
//           time are linear between rows
#include <holdfast/actuation.h>

#include "model/actuator.h"
#include "math/vec3.h"

#include <assert.h>

// Returns the value at t of the line through (t0, y0) and (t1, y1), constant outside.
static double interpolate(double t, double t0, double y0, double t1, double y1) {
  if (t <= t0) return y0;
  if (t >= t1) return y1;
  return y0 + (y1 - y0) * ((t - t0) / (t1 - t0));
}

// Returns the phase of a chirp at time t, in turns.
static double find_chirp_turns(double t, double f0, double f1, double duration) {
  if (duration <= 0) return f1 * t;
  double sweep = clamp(t, 0, duration); // time within the sweep
  double outside = t - sweep;           // time before or after it
  double f_outside = t < 0 ? f0 : f1;
  return f0 * sweep + (f1 - f0) * sweep * sweep / (2 * duration) + f_outside * outside;
}

// Returns the last of n rows of `width` numbers with t_i <= time, or 0. Most tables have rows at equal intervals, so
// that the row is known up to rounding.
static int find_row(const double* rows, int n, int width, double time) {
  // the guess for equal intervals
  double share = (n - 1) * ((time - rows[0]) / (rows[width * (n - 1)] - rows[0]));
  int guess = share > 0 && share < n - 1 ? (int)share : 0;
  if (rows[width * guess] <= time && (guess + 1 == n || rows[width * (guess + 1)] > time)) return guess;

  // bisection
  int lo = 0;
  int hi = n;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (rows[width * mid] <= time) lo = mid;
    else hi = mid;
  }
  return lo;
}

// Returns the value of column k at a time between the row at `row` and the next one, which follows in memory unless
// `row` is the last.
static double interpolate_column(const double* row, int width, int k, int is_last, double time) {
  return is_last ? row[k] : interpolate(time, row[0], row[k], row[width], row[width + k]);
}

// Returns the value at a time of a table of n rows (t, y).
static double interpolate_table(const double* rows, int n, double time) {
  int i = find_row(rows, n, 2, time);
  return interpolate_column(rows + 2 * i, 2, 1, i + 1 == n, time);
}

// Returns the parts of a feedback signal, as views.
static hfiFeedback find_feedback(const hfModel* m, int signal) {
  hfiFeedback f;
  hfi_feedback_parts(hf_model_signal_data(m) + hf_model_signal_adr(m)[signal], hf_model_signal_num(m)[signal], &f);
  return f;
}

// Returns the row of feedback that acts at a time, and whether it is the last.
static const double* find_feedback_row(const hfiFeedback* f, double time, int* is_last) {
  int i = find_row(f->rows, f->nrow, f->width, time);
  *is_last = i + 1 == f->nrow;
  return f->rows + i * f->width;
}

// Returns y(t) of feedback.
static double find_feedback_value(const hfiFeedback* f, double time) {
  int is_last;
  const double* row = find_feedback_row(f, time, &is_last);
  return interpolate_column(row, f->width, 1, is_last, time);
}

// Returns the time within the n rows of a cycle that a time stands for.
static double wrap_time(const double* rows, int n, double time) {
  double period = rows[2 * (n - 1)] - rows[0];
  double turns = (time - rows[0]) / period;
  return period > 0 ? rows[0] + period * (turns - floor(turns)) : time;
}

// Returns the value y(t) of a signal; for feedback the part without joints. hf_signal_rates says what the numbers p of
// each type are.
double hf_signal_value(const hfModel* m, int signal, double time) {
  assert(signal >= 0 && signal < m->nsignal);
  const double* p = hf_model_signal_data(m) + hf_model_signal_adr(m)[signal];
  int rows = hf_model_signal_num(m)[signal] / 2;

  switch (hf_model_signal_type(m)[signal]) {
  case HF_SIGNAL_CONSTANT: return p[0];
  case HF_SIGNAL_SINE: return p[3] + p[0] * hfi_sine(2 * HFI_PI * p[1] * time + p[2]).sin;
  case HF_SIGNAL_RAMP: return interpolate(time, p[0], p[1], p[2], p[3]);
  case HF_SIGNAL_CHIRP: return p[4] + p[0] * hfi_sine(2 * HFI_PI * find_chirp_turns(time, p[1], p[2], p[3])).sin;
  case HF_SIGNAL_TABLE: return interpolate_table(p, rows, time);
  case HF_SIGNAL_CYCLE: return interpolate_table(p, rows, wrap_time(p, rows, time));
  case HF_SIGNAL_FEEDBACK: {
    hfiFeedback f = find_feedback(m, signal);
    return find_feedback_value(&f, time);
  }
  default: return 0;
  }
}

// Returns the slope at t of the line through (t0, y0) and (t1, y1); 0 outside.
static double find_slope_between(double t, double t0, double y0, double t1, double y1) {
  return t >= t0 && t < t1 ? (y1 - y0) / (t1 - t0) : 0;
}

// Writes the first and second rate of A sin(x(t)) with x' = w, x'' = dw.
static void find_sine_rates(double amplitude, double x, double w, double dw, double rate[2]) {
  hfiSine angle = hfi_sine(x);
  rate[0] = amplitude * w * angle.cos;
  rate[1] = amplitude * (dw * angle.cos - w * w * angle.sin);
}

// Writes the first and second rate of a chirp with the parameters p: A, f0, f1, T.
static void find_chirp_rates(const double* p, double time, double rate[2]) {
  double sweep = p[3] > 0 ? (p[2] - p[1]) / p[3] : 0; // rate of the frequency [Hz/s]
  double turns = find_chirp_turns(time, p[1], p[2], p[3]);
  int sweeps = time >= 0 && time < p[3];

  // the frequency at this time
  double hz = p[2];
  if (sweeps) hz = p[1] + sweep * time;
  else if (time < 0 && p[3] > 0) hz = p[1];

  find_sine_rates(p[0], 2 * HFI_PI * turns, 2 * HFI_PI * hz, sweeps ? 2 * HFI_PI * sweep : 0, rate);
}

// Writes the first and second rate of a signal [1/s, 1/s^2]. They are 0 for feedback, of which no later value is known;
// lines have no second rate. The numbers p of a signal are, in the letters of the head:
//
//   sine A, f, phase, y0    ramp t0, y0, t1, y1    chirp A, f0, f1, T, y0    table, cycle (t, y) of each row
void hf_signal_rates(const hfModel* m, int signal, double time, double rate[2]) {
  assert(signal >= 0 && signal < m->nsignal);
  const double* p = hf_model_signal_data(m) + hf_model_signal_adr(m)[signal];
  int rows = hf_model_signal_num(m)[signal] / 2;
  rate[0] = 0;
  rate[1] = 0;

  switch (hf_model_signal_type(m)[signal]) {
  case HF_SIGNAL_SINE: find_sine_rates(p[0], 2 * HFI_PI * p[1] * time + p[2], 2 * HFI_PI * p[1], 0, rate); break;
  case HF_SIGNAL_RAMP: rate[0] = find_slope_between(time, p[0], p[1], p[2], p[3]); break;
  case HF_SIGNAL_CHIRP: find_chirp_rates(p, time, rate); break;
  case HF_SIGNAL_CYCLE: time = wrap_time(p, rows, time); // fall through
  case HF_SIGNAL_TABLE: {
    const double* row = p + 2 * find_row(p, rows, 2, time);
    if (row < p + 2 * (rows - 1)) rate[0] = find_slope_between(time, row[0], row[1], row[2], row[3]);
    break;
  }
  default: break;
  }
}

// Writes the controls (nu) of actuators with a signal that is not feedback; others keep theirs.
void hf_signal_controls(const hfModel* m, double time, double* ctrl) {
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i];
    if (signal < 0 || hf_model_signal_type(m)[signal] == HF_SIGNAL_FEEDBACK) continue;
    ctrl[i] = hf_signal_value(m, signal, time);
  }
}

// Returns the control of a feedback signal at q (nq), v (nv).
static double find_feedback_control(const hfModel* m, int signal, double time, const double* q, const double* v) {
  hfiFeedback f = find_feedback(m, signal);
  int is_last;
  const double* row = find_feedback_row(&f, time, &is_last);
  double u = interpolate_column(row, f.width, 1, is_last, time);

  for (int k = 0; k < f.njoint; ++k) {
    int joint = (int)f.joint[k];
    double column[4]; // q_d, v_d, kp, kd
    for (int c = 0; c < 4; ++c) column[c] = interpolate_column(row, f.width, 2 + c * f.njoint + k, is_last, time);
    double q_error = column[0] - q[hf_model_jnt_qposadr(m)[joint]];
    double v_error = column[1] - v[hf_model_jnt_dofadr(m)[joint]];
    u += column[2] * q_error + column[3] * v_error;
  }
  return u;
}

// Writes the controls (nu) of actuators with feedback; others keep theirs.
void hf_signal_feedback(const hfModel* m, double time, const double* q, const double* v, double* ctrl) {
  for (int i = 0; i < m->nu; ++i) {
    int signal = hf_model_actuator_signal(m)[i];
    if (signal < 0 || hf_model_signal_type(m)[signal] != HF_SIGNAL_FEEDBACK) continue;
    ctrl[i] = find_feedback_control(m, signal, time, q, v);
  }
}
