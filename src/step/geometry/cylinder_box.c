// Cylinder (A) against box (B), in closed form where the cylinder's side decides.
//
//   a = p + t u   point of the cylinder's axis, |t| <= half, nearest to the box
//   b             the box's point nearest to a;  d = |a - b|, n = (a - b)/d
//
// The cylinder lies within the capsule of its axis: beyond d = r + margin nothing touches. Between the ends of the axis
// n is across u, and the separation along it is d - r. None can be larger where
//   d >= r   b lies beside the side, |u.(b - p)| <= half: d - r is the distance of two points
//   d < r    b is inside, and no nearer to the caps than r - d: along any direction the cylinder reaches at least that
//            far beyond b
// Elsewhere a cap or its rim may decide. The box is behind b along n, so that the two are apart by the gap between b
// and the cylinder's point c farthest against n,
//   c = p - half sign(u.n) u - r w/|w|,   w = n - (u.n) u
// and if that is not enough, b and n of the box's point nearest to c may show it. If they do not, the general function
// decides.
#include "step/geometry/convex.h"
#include "step/geometry/nearest.h"
#include "step/geometry/pairs.h"
#include "step/geometry/touch.h"

enum { MOST_DIRECTIONS = 2 }; // Number of directions that are tried before the general function.
// w has no direction if the sine of the angle between the normal and the axis is below this [-].
static const double LEAST_SINE = 1e-9;
// The direction of n is not reliable if the axis is nearer to the box than this share of r [-].
static const double LEAST_DISTANCE_SHARE = 1e-3;

// Does the side of the cylinder A decide the contact? All in the frame of the box. t: the parameter of a; near: b, n
// and d.
static int side_decides(const hfiShape* A, hfVec3 p, hfVec3 u, double t, const hfiNearest* near) {
  double radius = A->size[0];
  double half = A->size[1];
  double along = v3_dot(u, v3_sub(near->point, p));
  double overlap = max2(0, radius - near->distance);

  int is_between_ends = fabs(t) < half;
  int has_direction = near->distance > LEAST_DISTANCE_SHARE * radius;
  return is_between_ends && has_direction && fabs(along) + overlap <= half;
}

// Does the direction n from b, or the next one that follows from c, keep the two farther apart than the margin? near:
// b, n and d; in the next round the box's point nearest to c. p and u: centre and direction of the axis.
static int is_apart(const hfiShape* A, const hfiShape* B, hfVec3 p, hfVec3 u, hfiNearest near, double margin) {
  double radius = A->size[0];
  double half = A->size[1];

  for (int k = 0; k < MOST_DIRECTIONS; ++k) {
    double along = v3_dot(u, near.normal);
    hfVec3 cap = v3_axpy(along > 0 ? -half : half, u, p);
    hfVec3 w = v3_axpy(-along, u, near.normal);
    double across = v3_norm(w);
    if (v3_dot(near.normal, v3_sub(cap, near.point)) - radius * across > margin) return 1;

    hfVec3 c = across > LEAST_SINE ? v3_axpy(-radius / across, w, cap) : cap;
    near = hfi_nearest(B, c);
  }
  return 0;
}

// Finds the contact points of a cylinder and a box in the world, with the memory of the last query, which may be NULL.
// Returns their number.
int hfi_cylinder_box_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                                 double margin, hfiRecent* recent, hfiContactPoint* points) {
  double radius = A->size[0];
  double half = A->size[1];
  hfVec3 p = pose_inv_point(*X_WB, X_WA->p);
  hfVec3 u = m3_tmulv(X_WB->R, m3_col(X_WA->R, 2));

  double t;
  hfiNearest near = hfi_axis_nearest(B, p, u, half, &t);
  if (near.distance > radius + margin) return 0;

  // a cap or its rim
  if (!side_decides(A, p, u, t, &near)) {
    if (is_apart(A, B, p, u, near, margin)) return 0;
    return hfi_convex_with_memory(A, X_WA, B, X_WB, margin, NULL, recent, points);
  }

  // the side
  hfiContactPoint single;
  put_point(&single, pose_point(*X_WB, near.point), m3_mulv(X_WB->R, near.normal), radius - near.distance, 0);
  return hfi_touch(A, X_WA, B, X_WB, &single, margin, NULL, points);
}

// Finds the contact points of a cylinder and a box in the world. Returns their number.
int hfi_cylinder_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                     hfiContactPoint* points) {
  return hfi_cylinder_box_with_memory(A, X_WA, B, X_WB, margin, NULL, points);
}
