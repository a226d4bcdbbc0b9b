// Support points of the shapes' cores: a sphere's core is its centre, a capsule's its axis, any other
// shape is its own. The core's radius is added to depths afterwards.
#ifndef HFI_GEOMETRY_SUPPORT_H
#define HFI_GEOMETRY_SUPPORT_H

#include "geometry/shape.h"

// Point of the core farthest along d (any length but zero), in the shape's frame. `hint`: a vertex of
// a mesh to start from, replaced by the one found.
hfVec3 hfi_support(const hfiShape* shape, hfVec3 d, int32_t* hint);

double hfi_core_radius(const hfiShape* shape);

// Two cores in A's frame, seen as their difference A - B: they overlap where it holds the origin.
typedef struct hfiCores {
  const hfiShape *A, *B;
  hfPose X_AB;
  int32_t hint_a, hint_b;
  double scale; // about the size of the difference, by coordinates: what rounding is relative to [m]
} hfiCores;

typedef struct hfiSupportPoint {
  hfVec3 a, b, w;              // w = a - b
  int32_t vertex_a, vertex_b; // of meshes
} hfiSupportPoint;

hfiCores hfi_cores(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB);
// Point of A - B farthest along d.
hfiSupportPoint hfi_support_pair(hfiCores* cores, hfVec3 d);
// g(n) = min_A n.x - max_B n.x over the cores: the separation along n.
double hfi_separation(hfiCores* cores, hfVec3 n);

#endif
