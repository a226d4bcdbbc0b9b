// A thread from p0 to p1 past a circle of radius r about the origin.
//
// Outside: for the sense s = +1 (counter-clockwise) or -1 the thread leaves p0 along a tangent, follows the circle and
// leaves it along a tangent through p1. With e = (-y, x) of a point p = (x, y), beta = acos(r/|p|) and alpha the
// direction of p,
//
//   t0 = (r^2 p0 + s r sqrt(|p0|^2 - r^2) e0)/|p0|^2       tangent point of p0
//   t1 = (r^2 p1 - s r sqrt(|p1|^2 - r^2) e1)/|p1|^2       tangent point of p1
//   angle = (s (alpha1 - alpha0) mod 2 pi) - beta0 - beta1    of the arc
//
// The thread takes the shorter way round, and is straight if the straight line misses the circle. But if a side is
// given and lies opposite of both points (-side is in the sector between p0 and p1), it takes the longer way, whether
// or not the line misses.
//
// Inside: a thread that must pass through the circle but would miss it touches it at one point t, where
// |p0 - t| + |t - p1| is stationary. With a = |p| and phi the angle of t measured from p,
//
//   d|p - t|/dphi = a r sin(phi)/|p - t|
//
// grows with phi while p sees t, up to phi = beta. On the arc that both points see, the sum of the two derivatives
// therefore has one zero, which a safeguarded Newton method finds.
//
// A sphere is a circle in the plane of p0, p1 and its centre. A cylinder is a circle seen along its axis; unrolled, the
// way is straight, so that z grows evenly along it.
#include "math/elementary.h"
#include "model/path.h"

// ---- points of a plane -----------------------------------------------------------------------------

typedef struct Point2 {
  double x, y;
} Point2;

static double dot2(Point2 a, Point2 b) { return a.x * b.x + a.y * b.y; }
static double cross2(Point2 a, Point2 b) { return a.x * b.y - a.y * b.x; }
static double norm2(Point2 a) { return sqrt(dot2(a, a)); }
static Point2 sub2(Point2 a, Point2 b) { return (Point2){a.x - b.x, a.y - b.y}; }

// The way past the circle.
typedef struct Arc {
  Point2 t[2];  // points of touch [m]
  double angle; // of the arc between them [rad]; < 0: the way is straight
} Arc;

static const Arc STRAIGHT = {.angle = -1};

// ---- outside ---------------------------------------------------------------------------------------

// The point where the tangent of this sense from p touches the circle.
static Point2 tangent_point(Point2 p, double r, double sense) {
  double a2 = dot2(p, p);
  double along = r * r / a2;
  double across = sense * r * sqrt(max2(0, a2 - r * r)) / a2;
  return (Point2){along * p.x - across * p.y, along * p.y + across * p.x};
}

// The way around the circle in this sense.
static Arc arc_of_sense(Point2 p0, Point2 p1, double r, double sense) {
  double turn = sense * hfi_atan2(cross2(p0, p1), dot2(p0, p1));
  if (turn < 0) turn += 2 * HFI_PI;
  double angle = turn - hfi_acos(r / norm2(p0)) - hfi_acos(r / norm2(p1));
  return (Arc){{tangent_point(p0, r, sense), tangent_point(p1, r, -sense)}, angle};
}

// The point of the straight line from p0 to p1 that is nearest to the centre.
static Point2 nearest_to_centre(Point2 p0, Point2 p1) {
  Point2 d = sub2(p1, p0);
  double d2 = dot2(d, d);
  double share = d2 > 0 ? clamp(-dot2(p0, d) / d2, 0, 1) : 0;
  return (Point2){p0.x + share * (p1.x - p0.x), p0.y + share * (p1.y - p0.y)};
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

// ---- inside ----------------------------------------------------------------------------------------

// Adds slope and curvature of |p - t| along the circle, at the angle phi of t from p, |p| = a.
static void add_slope(double a, double r, double phi, double* slope, double* curvature) {
  hfiSine turn = hfi_sine(phi);
  double f = sqrt(max2(0, a * a + r * r - 2 * a * r * turn.cos));
  if (!(f > 0)) return;
  double s = a * r * turn.sin / f;
  *slope += s;
  *curvature += (a * r * turn.cos - s * s) / f;
}

// Returns the angle phi of the point of touch inside the circle [rad], from p0 towards p1. These lie `turn` [rad] apart
// and a0, a1 from the centre. A safeguarded Newton method: [low, high] holds the zero of the slope of
// |p0 - t| + |t - p1| (file's head).
static double find_touch_angle(double a0, double a1, double r, double turn) {
  enum { MAX_ANGLE_STEPS = 60 }; // bisection alone reaches the last bit in this many steps
  double low = max2(0, turn - hfi_acos(r / a1));
  double high = min2(turn, hfi_acos(r / a0));
  double phi = 0.5 * (low + high);

  for (int i = 0; i < MAX_ANGLE_STEPS; ++i) {
    // the slope of the length: that of p0's part, less that of p1's part, which is measured from p1 back
    double slope = 0;
    double back = 0;
    double curvature = 0;
    add_slope(a0, r, phi, &slope, &curvature);
    add_slope(a1, r, turn - phi, &back, &curvature);
    slope -= back;
    if (slope < 0) low = phi;
    else high = phi;

    // Newton's step, or the middle where it leaves the interval
    double next = curvature > 0 ? phi - slope / curvature : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == phi) break;
    phi = next;
  }

  return phi;
}

