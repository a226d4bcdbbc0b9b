// One world at one point (t, q, v, inputs): kinematics, actuation, collision geometry and contacts there.
//
// A sim owns one world, and the methods of discrete time, of continuous time and of switching borrow it. The world
// holds nothing that changes a result: everything in it is computed from the model, the point and the inputs.
#ifndef HFI_WORLD_WORLD_H
#define HFI_WORLD_WORLD_H

#include "actuation/actuation.h"
#include "contact/contact.h"

typedef struct hfiWorldConfig {
  int32_t max_contacts;  // capacity
  int32_t scene_signals; // 1: the scene's signals drive controls that no input gives
  int32_t drive_law;     // hfDriveLaw of all servos; -1: each has its own
  int32_t mujoco_softness; // of hfSimConfig
  hfAllocator allocator; // of the world, and of the methods that borrow it
} hfiWorldConfig;

// How much of a position is computed: nothing; nothing yet, but q and mocap say where; poses of bodies; everything.
typedef enum hfiPlaced { HFI_NOWHERE, HFI_DUE, HFI_POSED, HFI_PLACED } hfiPlaced;

// Points of one pair that act with one normal (cover.c): the first and the last of them, whether they are covered, and their largest depth [m].
typedef struct hfiPointGroup { int32_t first, last, state; double depth; } hfiPointGroup;

typedef struct hfiWorld {
  const hfModel* model;
  hfiWorldConfig config;
  uint32_t revision; // of the model's parameters that the tables below were computed from

  hfDynamics dynamics;
  hfActuation actuation;
  hfiScene scene;

  // computed from the model
  hfiMaterial* material;        // of the scene's candidates where it lists them for good, else unused
  double* weight;               // (nbody) inverse weights at the reference pose (weight.c) [1/kg]
  hfiSoftness softness;         // with these weights
  double* extent;               // (ngeom) farthest point of a geom from its body's origin [m]
  double* width;                // (ngeom) least width of geoms that can touch others, else INFINITY [m]
  double least_width;           // of all pairs (passage.c) [m]
  int32_t nsolid, *solid;       // (nsolid of nbody) bodies with such geoms
  double* body_extent;          // (nbody) farthest point of these geoms of a body [m]
  double largest_extent;        // of all bodies that move [m]
  double least_swept_gap;       // no pair is swept whose gap is below this (sweep.c) [m]
  double* lever;                // (nv) most that a point moves where this dof moves by a unit [-, or m/rad]
  int32_t has_dynamic_friction; // 1: some geom has a dynamic coefficient of its own
  int32_t has_restitution;      // 1: some geom has a coefficient of restitution
  int32_t has_adhesion;         // 1: an actuator, or the material of a geom or pair, pulls at contacts
  int32_t is_sticky;            // 1: the material of some geom or pair pulls
  const hfModel* surfaces;      // the model, where the surface of some geom moves; else NULL

  // where hfi_world_place put it
  int32_t placed; // hfiPlaced: what of the dynamics is that of q and mocap
  double* q;      // (nq)
  double* mocap;  // (7 nmocap)
  hfPose* X0_WB;  // (nbody) poses at the start of the step, see hfi_world_mark_start

  // hfi_world_load
  double* ctrl;  // (nu) controls that act
  double* given; // (nu) controls that are given now, of which some act later; the same array as ctrl where no actuator has a history
  const double* history; // of the state that is stepped or looked at (hfState), or NULL: controls act at once

  // hfi_world_find_contacts
  int32_t nfound, ncontact, ndropped;
  double* reach;        // (2 ngeom) how far a geom may come in the time that counts, 0 of those that can touch no other [m]; then the same by the velocities of a second look (hfi_world_second_reach)
  hfiFarthest farthest; // of the bodies in that time
  int32_t* touched;     // (ntree) 1: the tree has a contact
  int32_t* alone;       // (ntree) 1: the tree is fast and far from all else (alone.c)
  int32_t* carrier;     // (ngeom) for the scene: the first geom of such a tree, for all its geoms; else -1
  int32_t* further;     // (ngeom) 1: a second look found that the geom may come beyond its reach
  hfiRawContact* found; // (max_contacts) as geometry finds them
  int32_t has_points;   // 1: geometry would find the same again at the present poses with the reach points_reach
  double* points_reach; // (ngeom)
  hfiContact* contact;  // (max_contacts) those that count, with their materials
  // hfi_world_drop_covered
  hfiPointGroup* group; // (max_contacts)
  int32_t* first_side;  // (ngeom) the first side of a group that is this geom, or -1. Side 2 i + k is geom k of group i.
  int32_t* next_side;   // (2 max_contacts) the next side that is the same geom, or -1
} hfiWorld;

