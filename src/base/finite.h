// A quick check whether numbers are finite. A sum is finite only if all its terms are, so that one
// sum clears almost every array. Where it is not finite, which large numbers can cause too, the
// numbers have to be looked at one by one.
#ifndef HFI_BASE_FINITE_H
#define HFI_BASE_FINITE_H

#include <math.h>

// Adds n numbers to eight partial sums.
static inline void hfi_add_to_sums(double s[8], const double* x, int n) {
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) s[l] += x[i + l];
  for (; i < n; ++i) s[0] += x[i];
}
static inline double hfi_total(const double s[8]) {
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

// The sum of n numbers, of many in eight partial sums.
static inline double hfi_sum(const double* x, int n) {
  if (n < 8) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum;
  }
  double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  hfi_add_to_sums(s, x, n);
  return hfi_total(s);
}

// The sum of their squares. It is zero where all numbers are.
static inline double hfi_sum_squares(const double* x, int n) {
  double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) s[l] += x[i + l] * x[i + l];
  for (; i < n; ++i) s[0] += x[i] * x[i];
  return hfi_total(s);
}

// Returns 1 if all numbers are finite, 0 if perhaps not.
static inline int hfi_surely_finite(const double* x, int n) { return isfinite(hfi_sum(x, n)); }

#endif