// Finds the way through the circle: it touches at one point, or is straight if the line meets the circle.
static Arc wrap_inside(Point2 p0, Point2 p1, double r) {
  Point2 near = nearest_to_centre(p0, p1);
  if (dot2(near, near) <= r * r) return STRAIGHT;

  // p0, turned by the angle of touch and shortened to the circle
  double turn = hfi_atan2(cross2(p0, p1), dot2(p0, p1));
  double a0 = norm2(p0);
  hfiSine touch = hfi_sine(copysign(find_touch_angle(a0, norm2(p1), r, fabs(turn)), turn));
  double c = touch.cos * r / a0;
  double s = touch.sin * r / a0;
  Point2 t = {c * p0.x - s * p0.y, c * p0.y + s * p0.x};

  return (Arc){{t, t}, 0};
}

// ---- sphere and cylinder ---------------------------------------------------------------------------

// Returns the unit vector along the part of p that is perpendicular to the unit vector e; any perpendicular vector if
// this part is zero.
static hfVec3 perpendicular_unit(hfVec3 p, hfVec3 e) {
  hfVec3 rest = v3_axpy(-v3_dot(p, e), e, p);
  if (v3_norm2(rest) > 1e-24 * v3_norm2(p)) return v3_unit(rest);

  hfVec3 t1;
  hfVec3 t2;
  v3_tangents(e, &t1, &t2);
  return t1;
}

// Returns the way around a cylinder whose axis is z, from the way of its projection: z grows evenly along it.
static hfiWrap lift_to_cylinder(const Arc* arc, double r, hfVec3 p0, hfVec3 p1) {
  double in = norm2(sub2(arc->t[0], (Point2){p0.x, p0.y}));
  double out = norm2(sub2((Point2){p1.x, p1.y}, arc->t[1]));
  double round = r * arc->angle;
  double rise = (p1.z - p0.z) / (in + round + out); // per length along the way seen from above

  hfVec3 first = v3(arc->t[0].x, arc->t[0].y, p0.z + rise * in);
  hfVec3 last = v3(arc->t[1].x, arc->t[1].y, p1.z - rise * out);
  return (hfiWrap){.touches = 1,
                   .p = {first, last},
                   .curve = sqrt(sqr(round) + sqr(rise * round))};
}

static Point2 project(hfVec3 p, hfVec3 e1, hfVec3 e2) { return (Point2){v3_dot(p, e1), v3_dot(p, e2)}; }

// Finds the way of a thread from p0 to p1 past a sphere or cylinder, in the frame of this obstacle: the points where it
// touches and the length of the curve, or no touch. It projects the points into the plane of the circle, finds the arc
// there, and lifts it back.
hfiWrap hfi_wrap(const hfiObstacle* o, hfVec3 p0, hfVec3 p1) {
  // the plane of the circle, spanned by e1 and e2; a cylinder has its axis along z
  hfVec3 e1 = o->is_cylinder ? v3(1, 0, 0) : v3_unit(p0);
  hfVec3 e2 = o->is_cylinder ? v3(0, 1, 0) : perpendicular_unit(p1, e1);
  Point2 q0 = project(p0, e1, e2);
  Point2 q1 = project(p1, e1, e2);
  Point2 side = project(o->side, e1, e2);

  // a thread that starts or ends inside is straight; norm2 is the length of a vector of the plane
  double r = o->radius;
  if (!(norm2(q0) > r && norm2(q1) > r)) return (hfiWrap){0};

  Arc arc;
  // a side inside of the obstacle asks for the way through it; an angle below zero: the thread touches nothing
  if (!o->has_side) arc = wrap_outside(q0, q1, r, NULL);
  else if (v3_norm2(o->side) < r * r) arc = wrap_inside(q0, q1, r);
  else arc = wrap_outside(q0, q1, r, &side);
  if (arc.angle < 0) return (hfiWrap){0};
  if (o->is_cylinder) return lift_to_cylinder(&arc, r, p0, p1);

  hfiWrap w = {.touches = 1, .curve = r * arc.angle};
  for (int i = 0; i < 2; ++i) w.p[i] = v3_axpy(arc.t[i].x, e1, v3_scale(arc.t[i].y, e2));
  return w;
}
