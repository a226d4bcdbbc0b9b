// The slider-crank transmission: a rod of length r joins a pin, the crank, to a slider that moves along an axis a through the point s of another
// body. With d the vector from s to the crank, the slider is at
//
//   l = d . a - sqrt((d . a)^2 + r^2 - |d|^2)
//
// If the crank is farther than r from the axis, which breaks the mechanism, it is at l = d . a. With x = 1 - (d . a)/root,
//
//   dl/dd = x a + d/root,   dl/da = x d,   da/dt = w x a with the angular velocity w of the slider's body
#ifndef HFI_MODEL_SLIDER_CRANK_H
#define HFI_MODEL_SLIDER_CRANK_H

#include "math/vec3.h"

typedef struct hfiSliderCrank {
  double length; // l [m]
  hfVec3 pull;   // dl/dt = pull . (velocity of the crank - velocity of s) - turn . w
  hfVec3 turn;
} hfiSliderCrank;

static inline hfiSliderCrank hfi_slider_crank(hfVec3 crank, hfVec3 slider, hfVec3 axis, double rod) {
  hfVec3 d = v3_sub(crank, slider);
  double along = v3_dot(d, axis), square = along * along + rod * rod - v3_norm2(d);
  if (square <= 0) return (hfiSliderCrank){along, axis, v3_cross(d, axis)};
  double root = sqrt(square), x = 1 - along / root;
  return (hfiSliderCrank){along - root, v3_axpy(x, axis, v3_scale(1 / root, d)), v3_scale(x, v3_cross(d, axis))};
}

#endif
