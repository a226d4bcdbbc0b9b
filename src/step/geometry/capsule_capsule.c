// Capsule against capsule: the axis segment of a capsule carries the contact, its radius is added to the depth.
//
// Two segments are nearest either at an end of one of them or, crossing, between. If they overlap along each other,
// both ends of the overlap are contact points, as long as they are within the margin: a capsule that lies along another
// rests on two points, and if it tilts, one of the two leaves. A crossing that is nearer than the ends by more than
// CROSSING_LEAD is a contact point, too, and the only one if neither end overlaps.
//
// An end that overlaps keeps its depth, and the crossing gets only the depth by which it is deeper than both ends. With
// the depths c of the crossing and a >= b of the ends the sum is c + b+: it changes from 2 c to c without a jump while
// the capsules turn from parallel to across. Where capsules overlap so deeply that an end has another normal than the
// crossing, the end keeps a share of its depth only, or none (hfi_end_share).
//
// Features: 0 the end at the lower parameter of A's axis, 1 the other end, 2 a crossing.
#include "step/geometry/rod_axis.h"

// A crossing counts if it is nearer than both ends by this share of their distance, or of the sum of the radii [-].
static const double CROSSING_LEAD = 1e-8;

// Finds the nearest points of the two lines if both lie inside the segments; otherwise the distance is infinite.
static hfiApproach find_crossing(const hfiRodAxis* A, const hfiRodAxis* B) {
  hfVec3 r = v3_sub(A->p, B->p);
  hfVec3 w = v3_cross(A->u, B->u);
  double sine2 = v3_norm2(w);

  // r + s u_A - t u_B is normal to both lines
  double s = v3_dot(v3_cross(B->u, r), w) / sine2;
  double t = v3_dot(v3_cross(A->u, r), w) / sine2;
  if (!(fabs(s) <= A->half && fabs(t) <= B->half)) return (hfiApproach){A->p, B->p, INFINITY};
  return hfi_approach(hfi_axis_point(A, s), hfi_axis_point(B, t));
}

// Returns a unit vector across both axes: the normal of the contact if the axes meet.
static hfVec3 find_across(const hfiRodAxis* A, const hfiRodAxis* B, const hfPose* X_WA) {
  hfVec3 across = v3_unit(v3_cross(A->u, B->u));
  return v3_norm2(across) > 0 ? across : m3_col(X_WA->R, 0);
}

// Finds the nearest points of two capsules in the world. Returns 0 if they are farther apart than `far`.
int hfi_capsule_distance(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                         hfiContactPoint* point) {
  hfiRodAxis axis_a = hfi_axis_of(A, X_WA);
  hfiRodAxis axis_b = hfi_axis_of(B, X_WB);

  // the crossing or one of the ends
  hfiApproach nearest = find_crossing(&axis_a, &axis_b);
  hfiApproach end[2];
  hfi_axis_ends(&axis_a, &axis_b, end);
  for (int k = 0; k < 2; ++k)
    if (end[k].distance < nearest.distance) nearest = end[k];
  if (!(nearest.distance - A->size[0] - B->size[0] <= far)) return 0;

  hfi_put_approach(point, nearest, A->size[0], B->size[0], 0, find_across(&axis_a, &axis_b, X_WA), 0);
  return 1;
}

// Finds the contact points of capsules whose axes cross: the ends that overlap, and the crossing. Returns their number.
// across: the normal where the axes meet.
static int touch_across(const hfiShape* A, const hfiShape* B, hfiApproach crossing, const hfiApproach end[2],
                        hfVec3 across, hfiContactPoint* points) {
  double radius = A->size[0] + B->size[0];
  hfVec3 n = hfi_approach_normal(crossing, radius, across);

  // an end that overlaps keeps the share of its depth whose normal agrees with the crossing's
  int count = 0;
  double deepest = 0;
  for (int k = 0; k < 2; ++k) {
    double depth = radius - end[k].distance;
    double share = hfi_end_share(hfi_approach_normal(end[k], radius, across), n);
    if (!(depth > 0 && share > 0)) continue;

    hfi_put_approach(points + count, end[k], A->size[0], B->size[0], (1 - share) * depth, across, (uint32_t)k);
    count++;
    deepest = max2(deepest, share * depth);
  }

  // the crossing gets the depth by which it is deeper
  hfi_put_approach(points + count, crossing, A->size[0], B->size[0], deepest, across, 2);
  return count + 1;
}

// Finds the contact points of two capsules in the world. Returns their number.
int hfi_capsule_capsule(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                        hfiContactPoint* points) {
  hfiRodAxis axis_a = hfi_axis_of(A, X_WA);
  hfiRodAxis axis_b = hfi_axis_of(B, X_WB);
  double radius = A->size[0] + B->size[0];
  hfVec3 across = find_across(&axis_a, &axis_b, X_WA);
  hfiApproach end[2];
  hfi_axis_ends(&axis_a, &axis_b, end);

  // the axes cross
  double least = min2(end[0].distance, end[1].distance);
  hfiApproach crossing = find_crossing(&axis_a, &axis_b);
  if (crossing.distance < least - CROSSING_LEAD * max2(least, radius)) {
    int count = touch_across(A, B, crossing, end, across, points);
    return count > 1 || points[0].depth >= -margin ? count : 0;
  }

  // the axes overlap along each other; if they do not, both ends are the same pair of points
  double apart = v3_norm(v3_sub(end[1].a, end[0].a)) + v3_norm(v3_sub(end[1].b, end[0].b));
  int count = apart > HFI_FLAT_TILT * radius ? 2 : 1;
  for (int k = 0; k < count; ++k)
    hfi_put_approach(points + k, end[k], A->size[0], B->size[0], 0, across, (uint32_t)k);
  return keep_touching(points, count, margin, HFI_FLAT_TILT * min2(axis_a.half, axis_b.half));
}
