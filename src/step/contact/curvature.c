// Curvature of a geom at a contact, by its shape. A ball of radius r has k = 1/r along both tangents. The side of a
// capsule or cylinder has k across its axis a, and none along it:
//
//   C = k (I - a a^T), a in the tangent plane
//
// The curvature of an ellipsoid with the half axes E, where its normal is n, is the inverse of the Hessian H across n
// of its support function s = |E n| (docs/theory/convex.md):
//
//   H = E^2/s - (E^2 n)(E^2 n)^T/s^3
//
// The rim of a cylinder of radius R, whose axis a is at the angle th from n, has along its tangent e = a x n/sin th the
// Hessian R/sin th:
//
//   C = sin th/R e e^T
#include "step/contact/curvature.h"

#include "model/shape.h"

// Cosines of the angle between the contact's normal and the shape's axis [-]. Below the first, the side of a capsule or
// cylinder touches; above the second, the flat end of a cylinder; between them its rim.
static const double SIDE_COSINE = 0.02;
static const double END_COSINE = 0.9998;

// A cylinder rolls on its rim if the contact is at most as deep as the first number times radius and sine of the tilt
// [-]. If it is deeper, other points of the rim touch, too, and these do not move with the tilt
// (step/geometry/manifold.h). The deepest point of a cap that lies has the depth that it is deeper than those, at most
// 1 - cos(45 degrees) = 0.293 of radius and tilt: it moves along the rim, and counts. A point belongs to the rim if its
// distance from the axis is at least the second number times the radius [-].
static const double ROLLING_DEPTH_SHARE = 0.3;
static const double RIM_RADIUS_SHARE = 0.99;

static hfiCurvature find_ball_curvature(double radius) { return (hfiCurvature){1 / radius, 0, 1 / radius}; }

// Returns the curvature of the side of a capsule or cylinder, whose axis may be tilted out of the tangent plane a
// little.
static hfiCurvature find_side_curvature(double radius, hfVec3 axis, const hfiContact* c) {
  double x = v3_dot(axis, c->t1);
  double y = v3_dot(axis, c->t2);
  double k = 1 / (radius * (x * x + y * y));
  return (hfiCurvature){k * y * y, 0 - k * x * y, k * x * x}; // 0 - x, not -x: a zero is positive, for atan2
}

// Returns R/sin(tilt) if the geom is a cylinder that rolls on its rim at contact c; otherwise 0 [m].
double hfi_rim_radius(const hfDynamics* d, const hfiContact* c, int geom) {
  if (hf_model_geom_type(d->model)[geom] != HF_GEOM_CYLINDER) return 0;

  const hfPose* X = &d->X_WG[geom];
  hfVec3 axis = m3_col(X->R, 2);
  double radius = hf_model_geom_size(d->model)[3 * geom];
  double sine = v3_norm(v3_cross(axis, c->n));
  if (!(c->depth <= ROLLING_DEPTH_SHARE * radius * sine) || fabs(v3_dot(axis, c->n)) <= SIDE_COSINE) return 0;

  // a point of the rim, not of the side or cap
  double distance = v3_norm(v3_cross(axis, v3_sub(c->p_W, X->p)));
  return distance >= RIM_RADIUS_SHARE * radius ? radius / sine : 0;
}

// Returns the curvature of a rim. radius: R/sin th [m]; axis: of the cylinder.
static hfiCurvature find_rim_curvature(double radius, hfVec3 axis, const hfiContact* c) {
  hfVec3 e = v3_unit(v3_cross(axis, c->n));
  double x = v3_dot(e, c->t1);
  double y = v3_dot(e, c->t2);
  return (hfiCurvature){x * x / radius, x * y / radius, y * y / radius};
}

