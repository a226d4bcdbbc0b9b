// The point of a shape's surface nearest to a point, in the shape's frame.
#ifndef HFI_GEOMETRY_NEAREST_H
#define HFI_GEOMETRY_NEAREST_H

#include "geometry/shape.h"

typedef struct hfiNearest {
  double distance;      // signed: negative inside [m]
  hfVec3 point, normal; // on the surface, outward unit normal: p = point + distance normal
} hfiNearest;

static inline double sign_of(double x) { return x < 0 ? -1.0 : 1.0; }

// Any bounded shape or the plane. Where several points are nearest (a centre) one is chosen, always
// the same.
hfiNearest hfi_nearest(const hfiShape* shape, hfVec3 p);

// The point of a box nearest to the segment p + t u, |t| <= half (u a unit vector), as seen from the
// segment's point nearest to the box, whose parameter is *t; a distance below zero: they cut (capsule_box.c).
hfiNearest hfi_axis_nearest(const hfiShape* box, hfVec3 p, hfVec3 u, double half, double* t);

#endif
