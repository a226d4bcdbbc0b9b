// The axes of two rods that lie along each other: capsules, sides of cylinders, straight edges.
#ifndef HFI_GEOMETRY_ROD_AXIS_H
#define HFI_GEOMETRY_ROD_AXIS_H

#include "step/geometry/pairs.h"

// The segment p + t u, |t| <= half.
typedef struct hfiRodAxis {
  hfVec3 p;    // centre
  hfVec3 u;    // unit direction
  double half; // half of the length [m]
} hfiRodAxis;

// Two points of two axes that face each other.
typedef struct hfiApproach {
  hfVec3 a, b;     // point of A's axis and of B's
  double distance; // between them [m]
} hfiApproach;

// The axis of a capsule or cylinder at pose X.
static inline hfiRodAxis hfi_axis_of(const hfiShape* shape, const hfPose* X) {
  return (hfiRodAxis){X->p, m3_col(X->R, 2), shape->size[1]};
}

// The point of an axis at the parameter t [m].
static inline hfVec3 hfi_axis_point(const hfiRodAxis* axis, double t) { return v3_axpy(t, axis->u, axis->p); }

static inline hfiApproach hfi_approach(hfVec3 a, hfVec3 b) { return (hfiApproach){a, b, v3_norm(v3_sub(a, b))}; }

// The parameter of the point of an axis that is nearest to x [m].
static inline double hfi_axis_project(const hfiRodAxis* axis, hfVec3 x) {
  return clamp(v3_dot(axis->u, v3_sub(x, axis->p)), -axis->half, axis->half);
}

// Finds the two ends of the overlap of A and B, seen along the bisector w of their directions u and v, B's turned to
// A's side. On each side, the segment that ends first contributes its end, and the other one its point nearest to that
// end. end[0] lies at the lower parameter of A.
//
// If the segments are nearest at an end of one of them, this pair of points is among the two. Proof: let the end a of A
// be nearest to a point b inside B. Then u.(b - a) >= 0 and v.(b - a) = 0, so that B reaches farther along w, and A
// ends first.
static inline void hfi_axis_ends(const hfiRodAxis* A, const hfiRodAxis* B, hfiApproach end[2]) {
  double along = v3_dot(A->u, B->u) < 0 ? -1 : 1; // -1: B runs against A
  hfVec3 w = v3_axpy(along, B->u, A->u);
  double lead = v3_dot(w, v3_sub(B->p, A->p));
  double slope = v3_dot(w, A->u); // the same for both: w.u = w.(along v)

  for (int k = 0; k < 2; ++k) {
    double side = k ? 1 : -1;
    int B_ends_first = side * lead + slope * (B->half - A->half) < 0;

    if (B_ends_first) {
      hfVec3 b = hfi_axis_point(B, along * side * B->half);
      end[k] = hfi_approach(hfi_axis_point(A, hfi_axis_project(A, b)), b);
    } else {
      hfVec3 a = hfi_axis_point(A, side * A->half);
      end[k] = hfi_approach(a, hfi_axis_point(B, hfi_axis_project(B, a)));
    }
  }
}

// Two axes meet if they are nearer to each other than this share of the sum of the radii [-]. Then the difference
// between them is rounding and has no reliable direction.
static const double HFI_AXES_MEET_SHARE = 1e-12;

// The normal of the contact of two rods at an approach of their axes, from B into A.
//   radius    sum of both radii [m]
//   fallback  the normal where the axes meet
static inline hfVec3 hfi_approach_normal(hfiApproach approach, double radius, hfVec3 fallback) {
  if (!(approach.distance > HFI_AXES_MEET_SHARE * radius)) return fallback;
  return v3_scale(1 / approach.distance, v3_sub(approach.a, approach.b));
}

// Writes the contact of two rods at an approach of their axes.
//   shared    depth that other points carry [m]
//   fallback  the normal where the axes meet
static inline void hfi_put_approach(hfiContactPoint* point, hfiApproach approach, double radius_a, double radius_b,
                                    double shared, hfVec3 fallback, uint32_t feature) {
  hfVec3 n = hfi_approach_normal(approach, radius_a + radius_b, fallback);
  double depth = radius_a + radius_b - approach.distance - shared;
  put_point(point, v3_axpy(radius_b, n, approach.b), n, depth, feature);
}

#endif
