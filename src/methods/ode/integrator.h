// An integrator, between its loop (advance.c) and one attempt at a step (attempt.c).
#ifndef HFI_ODE_INTEGRATOR_H
#define HFI_ODE_INTEGRATOR_H

#include "methods/ode/ode.h"
#include "methods/ode/step.h"

// What an integrator did since it was reset, for its report.
typedef struct hfiStepCounts {
  int64_t steps;    // accepted steps
  int64_t rejected; // steps that were rejected because of their error
  int64_t failed;   // steps that were not completed
  int64_t held;     // accepted steps with a held f
  double smallest;  // shortest accepted step; 0: none [s]
  double last;      // last step that was tried [s]
} hfiStepCounts;

// The longest explicit step that failed by its bend (attempt.c) since one as long was accepted.
typedef struct hfiBentStep {
  double bend;   // its bend, in the error norm
  double length; // its length; 0: there is none [s]
} hfiBentStep;

struct hfIntegrator {
  hfIntegratorConfig config;
  hfiStepper stepper;
  double* u;       // (n) result of the step in its chart
  double* half;    // (n) step doubling: result of the first half step; otherwise scratch
  double* error;   // (n) estimated error of the step
  double* x;       // (nx) the state at the end of the step, until it is accepted; before that scratch
  double next;     // length of the step to try next; 0: not known yet [s]
  double estimate; // norm of the error of the last step
  hfiStepCounts counts;

  int32_t holds;           // 1: the steps up to the next point of the grid hold f
  hfiBentStep bent;        // fixed explicit steps
  int32_t jumps;           // 1: f jumps within the last step that was tried
  int32_t crossed;         // 1: the last accepted step crossed a jump
  hfiStiffnessWatch watch; // explicit
  hfStatus status;
};

// Tries a step h from x at t: computes its result u and the estimate of its error, with a held f where
// integrator->holds.
hfStatus hfi_integrator_attempt(hfIntegrator* in, double t, double h, const double* x);

#endif
