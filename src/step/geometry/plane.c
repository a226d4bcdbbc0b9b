// Plane: the half space below z = 0 of its frame.
#include "step/geometry/shape_table.h"

// Returns an infinite box. It is bounded above the plane only if the normal is an axis of the world.
static hfiAabb plane_bounds(const hfiShape* shape, const hfPose* X) {
  (void)shape;
  double lo[3];
  double hi[3];
  double n[3];
  double p[3];
  v3_store(n, m3_col(X->R, 2));
  v3_store(p, X->p);

  for (int i = 0; i < 3; ++i) {
    int is_along_axis = n[(i + 1) % 3] == 0 && n[(i + 2) % 3] == 0;
    lo[i] = is_along_axis && n[i] < 0 ? p[i] : -INFINITY;
    hi[i] = is_along_axis && n[i] > 0 ? p[i] : INFINITY;
  }
  return (hfiAabb){v3_load(lo), v3_load(hi)};
}

static hfiNearest plane_nearest(const hfiShape* shape, hfVec3 p) {
  (void)shape;
  return (hfiNearest){p.z, v3(p.x, p.y, 0), v3(0, 0, 1)};
}

static hfiSpan plane_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  (void)shape;
  hfiSpan span = hfi_whole_span();
  hfi_span_cut(&span, o, d, v3(0, 0, 1), 0);
  return span;
}

const hfiShapeFunctions hfi_plane = {
    .max_points = HFI_MAX_MANIFOLD, .bounds = plane_bounds, .nearest = plane_nearest, .span = plane_span};
