// A ray against a shape.
#ifndef HFI_GEOMETRY_RAY_H
#define HFI_GEOMETRY_RAY_H

#include "geometry/shape.h"

// First point t >= 0 of o + t d (d unit, all in the shape's frame) where the ray passes the surface, from
// outside or from inside. Writes t and the outward normal there; returns 0 where there is none.
int hfi_ray_shape(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal);

#endif
