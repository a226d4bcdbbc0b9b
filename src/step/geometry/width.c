// Least width of a shape: the distance of the two nearest parallel planes between which it fits. For boxes, ellipsoids
// and round shapes it is along an axis of their frame. For a hull only the widths across its faces are compared: if the
// least width is between two edges, the result is a little too large.
#include "step/geometry/width.h"

#include "step/geometry/support.h"

// Returns the width along the unit direction n [m].
static double width_along(const hfiShape* shape, hfVec3 n) {
  int32_t hint = 0;
  hfVec3 high = hfi_support(shape, n, &hint);
  hfVec3 low = hfi_support(shape, v3_neg(n), &hint);
  return v3_dot(n, v3_sub(high, low)) + 2 * hfi_core_radius(shape);
}

// Returns the least width of a shape; INFINITY for a plane and a height field [m].
double hfi_least_width(const hfiShape* shape) {
  static const double AXIS[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (shape->type == HF_GEOM_PLANE || shape->type == HF_GEOM_HFIELD) return INFINITY;

  double least = INFINITY;
  for (int k = 0; k < 3; ++k) least = min2(least, width_along(shape, v3_load(AXIS[k])));
  for (int face = 0; shape->hull && face < shape->hull->nface; ++face)
    least = min2(least, width_along(shape, hfi_hull_normal(shape->hull, face)));
  return least;
}
