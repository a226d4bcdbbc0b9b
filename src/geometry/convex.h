// The closest or deepest points of any two bounded shapes.
#ifndef HFI_GEOMETRY_CONVEX_H
#define HFI_GEOMETRY_CONVEX_H

#include "geometry/difference_face.h"
#include "geometry/nearest.h"

// One contact, in A's frame, of shapes less than `far` apart; 0 where they are farther. last: what is remembered of two hulls from one query to the
// next, which spares work and changes no bit; NULL: nothing.
int hfi_convex_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                      double far, hfiLastFace* last, hfiContactPoint* single);
// hfi_convex_convex with a memory.
int hfi_convex_again(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiLastFace* last,
                     hfiContactPoint* points);

// A direction that keeps two shapes apart, remembered from one query to the next.
typedef struct hfiSeparation {
  float n[3];            // in A's frame, from B to A; zero: none is known
  int32_t hint_a, hint_b; // support vertices along it
} hfiSeparation;

// Whether the direction still keeps them farther apart than the margin, and surely so.
int hfi_still_apart(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiSeparation* separation);
// Whether a unit vector, or its opposite, keeps them farther apart than the margin, and surely so.
int hfi_apart_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 axis_W, double margin);
// Finds a direction for two shapes that are apart.
void hfi_find_separation(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfiSeparation* separation);

// The point of a bounded shape's surface nearest to a point p outside, in the shape's frame, for shapes without a function of
// their own. Returns 0, and no point, where p is inside or on the surface.
int hfi_nearest_outside(const hfiShape* shape, hfVec3 p, hfiNearest* nearest);

#endif
