// Which contacts act in a step. This folder alone answers the question, in six parts:
//
//   reach    how far each geom may move within the step: pairs further apart are left out        reach.c
//   find     the points of near pairs, and which of them act                                     find.c, choose.c
//   cover    a point that meets a covered face does not act                                      cover.c
//   sweep    points across a wide gap act only if their two geoms meet within the step           sweep.c
//   missed   points that the solution of the step closes, although nothing above let them act    missed.c
//   stops    trees that stop within the step, because they would pass through something          stops.c, path.c
//
// What changes results is in the state, never here: everything is computed from the model, the poses and the
// velocities.
#ifndef HFI_NEAR_NEAR_H
#define HFI_NEAR_NEAR_H

#include "step/actuation/rows.h"
#include "step/contact/contact.h"
#include "step/dynamics/flight.h"

// ---- structs ----------------------------------------------------------------------------------------

// Sizes of geoms and bodies, computed from the model (sizes.c).
typedef struct hfiSizes {
  double* extent;         // (ngeom) distance of the farthest point of a geom from its body's origin [m]
  double* span;           // (nbody) the same of all that a body carries, with slides at zero [m]
  double* lever;          // (nv) largest distance that a unit of this dof can move a point [-, or m/rad]
  double* body_extent;    // (nbody) largest extent of its geoms that can touch others; negative: there is none [m]
  double largest_extent;  // largest body_extent of all bodies that move [m]
  int32_t nsolid;         // number of bodies with geoms that can touch others
  int32_t* solid;         // (nsolid) these bodies
  double* width;          // (ngeom) least width of geoms that can touch others, else INFINITY [m]
  double least_width;     // smallest width of a pair of geoms that can touch each other [m]
  double least_swept_gap; // A pair whose gap is below this is not swept [m].
} hfiSizes;

// Upper bounds on how far the origin of any body moves, and how far a body turns, within a step [m, rad].
typedef struct hfiFarthest { double base, turn; } hfiFarthest;

// How far geoms may move within the step (reach.c).
typedef struct hfiReach {
  double* first;        // (ngeom) reach in the search that found the points; 0: the geom can touch no other [m]
  double* second;       // (ngeom) reach with the velocities of a solution [m]
  double* of_points;    // (ngeom) reach of the last search; valid with HFI_FRESH_FOUND [m]
  int32_t* extended;    // (ngeom) 1: the second reach exceeds the first one noticeably
  double* push;         // (ntree) how far forces push each tree beyond its free motion [m]
  hfiFarthest farthest; // of the first reach
} hfiReach;

// Points of one pair that act with one normal (cover.c).
typedef struct hfiPointGroup {
  int32_t first, last; // its first and last point in `found`
  int32_t state;       // whether the group is covered
  double depth;        // largest depth of its points [m]
} hfiPointGroup;

// Scratch of the search for covered faces (cover.c).
typedef struct hfiCover {
  hfiPointGroup* group; // (capacity)
  int32_t* first_side;  // (ngeom) first side of a group that is this geom, or -1; side 2 i + k is geom k of group i
  int32_t* next_side;   // (2 capacity) next side that is the same geom, or -1
} hfiCover;

// How the solution of a step differs from the velocities with which contacts were predicted (missed.c).
typedef struct hfiForesight {
  double* velocity;     // (nv) velocities of the prediction
  int32_t* unforeseen;  // (ntree) 1: the solution moves the tree noticeably further than foreseen
  double excess;        // upper bound on how much further than foreseen the solution moves a point [m]
  double excess_before; // the same before the last solution was examined [m]
} hfiForesight;

// The point about which a free body turns on its path, and the velocity of this point. Other trees have none: known is
// 0.
typedef struct hfiTurningCentre { int32_t known; hfVec3 p, v; } hfiTurningCentre;

// Passage through other bodies (stops.c).
typedef struct hfiPassage {
  hfiTurningCentre* about; // (ntree) centres about which free bodies turn
  int32_t* could_pass;     // (ntree) 1: the solution moves the tree so far that it could pass through something
  double* stop_time;       // (ntree) time up to which a tree moves so that it passes through nothing, or INFINITY [s]
} hfiPassage;

// Bits of hfiNear.fresh: what belongs to the present poses. Only this folder sets them; hfi_near_forget clears them
// when poses change.
typedef enum hfiFreshNear {
  HFI_FRESH_FOUND = 1 // `found` holds what geometry finds with the reach `of_points`
} hfiFreshNear;

typedef struct hfiNear {
  const hfModel* model;
  hfDynamics* dynamics; // the world's poses and velocities; missed.c and stops.c also compute a solution's there
  const hfiRows* rows;  // the world's: they push trees and tie them together
  int32_t capacity;     // of points and contacts; 0: the world has no contacts
  int32_t is_sticky;    // 1: the material of some geom or pair pulls
  uint32_t fresh;       // hfiFreshNear
  hfiScene scene;       // pairs of geoms, and the points of a pair
  hfiSoftness softness; // MuJoCo's contact law with the world's inverse weights
  hfiMaterial* material; // (scene.pairs.capacity) materials of the pairs of a listed scene, else unused

  int32_t nfound, ndropped, ncontact; // numbers of points, of points without room, and of contacts
  hfiRawContact* found; // (capacity) points of near pairs
  hfiContact* contact;  // (capacity) the points that act, with their materials
  int32_t* touched;     // (ntree) round of the prediction in which the tree got a contact; 0: it has none

  hfiSizes size;
  hfiReach reach;
  hfiCover cover;
  hfiForesight foresight;
  hfiPassage passage;
} hfiNear;

