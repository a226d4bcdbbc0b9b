// experiment tamsi-box: implicit Euler with and without the transition-aware line search on a box that
// sticks and slips (TAMSI paper, section IV-A, figures 2 to 5).
//
//   figures 2, 3  in box_newton.c
//   figure 4  Newton's residuals in the step from 0.160 to 0.170 s, the first that ends in stiction
//   figure 5  evaluations of f, Jacobians by differences included, over the error e_v: RMS over windows of
//             25 ms of v against the exact flow (box_model.h) started from the integrator's own state;
//             {full, quasi} Newton x {fixed step, error control} x {with, without}, 2.5 s
#include "common/figure.h"
#include "tamsi/box_work.h"

#include <math.h>
#include <string.h>

static int fail(const hfError* error) {
  say_error("%s", error->message);
  return CLI_FAILED;
}

// ---- figure 4 -------------------------------------------------------------------------------------

enum { MOST = 20 };

typedef struct newtonRun {
  int count;
  hfStatus status;       // of that one Newton solve
  hfNewtonIterate it[MOST];
} newtonRun;

// Newton's iterations in the step from 0.160 s, without a test for divergence so that all can be seen.
static int trace_step(int smooth, int tals, newtonRun* run, hfError* error) {
  boxModel box = box_paper(smooth);
  hfOde ode = box_ode(&box);
  hfIntegratorConfig config = box_euler(HF_NEWTON_FULL, tals);
  config.step = 0.01;
  config.jacobian = HF_JACOBIAN_ANALYTIC;
  config.newton_tolerance = 1e-18; // to round-off
  config.divergence = INFINITY;
  config.max_iterations = MOST;
  hfIntegrator* in;
  double t = 0, x[2] = {0, 0};
  if (hf_integrator_create(&in, &ode, &config, error) < 0) return CLI_FAILED;
  hf_integrator_advance(in, &t, x, 0.16, error);
  hf_integrator_reset(in);
  hf_integrator_trace(in, run->it, MOST);
  hf_integrator_advance(in, &t, x, 0.17, error);
  int all = hf_integrator_trace_count(in);
  for (run->count = 0; run->count < all && run->it[run->count].h == run->it[0].h;) run->count++;
  run->status = hf_integrator_report(in).failed ? HF_NOT_CONVERGED : HF_OK;
  hf_integrator_free(in);
  return CLI_GOOD;
}

static void print_residuals(result* r, const char* name, const newtonRun* run) {
  result_note(r, "%s:", name);
  for (int k = 0; k < run->count; ++k)
    result_note(r, "  %2d  residual %9.3e  update %9.3e  alpha %.6f", k, run->it[k].residual, run->it[k].update, run->it[k].alpha);
}

// Iterations after the last limited one until the residual is round-off of the velocities, 0.1 m/s.
static int iterations_after_limit(const newtonRun* run) {
  int limited = -1;
  for (int k = 0; k < run->count; ++k) if (run->it[k].alpha < 1) limited = k;
  for (int k = limited + 1; k < run->count; ++k) if (run->it[k].residual < 1e-15) return k - limited - 1;
  return MOST;
}

// log(r_(k+1)/r_k)/log(r_k/r_(k-1)) at the last three residuals above round-off.
static double observed_order(const newtonRun* run) {
  int last = 0;
  for (int k = 1; k < run->count; ++k) if (run->it[k].residual > 1e-13 && run->it[k - 1].alpha == 1) last = k;
  if (last < 2) return 0;
  const hfNewtonIterate* it = run->it + last;
  return log(it[0].residual / it[-1].residual) / log(it[-1].residual / it[-2].residual);
}

