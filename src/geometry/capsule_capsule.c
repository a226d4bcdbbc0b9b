// Capsule against capsule: the axis segment of a capsule carries the contact, its radius is
// added to the depth.
//
// Two segments are nearest either at an end of one of them or, crossing, between. Where they overlap
// along each other, the two ends of the overlap are both contact points: each is exact by itself and
// drops out at the margin, so that a capsule lying along another rests on two points and a tilted one
// slides over to one. A crossing that is nearer than the ends by more than CROSSING (relative) is a point, too, and the only
// one where neither end overlaps. Ends that do keep what they carry, and the crossing carries what it is deeper than both. With the
// depths c of the crossing and a >= b of the ends the sum is c + b+: it goes from 2 c to c while the two turn from parallel
// to across, and nothing jumps. Features: 0 the end at the lower parameter of A's axis, 1 the other end, 2 a crossing.
#include "geometry/pairs.h"

static const double CROSSING = 1e-8;

typedef struct Segment { hfVec3 p, u; double half; } Segment; // centre, unit direction
typedef struct Approach { hfVec3 a, b; double distance; } Approach;

static Segment segment_of(const hfiShape* capsule, const hfPose* X) {
  Segment s = {X->p, m3_col(X->R, 2), capsule->size[1]};
  return s;
}

static hfVec3 point_at(const Segment* s, double t) { return v3_axpy(t, s->u, s->p); }

static double project(const Segment* s, hfVec3 x) { return clamp(v3_dot(s->u, v3_sub(x, s->p)), -s->half, s->half); }

static Approach approach_of(hfVec3 a, hfVec3 b) {
  Approach r = {a, b, v3_norm(v3_sub(a, b))};
  return r;
}

// The ends of the overlap, seen along the bisector w of the two directions (B's turned to A's side):
// on each side the segment that ends first gives its end. [0] lies at the lower parameter of A. If the
// segments are nearest at an end, they are so at one of these: were the end of A nearest to a point b
// inside B, then u.(b - a) >= 0 and v.(b - a) = 0, so B reaches farther along w and A ends first.
static void find_ends(const Segment* A, const Segment* B, Approach end[2]) {
  double along = v3_dot(A->u, B->u) < 0 ? -1 : 1;
  hfVec3 w = v3_axpy(along, B->u, A->u);
  double lead = v3_dot(w, v3_sub(B->p, A->p)), slope = v3_dot(w, A->u); // = w.(along B->u)
  for (int k = 0; k < 2; ++k) {
    double side = k ? 1 : -1;
    if (side * lead + slope * (B->half - A->half) < 0) { // B ends first
      hfVec3 b = point_at(B, along * side * B->half);
      end[k] = approach_of(point_at(A, project(A, b)), b);
    } else {
      hfVec3 a = point_at(A, side * A->half);
      end[k] = approach_of(a, point_at(B, project(B, a)));
    }
  }
}

// Nearest points of the two lines where both lie inside the segments; distance = infinity elsewhere.
static Approach find_crossing(const Segment* A, const Segment* B) {
  hfVec3 r = v3_sub(A->p, B->p), w = v3_cross(A->u, B->u);
  double sine2 = v3_norm2(w);
  // r + s u - t v is normal to both lines
  double s = v3_dot(v3_cross(B->u, r), w) / sine2, t = v3_dot(v3_cross(A->u, r), w) / sine2;
  if (!(fabs(s) <= A->half && fabs(t) <= B->half)) {
    Approach none = {A->p, B->p, INFINITY};
    return none;
  }
  return approach_of(point_at(A, s), point_at(B, t));
}

// `shared`: depth that other points carry [m].
static void put_approach(hfiContactPoint* point, Approach x, double radius_a, double radius_b, double shared, hfVec3 fallback, uint32_t feature) {
  hfVec3 n = x.distance > 0 ? v3_scale(1 / x.distance, v3_sub(x.a, x.b)) : fallback;
  put_point(point, v3_axpy(radius_b, n, x.b), n, radius_a + radius_b - x.distance - shared, feature);
}

int hfi_capsule_capsule(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                        hfiContactPoint* points) {
  Segment a = segment_of(A, X_WA), b = segment_of(B, X_WB);
  Approach end[2];
  find_ends(&a, &b, end);
  double least = min2(end[0].distance, end[1].distance), radius = A->size[0] + B->size[0];
  Approach crossing = find_crossing(&a, &b);
  hfVec3 across = v3_unit(v3_cross(a.u, b.u));
  if (!(v3_norm2(across) > 0)) across = m3_col(X_WA->R, 0);
  if (crossing.distance < least - CROSSING * max2(least, radius)) {
    int n = 0;
    for (int k = 0; k < 2; ++k)
      if (end[k].distance < radius) put_approach(points + n++, end[k], A->size[0], B->size[0], 0, across, (uint32_t)k);
    put_approach(points + n, crossing, A->size[0], B->size[0], max2(0, radius - least), across, 2);
    return n ? n + 1 : points[0].depth >= -margin;
  }
  // without an overlap both ends are one pair of points
  int count = v3_norm(v3_sub(end[1].a, end[0].a)) + v3_norm(v3_sub(end[1].b, end[0].b)) > HFI_FLAT_TILT * radius ? 2 : 1;
  for (int k = 0; k < count; ++k) put_approach(points + k, end[k], A->size[0], B->size[0], 0, across, (uint32_t)k);
  return keep_touching(points, count, margin, HFI_FLAT_TILT * min2(a.half, b.half));
}
