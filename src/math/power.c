// Powers and roots:
//
//   x^y = e^(y log x), the logarithm and its product with y with twice the digits of a double
//   cbrt x = 2^q t, t^3 = m, 1 <= m < 8, by Halley's steps t <- t + t (m/t^2 - t)/(2 t + m/t^2); the error of a step is
//   the third power of the last one
//   hypot = h + (x^2 + y^2 - h^2)/(2 h),  h = sqrt(x^2 + y^2) as rounded
#include "math/elementary.h"
#include "math/inside.h"

#include <math.h>

// Whether y is an integer, which numbers from 2^53 on all are, and whether it is an odd one. The latter are below 2^53.
static int is_integer(double y) { return fabs(y) >= 0x1p53 || y == (double)(int64_t)y; }
static int is_odd(double y) { return fabs(y) < 0x1p53 && y == (double)(int64_t)y && ((int64_t)y & 1); }

// Returns x^y for finite x > 0 and finite y.
static double find_power(double x, double y) {
  // Beyond these values of log(x^y) the power is infinite or 0, and nearer to 0 than the third it is 1.
  const double LARGEST_LOGARITHM = 710;
  const double LEAST_LOGARITHM = -746;
  const double TINY_LOGARITHM = 0x1p-60;
  hfiPair log = hfi_log_pair(x);
  double size = y * log.high;
  if (size > LARGEST_LOGARITHM) return INFINITY;
  if (size < LEAST_LOGARITHM) return 0;
  if (fabs(size) < TINY_LOGARITHM) return 1;

  hfiPair product = hfi_multiply_exactly(y, log.high);
  product.low += y * log.low;
  return hfi_exp_pair(product);
}

// Returns x^y.
double hfi_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y)) return x + y;

  // powers of 0, infinity and negative numbers; extreme: the power of a size of 0 or infinity, or to infinity
  double size = fabs(x);
  double extreme = (size > 1) == (y > 0) ? INFINITY : 0;
  if (isinf(y)) return size == 1 ? 1 : extreme;
  if (x < 0 && !isinf(x) && !is_integer(y)) return NAN;

  double power = size == 0 || isinf(size) ? extreme : find_power(size, y);
  return signbit(x) && is_odd(y) ? -power : power;
}

// Returns the cube root of 1 <= m < 8.
static double find_cube_root(double m) {
  // a cubic polynomial within 2^-7.6 of the root
  double t01 = 0x1.5d05984ae49e4p-1 + m * 0x1.7546ff4410e82p-2;
  double t23 = -0x1.62cc08a2169e8p-5 + m * 0x1.2f32d0ca2ef4fp-9;
  double t = t01 + m * m * t23;
  double cube = t * t * t;

  // after this step 26 bits are good, of which the squares are exact
  t = hfi_first_half(t * (cube + 2 * m) / (2 * cube + m));
  double quotient = m / (t * t);
  return t + t * ((quotient - t) / (2 * t + quotient));
}

// Returns the cube root of x.
double hfi_cbrt(double x) {
  const double SUBNORMAL = 0x1p-1022;
  double size = fabs(x);
  if (x == 0 || !isfinite(x)) return x;

  // |x| = 2^exponent y, 1 <= y < 2
  int exponent = 0;
  if (size < SUBNORMAL) {
    size *= 0x1p54;
    exponent = -54;
  }
  uint64_t bits = hfi_bits_of(size);
  exponent += (int)(bits >> 52) - 1023;

  // |x| = 8^third m, 1 <= m < 8
  int third = (exponent + 3 * 1024) / 3 - 1024; // rounded down
  double m = hfi_number_of((bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(1023 + exponent - 3 * third) << 52);
  return copysign(find_cube_root(m) * hfi_number_of((uint64_t)(1023 + third) << 52), x);
}

// Returns (x^2 + y^2)^(1/2).
double hfi_hypot(double x, double y) {
  // Beyond these sizes, squares and their errors would not be numbers of full length.
  const double LARGE = 0x1p500;
  const double SMALL = 0x1p-400;
  const double NEGLIGIBLE = 0x1p-54; // A side below this share of the other one does not change the length [-].
  double a = fabs(x);
  double b = fabs(y);
  if (isinf(a) || isinf(b)) return INFINITY;
  if (isnan(a) || isnan(b)) return a + b;

  // a is the longer side
  if (a < b) {
    double shorter = a;
    a = b;
    b = shorter;
  }
  if (b <= NEGLIGIBLE * a) return a;

  // extreme lengths in units of usual size
  double unit = 1;
  if (a > LARGE) unit = 0x1p600;
  if (b < SMALL) unit = 0x1p-600;
  a /= unit;
  b /= unit;

  // h, and what its square misses of a^2 + b^2
  hfiPair aa = hfi_multiply_exactly(a, a);
  hfiPair bb = hfi_multiply_exactly(b, b);
  hfiPair sum = hfi_add_ordered(aa.high, bb.high);
  double h = sqrt(sum.high);
  hfiPair hh = hfi_multiply_exactly(h, h);
  double error = (sum.high - hh.high) - hh.low + (sum.low + aa.low + bb.low);
  return (h + error / (2 * h)) * unit;
}
