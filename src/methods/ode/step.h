// One Runge-Kutta step in a chart.
#ifndef HFI_ODE_STEP_H
#define HFI_ODE_STEP_H

#include "methods/ode/chart.h"
#include "methods/ode/matrix.h"
#include "methods/ode/newton.h"
#include "methods/ode/butcher.h"

// Newton iterates that are noted for the caller (hf_integrator_trace).
typedef struct hfiNewtonTrace {
  hfNewtonIterate* list; // (capacity) NULL: none is noted
  int capacity;
  int count;
} hfiNewtonTrace;

// The stage that is being solved.
typedef struct hfiStage {
  double t;       // its time [s]
  double gamma_h; // its gamma h [s]
  double* base;   // (n) u = base + gamma h F(t, u)
  double* update; // (n) its Newton update; also scratch
  double* rate;   // (n) F at the last residual
} hfiStage;

typedef struct hfiStepper {
  const hfiButcher* table;
  hfiChart chart;
  hfiStageMatrix matrix;
  hfiStageOptions newton;
  int analytic; // 1: the Jacobian is f's own
  int tals;     // 1: Newton updates are limited by f

  double* K; // (stages x n) rates of the stages
  hfiStage stage;

  // what is known at the start of the step
  double* rate0;      // (n) F(t0, 0) of the present chart
  int rate0_known;    // 1: rate0 has it
  int start_jacobian; // 1: the Jacobian belongs to the centre and f has not changed since: a shorter attempt can use it
  int fresh;          // 1: the Jacobian was formed at the start of this step
  uint64_t region;    // the region of f in which it was formed
  double theta;       // slowest contraction of this step [-]

  // counts for the report
  int64_t iterations;
  int64_t limited;
  int64_t jacobians;
  hfiNewtonTrace trace;
} hfiStepper;

// Takes the arrays for stepper->chart.ode.
void hfi_stepper_plan(hfiStepper* stepper, const hfiButcher* table, hfiArena* arena);

// Forgets everything that was computed at a centre, because x or f changes.
void hfi_stepper_forget_start(hfiStepper* stepper);
// Opens a chart at x (nx).
void hfi_stepper_set_centre(hfiStepper* stepper, const double* x);
// From u0 at t to u1 at t + h; u1 holds the first guess of an implicit method. u0 NULL: the centre.
hfStatus hfi_stepper_step(hfiStepper* stepper, double t, double h, const double* u0, double* u1);
// F(t, 0) at the centre; NULL if it does not exist.
const double* hfi_stepper_rate0(hfiStepper* stepper, double t);
// The embedded error estimate of the step just made.
void hfi_stepper_estimate_error(hfiStepper* stepper, double h, double* error);
// Must be called after a step was accepted: keeps what the next step can use.
void hfi_stepper_keep_step(hfiStepper* stepper);

#endif
