// Sine and cosine of one angle: as of a lane (sine_lanes.h), for small angles without their reduction; of large angles;
// and the tangent.
//
// An angle beyond HFI_LARGEST_ANGLE is an integer M of 53 bits times 2^e. Its product with 2/pi is needed modulo 4
// only. So the words of 2/pi whose products with M 2^e are multiples of 4 are left out, and seven words from there on
// give the product to 2^-138 of a right angle. No double is nearer than 2^-62 to a multiple of a right angle, so 76
// bits of the rest are good at least.
#include "math/sine.h"

#include "math/elementary.h"
#include "math/inside.h"
#include "math/sine_lanes.h"

#include <math.h>

// x = n pi/2 + r + s, |r| <= pi/4 up to rounding, s the rounding error of r [rad]. Only the last two bits of n count.
typedef struct reduced {
  double r, s;
  int n;
} reduced;

// Words of 32 bits: of 2/pi that are used; of their product with M; of the fraction that is kept.
enum { USED_WORDS = 7, PRODUCT_WORDS = USED_WORDS + 2, FRACTION_WORDS = 6 };

// Returns the 64 bits of a number of several words, lowest word first, from the given bit on.
static uint64_t read_bits(const uint32_t* word, int first) {
  int w = first / 32;
  int shift = first % 32;
  uint64_t low = (uint64_t)word[w] | (uint64_t)word[w + 1] << 32;
  return shift == 0 ? low : low >> shift | (uint64_t)word[w + 2] << (64 - shift);
}

