// Plane: the half space below z = 0 of its frame.
#include "step/geometry/shape_table.h"

// The box is bounded above only if the normal is an axis of the world.
static hfiAabb plane_bounds(const hfiShape* s, const hfPose* X) {
  (void)s;
  double lo[3], hi[3], n[3], p[3];
  v3_store(n, m3_col(X->R, 2));
  v3_store(p, X->p);
  for (int i = 0; i < 3; ++i) {
    int alone = n[(i + 1) % 3] == 0 && n[(i + 2) % 3] == 0;
    lo[i] = alone && n[i] < 0 ? p[i] : -INFINITY;
    hi[i] = alone && n[i] > 0 ? p[i] : INFINITY;
  }
  hfiAabb r = {v3_load(lo), v3_load(hi)};
  return r;
}

static hfiNearest plane_nearest(const hfiShape* s, hfVec3 p) {
  (void)s;
  hfiNearest r = {p.z, v3(p.x, p.y, 0), v3(0, 0, 1)};
  return r;
}

static hfiSpan plane_span(const hfiShape* s, hfVec3 o, hfVec3 d) {
  (void)s;
  hfiSpan span = hfi_whole_span();
  hfi_span_cut(&span, o, d, v3(0, 0, 1), 0);
  return span;
}

const hfiShapeFunctions hfi_plane = {
    .max_points = HFI_MAX_MANIFOLD, .bounds = plane_bounds, .nearest = plane_nearest, .span = plane_span};
