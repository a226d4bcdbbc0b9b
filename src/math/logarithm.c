// Logarithms:
//
//   x = 2^k m,  0.6875 <= m < 1.375,   m c = 1 + f,  c of 9 bits near 1/m,  |f| <= 1/64
//   log x = k log 2 - log c + (f - f^2/2 + f^3 L(f))
//
// The table has c and -log c for each 1/64 of m. Beside m = 1, c is 1, so that the logarithm of a number near 1 loses
// no digits. f and its square have twice the digits of a double. L is the polynomial with the least largest error of
// f^2 L, 2^-69.7 (tests/math/coefficients.py).
#include "math/elementary.h"
#include "math/inside.h"

#include <math.h>

// The table has this many pieces, and begins at m = FIRST_PIECE/64.
enum { FIRST_PIECE = 44, PIECES = 44 };

// A piece of m, 1/64 long.
typedef struct piece {
  double inverse; // c
  hfiPair log;    // -log c
} piece;

static const piece table[PIECES] = {
    {736 / 512., {-0x1.739d7f6bbd007p-2, 0x1.8c76ceb014b04p-56}},
    {720 / 512., {-0x1.5d1bdbf5809cap-2, -0x1.4236383dc7fe1p-56}},
    {705 / 512., {-0x1.478cd5959b3d9p-2, -0x1.37e191a12fb48p-58}},
    {690 / 512., {-0x1.31871c9544185p-2, 0x1.51acc4c09b379p-60}},
    {676 / 512., {-0x1.1c898c16999fbp-2, 0x1.0e5c62aff1c44p-60}},
    {662 / 512., {-0x1.071b85fcd590dp-2, -0x1.d1707f97bde80p-58}},
    {649 / 512., {-0x1.e598ed5a87e2fp-3, 0x1.a5e78f4c50659p-58}},
    {636 / 512., {-0x1.bc286742d8cd6p-3, -0x1.4fce744870f55p-58}},
    {624 / 512., {-0x1.9525a9cf456b4p-3, -0x1.d904c1d4e2e26p-57}},
    {612 / 512., {-0x1.6d60fe719d21dp-3, 0x1.caae268ecd179p-57}},
    {601 / 512., {-0x1.483bccce6e3ddp-3, -0x1.29391fb1b4b22p-57}},
    {590 / 512., {-0x1.2266f190a5acbp-3, -0x1.f547bf1809e88p-57}},
    {580 / 512., {-0x1.fec9131dbeabbp-4, 0x1.5746b9981b36cp-58}},
    {570 / 512., {-0x1.b78c82bb0eda1p-4, -0x1.0878cf0327e21p-61}},
    {560 / 512., {-0x1.6f0d28ae56b4cp-4, 0x1.906d99184b992p-58}},
    {551 / 512., {-0x1.2cb0283f5de1fp-4, 0x1.d359a8fde8adep-60}},
    {542 / 512., {-0x1.d276b8adb0b52p-5, -0x1.1e3c53257fd47p-61}},
    {533 / 512., {-0x1.494acc34d911cp-5, -0x1.e295bf491ccc5p-59}},
    {524 / 512., {-0x1.7b91b07d5b11bp-6, 0x1.5b602ace3a510p-60}},
    {512 / 512., {0, 0}},
    {512 / 512., {0, 0}},
    {500 / 512., {0x1.8492528c8cabfp-6, -0x1.d192d0619fa67p-60}},
    {493 / 512., {0x1.35c8bfaa1306bp-5, -0x1.50830a65543a4p-63}},
    {485 / 512., {0x1.bbcebfc68f420p-5, 0x1.e5cf3a0f56f72p-60}},
    {478 / 512., {0x1.1973bd1465567p-4, -0x1.7558367a6acf6p-59}},
    {471 / 512., {0x1.55e10050e0384p-4, -0x1.45f9d61c68c1bp-58}},
    {465 / 512., {0x1.8a6477a91dc29p-4, -0x1.fa83214904842p-59}},
    {458 / 512., {0x1.c885801bc4b23p-4, 0x1.a38cb559a6706p-58}},
    {452 / 512., {0x1.fe89139dbd566p-4, -0x1.ac9f4215f9393p-58}},
    {446 / 512., {0x1.1aa2b7e23f72ap-3, -0x1.c6ef1d9b2ef7ep-59}},
    {440 / 512., {0x1.365fcb0159016p-3, 0x1.7d411a5b944adp-58}},
    {434 / 512., {0x1.527e5e4a1b58dp-3, -0x1.71a9682395bfdp-61}},
    {428 / 512., {0x1.6f0128b756abcp-3, -0x1.8de59c21e166cp-57}},
    {423 / 512., {0x1.871213750e994p-3, 0x1.d685f35eea2a0p-57}},
    {417 / 512., {0x1.a454082e6ab05p-3, 0x1.df207dc5c34c6p-58}},
    {412 / 512., {0x1.bd087383bd8adp-3, 0x1.dd355f6a516d7p-60}},
    {407 / 512., {0x1.d60a17f903515p-3, -0x1.c0df841a71b7ap-57}},
    {402 / 512., {0x1.ef5ade4dcffe6p-3, -0x1.08ab2ddc708a0p-58}},
    {397 / 512., {0x1.047e60cde83b8p-2, -0x1.0779634061cbcp-56}},
    {392 / 512., {0x1.1178e8227e47cp-2, -0x1.0e63a5f01c691p-57}},
    {388 / 512., {0x1.1bf99635a6b95p-2, -0x1.12aeb84249223p-57}},
    {383 / 512., {0x1.2941afb186b7cp-2, -0x1.856e61c515740p-57}},
    {379 / 512., {0x1.3401e12aecba1p-2, -0x1.cd55b8a4746c0p-58}},
    {374 / 512., {0x1.419b423d5e8c7p-2, 0x1.0dbb243827392p-57}},
};

