// Rays: every shape is convex, so that a ray o + t d is inside it on one interval [enter, leave]. The hit
// is `enter` for a ray that starts outside, `leave` for one that starts inside.
//
// Half spaces, slabs and quadrics give intervals; a box, a cylinder and a mesh are intersections of
// them, a capsule is the union of two spheres and a cylinder.
#include "geometry/ray.h"

typedef struct Span {
  double t[2];     // enter, leave; empty where enter > leave
  hfVec3 n[2];     // outward normals there
} Span;

static const Span kEmpty = {{INFINITY, -INFINITY}, {{0, 0, 0}, {0, 0, 0}}};
static const Span kWhole = {{-INFINITY, INFINITY}, {{0, 0, 0}, {0, 0, 0}}};

// Cuts by the half space n.x <= offset.
static void cut_half_space(Span* s, hfVec3 o, hfVec3 d, hfVec3 n, double offset) {
  double height = v3_dot(n, o) - offset, rate = v3_dot(n, d), t = -height / rate;
  if (rate == 0) {
    if (height > 0) *s = kEmpty;
    return;
  }
  int end = rate > 0;
  if (end ? t < s->t[1] : t > s->t[0]) {
    s->t[end] = t;
    s->n[end] = n;
  }
}

static void cut_slab(Span* s, hfVec3 o, hfVec3 d, hfVec3 axis, double half) {
  cut_half_space(s, o, d, axis, half);
  cut_half_space(s, o, d, v3_neg(axis), half);
}

// |o + t d| <= radius. The middle of the chord is found first: no cancellation for a far start.
static Span ball_span(hfVec3 o, hfVec3 d, double radius) {
  double dd = v3_norm2(d), middle = -v3_dot(o, d) / dd;
  hfVec3 x = v3_axpy(middle, d, o);
  double rest = radius * radius - v3_norm2(x);
  if (!(rest >= 0) || !(dd > 0)) return kEmpty;
  double half = sqrt(rest / dd);
  Span s = {{middle - half, middle + half}, {{0, 0, 0}, {0, 0, 0}}};
  for (int k = 0; k < 2; ++k) s.n[k] = v3_unit(v3_axpy(s.t[k], d, o));
  return s;
}

static Span ellipsoid_span(const double* e, hfVec3 o, hfVec3 d) {
  hfVec3 inverse = v3(1 / e[0], 1 / e[1], 1 / e[2]);
  Span s = ball_span(v3_mul(inverse, o), v3_mul(inverse, d), 1);
  for (int k = 0; k < 2; ++k) s.n[k] = v3_unit(v3_mul(inverse, s.n[k])); // the gradient E^-2 x
  return s;
}

// The round side x^2 + y^2 <= radius^2, unbounded along z.
static Span side_span(double radius, hfVec3 o, hfVec3 d) {
  if (d.x == 0 && d.y == 0) return o.x * o.x + o.y * o.y <= radius * radius ? kWhole : kEmpty;
  return ball_span(v3(o.x, o.y, 0), v3(d.x, d.y, 0), radius);
}

static Span cylinder_span(const double* size, hfVec3 o, hfVec3 d) {
  Span s = side_span(size[0], o, d);
  cut_slab(&s, o, d, v3(0, 0, 1), size[1]);
  return s;
}

static void join(Span* s, Span other) {
  if (!(other.t[0] <= other.t[1])) return;
  for (int k = 0; k < 2; ++k)
    if (k ? other.t[k] > s->t[k] : other.t[k] < s->t[k]) {
      s->t[k] = other.t[k];
      s->n[k] = other.n[k];
    }
}

static Span capsule_span(const double* size, hfVec3 o, hfVec3 d) {
  Span s = kEmpty;
  join(&s, cylinder_span(size, o, d));
  join(&s, ball_span(v3(o.x, o.y, o.z - size[1]), d, size[0]));
  join(&s, ball_span(v3(o.x, o.y, o.z + size[1]), d, size[0]));
  return s;
}

static Span box_span(const double* size, hfVec3 o, hfVec3 d) {
  Span s = kWhole;
  for (int i = 0; i < 3; ++i) cut_slab(&s, o, d, v3(i == 0, i == 1, i == 2), size[i]);
  return s;
}

static Span mesh_span(const hfiHull* hull, hfVec3 o, hfVec3 d) {
  Span s = kWhole;
  for (int32_t f = 0; f < hull->nface && s.t[0] <= s.t[1]; ++f) cut_half_space(&s, o, d, v3_load(hull->face_plane + 4 * f), hull->face_plane[4 * f + 3]);
  return s;
}

static Span plane_span(hfVec3 o, hfVec3 d) {
  Span s = kWhole;
  cut_half_space(&s, o, d, v3(0, 0, 1), 0);
  return s;
}

int hfi_ray_shape(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal) {
  Span s;
  switch (shape->type) {
    case HF_GEOM_PLANE: s = plane_span(o, d); break;
    case HF_GEOM_SPHERE: s = ball_span(o, d, shape->size[0]); break;
    case HF_GEOM_CAPSULE: s = capsule_span(shape->size, o, d); break;
    case HF_GEOM_ELLIPSOID: s = ellipsoid_span(shape->size, o, d); break;
    case HF_GEOM_CYLINDER: s = cylinder_span(shape->size, o, d); break;
    case HF_GEOM_BOX: s = box_span(shape->size, o, d); break;
    default: s = mesh_span(shape->hull, o, d); break;
  }
  int end = !(s.t[0] >= 0);
  if (!(s.t[0] <= s.t[1]) || !(s.t[end] >= 0) || !(s.t[end] < INFINITY)) return 0;
  *t = s.t[end];
  *normal = s.n[end];
  return 1;
}
