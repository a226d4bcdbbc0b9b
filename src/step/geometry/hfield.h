// Signed distance of a convex shape from a height field.
#ifndef HFI_GEOMETRY_HFIELD_H
#define HFI_GEOMETRY_HFIELD_H

#include "step/geometry/pairs.h"

// Finds the nearest or deepest point of a bounded convex shape A and a height field B. Returns 0 if they are more than
// `far` apart.
int hfi_hfield_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                        hfiContactPoint* point);

#endif