// The model (or an overlay's model) must outlive the world.
hfStatus hfi_world_create(hfiWorld** world, const hfModel* model, const hfiWorldConfig* config, hfError* error);
void hfi_world_free(hfiWorld* world);

// Whether hf_params_update changed the model since the tables were computed.
static inline int hfi_world_is_outdated(const hfiWorld* w) { return w->revision != w->model->revision; }
// Computes the tables again.
void hfi_world_refresh(hfiWorld* world);

// Computes the inverse weights of the bodies, and those of dofs for the actuation, as far as the model has MuJoCo's parameters
// for them; else they are zero. The poses of the dynamics are then those of qpos0.
void hfi_world_weigh(hfiWorld* world);

// Poses at q and at the mocap poses of the input (may be NULL), unless the world is there already.
void hfi_world_place(hfiWorld* world, const double* q, const hfInput* input);
// The same, but only the poses of bodies are computed.
void hfi_world_pose(hfiWorld* world, const double* q, const hfInput* input);
// Goes there, but computes nothing before hfi_world_complete or one of the functions above asks for it: what comes next may be a
// step of another state.
void hfi_world_go(hfiWorld* world, const double* q, const hfInput* input);
void hfi_world_complete(hfiWorld* world);
// Remembers the present poses as those of the start of the step.
void hfi_world_mark_start(hfiWorld* world);

// Whether the input gives control i. Else the scene's signal sets it, or it is zero.
static inline int hfi_control_is_given(const hfInput* input, int i) { return input && input->ctrl && !isnan(input->ctrl[i]); }
// The controls that are given at time t, into ctrl (nu): the input's, else those of the scene's signals, else zero.
void hfi_world_read_controls(const hfiWorld* world, double t, const hfInput* input, double* ctrl);
// Reads them, and looks up those that act at time t: later than they are given where the actuator has a delay.
void hfi_world_load(hfiWorld* world, double t, const hfInput* input);
// The velocity targets of the input (nv), or NULL where it has none.
const double* hfi_world_targets(const hfiWorld* world, const hfInput* input);
// tau (nv) += forces and wrenches of the input.
void hfi_world_add_applied(const hfiWorld* world, const hfInput* input, double* tau);

// Contacts at the present poses whose gap is at most `gap` [m]. With a horizon [s] above zero also those that the
// present velocities and gravity would close within it; push (ntree, or NULL) is how far other forces may push a
// tree within it [m].
void hfi_world_find_contacts(hfiWorld* world, double gap, double horizon, const double* push);
// Whether an actuator pulls at contacts.
int hfi_any_adhesion(const hfModel* model);
// Whether the material of a geom or pair does.
int hfi_any_is_sticky(const hfModel* model);
// tau (nv) += the pull at the contacts found, with the present forces of the actuators.
void hfi_world_add_adhesion(const hfiWorld* world, double* tau);
// Points within the margin of a pair whose material pulls act, though they are open.
void hfi_world_let_stick(hfiWorld* world);
// Sweeps the pairs that act only across wide gaps (sweep.c). Where the two do not meet within h, their points no longer act. Where they
// do, one point of their meeting replaces them.
//   V     (nlink) velocities of the links
//   fall  for how long gravity has acted on top of them [s]
//   acts  HFI_ACTS for the points of a first look, HFI_ACTS_NEWLY for those of a second one
void hfi_world_sweep(hfiWorld* world, const hfMotion* V, double h, double fall, int acts);
// Points that meet a covered face (cover.c) no longer act. V, h and acts: as above; h may be zero.
void hfi_world_drop_covered(hfiWorld* world, const hfMotion* V, double h, int acts);
// A geom that moves further than this beyond its reach has its pairs looked at again [m].
static const double HFI_FURTHER = 5e-4;
// Whether there are found points that do not act, on trees that `unforeseen` (ntree) marks because they move further than foreseen.
int hfi_world_may_miss(const hfiWorld* world, const int32_t* unforeseen);
// Looks again at these trees, with velocities V of the links (nlink) of a solved step, and adds the contacts that would overlap
// noticeably at its end. Returns 1 where contacts were added.
//   further  0 where no geom comes further than HFI_FURTHER beyond its reach
//   number   (max_contacts) an entry for each contact, which moves with it; new contacts get HFI_NEW_CONTACT
int hfi_world_add_missed(hfiWorld* world, const hfMotion* V, double horizon, const int32_t* unforeseen, int further,
                         int32_t* number);

