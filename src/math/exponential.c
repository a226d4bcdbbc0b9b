// Exponentials:
//
//   x = n log 2 + r + s,  |r| <= log(2)/2 up to rounding, s the rounding error of r
//   e^(r + s) = 1 + r + (r^2/2 + r^3 E(r) + s (1 + r)),   e^x = 2^n e^(r + s)
//
// The sum 1 + r is exact in two numbers, so that only the roundings of the third term count, which is at most 0.07, and
// the last one. E is the polynomial with the least largest error of r^2 E, 2^-60 (tests/math/coefficients.py).
#include "math/elementary.h"
#include "math/inside.h"

#include <math.h>

// Above the first x, e^x is infinite, and below the second it is 0.
static const double LARGEST_EXPONENT = 709.79;
static const double LEAST_EXPONENT = -745.14;

static const double ONE_BY_LOG_2 = 0x1.71547652b82fep+0;

// Returns r^3 E(r).
static double find_cubic_tail(double r) {
  double rr = r * r;
  double r4 = rr * rr;
  double e01 = 0x1.5555555555559p-3 + r * 0x1.5555555555559p-5;
  double e23 = 0x1.111111110f6acp-7 + r * 0x1.6c16c16c14a21p-10;
  double e45 = 0x1.a01a01afeb7fep-13 + r * 0x1.a01a01af83f0cp-16;
  double e67 = 0x1.71ddf839417c1p-19 + r * 0x1.27e4c77e5a6ebp-22;
  double e89 = 0x1.af5efc0e6313ep-26 + r * 0x1.1f932c8408405p-29;
  return r * rr * ((e01 + rr * e23) + r4 * ((e45 + rr * e67) + r4 * e89));
}

// Returns e^(r + s) for |r| <= log(2)/2 and |s| <= 2^-53 |r|, as a sum whose second part is below 0.08.
static hfiPair find_near_zero(double r, double s) {
  hfiPair sum = hfi_add_ordered(1, r);
  sum.low += 0.5 * r * r + (find_cubic_tail(r) + s * sum.high);
  return sum;
}

// Returns 2^n for -1022 <= n <= 1023.
static double power_of_two(int n) { return hfi_number_of((uint64_t)(n + 1023) << 52); }

// Returns 2^n y for 0.5 <= y <= 2 and -1100 <= n <= 1100, rounded once.
static double scale_by_power(double y, int n) {
  if (n > 1023) return 2 * y * power_of_two(n - 1 < 1023 ? n - 1 : 1023);
  if (n >= -1021) return y * power_of_two(n);
  return y * power_of_two(n + 200) * power_of_two(-200); // below the least normal number: in two parts
}

// Returns x - n log 2 as a sum, for the integer n nearest to x/log 2, and n.
static hfiPair reduce_exponent(hfiPair x, double* n) {
  *n = (x.high * ONE_BY_LOG_2 + HFI_INTEGER) - HFI_INTEGER;
  return hfi_add_exactly(x.high - *n * HFI_LOG_2_SHORT.high, x.low - *n * HFI_LOG_2_SHORT.low);
}

// Returns e^(x.high + x.low), rounded once.
double hfi_exp_pair(hfiPair x) {
  double n;
  hfiPair rest = reduce_exponent(x, &n);
  hfiPair power = find_near_zero(rest.high, rest.low);
  return scale_by_power(power.high + power.low, (int)n);
}

// Returns e^x.
double hfi_exp(double x) {
  if (x > LARGEST_EXPONENT) return INFINITY;
  if (x < LEAST_EXPONENT) return 0;
  if (isnan(x)) return x;
  return hfi_exp_pair((hfiPair){x, 0});
}

// Returns e^x - 1.
double hfi_expm1(double x) {
  const double TINY = 0x1p-54;      // Below this |x|, e^x - 1 is x.
  const double FLAT_EXPONENT = -40; // Below this x, e^x - 1 is -1.
  const int LARGEST_FELT = 60;      // With 2^n above 2^60, 1 is less than an eighth of the last place.
  if (x > LARGEST_EXPONENT) return INFINITY;
  if (x < FLAT_EXPONENT) return -1;
  if (isnan(x) || fabs(x) < TINY) return x;

  // x = n log 2 + rest, where the rest is x itself for n = 0
  double n;
  hfiPair rest = reduce_exponent((hfiPair){x, 0}, &n);
  if (n == 0) return x + (0.5 * x * x + find_cubic_tail(x));

  hfiPair power = find_near_zero(rest.high, rest.low);
  if (n > LARGEST_FELT) return scale_by_power(power.high + power.low, (int)n);

  // 2^n (high + low) - 1, in which 2^n high - 1 is exact
  double factor = power_of_two((int)n);
  hfiPair difference = hfi_add_exactly(factor * power.high, -1);
  return difference.high + (difference.low + factor * power.low);
}

// Returns 2^x.
double hfi_exp2(double x) {
  const hfiPair LOG_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  if (x >= 1024) return INFINITY;
  if (x <= -1075) return 0;
  if (isnan(x)) return x;

  double n = (x + HFI_INTEGER) - HFI_INTEGER;
  hfiPair rest = hfi_multiply_pairs((hfiPair){x - n, 0}, LOG_2);
  hfiPair power = find_near_zero(rest.high, rest.low);
  return scale_by_power(power.high + power.low, (int)n);
}
