// Ellipsoid with the half axes e = size, x = E u over the unit sphere, E = diag(e).
//
// Nearest to a point p: x_i = e_i^2 p_i/(t + e_i^2) with the largest t for which sum (x_i/e_i)^2 = 1 (Eberly, "Distance
// from a point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013). With s = t + e_min^2 > 0 the smallest
// denominator is s itself, without cancellation: s is the largest root of
//
//   F(s) = sum (e_i y_i/(s + e_i^2 - e_min^2))^2 - 1,   y_i = |p_i|
//
// F falls and is convex, so that Newton's method converges from any point left of the root.
#include "step/geometry/shape_table.h"

// The box around the shape, along the axes of the world: its half width along a unit vector d is |E d|.
static hfiAabb ellipsoid_bounds(const hfiShape* s, const hfPose* X) {
  const double* a = s->size;
  double h[3];
  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    h[i] = sqrt(sqr(row[0] * a[0]) + sqr(row[1] * a[1]) + sqr(row[2] * a[2]));
  }
  return hfi_aabb_about(X->p, v3_load(h));
}

// The lowest point x = -E^2 m/|E m| with E = diag(size).
static int plane_ellipsoid(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                           hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);
  hfVec3 e = v3_load(B->size);
  hfVec3 Em = v3_mul(e, m3_tmulv(X_WB->R, plane.m));
  hfVec3 x = v3_scale(-1 / v3_norm(Em), v3_mul(e, Em));
  put_plane_point(points, plane, pose_point(*X_WB, x), 0, 0);
  return points[0].depth >= -margin;
}

static hfVec3 ellipsoid_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  (void)hint;
  hfVec3 e = v3_load(s->size);
  hfVec3 Ed = v3_mul(e, d);
  return v3_scale(1 / v3_norm(Ed), v3_mul(e, Ed));
}

static double ellipsoid_core_size(const hfiShape* s) { return max2(s->size[0], max2(s->size[1], s->size[2])); }

// u^T H v with the Hessian H = E^2/h - (E^2 d)(E^2 d)^T/h^3 of the support function h = |E d|, E the half axes.
static double ellipsoid_curvature(const hfiShape* s, hfVec3 d, hfVec3 u, hfVec3 v) {
  hfVec3 e = v3_load(s->size);
  hfVec3 Ed = v3_mul(e, d);
  hfVec3 Eu = v3_mul(e, u);
  hfVec3 Ev = v3_mul(e, v);
  double h = v3_norm(Ed);
  return (v3_dot(Eu, Ev) - v3_dot(Ed, Eu) * v3_dot(Ed, Ev) / (h * h)) / h;
}

// Returns the largest root s of F [m^2], or 0 if F has no positive root: then the other axes do not fill the sum, and
// the component along the smallest axis is free (ellipsoid_nearest). y: the three |p_i|; gap2: e_i^2 - e_min^2
static double solve_secular(const double e[3], const double y[3], const double gap2[3]) {
  enum { MOST_NEWTON_STEPS = 60 }; // Rounding stops the method earlier; this only bounds the loop.

  // At this s one term of F alone is 1, so that s is left of the root, or s is 0.
  double s = 0;
  for (int i = 0; i < 3; ++i) s = max2(s, e[i] * y[i] - gap2[i]);

  // Newton's method until rounding stops it; `slope` is -F'(s)
  for (int k = 0; k < MOST_NEWTON_STEPS; ++k) {
    double F = -1;
    double slope = 0;
    for (int i = 0; i < 3; ++i) {
      double denominator = s + gap2[i];
      if (!(denominator > 0)) continue; // y_i = 0 here: the term vanishes

      double term = e[i] * y[i] / denominator;
      F += term * term;
      slope += 2 * term * term / denominator;
    }
    if (!(F > 0) || !(slope > 0)) break;

    double next = s + F / slope;
    if (!(next > s)) break;
    s = next;
  }
  return s;
}

// Returns the index of the smallest half axis, the first one of equal ones.
static int find_least_axis(const double* e) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (!(e[least] <= e[i])) least = i;
  return least;
}

// Returns the point of the surface that is nearest to p, in the frame of the ellipsoid.
static hfiNearest ellipsoid_nearest(const hfiShape* shape, hfVec3 p) {
  const double* e = shape->size;
  int least = find_least_axis(e);
  double y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
  double gap2[3];
  for (int i = 0; i < 3; ++i) gap2[i] = (e[i] - e[least]) * (e[i] + e[least]);

  // x_i = e_i^2 y_i/(s + gap2_i), in the octant of y
  double s = solve_secular(e, y, gap2);
  double x[3];
  double rest = 1;
  double inside = -1; // sum (y_i/e_i)^2 - 1 [-]
  for (int i = 0; i < 3; ++i) {
    x[i] = s + gap2[i] > 0 ? e[i] * e[i] * y[i] / (s + gap2[i]) : 0;
    rest -= sqr(x[i] / e[i]);
    inside += sqr(y[i] / e[i]);
  }

  // inside, near the plane across the smallest axis, the rest of the unit length lies along that axis
  if (!(s > 0) && inside < 0) x[least] = e[least] * sqrt(max2(rest, 0));
  hfVec3 point = v3(sign_of(p.x) * x[0], sign_of(p.y) * x[1], sign_of(p.z) * x[2]);

  // n along E^-2 x; divided by the least axis, so that tiny sizes do not overflow
  double m = e[least];
  hfVec3 n = v3_unit(v3(point.x * sqr(m / e[0]) / m, point.y * sqr(m / e[1]) / m, point.z * sqr(m / e[2]) / m));
  hfiNearest r = {v3_dot(v3_sub(p, point), n), point, n};
  return r;
}

// The span of the line o + t d inside: E^-1 makes a unit ball of the shape, and keeps t.
static hfiSpan ellipsoid_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  const double* e = shape->size;
  hfVec3 inverse = v3(1 / e[0], 1 / e[1], 1 / e[2]);
  hfiSpan s = hfi_ball_span(v3_mul(inverse, o), v3_mul(inverse, d), 1);
  for (int k = 0; k < 2; ++k) s.n[k] = v3_unit(v3_mul(inverse, s.n[k])); // the gradient E^-2 x
  return s;
}

const hfiShapeFunctions hfi_ellipsoid = {.max_points = 1,
                                         .bounds = ellipsoid_bounds,
                                         .plane = plane_ellipsoid,
                                         .support = ellipsoid_support,
                                         .core_size = ellipsoid_core_size,
                                         .curvature = ellipsoid_curvature,
                                         .nearest = ellipsoid_nearest,
                                         .span = ellipsoid_span};
