// The point of a shape's surface nearest to a point, in the shape's frame.
#ifndef HFI_GEOMETRY_NEAREST_H
#define HFI_GEOMETRY_NEAREST_H

#include "step/geometry/shape.h"

typedef struct hfiNearest {
  double distance;      // negative inside [m]
  hfVec3 point;         // nearest point on the surface
  hfVec3 normal;        // outward unit normal there: p = point + distance normal
} hfiNearest;

static inline double sign_of(double x) { return x < 0 ? -1.0 : 1.0; }

// Serves any bounded shape and the plane. If several points are nearest, as seen from a centre, it always chooses the
// same one.
hfiNearest hfi_nearest(const hfiShape* shape, hfVec3 p);

// The point of a box nearest to the segment p + t u, |t| <= half (u a unit vector). Distance and normal are those of
// the segment's point nearest to the box, whose parameter is *t. A distance below zero means that the segment cuts the
// box (capsule_box.c).
hfiNearest hfi_axis_nearest(const hfiShape* box, hfVec3 p, hfVec3 u, double half, double* t);

#endif
