// Angles of tangents, sines and cosines:
//
//   atan(y/x) = atan c + atan t,  t = (y - c x)/(x + c y),  c = 0, 1/2 or 1 for 0 <= y <= x, so that |t| <= 1/4
//   atan t = t + t z A(z),  z = t^2
//   asin x = x + x z S(z),  z = x^2 <= 1/4;   acos x = 2 asin sqrt((1 - x)/2) for larger x
//
// The angle has t and its quotient's rounding error, and constants with twice the digits of a double, so that only the
// roundings of the last two terms count. A and S are the polynomials with the least largest errors of z A, 2^-61.6, and
// z S, 2^-59 (tests/math/coefficients.py).
#include "math/elementary.h"
#include "math/pair.h"

#include <math.h>

static const hfiPair PI_BY_2 = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const hfiPair FULL_PI = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// Returns z A(z).
static double find_tangent_tail(double z) {
  double zz = z * z;
  double a02 = -0x1.5555555555553p-2 + z * (0x1.9999999998d92p-3 - z * 0x1.24924923eb177p-3);
  double a35 = 0x1.c71c71388d3b5p-4 + z * (-0x1.745cf4d5a98b0p-4 + z * 0x1.3b0ea7495c742p-4);
  double a68 = -0x1.109c2ee2b3f74p-4 + z * (0x1.d4fb27456839fp-5 - z * 0x1.47ae789c122fbp-5);
  return z * (a02 + zz * z * (a35 + zz * z * a68));
}

// Returns z S(z).
static double find_sine_tail(double z) {
  double zz = z * z;
  double z4 = zz * zz;
  double s01 = 0x1.5555555555578p-3 + z * 0x1.333333332df7fp-4;
  double s23 = 0x1.6db6db7226022p-5 + z * 0x1.f1c71a8dc6927p-6;
  double s45 = 0x1.6e8bdfa60e0fbp-6 + z * 0x1.1c49e2c2c08fdp-6;
  double s67 = 0x1.ca20cd5071270p-7 + z * 0x1.757b80a23e7f5p-7;
  double s89 = 0x1.6173cc42e3330p-7 + z * 0x1.e2c1041325960p-9;
  double sab = 0x1.6491e702d7704p-6 - z * 0x1.59535e9bb47fap-6;

  double s03 = s01 + zz * s23;
  double s47 = s45 + zz * s67;
  double s8b = s89 + zz * sab;
  return z * (s03 + z4 * (s47 + z4 * (s8b + z4 * 0x1.0bb005e130b30p-5)));
}

// Returns base + turn for |base| >= |turn.high| or base = 0, rounded once.
static double add_angle(hfiPair base, hfiPair turn) {
  hfiPair sum = hfi_add_ordered(base.high, turn.high);
  return sum.high + (sum.low + (base.low + turn.low));
}
static hfiPair negate(hfiPair x) { return (hfiPair){-x.high, -x.low}; }

// ---- tangents ------------------------------------------------------------------------------------

// Returns atan(y/x) for 0 <= y <= x of usual sizes, as a sum whose second part is up to a fiftieth of the first one.
static hfiPair find_slope_angle(double y, double x) {
  // atan c
  static const hfiPair ANGLE[] = {
      {0, 0}, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  int i = (y >= 0.25 * x) + (y >= 0.75 * x);
  double c = 0.5 * i;

  // atan c + t + t z A(z)
  hfiPair t = hfi_divide_pairs(hfi_add_exactly(y, -c * x), hfi_add_exactly(x, c * y));
  hfiPair sum = hfi_add_ordered(ANGLE[i].high, t.high);
  sum.low += ANGLE[i].low + (t.low + t.high * find_tangent_tail(t.high * t.high));
  return sum;
}

// Returns the angle of (x, y) where a coordinate is 0 or infinite, or one is so much larger than the other that (x, y)
// is on an axis up to rounding, or the angle is y/x.
static double find_extreme_angle(double y, double x) {
  if (isinf(x) && isinf(y)) return copysign(x > 0 ? 0.5 * PI_BY_2.high : 0x1.2d97c7f3321d2p+1, y); // pi/4 or 3 pi/4
  if (fabs(y) > fabs(x)) return copysign(PI_BY_2.high, y);
  if (signbit(x)) return copysign(FULL_PI.high, y);
  return y == 0 ? y : y / x;
}

// Returns the angle from the x axis to (x, y) [rad].
double hfi_atan2(double y, double x) {
  const double NEGLIGIBLE = 0x1p-70; // With a ratio below this one, the angle is that of an axis or the ratio [-].
  // Beyond these sizes, errors of products would not be numbers of full length.
  const double LARGE = 0x1p500;
  const double SMALL = 0x1p-400;
  if (isnan(x) || isnan(y)) return x + y;

  double ax = fabs(x);
  double ay = fabs(y);
  double large = ax > ay ? ax : ay;
  double small = ax > ay ? ay : ax;
  if (isinf(large) || small <= NEGLIGIBLE * large) return find_extreme_angle(y, x);

  // the angle from the nearest axis, of a slope in units of usual size
  double unit = 1;
  if (large > LARGE) unit = 0x1p600;
  if (small < SMALL) unit = 0x1p-600;
  hfiPair angle = find_slope_angle(small / unit, large / unit);

  // the angle from the positive x axis to (x, |y|): pi/2 less or plus the angle from the y axis, or pi less the angle
  // from the negative x axis. The sign of y follows.
  double result;
  if (ay > ax) {
    result = add_angle(PI_BY_2, x < 0 ? angle : negate(angle));
  } else if (x < 0) {
    result = add_angle(FULL_PI, negate(angle));
  } else {
    result = angle.high + angle.low;
  }
  return copysign(result, y);
}

// Returns the angle whose tangent is x [rad].
double hfi_atan(double x) {
  const double TINY = 0x1p-28; // Below this |x| the angle is x.

  double size = fabs(x);
  if (size < TINY || isnan(x)) return x;

  if (size <= 0.25) return x + x * find_tangent_tail(x * x);
  return hfi_atan2(x, 1);
}

// ---- sines and cosines ---------------------------------------------------------------------------

// Returns acos x = 2 asin sqrt((1 - x)/2) for 0.5 <= x < 1. `error` is what rounding leaves of the square root.
static hfiPair find_small_acos(double x) {
  double z = 0.5 * (1 - x);
  double s = sqrt(z);
  hfiPair square = hfi_multiply_exactly(s, s);
  double error = ((z - square.high) - square.low) / (2 * s);
  return (hfiPair){2 * s, 2 * (error + s * find_sine_tail(z))};
}

// Returns the angle whose cosine is x [rad].
double hfi_acos(double x) {
  double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 1) return x > 0 ? 0 : FULL_PI.high;
  if (size <= 0.5) return add_angle(PI_BY_2, (hfiPair){-x, -x * find_sine_tail(x * x)});

  hfiPair angle = find_small_acos(size);
  return x > 0 ? angle.high + angle.low : add_angle(FULL_PI, negate(angle));
}

// Returns the angle whose sine is x [rad].
double hfi_asin(double x) {
  double size = fabs(x);
  if (!(size <= 1)) return NAN;
  if (size == 1) return copysign(PI_BY_2.high, x);
  if (size <= 0.5) return x + x * find_sine_tail(x * x);
  return copysign(add_angle(PI_BY_2, negate(find_small_acos(size))), x);
}
