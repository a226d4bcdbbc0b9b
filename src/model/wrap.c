// A thread from p0 to p1 past a circle of radius r about the origin.
//
// Outside: for the sense s = +1 (counter-clockwise) or -1 the thread leaves p0 along a tangent, follows the circle and leaves
// it along a tangent through p1. With e = (-y, x) of a point p = (x, y), beta = acos(r/|p|) and alpha the direction of p,
//
//   t0 = (r^2 p0 + s r sqrt(|p0|^2 - r^2) e0)/|p0|^2       tangent point of p0
//   t1 = (r^2 p1 - s r sqrt(|p1|^2 - r^2) e1)/|p1|^2       tangent point of p1
//   angle = (s (alpha1 - alpha0) mod 2 pi) - beta0 - beta1    of the arc
//
// The thread takes the shorter way round, and is straight if the straight line misses the circle. But if a side is given and lies opposite of both
// points (-side is in the sector between p0 and p1), it takes the longer way, whether or not the line misses.
//
// Inside: a thread that must pass through the circle but would miss it touches it at one point t, where
// |p0 - t| + |t - p1| is stationary. With a = |p| and phi the angle of t measured from p,
//
//   d|p - t|/dphi = a r sin(phi)/|p - t|
//
// grows with phi while p sees t, up to phi = beta. On the arc that both points see, the sum of the two derivatives therefore
// has one zero, which a safeguarded Newton method finds.
//
// A sphere is a circle in the plane of p0, p1 and its centre. A cylinder is a circle seen along its axis; unrolled, the way is
// straight, so that z grows evenly along it.
#include "math/elementary.h"
#include "model/path.h"
#include <stddef.h>

typedef struct Point2 { double x, y; } Point2;

static double dot2(Point2 a, Point2 b) { return a.x * b.x + a.y * b.y; }
static double cross2(Point2 a, Point2 b) { return a.x * b.y - a.y * b.x; }
static double norm2(Point2 a) { return sqrt(dot2(a, a)); }
static Point2 between(Point2 a, Point2 b, double share) {
  Point2 r = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
  return r;
}

// The way past the circle: points of touch and the angle of the arc; angle < 0: straight.
typedef struct Arc { Point2 t[2]; double angle; } Arc;

static const Arc STRAIGHT = {{{0, 0}, {0, 0}}, -1};

// ---- outside ----------------------------------------------------------------------------------------

static Point2 tangent_point(Point2 p, double r, double sense) {
  double a2 = dot2(p, p), along = r * r / a2, across = sense * r * sqrt(max2(0, a2 - r * r)) / a2;
  Point2 t = {along * p.x - across * p.y, along * p.y + across * p.x};
  return t;
}

static Arc arc_of_sense(Point2 p0, Point2 p1, double r, double sense) {
  double turn = sense * hfi_atan2(cross2(p0, p1), dot2(p0, p1));
  if (turn < 0) turn += 2 * HFI_PI;
  Arc arc = {{tangent_point(p0, r, sense), tangent_point(p1, r, -sense)}, turn - hfi_acos(r / norm2(p0)) - hfi_acos(r / norm2(p1))};
  return arc;
}

static Point2 nearest_to_centre(Point2 p0, Point2 p1) {
  Point2 d = {p1.x - p0.x, p1.y - p0.y};
  double d2 = dot2(d, d);
  return between(p0, p1, d2 > 0 ? clamp(-dot2(p0, d) / d2, 0, 1) : 0);
}

// Is the side opposite of both points: does -side lie in the sector between them?
static int is_opposite(Point2 p0, Point2 p1, Point2 side) {
  double turn = cross2(p0, p1);
  return turn * cross2(p0, side) < 0 && turn * cross2(side, p1) < 0;
}

static Arc wrap_outside(Point2 p0, Point2 p1, double r, const Point2* side) {
  Point2 near = nearest_to_centre(p0, p1);
  double short_sense = cross2(p0, p1) < 0 ? -1 : 1;
  if (side && is_opposite(p0, p1, *side)) return arc_of_sense(p0, p1, r, -short_sense);
  return dot2(near, near) > r * r ? STRAIGHT : arc_of_sense(p0, p1, r, short_sense);
}

// ---- inside -----------------------------------------------------------------------------------------

// Slope and curvature of |p - t| along the circle, at the angle phi of t from p, |p| = a.
static void add_slope(double a, double r, double phi, double* slope, double* curvature) {
  hfiSine turn = hfi_sine(phi);
  double f = sqrt(max2(0, a * a + r * r - 2 * a * r * turn.cos));
  if (!(f > 0)) return;
  double s = a * r * turn.sin / f;
  *slope += s;
  *curvature += (a * r * turn.cos - s * s) / f;
}

