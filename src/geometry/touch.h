// From one contact of two convex shapes to its points.
#ifndef HFI_GEOMETRY_TOUCH_H
#define HFI_GEOMETRY_TOUCH_H

#include "geometry/hull_index.h"
#include "geometry/shape.h"

// Faces of two hulls that looked at each other in the last query.
typedef struct hfiLastFacets { hfiFacing a, b; } hfiLastFacets;

// Points of the contact whose deepest point is `single` (its normal that of least separation): clipped
// from facets where the shapes are flat there, `single` itself elsewhere. Poses in any common frame. last: of two hulls, what spares
// work and changes no point; NULL: nothing.
int hfi_touch(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B,
              const hfiContactPoint* single, double margin, hfiLastFacets* last, hfiContactPoint* points);

// Moves points from a frame F to the world.
void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count);

#endif
