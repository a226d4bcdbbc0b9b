// Sphere of radius size[0]; its core is its centre.
#include "step/geometry/shape_table.h"

static hfiAabb sphere_bounds(const hfiShape* s, const hfPose* X) {
  double r = s->size[0];
  return hfi_aabb_about(X->p, v3(r, r, r));
}

static int plane_sphere(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  (void)A;
  put_plane_point(points, plane_of(X_WA), X_WB->p, B->size[0], 0);
  return points[0].depth >= -margin;
}

static hfVec3 sphere_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  (void)s, (void)d, (void)hint;
  return v3_zero();
}

static double sphere_core_size(const hfiShape* s) {
  (void)s;
  return 0;
}

static hfiNearest sphere_nearest(const hfiShape* s, hfVec3 p) {
  double d = v3_norm(p);
  hfVec3 n = d > 0 ? v3_scale(1 / d, p) : v3(0, 0, 1);
  hfiNearest r = {d - s->size[0], v3_scale(s->size[0], n), n};
  return r;
}

static hfiSpan sphere_span(const hfiShape* s, hfVec3 o, hfVec3 d) { return hfi_ball_span(o, d, s->size[0]); }

const hfiShapeFunctions hfi_sphere = {.max_points = 1,
                                      .is_round = 1,
                                      .is_quick = 1,
                                      .bounds = sphere_bounds,
                                      .plane = plane_sphere,
                                      .support = sphere_support,
                                      .core_size = sphere_core_size,
                                      .nearest = sphere_nearest,
                                      .span = sphere_span};
