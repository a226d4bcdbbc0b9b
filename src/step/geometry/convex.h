// The closest or deepest points of any two bounded shapes.
#ifndef HFI_GEOMETRY_CONVEX_H
#define HFI_GEOMETRY_CONVEX_H

#include "step/geometry/difference_face.h"
#include "step/geometry/nearest.h"

// Finds one contact, in A's frame. Returns 0 if the shapes are farther apart than `far`. last: what is remembered of
// two hulls from one query to the next; it saves work and changes no bit. NULL: nothing is remembered.
int hfi_convex_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                      double far, hfiLastFace* last, hfiContactPoint* single);

// Finds a unit vector n_W from B into A along which the shapes overlap by at most `accuracy` more than along any other,
// and returns this overlap; where they are apart, it is negative, and n_W separates them [m].
double hfi_convex_overlap(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                          double accuracy, hfVec3* n_W);

// The last contact that hfi_convex_single found of two shapes. The same poses give the same contact, to the bit: a step
// that looks for contacts a second time, with a wider margin, need not find it again, nor need later steps while both
// shapes rest.
typedef struct hfiRecent {
  int known;              // 0: there is none
  hfPose X_WA, X_WB;
  hfiContactPoint single; // the contact, in the frame of A
} hfiRecent;

// Is the contact known at these poses?
int hfi_is_recent(const hfiRecent* recent, const hfPose* X_WA, const hfPose* X_WB);
// hfi_convex_convex with such memories; NULL: none.
int hfi_convex_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                           hfiLastFace* last, hfiRecent* recent, hfiContactPoint* points);
// hfi_ellipsoid_box and hfi_cylinder_box with such a memory. Their closed forms leave some contacts to
// hfi_convex_convex, such as a can that stands on a box.
int hfi_ellipsoid_box_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                                  double margin, hfiRecent* recent, hfiContactPoint* points);
int hfi_cylinder_box_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                                 double margin, hfiRecent* recent, hfiContactPoint* points);

// A direction that keeps two shapes apart, remembered from one query to the next.
typedef struct hfiSeparation {
  float n[3];             // the direction in A's frame, from B to A; zero: none is known
  int32_t hint_a, hint_b; // support vertices along this direction
} hfiSeparation;

// Does the remembered direction surely keep the shapes farther apart than the margin?
int hfi_still_apart(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                    hfiSeparation* separation);
// Does a unit vector, or its opposite, surely keep the shapes farther apart than the margin?
int hfi_apart_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 axis_W,
                    double margin);
// Finds a direction that separates two shapes which are apart.
void hfi_find_separation(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                         hfiSeparation* separation);

// Finds the point of a bounded shape's surface that is nearest to a point p outside of it, in the shape's frame. It
// serves shapes without a function of their own. Returns 0 and writes nothing if p is inside or on the surface.
int hfi_nearest_outside(const hfiShape* shape, hfVec3 p, hfiNearest* nearest);

#endif