// Writes the curvature of a cylinder where contact c touches it, and returns what it touches: rim, side or cap (smooth;
// a cap has no curvature), or an edge. On a cap or an edge *out stays as it is.
static hfiTouched find_cylinder_curvature(const hfDynamics* d, const hfiContact* c, int geom, hfiCurvature* out) {
  hfVec3 axis = m3_col(d->X_WG[geom].R, 2);
  double cosine = fabs(v3_dot(axis, c->n));
  double rim = hfi_rim_radius(d, c, geom);

  if (rim > 0) {
    *out = find_rim_curvature(rim, axis, c);
    return HFI_TOUCHED_RIM;
  }
  if (cosine <= SIDE_COSINE) {
    *out = find_side_curvature(hf_model_geom_size(d->model)[3 * geom], axis, c);
    return HFI_TOUCHED_SMOOTH;
  }
  return cosine > END_COSINE ? HFI_TOUCHED_SMOOTH : HFI_TOUCHED_EDGE;
}

// Writes the inverse of H in the axes t1 and t2. n, t1 and t2 are those of the contact, in the frame of the ellipsoid.
// Returns 0 if numbers overflow.
static int find_ellipsoid_curvature(const double* size, hfVec3 n, hfVec3 t1, hfVec3 t2, hfiCurvature* out) {
  hfVec3 E2 = v3(sqr(size[0]), sqr(size[1]), sqr(size[2]));
  hfVec3 E2n = v3_mul(E2, n);
  double s = sqrt(v3_dot(n, E2n));
  double s3 = s * s * s;
  double a = v3_dot(t1, E2n);
  double b = v3_dot(t2, E2n);

  // the entries of H
  double h11 = v3_dot(t1, v3_mul(E2, t1)) / s - a * a / s3;
  double h22 = v3_dot(t2, v3_mul(E2, t2)) / s - b * b / s3;
  double h12 = v3_dot(t1, v3_mul(E2, t2)) / s - a * b / s3;
  double det = h11 * h22 - h12 * h12;
  if (!(det > 0)) return 0;

  *out = (hfiCurvature){h22 / det, -h12 / det, h11 / det};
  return 1;
}

// Writes the curvature of a geom, one of the two of contact c, where c touches it: along t1 and t2 [1/m]. Returns
// what c touches: something smooth, a rim or an edge. Where it is flat, or at an edge, the curvature is zero.
hfiTouched hfi_contact_curvature(const hfDynamics* d, const hfiContact* c, int geom, hfiCurvature* out) {
  const double* size = hf_model_geom_size(d->model) + 3 * geom;
  const hfMat3* R = &d->X_WG[geom].R;
  hfVec3 axis = m3_col(*R, 2);

  *out = (hfiCurvature){0, 0, 0};
  switch (hf_model_geom_type(d->model)[geom]) {
  case HF_GEOM_SPHERE: *out = find_ball_curvature(size[0]); break;
  // A mesh may stand for something round. It is taken as its bounding ball, which has the least curvature that the
  // whole mesh can have.
  case HF_GEOM_MESH: *out = find_ball_curvature(hf_model_geom_rbound(d->model)[geom]); break;
  case HF_GEOM_CAPSULE:
    if (fabs(v3_dot(axis, c->n)) > SIDE_COSINE) *out = find_ball_curvature(size[0]);
    else *out = find_side_curvature(size[0], axis, c);
    break;
  case HF_GEOM_CYLINDER: return find_cylinder_curvature(d, c, geom, out);
  case HF_GEOM_ELLIPSOID: {
    hfVec3 n = m3_tmulv(*R, c->n);
    hfVec3 t1 = m3_tmulv(*R, c->t1);
    hfVec3 t2 = m3_tmulv(*R, c->t2);
    if (!find_ellipsoid_curvature(size, n, t1, t2, out)) return HFI_TOUCHED_EDGE;
    break;
  }
  }
  return HFI_TOUCHED_SMOOTH;
}

// Returns the largest radius of curvature of a geom, where it is not straight; 0 if it is nowhere round [m].
double hfi_largest_radius(const hfModel* m, int geom) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  int type = hf_model_geom_type(m)[geom];

  if (type == HF_GEOM_MESH) return hf_model_geom_rbound(m)[geom];
  if (hfi_shape_kinds[type].curvature == HFI_FLAT) return 0;
  if (type != HF_GEOM_ELLIPSOID) return size[0];
  return sqr(max2(size[0], max2(size[1], size[2]))) / min2(size[0], min2(size[1], size[2]));
}
