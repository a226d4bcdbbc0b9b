// Elementary step-size control with hysteresis (Hairer, Norsett, Wanner, Solving ODEs I, II.4).
//
//   h' = 0.8 h (a/err)^(1/order), kept within [0.1 h, 5 h], accepted when err <= a
//
// A step that was good enough does not shrink, and grows only by 20 % or more. So an iteration matrix and a rhythm of
// steps are not given up for little.
#include "methods/ode/controller.h"

#include "math/elementary.h"

#include "math/vec3.h"

// A step aims at this share of the length that the error allows [-].
static const double LENGTH_SAFETY_FACTOR = 0.8;
// The next length over this one is at least and at most this [-].
static const double LEAST_FACTOR = 0.1;
static const double LARGEST_FACTOR = 5;
// A step that would grow by a smaller factor keeps its length [-].
static const double LEAST_GROWTH = 1.2;
// A rejected step is shortened at least by this factor [-].
static const double LEAST_CUT = 0.9;

// Decides on a step h with an estimated error, by the formula of the file's head; order is that of the error.
hfiVerdict hfi_controller_decide(double h, double error, double accuracy, int order) {
  hfiVerdict verdict = {error <= accuracy, h};
  if (!isfinite(error)) {
    verdict.h = LEAST_FACTOR * h;
    return verdict;
  }

  double factor = error > 0 ? LENGTH_SAFETY_FACTOR * hfi_pow(accuracy / error, 1.0 / order) : LARGEST_FACTOR;
  if (!verdict.accept) verdict.h = h * clamp(factor, LEAST_FACTOR, LEAST_CUT);
  else if (factor >= LEAST_GROWTH) verdict.h = h * min2(factor, LARGEST_FACTOR);

  return verdict;
}

// Decides on a step h that could not be completed: half of it next.
hfiVerdict hfi_controller_retry(double h) { return (hfiVerdict){0, 0.5 * h}; }
