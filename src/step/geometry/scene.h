// Contacts of a whole model at given poses of its geoms.
#ifndef HFI_GEOMETRY_SCENE_H
#define HFI_GEOMETRY_SCENE_H

#include "base/workers.h"
#include "step/geometry/broadphase.h"
#include "step/geometry/convex.h"
#include "step/geometry/hull_index.h"
#include "step/geometry/pairs.h"

// A contact point of two geoms of the scene. Geometry leaves the last two fields zero; step/near sets them.
typedef struct hfiRawContact {
  int32_t geom_a, geom_b; // a < b
  int32_t pair;           // explicit pair, or -1
  int32_t candidate;      // number of the pair in the scene's list
  hfiContactPoint point;
  double depth;           // depth of the point plus the gap at which the contact begins to act [m]
  int32_t acts;           // 0: no contact in this step; HFI_ACTS or HFI_ACTS_NEWLY (contact.h)
} hfiRawContact;

// Finds quickly that the geoms of a pair are apart. What separated them the last time is tried first.
typedef struct hfiCull {
  double margin;          // contacts are found below this gap [m]
  double radius;          // sum of the radii of both bounding spheres [m]; negative: one geom is a plane
  int16_t compares_boxes; // 1: compare the boxes too
  int16_t is_general;     // 1: GJK collides the pair, so that a separating direction is worth remembering
  int32_t axis;           // axis of the boxes that separated the pair: 0 to 2 of a, 3 to 5 of b
  int32_t swapped;        // 1: the function takes the second geom first
  // the hinge (of pairs that GJK collides) or slide (of pairs whose boxes are compared) that alone moves one geom
  // against the other and may keep them apart for ever; else -1
  int32_t joint;
  hfiPairFunction* collide; // finds the contacts of the pair; NULL: it never has any
  double pair_reach;  // hfiPairReach of the last query, if less than the sum of the two reaches; else INFINITY [m]
  hfiSeparation separation;
  // of two hulls, or a hull and a box: the face of their difference that held the last contact; NULL: none is kept
  hfiLastFace* last;
  hfiRecent* recent;  // of a pair of which GJK finds contacts: the last one that it found; NULL: none is kept
} hfiCull;

// An upper bound on how far two geoms come towards each other in the time that matters [m]; INFINITY: only the sum of
// their reaches is known. first: in a second search, what the first one was told; the answer is 0 if that covers the
// second search, too.
typedef double hfiPairReach(const void* data, int geom_a, int geom_b, double first);
// The scene asks for the reach of a pair if the sum of the reaches of both geoms exceeds this [m].
static const double HFI_FAR_REACH = 5e-3;

// Meshes and height fields that shapes point to (scene_create.c).
typedef struct hfiSceneAssets {
  hfiHull* hull;         // (nmesh)
  hfiHullIndex* index;   // (nmesh)
  hfiHeightField* field; // (nhfield)
} hfiSceneAssets;

// The candidates: pairs that may touch, and what is known of each (scene_create.c).
typedef struct hfiScenePairs {
  int32_t are_listed;      // 1: all pairs of the scene are candidates for good; there is no broad phase
  int32_t count, capacity;
  hfiCandidate* candidate; // (capacity) sorted by (a, b)
  hfiCull* cull;           // (capacity)
  int32_t any_has_only_joint; // 1: some body is connected to the fixed world by a single hinge or slide
} hfiScenePairs;

// Memory that the culls point to (scene_create.c).
typedef struct hfiSceneMemory {
  int32_t max_last;
  hfiLastFace* last; // (max_last)
  int32_t max_recent;
  hfiRecent* recent; // (max_recent)
} hfiSceneMemory;

// The list of near pairs (scene.c).
typedef struct hfiNearPairs {
  int32_t count;      // < 0: there is no list yet
  int32_t* candidate; // (capacity of the candidates) the near ones, ascending
  hfPose* X0_WG;      // (ngeom) poses of the geoms when the list was made
  double* skin;       // (ngeom) skin of each geom in this list [m]
  double usual_skin;  // [m]
  int32_t has_skin;   // 0: the list has no skin and serves one query
  int32_t queries;    // number of queries that the list has served
} hfiNearPairs;