// The digits of 2/pi behind the point, in words of 32 bits.
static const uint32_t TWO_BY_PI[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

// Writes the last words of (M 2^e) 2/pi, lowest word first. Returns how many of their bits stand behind the point.
static int multiply_by_two_by_pi(uint64_t M, int e, uint32_t* product) {
  int first = e > 2 ? (e - 2) / 32 : 0; // words before it give multiples of 4
  const uint32_t half[2] = {(uint32_t)M, (uint32_t)(M >> 32)};
  for (int i = 0; i < PRODUCT_WORDS; ++i) product[i] = 0;

  // long multiplication, one half of M after the other
  for (int h = 0; h < 2; ++h) {
    uint64_t carry = 0;
    for (int i = 0; i < USED_WORDS; ++i) {
      carry += (uint64_t)half[h] * TWO_BY_PI[first + USED_WORDS - 1 - i] + product[i + h];
      product[i + h] = (uint32_t)carry;
      carry >>= 32;
    }
    product[USED_WORDS + h] = (uint32_t)carry;
  }

  return 32 * (first + USED_WORDS) - e;
}

// Returns the remainder of any finite angle |x| above 100 rad, as x = n pi/2 + r + s.
static reduced reduce_large(double x) {
  const hfiPair PI_BY_2 = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

  // |x| = M 2^e: M has the 52 stored digits and the leading 1; e is the stored exponent less its offset 1023 and 52
  uint64_t bits = hfi_bits_of(x);
  uint64_t M = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
  int e = (int)(bits >> 52 & 0x7ff) - 1023 - 52;

  // the product M 2^e times 2/pi, above one word of zeros; two words of zeros end it
  uint32_t word[PRODUCT_WORDS + 3] = {0};
  int point = 32 + multiply_by_two_by_pi(M, e, word + 1);

  // the nearest integer: a fraction of a half or more becomes 1 less the fraction, with the next integer and the
  // opposite sign (is_less). fraction: highest word first.
  uint64_t fraction[FRACTION_WORDS / 2];
  for (int k = 0; k < FRACTION_WORDS / 2; ++k) fraction[k] = read_bits(word, point - 64 * (k + 1));
  int n = (int)(read_bits(word, point) & 3);
  int is_less = (int)(fraction[0] >> 63);
  n += is_less;
  if (is_less)
    for (int k = 0; k < FRACTION_WORDS / 2; ++k) fraction[k] = ~fraction[k];

  // the fraction as a sum of two numbers
  hfiPair turns = {0, 0};
  double unit = 0x1p-32;
  for (int k = 0; k < FRACTION_WORDS; ++k) {
    uint32_t digit = (uint32_t)(fraction[k / 2] >> (k % 2 ? 0 : 32));
    hfiPair sum = hfi_add_ordered(turns.high, digit * unit);
    turns = (hfiPair){sum.high, turns.low + sum.low};
    unit *= 0x1p-32;
  }

  // in radians, with its sign
  hfiPair rest = hfi_multiply_pairs(hfi_add_ordered(turns.high, turns.low), PI_BY_2);
  rest = hfi_add_ordered(rest.high, rest.low);

  int sign = (x < 0) != is_less ? -1 : 1;
  return (reduced){sign * rest.high, sign * rest.low, x < 0 ? -n : n};
}

// Returns sine and cosine of one angle that is reduced, by the sums of hfi_usual_sines.
static hfiSine find_sine_of_reduced(reduced x) {
  double z = x.r * x.r;
  double zz = z * z;
  double h = 0.5 * z;
  double w = 1 - h;
  double sine = x.r + (x.r * z * HFI_SINE_POLYNOMIAL(z, zz) + x.s * w);
  double cosine = w + ((1 - w - h) + (zz * HFI_COSINE_POLYNOMIAL(z, zz) - x.r * x.s));

  switch (x.n & 3) {
    case 0: return (hfiSine){sine, cosine};
    case 1: return (hfiSine){cosine, -sine};
    case 2: return (hfiSine){-sine, -cosine};
    default: return (hfiSine){-cosine, sine};
  }
}

// Returns sines and cosines of angles of any size [rad], as hfi_sines does; NaN for those that are not finite.
HFI_COLD hfiSines hfi_sines_of_large_angles(hfiLanes x) {
  hfiSines y = hfi_usual_sines(x);
  for (int k = 0; k < HFI_LANES; ++k) {
    if (fabs(x[k]) <= HFI_LARGEST_ANGLE) continue;
    hfiSine lane = isfinite(x[k]) ? find_sine_of_reduced(reduce_large(x[k])) : (hfiSine){NAN, NAN};
    y.sin[k] = lane.sin;
    y.cos[k] = lane.cos;
  }
  return y;
}

// Returns sine and cosine for |x| < pi/4 by the sums of hfi_usual_sines, where n = 0, r = x and s = 0.
static inline hfiSine find_sine_of_small(double x) {
  double z = x * x;
  double zz = z * z;
  double h = 0.5 * z;
  double w = 1 - h;
  return (hfiSine){x + x * z * HFI_SINE_POLYNOMIAL(z, zz), w + ((1 - w - h) + zz * HFI_COSINE_POLYNOMIAL(z, zz))};
}

// Returns sine and cosine of any angle [rad].
hfiSine hfi_sine(double x) {
  const double SMALL_ANGLE = 0.785; // nearly pi/4 [rad]
  if (fabs(x) <= SMALL_ANGLE) return find_sine_of_small(x);

  hfiSines y = hfi_sines(hfi_lanes_of(x));
  return (hfiSine){y.sin[0], y.cos[0]};
}

// ---- tangent -------------------------------------------------------------------------------------

// Returns the remainder of an angle up to 100 rad, as in hfi_usual_sines.
static reduced reduce_usual(double x) {
  double marked = x * HFI_TWO_BY_PI + HFI_INTEGER; // its last bits are n
  double n = marked - HFI_INTEGER;
  double a = x - n * HFI_PI_BY_2[0];
  double b = n * HFI_PI_BY_2[1];
  double c = a - b;
  double d = ((a - c) - b) - n * HFI_PI_BY_2[2];
  double r = c + d;
  return (reduced){r, (c - r) + d, (int)(hfi_bits_of(marked) & 3)};
}

// Returns the tangent of any angle [rad].
double hfi_tan(double x) {
  const double TINY = 0x1p-28; // Below this |x| the tangent is x.
  const double USUAL = 100;    // [rad] Beyond this angle the three parts of pi/2 cost a fifth of a unit.
  if (fabs(x) < TINY) return x;
  if (!isfinite(x)) return NAN;
  reduced y = fabs(x) <= USUAL ? reduce_usual(x) : reduce_large(x);

  // sine and cosine of the remainder as sums of two numbers, with the rounding errors of r^2 and of the sine's cubic
  // term, whose coefficient is the first one of HFI_SINE_POLYNOMIAL
  const double CUBIC = -0x1.5555555555548p-3;
  hfiPair square = hfi_multiply_exactly(y.r, y.r);
  double z = square.high; // r^2, z^2, z/2 and 1 - z/2 of sine_lanes.h
  double zz = z * z;
  double h = 0.5 * z;
  double w = 1 - h;
  hfiPair cubic = hfi_multiply_pairs(hfi_multiply_pairs(square, (hfiPair){y.r, 0}), (hfiPair){CUBIC, 0});
  hfiPair sine = hfi_add_ordered(y.r, cubic.high);
  double sine_tail = y.r * z * (HFI_SINE_POLYNOMIAL(z, zz) - CUBIC) + y.s * w;
  sine = hfi_add_ordered(sine.high, sine.low + (cubic.low + sine_tail));
  double cosine_tail = zz * HFI_COSINE_POLYNOMIAL(z, zz) - y.r * y.s;
  hfiPair cosine = hfi_add_ordered(w, (1 - w - h) - 0.5 * square.low + cosine_tail);

  // an odd number of right angles exchanges the two: tan(pi/2 + r) = -cos r/sin r
  if (y.n & 1) {
    hfiPair cotangent = hfi_divide_pairs(cosine, sine);
    return -(cotangent.high + cotangent.low);
  }
  hfiPair tangent = hfi_divide_pairs(sine, cosine);
  return tangent.high + tangent.low;
}
