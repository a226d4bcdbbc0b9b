// Least width of a shape: the distance of the two nearest parallel planes between which it fits. For boxes, ellipsoids and round shapes it is along
// an axis of their frame. For a hull only the widths across its faces are compared: if the least width is between two edges, the result is a little
// too large.
#include "step/geometry/width.h"

#include "step/geometry/support.h"

// Width along the unit direction n.
static double width_along(const hfiShape* s, hfVec3 n) {
  int32_t hint = 0;
  hfVec3 high = hfi_support(s, n, &hint), low = hfi_support(s, v3_neg(n), &hint);
  return v3_dot(n, v3_sub(high, low)) + 2 * hfi_core_radius(s);
}

double hfi_least_width(const hfiShape* s) {
  static const double AXIS[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double least = INFINITY;
  if (s->type == HF_GEOM_PLANE || s->type == HF_GEOM_HFIELD) return least;
  for (int k = 0; k < 3; ++k) least = min2(least, width_along(s, v3_load(AXIS[k])));
  for (int f = 0; s->hull && f < s->hull->nface; ++f)
    least = min2(least, width_along(s, hfi_hull_normal(s->hull, f)));
  return least;
}
