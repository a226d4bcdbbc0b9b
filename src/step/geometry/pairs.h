// For the pair functions: what they share, and the list of those that serve a pair better than the general ones.
//
// A pair function collides A with B where hfGeomType(A) <= hfGeomType(B); hfi_collide swaps when
// needed. n is the unit normal from B into A throughout.
#ifndef HFI_GEOMETRY_PAIRS_H
#define HFI_GEOMETRY_PAIRS_H

#include "step/geometry/shape.h"

// A flat contact keeps all its points while the shapes are tilted by less than about this angle [rad]. For this, a
// point whose gap exceeds the margin by less than HFI_FLAT_TILT times the size of the shape stays as long as another
// point of the pair is within the margin.
static const double HFI_FLAT_TILT = 4e-6;

typedef int hfiPairFunction(const hfiShape* A, const hfPose* X_WA, const hfiShape* B,
                            const hfPose* X_WB, double margin, hfiContactPoint* points);

hfiPairFunction hfi_sphere_sphere, hfi_sphere_convex;
hfiPairFunction hfi_capsule_capsule, hfi_capsule_box, hfi_ellipsoid_box, hfi_cylinder_box, hfi_box_box;
hfiPairFunction hfi_capsule_distance; // the nearest points of two capsules, as hfi_distance gives them
// How deep two boxes overlap, 0 if they do not [m].
double hfi_box_box_depth(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB);
hfiPairFunction hfi_convex_convex; // any two bounded shapes
hfiPairFunction hfi_convex_hfield; // any bounded convex shape and a height field

// The function that collides a lower with a higher type; NULL: the two cannot touch.
hfiPairFunction* hfi_pair_function(int type_a, int type_b);

// Contact of the ellipsoid A and the face of the box B along which they are farthest apart. Returns 1 if its gap is
// their signed distance, 0 if an edge or corner may decide.
int hfi_ellipsoid_box_face(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                           hfiContactPoint* point);

// Writes a point with a known witness on B: p_a = p_b - depth n.
static inline void put_point(hfiContactPoint* point, hfVec3 p_WCb, hfVec3 n_W, double depth, uint32_t feature) {
  point->p_WCa = v3_axpy(-depth, n_W, p_WCb);
  point->p_WCb = p_WCb;
  point->n_W = n_W;
  point->depth = depth;
  point->feature = feature;
}

// The corner of a box that is farthest along d, in the frame of the box.
static inline hfVec3 hfi_box_corner(const double* half, hfVec3 d) {
  double x = d.x < 0 ? -half[0] : half[0];
  double y = d.y < 0 ? -half[1] : half[1];
  double z = d.z < 0 ? -half[2] : half[2];
  return v3(x, y, z);
}

// The share of its depth that an end of a rod keeps as a contact point beside a crossing, whose depth is larger: 1 if
// both have nearly the same normal, 0 if they push in different directions. There the crossing alone, the direction of
// least overlap, is the contact.
static inline double hfi_end_share(hfVec3 n_end, hfVec3 n_crossing) {
  const double whole_cosine = 0.995; // from here on the end keeps all of its depth; 0.1 rad
  const double none_cosine = 0.96;   // up to here it keeps nothing; 0.28 rad
  return clamp((v3_dot(n_end, n_crossing) - none_cosine) / (whole_cosine - none_cosine), 0, 1);
}

// A plane in the world. The normal of a contact, from a shape above it into the plane, is -m.
typedef struct hfiPlane {
  hfVec3 m; // outward unit normal
  hfVec3 p; // a point of the plane
} hfiPlane;

static inline hfiPlane plane_of(const hfPose* X_WA) {
  hfiPlane plane = {m3_col(X_WA->R, 2), X_WA->p};
  return plane;
}

// Writes a point of a shape B whose surface is `radius` around p_WCb.
static inline void put_plane_point(hfiContactPoint* point, hfiPlane plane, hfVec3 p_WCb, double radius,
                                   uint32_t feature) {
  double depth = radius - v3_dot(plane.m, v3_sub(p_WCb, plane.p));
  put_point(point, v3_axpy(-radius, plane.m, p_WCb), v3_neg(plane.m), depth, feature);
}

enum { HFI_EDGE_BIT = 0x8000 }; // set in both halves of the feature of a point where two edges meet

// The feature of a point from a feature of A and one of B.
static inline uint32_t feature_id(int a, int b) { return ((uint32_t)a & 0xffffu) << 16 | ((uint32_t)b & 0xffffu); }

// Exchanges the roles of A and B in a point.
static inline void swap_point(hfiContactPoint* p) {
  hfVec3 a = p->p_WCa;
  p->p_WCa = p->p_WCb;
  p->p_WCb = a;
  p->n_W = v3_neg(p->n_W);
  p->feature = p->feature << 16 | p->feature >> 16;
}

// Calls the pair function of two shapes. swapped: 1 if it takes B first. A function NULL finds no contact. Returns the
// number of points.
static inline int call_pair(hfiPairFunction* pair, int swapped, const hfiShape* A, const hfPose* X_WA,
                            const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  if (!pair) return 0;
  if (!swapped) return pair(A, X_WA, B, X_WB, margin, points);

  int count = pair(B, X_WB, A, X_WA, margin, points);
  for (int i = 0; i < count; ++i) swap_point(points + i);
  return count;
}

// Keeps the points with a gap of at most `margin`. If there is one, keeps also those up to `slack` beyond it. Their
// order stays. Returns the count.
static inline int keep_touching(hfiContactPoint* points, int count, double margin, double slack) {
  double deepest = -INFINITY;
  for (int i = 0; i < count; ++i) deepest = max2(deepest, points[i].depth);
  if (!(deepest >= -margin)) return 0;

  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (!(points[i].depth >= -margin - slack)) continue;
    points[kept] = points[i];
    kept++;
  }
  return kept;
}

#endif
