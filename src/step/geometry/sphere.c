// Sphere of radius size[0]; its core is its centre.
#include "step/geometry/shape_table.h"

static hfiAabb sphere_bounds(const hfiShape* shape, const hfPose* X) {
  double radius = shape->size[0];
  return hfi_aabb_about(X->p, v3(radius, radius, radius));
}

// Finds the contact point with a plane, the lowest point of the sphere. Returns 0 if its gap exceeds the margin.
static int plane_sphere(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                        hfiContactPoint* points) {
  (void)A;
  put_plane_point(points, plane_of(X_WA), X_WB->p, B->size[0], 0);
  return points[0].depth >= -margin;
}

static hfVec3 sphere_support(const hfiShape* shape, hfVec3 d, int32_t* hint) {
  (void)shape;
  (void)d;
  (void)hint;
  return v3_zero();
}

static double sphere_core_size(const hfiShape* shape) {
  (void)shape;
  return 0;
}

// Returns the point of the surface that is nearest to p, in the frame of the sphere; for the centre the point above it.
static hfiNearest sphere_nearest(const hfiShape* shape, hfVec3 p) {
  double radius = shape->size[0];
  double distance = v3_norm(p);
  hfVec3 n = distance > 0 ? v3_scale(1 / distance, p) : v3(0, 0, 1);
  return (hfiNearest){distance - radius, v3_scale(radius, n), n};
}

static hfiSpan sphere_span(const hfiShape* shape, hfVec3 o, hfVec3 d) { return hfi_ball_span(o, d, shape->size[0]); }

const hfiShapeFunctions hfi_sphere = {.max_points = 1,
                                      .is_round = 1,
                                      .is_quick = 1,
                                      .bounds = sphere_bounds,
                                      .plane = plane_sphere,
                                      .support = sphere_support,
                                      .core_size = sphere_core_size,
                                      .nearest = sphere_nearest,
                                      .span = sphere_span};
