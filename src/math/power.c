// Powers and roots:
//
//   x^y = e^(y log x), the logarithm and its product with y with twice the digits of a double
//   cbrt x = 2^q t, t^3 = m, 1 <= m < 8, by Halley's steps t <- t + t (m/t^2 - t)/(2 t + m/t^2), whose error is the third power of the last one
//   hypot = h + (x^2 + y^2 - h^2)/(2 h),  h = sqrt(x^2 + y^2) as rounded
#include "math/elementary.h"
#include "math/inside.h"

#include <math.h>

// Whether y is an integer, which numbers from 2^53 on all are, and whether it is an odd one.
static int is_integer(double y) { return fabs(y) >= 0x1p53 || y == (double)(int64_t)y; }
static int is_odd(double y) { return fabs(y) < 0x1p53 && y == (double)(int64_t)y && ((int64_t)y & 1); }

// x^y for finite x > 0 and finite y.
static double find_power(double x, double y) {
  const double LARGEST = 710, LEAST = -746, TINY = 0x1p-60; // of log(x^y): beyond them the power is infinite, 0 or 1
  hfiPair log = hfi_log_pair(x);
  double size = y * log.high;
  if (size > LARGEST) return INFINITY;
  if (size < LEAST) return 0;
  if (fabs(size) < TINY) return 1;

  hfiPair product = hfi_multiply_exactly(y, log.high);
  product.low += y * log.low;
  return hfi_exp_pair(product);
}

double hfi_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y)) return x + y;

  double size = fabs(x);
  double extreme = (size > 1) == (y > 0) ? INFINITY : 0;
  if (isinf(y)) return size == 1 ? 1 : extreme;
  if (x < 0 && !isinf(x) && !is_integer(y)) return NAN;

  double power = size == 0 || isinf(size) ? extreme : find_power(size, y);
  return signbit(x) && is_odd(y) ? -power : power;
}

// The cube root of 1 <= m < 8.
static double find_cube_root(double m) {
  double t = (0x1.5d05984ae49e4p-1 + m * 0x1.7546ff4410e82p-2) + m * m * (-0x1.62cc08a2169e8p-5 + m * 0x1.2f32d0ca2ef4fp-9); // within 2^-7.6 of it
  double cube = t * t * t;

  // after this step 26 bits are good, of which the squares are exact
  t = hfi_first_half(t * (cube + 2 * m) / (2 * cube + m));
  double quotient = m / (t * t);
  return t + t * ((quotient - t) / (2 * t + quotient));
}

double hfi_cbrt(double x) {
  const double SUBNORMAL = 0x1p-1022;
  double size = fabs(x);
  if (x == 0 || !isfinite(x)) return x;

  int exponent = 0; // of x = 2^exponent m
  if (size < SUBNORMAL) {
    size *= 0x1p54;
    exponent = -54;
  }
  uint64_t bits = hfi_bits_of(size);
  exponent += (int)(bits >> 52) - 1023;

  int third = (exponent + 3 * 1024) / 3 - 1024; // rounded down
  double m = hfi_number_of((bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(1023 + exponent - 3 * third) << 52);
  return copysign(find_cube_root(m) * hfi_number_of((uint64_t)(1023 + third) << 52), x);
}

double hfi_hypot(double x, double y) {
  const double LARGE = 0x1p500, SMALL = 0x1p-400; // Beyond them squares and their errors would not be numbers of full length.
  const double NEGLIGIBLE = 0x1p-54;              // A side below this share of the other one does not change the length.
  double a = fabs(x);
  double b = fabs(y);
  if (isinf(a) || isinf(b)) return INFINITY;
  if (isnan(a) || isnan(b)) return a + b;

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

  hfiPair aa = hfi_multiply_exactly(a, a);
  hfiPair bb = hfi_multiply_exactly(b, b);
  hfiPair sum = hfi_add_ordered(aa.high, bb.high);
  double h = sqrt(sum.high);
  hfiPair hh = hfi_multiply_exactly(h, h);
  double error = (sum.high - hh.high) - hh.low + (sum.low + aa.low + bb.low);
  return (h + error / (2 * h)) * unit;
}