// ---- creation ---------------------------------------------------------------------------------------

// Computes the capacity for contacts: enough for all contacts that every pair of geoms can have at once, or, if that is
// too many, for a pile in which each geom has `a_geom` points.
hfStatus hfi_plan_contacts(const hfModel* model, int a_geom, int32_t* count, hfError* error);
// Takes arrays for `capacity` contacts. dynamics and rows are read at every call below; they stay the caller's.
void hfi_near_init(hfiNear* near, const hfModel* model, hfDynamics* dynamics, const hfiRows* rows, int capacity,
                   hfiArena* arena);
// Reads the sizes of geoms again after parameters changed. Returns 1 if some size is different.
int hfi_near_refresh(hfiNear* near);
// Computes the materials of pairs. weight (nbody): inverse weights of bodies [1/kg]; mujoco_softness: as in
// hfSimConfig.
void hfi_near_read_materials(hfiNear* near, const double* weight, int mujoco_softness);
// Overlaps of flush faces below `flush` have no points [m].
static inline void hfi_near_leave_out_flush(hfiNear* near, double flush) { near->scene.options.flush = flush; }
// Leaves out pairs of two geoms that `still` (ngeom) marks, because they cannot move. NULL: all pairs count.
static inline void hfi_near_leave_out_still(hfiNear* near, const int32_t* still) { near->scene.options.still = still; }
// Gives the threads that share the search for points; NULL: none.
static inline void hfi_near_use_workers(hfiNear* near, hfiWorkers* workers) { near->scene.options.workers = workers; }
// The poses have changed: nothing belongs to them yet.
static inline void hfi_near_forget(hfiNear* near) { near->fresh = 0; }

// ---- find -------------------------------------------------------------------------------------------

// Finds the contacts at the present poses whose gap is at most `gap` [m]. With a horizon [s] above zero it also finds
// those that the present velocities and gravity would close within the horizon. tau (nv, or NULL): known forces; where
// they or rows act, trees are examined a little further.
void hfi_near_find(hfiNear* near, double gap, double horizon, const double* tau);
// Replaces the contacts by n contacts of the caller, who fills the array that is returned.
hfiContact* hfi_near_replace(hfiNear* near, int n);
// Whether a point is nearer than the margin of its pair: materials and actuators pull at such points.
int hfi_near_is_within_margin(const hfiNear* near, const hfiRawContact* point);

// ---- missed -----------------------------------------------------------------------------------------

// Examines the velocities v1 (nv) of a solved step of length h, and adds the contacts that these close although they
// were not predicted: those that would overlap noticeably. Returns 1 if contacts were added; v1 then counts as
// foreseen.
//   number  (capacity) an entry for each contact, which moves with it; new contacts get HFI_NEW_CONTACT
// hfi_near_find with a horizon must have been called for the step.
int hfi_near_add_missed(hfiNear* near, const double* v1, double h, int32_t* number);
// The solution that was examined last was only an estimate: trees will be examined again.
static inline void hfi_near_forget_estimate(hfiNear* near) { near->foresight.excess = near->foresight.excess_before; }
// The last solution has not been examined: trees may move any distance.
static inline void hfi_near_doubt(hfiNear* near) { near->foresight.excess = INFINITY; }

// ---- paths and stops --------------------------------------------------------------------------------

// How everything moves over a step, or over a part of it.
typedef struct hfiPaths {
  const hfiNear* near; // its passage.about has the centres about which free bodies turn
  const hfMotion* V;   // (nlink) velocities of the links
  double h;            // time for which they move [s]
} hfiPaths;
// Two geoms after they have moved along their paths.
typedef struct hfiPathEnd {
  double gap;    // gap between them [m]
  double travel; // how far their contact has travelled over one of the two bodies, the larger of both distances [m]
  double rate;   // how fast the gap grows [m/s]
  hfVec3 n;      // normal
  hfVec3 v0, v1; // velocities of A's material point relative to B's at the contact, at the start and at the end [m/s]
} hfiPathEnd;
// Computes the centres about which free bodies turn at velocities v (nv) of the step problem. gyroscopic: 1 if they
// turn about their centres of mass, 0 if about their origins.
void hfi_near_turning_centres(hfiNear* near, const hfiFlight* flight, int gyroscopic, const double* v);
// Moves two geoms along their paths. p_W: their contact point at the start. Returns 0 if they are more than `far` apart
// at the end [m].
int hfi_near_path_end(const hfiPaths* paths, int geom_a, int geom_b, hfVec3 p_W, double far, hfiPathEnd* end);
// Finds for how long each tree may move at the velocities v1 (nv) of the solution so that no two bodies pass through
// each other within h. Returns NULL if all trees move over the whole step. Otherwise returns the time of each tree
// (ntree) [s]: INFINITY means that it moves over the whole step, and h means the same, but exactly along its path.
// flight, gyroscopic: see hfi_near_turning_centres.
const double* hfi_near_find_stops(hfiNear* near, const hfiFlight* flight, int gyroscopic, const double* v1, double h);

#endif
