// Cylinder of radius size[0] about z, |z| <= size[1].
//
// A cylinder touches a plane with four rim points. While its cap lies on the plane (hfi_rim_lies), their pattern is
// fixed to the cylinder, and the deepest rim point is added with the depth by which it is deeper than they are. If the
// cap is tilted further, the pattern turns towards the deepest point.
#include "step/geometry/manifold.h"
#include "step/geometry/shape_table.h"

static const double CAP_COSINE = 0.95; // A cap may be the touching face if |n.axis| is above this [-].

// Half width along a unit vector with the component z along the axis: r sqrt(1 - z^2) + half |z|.
static hfiAabb cylinder_bounds(const hfiShape* s, const hfPose* X) {
  double h[3];

  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    h[i] = s->size[0] * sqrt(row[0] * row[0] + row[1] * row[1]) + s->size[1] * fabs(row[2]);
  }
  return hfi_aabb_about(X->p, v3_load(h));
}

// Adds the deepest point of a rim that lies on a plane, if the four fixed points, the last ones of `count`, miss it.
// Returns the new count.
static int add_deepest(hfiPlane plane, hfVec3 deepest, uint32_t feature, double slack, hfiContactPoint* points,
                       int count) {
  double others = -INFINITY;
  for (int i = count - 4; i < count; ++i) others = max2(others, points[i].depth);

  put_plane_point(points + count, plane, deepest, 0, feature);
  if (!(others < points[count].depth - slack)) return count;

  hfi_share_depth(points + count, others, slack);
  return count + 1;
}

// Finds the contact points with a plane and returns their number.
// Features: 0-3 rim of the +z cap fixed to the cylinder, 4-7 turned to the lowest point; +8 for -z.
static int plane_cylinder(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                          hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);
  double radius = B->size[0];
  double half = B->size[1];
  double slack = HFI_FLAT_TILT * max2(radius, half);
  hfVec3 x = m3_col(X_WB->R, 0);
  hfVec3 y = m3_col(X_WB->R, 1);
  hfVec3 z = m3_col(X_WB->R, 2);

  // the lower cap, and the sine of its tilt
  double lower = v3_dot(plane.m, z) > 0 ? -half : half;
  hfVec3 cap = v3_axpy(lower, z, X_WB->p);
  double mx = v3_dot(plane.m, x);
  double my = v3_dot(plane.m, y);
  double tilt = sqrt(mx * mx + my * my);
  int is_tilted = tilt > HFI_DISC_TILT;
  int lies = hfi_rim_lies(tilt);

  // `down` points down along the cap; u and v point to the first two points.
  hfVec3 down = is_tilted ? v3_scale(-1 / tilt, v3_add(v3_scale(mx, x), v3_scale(my, y))) : x;
  hfVec3 u = lies ? x : down;
  hfVec3 v = lies ? y : v3_cross(z, down);
  hfVec3 rim[4] = {u, v, v3_neg(u), v3_neg(v)};

  // the point where the upper cap of a lying cylinder touches
  hfVec3 upper = v3_axpy(radius, down, v3_axpy(-2 * lower, z, cap));

  // Points are sorted by feature: rounding, which decides which end of a lying cylinder is lower, does not change the
  // order.
  int below = lower < 0 ? 8 : 0;
  int base = lies ? 0 : 4;
  int count = 0;
  if (is_tilted && below) {
    put_plane_point(points + count, plane, upper, 0, 4);
    count++;
  }
  for (int k = 0; k < 4; ++k) {
    put_plane_point(points + count, plane, v3_axpy(radius, rim[k], cap), 0, (uint32_t)(below + base + k));
    count++;
  }
  if (lies && is_tilted) {
    hfVec3 deepest = v3_axpy(radius, down, cap);
    count = add_deepest(plane, deepest, (uint32_t)below + 4, slack, points, count);
  }
  if (is_tilted && !below) {
    put_plane_point(points + count, plane, upper, 0, 12);
    count++;
  }
  return keep_touching(points, count, margin, slack);
}

static hfVec3 cylinder_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  (void)hint;
  double across = sqrt(d.x * d.x + d.y * d.y);
  double scale = across > 0 ? s->size[0] / across : 0;
  return v3(scale * d.x, scale * d.y, d.z < 0 ? -s->size[1] : s->size[1]);
}

static double cylinder_core_size(const hfiShape* s) { return max2(s->size[0], s->size[1]); }

// h = r sqrt(dx^2 + dy^2) + half |dz|
static double cylinder_curvature(const hfiShape* s, hfVec3 d, hfVec3 u, hfVec3 v) {
  double across = sqrt(d.x * d.x + d.y * d.y);
  if (!(across > 0)) return 0;
  return s->size[0] * (d.x * u.y - d.y * u.x) * (d.x * v.y - d.y * v.x) / (across * across * across);
}

