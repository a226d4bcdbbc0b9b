// The axes of two capsules or cylinders that lie along each other.
#ifndef HFI_GEOMETRY_ROD_AXIS_H
#define HFI_GEOMETRY_ROD_AXIS_H

#include "step/geometry/pairs.h"

typedef struct hfiRodAxis { hfVec3 p, u; double half; } hfiRodAxis; // centre, unit direction
typedef struct hfiApproach { hfVec3 a, b; double distance; } hfiApproach; // points of A and B

// The axis of a capsule or cylinder.
static inline hfiRodAxis hfi_axis_of(const hfiShape* s, const hfPose* X) { return (hfiRodAxis){X->p, m3_col(X->R, 2), s->size[1]}; }

static inline hfVec3 hfi_axis_point(const hfiRodAxis* s, double t) { return v3_axpy(t, s->u, s->p); }

static inline hfiApproach hfi_approach(hfVec3 a, hfVec3 b) {
  hfiApproach r = {a, b, v3_norm(v3_sub(a, b))};
  return r;
}

static inline double hfi_axis_project(const hfiRodAxis* s, hfVec3 x) { return clamp(v3_dot(s->u, v3_sub(x, s->p)), -s->half, s->half); }

// The two ends of the overlap of A and B, seen along the bisector w of their directions u and v (B's is turned to A's side). On each side, the
// segment that ends first contributes its end, and the other one its point nearest to that end. end[0] lies at the lower parameter of A.
//
// If the segments are nearest at an end of one of them, this pair of points is among the two. Proof: let the end a of A be nearest to a point b
// inside B. Then u.(b - a) >= 0 and v.(b - a) = 0, so that B reaches farther along w, and A ends first.
static inline void hfi_axis_ends(const hfiRodAxis* A, const hfiRodAxis* B, hfiApproach end[2]) {
  double along = v3_dot(A->u, B->u) < 0 ? -1 : 1;
  hfVec3 w = v3_axpy(along, B->u, A->u);
  double lead = v3_dot(w, v3_sub(B->p, A->p)), slope = v3_dot(w, A->u); // = w.(along B->u)
  for (int k = 0; k < 2; ++k) {
    double side = k ? 1 : -1;
    if (side * lead + slope * (B->half - A->half) < 0) { // B ends first
      hfVec3 b = hfi_axis_point(B, along * side * B->half);
      end[k] = hfi_approach(hfi_axis_point(A, hfi_axis_project(A, b)), b);
    } else {
      hfVec3 a = hfi_axis_point(A, side * A->half);
      end[k] = hfi_approach(a, hfi_axis_point(B, hfi_axis_project(B, a)));
    }
  }
}

// Two axes meet if they are nearer to each other than this share of the radii [-]: the difference between them is then rounding and has no reliable
// direction.
static const double HFI_AXES_MEET = 1e-12;

// The normal of the contact of two sides at an approach of their axes. radius: that of A and B together; fallback: the normal of axes that meet.
static inline hfVec3 hfi_approach_normal(hfiApproach x, double radius, hfVec3 fallback) {
  return x.distance > HFI_AXES_MEET * radius ? v3_scale(1 / x.distance, v3_sub(x.a, x.b)) : fallback;
}

// The contact of two sides at an approach of their axes. `shared`: depth that other points carry [m]; fallback: the normal of axes that meet.
static inline void hfi_put_approach(hfiContactPoint* point, hfiApproach x, double radius_a, double radius_b, double shared, hfVec3 fallback, uint32_t feature) {
  hfVec3 n = hfi_approach_normal(x, radius_a + radius_b, fallback);
  put_point(point, v3_axpy(radius_b, n, x.b), n, radius_a + radius_b - x.distance - shared, feature);
}

#endif
