// Sums of arrays, which are mostly short. Their last digits do not matter.
#include "base/finite.h"

#include "base/lanes.h"

// The sum of the four numbers of a.
static inline double sum_lanes(hfiQuad a) {
  hfiTwo low = hfi_quad_low(a);
  hfiTwo high = hfi_quad_high(a);
  return (low[0] + low[1]) + (high[0] + high[1]);
}

// s += x, four numbers
static inline void add_four(hfiQuad* s, const double* x) { *s = hfi_quad_add(*s, hfi_quad_load(x)); }

// s += x^2, four numbers
static inline void add_four_squares(hfiQuad* s, const double* x) {
  *s = hfi_quad_add(*s, hfi_quad_multiply(hfi_quad_load(x), hfi_quad_load(x)));
}

// The sum of fewer than four numbers.
static inline double sum_few(const double* x, int n) {
  if (n <= 0) return 0;
  double sum = x[0];
  if (n > 1) sum += x[1];
  return n > 2 ? sum + x[2] : sum;
}

// The sum of the squares of fewer than four numbers.
static inline double sum_few_squares(const double* x, int n) {
  if (n <= 0) return 0;
  double sum = x[0] * x[0];
  if (n > 1) sum += x[1] * x[1];
  return n > 2 ? sum + x[2] * x[2] : sum;
}

// The sum of n numbers, in two sums of four lanes.
double hfi_sum(const double* x, int n) {
  if (n < 4) return sum_few(x, n);

  hfiQuad a = hfi_quad_load(x);
  hfiQuad b = hfi_quad_zero();
  n -= 4;
  x += 4;

  // eight at a time, then four, then the rest
  for (; n >= 8; n -= 8, x += 8) {
    add_four(&a, x);
    add_four(&b, x + 4);
  }
  if (n >= 4) {
    add_four(&b, x);
    n -= 4;
    x += 4;
  }
  return sum_lanes(hfi_quad_add(a, b)) + sum_few(x, n);
}

// The sum of the squares of n numbers, in two sums of four lanes.
double hfi_sum_squares(const double* x, int n) {
  if (n < 4) return sum_few_squares(x, n);

  hfiQuad a = hfi_quad_multiply(hfi_quad_load(x), hfi_quad_load(x));
  hfiQuad b = hfi_quad_zero();
  n -= 4;
  x += 4;

  // eight at a time, then four, then the rest
  for (; n >= 8; n -= 8, x += 8) {
    add_four_squares(&a, x);
    add_four_squares(&b, x + 4);
  }
  if (n >= 4) {
    add_four_squares(&b, x);
    n -= 4;
    x += 4;
  }
  return sum_lanes(hfi_quad_add(a, b)) + sum_few_squares(x, n);
}
