// Height field: the matter between its surface and its base (model/height_field.h).
//
// A ray o + t d is followed from cell to cell. In a cell, over each of its two triangles, the surface is
//
//   z = z_c + s_x (x - x_c) + s_y (y - y_c)      (x_c, y_c, z_c)  the cell's vertex with the lowest x and y
//                                                s_x, s_y         slopes of the triangle
//
// The ray passes it where o_z + t d_z - z is zero. Walls and base are planes.
#include "step/geometry/shape_table.h"

// The box around the matter, from the base to the highest point, along the axes of the world.
static hfiAabb hfield_bounds(const hfiShape* shape, const hfPose* X) {
  const hfiHeightField* f = shape->field;
  double half[3] = {f->half[0], f->half[1], 0.5 * (f->highest + f->base)};
  hfVec3 centre = v3(0, 0, 0.5 * (f->highest - f->base));

  double extent[3];
  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    extent[i] = half[0] * fabs(row[0]) + half[1] * fabs(row[1]) + half[2] * fabs(row[2]);
  }
  return hfi_aabb_about(pose_point(*X, centre), v3_load(extent));
}

// ---- rays ----------------------------------------------------------------------------------------

// Rounding of the coordinates in a cell, as a share of the cell, and of a distance along a ray, as a share of 1 m plus
// the distance [-].
static const double ROUNDING = 1e-12;

// A ray and the nearest point in which it meets the surface, a wall or the base so far.
typedef struct FieldRay {
  const hfiHeightField* f;
  hfVec3 o, d;
  double t; // of the nearest point; infinite: none
  hfVec3 n; // normal there
} FieldRay;

// Keeps the point at t if it is nearer than the one so far, and not behind the start.
static void keep_nearer(FieldRay* ray, double t, hfVec3 n) {
  if (!(t >= 0 && t < ray->t)) return;
  ray->t = t;
  ray->n = n;
}

// Meets the two triangles of cell (c, r), over which the ray is for begin <= t <= end.
static void meet_cell(FieldRay* ray, int c, int r, double begin, double end) {
  const hfiHeightField* f = ray->f;
  hfVec3 start = v3_sub(ray->o, hfi_hfield_vertex(f, c, r));
  double slack = ROUNDING * (1 + fabs(end));

  for (int upper = 0; upper < 2; ++upper) {
    // where the ray passes the plane of the triangle
    double s[2];
    hfi_hfield_slopes(f, c, r, upper, s);
    double rate = ray->d.z - s[0] * ray->d.x - s[1] * ray->d.y;
    double t = -(start.z - s[0] * start.x - s[1] * start.y) / rate;
    if (rate == 0 || !(t >= begin - slack && t <= end + slack)) continue;

    // on which side of the diagonal that is; u, v: coordinates in the cell, 0 to 1
    double u = (start.x + t * ray->d.x) / f->dx;
    double v = (start.y + t * ray->d.y) / f->dy;
    int is_in_triangle = upper ? v >= u - ROUNDING : v <= u + ROUNDING;
    if (is_in_triangle) keep_nearer(ray, t, v3_unit(v3(-s[0], -s[1], 1)));
  }
}

// Returns the t at which the ray leaves a column or row of cells between the lines at `line` and `line` + width.
static double time_to_leave(double o, double d, double line, double width) {
  if (d > 0) return (line + width - o) / d;
  if (d < 0) return (line - o) / d;
  return INFINITY;
}

// Follows the ray from cell to cell, for begin <= t <= end, until it meets the surface.
static void meet_surface(FieldRay* ray, double begin, double end) {
  const hfiHeightField* f = ray->f;
  double t = begin;
  int c;
  int r;
  hfi_hfield_cell(f, ray->o.x + t * ray->d.x, ray->o.y + t * ray->d.y, &c, &r);

  while (c >= 0 && r >= 0 && c < f->ncol - 1 && r < f->nrow - 1) {
    double t_x = time_to_leave(ray->o.x, ray->d.x, c * f->dx - f->half[0], f->dx);
    double t_y = time_to_leave(ray->o.y, ray->d.y, r * f->dy - f->half[1], f->dy);
    double next = min2(min2(t_x, t_y), end);
    meet_cell(ray, c, r, t, next);
    if (ray->t <= next || next >= end) return;

    // the neighbour behind the line that it crosses first
    if (t_x <= t_y) c += ray->d.x > 0 ? 1 : -1;
    else r += ray->d.y > 0 ? 1 : -1;
    t = max2(t, next);
  }
}

// Meets the wall across `axis` (0: x, 1: y) at +half (side 1) or -half (side -1).
static void meet_wall(FieldRay* ray, int axis, int side) {
  const hfiHeightField* f = ray->f;
  double d = v3_get(ray->d, axis);
  double t = (side * f->half[axis] - v3_get(ray->o, axis)) / d;
  hfVec3 p = v3_axpy(t, ray->d, ray->o);
  if (d == 0) return;

  // the wall goes from the base to the surface
  int along = 1 - axis;
  if (fabs(v3_get(p, along)) > f->half[along]) return;
  if (p.z < -f->base || p.z > hfi_hfield_surface(f, p.x, p.y)) return;
  keep_nearer(ray, t, axis ? v3(0, side, 0) : v3(side, 0, 0));
}

// Meets the base.
static void meet_base(FieldRay* ray) {
  const hfiHeightField* f = ray->f;
  double t = (-f->base - ray->o.z) / ray->d.z;
  hfVec3 p = v3_axpy(t, ray->d, ray->o);
  if (ray->d.z == 0 || !(fabs(p.x) <= f->half[0] && fabs(p.y) <= f->half[1])) return;
  keep_nearer(ray, t, v3(0, 0, -1));
}

// Finds the first point at t >= 0 where the ray o + t d meets the field, and the normal there. Returns 0 if there is
// none.
static int hfield_ray(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal) {
  const hfiHeightField* f = shape->field;

  // the part of the ray in the box of the field
  hfiSpan span = hfi_whole_span();
  hfi_span_cut_slab(&span, o, d, v3(1, 0, 0), f->half[0]);
  hfi_span_cut_slab(&span, o, d, v3(0, 1, 0), f->half[1]);
  hfi_span_cut(&span, o, d, v3(0, 0, 1), f->highest);
  hfi_span_cut(&span, o, d, v3(0, 0, -1), f->base);
  if (!(span.t[0] <= span.t[1]) || !(span.t[1] >= 0)) return 0;

  FieldRay ray = {.f = f, .o = o, .d = d, .t = INFINITY};
  meet_surface(&ray, max2(span.t[0], 0), span.t[1]);
  meet_wall(&ray, 0, -1);
  meet_wall(&ray, 0, 1);
  meet_wall(&ray, 1, -1);
  meet_wall(&ray, 1, 1);
  meet_base(&ray);

  *t = ray.t;
  *normal = ray.n;
  return ray.t < INFINITY;
}

const hfiShapeFunctions hfi_hfield = {.max_points = HFI_MAX_POINTS, .bounds = hfield_bounds, .ray = hfield_ray};
