// hfState: everything that influences the future, in plain relocatable memory that is yours.
//
// Copy its size bytes (or call hf_state_copy) and you have copied the world. Inputs that a user or controller
// holds (controls, wrenches, mocap poses) are in hfInput: same state and same input in, same bits out.
#ifndef HOLDFAST_STATE_H
#define HOLDFAST_STATE_H

#include <holdfast/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory of one contact point, kept while the contact lives.
typedef struct hfContactMemory {
  uint64_t key_pair;    // geom_a << 32 | geom_b, geom_a < geom_b
  uint32_t key_feature; // feature of the contact point
  uint32_t flags;       // HF_MEMORY_STICK, ...
  double xi_B[3];       // tangential deformation in the frame of body B [m]
  double twist[3];      // torsional deformation about the normal, rolling deformation [rad]
  double p_BC[3];       // contact point in the frame of body B, for hand-over when features change [m]
  double slip_speed;    // slip speed in the last step, which decides between static and dynamic friction [m/s]
} hfContactMemory;

enum {
  HF_MEMORY_STICK = 1,
  // method "switching"
  HF_MEMORY_CLOSED = 4,
  HF_MEMORY_SPIN_STICK = 8,
  HF_MEMORY_ROLL_STICK = 16,
  HF_MEMORY_LAYER = 32, // the part of xi_B along the normal is the held or rest gap
};

typedef struct hfState {
  uint64_t size;          // bytes of the whole block
  double time;            // [s]
  int32_t nq, nv, na;     // as in the model
  int32_t ndiscrete;      // phase of method "switching" and its start; step size of error control; rest or sleep of each tree
  int32_t max_memory;     // capacity of the contact memory
  int32_t nmemory;        // contacts remembered, sorted by (key_pair, key_feature)
  int32_t nfriction;      // nv + ntendon
  int32_t nhistory, nrest; // as in the model
  int32_t reserved;
  int64_t off_q, off_v, off_act, off_discrete, off_friction, off_history, off_rest, off_memory; // offsets from the start of this header
} hfState;

// Arrays of a state: hf_state_NAME reads, hf_state_mutable_NAME reads and writes. They stay where they are as
// long as the state does.
//   q         (nq) positions, v (nv) velocities, act (na) activations; layouts as in model.h
//   discrete  (ndiscrete) modes and timers of the integrators
//   friction  (nfriction) what anchored friction of dofs, then of tendons, holds against [N or N m]
//   history   (nhistory) controls of the last steps of actuators with a delay (actuator_historyadr), then the last measurements of sensors
//             with a delay or an interval (sensor_historyadr)
//   rest      (nrest) where springs rest, if any of them yields: positions (nq), then lengths of tendons (ntendon x 2)
//   memory    (max_memory) remembered contacts, of which the first nmemory count
#define HF_STATE_FIELDS(X)                                                                             \
  X(double, q) X(double, v) X(double, act) X(int64_t, discrete) X(double, friction) X(double, history) X(double, rest) X(hfContactMemory, memory)

#ifdef HF_INLINE_ACCESSORS // as in model.h
#define X(type, name)                                                                                  \
  static inline const type* hf_state_##name(const hfState* s) {                                        \
    return (const type*)((uintptr_t)s + (uintptr_t)s->off_##name);                                     \
  }                                                                                                    \
  static inline type* hf_state_mutable_##name(hfState* s) {                                            \
    return (type*)((uintptr_t)s + (uintptr_t)s->off_##name);                                           \
  }
#else
#define X(type, name)                                                                                  \
  HF_API const type* hf_state_##name(const hfState* state);                                            \
  HF_API type* hf_state_mutable_##name(hfState* state);
#endif
HF_STATE_FIELDS(X)
#undef X

