// Support points of the cores of shapes. The core of a sphere is its centre, and the core of a capsule is its axis. Any
// other shape is its own core. Callers add the radii about the cores to the depth afterwards.
#ifndef HFI_GEOMETRY_SUPPORT_H
#define HFI_GEOMETRY_SUPPORT_H

#include "step/geometry/shape.h"

// Returns the point of the core that is farthest along d, in the frame of the shape. d may have any length except zero.
// For a mesh, the search starts at vertex *hint, and *hint becomes the vertex that was found.
hfVec3 hfi_support(const hfiShape* shape, hfVec3 d, int32_t* hint);

// The radius about the core [m]: that of a sphere or capsule, 0 for other shapes.
double hfi_core_radius(const hfiShape* shape);

// The cores of two shapes, in the frame of A. They overlap if their difference A - B, the set of all a - b, contains
// the origin.
typedef struct hfiCores {
  const hfiShape *A, *B;
  hfPose X_AB;            // pose of B in the frame of A
  int32_t hint_a, hint_b; // meshes: the vertices that the last support points were
  double scale;           // estimate of the largest coordinate of A - B, to which rounding is in proportion [m]
} hfiCores;

// A point w = a - b of the difference of two cores.
typedef struct hfiSupportPoint {
  hfVec3 a, b, w;             // a of A, b of B, and their difference, in the frame of A
  int32_t vertex_a, vertex_b; // meshes: the vertices that a and b are
} hfiSupportPoint;

hfiCores hfi_cores(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB);
// Returns the point of A - B that is farthest along d.
hfiSupportPoint hfi_support_pair(hfiCores* cores, hfVec3 d);
// Returns the separation of the cores along the unit vector n: g(n) = min over A of n.x - max over B of n.x.
double hfi_separation(hfiCores* cores, hfVec3 n);

#endif