// Adds the straight line along the side. With the rule CAP, and n nearly along the axis, two diameters of the cap
// take its place.
static void cylinder_edges(const hfiEdgeQuery* q, hfiEdges* e) {
  hfi_edges_add_column(q, 2, q->shape->size[1], e);
  if (q->rule != HFI_EDGES_CAP || fabs(q->n.z) < CAP_COSINE) return;

  e->count = 0;
  for (int i = 0; i < 2; ++i) {
    hfVec3 direction = m3_col(q->X.R, i);
    hfi_edges_add(e, direction, 2 * q->shape->size[0], v3_dot(direction, q->X.p));
  }
}

// Writes the upper or the lower cap.
static void cap_facet(const hfiShape* s, const hfPose* X, int up, hfiFacet* f) {
  hfVec3 z = m3_col(X->R, 2);

  f->kind = HFI_FACET_DISC;
  f->count = 1;
  f->normal = up ? z : v3_neg(z);
  f->x = m3_col(X->R, 0);
  f->y = m3_col(X->R, 1);
  f->radius = s->size[0];
  f->vertex[0] = v3_axpy(up ? s->size[1] : -s->size[1], z, X->p);

  // The features of the points on the rim are this number plus 0 to 3 for fixed points, plus 4 to 7 for turned ones.
  f->id[0] = up ? 0 : 8;
}

// The facet is the cap on d's side, or the side of the cylinder if d is nearly across the axis.
static void cylinder_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  hfVec3 z = m3_col(X->R, 2);
  double along = v3_dot(d, z);
  if (fabs(along) > HFI_SIDE_TILT) cap_facet(s, X, along > 0, f);
  else hfi_facet_side(s, X, v3_unit(v3_axpy(-along, z, d)), f);
}

// Returns the point of the surface that is nearest to p, in the frame of the cylinder. It is on the side, a cap or the
// rim. The gaps a to the side and b to the caps decide which.
static hfiNearest cylinder_nearest(const hfiShape* s, hfVec3 p) {
  double radius = s->size[0];
  double half = s->size[1];
  double rho = sqrt(p.x * p.x + p.y * p.y);
  double inverse = 1 / rho;
  double a = rho - radius;
  double b = fabs(p.z) - half;
  double up = sign_of(p.z);

  // away from the axis; on it, and where 1/rho overflows, any direction across it will do
  hfVec3 radial = rho > 0 && isfinite(inverse) ? v3(p.x * inverse, p.y * inverse, 0) : v3(1, 0, 0);

  // beyond both: the rim, unless the squares of the gaps underflow
  if (a > 0 && b > 0) {
    double d = sqrt(a * a + b * b);
    if (d > 0) {
      hfiNearest r = {d, v3(radius * radial.x, radius * radial.y, up * half),
                      v3(a / d * radial.x, a / d * radial.y, b / d * up)};
      return r;
    }
  }

  // the side
  if (a >= b) {
    hfiNearest r = {a, v3(radius * radial.x, radius * radial.y, p.z), radial};
    return r;
  }

  // a cap
  hfiNearest r = {b, v3(p.x, p.y, up * half), v3(0, 0, up)};
  return r;
}

// Returns the span of the line o + t d inside a cylinder with the radius size[0] and the half length size[1].
hfiSpan hfi_cylinder_span(const double* size, hfVec3 o, hfVec3 d) {
  int is_parallel = d.x == 0 && d.y == 0;
  int is_inside = o.x * o.x + o.y * o.y <= size[0] * size[0];
  hfiSpan s;

  // the part within the radius; a line along the axis is all inside or all outside
  if (!is_parallel) s = hfi_ball_span(v3(o.x, o.y, 0), v3(d.x, d.y, 0), size[0]);
  else if (is_inside) s = hfi_whole_span();
  else s = hfi_empty_span();

  hfi_span_cut_slab(&s, o, d, v3(0, 0, 1), size[1]);
  return s;
}

static hfiSpan cylinder_span(const hfiShape* s, hfVec3 o, hfVec3 d) { return hfi_cylinder_span(s->size, o, d); }

const hfiShapeFunctions hfi_cylinder = {.max_points = HFI_MAX_MANIFOLD,
                                        .bounds = cylinder_bounds,
                                        .plane = plane_cylinder,
                                        .support = cylinder_support,
                                        .core_size = cylinder_core_size,
                                        .curvature = cylinder_curvature,
                                        .edges = cylinder_edges,
                                        .facet = cylinder_facet,
                                        .nearest = cylinder_nearest,
                                        .span = cylinder_span};
