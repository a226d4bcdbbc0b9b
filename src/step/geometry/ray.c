// Rays: every shape but a height field is convex, so that a ray o + t d is inside it on one interval [enter, leave].
// The hit is `enter` for a ray that starts outside, `leave` for one that starts inside.
//
// Half spaces, slabs and quadrics give such intervals, and the interval of a shape is made of these.
#include "step/geometry/shape_table.h"

hfiSpan hfi_whole_span(void) { return (hfiSpan){.t = {-INFINITY, INFINITY}}; }

hfiSpan hfi_empty_span(void) { return (hfiSpan){.t = {INFINITY, -INFINITY}}; }

// Cuts a span by the half space n.x <= offset.
void hfi_span_cut(hfiSpan* span, hfVec3 o, hfVec3 d, hfVec3 n, double offset) {
  double height = v3_dot(n, o) - offset;
  double rate = v3_dot(n, d);
  double t = -height / rate; // where the ray crosses the plane

  // a ray along the plane is all inside or all outside
  if (rate == 0) {
    if (height > 0) *span = hfi_empty_span();
    return;
  }

  // a ray that rises leaves the half space at t, another one enters it
  int leaves = rate > 0;
  int is_shorter = leaves ? t < span->t[1] : t > span->t[0];
  if (!is_shorter) return;
  span->t[leaves] = t;
  span->n[leaves] = n;
}

// Cuts a span by the slab |axis.x| <= half.
void hfi_span_cut_slab(hfiSpan* span, hfVec3 o, hfVec3 d, hfVec3 axis, double half) {
  hfi_span_cut(span, o, d, axis, half);
  hfi_span_cut(span, o, d, v3_neg(axis), half);
}

// Returns the span of |o + t d| <= radius. The middle of the chord is found first, so that a far start causes no
// cancellation.
hfiSpan hfi_ball_span(hfVec3 o, hfVec3 d, double radius) {
  double dd = v3_norm2(d);
  double middle = -v3_dot(o, d) / dd;
  hfVec3 nearest = v3_axpy(middle, d, o);
  double half_chord2 = radius * radius - v3_norm2(nearest);
  if (!(half_chord2 >= 0) || !(dd > 0)) return hfi_empty_span();

  double half = sqrt(half_chord2 / dd);
  hfiSpan span = {.t = {middle - half, middle + half}};
  for (int k = 0; k < 2; ++k) span.n[k] = v3_unit(v3_axpy(span.t[k], d, o));
  return span;
}

// Extends a span to the union with another one, which touches or overlaps it.
void hfi_span_join(hfiSpan* span, hfiSpan other) {
  int is_empty = !(other.t[0] <= other.t[1]);
  if (is_empty) return;

  if (other.t[0] < span->t[0]) {
    span->t[0] = other.t[0];
    span->n[0] = other.n[0];
  }
  if (other.t[1] > span->t[1]) {
    span->t[1] = other.t[1];
    span->n[1] = other.n[1];
  }
}

// Finds the first point t >= 0 where a ray passes the surface of a shape, and the outward normal there. Returns 0 if
// there is none.
int hfi_ray_shape(const hfiShape* shape, hfVec3 o, hfVec3 d, double* t, hfVec3* normal) {
  if (hfi_functions(shape)->ray) return hfi_functions(shape)->ray(shape, o, d, t, normal);

  hfiSpan span = hfi_functions(shape)->span(shape, o, d);
  int end = !(span.t[0] >= 0); // 1: the ray starts inside or behind the shape
  int is_empty = !(span.t[0] <= span.t[1]);
  if (is_empty || !(span.t[end] >= 0) || !(span.t[end] < INFINITY)) return 0;

  *t = span.t[end];
  *normal = span.n[end];
  return 1;
}
