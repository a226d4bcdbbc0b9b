// Sums of arrays, most of which are short, in four chains that run side by side.
#include "base/finite.h"

double hfi_sum(const double* x, int n) {
  double a = 0, b = 0, c = 0, d = 0;
  for (; n >= 4; n -= 4, x += 4) a += x[0], b += x[1], c += x[2], d += x[3];
  for (; n > 0; --n) a += *x++;
  return (a + b) + (c + d);
}

double hfi_sum_squares(const double* x, int n) {
  double a = 0, b = 0, c = 0, d = 0;
  for (; n >= 4; n -= 4, x += 4) a += x[0] * x[0], b += x[1] * x[1], c += x[2] * x[2], d += x[3] * x[3];
  for (; n > 0; --n, ++x) a += *x * *x;
  return (a + b) + (c + d);
}
