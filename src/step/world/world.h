// One world at one point (t, q, v, inputs): kinematics, actuation, collision geometry and contacts there.
//
// A sim owns one world, and the methods of discrete time, of continuous time and of switching borrow it. The world
// holds nothing that changes a result: everything in it is computed from the model, the point and the inputs.
#ifndef HFI_WORLD_WORLD_H
#define HFI_WORLD_WORLD_H

#include "step/actuation/actuation.h"
#include "step/contact/contact.h"

typedef struct hfiWorldConfig {
  int32_t max_contacts;  // capacity
  int32_t scene_signals; // 1: the scene's signals drive controls that no input gives
  int32_t drive_law;     // hfDriveLaw of all servos; -1: each has its own
  int32_t mujoco_softness; // as in hfSimConfig
  hfAllocator allocator; // gives memory to the world and to the methods that borrow it
  hfiWorkers* workers;   // they share the work on large scenes and heaps; NULL: none. They must outlive the world and its methods.
} hfiWorldConfig;

// How much of the dynamics belongs to the world's q and mocap poses: nothing (HFI_NOWHERE: q is not set); nothing yet (HFI_DUE: q is set, and the
// poses are computed when somebody asks); the poses of bodies; everything.
typedef enum hfiPlaced { HFI_NOWHERE, HFI_DUE, HFI_POSED, HFI_PLACED } hfiPlaced;

// Points of one pair that act with one normal (cover.c): the first and the last of them, whether they are covered, and their largest depth [m].
typedef struct hfiPointGroup { int32_t first, last, state; double depth; } hfiPointGroup;

typedef struct hfiWorld {
  const hfModel* model;
  hfiWorldConfig config;
  uint32_t revision; // revision of the model's parameters from which the tables below were computed

  hfDynamics dynamics;
  hfActuation actuation;
  hfiScene scene;

  // computed from the model
  hfiMaterial* material;        // materials of the candidates of a listed scene, else unused
  double* weight;               // (nbody) inverse weights at the reference pose (weight.c) [1/kg]
  hfiSoftness softness;         // MuJoCo's contact law with these weights
  double* extent;               // (ngeom) farthest point of a geom from its body's origin [m]
  double* width;                // (ngeom) least width of geoms that can touch others, else INFINITY [m]
  double least_width;           // the smallest width of a pair of geoms that can touch each other (passage.c) [m]
  int32_t nsolid, *solid;       // the number of bodies with geoms that can touch others, and (nsolid) the ids of these bodies
  double* body_extent;          // (nbody) distance of the farthest point of these geoms from the body's origin [m]
  double largest_extent;        // largest body_extent of all bodies that move [m]
  double least_swept_gap;       // A pair whose gap is below this is not swept (sweep.c) [m].
  double* span;                 // (nbody) distance of the farthest point that a body carries from its origin, with slides at zero [m]
  double* lever;                // (nv) largest distance that a unit of this dof can move a point [-, or m/rad]
  int32_t has_dynamic_friction; // 1: some geom has a dynamic coefficient of its own
  int32_t has_restitution;      // 1: some geom has a coefficient of restitution
  int32_t has_adhesion;         // 1: an actuator, or the material of a geom or pair, pulls at contacts
  int32_t is_sticky;            // 1: the material of some geom or pair pulls
  const hfModel* surfaces;      // the model, where the surface of some geom moves; else NULL

  // set by hfi_world_place
  int32_t placed; // hfiPlaced
  double* q;      // (nq)
  double* mocap;  // (7 nmocap)
  hfPose* X0_WB;  // (nbody) poses at the start of the step, see hfi_world_mark_start

  // set by hfi_world_load
  double* ctrl;  // (nu) controls that act
  double* given; // (nu) controls that are given now; some act later. The same array as ctrl if no actuator has a history.
  const double* history; // the history of the present state (hfState); NULL: controls act at once

  // set by hfi_world_find_contacts
  int32_t nfound, ncontact, ndropped;
  double* reach;        // (2 ngeom) reach of each geom within the horizon, 0 if it can touch no other [m]; then its second reach (hfi_world_second_reach)
  hfiFarthest farthest; // how far bodies come within the horizon
  int32_t* touched;     // (ntree) 1: the tree has a contact
  int32_t* extended;    // (ngeom) 1: the second search uses the second reach of the geom, because it exceeds the first by more than HFI_FURTHER
  hfiRawContact* found; // (max_contacts) as geometry finds them
  int32_t has_points;   // 1: `found` holds what geometry finds at the present poses with the reach points_reach
  double* points_reach; // (ngeom)
  hfiContact* contact;  // (max_contacts) the found contacts that act, with their materials
  // scratch of hfi_world_drop_covered
  hfiPointGroup* group; // (max_contacts)
  int32_t* first_side;  // (ngeom) the first side of a group that is this geom, or -1. Side 2 i + k is geom k of group i.
  int32_t* next_side;   // (2 max_contacts) the next side that is the same geom, or -1
} hfiWorld;

