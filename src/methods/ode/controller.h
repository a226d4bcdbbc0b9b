// The step-size controller. It computes the length of the next step from a few numbers.
#ifndef HFI_ODE_CONTROLLER_H
#define HFI_ODE_CONTROLLER_H

typedef struct hfiVerdict {
  int accept; // 1: the step is accepted
  double h;   // length of the step to try next [s]
} hfiVerdict;

// After a step h whose error, which goes as h^order, was estimated.
hfiVerdict hfi_controller_decide(double h, double error, double accuracy, int order);
// After a step h that could not be completed.
hfiVerdict hfi_controller_retry(double h);

#endif
