// What other folders call of an integrator beside the public interface (<holdfast/integrate.h>).
#ifndef HFI_ODE_ODE_H
#define HFI_ODE_ODE_H

#include "methods/ode/butcher.h"

#include <holdfast/integrate.h>

// Replaces the equation by one of other dimensions, which must be at most those that were planned.
void hfi_integrator_resize(hfIntegrator* integrator, int32_t nx, int32_t n);

// Ends an advance of an explicit method if its stability, and no longer its accuracy, bounds the steps. A step of
// length h is stiff if h lambda > limit, where lambda is the largest rate of the equation. An advance may make
// `remaining` more stiff steps. Each one lowers that by one; each few steps that are not stiff raise it by one again
// (STEPS_OF_REST in advance.c). The advance ends when it falls below zero.
typedef struct hfiStiffnessWatch {
  double limit;           // 0: nothing is watched [-]
  int32_t remaining;      // number of stiff steps that may still come; -1: the advance has ended because of them
  int32_t most_remaining; // its largest value
  int32_t calm_steps;     // number of steps that were not stiff since `remaining` was last raised
  double rate;            // lambda at the last step [1/s]
  double least_rate;      // the smallest lambda of all stiff steps since `remaining` had its largest value [1/s]
} hfiStiffnessWatch;
// The watch of an integrator, to be set before an advance and read after it.
hfiStiffnessWatch* hfi_integrator_watch(hfIntegrator* integrator);
// Sets the largest number of attempts of an advance from now on; 0: any number (hfIntegratorConfig.max_steps).
void hfi_integrator_limit(hfIntegrator* integrator, int64_t max_steps);
// How stiff the equation is [1/s]: the smallest lambda of the stiff steps, so that the peak of a single step does not
// count. If there were no stiff steps, lambda of the last step.
static inline double hfi_watched_stiffness(const hfiStiffnessWatch* watch) {
  return watch->remaining < watch->most_remaining ? watch->least_rate : watch->rate;
}

#endif
