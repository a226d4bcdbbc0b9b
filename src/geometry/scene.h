// Contacts of a whole model at given poses of its geoms.
#ifndef HFI_GEOMETRY_SCENE_H
#define HFI_GEOMETRY_SCENE_H

#include "geometry/broadphase.h"
#include "geometry/convex.h"
#include "geometry/hull_index.h"
#include "geometry/pairs.h"

// A contact point of two geoms of the scene. Geometry leaves the last two fields zero; hfi_contact_choose sets them.
typedef struct hfiRawContact {
  int32_t geom_a, geom_b; // a < b
  int32_t pair;           // explicit pair, or -1
  int32_t candidate;      // of the scene's list
  hfiContactPoint point;
  double depth;           // that of the point plus the gap at which the contact begins to act [m]
  int32_t acts;           // 1: it counts in this step
} hfiRawContact;

// How a pair is found to be apart without colliding it. What separated it the last time is tried first.
typedef struct hfiCull {
  double margin;    // contacts are found below this gap [m]
  double radius;    // of the two bounding spheres together; negative: one is a plane [m]
  int16_t boxes;    // 1: compare the boxes too
  int16_t is_general; // 1: GJK decides about it, so that a separating direction is worth remembering
  int32_t axis;     // of the boxes: of a, 0 to 2, or of b, 3 to 5
  int32_t swapped;  // 1: the function takes the second geom first
  int32_t hinge;    // of two hulls, or other shapes that GJK decides about: the joint by which alone they move against each other, a hinge whose axis may keep them apart for ever; else -1
  hfiPairFunction* collide; // finds the contacts of the pair; NULL: it never has any
  hfiSeparation separation;
  hfiLastFace* last; // of two hulls: the face of their difference that held the last contact; NULL: none is kept
} hfiCull;

typedef struct hfiScene {
  const hfModel* model;
  hfiShape* shape; // (ngeom)
  hfiHull* hull;   // (nmesh)
  hfiHullIndex* index; // (nmesh)
  hfiHeightField* field; // (nhfield)
  hfVec3* half;    // (ngeom) half sizes of a box about the geom's frame that holds it [m]
  hfiFilter filter;
  int32_t nactive, *active; // (ngeom) geoms that can touch another, ascending
  int32_t listed; // 1: all pairs are in `candidate` for good, no broad phase
  int32_t ncandidate, max_candidate;
  hfiCandidate* candidate; // (max_candidate) sorted by (a, b)
  hfiCull* cull;           // (max_candidate)
  int32_t max_last;
  hfiLastFace* last;       // (max_last) what is remembered of pairs of hulls
  // the list of near pairs (scene.c)
  int32_t nnear, *near;    // (max_candidate) their candidates, ascending; nnear < 0: there is no list yet
  hfPose* X0_WG;           // (ngeom) poses of the geoms when the list was made
  int32_t queries;         // how many queries it has served
  int32_t has_skin;        // 0: it has none and serves one query
  double skin;             // usual skin [m]
  double* far;             // (ngeom) skin of each geom in this list [m]
  const int32_t* carrier;  // (ngeom) a geom that this one may be followed from, as all geoms that it can reach are carried with it, or -1. NULL: none has one
  const int32_t* still;    // (ngeom) 1: the geom cannot move; pairs of two such geoms are left out. NULL: all pairs count
  int32_t has_hinge;       // 1: a hinge alone moves some body against the fixed world
  const hfVec3* axis_W;    // (njnt) axes of the joints at the poses of a query. NULL: they are not known
  hfiGrid grid;
  hfiAabb* box; // (nactive), unused when listed
} hfiScene;

void hfi_scene_init(hfiScene* scene, const hfModel* model, hfiArena* arena);

// Contact points at the given poses (ngeom), sorted by (geom_a, geom_b) and manifold order. Returns
// their number, at most `capacity`; *dropped counts those beyond it. reach (ngeom, or NULL): how far
// each geom may come in the time that matters, added to the margin of its pairs [m].
int hfi_scene_collide(hfiScene* scene, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped);
// Looks again at the pairs of the geoms that `further` marks (ngeom), which may come further than the reach that
// found `count` points: of their pairs, points that do not act give way to those that are found now, in the same order.
// Returns how many there are.
int hfi_scene_look_further(hfiScene* scene, const hfPose* X_WG, const double* reach, const int32_t* further,
                           hfiRawContact* found, int count, int capacity, int* dropped);

// Explicit pair i of the model as a candidate.
static inline hfiCandidate hfi_explicit_candidate(const hfModel* m, int i) {
  const int32_t* g = hf_model_pair_geom(m) + 2 * i;
  hfiCandidate c = {g[0] < g[1] ? g[0] : g[1], g[0] < g[1] ? g[1] : g[0], i};
  return c;
}

// How a pair that the scene does not list is culled, and the points of a pair with a gap below the margin [m].
hfiCull hfi_scene_cull(const hfiScene* scene, const hfiCandidate* pair);
int hfi_scene_points(const hfiScene* scene, const hfPose* X_WG, const hfiCandidate* pair, hfiCull* cull, double margin,
                     hfiContactPoint* points); // (HFI_MAX_POINTS)

#endif