// x = 2^k m, 0.6875 <= m < 1.375.
typedef struct floating { double k, m; } floating;

// Splits 0 < x < infinity into k and m.
static floating split_number(double x) {
  const double SUBNORMAL = 0x1p-1022;
  const double LARGEST_M = 1.375;
  double k = 0;
  if (x < SUBNORMAL) {
    x *= 0x1p54;
    k = -54;
  }

  // the bits of m in [1, 2), and the exponent
  uint64_t bits = hfi_bits_of(x);
  double m = hfi_number_of((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000));
  k += (double)((int)(bits >> 52) - 1023);

  return m < LARGEST_M ? (floating){k, m} : (floating){k + 1, 0.5 * m};
}

// Returns log(1 + f).
static hfiPair find_near_one(hfiPair f) {
  double x = f.high;
  hfiPair square = hfi_multiply_exactly(x, x);
  double xx = square.high;

  // the coefficients of L, two by two
  double l01 = 0x1.5555555555555p-2 - x * 0x1.ffffffffffffep-3;
  double l23 = 0x1.99999999a177ap-3 - x * 0x1.5555555562fb5p-3;
  double l45 = 0x1.249247a7cb9b4p-3 - x * 0x1.fffffc0c5b283p-4;
  double l67 = 0x1.c7552598c2d3fp-4 - x * 0x1.99d6efc5deb4fp-4;
  double l03 = l01 + xx * l23;
  double l47 = l45 + xx * l67;

  hfiPair sum = hfi_add_ordered(x, -0.5 * xx);
  sum.low += (f.low - (0.5 * square.low + x * f.low)) + x * xx * (l03 + xx * xx * l47);
  return sum;
}

// Returns log x as a sum, for 0 < x < infinity.
hfiPair hfi_log_pair(double x) {
  floating y = split_number(x);
  const piece* p = &table[(int)(64 * y.m) - FIRST_PIECE];

  // f = m c - 1 in two parts, because m c has more digits than a double
  double m1 = hfi_first_half(y.m);
  hfiPair f = hfi_add_exactly(m1 * p->inverse - 1, (y.m - m1) * p->inverse);
  hfiPair near_one = find_near_one(f);

  // k log 2 - log c + log(1 + f), the largest parts first
  hfiPair coarse = hfi_add_exactly(y.k * HFI_LOG_2_SHORT.high, p->log.high);
  hfiPair sum = hfi_add_exactly(coarse.high, near_one.high);
  double low = sum.low + (coarse.low + ((y.k * HFI_LOG_2_SHORT.low + p->log.low) + near_one.low));
  return hfi_add_ordered(sum.high, low);
}

// Whether the logarithm of x is a finite number.
static int has_finite_logarithm(double x) { return x > 0 && x < INFINITY; }

// Returns the logarithm, to any base, of an x that has no finite one: of 0, of negative numbers, of infinity and of no
// number.
static double find_special_logarithm(double x) {
  if (x == 0) return -INFINITY;
  return x < 0 ? NAN : x;
}

// Returns log x.
double hfi_log(double x) {
  if (!has_finite_logarithm(x)) return find_special_logarithm(x);
  return hfi_log_pair(x).high;
}

// Returns log x times the factor.
static double find_scaled_logarithm(double x, hfiPair factor) {
  if (!has_finite_logarithm(x)) return find_special_logarithm(x);
  hfiPair y = hfi_multiply_pairs(hfi_log_pair(x), factor);
  return y.high + y.low;
}

double hfi_log2(double x) {
  const hfiPair ONE_BY_LOG_2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  return find_scaled_logarithm(x, ONE_BY_LOG_2);
}

double hfi_log10(double x) {
  const hfiPair ONE_BY_LOG_10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  return find_scaled_logarithm(x, ONE_BY_LOG_10);
}
