// hfModel: an immutable world, one relocatable block of memory without a pointer inside.
//
// The block starts with this header; every array lies behind it at an offset. `hf_model_NAME(model)` returns the array NAME,
// e.g. hf_model_body_mass(model): model_fields.h has a line for each.
// The block (size bytes) can be copied, saved, sent to another process or uploaded as it is. The model of an
// hfParams is no block: hf_model_copy makes one of it.
//
// Orders and layouts are MuJoCo's for the same model: bodies depth-first, qpos and qvel joint by
// joint; free joint = x y z qw qx qy qz with linear velocity in the world and angular velocity in the
// body; ball joint = quaternion with angular velocity in the body.
#ifndef HOLDFAST_MODEL_H
#define HOLDFAST_MODEL_H

#include <holdfast/methods.h>
#include <holdfast/model_fields.h>
#include <holdfast/status.h>
#include <holdfast/types.h>
#include <holdfast/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfJointType { HF_JOINT_FREE, HF_JOINT_BALL, HF_JOINT_SLIDE, HF_JOINT_HINGE, HF_JOINT_SCREW } hfJointType;

// How a camera moves. It looks along its -z axis; its y axis is up in the picture.
typedef enum hfCameraMode {
  HF_CAMERA_FIXED,       // is fixed in its body
  HF_CAMERA_TRACK,       // follows the origin of its body; its axes are those that it has at qpos0, in the world
  HF_CAMERA_TRACK_COM,   // follows the centre of mass of the body's subtree
  HF_CAMERA_TARGET,      // is fixed in its body and looks at the origin of a target body; the horizon is level
  HF_CAMERA_TARGET_COM   // looks at the centre of mass of the target's subtree
} hfCameraMode;

// Shapes, each with the meaning of the three numbers of its size [m], as in MJCF. Numbers that are not named are ignored.
typedef enum hfGeomType {
  HF_GEOM_PLANE,     // fills the space below its x-y plane without end; no size
  HF_GEOM_SPHERE,    // radius
  HF_GEOM_CAPSULE,   // radius, half the length of its cylinder along z
  HF_GEOM_ELLIPSOID, // half axes along x, y, z
  HF_GEOM_CYLINDER,  // radius, half length along z
  HF_GEOM_BOX,       // half lengths along x, y, z
  HF_GEOM_MESH,      // the convex hull of its mesh, in the geom's frame; no size
  HF_GEOM_HFIELD     // a height field; no size
} hfGeomType;

typedef enum hfObjectKind {
  HF_OBJECT_NONE, HF_OBJECT_BODY, // frame of the body
  HF_OBJECT_INERTIAL,             // frame at the body's centre of mass, principal axes ("xbody" is BODY)
  HF_OBJECT_JOINT, HF_OBJECT_GEOM, HF_OBJECT_SITE, HF_OBJECT_MESH, HF_OBJECT_TENDON,
  HF_OBJECT_EQUALITY, HF_OBJECT_ACTUATOR, HF_OBJECT_SENSOR, HF_OBJECT_KEY, HF_OBJECT_PAIR, HF_OBJECT_HFIELD,
  HF_OBJECT_CAMERA, HF_OBJECT_KINDS
} hfObjectKind;

typedef enum hfEqualityType { HF_EQUALITY_CONNECT, HF_EQUALITY_WELD, HF_EQUALITY_JOINT, HF_EQUALITY_TENDON } hfEqualityType;

typedef enum hfWrapType { // what a tendon runs over
  HF_WRAP_JOINT,  // fixed tendon: adds coef times the joint's coordinate to the length
  HF_WRAP_SITE,   // spatial tendon: passes through the site
  HF_WRAP_GEOM,   // spatial tendon: wraps around the sphere or cylinder (without ends) between two sites
  HF_WRAP_PULLEY  // spatial tendon: ends a branch; the lengths that follow are divided by coef
} hfWrapType;

