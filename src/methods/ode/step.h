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
  double *base, *update; // (n) base and Newton update of the stage being solved: u = base + gamma h F(t, u)
  double* rate;          // (n) F at the last residual
  double t, gamma_h;     // time and gamma h of the stage being solved
  double* rate0;         // (n) F(t0, 0) of the present chart
  int rate0_known;
  int start_jacobian;    // 1: the Jacobian is that at the centre, and f has not changed since, so that an attempt with a shorter step can use it.
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
// Replaces the equation by one of other dimensions, which must be at most those that were planned.
void hfi_integrator_resize(hfIntegrator* integrator, int32_t nx, int32_t n);

// Ends an advance of an explicit method if its stability, and no longer its accuracy, bounds the steps. A step of length h is stiff if h lambda > limit, where
// lambda is the largest rate of the equation. An advance may make `left` more stiff steps. Each one lowers `left` by one; each few steps that are not stiff
// raise it by one again (REST in advance.c). The advance ends when `left` falls below zero.
typedef struct hfiStiffnessWatch {
  double limit;       // 0: nothing is watched [-]
  int32_t left, most; // number of stiff steps that may still come, -1 if the advance has ended because of them; its largest value
  int32_t rest;       // number of steps that were not stiff since `left` was last raised
  double rate;        // lambda at the last step [1/s]
  double least;       // the smallest lambda of all stiff steps since `left` was `most` [1/s]
} hfiStiffnessWatch;
// The watch of an integrator, to be set before an advance and read after it.
hfiStiffnessWatch* hfi_integrator_watch(hfIntegrator* integrator);
// Sets the largest number of attempts of an advance from now on; 0: any number (hfIntegratorConfig.max_steps).
void hfi_integrator_limit(hfIntegrator* integrator, int64_t max_steps);
// How stiff the equation is [1/s]: the smallest lambda of the stiff steps, so that the peak of a single step does not count. If there were no stiff steps,
// lambda of the last step.
static inline double hfi_watched_stiffness(const hfiStiffnessWatch* w) { return w->left < w->most ? w->least : w->rate; }

// F(t, 0) at the centre; NULL if it does not exist.
const double* hfi_stepper_rate0(hfiStepper* s, double t);
// The embedded error estimate of the step just made.
void hfi_stepper_error(hfiStepper* s, double h, double* error);
// Must be called after a step was accepted: keeps what the next step can use.
void hfi_stepper_accept(hfiStepper* s);

#endif
