// Signed distance of two shapes, with one pair of witness points. It is exact, while a manifold takes the normal of a
// face that is nearly flat on another.
#ifndef HFI_GEOMETRY_DISTANCE_H
#define HFI_GEOMETRY_DISTANCE_H

#include "step/geometry/shape.h"

// Finds the nearest points of A and B, or the deepest ones if they overlap; depth is minus the signed distance. Returns
// 0 and writes nothing if they are more than `far` apart (which may be INFINITY) or both planes.
int hfi_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                 double far, hfiContactPoint* point);

// The overlap of A and B along the unit vector n from B into A; negative where n keeps them apart [m]. The signed
// distance is minus the least overlap over all n. If A or B is a plane, n is taken to be its normal. Neither may be a
// height field.
double hfi_overlap_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 n);

// Finds a direction n from B into A along which they overlap by at most `accuracy` more than along any other, and this
// overlap. Where they are apart by more than that, the overlap is negative, n separates them, and the distance may be
// larger than minus the overlap [m]. Returns 0 if both are planes.
int hfi_rough_overlap(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double accuracy,
                      double* overlap, hfVec3* n);

#endif
