// The inner product sum_i w_i x_i y_i.
#ifndef HFI_LINALG_WEIGHTED_H
#define HFI_LINALG_WEIGHTED_H

#include "base/compile.h"
#include "base/lanes.h"

#include <stdint.h>

// Adds in four partial sums, as hfi_dot. If the caller passes a constant for n, the compiler writes out the loop.
HFI_FORCE_INLINE double hfi_weighted_dot(const double* w, const double* x, const double* y, int32_t n) {
  hfiQuad s = hfi_quad_zero();
  for (; n >= 4; n -= 4, w += 4, x += 4, y += 4) {
    hfiQuad product = hfi_quad_multiply(hfi_quad_load(x), hfi_quad_load(y));
    s = hfi_quad_add(s, hfi_quad_multiply(product, hfi_quad_load(w)));
  }

  // what is left goes to the first of the four sums
  hfiTwo low = hfi_quad_low(s);
  hfiTwo high = hfi_quad_high(s);
  double first = low[0];
  for (; n > 0; --n, ++w, ++x, ++y) first += x[0] * y[0] * w[0];
  return (first + high[0]) + (low[1] + high[1]);
}

#endif
