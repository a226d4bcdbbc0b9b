// The closest or deepest points of any two bounded shapes.
#ifndef HFI_GEOMETRY_CONVEX_H
#define HFI_GEOMETRY_CONVEX_H

#include "geometry/nearest.h"

// One contact, in A's frame, of shapes less than `far` apart; 0 where they are farther.
int hfi_convex_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                      double far, hfiContactPoint* single);

// The point of a bounded shape's surface nearest to p, in the shape's frame, for shapes without a function of
// their own.
hfiNearest hfi_nearest_convex(const hfiShape* shape, hfVec3 p);

#endif