typedef enum hfTransmission {
  HF_TRANSMISSION_JOINT, HF_TRANSMISSION_JOINT_IN_PARENT, HF_TRANSMISSION_TENDON, HF_TRANSMISSION_SITE,
  HF_TRANSMISSION_BODY, // adhesion: the force pulls at the contacts of the body, an equal share at each along its normal
  HF_TRANSMISSION_SLIDER_CRANK // a rod of fixed length from the crank's pin, a site, to a slider on the z axis of another site
} hfTransmission;
typedef enum hfActivation { // actuator dynamics
  HF_ACTIVATION_NONE, HF_ACTIVATION_INTEGRATOR, HF_ACTIVATION_FILTER, HF_ACTIVATION_FILTER_EXACT,
  HF_ACTIVATION_ERROR, // integral of control - length, which adds dynprm[0] times itself to the force: PID
  HF_ACTIVATION_SLEW,  // the control, which moves by at most dynprm[0] a second; the force uses its value at the end of the step
  HF_ACTIVATION_MUSCLE, // filter with the time constants dynprm[0] up and dynprm[1] down, smoothed over dynprm[2]
  HF_ACTIVATION_MOTOR   // the states that a DC motor has (hfMotorState)
} hfActivation;
typedef enum hfGain {
  HF_GAIN_FIXED, HF_GAIN_AFFINE, HF_GAIN_MUSCLE,
  HF_GAIN_MOTOR,      // a DC motor, without a bias
  HF_GAIN_ORIENTATION // one axis of an orientation servo (hfOrientationInput), with an affine bias 0, -gain, -damping
} hfGain;
typedef enum hfBias { HF_BIAS_NONE, HF_BIAS_AFFINE, HF_BIAS_MUSCLE } hfBias;

// Parameters of a DC motor (docs/theory/motors.md): entries of actuator_motor. 0 switches a part off.
typedef enum hfMotorParameter {
  HF_MOTOR_RESISTANCE, HF_MOTOR_CONSTANT,                                    // R [Ohm], K [N m/A = V s/rad]
  HF_MOTOR_TEMPCOEF, HF_MOTOR_REFTEMP, HF_MOTOR_AMBIENT,                     // coefficient of R [1/K]; temperature at which R holds, and around the motor [deg C]
  HF_MOTOR_THERMAL_RESISTANCE, HF_MOTOR_THERMAL_CAPACITY,                    // [K/W], [J/K]
  HF_MOTOR_TIME_CONSTANT, HF_MOTOR_CURRENT_RATE,                             // L/R [s], largest rate of the current [A/s]
  HF_MOTOR_COGGING, HF_MOTOR_POLES, HF_MOTOR_PHASE,                          // amplitude [N m], periods a turn, [rad]
  HF_MOTOR_BRISTLE_STIFFNESS, HF_MOTOR_BRISTLE_DAMPING,                      // LuGre friction [N m/rad], [N m s/rad]
  HF_MOTOR_COULOMB, HF_MOTOR_STATIC, HF_MOTOR_STRIBECK,                      // [N m], [N m], [rad/s]
  HF_MOTOR_KP, HF_MOTOR_KI, HF_MOTOR_KD,                                     // gains of its controller [N m/rad], [N m/(rad s)], [N m s/rad]
  HF_MOTOR_SLEWMAX, HF_MOTOR_IMAX, HF_MOTOR_VMAX,                            // speed of the first input; bounds of the integral and of the voltage [V]
  HF_MOTOR_PARAMETERS
} hfMotorParameter;
// Inputs of a DC motor, bits of actuator_inputs. Its own control is the first; those of the next actuators are the others.
typedef enum hfMotorInput { HF_INPUT_POSITION = 1, HF_INPUT_VELOCITY = 2, HF_INPUT_TORQUE = 4, HF_INPUT_VOLTAGE = 8 } hfMotorInput;
// Inputs of an orientation servo, bits of actuator_inputs. Such a servo consists of three or four actuators. Their controls are the target: a rotation
// vector x, y, z, or a quaternion w, x, y, z. The first actuator has the bits of all of them, each other one only its own bit.
typedef enum hfOrientationInput { HF_INPUT_W = 16, HF_INPUT_X = 32, HF_INPUT_Y = 64, HF_INPUT_Z = 128 } hfOrientationInput;
// States of a DC motor, bits of actuator_states; those that it has stand in this order from actuator_actadr on.
typedef enum hfMotorState {
  HF_MOTOR_STATE_SETPOINT = 1,    // first input, which moves at a bounded speed
  HF_MOTOR_STATE_INTEGRAL = 2,    // integral of the position's error [rad s]
  HF_MOTOR_STATE_TEMPERATURE = 4, // temperature of the winding above that around the motor [K]
  HF_MOTOR_STATE_BRISTLE = 8,     // deflection of the bristles that stand for friction [rad]
  HF_MOTOR_STATE_CURRENT = 16     // [A]
} hfMotorState;

// The value between two samples of a control that acts with a delay, or of a sensor whose numbers arrive with a delay.
typedef enum hfInterpolation { HF_INTERPOLATE_HOLD, HF_INTERPOLATE_LINEAR, HF_INTERPOLATE_CUBIC } hfInterpolation; // hold: the earlier

