// Sums in eight lanes. The lanes have names while they run, and are stored at the end: from stores that stand side by side compilers see
// that they make vectors. These are functions of their own because in a caller the lanes would never be stored.
#include "base/finite.h"

static void add_lanes(hfiSums* restrict sums, const double* restrict x, int n) {
  double* s = sums->s;
  double a0 = s[0], a1 = s[1], a2 = s[2], a3 = s[3], b0 = s[4], b1 = s[5], b2 = s[6], b3 = s[7];
  for (; n >= 8; n -= 8, x += 8) {
    a0 += x[0], a1 += x[1], a2 += x[2], a3 += x[3];
    b0 += x[4], b1 += x[5], b2 += x[6], b3 += x[7];
  }
  if (n & 4) a0 += x[0], a1 += x[1], a2 += x[2], a3 += x[3];
  s[0] = a0, s[1] = a1, s[2] = a2, s[3] = a3;
  s[4] = b0, s[5] = b1, s[6] = b2, s[7] = b3;
}

void hfi_add_to_sums(hfiSums* restrict sums, const double* restrict x, int n) {
  double rest = sums->rest;
  if (n >= 4) add_lanes(sums, x, n);
  for (x += n & ~3, n &= 3; n > 0; --n) rest += *x++;
  sums->rest = rest;
}

static void add_squares_in_lanes(hfiSums* restrict sums, const double* restrict x, int n) {
  double* s = sums->s;
  double a0 = s[0], a1 = s[1], a2 = s[2], a3 = s[3], b0 = s[4], b1 = s[5], b2 = s[6], b3 = s[7];
  for (; n >= 8; n -= 8, x += 8) {
    a0 += x[0] * x[0], a1 += x[1] * x[1], a2 += x[2] * x[2], a3 += x[3] * x[3];
    b0 += x[4] * x[4], b1 += x[5] * x[5], b2 += x[6] * x[6], b3 += x[7] * x[7];
  }
  if (n & 4) a0 += x[0] * x[0], a1 += x[1] * x[1], a2 += x[2] * x[2], a3 += x[3] * x[3];
  s[0] = a0, s[1] = a1, s[2] = a2, s[3] = a3;
  s[4] = b0, s[5] = b1, s[6] = b2, s[7] = b3;
}

void hfi_add_squares_to_sums(hfiSums* restrict sums, const double* restrict x, int n) {
  double rest = sums->rest;
  if (n >= 4) add_squares_in_lanes(sums, x, n);
  for (x += n & ~3, n &= 3; n > 0; --n, ++x) rest += *x * *x;
  sums->rest = rest;
}