// The model (or an overlay's model) must outlive the world.
hfStatus hfi_world_create(hfiWorld** world, const hfModel* model, const hfiWorldConfig* config, hfError* error);
void hfi_world_free(hfiWorld* world);

// Whether hf_params_update changed the model since the tables were computed.
static inline int hfi_world_is_outdated(const hfiWorld* w) { return w->revision != w->model->revision; }
// Computes the tables again, from the present parameters of the model.
int hfi_world_refresh(hfiWorld* world); // 1: sizes of geoms changed

// Computes the inverse weights of the bodies, and those of dofs for the actuation. Weights that no parameter of MuJoCo needs are zero. Afterwards the
// poses of the dynamics are those of qpos0.
void hfi_world_weigh(hfiWorld* world);

// Computes the poses of all bodies and geoms and all that depends on them, at q and at the mocap poses of the input (may be NULL). Does nothing if
// the world is there already.
void hfi_world_place(hfiWorld* world, const double* q, const hfInput* input);
// Like hfi_world_place, but computes only the poses of bodies.
void hfi_world_pose(hfiWorld* world, const double* q, const hfInput* input);
// Like hfi_world_place, but computes nothing until hfi_world_complete or one of the functions above is called: the next call may be a step of another
// state, which needs none of it.
void hfi_world_go(hfiWorld* world, const double* q, const hfInput* input);
void hfi_world_complete(hfiWorld* world);
// Remembers the present poses as those of the start of the step.
void hfi_world_mark_start(hfiWorld* world);

// Whether the input gives control i. If not, the scene's signal sets it, or it is zero.
static inline int hfi_control_is_given(const hfInput* input, int i) { return input && input->ctrl && !isnan(input->ctrl[i]); }
// Writes the controls that are given at time t into ctrl (nu): from the input, else from the scene's signals, else zero.
void hfi_world_read_controls(const hfiWorld* world, double t, const hfInput* input, double* ctrl);
// Reads the controls that are given at time t into world->given, and finds those that act at time t, world->ctrl. An actuator with a delay acts by an
// earlier control.
void hfi_world_load(hfiWorld* world, double t, const hfInput* input);
// The velocity targets of the input (nv), or NULL if it has none.
const double* hfi_world_targets(const hfiWorld* world, const hfInput* input);
// tau (nv) += forces and wrenches of the input.
void hfi_world_add_applied(const hfiWorld* world, const hfInput* input, double* tau);

// Finds the contacts at the present poses whose gap is at most `gap` [m]. With a horizon [s] above zero it also finds those that the present
// velocities and gravity would close within the horizon. push (ntree, or NULL): how far other forces may push each tree within the horizon [m].
void hfi_world_find_contacts(hfiWorld* world, double gap, double horizon, const double* push);
// Whether an actuator pulls at contacts.
int hfi_any_adhesion(const hfModel* model);
// Whether the material of some geom or pair pulls at contacts.
int hfi_any_is_sticky(const hfModel* model);
// Adds to tau (nv) the pull at the contacts found, with the present forces of the actuators.
void hfi_world_add_adhesion(const hfiWorld* world, double* tau);
// Lets points that are open, but within the margin of a pair whose material pulls, act.
void hfi_world_let_stick(hfiWorld* world);
// Sweeps the pairs that act only across wide gaps (sweep.c). If the two geoms of a pair do not meet within h, their points no longer act. If they
// meet, one point of their meeting replaces their points.
//   V     (nlink) velocities of the links
//   fall  for how long gravity has acted on top of them [s]
//   acts  HFI_ACTS for the points of the first search, HFI_ACTS_NEWLY for those of the second
void hfi_world_sweep(hfiWorld* world, const hfMotion* V, double h, double fall, int acts);
// Drops points that meet a covered face (cover.c): they no longer act. V, h and acts are those of hfi_world_sweep; h may be zero.
void hfi_world_drop_covered(hfiWorld* world, const hfMotion* V, double h, int acts);
// The pairs of a geom are examined again if it moves further than this beyond its reach [m].
static const double HFI_FURTHER = 5e-4;
// Whether some found point does not act though it lies on a tree that moves further than foreseen. `unforeseen` (ntree) marks these trees.
int hfi_world_may_miss(const hfiWorld* world, const int32_t* unforeseen);
// Examines the unforeseen trees again, with the velocities V of the links (nlink) in a solved step, and adds the contacts that would overlap
// noticeably at the end of the step. Returns 1 if contacts were added.
//   further  0 if no geom comes further than HFI_FURTHER beyond its reach
//   number   (max_contacts) an entry for each contact, which moves with it; new contacts get HFI_NEW_CONTACT
int hfi_world_add_missed(hfiWorld* world, const hfMotion* V, double horizon, const int32_t* unforeseen, int further,
                         int32_t* number);

