// Rays: every shape is convex, so that a ray o + t d is inside it on one interval [enter, leave]. The hit
// is `enter` for a ray that starts outside, `leave` for one that starts inside.
//
// Half spaces, slabs and quadrics give such intervals, and the interval of a shape is made of these.
#include "step/geometry/shape_table.h"

hfiSpan hfi_whole_span(void) {
  hfiSpan s = {{-INFINITY, INFINITY}, {{0, 0, 0}, {0, 0, 0}}};
  return s;
}

hfiSpan hfi_empty_span(void) {
  hfiSpan s = {{INFINITY, -INFINITY}, {{0, 0, 0}, {0, 0, 0}}};
  return s;
}

void hfi_span_cut(hfiSpan* s, hfVec3 o, hfVec3 d, hfVec3 n, double offset) {
  double height = v3_dot(n, o) - offset, rate = v3_dot(n, d), t = -height / rate;
  if (rate == 0) {
    if (height > 0) *s = hfi_empty_span();
    return;
  }
  int end = rate > 0;
  if (end ? t < s->t[1] : t > s->t[0]) {
    s->t[end] = t;
    s->n[end] = n;
  }
}

void hfi_span_cut_slab(hfiSpan* s, hfVec3 o, hfVec3 d, hfVec3 axis, double half) {
  hfi_span_cut(s, o, d, axis, half);
  hfi_span_cut(s, o, d, v3_neg(axis), half);
}

// |o + t d| <= radius. The middle of the chord is found first, so that a far start causes no cancellation.
hfiSpan hfi_ball_span(hfVec3 o, hfVec3 d, double radius) {
  double dd = v3_norm2(d), middle = -v3_dot(o, d) / dd;
  hfVec3 x = v3_axpy(middle, d, o);
  double rest = radius * radius - v3_norm2(x);
  if (!(rest >= 0) || !(dd > 0)) return hfi_empty_span();
  double half = sqrt(rest / dd);
  hfiSpan s = {{middle - half, middle + half}, {{0, 0, 0}, {0, 0, 0}}};
  for (int k = 0; k < 2; ++k) s.n[k] = v3_unit(v3_axpy(s.t[k], d, o));
  return s;
}

void hfi_span_join(hfiSpan* s, hfiSpan other) {
  if (!(other.t[0] <= other.t[1])) return;
  for (int k = 0; k < 2; ++k)
    if (k ? other.t[k] > s->t[k] : other.t[k] < s->t[k]) {
      s->t[k] = other.t[k];
      s->n[k] = other.n[k];
    }
}

int hfi_ray_shape(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal) {
  if (hfi_functions(shape)->ray) return hfi_functions(shape)->ray(shape, o, d, t, normal);
  hfiSpan s = hfi_functions(shape)->span(shape, o, d);
  int end = !(s.t[0] >= 0);
  if (!(s.t[0] <= s.t[1]) || !(s.t[end] >= 0) || !(s.t[end] < INFINITY)) return 0;
  *t = s.t[end];
  *normal = s.n[end];
  return 1;
}
