// Shapes, and the contact points that a collision query finds for two of them.
#ifndef HFI_GEOMETRY_SHAPE_H
#define HFI_GEOMETRY_SHAPE_H

#include <holdfast/model.h>
#include "math/vec3.h"
#include "model/height_field.h"
#include "model/hull.h"
#include "model/shape.h"

typedef struct hfiShape {
  int32_t type;                // hfGeomType
  double size[3];              // see model/shape.h
  const hfiHull* hull;         // of a mesh, in the geom's frame, or of a box for which box_hull.h made one; else NULL
  const hfiHeightField* field; // of a height field; else NULL
} hfiShape;

// Views of a model's arrays; `hull` and `field` belong to the geom's mesh and height field, NULL for other types.
hfiHull hfi_model_hull(const hfModel* model, int mesh);
hfiShape hfi_model_shape(const hfModel* model, int geom, const hfiHull* hull, const hfiHeightField* field);

// An axis-aligned box.
typedef struct hfiAabb {
  hfVec3 lo, hi;
} hfiAabb;

// The box of a shape at a pose, along the axes of the pose's parent. The box of a plane is infinite.
hfiAabb hfi_shape_aabb(const hfiShape* shape, const hfPose* X_WG);

// The box about a centre with these half sizes.
static inline hfiAabb hfi_aabb_about(hfVec3 centre, hfVec3 half) {
  return (hfiAabb){v3_sub(centre, half), v3_add(centre, half)};
}

// One point of a contact manifold between A and B.
typedef struct hfiContactPoint {
  hfVec3 p_WCa, p_WCb; // witness points on A and on B [m]
  hfVec3 n_W;          // unit normal from B into A
  double depth;        // (p_WCb - p_WCa).n; positive: overlap, negative: gap [m]
  uint32_t feature;    // which features of A and B touch: the same for the same pair across steps
} hfiContactPoint;

// Largest number of points of two convex shapes, and of any pair: a height field may touch in many places.
enum { HFI_MAX_MANIFOLD = 8, HFI_MAX_POINTS = 32 };

// The largest number of points in which shapes of two types touch.
int hfi_pair_points(int type_a, int type_b);

// Contact points of A and B with a gap below `margin`, at most hfi_pair_points of them. Returns the count.
// Deterministic, allocation-free; swapping A and B swaps the witness points and turns the normal.
int hfi_collide(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                double margin, hfiContactPoint* points);
// The depth of the deepest point that hfi_collide finds without a margin; 0 if there is none [m]. For two boxes this is
// their least overlap along an axis, up to 4e-6 of their size.
double hfi_overlap_depth(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB);

#endif