// Marks in world->alone the trees that are fast and have nothing else within reach (ngeom), how far velocities V of the links move each geom within
// the horizon at most. Returns whether there are any.
int hfi_world_mark_alone(hfiWorld* world, const hfMotion* V, double horizon, const double* reach);
// Lets the scene follow the geoms of these trees from the first geom of the tree.
void hfi_world_set_carriers(hfiWorld* world);
// Computes the second reach of all geoms (ngeom), how far velocities V move them within the horizon, beside the first.
const double* hfi_world_second_reach(hfiWorld* world, const hfMotion* V, double horizon);
// Finds the points of pairs again of which a geom has its second reach noticeably beyond its first. Only trees count that `marked` (ntree) marks.
void hfi_world_look_further(hfiWorld* world, const int32_t* marked);

// ---- nothing passes through (passage.c) ---------------------------------------------------------------

// Fills the tables of widths and of solid bodies of a new world.
void hfi_world_measure_widths(hfiWorld* world);
// Two geoms are not looked at that come nearer by less than this share of their width within the step [-].
static const double HFI_PASSING_SHARE = 0.4;
// Whether a motion of this length [m] could bring some geom of the world through another one.
static inline int hfi_world_could_pass(const hfiWorld* w, double motion) { return motion > HFI_PASSING_SHARE * w->least_width; }
// The same of the largest motion of all geoms: their reach and an excess [m] beyond it.
static inline int hfi_world_any_could_pass(const hfiWorld* w, double excess) {
  return hfi_world_could_pass(w, w->farthest.base + w->farthest.turn * w->largest_extent + excess);
}
// Whether all solid bodies move together, as a gripper moves with what it shakes: velocities V of the links and an excess [m] move no
// two of them so far towards each other within h that they could pass.
int hfi_world_moves_as_one(const hfiWorld* world, const hfMotion* V, double h, double excess);
// Marks (ntree) the trees that have a geom which velocities V move so far within h that it could pass. Returns whether there are any.
int hfi_world_mark_passing(hfiWorld* world, const hfMotion* V, double h, int32_t* marked);
// The point about which a free body turns on its path, and the velocity of this point. Other trees have none: known is 0.
typedef struct hfiTurningCentre { int32_t known; hfVec3 p, v; } hfiTurningCentre;
// Two geoms after they have moved along their paths.
typedef struct hfiPathEnd {
  double gap;    // between them [m]
  double travel; // how far their contact has travelled over the two bodies, the larger of both ways [m]
  double rate;   // how fast the gap grows [m/s]
  hfVec3 n;      // normal
} hfiPathEnd;
// Finds that end for the time h and the velocities V (nlink) of the links. p_W: contact point at the start. Returns 0 where the geoms are then more than
// `far` apart [m].
int hfi_world_path_end(const hfiWorld* world, const hfMotion* V, const hfiTurningCentre* about, double h, int geom_a, int geom_b, hfVec3 p_W,
                       double far, hfiPathEnd* end);
// Whether no two geoms that were found near each other move so fast at velocities V (nlink) of the links that they could pass within h.
int hfi_world_all_pairs_are_slow(const hfiWorld* world, const hfMotion* V, double h, const hfiTurningCentre* about);
// Finds for how long each tree may move at velocities V (nlink) of the links so that no two bodies pass through each other: its
// stop_time (ntree) [s]. INFINITY means that the tree moves over the whole step, and h means the same, but exactly along its path. Only
// pairs with a tree that hfi_world_mark_passing marked, for the same V and h, are looked at. Returns 1 where some time is finite.
int hfi_world_find_stops(hfiWorld* world, const hfMotion* V, double h, const int32_t* marked, const hfiTurningCentre* about,
                         double* stop_time);

// ---- sizes and states ---------------------------------------------------------------------------------

// No pair is swept whose gap is below this [m].
double hfi_least_swept_gap(const hfModel* model);

// The contacts that every pair of geoms can have at once, or those of a pile with a_geom points a geom where that would be too many.
hfStatus hfi_plan_contacts(const hfModel* model, int a_geom, int32_t* count, hfError* error);
// Most dofs that move one body.
int hfi_longest_chain(const hfModel* model);

// x (nq + nv + na) = (q, v, act) of a state, and back.
void hfi_state_load(const hfState* state, double* x);
void hfi_state_store(hfState* state, const double* x);

#endif