static int figure4(result* r) {
  static const char* const names[4] = {"linear law, without", "linear law, with TALS", "smooth law, without", "smooth law, with TALS"};
  newtonRun run[4];
  double x[MOST], y[4][MOST];
  hfError error = {HF_OK, ""};
  figure f = {.title = "Newton in the step from 0.160 s", .xlabel = "iteration", .ylabel = "residual |v - v0 - h f| [m/s]", .ylog = 1};
  for (int k = 0; k < 4; ++k) {
    if (trace_step(k / 2, k % 2, &run[k], &error) != CLI_GOOD) return fail(&error);
    print_residuals(r, names[k], &run[k]);
    for (int i = 0; i < run[k].count; ++i) y[k][i] = run[k].it[i].residual;
  }
  for (int i = 0; i < MOST; ++i) x[i] = i;
  for (int k = 0; k < 4; ++k) figure_add(&f, names[k], run[k].count, x, y[k], k == 2 ? FIGURE_DASHED : FIGURE_BOTH);
  figure_write(&f, r, "figure4");
  double cycle = run[0].it[MOST - 1].residual / run[0].it[MOST - 3].residual;
  int after = iterations_after_limit(&run[1]);
  double order = observed_order(&run[3]);
  result_figure(r, "cycle_residual", run[0].it[MOST - 1].residual, "m/s");
  result_must(r, "fig4-cycle", "linear law without TALS: ratio of residuals two iterations apart after 20, not converged", cycle, "1 and failed",
              run[0].status != HF_OK && run[0].count == MOST && fabs(cycle - 1) < 1e-6, 0);
  result_must(r, "fig4-linear", "linear law with TALS: iterations from the limited one to round-off", after, "at most 2", run[1].status == HF_OK && after <= 2, 0);
  result_compare(r, "newton_order_smooth", order, 2, "");
  result_must(r, "fig4-smooth", "smooth law with TALS: order of the last decrease of the residual", order, "2 +- 0.3", run[3].status == HF_OK && fabs(order - 2) <= 0.3, 0);
  return CLI_GOOD;
}

// ---- figure 5 -------------------------------------------------------------------------------------

// Largest ratio of work without to work with, at equal error.
static double largest_ratio(const workCurve* with, const workCurve* without, double* at) {
  double best = 1;
  for (int i = 0; i < with->count; ++i) {
    // the same step or accuracy gives the same error where the solution does not depend on how Newton got there
    double other = fabs(log(without->error[i] / with->error[i])) < 0.05 ? without->work[i] : box_work_at(without, with->error[i]);
    if (other / with->work[i] > best) best = other / with->work[i], *at = with->error[i];
  }
  return best;
}

// Largest error up to which work times error stays within a quarter of its value at the smallest error.
static double first_order_range(const workCurve* c) {
  double base = c->error[c->count - 1] * c->work[c->count - 1], end = c->error[c->count - 1];
  for (int i = c->count - 1; i >= 0 && fabs(c->error[i] * c->work[i] / base - 1) < 0.25; --i) end = c->error[i];
  return end;
}