// Whether a kinematic tree may sleep if the scene's option lets bodies sleep.
typedef enum hfSleepPolicy {
  HF_SLEEP_AUTO,    // the tree may sleep
  HF_SLEEP_NEVER,   // the tree never sleeps, nor does anything that it touches
  HF_SLEEP_ALLOWED, // the same as auto
  HF_SLEEP_INIT     // the tree sleeps from the start, wherever it is, until something acts on it
} hfSleepPolicy;

typedef enum hfSignalType { HF_SIGNAL_NONE, HF_SIGNAL_CONSTANT, HF_SIGNAL_SINE, HF_SIGNAL_RAMP, HF_SIGNAL_CHIRP, HF_SIGNAL_TABLE, HF_SIGNAL_CYCLE, HF_SIGNAL_FEEDBACK } hfSignalType;

typedef enum hfSensorType {
  HF_SENSOR_TOUCH, HF_SENSOR_ACCELEROMETER, HF_SENSOR_VELOCIMETER, HF_SENSOR_GYRO, HF_SENSOR_FORCE, HF_SENSOR_TORQUE,
  HF_SENSOR_JOINT_POS, HF_SENSOR_JOINT_VEL, HF_SENSOR_TENDON_POS, HF_SENSOR_TENDON_VEL,
  HF_SENSOR_ACTUATOR_POS, HF_SENSOR_ACTUATOR_VEL, HF_SENSOR_ACTUATOR_FORCE, HF_SENSOR_JOINT_ACTUATOR_FORCE,
  HF_SENSOR_BALL_QUAT, HF_SENSOR_BALL_ANGVEL, HF_SENSOR_JOINT_LIMIT_POS, HF_SENSOR_JOINT_LIMIT_VEL, HF_SENSOR_JOINT_LIMIT_FORCE,
  HF_SENSOR_FRAME_POS, HF_SENSOR_FRAME_QUAT, HF_SENSOR_FRAME_XAXIS, HF_SENSOR_FRAME_YAXIS, HF_SENSOR_FRAME_ZAXIS,
  HF_SENSOR_FRAME_LINVEL, HF_SENSOR_FRAME_ANGVEL, HF_SENSOR_FRAME_LINACC, HF_SENSOR_FRAME_ANGACC,
  HF_SENSOR_SUBTREE_COM, HF_SENSOR_SUBTREE_LINVEL, HF_SENSOR_SUBTREE_ANGMOM,
  HF_SENSOR_CLOCK, HF_SENSOR_ENERGY_POTENTIAL, HF_SENSOR_ENERGY_KINETIC,
  HF_SENSOR_CONTACT, // contacts that match, hfContactData of `num` of them chosen by hfContactReduce
  HF_SENSOR_TENDON_ACTUATOR_FORCE, HF_SENSOR_TENDON_LIMIT_POS, HF_SENSOR_TENDON_LIMIT_VEL, HF_SENSOR_TENDON_LIMIT_FORCE,
  HF_SENSOR_MAGNETOMETER, HF_SENSOR_RANGEFINDER, // rangefinder: hfRayData of the ray along the z axis of a site, or of one ray for each pixel of a camera
  HF_SENSOR_INSIDE_SITE, // 1: the object's origin is inside of the reference, a site; else 0
  HF_SENSOR_DISTANCE, HF_SENSOR_NORMAL, HF_SENSOR_FROM_TO, // between the surfaces of two geoms or bodies, up to the cutoff
  HF_SENSOR_USER, // `num` numbers for a program of its own: always 0
  HF_SENSOR_CAMERA_PROJECTION, // where a site is in the picture of the reference, a camera: pixels from the left and from the top
  HF_SENSOR_TYPES // their number
} hfSensorType;

