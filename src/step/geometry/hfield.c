// Height field: the matter between its surface and its base (model/height_field.h).
//
// A ray is followed from cell to cell. In a cell the surface is z = z0 + s_x (x - x0) + s_y (y - y0) over each of the two
// triangles; the ray o + t d passes it where o_z + t d_z - z is zero. Walls and base are planes.
#include "step/geometry/shape_table.h"

static hfiAabb hfield_bounds(const hfiShape* s, const hfPose* X) {
  const hfiHeightField* f = s->field;
  double half[3] = {f->half[0], f->half[1], 0.5 * (f->highest + f->base)}, h[3];
  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    h[i] = half[0] * fabs(row[0]) + half[1] * fabs(row[1]) + half[2] * fabs(row[2]);
  }
  return hfi_aabb_about(pose_point(*X, v3(0, 0, 0.5 * (f->highest - f->base))), v3_load(h));
}

// ---- rays ----------------------------------------------------------------------------------------

static const double ROUNDING = 1e-12; // rounding of cell coordinates and, as a share, of distances along a ray [-]

typedef struct FieldRay {
  const hfiHeightField* f;
  hfVec3 o, d;
  double t; // nearest so far; infinite: none
  hfVec3 n;
} FieldRay;

static void keep_nearer(FieldRay* ray, double t, hfVec3 n) {
  if (t >= 0 && t < ray->t) ray->t = t, ray->n = n;
}

// Meets the two triangles of a cell, over which the ray is for `from` <= t <= `to`.
static void meet_cell(FieldRay* ray, int c, int r, double from, double to) {
  const hfiHeightField* f = ray->f;
  hfVec3 corner = hfi_hfield_vertex(f, c, r), rel = v3_sub(ray->o, corner);
  double slack = ROUNDING * (1 + fabs(to));
  for (int upper = 0; upper < 2; ++upper) {
    double s[2];
    hfi_hfield_slopes(f, c, r, upper, s);
    double rate = ray->d.z - s[0] * ray->d.x - s[1] * ray->d.y, t = -(rel.z - s[0] * rel.x - s[1] * rel.y) / rate;
    if (rate == 0 || !(t >= from - slack && t <= to + slack)) continue;
    double u = (rel.x + t * ray->d.x) / f->dx, v = (rel.y + t * ray->d.y) / f->dy;
    if (upper ? v >= u - ROUNDING : v <= u + ROUNDING) keep_nearer(ray, t, v3_unit(v3(-s[0], -s[1], 1)));
  }
}

// The t at which the ray leaves a column or row of cells between the lines at `line` and `line` + width.
static double time_to_leave(double o, double d, double line, double width) {
  return d > 0 ? (line + width - o) / d : d < 0 ? (line - o) / d : INFINITY;
}

static void meet_surface(FieldRay* ray, double from, double to) {
  const hfiHeightField* f = ray->f;
  int c, r;
  hfi_hfield_cell(f, ray->o.x + from * ray->d.x, ray->o.y + from * ray->d.y, &c, &r);
  while (c >= 0 && r >= 0 && c < f->ncol - 1 && r < f->nrow - 1) {
    double tx = time_to_leave(ray->o.x, ray->d.x, c * f->dx - f->half[0], f->dx);
    double ty = time_to_leave(ray->o.y, ray->d.y, r * f->dy - f->half[1], f->dy);
    double next = min2(min2(tx, ty), to);
    meet_cell(ray, c, r, from, next);
    if (ray->t <= next || next >= to) return;
    if (tx <= ty) c += ray->d.x > 0 ? 1 : -1;
    else r += ray->d.y > 0 ? 1 : -1;
    from = max2(from, next);
  }
}

// Meets the wall across `axis` (0: x, 1: y) at +half (side 1) or -half (side 0).
static void meet_wall(FieldRay* ray, int axis, int side) {
  const hfiHeightField* f = ray->f;
  double d = v3_get(ray->d, axis), t = ((side ? f->half[axis] : -f->half[axis]) - v3_get(ray->o, axis)) / d;
  hfVec3 p = v3_axpy(t, ray->d, ray->o);
  double sign = side ? 1 : -1;
  if (d == 0 || fabs(v3_get(p, 1 - axis)) > f->half[1 - axis] || p.z < -f->base || p.z > hfi_hfield_surface(f, p.x, p.y)) return;
  keep_nearer(ray, t, axis ? v3(0, sign, 0) : v3(sign, 0, 0));
}

static void meet_base(FieldRay* ray) {
  const hfiHeightField* f = ray->f;
  double t = (-f->base - ray->o.z) / ray->d.z;
  hfVec3 p = v3_axpy(t, ray->d, ray->o);
  if (ray->d.z != 0 && fabs(p.x) <= f->half[0] && fabs(p.y) <= f->half[1]) keep_nearer(ray, t, v3(0, 0, -1));
}

static int hfield_ray(const hfiShape* s, hfVec3 o, hfVec3 d, double* t, hfVec3* normal) {
  const hfiHeightField* f = s->field;
  FieldRay ray = {f, o, d, INFINITY, {0, 0, 0}};
  hfiSpan span = hfi_whole_span();
  hfi_span_cut_slab(&span, o, d, v3(1, 0, 0), f->half[0]);
  hfi_span_cut_slab(&span, o, d, v3(0, 1, 0), f->half[1]);
  hfi_span_cut(&span, o, d, v3(0, 0, 1), f->highest);
  hfi_span_cut(&span, o, d, v3(0, 0, -1), f->base);
  if (!(span.t[0] <= span.t[1]) || !(span.t[1] >= 0)) return 0;
  meet_surface(&ray, max2(span.t[0], 0), span.t[1]);
  for (int k = 0; k < 4; ++k) meet_wall(&ray, k / 2, k % 2);
  meet_base(&ray);
  *t = ray.t;
  *normal = ray.n;
  return ray.t < INFINITY;
}

const hfiShapeFunctions hfi_hfield = {.max_points = HFI_MAX_POINTS, .bounds = hfield_bounds, .ray = hfield_ray};
