// Tests of arrays: whether some number is not zero, and, quickly, whether all are finite. A sum is finite only if all
// its terms are, so that one sum is enough for almost every array. If the sum is not finite, which large numbers can
// cause, too, the numbers have to be tested one by one.
#ifndef HFI_BASE_FINITE_H
#define HFI_BASE_FINITE_H

#include <math.h>

// The sum of n numbers, and the sum of their squares, which is zero only if all numbers are.
double hfi_sum(const double* x, int n);
double hfi_sum_squares(const double* x, int n);

// Is some of n numbers not zero? NaN is not zero.
static inline int hfi_any_nonzero(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (x[i] != 0) return 1;
  return 0;
}

// Are all n numbers finite?
static inline int hfi_all_finite(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

// Larger speeds [m/s or rad/s] are refused, because solvers compute squares of energies, which must be finite.
static const double hfi_largest_speed = 1e75;

static inline int hfi_is_speed(double v) { return fabs(v) <= hfi_largest_speed; }

// Are all n speeds finite and not too large?
static inline int hfi_all_speeds(const double* v, int n) {
  for (int i = 0; i < n; ++i)
    if (!hfi_is_speed(v[i])) return 0;
  return 1;
}

// Returns 1 if all n speeds are finite and not too large, 0 if perhaps not.
static inline int hfi_surely_speeds(const double* v, int n) {
  return hfi_sum_squares(v, n) <= hfi_largest_speed * hfi_largest_speed;
}

// Are all n numbers NaN? Four are tested at a time, because arrays of NaN are read at every step.
static inline int hfi_all_nan(const double* x, int n) {
  for (; n >= 4; n -= 4, x += 4)
    if (!(isnan(x[0]) && isnan(x[1]) && isnan(x[2]) && isnan(x[3]))) return 0;
  while (n > 0 && isnan(x[n - 1])) --n;
  return n == 0;
}

// Is none of n numbers negative or NaN?
static inline int hfi_none_negative(const double* x, int n) {
  for (; n >= 4; n -= 4, x += 4)
    if (!(x[0] >= 0 && x[1] >= 0 && x[2] >= 0 && x[3] >= 0)) return 0;
  while (n > 0 && x[n - 1] >= 0) --n;
  return n == 0;
}

#endif
