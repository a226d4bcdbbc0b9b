// An integrator, between its loop (advance.c) and one attempt at a step (attempt.c).
#ifndef HFI_ODE_INTEGRATOR_H
#define HFI_ODE_INTEGRATOR_H

#include "methods/ode/ode.h"
#include "methods/ode/step.h"

struct hfIntegrator {
  hfIntegratorConfig config;
  hfiStepper stepper;
  double* u;         // (n) result of the step in its chart
  double* half;      // (n) step doubling: result of the first half step; otherwise scratch
  double* error;     // (n) estimated error of the step
  double* x;         // (nx) the state at the end of the step, until it is accepted; before that scratch
  double next;       // length of the step to try next; 0: not known yet [s]
  int64_t steps, rejected, failed; // accepted; rejected because of their error; not completed
  int64_t held;                    // accepted with a held f
  int32_t holds;                   // 1: the steps up to the next point of the grid hold f
  double smallest, last;           // shortest accepted step, last step tried [s]
  double estimate;                 // norm of the error of the last step
  double bend;                     // fixed explicit steps: the bend of the longest step that failed since one as long was accepted
  double bent;                     // length of that step; 0: there is none [s]
  int32_t jumps;                   // 1: f jumps within the last step that was tried
  int32_t crossed;                 // 1: the last accepted step crossed a jump
  hfiStiffnessWatch watch;         // explicit
  hfStatus status;
};

// Tries a step h from x at t: computes its result u and the estimate of its error, with a held f where in->holds.
hfStatus hfi_integrator_attempt(hfIntegrator* in, double t, double h, const double* x);

#endif
