// One Runge-Kutta step in a chart.
#ifndef HFI_ODE_STEP_H
#define HFI_ODE_STEP_H

#include "methods/ode/chart.h"
#include "methods/ode/matrix.h"
#include "methods/ode/newton.h"
#include "methods/ode/butcher.h"

typedef struct hfiStepper {
  const hfiButcher* table;
  hfiChart chart;
  hfiStageMatrix matrix;
  hfiStageOptions newton;
  int analytic, tals;

  double* K;             // (stages x n) rates of the stages
  double* base;          // (n) base of the stage being solved: u = base + gamma h F(t, u)
  double* update;        // (n) its Newton update; also scratch
  double* rate;          // (n) F at the last residual
  double t;              // time of the stage being solved [s]
  double gamma_h;        // gamma h of that stage [s]
  double* rate0;         // (n) F(t0, 0) of the present chart
  int rate0_known;
  int start_jacobian;    // 1: the Jacobian belongs to the centre, and f has not changed since, so that an attempt with a shorter step can use it.
  int fresh;             // 1: the Jacobian was formed at the start of this step
  uint64_t region;       // the region of f in which it was formed
  double theta;          // slowest contraction of this step

  int64_t iterations, limited, jacobians;
  hfNewtonIterate* trace;
  int trace_capacity, trace_count;
} hfiStepper;

// Takes the arrays for s->chart.ode.
void hfi_stepper_plan(hfiStepper* s, const hfiButcher* table, hfiArena* arena);

// Forgets everything that was computed at a centre, because x or f changes.
void hfi_stepper_forget_start(hfiStepper* s);
// Opens a chart at x (nx).
void hfi_stepper_centre(hfiStepper* s, const double* x);
// From u0 at t to u1 at t + h; u1 holds the first guess of an implicit method. u0 NULL: the centre.
hfStatus hfi_stepper_step(hfiStepper* s, double t, double h, const double* u0, double* u1);
// F(t, 0) at the centre; NULL if it does not exist.
const double* hfi_stepper_rate0(hfiStepper* s, double t);
// The embedded error estimate of the step just made.
void hfi_stepper_error(hfiStepper* s, double h, double* error);
// Must be called after a step was accepted: keeps what the next step can use.
void hfi_stepper_accept(hfiStepper* s);

#endif
