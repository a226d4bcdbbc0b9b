// A differential equation in the chart u -> x0 (+) u around the start of a step.
//
//   udot = F(t, u) = lift(u, f(t, x0 (+) u)),   F(t, 0) = f(t, x0)
//
// In the chart u is an ordinary vector: Runge-Kutta stages, Newton updates and error estimates are
// sums of such vectors, and every method keeps its order on the manifold.
#ifndef HFI_ODE_CHART_H
#define HFI_ODE_CHART_H

#include "base/arena.h"

#include <holdfast/integrate.h>

typedef struct hfiChart {
  hfOde ode;
  double* x0;          // (nx) centre
  double* x;           // (nx) the point of the last evaluation
  double* raw;         // (n) f there, before the lift
  double* shifted;     // (n) scratch of the Jacobian
  double* f;           // (n) scratch of the Jacobian
  int64_t evaluations;
  int64_t jacobian_evaluations; // those of them for Jacobians
} hfiChart;

// Takes the arrays for chart->ode.
void hfi_chart_plan(hfiChart* chart, hfiArena* arena);

// x = x0 (+) u
void hfi_chart_point(const hfiChart* chart, const double* u, double* x);
// Computes F(t, u). Returns a status > 0 if f does not exist or is not finite.
hfStatus hfi_chart_rate(hfiChart* chart, double t, const double* u, double* rate);
// J = dF/du (n x n) at u, where F is `rate`: analytic, or by n forward differences.
hfStatus hfi_chart_jacobian(hfiChart* chart, int analytic, double t, const double* u, const double* rate, double* J);
// How much of the Newton update du at u may be taken.
double hfi_chart_limit(hfiChart* chart, double t, const double* u, const double* du);
// The region of f in which u lies.
uint64_t hfi_chart_region(hfiChart* chart, double t, const double* u);
// max_i weight_i |u_i|, NaN if any is.
double hfi_chart_norm(const hfiChart* chart, const double* u);

#endif