// The angle of the point of touch, from p0 towards p1, which lie `turn` apart and a0, a1 from the centre.
static double touch_angle(double a0, double a1, double r, double turn) {
  enum { MOST_STEPS = 60 }; // Bisection alone reaches the last bit in this many steps.
  double lo = max2(0, turn - hfi_acos(r / a1)), hi = min2(turn, hfi_acos(r / a0)), phi = 0.5 * (lo + hi);
  for (int i = 0; i < MOST_STEPS; ++i) {
    double slope = 0, curvature = 0, back = 0;
    add_slope(a0, r, phi, &slope, &curvature);
    add_slope(a1, r, turn - phi, &back, &curvature);
    slope -= back;
    if (slope < 0) lo = phi;
    else hi = phi;
    double next = curvature > 0 ? phi - slope / curvature : lo;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (next == phi) break;
    phi = next;
  }
  return phi;
}

static Arc wrap_inside(Point2 p0, Point2 p1, double r) {
  Point2 near = nearest_to_centre(p0, p1);
  if (dot2(near, near) <= r * r) return STRAIGHT;
  double turn = hfi_atan2(cross2(p0, p1), dot2(p0, p1)), a0 = norm2(p0);
  hfiSine touch = hfi_sine(copysign(touch_angle(a0, norm2(p1), r, fabs(turn)), turn));
  double c = touch.cos * r / a0, s = touch.sin * r / a0;
  Point2 t = {c * p0.x - s * p0.y, c * p0.y + s * p0.x};
  Arc arc = {{t, t}, 0};
  return arc;
}

// ---- sphere and cylinder ----------------------------------------------------------------------------

// Unit vector along the part of p that is perpendicular to the unit vector e; any perpendicular vector if this part is zero.
static hfVec3 across(hfVec3 p, hfVec3 e) {
  hfVec3 rest = v3_axpy(-v3_dot(p, e), e, p), t1, t2;
  if (v3_norm2(rest) > 1e-24 * v3_norm2(p)) return v3_unit(rest);
  v3_tangents(e, &t1, &t2);
  return t1;
}

static hfiWrap lift_to_cylinder(const Arc* arc, double r, hfVec3 p0, hfVec3 p1) {
  Point2 start = {p0.x, p0.y}, end = {p1.x, p1.y};
  Point2 first = {arc->t[0].x - start.x, arc->t[0].y - start.y}, last = {end.x - arc->t[1].x, end.y - arc->t[1].y};
  double in = norm2(first), round = r * arc->angle, out = norm2(last), rise = (p1.z - p0.z) / (in + round + out);
  hfiWrap w = {1, {v3(arc->t[0].x, arc->t[0].y, p0.z + rise * in), v3(arc->t[1].x, arc->t[1].y, p1.z - rise * out)},
               sqrt(sqr(round) + sqr(rise * round))};
  return w;
}

static Point2 project(hfVec3 p, hfVec3 e1, hfVec3 e2) {
  Point2 r = {v3_dot(p, e1), v3_dot(p, e2)};
  return r;
}

hfiWrap hfi_wrap(const hfiObstacle* o, hfVec3 p0, hfVec3 p1) {
  hfiWrap straight = {0};
  hfVec3 e1 = o->is_cylinder ? v3(1, 0, 0) : v3_unit(p0), e2 = o->is_cylinder ? v3(0, 1, 0) : across(p1, e1);
  Point2 q0 = project(p0, e1, e2), q1 = project(p1, e1, e2), side = project(o->side, e1, e2);
  double r = o->radius;
  if (!(norm2(q0) > r && norm2(q1) > r)) return straight; // A thread that starts inside is straight.
  int inside = o->has_side && v3_norm2(o->side) < r * r;
  Arc arc = inside ? wrap_inside(q0, q1, r) : wrap_outside(q0, q1, r, o->has_side ? &side : NULL);
  if (arc.angle < 0) return straight;
  if (o->is_cylinder) return lift_to_cylinder(&arc, r, p0, p1);
  hfiWrap w = {1, {v3_zero(), v3_zero()}, r * arc.angle};
  for (int i = 0; i < 2; ++i) w.p[i] = v3_axpy(arc.t[i].x, e1, v3_scale(arc.t[i].y, e2));
  return w;
}
