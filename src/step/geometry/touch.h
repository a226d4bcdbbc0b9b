// From one contact of two convex shapes to its points.
#ifndef HFI_GEOMETRY_TOUCH_H
#define HFI_GEOMETRY_TOUCH_H

#include "step/geometry/hull_index.h"
#include "step/geometry/shape.h"

// Faces of two hulls that looked at each other in the last query; those of boxes are not remembered.
typedef struct hfiLastFacets { hfiFacing a, b; } hfiLastFacets;

// Finds the points of the contact whose deepest point is `single`, with the normal of largest separation. If the shapes
// are flat there, the points are the overlap of their facets; otherwise `single` is the only point. The poses may be in
// any common frame. last: for two hulls a memory that saves work and changes no point; NULL: none.
int hfi_touch(const hfiShape* A, const hfPose* X_A, const hfiShape* B, const hfPose* X_B,
              const hfiContactPoint* single, double margin, hfiLastFacets* last, hfiContactPoint* points);

// Moves points from a frame F to the world.
void hfi_points_to_world(const hfPose* X_WF, hfiContactPoint* points, int count);

#endif