// Computes and returns the second reach of all geoms (ngeom): how far velocities V move them within the horizon [m]. The first reach stays.
const double* hfi_world_second_reach(hfiWorld* world, const hfMotion* V, double horizon);
// Searches the points of a pair again if the second reach of one of its geoms exceeds the first by more than HFI_FURTHER. Only geoms of trees that
// `marked` (ntree) marks count.
void hfi_world_search_again(hfiWorld* world, const int32_t* marked);

// ---- nothing passes through (passage.c) ---------------------------------------------------------------

// Fills the tables of widths and of solid bodies of a new world.
void hfi_world_measure_widths(hfiWorld* world);
// Two geoms that come nearer by less than this share of their width within the step cannot pass each other [-].
static const double HFI_PASSING_SHARE = 0.4;
// Whether a motion of this length [m] could bring some geom of the world through another one.
static inline int hfi_world_could_pass(const hfiWorld* w, double motion) { return motion > HFI_PASSING_SHARE * w->least_width; }
// Whether the reach of some geom, and an excess [m] beyond it, could bring it through another one.
static inline int hfi_world_any_could_pass(const hfiWorld* w, double excess) {
  return hfi_world_could_pass(w, w->farthest.base + w->farthest.turn * w->largest_extent + excess);
}
// Do all solid bodies move together, like a gripper and what it shakes? They do if no two of them come so far towards each other within h that they
// could pass through each other. V: velocities of the links; excess: a further motion of any point [m].
int hfi_world_moves_as_one(const hfiWorld* world, const hfMotion* V, double h, double excess);
// Marks (ntree) the trees that could pass something: those with a geom that the velocities V move far enough within h. Returns 1 if there are such trees.
int hfi_world_mark_passing(hfiWorld* world, const hfMotion* V, double h, int32_t* marked);
// The point about which a free body turns on its path, and the velocity of this point. Other trees have none: known is 0.
typedef struct hfiTurningCentre { int32_t known; hfVec3 p, v; } hfiTurningCentre;
// How everything moves over a step, or over a part of it.
typedef struct hfiPaths {
  const hfiWorld* world;
  const hfMotion* V;             // (nlink) velocities of the links
  const hfiTurningCentre* about; // (ntree) centres about which free bodies turn
  double h;                      // time for which they move [s]
} hfiPaths;
// Two geoms after they have moved along their paths.
typedef struct hfiPathEnd {
  double gap;    // gap between them [m]
  double travel; // how far their contact has travelled over one of the two bodies, the larger of both distances [m]
  double rate;   // how fast the gap grows [m/s]
  hfVec3 n;      // normal
} hfiPathEnd;
// Moves two geoms along their paths. p_W: their contact point at the start. Returns 0 if they are more than `far` apart at the end [m].
int hfi_world_path_end(const hfiPaths* paths, int geom_a, int geom_b, hfVec3 p_W, double far, hfiPathEnd* end);
// Are all pairs of geoms that were found near each other too slow to pass each other?
int hfi_world_all_pairs_are_slow(const hfiPaths* paths);
// Finds for how long each tree may move along its path so that no two bodies pass through each other: its stop_time (ntree) [s]. INFINITY means
// that the tree moves over the whole step, and h means the same, but exactly along its path. Only pairs with a tree that hfi_world_mark_passing
// marked, for the same V and h, are looked at. Returns 1 if some time is finite. world: the world of the paths, which is searched again unless all near pairs are
// known, because no geom comes further than HFI_FURTHER beyond its reach.
int hfi_world_find_stops(hfiWorld* world, const hfiPaths* paths, const int32_t* marked, int all_are_found, double* stop_time);

// ---- sizes and states ---------------------------------------------------------------------------------

// A pair whose gap is below this is not swept [m].
double hfi_least_swept_gap(const hfModel* model);

// Computes the capacity for contacts: enough for all contacts that every pair of geoms can have at once, or, if that is too many, for a pile in which
// each geom has `a_geom` points.
hfStatus hfi_plan_contacts(const hfModel* model, int a_geom, int32_t* count, hfError* error);
// The largest number of dofs that move one body.
int hfi_longest_chain(const hfModel* model);

// Copies (q, v, act) of a state to x (nq + nv + na), and back.
void hfi_state_load(const hfState* state, double* x);
void hfi_state_store(hfState* state, const double* x);

#endif
