// Capsule (A) against box (B), in the box's frame: the axis p + t u, |t| <= half, and half sizes h.
//
// If the axis is outside of the box, its point nearest to the box minimises f(t) = sum_i e_i(t)^2, e_i the part of p_i
// + t u_i beyond +-h_i: f is convex and f' piecewise linear with breaks where a coordinate passes +-h_i. If the axis
// cuts the box, the least of the penetrations along the box's faces and along u x e_i counts: these are the face
// normals of the sum of box and segment.
//
// There may be two points, as in capsule_capsule.c: the ends of that part of the axis which is above the touched face
// or along the touched edge, each with its own nearest point of the box. Features: 0 the lower end, 1 the upper end, 2
// between.
#include "step/geometry/manifold.h"
#include "step/geometry/nearest.h"
#include "step/geometry/pairs.h"

// A point between the ends counts if it is nearer than both ends by this share of their distance, or of the radius. A
// normal of an edge counts if its gap is larger than the gaps of the faces by this share of the box's half size [-].
static const double LEAST_LEAD = 1e-8;
// The axis is above a face along those coordinates in which the component of the normal is at most this [-].
static const double ACROSS_COMPONENT = 1e-3;

// A capsule and a box, in the box's frame.
typedef struct Query {
  double p[3], u[3]; // centre and unit direction of the axis
  double half;       // half of its length [m]
  double radius;     // of the capsule [m]
  const hfiShape* box;
} Query;

static hfVec3 axis_point(const Query* q, double t) {
  return v3(q->p[0] + t * q->u[0], q->p[1] + t * q->u[1], q->p[2] + t * q->u[2]);
}

// Returns f'(t)/2 [m].
static double slope_at(const Query* q, double t) {
  double slope = 0;
  for (int i = 0; i < 3; ++i) {
    double x = q->p[i] + t * q->u[i];
    double h = q->box->size[i];
    double e = 0;
    if (x > h) e = x - h;
    else if (x < -h) e = x + h;
    slope += q->u[i] * e;
  }
  return slope;
}

// Returns the parameter of the axis where f' passes zero; the middle where it stays zero [m].
static double minimise_distance(const Query* q) {
  // the ends and the breaks of f' between them, ascending
  double knot[8] = {-q->half, q->half};
  int count = 2;
  for (int i = 0; i < 3; ++i)
    for (int side = -1; side <= 1; side += 2) {
      double t = (side * q->box->size[i] - q->p[i]) / q->u[i];
      if (!(fabs(t) < q->half)) continue;

      int k = count++;
      for (; knot[k - 1] > t; --k) knot[k] = knot[k - 1];
      knot[k] = t;
    }

  // f' is linear between two breaks; lo and hi are the first and the last one where it is zero
  double lo = q->half;
  double hi = -q->half;
  double before = 0; // the slope at the knot before
  for (int k = 0; k < count; ++k) {
    double slope = slope_at(q, knot[k]);
    int passes_zero = k > 0 && before < 0 && slope > 0;
    if (passes_zero) return knot[k - 1] - before * (knot[k] - knot[k - 1]) / (slope - before);

    int is_least_at_end = (slope > 0 && k == 0) || (slope < 0 && k == count - 1);
    if (slope == 0 || is_least_at_end) {
      lo = min2(lo, knot[k]);
      hi = max2(hi, knot[k]);
    }
    before = slope;
  }
  return lo <= hi ? 0.5 * (lo + hi) : 0;
}

// Returns the point of the box nearest to the axis p + t u, |t| <= half, and writes the parameter of the axis there.
hfiNearest hfi_axis_nearest(const hfiShape* box, hfVec3 p, hfVec3 u, double half, double* t) {
  Query q = {.half = half, .box = box};
  v3_store(q.p, p);
  v3_store(q.u, u);
  *t = minimise_distance(&q);
  return hfi_nearest(box, axis_point(&q, *t));
}

// Clips the axis to the box along those coordinates in which the component of the normal n is at most `largest`: finds
// the part lo to hi of the axis that is above a face or along an edge with this normal. It is empty if lo >= hi.
static void clip_axis(const Query* q, hfVec3 n, double largest, double* lo, double* hi) {
  *lo = -q->half;
  *hi = q->half;
  for (int i = 0; i < 3; ++i) {
    if (fabs(v3_get(n, i)) > largest || q->u[i] == 0) continue;

    double a = (-q->box->size[i] - q->p[i]) / q->u[i];
    double b = (q->box->size[i] - q->p[i]) / q->u[i];
    *lo = max2(*lo, min2(a, b));
    *hi = min2(*hi, max2(a, b));
  }
}

