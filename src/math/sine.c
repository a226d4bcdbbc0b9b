// Sine and cosine of one angle: those of a lane (sine_lanes.h), for small angles without their reduction; and angles that the C library computes.
#include "math/sine.h"

#include "math/sine_lanes.h"

#include <math.h>

HFI_RARE hfiSines hfi_library_sines(hfiLanes x) {
  hfiSines y = {x, x};
  for (int k = 0; k < HFI_LANES; ++k) y.sin[k] = sin(x[k]), y.cos[k] = cos(x[k]);
  return y;
}

// The same as hfi_usual_sines for |x| < pi/4, where n = 0, r = x and s = 0.
static inline hfiSine find_small(double x) {
  double z = x * x, zz = z * z, h = 0.5 * z, w = 1 - h;
  return (hfiSine){x + x * z * HFI_SINE_POLYNOMIAL(z, zz), w + ((1 - w - h) + zz * HFI_COSINE_POLYNOMIAL(z, zz))};
}

hfiSine hfi_sine(double x) {
  const double SMALL = 0.785; // [rad]
  if (fabs(x) <= SMALL) return find_small(x);
  hfiSines y = hfi_sines(hfi_lanes_of(x));
  return (hfiSine){y.sin[0], y.cos[0]};
}
