// Numbers with twice the digits of a double, as sums high + low of two doubles.
#ifndef HFI_MATH_PAIR_H
#define HFI_MATH_PAIR_H

#include <stdint.h>
#include <string.h>

typedef struct hfiPair { double high, low; } hfiPair;

static inline uint64_t hfi_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double hfi_number_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The first 26 bits of x. What is left of x has 27 bits, so that products of such parts are exact.
static inline double hfi_first_half(double x) { return hfi_number_of(hfi_bits_of(x) & ~UINT64_C(0x7ffffff)); }

// a + b, with the rounding error of the sum in low.
static inline hfiPair hfi_add_exactly(double a, double b) {
  double sum = a + b;
  double of_b = sum - a;
  return (hfiPair){sum, (a - (sum - of_b)) + (b - of_b)};
}

// The same for |a| >= |b|, or a = 0.
static inline hfiPair hfi_add_ordered(double a, double b) {
  double sum = a + b;
  return (hfiPair){sum, b - (sum - a)};
}

// a b, with the rounding error of the product in low. It may be wrong by 2^-106 of the product.
static inline hfiPair hfi_multiply_exactly(double a, double b) {
  double a1 = hfi_first_half(a);
  double a2 = a - a1;
  double b1 = hfi_first_half(b);
  double b2 = b - b1;
  double product = a * b;
  return (hfiPair){product, ((a1 * b1 - product) + (a1 * b2 + a2 * b1)) + a2 * b2};
}

// x y of two pairs with |low| <= 2^-53 |high|, but for the product of their low parts.
static inline hfiPair hfi_multiply_pairs(hfiPair x, hfiPair y) {
  hfiPair product = hfi_multiply_exactly(x.high, y.high);
  product.low += x.high * y.low + x.low * y.high;
  return product;
}

// x / y of two pairs.
static inline hfiPair hfi_divide_pairs(hfiPair x, hfiPair y) {
  double quotient = x.high / y.high;
  hfiPair product = hfi_multiply_exactly(quotient, y.high);
  return (hfiPair){quotient, ((x.high - product.high) - product.low + x.low - quotient * y.low) / y.high};
}

#endif
