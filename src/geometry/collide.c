// hfi_collide: a table of pair functions over (lower type, higher type).
#include "geometry/pairs.h"

#include <assert.h>

enum { TYPES = HF_GEOM_MESH + 1 };

// Rows and columns: plane sphere capsule ellipsoid cylinder box mesh.
static hfiPairFunction* const kPair[TYPES][TYPES] = {
    {0, hfi_plane_sphere, hfi_plane_capsule, hfi_plane_ellipsoid, hfi_plane_cylinder, hfi_plane_box, hfi_plane_mesh},
    {0, hfi_sphere_sphere, hfi_sphere_convex, hfi_sphere_convex, hfi_sphere_convex, hfi_sphere_convex, hfi_sphere_convex},
    {0, 0, hfi_capsule_capsule, hfi_convex_convex, hfi_convex_convex, hfi_capsule_box, hfi_convex_convex},
    {0, 0, 0, hfi_convex_convex, hfi_convex_convex, hfi_ellipsoid_box, hfi_convex_convex},
    {0, 0, 0, 0, hfi_convex_convex, hfi_cylinder_box, hfi_convex_convex},
    {0, 0, 0, 0, 0, hfi_box_box, hfi_convex_convex},
    {0, 0, 0, 0, 0, 0, hfi_convex_convex},
};

int hfi_collide(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                hfiContactPoint* points) {
  assert(A->type >= 0 && A->type < TYPES && B->type >= 0 && B->type < TYPES);
  int swapped = A->type > B->type;
  hfiPairFunction* pair = swapped ? kPair[B->type][A->type] : kPair[A->type][B->type];
  if (!pair) return 0; // two planes
  if (!swapped) return pair(A, X_WA, B, X_WB, margin, points);
  int count = pair(B, X_WB, A, X_WA, margin, points);
  for (int i = 0; i < count; ++i) swap_point(points + i);
  return count;
}
