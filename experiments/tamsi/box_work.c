// Work and precision on the stick-slip box (box_work.h).
//
//   work  evaluations of f, those for Jacobians by differences included
//   e_v   RMS over windows of 25 ms of v against the exact flow (box_model.h) from the integrator's own state
#include "tamsi/box_work.h"

#include <math.h>

static const double WINDOW = 0.025; // The error is measured over windows of this length [s].
enum { WINDOWS = 100 };             // They cover 2.5 s.

hfIntegratorConfig box_euler(int newton, int tals) {
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = HF_METHOD_IMPLICIT_EULER;
  c.error_control = 0;
  c.extrapolate = 0; // as in the paper
  c.newton = newton;
  c.tals = tals;
  c.newton_tolerance = 0.05 * 1e-9; // the paper's fraction of its accuracy for fixed steps
  return c;
}

// Runs the windows. The report starts anew after the first, whose first step is a guess.
static int measure_point(const hfIntegratorConfig* config, int regions, workCurve* curve, int i, hfError* error) {
  boxModel box = box_paper(0);
  hfOde ode = box_ode(&box);
  hfIntegrator* in;
  double t = 0, x[2] = {0, 0}, sum = 0;
  if (!regions) ode.region = NULL;
  if (hf_integrator_create(&in, &ode, config, error) < 0) return CLI_FAILED;
  hfIntegratorReport first = {0};
  for (int k = 1; k <= WINDOWS; ++k) {
    double v = box_flow(&box, t, x[1], k * WINDOW);
    if (hf_integrator_advance(in, &t, x, k * WINDOW, error) != HF_OK) break;
    sum += (x[1] - v) * (x[1] - v);
    if (k > 1 || !config->error_control) continue;
    double next = hf_integrator_next_step(in);
    first = hf_integrator_report(in);
    hf_integrator_reset(in);
    hf_integrator_set_next_step(in, next);
  }
  hfIntegratorReport rest = hf_integrator_report(in);
  curve->error[i] = t == WINDOWS * WINDOW ? sqrt(sum / WINDOWS) : NAN;
  curve->work[i] = (double)(first.evaluations + rest.evaluations);
  curve->failed[i] = first.failed + rest.failed;
  curve->smallest[i] = rest.smallest;
  hf_integrator_free(in);
  return CLI_GOOD;
}

int box_measure_curve(hfIntegratorConfig config, int error_control, int quick, int regions, workCurve* curve, hfError* error) {
  static const int steps[BOX_POINTS] = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500}; // a window
  curve->count = error_control ? (quick ? 6 : 8) : quick ? 9 : BOX_POINTS;
  config.error_control = error_control;
  for (int i = 0; i < curve->count; ++i) {
    config.step = error_control ? 0.1 : WINDOW / steps[i];
    config.accuracy = pow(10, -1 - i);
    if (measure_point(&config, regions, curve, i, error) != CLI_GOOD) return CLI_FAILED;
    show_progress((i + 1.0) / curve->count, "work and precision");
  }
  return CLI_GOOD;
}

double box_work_at(const workCurve* c, double e) {
  for (int i = 0; i + 1 < c->count; ++i) {
    double a = c->error[i], b = c->error[i + 1];
    if (!(fmin(a, b) <= e && e <= fmax(a, b)) || a == b) continue;
    double s = log(e / a) / log(b / a);
    return exp(log(c->work[i]) + s * log(c->work[i + 1] / c->work[i]));
  }
  return NAN;
}
