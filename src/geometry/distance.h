// Signed distance of two shapes: one pair of witness points, exact where a manifold rounds to a face.
#ifndef HFI_GEOMETRY_DISTANCE_H
#define HFI_GEOMETRY_DISTANCE_H

#include "geometry/shape.h"

// The nearest points of A and B, or the deepest where they overlap; depth is minus the signed distance.
// Returns 0, and writes nothing, where they are more than `far` apart (which may be INFINITY) or both
// planes.
int hfi_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                 double far, hfiContactPoint* point);

// The overlap of A and B along the unit vector n from B into A; negative where n keeps them apart [m]. No direction has less than the signed distance says.
// Where A or B is a plane, the overlap along its normal. Neither may be a height field.
double hfi_overlap_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 n);

#endif