// Joins two ends that are beside each other, as at a corner of the box: they push as the one point that the axis has
// beyond the corner.
static void join_ends(const Query* q, hfiContactPoint* points) {
  const double* h = q->box->size;
  double size = min2(max2(q->half, q->radius), min2(h[0], min2(h[1], h[2])));
  hfi_join_near(points, 2, HFI_ENDS_BESIDE * size, 1);
}

// The contact of a ball about a point of the axis whose nearest point of the box is `near`. Its depth is `radius` less
// the distance of that point.
static hfiContactPoint point_of(hfiNearest near, double radius, uint32_t feature) {
  hfiContactPoint point;
  put_point(&point, near.point, near.normal, radius - near.distance, feature);
  return point;
}

// Finds the contact points of an axis that crosses an edge of the box between the two ends of its part along the edge.
// As with two capsules that cross, an end that overlaps keeps its depth, and the crossing gets only the depth by which
// it is deeper than both ends. Otherwise contact forces would jump: if the axis is nearly along the edge, a slight turn
// moves the crossing from one end to the other. end: the nearest points of the box to the
// two ends of that part. Returns the number of points.
static int touch_across_edge(const Query* q, hfiNearest crossing, const hfiNearest end[2], hfiContactPoint* points) {
  int count = 0;
  double deepest = 0;
  for (int k = 0; k < 2; ++k) {
    double depth = q->radius - end[k].distance;
    double share = hfi_end_share(end[k].normal, crossing.normal);
    if (!(depth > 0 && share > 0)) continue;

    // this radius gives the point the depth share * depth
    points[count] = point_of(end[k], end[k].distance + share * depth, (uint32_t)k);
    count++;
    deepest = max2(deepest, share * depth);
  }
  points[count] = point_of(crossing, q->radius - deepest, 2);
  return count + 1;
}

// Finds the contact points if the nearest point `near`, at t, is on an edge of the box. If a part of the axis is above
// the face beside the edge, the far end of that part is the second point. So a capsule that overhangs a face keeps both
// points while it tilts over the edge. end: the nearest points to the ends of the part along the edge. Returns their
// number.
static int touch_over_edge(const Query* q, double t, hfiNearest near, const hfiNearest end[2],
                           hfiContactPoint* points) {
  double largest = max2(fabs(near.normal.x), max2(fabs(near.normal.y), fabs(near.normal.z)));
  double lo, hi;
  clip_axis(q, near.normal, (1 - ACROSS_COMPONENT) * largest, &lo, &hi);
  if (!(lo < hi)) return touch_across_edge(q, near, end, points);

  // `near` takes the place of the end on its side
  int near_end = t > 0.5 * (lo + hi);
  int far_end = !near_end;
  hfiNearest far = hfi_nearest(q->box, axis_point(q, far_end ? hi : lo));
  points[near_end] = point_of(near, q->radius, (uint32_t)near_end);
  points[far_end] = point_of(far, q->radius, (uint32_t)far_end);
  join_ends(q, points);
  return 2;
}

// Finds the contact points of an axis outside of the box. `near`, at t, is its nearest point. Returns their number.
static int touch_outside(const Query* q, double t, hfiNearest near, hfiContactPoint* points) {
  double lo, hi;
  clip_axis(q, near.normal, ACROSS_COMPONENT, &lo, &hi);
  if (!(lo < hi)) {
    points[0] = point_of(near, q->radius, t > 0);
    return 1;
  }

  // a point between the ends, or just beyond the clipped part: then it replaces that end
  hfiNearest end[2] = {hfi_nearest(q->box, axis_point(q, lo)), hfi_nearest(q->box, axis_point(q, hi))};
  double least = min2(end[0].distance, end[1].distance);
  if (near.distance < least - LEAST_LEAD * max2(least, q->radius)) {
    if (lo < t && t < hi) return touch_over_edge(q, t, near, end, points);
    if (t >= hi) end[1] = near;
    else end[0] = near;
  }

  for (int k = 0; k < 2; ++k) points[k] = point_of(end[k], q->radius, (uint32_t)k);
  join_ends(q, points);
  return 2;
}

