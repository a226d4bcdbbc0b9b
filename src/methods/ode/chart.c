// The equation in a chart: evaluations, counted, and their Jacobian.
//
//   forward differences   J_ij = (F_i(u + delta_j) - F_i(u))/delta_j,  delta = sqrt(eps) max(1, |u_j|)
//   analytic              f's own Jacobian, carried from the tangent space at x to the chart
#include "methods/ode/chart.h"

#include "base/finite.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

// Takes the arrays of a chart for chart->ode.
void hfi_chart_plan(hfiChart* chart, hfiArena* arena) {
  const hfOde* ode = &chart->ode;
  chart->x0 = HFI_TAKE(arena, double, ode->nx);
  chart->x = HFI_TAKE(arena, double, ode->nx);
  HFI_TAKE_EACH(arena, double, ode->n, &chart->raw, &chart->shifted, &chart->f);
}

// x = x0 (+) u
void hfi_chart_point(const hfiChart* chart, const double* u, double* x) {
  const hfOde* ode = &chart->ode;
  if (ode->plus) {
    ode->plus(ode->context, chart->x0, u, x);
    return;
  }
  for (int i = 0; i < ode->n; ++i) x[i] = chart->x0[i] + u[i];
}

// Computes the rate F(t, u) in the chart. HF_NO_SOLUTION: it is not finite.
hfStatus hfi_chart_rate(hfiChart* chart, double t, const double* u, double* rate) {
  const hfOde* ode = &chart->ode;
  hfi_chart_point(chart, u, chart->x);
  ++chart->evaluations;

  hfStatus status = ode->rhs(ode->context, t, chart->x, rate);
  if (status) return status;

  memcpy(chart->raw, rate, (size_t)ode->n * sizeof *rate);
  if (ode->lift) ode->lift(ode->context, u, rate);
  return hfi_all_finite(rate, ode->n) ? HF_OK : HF_NO_SOLUTION;
}

// J by forward differences, where F(u) is `rate`.
static hfStatus difference_columns(hfiChart* chart, double t, const double* u, const double* rate, double* J) {
  const int n = chart->ode.n;
  double* shifted = chart->shifted;
  memcpy(shifted, u, (size_t)n * sizeof *u);
  for (int j = 0; j < n; ++j) {
    shifted[j] = u[j] + sqrt(DBL_EPSILON) * max2(1, fabs(u[j]));
    double delta = shifted[j] - u[j]; // as rounded

    ++chart->jacobian_evaluations;
    hfStatus status = hfi_chart_rate(chart, t, shifted, chart->f);
    shifted[j] = u[j];
    if (status) return status;
    for (int i = 0; i < n; ++i) J[i * n + j] = (chart->f[i] - rate[i]) / delta;
  }
  return HF_OK;
}

// The analytic J of f at u, carried to the chart.
static hfStatus carry_analytic(hfiChart* chart, double t, const double* u, const double* rate, double* J) {
  const hfOde* ode = &chart->ode;
  hfi_chart_point(chart, u, chart->x);
  hfStatus status = ode->jacobian(ode->context, t, chart->x, J);
  if (!status && ode->lift_jacobian) ode->lift_jacobian(ode->context, u, rate, J);
  return status;
}

// J = dF/du (n x n) at u, where F is `rate`.
hfStatus hfi_chart_jacobian(hfiChart* chart, int analytic, double t, const double* u, const double* rate, double* J) {
  return analytic ? carry_analytic(chart, t, u, rate, J) : difference_columns(chart, t, u, rate, J);
}

// The share of the Newton update du at u that may be taken [-].
double hfi_chart_limit(hfiChart* chart, double t, const double* u, const double* du) {
  const hfOde* ode = &chart->ode;
  if (!ode->limit) return 1;

  hfi_chart_point(chart, u, chart->x);
  return ode->limit(ode->context, t, chart->x, du);
}

// The region of f in which u lies; 0 if f has none.
uint64_t hfi_chart_region(hfiChart* chart, double t, const double* u) {
  const hfOde* ode = &chart->ode;
  if (!ode->region) return 0;

  hfi_chart_point(chart, u, chart->x);
  return ode->region(ode->context, t, chart->x);
}

// The norm of u: max_i weight_i |u_i|, NaN if any is.
double hfi_chart_norm(const hfiChart* chart, const double* u) {
  const double* weight = chart->ode.weight;
  double norm = 0;
  for (int i = 0; i < chart->ode.n; ++i) {
    double size = fabs(u[i]) * (weight ? weight[i] : 1);
    if (!(size <= norm)) norm = size; // also when the size is NaN
    if (isnan(norm)) return norm;
  }
  return norm;
}