// Bytes of a state of this model with room for max_memory remembered contacts.
HF_API size_t hf_state_size(const hfModel* model, int max_memory);
// Lays a state out in memory of hf_state_size bytes and sets it to qpos0, at rest, time 0.
HF_API hfState* hf_state_init(void* memory, const hfModel* model, int max_memory);
// The same on the heap, with the default capacity; free it with hf_state_free. NULL: out of memory.
HF_API hfState* hf_state_create(const hfModel* model);
HF_API void hf_state_free(hfState* state); // NULL is allowed
// The default capacity of the contact memory: as many contacts as the moving geoms of crowded scenes have, by their shapes. A step
// with more contacts does not remember those that are open. If those that touch are more, it reports HF_OVERFLOW and forgets the last ones; hf_state_init
// takes any other capacity.
HF_API int hf_state_memory_default(const hfModel* model);
// A copy on the heap, byte for byte; free it with hf_state_free. NULL: out of memory.
HF_API hfState* hf_state_clone(const hfState* state);
// Copies everything that influences the future. Refuses (HF_ERROR_ARGUMENT, nothing is changed) a state of another model's
// sizes, and one that remembers more contacts than `to` has room for. The capacities may differ otherwise.
HF_API hfStatus hf_state_copy(hfState* to, const hfState* from, hfError* error);
// Takes the bytes of a state, wherever they come from. Refuses (HF_ERROR_ARGUMENT, nothing is changed) what is no state of the same model's sizes and
// the same capacity.
HF_API hfStatus hf_state_assign(hfState* state, const void* bytes, size_t size, hfError* error);
// Sets a state to qpos0, at rest, at time 0, with nothing remembered.
HF_API void hf_state_reset(hfState* state, const hfModel* model);
// Resets the state, then sets time, q, v and act from keyframe `key`, and input (may be NULL) from its controls and mocap
// poses. A keyframe that does not exist is refused (HF_ERROR_ARGUMENT), and nothing is changed.
struct hfInput;
HF_API hfStatus hf_state_set_key(hfState* state, struct hfInput* input, const hfModel* model, int key, hfError* error);
// Writes the bytes of a state to a file, and reads them again. A file that cannot be opened, written or read (HF_ERROR_FILE), is
// no state or cut short (HF_ERROR_PARSE), or belongs to another model's sizes (HF_ERROR_MODEL) is refused by its name; then
// the state stays as it was. Saving replaces an older file only when the new one is complete.
HF_API hfStatus hf_state_write(const hfState* state, const char* path, hfError* error);
HF_API hfStatus hf_state_read(hfState* state, const char* path, hfError* error);

// Position q and velocity v of a joint by its name. A hinge or slide has one number each, a ball joint 4 and 3, a free joint
// 7 and 6 (layouts in model.h). q and v may be NULL: not read, or left as they are. Setting makes a quaternion a unit one;
// what contacts remember stays. Refused, with nothing changed: a name that the model does not have, a state of another
// model, a quaternion of zeros (HF_ERROR_ARGUMENT), numbers that are not finite (HF_ERROR_NONFINITE).
HF_API hfStatus hf_state_get_joint(const hfState* state, const hfModel* model, const char* joint, double* q, double* v, hfError* error);
HF_API hfStatus hf_state_set_joint(hfState* state, const hfModel* model, const char* joint, const double* q, const double* v, hfError* error);
// Puts a body with a free joint at the pose X_WB and gives it the velocity V_WB (of its origin, in world axes). Either may be
// NULL: left as it is. Refused as above, for a body without a free joint, and if the matrix of the pose is no rotation (HF_ERROR_ARGUMENT). hf_sim_get_body reads any body.
HF_API hfStatus hf_state_set_body(hfState* state, const hfModel* model, const char* body, const hfPose* X_WB, const hfMotion* V_WB, hfError* error);

// Inputs of a step. Any pointer may be NULL: the scene's signals or zero controls, no forces, mocap
// bodies where the model puts them, no targets, no limits.
typedef struct hfInput {
  double* ctrl;         // (nu) a control that is given here replaces the scene's signal; NaN, for an actuator with a signal: the signal acts
  double* force;        // (nv) generalised force [N or N m]
  hfForce* wrench;      // (nbody) wrench on each body at its centre of mass, in world axes: torque, then force [N m, N]
  double* mocap_pos;    // (nmocap x 3) p_WB [m]
  double* mocap_quat;   // (nmocap x 4) q_WB
  // Inverse dynamics in the step: joints are driven to these velocities at its end by whatever force
  // that takes, up to the limit. In addition to actuators. docs/theory/drives.md
  double* velocity_target; // (nv) [m/s or rad/s]; NaN: none
  double* force_limit;     // (nv) bound on the size of the target's force, >= 0, may be infinite [N or N m]
} hfInput;

// All arrays of an input in one allocation, initialised from the model: controls are zero, or NaN where the scene has a signal; free with
// hf_input_free.
HF_API hfInput* hf_input_create(const hfModel* model);
HF_API void hf_input_free(hfInput* input);

#ifdef __cplusplus
}
#endif
#endif