// The axis cuts the box: finds the normal n of the face of their sum along which the gap is largest, and this gap,
// which is negative [m]. n points out of the box. Returns 1 if this is a face of the box, 0 if it belongs to an edge.
static int find_least_penetration(const Query* q, hfVec3* n, double* gap) {
  const double* h = q->box->size;
  *gap = -INFINITY;

  // the faces of the box
  for (int i = 0; i < 3; ++i) {
    double g = fabs(q->p[i]) - q->half * fabs(q->u[i]) - h[i];
    if (g <= *gap) continue;

    double normal[3] = {0, 0, 0};
    normal[i] = q->p[i] < 0 ? -1 : 1;
    *gap = g;
    *n = v3_load(normal);
  }

  // the normals across the axis and an edge
  int is_face = 1;
  hfVec3 p = v3_load(q->p);
  hfVec3 u = v3_load(q->u);
  for (int i = 0; i < 3; ++i) {
    hfVec3 w = v3_unit(v3_cross(u, v3(i == 0, i == 1, i == 2)));
    if (!(v3_norm2(w) > 0)) continue;

    double height = v3_dot(w, p);
    double g = fabs(height) - h[0] * fabs(w.x) - h[1] * fabs(w.y) - h[2] * fabs(w.z);
    if (g <= *gap + LEAST_LEAD * h[i]) continue; // If both are equal, the face is preferred: it gives two points.

    *gap = g;
    *n = height < 0 ? v3_neg(w) : w;
    is_face = 0;
  }
  return is_face;
}

// Returns the axis along which n has the smallest component: the direction of the edge that n belongs to.
static int find_edge_axis(hfVec3 n) {
  double x = fabs(n.x);
  double y = fabs(n.y);
  double z = fabs(n.z);

  if (x <= y && x <= z) return 0;
  return y <= z ? 1 : 2;
}

// Writes the contact with edge i of the box (n.e_i = 0) under the axis, at the crossing of the two lines as seen along
// n.
static void put_edge_contact(const Query* q, hfVec3 n, double gap, hfiContactPoint* point) {
  int i = find_edge_axis(n);
  hfVec3 e = v3(i == 0, i == 1, i == 2);
  hfVec3 corner = hfi_box_corner(q->box->size, n);

  // p + t u and corner + s e cross where t u - s e = r + a multiple of n
  hfVec3 r = v3_sub(corner, v3_load(q->p));
  hfVec3 u = v3_load(q->u);
  hfVec3 w = v3_cross(u, e);
  double t = v3_dot(v3_cross(r, e), w) / v3_norm2(w);
  hfVec3 a = axis_point(q, clamp(t, -q->half, q->half));
  put_point(point, v3_axpy(-gap, n, a), n, q->radius - gap, 2);
}

// Finds the contact points of an axis that cuts the box. Returns their number.
static int touch_inside(const Query* q, hfiContactPoint* points) {
  hfVec3 n;
  double gap;
  if (!find_least_penetration(q, &n, &gap)) {
    put_edge_contact(q, n, gap, points);
    return 1;
  }

  // both ends of the part above the face
  double lo, hi;
  clip_axis(q, n, ACROSS_COMPONENT, &lo, &hi);
  hfVec3 top = v3_mul(n, v3_load(q->box->size));
  for (int k = 0; k < 2; ++k) {
    hfVec3 a = axis_point(q, k ? hi : lo);
    double height = v3_dot(n, a) - v3_dot(n, top);
    put_point(points + k, v3_axpy(-height, n, a), n, q->radius - height, (uint32_t)k);
  }
  join_ends(q, points);
  return 2;
}

// Finds the contact points of a capsule and a box in the world. Returns their number.
int hfi_capsule_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                    hfiContactPoint* points) {
  Query q = {.half = A->size[1], .radius = A->size[0], .box = B};
  v3_store(q.p, pose_inv_point(*X_WB, X_WA->p));
  v3_store(q.u, m3_tmulv(X_WB->R, m3_col(X_WA->R, 2)));

  double t;
  hfiNearest near = hfi_axis_nearest(B, v3_load(q.p), v3_load(q.u), q.half, &t);
  if (!(near.distance <= q.radius + margin)) return 0;

  int count = near.distance > 0 ? touch_outside(&q, t, near, points) : touch_inside(&q, points);
  for (int k = 0; k < count; ++k) {
    points[k].p_WCa = pose_point(*X_WB, points[k].p_WCa);
    points[k].p_WCb = pose_point(*X_WB, points[k].p_WCb);
    points[k].n_W = m3_mulv(X_WB->R, points[k].n_W);
  }
  return keep_touching(points, count, margin, HFI_FLAT_TILT * A->size[1]);
}
