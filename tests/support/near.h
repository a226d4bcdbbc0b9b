// Comparison of doubles with an absolute tolerance; a failure prints all three. NaN is never near.
#ifndef HF_TESTS_NEAR_H
#define HF_TESTS_NEAR_H

#include "support/cmocka_all.h"

#include <math.h>

static inline void assert_near_at(double got, double want, double tolerance, const char* file,
                                  int line) {
  if (fabs(got - want) <= tolerance) return;
  print_error("%.17g is not %.17g within %g (off by %g)\n", got, want, tolerance, got - want);
  _fail(file, line);
}
#define assert_near(got, want, tolerance)                                                          \
  assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)

// The largest |x_i|, and the largest |x_i - y_i|.
static inline double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
  return most;
}
static inline double largest_difference(const double* x, const double* y, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

#endif
