// Elementary step-size control with hysteresis (Hairer, Norsett, Wanner, Solving ODEs I, II.4).
//
//   h' = 0.8 h (a/err)^(1/order), kept within [0.1 h, 5 h], accepted when err <= a
//
// A step that was good enough does not shrink, and grows only by 20 % or more, so that an iteration
// matrix and a rhythm of steps are not given up for little.
#include "methods/ode/controller.h"

#include "math/vec3.h"

static const double SAFETY = 0.8, SHRINK = 0.1, GROW = 5, GROW_LEAST = 1.2, SHRINK_LEAST = 0.9;

hfiVerdict hfi_controller_judge(double h, double error, double accuracy, int order) {
  hfiVerdict verdict = {error <= accuracy, h};
  if (!isfinite(error)) {
    verdict.h = SHRINK * h;
    return verdict;
  }
  double factor = error > 0 ? SAFETY * hfi_pow(accuracy / error, 1.0 / order) : GROW;
  if (verdict.accept)
    verdict.h = factor < GROW_LEAST ? h : h * min2(factor, GROW);
  else
    verdict.h = h * clamp(factor, SHRINK, SHRINK_LEAST);
  return verdict;
}

hfiVerdict hfi_controller_retry(double h) {
  hfiVerdict verdict = {0, 0.5 * h};
  return verdict;
}
