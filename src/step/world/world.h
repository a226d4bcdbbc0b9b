// One world at one point (t, q, v, inputs): kinematics, actuation, collision geometry and contacts there.
//
// A sim owns one world, and the methods of discrete time, of continuous time and of switching borrow it. The world
// holds nothing that changes a result: everything in it is computed from the model, the point and the inputs.
#ifndef HFI_WORLD_WORLD_H
#define HFI_WORLD_WORLD_H

#include "step/actuation/actuation.h"
#include "step/near/near.h"

typedef struct hfiWorldConfig {
  int32_t max_contacts;  // capacity
  int32_t scene_signals; // 1: the scene's signals drive controls that no input gives
  int32_t drive_law;     // hfDriveLaw of all servos; -1: each has its own
  int32_t mujoco_softness; // as in hfSimConfig
  hfAllocator allocator; // gives memory to the world and to the methods that borrow it
  hfiWorkers* workers;   // they share the work on large scenes, and outlive the world and its methods; NULL: none
} hfiWorldConfig;

// Bits of hfiWorld.fresh: what belongs to the present q and mocap poses. Each bit implies those before it. Only pose.c
// sets and clears them; hfi_world_need computes what is missing.
typedef enum hfiFresh {
  HFI_FRESH_POINT = 1,  // q and mocap are set
  HFI_FRESH_POSES = 2,  // the dynamics has the poses of bodies
  HFI_FRESH_PLACED = 4, // the dynamics has the poses of geoms too, and all that depends on poses alone
} hfiFresh;

typedef struct hfiWorld {
  const hfModel* model;
  hfiWorldConfig config;
  uint32_t revision; // revision of the model's parameters from which weights and materials were computed
  uint32_t fresh;    // hfiFresh

  hfDynamics dynamics;
  hfActuation actuation;
  hfiNear near; // which contacts act

  // weights and materials
  double* weight;               // (nbody) inverse weights at the reference pose (weight.c) [1/kg]
  int32_t has_dynamic_friction; // 1: some geom has a dynamic coefficient of its own
  int32_t has_restitution;      // 1: some geom has a coefficient of restitution
  int32_t has_adhesion;         // 1: an actuator, or the material of a geom or pair, pulls at contacts
  const hfModel* surfaces;      // the model, where the surface of some geom moves; else NULL

  // pose
  double* q;      // (nq)
  double* mocap;  // (7 nmocap)
  hfPose* X0_WB;  // (nbody) poses at the start of the step, see hfi_world_mark_start

  // input
  double* ctrl;  // (nu) controls that act
  double* given; // (nu) controls that are given now; some act later. It is ctrl if no actuator has a history.
  const double* history; // the history of the present state (hfState); NULL: controls act at once
} hfiWorld;

// ---- creation ---------------------------------------------------------------------------------------

// The model (or an overlay's model) must outlive the world.
hfStatus hfi_world_create(hfiWorld** world, const hfModel* model, const hfiWorldConfig* config, hfError* error);
void hfi_world_free(hfiWorld* world);

// Whether hf_params_update changed the model since weights and materials were computed.
static inline int hfi_world_is_outdated(const hfiWorld* w) { return w->revision != w->model->revision; }
// Computes everything again that depends on parameters of the model. Returns 1 if sizes of geoms changed.
int hfi_world_refresh(hfiWorld* world);

// ---- pose -------------------------------------------------------------------------------------------

// Computes the poses of all bodies and geoms and all that depends on them, at q and at the mocap poses of the input
// (may be NULL). Does nothing if the world is there already.
void hfi_world_place(hfiWorld* world, const double* q, const hfInput* input);
// Like hfi_world_place, but computes only the poses of bodies.
void hfi_world_pose(hfiWorld* world, const double* q, const hfInput* input);
// Like hfi_world_place, but computes nothing until hfi_world_need or one of the functions above is called: the next
// call may be a step of another state, which needs none of it.
void hfi_world_go(hfiWorld* world, const double* q, const hfInput* input);
// Computes what is missing of a part (hfiFresh) at the present point.
void hfi_world_need(hfiWorld* world, hfiFresh part);
// The dynamics has been changed by its owner: nothing belongs to the present point any more.
void hfi_world_forget(hfiWorld* world);
// Whether the world is at the coordinates of a state.
int hfi_world_is_at(const hfiWorld* world, const hfState* state);
// Remembers the present poses as those of the start of the step.
void hfi_world_mark_start(hfiWorld* world);

// ---- input and state --------------------------------------------------------------------------------

// Whether the input gives control i. If not, the scene's signal sets it, or it is zero.
static inline int hfi_control_is_given(const hfInput* input, int i) {
  return input && input->ctrl && !isnan(input->ctrl[i]);
}
// Writes the controls that are given at time t into ctrl (nu): from the input, else from the scene's signals, else
// zero.
void hfi_world_read_controls(const hfiWorld* world, double t, const hfInput* input, double* ctrl);
// Sets the history (hfState) of the state that is simulated from now on.
void hfi_world_set_history(hfiWorld* world, const double* history);
// Reads the controls that are given at time t into world->given, and finds those that act at time t, world->ctrl. An
// actuator with a delay acts by an earlier control.
void hfi_world_load(hfiWorld* world, double t, const hfInput* input);
// The velocity targets of the input (nv), or NULL if it has none.
const double* hfi_world_targets(const hfiWorld* world, const hfInput* input);
// tau (nv) += forces and wrenches of the input.
void hfi_world_add_applied(const hfiWorld* world, const hfInput* input, double* tau);
// Adds to tau (nv) the pull at the contacts found, with the present forces of the actuators.
void hfi_world_add_adhesion(const hfiWorld* world, double* tau);

// Copies (q, v, act) of a state to x (nq + nv + na), and back.
void hfi_state_load(const hfState* state, double* x);
void hfi_state_store(hfState* state, const double* x);

// The largest number of dofs that move one body.
int hfi_longest_chain(const hfModel* model);

#endif
