// Sphere against any other shape. The contact has one point, at the surface point of the other shape nearest to the
// centre of the sphere, with depth = radius - distance of the centre, and feature 0.
#include "step/geometry/nearest.h"
#include "step/geometry/pairs.h"

// Finds the contact point of two spheres in the world. Returns 0 if their gap exceeds the margin.
int hfi_sphere_sphere(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  hfVec3 p_BA = v3_sub(X_WA->p, X_WB->p);
  double distance2 = v3_norm2(p_BA);
  double reach = A->size[0] + B->size[0] + margin;
  if (!(distance2 <= reach * reach)) return 0;

  double distance = sqrt(distance2);
  hfVec3 n = distance > 0 ? v3_scale(1 / distance, p_BA) : v3(0, 0, 1);
  put_point(points, v3_axpy(B->size[0], n, X_WB->p), n, A->size[0] + B->size[0] - distance, 0);
  return 1;
}

// Finds the contact point of a sphere and any other shape in the world. Returns 0 if their gap exceeds the margin.
int hfi_sphere_convex(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  hfiNearest near = hfi_nearest(B, pose_inv_point(*X_WB, X_WA->p));
  double depth = A->size[0] - near.distance;
  if (!(depth >= -margin)) return 0;

  put_point(points, pose_point(*X_WB, near.point), m3_mulv(X_WB->R, near.normal), depth, 0);
  return 1;
}