// What a contact sensor reports of each contact, in this order: bits of sensor_data. The contact frame has the normal, from the
// first to the second object, as x and the tangent as y axis.
typedef enum hfContactData {
  HF_CONTACT_DATA_FOUND = 1,    // number of contacts that match
  HF_CONTACT_DATA_FORCE = 2,    // force on the second object, in the contact frame (3) [N]
  HF_CONTACT_DATA_TORQUE = 4,   // torque on the second object, in the contact frame (3) [N m]
  HF_CONTACT_DATA_DIST = 8,     // negative: overlap [m]
  HF_CONTACT_DATA_POS = 16,     // (3) in the world [m]
  HF_CONTACT_DATA_NORMAL = 32,  // (3) in the world
  HF_CONTACT_DATA_TANGENT = 64, // (3) in the world
  HF_CONTACT_DATA_LINVEL = 128, // velocity of the second object relative to the first, in the contact frame (3) [m/s]
  HF_CONTACT_DATA_ANGVEL = 256  // angular velocity of the second object relative to the first, in the contact frame (3) [rad/s]
} hfContactData;
// Which contacts a contact sensor reports.
typedef enum hfContactReduce {
  HF_REDUCE_NONE,     // the first ones
  HF_REDUCE_MINDIST,  // the deepest ones
  HF_REDUCE_MAXFORCE, // those with the largest forces
  HF_REDUCE_NETFORCE  // one contact that stands for all: the total at the mean of their points, weighted by force, in world axes
} hfContactReduce;
// What a rangefinder reports, in this order: bits of sensor_data. Without a hit distance and depth are -1, the others 0.
typedef enum hfRayData {
  HF_RAY_DIST = 1, HF_RAY_DIR = 2, HF_RAY_ORIGIN = 4, HF_RAY_POINT = 8, HF_RAY_NORMAL = 16, HF_RAY_DEPTH = 32
} hfRayData;

// How two geoms' friction coefficients become one.
typedef enum hfFrictionRule {
  HF_COMBINE_MAX,     // elementwise maximum, or the geom of higher priority (MJCF)
  HF_COMBINE_HARMONIC // 2 mu1 mu2/(mu1 + mu2) (URDF, Drake)
} hfFrictionRule;

// World-wide values of a scene.
typedef struct hfWorld {
  double timestep;         // [s]
  double gravity[3];       // [m/s^2]
  double magnetic[3];      // field that magnetometers measure [T]
  double density, viscosity, wind[3]; // density, viscosity and velocity of the medium [kg/m^3], [Pa s], [m/s]
  double stiffness;        // default of a geom; 0 in a builder: 1e6, or more for a scene above 102 kg (docs/theory/contact.md) [N/m]
  double dissipation;      // default of a geom [s/m]
  double stiction_speed;   // v_s [m/s]
  double tangential_ratio; // k_t/k of the anchored law where a geom gives no k_t [-]
  double release_speed;    // largest speed at which a violated equality is closed [m/s, or rad/s of its turn]
  double impratio;         // MuJoCo's impratio; counts only if a contact's stiffness comes from solref [-]
  hfMethod method;
  hfFrictionLaw friction;
  int32_t friction_rule;  // hfFrictionRule
  int32_t filter_parent;   // 1: no contact between a body and its parent
  int32_t disable_contact; // flags of MJCF's <option><flag>: 1 switches the feature off
  int32_t disable_limit, disable_frictionloss, disable_spring, disable_damper, disable_gravity,
      disable_equality, disable_actuation, disable_clamp_control;
  int32_t disabled_groups; // bit g (0 to 30): actuators of group g do not act (MJCF's actuatorgroupdisable)
  int32_t pyramidal_cone; // 1: MuJoCo's solver has pyramids for cones; counts only if a contact's stiffness comes from solref
  int32_t sleep;          // 1: bodies at rest sleep, unless the configuration of the sim says otherwise
  double sleep_speed;     // a tree rests below this speed (MJCF's sleep_tolerance) [m/s]
} hfWorld;

typedef enum hfModelField {
#define X(type, name, rows, columns, overlay) HF_FIELD_##name,
  HF_MODEL_FIELDS(X)
#undef X
  HF_MODEL_FIELD_COUNT
} hfModelField;

typedef struct hfModel {
  char magic[8];    // "HFMODEL"
  uint32_t version; // version of this layout
  uint32_t revision; // how often hf_params_update changed this overlay; 0 for a model
  uint64_t size;    // bytes of the whole block; 0: an overlay, which is no block (hf_model_is_overlay)
  hfWorld world;
#define X(name) int32_t name;
  HF_MODEL_COUNTS(X)
#undef X
  int64_t offset[HF_MODEL_FIELD_COUNT]; // offset of each field from the start of this header
} hfModel;

