// Capsule: the points within the radius size[0] of its axis, |z| <= size[1]; its core is the axis.
#include "step/geometry/shape_table.h"

// The box around the shape, along the axes of the world.
static hfiAabb capsule_bounds(const hfiShape* shape, const hfPose* X) {
  const double* R = X->R.m;
  double radius = shape->size[0];
  double half = shape->size[1];
  hfVec3 extent = v3(radius + half * fabs(R[2]), radius + half * fabs(R[5]), radius + half * fabs(R[8]));
  return hfi_aabb_about(X->p, extent);
}

// Finds the contact points with a plane: both ends of the capsule, features 0 (+z) and 1 (-z). Returns their number.
static int plane_capsule(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                         hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);
  double radius = B->size[0];
  double half = B->size[1];
  hfVec3 axis = m3_col(X_WB->R, 2);

  put_plane_point(points, plane, v3_axpy(half, axis, X_WB->p), radius, 0);
  put_plane_point(points + 1, plane, v3_axpy(-half, axis, X_WB->p), radius, 1);
  return keep_touching(points, 2, margin, HFI_FLAT_TILT * half);
}

static hfVec3 capsule_support(const hfiShape* shape, hfVec3 d, int32_t* hint) {
  (void)hint;
  return v3(0, 0, d.z < 0 ? -shape->size[1] : shape->size[1]);
}

static double capsule_core_size(const hfiShape* shape) { return shape->size[1]; }

static void capsule_edges(const hfiEdgeQuery* query, hfiEdges* edges) {
  hfi_edges_add_column(query, 2, query->shape->size[1], edges);
}

// The facet is a segment along the side of the capsule, at the points farthest along d.
static void capsule_facet(const hfiShape* shape, const hfPose* X, hfVec3 d, hfiFacet* facet) {
  if (fabs(v3_dot(d, m3_col(X->R, 2))) <= HFI_SIDE_TILT) hfi_facet_side(shape, X, d, facet);
}

// Returns the point of the surface that is nearest to p, in the frame of the capsule.
static hfiNearest capsule_nearest(const hfiShape* shape, hfVec3 p) {
  double radius = shape->size[0];
  double half = shape->size[1];

  // from the nearest point (0, 0, z) of the axis to p; any direction across the axis serves where p is on it
  double z = clamp(p.z, -half, half);
  hfVec3 offset = v3(p.x, p.y, p.z - z);
  double distance = v3_norm(offset);
  hfVec3 n = distance > 0 ? v3_scale(1 / distance, offset) : v3(1, 0, 0);
  return (hfiNearest){distance - radius, v3_axpy(radius, n, v3(0, 0, z)), n};
}

// Returns the span of the line o + t d inside the capsule, the union of a cylinder and two balls.
static hfiSpan capsule_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  double radius = shape->size[0];
  double half = shape->size[1];

  hfiSpan span = hfi_empty_span();
  hfi_span_join(&span, hfi_cylinder_span(shape->size, o, d));
  hfi_span_join(&span, hfi_ball_span(v3(o.x, o.y, o.z - half), d, radius));
  hfi_span_join(&span, hfi_ball_span(v3(o.x, o.y, o.z + half), d, radius));
  return span;
}

const hfiShapeFunctions hfi_capsule = {.max_points = 3,
                                       .is_round = 1,
                                       .bounds = capsule_bounds,
                                       .plane = plane_capsule,
                                       .support = capsule_support,
                                       .core_size = capsule_core_size,
                                       .edges = capsule_edges,
                                       .facet = capsule_facet,
                                       .nearest = capsule_nearest,
                                       .span = capsule_span};
