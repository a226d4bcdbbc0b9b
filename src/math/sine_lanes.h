// Sines and cosines (sine.h) of several angles side by side, one in each lane.
//
//   x = n pi/2 + r + s,  |r| <= pi/4 up to rounding, s the rounding error of r [rad];  z = r^2
//   sin(r + s) = r + (r z S(z) + s (1 - z/2)),  cos(r + s) = 1 - z/2 + (z^2 C(z) - r s)
//
// and n mod 4 says which of the two is the sine of x, and the signs. pi/2 is a sum of three numbers, of which the first
// two have 33 bits, so that their products with n are exact for n < 2^20. S and C are the polynomials of six
// coefficients with the least largest relative error, 2^-57.9 of the sine and 2^-63.9 of the cosine. The results are
// within 0.9 units of the last place up to 1,000 rad: half a unit is lost by the last rounding, and near |r| = pi/4
// another 0.37 by the roundings of r z S and 0.02 by S. They are within 1.07 units up to the largest angle.
#ifndef HFI_MATH_SINE_LANES_H
#define HFI_MATH_SINE_LANES_H

#include "base/compile.h"
#include "base/gather.h"

#include <stdint.h>

// Sines and cosines of several angles, one in each lane.
typedef struct hfiSines { hfiLanes sin, cos; } hfiSines;

typedef int64_t hfiLaneBits __attribute__((vector_size(sizeof(hfiLanes)), may_alias));

// Larger angles [rad] have products n pi/2 that are not exact: these, and angles that are not finite, are for
// hfi_sines_of_large_angles.
static const double HFI_LARGEST_ANGLE = 1e6;

static const double HFI_TWO_BY_PI = 0x1.45f306dc9c883p-1;
static const double HFI_PI_BY_2[3] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};

// The same as hfi_sines, where some angles may be larger or not finite.
HFI_COLD hfiSines hfi_sines_of_large_angles(hfiLanes x);

// S and C. The macros work on numbers and on lanes of numbers.
#define HFI_SINE_POLYNOMIAL(z, zz)                                      \
  (-0x1.5555555555548p-3 + (z) * 0x1.111111110f730p-7 +                 \
   (zz) * (-0x1.a01a019be9217p-13 + (z) * 0x1.71de35552b59fp-19 +       \
           (zz) * (-0x1.ae5e4b83f4186p-26 + (z) * 0x1.5d8b559cf4183p-33)))
#define HFI_COSINE_POLYNOMIAL(z, zz)                                    \
  (0x1.555555555554bp-5 - (z) * 0x1.6c16c16c15015p-10 +                 \
   (zz) * (0x1.a01a019c8f255p-16 - (z) * 0x1.27e4f7f19164fp-22 +        \
           (zz) * (0x1.1ee9dbcf1ca8ep-29 - (z) * 0x1.8fa684a043091p-37)))

// Returns sines and cosines of angles [rad] up to HFI_LARGEST_ANGLE.
static inline hfiSines hfi_usual_sines(hfiLanes x) {
  // a number of this size has no digits behind the point: its last bits are those of n
  const double INTEGER = 0x1.8p52;
  hfiLanes marked = x * HFI_TWO_BY_PI + INTEGER;
  hfiLanes n = marked - INTEGER;
  hfiLaneBits bits = (hfiLaneBits)marked;

  // r + s = x - n pi/2: c = x less the first two parts, with the rounding error (a - c) - b; d: this error and the
  // third
  hfiLanes a = x - n * HFI_PI_BY_2[0];
  hfiLanes b = n * HFI_PI_BY_2[1];
  hfiLanes c = a - b;
  hfiLanes d = ((a - c) - b) - n * HFI_PI_BY_2[2];
  hfiLanes r = c + d;
  hfiLanes s = (c - r) + d;

  // sine and cosine of r + s
  hfiLanes z = r * r;
  hfiLanes zz = z * z;
  hfiLanes h = 0.5 * z;
  hfiLanes w = 1 - h;
  hfiLaneBits sine = (hfiLaneBits)(r + (r * z * HFI_SINE_POLYNOMIAL(z, zz) + s * w));
  hfiLaneBits cosine = (hfiLaneBits)(w + ((1 - w - h) + (zz * HFI_COSINE_POLYNOMIAL(z, zz) - r * s)));

  // an odd n exchanges the two; n = 2 and 3 change the sign of both, and odd n once more of the cosine
  hfiLaneBits odd = -(bits & 1);
  hfiLaneBits sign = INT64_MIN & (bits << 62);
  hfiLaneBits odd_sign = INT64_MIN & (bits << 63);
  hfiLaneBits sine_of_x = ((odd & cosine) | (~odd & sine)) ^ sign;
  hfiLaneBits cosine_of_x = ((odd & sine) | (~odd & cosine)) ^ sign ^ odd_sign;
  return (hfiSines){(hfiLanes)sine_of_x, (hfiLanes)cosine_of_x};
}

// Returns sines and cosines of any angles [rad].
static inline hfiSines hfi_sines(hfiLanes x) {
  int usual = hfi_lanes_at_most(hfi_lanes_absolute(x), hfi_lanes_of(HFI_LARGEST_ANGLE));
  return usual == HFI_ALL_LANES ? hfi_usual_sines(x) : hfi_sines_of_large_angles(x);
}

#endif