// What the caller sets before a query. All is NULL and 0 after hfi_scene_init.
typedef struct hfiSceneOptions {
  const int32_t* still;     // (ngeom) 1: the geom cannot move; pairs of two such geoms do not count. NULL: all count
  hfiPairReach* pair_reach; // NULL: the sum of the reaches counts
  const void* pair_data;    // first argument of pair_reach
  const hfVec3* axis_W;     // (njnt) axes of the joints at the poses of a query. NULL: they are not known
  hfiWorkers* workers;      // threads that share the work on many pairs. NULL: none
  double flush;             // Faces that overlap by less, and that a slide moves along each other, have no points [m].
} hfiSceneOptions;

typedef struct hfiScene {
  const hfModel* model;
  hfiShape* shape; // (ngeom)
  hfVec3* half;    // (ngeom) half sizes of a box in the geom's frame that contains the geom [m]
  hfiSceneAssets assets;
  hfiFilter filter;
  int32_t nactive;
  int32_t* active; // (nactive) geoms that can touch another, ascending
  hfiScenePairs pairs;
  hfiSceneMemory memory;
  hfiNearPairs near;
  hfiGrid grid; // the broad phase, unused where all pairs are listed
  hfiAabb* box; // (nactive) boxes for the broad phase
  hfiSceneOptions options;
} hfiScene;

// Creates a scene in an arena; with an arena without memory it only plans the size (scene_create.c).
void hfi_scene_init(hfiScene* scene, const hfModel* model, hfiArena* arena);
// Adds the explicit pairs to the candidates, sorts all of them, and prepares their culls.
void hfi_scene_complete_candidates(hfiScene* scene);
// Reads the sizes of geoms again after parameters changed. Returns 1 if some size is different (scene_create.c).
int hfi_scene_refresh(hfiScene* scene);

// Finds the contact points at the given poses (ngeom), sorted by (geom_a, geom_b) and manifold order. Returns their
// number, at most `capacity`; *dropped counts those beyond it. reach (ngeom, or NULL): how far each geom may move
// within the horizon; it is added to the margin of its pairs [m].
int hfi_scene_collide(hfiScene* scene, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped);
// Searches pairs again whose geoms may come nearer to each other than the search that found the `count` points assumed
// (second_search.c).
//   reach     (ngeom) the present reaches [m]
//   extended  (ngeom) 1: the reach of the geom has grown since that search. NULL: no reach has; the scene must then be
//             a listed one
// New points replace those points of these pairs that do not act. Points stay sorted by pair. Returns the number of all
// points.
int hfi_scene_search_again(hfiScene* scene, const hfPose* X_WG, const double* reach, const int32_t* extended,
                           hfiRawContact* found, int count, int capacity, int* dropped);

// Writes what hfi_distance finds of a candidate at these poses, if the last query of the pair has found it already.
// Returns 0 if it has not.
int hfi_scene_recent(const hfiScene* scene, const hfPose* X_WG, int candidate, hfiContactPoint* point);

// Explicit pair i of the model as a candidate.
static inline hfiCandidate hfi_explicit_candidate(const hfModel* m, int i) {
  const int32_t* geom = hf_model_pair_geom(m) + 2 * i;
  return (hfiCandidate){.a = imin2(geom[0], geom[1]), .b = imax2(geom[0], geom[1]), .pair = i};
}

// The cull of a pair that the scene does not list.
hfiCull hfi_scene_cull(const hfiScene* scene, const hfiCandidate* pair);
// Finds the points of a pair with a gap below the margin [m]. Returns their number.
int hfi_scene_points(const hfiScene* scene, const hfPose* X_WG, const hfiCandidate* pair, hfiCull* cull, double margin,
                     hfiContactPoint* points); // (HFI_MAX_POINTS)

#endif
