// Contacts of a whole model at given poses of its geoms.
#ifndef HFI_GEOMETRY_SCENE_H
#define HFI_GEOMETRY_SCENE_H

#include "geometry/broadphase.h"
#include "geometry/shape.h"

typedef struct hfiRawContact {
  int32_t geom_a, geom_b; // a < b
  int32_t pair;           // explicit pair, or -1
  int32_t candidate;      // of the scene's list
  hfiContactPoint point;
  double depth;           // with the margin at which it acts; for the contacts' use [m]
  int32_t acts;           // likewise
} hfiRawContact;

// What a pair is culled by.
typedef struct hfiCull {
  double margin; // contacts are found below this gap [m]
  double radius; // of the two bounding spheres together; negative: one is a plane [m]
  int32_t boxes; // 1: compare the boxes too
  int32_t axis;  // that separated them last: of a, 0 to 2, or of b, 3 to 5
} hfiCull;

typedef struct hfiScene {
  const hfModel* model;
  hfiShape* shape; // (ngeom)
  hfiHull* hull;   // (nmesh)
  hfVec3* half;    // (ngeom) half sizes of a box about the geom's frame that holds it [m]
  hfiFilter filter;
  int32_t listed; // 1: all pairs are in `candidate` for good, no broad phase
  int32_t ncandidate, max_candidate;
  hfiCandidate* candidate; // (max_candidate) sorted by (a, b)
  hfiCull* cull;           // (max_candidate)
  // of a list: the pairs that are near, nnear < 0: not known yet
  int32_t nnear, *near;    // (max_candidate) ascending
  hfVec3* centre;          // (ngeom) where the geoms were when it was made [m]
  double skin, far;        // usual skin, skin of this list [m]
  hfiGrid grid;
  hfiAabb* box; // (ngeom), unused when listed
} hfiScene;

void hfi_scene_init(hfiScene* scene, const hfModel* model, hfiArena* arena);

// Contact points at the given poses (ngeom), sorted by (geom_a, geom_b) and manifold order. Returns
// their number, at most `capacity`; *dropped counts those beyond it. reach (ngeom, or NULL): how far
// each geom may come in the time that matters, added to the margin of its pairs [m].
int hfi_scene_collide(hfiScene* scene, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped);

#endif
