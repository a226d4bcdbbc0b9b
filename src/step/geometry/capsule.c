// Capsule: the points within the radius size[0] of its axis, |z| <= size[1]; its core is the axis.
#include "step/geometry/shape_table.h"

static hfiAabb capsule_bounds(const hfiShape* s, const hfPose* X) {
  const double *R = X->R.m, r = s->size[0], half = s->size[1];
  return hfi_aabb_about(X->p, v3(r + half * fabs(R[2]), r + half * fabs(R[5]), r + half * fabs(R[8])));
}

// Both ends, features 0 (+z) and 1 (-z).
static int plane_capsule(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  (void)A;
  hfVec3 axis = m3_col(X_WB->R, 2);
  for (int k = 0; k < 2; ++k)
    put_plane_point(points + k, plane_of(X_WA), v3_axpy(k ? -B->size[1] : B->size[1], axis, X_WB->p), B->size[0], (uint32_t)k);
  return keep_touching(points, 2, margin, HFI_FLAT_TILT * B->size[1]);
}

static hfVec3 capsule_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  (void)hint;
  return v3(0, 0, d.z < 0 ? -s->size[1] : s->size[1]);
}

static double capsule_core_size(const hfiShape* s) { return s->size[1]; }

static void capsule_edges(const hfiEdgeQuery* q, hfiEdges* e) { hfi_edges_add_column(q, 2, q->shape->size[1], e); }

// The facet is a segment along the side of the capsule, at the points farthest along d.
static void capsule_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  if (fabs(v3_dot(d, m3_col(X->R, 2))) <= HFI_SIDE_TILT) hfi_facet_side(s, X, d, f);
}

static hfiNearest capsule_nearest(const hfiShape* s, hfVec3 p) {
  double z = clamp(p.z, -s->size[1], s->size[1]);
  hfVec3 q = v3(p.x, p.y, p.z - z);
  double d = v3_norm(q);
  hfVec3 n = d > 0 ? v3_scale(1 / d, q) : v3(1, 0, 0);
  hfiNearest r = {d - s->size[0], v3_axpy(s->size[0], n, v3(0, 0, z)), n};
  return r;
}

// The union of a cylinder and two spheres.
static hfiSpan capsule_span(const hfiShape* s, hfVec3 o, hfVec3 d) {
  hfiSpan span = hfi_empty_span();
  hfi_span_join(&span, hfi_cylinder_span(s->size, o, d));
  hfi_span_join(&span, hfi_ball_span(v3(o.x, o.y, o.z - s->size[1]), d, s->size[0]));
  hfi_span_join(&span, hfi_ball_span(v3(o.x, o.y, o.z + s->size[1]), d, s->size[0]));
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
