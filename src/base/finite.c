// Sums of arrays, most of which are short. Nobody asks for their last digits.
#include "base/finite.h"

#include "base/lanes.h"

static inline hfiFour four(const double* x) { return *(const hfiFour*)x; }
static inline double sum_lanes(hfiFour a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// The sum of fewer than four numbers.
static inline double sum_few(const double* x, int n) {
  if (n <= 0) return 0;
  double sum = x[0];
  if (n > 1) sum += x[1];
  return n > 2 ? sum + x[2] : sum;
}
static inline double sum_few_squares(const double* x, int n) {
  if (n <= 0) return 0;
  double sum = x[0] * x[0];
  if (n > 1) sum += x[1] * x[1];
  return n > 2 ? sum + x[2] * x[2] : sum;
}

double hfi_sum(const double* x, int n) {
  if (n < 4) return sum_few(x, n);
  hfiFour a = four(x), b = {0};
  for (n -= 4, x += 4; n >= 8; n -= 8, x += 8) a += four(x), b += four(x + 4);
  if (n >= 4) b += four(x), n -= 4, x += 4;
  return sum_lanes(a + b) + sum_few(x, n);
}

double hfi_sum_squares(const double* x, int n) {
  if (n < 4) return sum_few_squares(x, n);
  hfiFour a = four(x) * four(x), b = {0};
  for (n -= 4, x += 4; n >= 8; n -= 8, x += 8) a += four(x) * four(x), b += four(x + 4) * four(x + 4);
  if (n >= 4) b += four(x) * four(x), n -= 4, x += 4;
  return sum_lanes(a + b) + sum_few_squares(x, n);
}
