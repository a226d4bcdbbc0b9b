// Signed distance. Closed forms serve a plane and any shape (a support point), a sphere and any shape (nearest point to
// the centre) and an ellipsoid over the face of a box; GJK and EPA serve all others.
#include "step/geometry/distance.h"

#include "step/geometry/convex.h"
#include "step/geometry/hfield.h"
#include "step/geometry/pairs.h"
#include "step/geometry/support.h"
#include "step/geometry/touch.h"

// A is a plane: finds the lowest point of B. Returns 0 if it is higher than `far`.
static int plane_distance(const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                          hfiContactPoint* point) {
  hfVec3 m = m3_col(X_WA->R, 2);
  int32_t hint = 0;
  hfVec3 core = pose_point(*X_WB, hfi_support(B, m3_tmulv(X_WB->R, v3_neg(m)), &hint));

  double radius = hfi_core_radius(B);
  double gap = v3_dot(m, v3_sub(core, X_WA->p)) - radius;
  if (!(gap <= far)) return 0;

  put_point(point, v3_axpy(-radius, m, core), v3_neg(m), -gap, 0);
  return 1;
}

// Finds the nearest or deepest points of two shapes, in the world. Returns 0 if they are farther apart than `far`, or
// if the two types cannot touch.
int hfi_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                 hfiContactPoint* point) {
  if (A->type > B->type) {
    int found = hfi_distance(B, X_WB, A, X_WA, far, point);
    if (found) swap_point(point);
    return found;
  }

  // pairs that cannot touch, and height fields
  if (B->type == HF_GEOM_PLANE) return 0;
  if (B->type == HF_GEOM_HFIELD) {
    if (A->type == HF_GEOM_PLANE || A->type == HF_GEOM_HFIELD) return 0;
    return hfi_hfield_distance(A, X_WA, B, X_WB, far, point);
  }

  // closed forms
  int are_capsules = A->type == HF_GEOM_CAPSULE && B->type == HF_GEOM_CAPSULE;
  if (A->type == HF_GEOM_PLANE) return plane_distance(X_WA, B, X_WB, far, point);
  if (A->type == HF_GEOM_SPHERE) return hfi_sphere_convex(A, X_WA, B, X_WB, far, point);
  if (are_capsules) return hfi_capsule_distance(A, X_WA, B, X_WB, far, point);

  hfiContactPoint single;
  if (A->type == HF_GEOM_ELLIPSOID && B->type == HF_GEOM_BOX && hfi_ellipsoid_box_face(A, X_WA, B, X_WB, &single)) {
    if (!(-single.depth <= far)) return 0;
    *point = single;
    return 1;
  }

  // all others
  if (!hfi_convex_single(A, X_WA, B, X_WB, far, NULL, &single)) return 0;
  hfi_points_to_world(X_WA, &single, 1);
  *point = single;
  return 1;
}

// Do GJK and EPA find the distance of two shapes?
static int have_no_closed_form(const hfiShape* A, const hfiShape* B) {
  int first = A->type < B->type ? A->type : B->type;
  int second = A->type < B->type ? B->type : A->type;
  return first > HF_GEOM_SPHERE && second != HF_GEOM_HFIELD && second != HF_GEOM_CAPSULE;
}

// Computes the overlap of two shapes [m] up to `accuracy`, and its normal. Returns 0 if the two types cannot touch.
int hfi_rough_overlap(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double accuracy,
                      double* overlap, hfVec3* n) {
  if (have_no_closed_form(A, B)) {
    *overlap = hfi_convex_overlap(A, X_WA, B, X_WB, accuracy, n);
    return 1;
  }

  hfiContactPoint point;
  if (!hfi_distance(A, X_WA, B, X_WB, INFINITY, &point)) return 0;
  *overlap = point.depth;
  *n = point.n_W;
  return 1;
}

// Returns the overlap of two shapes along the unit vector n [m]. A plane overlaps along its own normal alone.
double hfi_overlap_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 n) {
  if (A->type == HF_GEOM_PLANE || B->type == HF_GEOM_PLANE) {
    hfiContactPoint deepest;
    return hfi_distance(A, X_WA, B, X_WB, INFINITY, &deepest) ? deepest.depth : -INFINITY;
  }

  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  return hfi_core_radius(A) + hfi_core_radius(B) - hfi_separation(&cores, m3_tmulv(X_WA->R, n));
}
