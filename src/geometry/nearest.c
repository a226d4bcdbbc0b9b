// Signed distance from a point p to a shape, closed form but for the ellipsoid and the mesh.
//
// Ellipsoid with half axes e: the nearest point is x_i = e_i^2 p_i/(t + e_i^2) with t the largest
// root of F(t) = sum (e_i p_i/(t + e_i^2))^2 - 1 (Eberly, "Distance from a point to an ellipse, an
// ellipsoid, or a hyperellipsoid", 2013). With s = t + e_min^2 > 0 the smallest denominator is s
// itself, free of cancellation; F falls and is convex, so that Newton's method from a point left of
// the root climbs to it.
//
// Mesh: inside, the face whose plane is nearest; outside, GJK with the point.
#include "geometry/nearest.h"

#include "geometry/convex.h"

static double sign_of(double x) { return x < 0 ? -1.0 : 1.0; }

static hfiNearest nearest_sphere(const hfiShape* s, hfVec3 p) {
  double d = v3_norm(p);
  hfVec3 n = d > 0 ? v3_scale(1 / d, p) : v3(0, 0, 1);
  hfiNearest r = {d - s->size[0], v3_scale(s->size[0], n), n};
  return r;
}

static hfiNearest nearest_capsule(const hfiShape* s, hfVec3 p) {
  double z = clamp(p.z, -s->size[1], s->size[1]);
  hfVec3 q = v3(p.x, p.y, p.z - z);
  double d = v3_norm(q);
  hfVec3 n = d > 0 ? v3_scale(1 / d, q) : v3(1, 0, 0);
  hfiNearest r = {d - s->size[0], v3_axpy(s->size[0], n, v3(0, 0, z)), n};
  return r;
}

// Lateral face, cap or rim: the gaps a to the side and b to the caps decide.
static hfiNearest nearest_cylinder(const hfiShape* s, hfVec3 p) {
  double radius = s->size[0], half = s->size[1], rho = sqrt(p.x * p.x + p.y * p.y), inverse = 1 / rho;
  double a = rho - radius, b = fabs(p.z) - half, up = sign_of(p.z);
  hfVec3 radial = rho > 0 && isfinite(inverse) ? v3(p.x * inverse, p.y * inverse, 0) : v3(1, 0, 0);
  if (a > 0 && b > 0) {
    double d = sqrt(a * a + b * b);
    if (d > 0) {
      hfiNearest r = {d, v3(radius * radial.x, radius * radial.y, up * half),
                      v3(a / d * radial.x, a / d * radial.y, b / d * up)};
      return r;
    }
  }
  if (a >= b) {
    hfiNearest r = {a, v3(radius * radial.x, radius * radial.y, p.z), radial};
    return r;
  }
  hfiNearest r = {b, v3(p.x, p.y, up * half), v3(0, 0, up)};
  return r;
}

static hfiNearest nearest_box(const hfiShape* s, hfVec3 p) {
  const double* h = s->size;
  hfVec3 c = v3(clamp(p.x, -h[0], h[0]), clamp(p.y, -h[1], h[1]), clamp(p.z, -h[2], h[2]));
  hfVec3 q = v3_sub(p, c);
  double d = v3_norm(q);
  if (d > 0) {
    hfiNearest r = {d, c, v3_scale(1 / d, q)};
    return r;
  }
  double gx = fabs(p.x) - h[0], gy = fabs(p.y) - h[1], gz = fabs(p.z) - h[2];
  hfVec3 n = gx >= gy && gx >= gz ? v3(sign_of(p.x), 0, 0) : gy >= gz ? v3(0, sign_of(p.y), 0) : v3(0, 0, sign_of(p.z));
  double gap = max2(gx, max2(gy, gz));
  hfiNearest r = {gap, v3_axpy(-gap, n, p), n};
  return r;
}

// Root s of F above, or 0 where the nearest point lies in the direction of the smallest axis alone.
static double solve_secular(const double e[3], const double y[3], const double gap2[3]) {
  double s = 0;
  for (int i = 0; i < 3; ++i) s = max2(s, e[i] * y[i] - gap2[i]);
  for (int k = 0; k < 60; ++k) {
    double F = -1, slope = 0;
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

static hfiNearest nearest_ellipsoid(const hfiShape* shape, hfVec3 p) {
  const double* e = shape->size;
  double y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)}, x[3], gap2[3], inside = -1;
  int least = e[0] <= e[1] ? (e[0] <= e[2] ? 0 : 2) : (e[1] <= e[2] ? 1 : 2);
  for (int i = 0; i < 3; ++i) gap2[i] = (e[i] - e[least]) * (e[i] + e[least]);
  double s = solve_secular(e, y, gap2), rest = 1;
  for (int i = 0; i < 3; ++i) {
    x[i] = s + gap2[i] > 0 ? e[i] * e[i] * y[i] / (s + gap2[i]) : 0;
    rest -= sqr(x[i] / e[i]);
    inside += sqr(y[i] / e[i]);
  }
  if (!(s > 0) && inside < 0) x[least] = e[least] * sqrt(max2(rest, 0));
  hfVec3 point = v3(sign_of(p.x) * x[0], sign_of(p.y) * x[1], sign_of(p.z) * x[2]);
  // scaled by the least axis: no overflow for tiny sizes
  double m = e[least];
  hfVec3 n = v3_unit(v3(point.x * sqr(m / e[0]) / m, point.y * sqr(m / e[1]) / m, point.z * sqr(m / e[2]) / m));
  hfiNearest r = {v3_dot(v3_sub(p, point), n), point, n};
  return r;
}

static hfiNearest nearest_plane(const hfiShape* s, hfVec3 p) {
  (void)s;
  hfiNearest r = {p.z, v3(p.x, p.y, 0), v3(0, 0, 1)};
  return r;
}

static hfiNearest nearest_mesh(const hfiShape* s, hfVec3 p) {
  const hfiHull* hull = s->hull;
  double top = -INFINITY;
  int32_t face = 0;
  for (int32_t f = 0; f < hull->nface; ++f) {
    const double* plane = hull->face_plane + 4 * f;
    double gap = v3_dot(v3_load(plane), p) - plane[3];
    if (gap > top) { top = gap; face = f; }
  }
  hfVec3 n = v3_load(hull->face_plane + 4 * face);
  hfiNearest best = {top, v3_axpy(-top, n, p), n};
  if (!(top > 0)) return best;
  hfiShape point = {HF_GEOM_SPHERE, {0, 0, 0}, NULL};
  hfPose at = {m3_identity(), p}, here = pose_identity();
  hfiContactPoint c;
  if (!hfi_convex_single(&point, &at, s, &here, INFINITY, &c) || !(c.depth < 0)) return best; // on the surface by a rounding
  hfiNearest outside = {-c.depth, v3_add(p, c.p_WCb), c.n_W}; // the contact is in the point's frame
  return outside;
}

hfiNearest hfi_nearest(const hfiShape* s, hfVec3 p) {
  switch (s->type) {
    case HF_GEOM_PLANE: return nearest_plane(s, p);
    case HF_GEOM_SPHERE: return nearest_sphere(s, p);
    case HF_GEOM_CAPSULE: return nearest_capsule(s, p);
    case HF_GEOM_ELLIPSOID: return nearest_ellipsoid(s, p);
    case HF_GEOM_CYLINDER: return nearest_cylinder(s, p);
    case HF_GEOM_BOX: return nearest_box(s, p);
    default: return nearest_mesh(s, p);
  }
}
