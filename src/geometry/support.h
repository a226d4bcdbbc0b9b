// Support points of the shapes' cores. The core of a sphere is its centre, that of a capsule its axis; any other shape is its own core. The radius
// about the core is added to depths afterwards.
#ifndef HFI_GEOMETRY_SUPPORT_H
#define HFI_GEOMETRY_SUPPORT_H

#include "geometry/shape.h"

// The point of the core farthest along d, in the shape's frame. d may have any length except zero. `hint`: a vertex of a mesh at which the search
// starts; it becomes the vertex found.
hfVec3 hfi_support(const hfiShape* shape, hfVec3 d, int32_t* hint);

double hfi_core_radius(const hfiShape* shape);

// Two cores in A's frame. They overlap if their difference A - B contains the origin.
typedef struct hfiCores {
  const hfiShape *A, *B;
  hfPose X_AB;
  int32_t hint_a, hint_b;
  double scale; // about the largest coordinate of the difference [m]; rounding errors are relative to it
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
