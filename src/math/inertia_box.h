// The box that has given principal moments of inertia.
#ifndef HFI_MATH_INERTIA_BOX_H
#define HFI_MATH_INERTIA_BOX_H

#include "math/vec3.h"

#include <math.h>

// Half sizes [m] of the homogeneous box with this mass [kg] and these principal moments [kg m^2], in descending order.
static inline hfVec3 hfi_inertia_box(double mass, const double* moment) {
  // moment_i = m (s_j^2 + s_k^2)/3
  double half = 1.5 / mass;
  return v3(sqrt(max2(0, half * (moment[1] + moment[2] - moment[0]))),
            sqrt(max2(0, half * (moment[0] + moment[2] - moment[1]))),
            sqrt(max2(0, half * (moment[0] + moment[1] - moment[2]))));
}

#endif