// Least-squares slope of log work over log error.
static double fit_slope(const workCurve* c) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < c->count; ++i) {
    double x = log(c->error[i]), y = log(c->work[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (c->count * sxy - sx * sy) / (c->count * sxx - sx * sx);
}

static const char* const NAMES[8] = {"FN fixed TALS", "FN fixed", "FN EC TALS", "FN EC", "QN fixed TALS", "QN fixed", "QN EC TALS", "QN EC"};

static void print_curve(result* r, const char* name, const workCurve* c) {
  for (int i = 0; i < c->count; ++i) result_note(r, "%-15s  e_v %9.3e m/s  %9.0f evaluations", name, c->error[i], c->work[i]);
}

static void report_ratios(result* r, const workCurve* curve, const workCurve* patient) {
  static const char* const newton[2] = {"full", "quasi"};
  static const double paper[2] = {10, 3};
  for (int n = 0; n < 2; ++n) {
    const workCurve* c = curve + 4 * n;
    double at[4] = {0}, fixed = largest_ratio(&c[0], &c[1], &at[0]), ec = largest_ratio(&c[2], &c[3], &at[1]);
    double pfixed = largest_ratio(&c[0], &patient[2 * n], &at[2]), pec = largest_ratio(&c[2], &patient[2 * n + 1], &at[3]);
    char name[64];
    snprintf(name, sizeof name, "work_ratio_%s_newton", newton[n]);
    result_compare(r, name, fmax(fixed, ec), paper[n], "");
    snprintf(name, sizeof name, "work_ratio_%s_newton_to_the_limit", newton[n]);
    result_compare(r, name, fmax(pfixed, pec), paper[n], "");
    result_note(r, "%s Newton: work without over work with TALS, fixed %.2f (at e_v %.1e), error-controlled %.2f (at %.1e);"
                   " where Newton runs to its limit of iterations %.2f and %.2f", newton[n], fixed, at[0], ec, at[1], pfixed, pec);
    char id[64];
    snprintf(id, sizeof id, "fig5-ratio-%s", newton[n]);
    snprintf(name, sizeof name, "%s Newton: work without over work with TALS", newton[n]);
    result_must(r, id, name, fmax(fixed, ec), "at least 2", fmax(fixed, ec) >= 2, 0);
  }
}

// How much further first-order behaviour reaches with TALS, fixed steps.
static void report_ranges(result* r, const workCurve* curve) {
  static const char* const names[2] = {"first_order_range_ratio_full_newton", "first_order_range_ratio_quasi_newton"};
  static const double paper[2] = {10, 3};
  double ratio[2];
  for (int n = 0; n < 2; ++n) {
    double with = first_order_range(&curve[4 * n]), without = first_order_range(&curve[4 * n + 1]);
    ratio[n] = with / without;
    result_compare(r, names[n], ratio[n], paper[n], "");
    result_note(r, "%s Newton, fixed steps: of first order up to e_v = %.1e m/s with TALS, %.1e without", n ? "quasi" : "full", with, without);
  }
  result_must(r, "fig5-range", "largest error of the first-order range with over without TALS, the less of full and quasi Newton",
              fmin(ratio[0], ratio[1]), "at least 2", fmin(ratio[0], ratio[1]) >= 2, 0);
}

static int figure5(result* r, int quick) {
  workCurve curve[8], patient[4], modern[2];
  hfError error = {HF_OK, ""};
  for (int k = 0; k < 8; ++k)
    if (box_measure_curve(box_euler(k / 4, 1 - k % 2), k / 2 % 2, quick, 1, &curve[k], &error) != CLI_GOOD) return fail(&error);
  for (int k = 0; k < 4; ++k) {
    hfIntegratorConfig config = box_euler(k / 2, 0);
    config.divergence = INFINITY;
    if (box_measure_curve(config, k % 2, quick, 1, &patient[k], &error) != CLI_GOOD) return fail(&error);
  }
  for (int k = 0; k < 2; ++k) {
    hfIntegratorConfig config = box_euler(HF_NEWTON_QUASI, 1);
    if (k) config.method = HF_METHOD_SDIRK;
    config.extrapolate = 1;
    if (box_measure_curve(config, 1, quick, 1, &modern[k], &error) != CLI_GOOD) return fail(&error);
  }
  clear_progress();

  figure f = {.title = "Stick-slip box: work and precision", .xlabel = "error e_v [m/s]", .ylabel = "evaluations of f", .xlog = 1, .ylog = 1};
  for (int k = 0; k < 8; ++k) {
    print_curve(r, NAMES[k], &curve[k]);
    figure_add(&f, NAMES[k], curve[k].count, curve[k].error, curve[k].work, k % 2 ? FIGURE_DASHED : FIGURE_BOTH);
  }
  print_curve(r, "QN EC extrap.", &modern[0]);
  print_curve(r, "sdirk QN EC", &modern[1]);
  figure_add(&f, "QN EC TALS, extrapolated", modern[0].count, modern[0].error, modern[0].work, FIGURE_BOTH);
  figure_add(&f, "sdirk QN EC TALS", modern[1].count, modern[1].error, modern[1].work, FIGURE_BOTH);
  figure_write(&f, r, "figure5");

  report_ratios(r, curve, patient);
  double slope = fmax(fabs(fit_slope(&curve[0]) + 1), fabs(fit_slope(&curve[4]) + 1));
  result_must(r, "fig5-slope", "fixed steps with TALS, from 25 ms down: largest deviation of the slope from -1", slope, "at most 0.1", slope <= 0.1, 0);
  report_ranges(r, curve);
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  int status = box_newton_pictures(r);
  if (status == CLI_GOOD) status = figure4(r);
  if (status == CLI_GOOD) status = figure5(r, options->quick);
  if (status == CLI_GOOD) status = box_replay(r);
  return status == CLI_GOOD ? box_error_control(r, options->quick) : status;
}

const experiment experiment_tamsi_box = {"tamsi-box", "implicit Euler on a box that sticks and slips (TAMSI, figures 2 to 5)", run};