// hf_model_NAME(model) returns the array of field NAME (model_fields.h). These are functions of the library, so that a program
// goes on working with a later patch release that lays the block out in another way. A program that defines
// HF_INLINE_ACCESSORS compiles them into itself, with the layout of these headers: then it must be built again
// for every release (the library does so for itself).
#ifdef HF_INLINE_ACCESSORS
#define X(type, name, rows, columns, overlay)                                                          \
  extern inline __attribute__((gnu_inline, always_inline)) const type* hf_model_##name(const hfModel* m) { \
    return (const type*)((uintptr_t)m + (uintptr_t)m->offset[HF_FIELD_##name]);                        \
  }
HF_MODEL_FIELDS(X)
#undef X
#endif

// Describes a field, so that tools can list and read every array by name.
typedef struct hfFieldInfo {
  const char* name;
  char type;             // 'i' int32_t, 'd' double, 'f' float, 'c' char
  int32_t rows, columns; // sizes in this model
  int32_t overlay;       // 1: an hfParams may change it
} hfFieldInfo;
HF_API hfFieldInfo hf_model_field_info(const hfModel* model, hfModelField field);
// The field of that name, or -1.
HF_API int hf_model_field_find(const char* name);

// Name of an object ("" if unnamed); id of a name (-1 if there is none).
HF_API const char* hf_model_name(const hfModel* model, hfObjectKind kind, int id);
HF_API int hf_model_find(const hfModel* model, hfObjectKind kind, const char* name);
HF_API int hf_model_object_count(const hfModel* model, hfObjectKind kind);
HF_API const char* hf_object_kind_name(hfObjectKind kind);
// What logs, summaries and the arrays of Python call an object: its name, or "#ID", written to `buffer`. A free joint without a name is called like its
// body, unless a joint has that name, because most free bodies have such a joint.
enum { HF_LABEL_SIZE = 24 }; // bytes
HF_API const char* hf_model_label(const hfModel* model, hfObjectKind kind, int id, char buffer[HF_LABEL_SIZE]);

// What a joint of a type (hfJointType) is made of.
typedef struct hfJointInfo {
  const char* name;  // name in MJCF, for example "hinge"
  const char* units; // units of its coordinates and of its rates, for example "rad; rad/s"
  int32_t nq, nv;    // how many coordinates and dofs it has
  int32_t quat;      // its unit quaternion begins at this coordinate, its three rates at this dof; -1: it has none
  int32_t is_angle;  // 1: its range and reference are angles [rad], 0: lengths [m]
} hfJointInfo;
HF_API hfJointInfo hf_joint_info(int type);
// Name of a shape (hfGeomType) as MJCF has it, for example "box".
HF_API const char* hf_geom_type_name(int type);

// Frees a model that was loaded, parsed, opened, built or copied; hf_params_free frees the model of an hfParams. NULL is allowed.
HF_API void hf_model_free(hfModel* model);
// 1: the model of an hfParams. Its arrays lie outside of it, so that it must not be copied byte by byte.
HF_API int hf_model_is_overlay(const hfModel* model);
// Copies a model into a block of its own, also the model of an hfParams. Free it with hf_model_free. If there is no
// memory (HF_ERROR_MEMORY), *copy is untouched.
HF_API hfStatus hf_model_copy(hfModel** copy, const hfModel* model, hfError* error);
// Checks magic, version, sizes, offsets and every index; for blocks that come from outside.
HF_API hfStatus hf_model_validate(const hfModel* model, size_t size, hfError* error);
// Writes a model to a file, and reads it again. The model of an hfParams is written with the values of its last update.
// Refusals name the file. An older file of that name stays until the new one is complete.
HF_API hfStatus hf_model_write(const hfModel* model, const char* path, hfError* error);
HF_API hfStatus hf_model_read(hfModel** model, const char* path, hfError* error);

// hfParams: masses, sizes of primitive geoms, friction, stiffness, gains … of one world, laid over a model that many worlds
// share. It presents itself as a model (hf_model_is_overlay): everything not overlaid is the base model's
// own memory, so the base must outlive it.
typedef struct hfParams hfParams;
HF_API hfStatus hf_params_create(hfParams** params, const hfModel* base, hfError* error);
HF_API void hf_params_free(hfParams* params);
HF_API const hfModel* hf_params_model(const hfParams* params);
// Returns where to write new values of a field that is marked overlay in the table; NULL for any other field. They
// act after the next hf_params_update.
HF_API double* hf_params_field(hfParams* params, hfModelField field);
// Where to write new gravity (3) [m/s^2]. It counts after the next hf_params_update, too.
HF_API double* hf_params_gravity(hfParams* params);
// Recomputes what is derived (subtree masses, principal axes, M at qpos0, bounds of geoms) and puts the new values in
// force: sims over the overlay use them from their next call on. Non-physical values are refused with the name of
// the body or field, and the old ones stay in force.
HF_API hfStatus hf_params_update(hfParams* params, hfError* error);

#ifdef __cplusplus
}
#endif
#endif
