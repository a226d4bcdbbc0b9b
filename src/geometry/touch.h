// From one contact of two convex shapes to its points.
#ifndef HFI_GEOMETRY_TOUCH_H
#define HFI_GEOMETRY_TOUCH_H

#include "geometry/shape.h"

// Points of the contact whose deepest point is `single` (its normal that of least separation): clipped
// from facets where the shapes are flat there, `single` itself elsewhere. Poses in any common frame.
int hfi_touch(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B,
              const hfiContactPoint* single, double margin, hfiContactPoint* points);

// Moves points from a frame F to the world.
void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count);

#endif
