// hfModel: an immutable world, one relocatable block of memory without a pointer inside.
//
// The block starts with this header; every array lies behind it at an offset that the field table
// below names once. `hf_model_NAME(model)` returns the array NAME, e.g. hf_model_body_mass(model).
// The block (size bytes) can be copied, saved, sent to another process or uploaded as it is. The model of an
// hfParams is no block: hf_model_copy makes one of it.
//
// Orders and layouts are MuJoCo's for the same model: bodies depth-first, qpos and qvel joint by
// joint; free joint = x y z qw qx qy qz with linear velocity in the world and angular velocity in the
// body; ball joint = quaternion with angular velocity in the body.
#ifndef HOLDFAST_MODEL_H
#define HOLDFAST_MODEL_H

#include <holdfast/methods.h>
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
  hfFrictionRule friction_rule;
  int32_t filter_parent;   // 1: no contact between a body and its parent
  int32_t disable_contact; // flags of MJCF's <option><flag>: 1 switches the feature off
  int32_t disable_limit, disable_frictionloss, disable_spring, disable_damper, disable_gravity,
      disable_equality, disable_actuation, disable_clamp_control;
  int32_t disabled_groups; // bit g (0 to 30): actuators of group g do not act (MJCF's actuatorgroupdisable)
  int32_t pyramidal_cone; // 1: MuJoCo's solver has pyramids for cones; counts only if a contact's stiffness comes from solref
  int32_t sleep;          // 1: bodies at rest sleep, unless the configuration of the sim says otherwise
  double sleep_speed;     // a tree rests below this speed (MJCF's sleep_tolerance) [m/s]
} hfWorld;

// Counts. The table names each once; the header struct and the loader use it.
//   nq positions, nv velocities, nu controls, na activations, nM non-zeros of the lower triangle of M
#define HF_MODEL_COUNTS(X)                                                                             \
  X(nq) X(nv) X(nu) X(na) X(nM) X(nbody) X(ntree) X(njnt) X(ngeom) X(nsite) X(ncam) X(nmesh) X(nhullvert)      \
  X(nhullface) X(nhullfacevert) X(nhulledge) X(nsurfvert) X(nsurftri) X(nhfield) X(nhfieldheight) X(nhfieldtri) X(ntendon) X(nwrap) X(neq) X(npair) X(nexclude) X(nmocap) \
  X(nkey) X(nsensor) X(nsensordata) X(nsignal) X(nsignaldata) X(nhistory) X(nrest) X(nnames)

// Fields: X(type, name, rows, columns, overlay). overlay = 1: a world's hfParams may change it.
// Ids are -1 where there is none. Frames: B body, P parent body, G geom, S site, C camera, W world.
#define HF_MODEL_FIELDS(X)                                                                             \
  /* bodies; body 0 is the world */                                                                    \
  X(int32_t, body_parent, nbody, 1, 0)                                                                 \
  X(int32_t, body_jntadr, nbody, 1, 0)    /* first joint, or -1 */                                     \
  X(int32_t, body_jntnum, nbody, 1, 0)                                                                 \
  X(int32_t, body_dofadr, nbody, 1, 0)    /* first dof, or -1 */                                       \
  X(int32_t, body_dofnum, nbody, 1, 0)                                                                 \
  X(int32_t, body_geomadr, nbody, 1, 0)   /* first geom, or -1 */                                      \
  X(int32_t, body_geomnum, nbody, 1, 0)                                                                \
  X(int32_t, body_tree, nbody, 1, 0)      /* kinematic tree, -1: fixed in the world or mocap */        \
  X(int32_t, body_root, nbody, 1, 0)      /* ancestor that is a child of the world (0 for the world) */\
  X(int32_t, body_weld, nbody, 1, 0)      /* nearest ancestor-or-self with joints or mocap, or 0 */    \
  X(int32_t, body_lastdof, nbody, 1, 0)   /* last dof that moves it, -1: none */                       \
  X(int32_t, body_mocap, nbody, 1, 0)     /* mocap id, or -1 */                                        \
  X(int32_t, body_subtreeend, nbody, 1, 0) /* one past the last body of its subtree */                 \
  X(double, body_pos, nbody, 3, 0)        /* p_PB at q = 0 [m] */                                      \
  X(double, body_quat, nbody, 4, 0)       /* q_PB at q = 0 */                                          \
  X(double, body_mass, nbody, 1, 1)       /* [kg] */                                                   \
  X(double, body_com, nbody, 3, 1)        /* p_BoBcm_B [m] */                                          \
  X(double, body_inertia, nbody, 6, 1)    /* about Bcm in B: xx yy zz xy xz yz [kg m^2] */             \
  X(double, body_iquat, nbody, 4, 1)      /* principal axes in B */                                    \
  X(double, body_gravcomp, nbody, 1, 1)   /* fraction of its weight that is compensated [-] */         \
  X(double, body_subtreemass, nbody, 1, 1) /* [kg] */                                                  \
  /* kinematic trees: dofs [tree_dofadr, + tree_dofnum), bodies [tree_body, body_subtreeend) */        \
  X(int32_t, tree_body, ntree, 1, 0)      /* first body with a dof */                                  \
  X(int32_t, tree_dofadr, ntree, 1, 0)                                                                 \
  X(int32_t, tree_dofnum, ntree, 1, 0)                                                                 \
  X(int32_t, tree_sleep, ntree, 1, 0)     /* hfSleepPolicy */                                          \
  /* joints */                                                                                         \
  X(int32_t, jnt_type, njnt, 1, 0)        /* hfJointType */                                            \
  X(int32_t, jnt_body, njnt, 1, 0)                                                                     \
  X(int32_t, jnt_qposadr, njnt, 1, 0)                                                                  \
  X(int32_t, jnt_dofadr, njnt, 1, 0)                                                                   \
  X(int32_t, jnt_limited, njnt, 1, 0)                                                                  \
  X(int32_t, jnt_actfrclimited, njnt, 1, 0)                                                            \
  X(int32_t, jnt_actgravcomp, njnt, 1, 0) /* gravity compensation counts as actuator force */          \
  X(double, jnt_pos, njnt, 3, 0)          /* anchor in B [m] */                                        \
  X(double, jnt_axis, njnt, 3, 0)         /* unit, in B */                                             \
  X(double, jnt_pitch, njnt, 1, 0)        /* screw: travel along the axis per angle, right-handed [m/rad] */ \
  X(double, jnt_range, njnt, 2, 1)        /* [m or rad]; ball: [0, largest angle] */                   \
  X(double, jnt_margin, njnt, 1, 1)                                                                    \
  X(double, jnt_stiffness, njnt, 1, 1)    /* [N/m or N m/rad] */                                       \
  X(double, jnt_springyield, njnt, 1, 0)  /* displacement from which on the spring yields; 0: never [m or rad] */ \
  X(double, jnt_stiffness_poly, njnt, 2, 1) /* of x^2 and x^3; the force is -(a x + b x^2 + c x^3) */  \
  X(double, jnt_bend, njnt, 3, 1)         /* ball: stiffness against turns about the axes of its parent body [N m/rad] */ \
  X(double, jnt_bend_rest, njnt, 3, 1)    /* ball: rotation vector of the body in its parent where that rests [rad] */ \
  X(double, jnt_limit_stiffness, njnt, 1, 1) /* 0: near-rigid [N/m or N m/rad] */                      \
  X(double, jnt_limit_damping, njnt, 1, 1)   /* [N s/m or N m s/rad] */                                \
  X(double, jnt_limit_solref, njnt, 2, 1) /* MuJoCo's, where the model set it; else (0, 0) */          \
  X(double, jnt_limit_solimp, njnt, 5, 1)                                                              \
  X(double, jnt_actfrcrange, njnt, 2, 1)  /* bounds of the summed actuator force [N or N m] */         \
  X(double, qpos0, nq, 1, 0)              /* reference configuration */                                \
  X(double, qpos_spring, nq, 1, 1)        /* springs rest here */                                      \
  /* degrees of freedom */                                                                             \
  X(int32_t, dof_body, nv, 1, 0)                                                                       \
  X(int32_t, dof_jnt, nv, 1, 0)                                                                        \
  X(int32_t, dof_parent, nv, 1, 0)        /* previous dof on the way to the root, or -1 */             \
  X(int32_t, dof_tree, nv, 1, 0)                                                                       \
  X(int32_t, dof_depth, nv, 1, 0)         /* dofs above it */                                          \
  X(int32_t, dof_Madr, nv, 1, 0)          /* row of M: dof_depth + 1 entries, ancestors ascending, diagonal last */ \
  X(int32_t, M_col, nM, 1, 0)             /* column of each entry */                                   \
  X(double, dof_armature, nv, 1, 1)       /* [kg or kg m^2] */                                         \
  X(double, dof_damping, nv, 1, 1)        /* [N s/m or N m s/rad] */                                   \
  X(double, dof_damping_poly, nv, 2, 1)   /* of v|v| and v^3 */                                        \
  X(double, dof_frictionloss, nv, 1, 1)   /* [N or N m] */                                             \
  X(double, dof_M0, nv, 1, 1)             /* diagonal of M at qpos0, armature included [kg or kg m^2] */ \
  /* geoms, grouped by body */                                                                         \
  X(int32_t, geom_type, ngeom, 1, 0)      /* hfGeomType */                                             \
  X(int32_t, geom_body, ngeom, 1, 0)                                                                   \
  X(int32_t, geom_mesh, ngeom, 1, 0)                                                                   \
  X(int32_t, geom_hfield, ngeom, 1, 0)                                                                 \
  X(int32_t, geom_contype, ngeom, 1, 0)                                                                \
  X(int32_t, geom_conaffinity, ngeom, 1, 0)                                                            \
  X(int32_t, geom_condim, ngeom, 1, 0)    /* 1, 3, 4 or 6 */                                           \
  X(int32_t, geom_priority, ngeom, 1, 0)                                                               \
  X(int32_t, geom_group, ngeom, 1, 0)                                                                  \
  X(double, geom_pos, ngeom, 3, 0)        /* p_BG [m] */                                               \
  X(double, geom_quat, ngeom, 4, 0)       /* q_BG */                                                   \
  X(double, geom_size, ngeom, 3, 1)       /* meaning by type: hfGeomType [m] */                        \
  X(double, geom_friction, ngeom, 3, 1)   /* sliding [-], torsional [m], rolling [m] (static) */       \
  X(double, geom_friction_dynamic, ngeom, 1, 1) /* sliding; negative: same as static [-] */            \
  X(double, geom_margin, ngeom, 1, 0)     /* contacts are found below this gap, of two geoms the sum [m] */ \
  X(double, geom_gap, ngeom, 1, 0)        /* and act below margin - gap, of two geoms the sums [m] */     \
  X(double, geom_solmix, ngeom, 1, 1)                                                                  \
  X(double, geom_stiffness, ngeom, 1, 1)  /* k; negative: the world's default [N/m] */                 \
  X(double, geom_dissipation, ngeom, 1, 1) /* d; negative: the world's default [s/m] */                \
  X(double, geom_stiction_speed, ngeom, 1, 1) /* negative: the world's default [m/s] */                \
  X(double, geom_tangential_stiffness, ngeom, 1, 1) /* negative: ratio times k [N/m] */                \
  X(double, geom_restitution, ngeom, 1, 1) /* speed after an impact over that before [-] */              \
  X(double, geom_tangential_damping, ngeom, 1, 1)   /* negative: critical [N s/m] */                   \
  X(double, geom_surface_velocity, ngeom, 6, 1) /* of the surface as contacts see it, a belt: linear, then angular about the geom's origin, in its frame [m/s, rad/s] */ \
  X(double, geom_adhesion, ngeom, 1, 1)   /* force with which each contact point pulls; of two geoms the sum [N] */ \
  X(double, geom_solref, ngeom, 2, 1)     /* MuJoCo's, where the model set it; else (0, 0) */          \
  X(double, geom_solimp, ngeom, 5, 1)                                                                  \
  X(double, geom_fluid, ngeom, 12, 1)     /* as an ellipsoid in a medium: 1 (0: not so), coefficients of blunt, slender and angular drag, Kutta and Magnus; mass (3) and moment (3) it carries over the density [m^3, m^5] */ \
  X(double, geom_fluid_axes, ngeom, 3, 0) /* half axes of that ellipsoid [m] */                        \
  X(double, geom_fluid_quat, ngeom, 4, 0) /* its orientation in B */                                   \
  X(double, geom_rbound, ngeom, 1, 1)     /* bounding radius about the centre, 0: infinite [m] */      \
  X(float, geom_rgba, ngeom, 4, 0)                                                                     \
  /* hulls of meshes; vertices in the frame of the geom that uses the mesh */                          \
  X(int32_t, mesh_vertadr, nmesh, 1, 0)                                                                \
  X(int32_t, mesh_vertnum, nmesh, 1, 0)                                                                \
  X(int32_t, mesh_faceadr, nmesh, 1, 0)   /* into hull_faceplane */                                    \
  X(int32_t, mesh_facenum, nmesh, 1, 0)                                                                \
  X(int32_t, mesh_facevertadr, nmesh, 1, 0)                                                            \
  X(int32_t, mesh_edgeadr, nmesh, 1, 0)   /* into hull_edgevert */                                     \
  X(double, hull_vert, nhullvert, 3, 0)                                                                \
  X(double, hull_faceplane, nhullface, 4, 0)                                                           \
  X(int32_t, hull_facestart, nhullface + nmesh, 1, 0) /* mesh i at mesh_faceadr + i, facenum + 1 entries, local */ \
  X(int32_t, hull_facevert, nhullfacevert, 1, 0)                                                       \
  X(int32_t, hull_edgestart, nhullvert + nmesh, 1, 0) /* mesh i at mesh_vertadr + i, vertnum + 1 entries, local */ \
  X(int32_t, hull_edgevert, nhulledge, 1, 0)                                                           \
  /* surfaces of meshes as they were given, for drawing; in the same frame as the hulls */             \
  X(int32_t, mesh_surfvertadr, nmesh, 1, 0)                                                            \
  X(int32_t, mesh_surfvertnum, nmesh, 1, 0)                                                            \
  X(int32_t, mesh_surftriadr, nmesh, 1, 0)                                                             \
  X(int32_t, mesh_surftrinum, nmesh, 1, 0)                                                             \
  X(float, surf_vert, nsurfvert, 3, 0)                                                                 \
  X(int32_t, surf_tri, nsurftri, 3, 0)    /* counter-clockwise seen from outside; local to the mesh */ \
  /* height fields: heights over a grid, two triangles a cell, with the diagonal along +x +y; matter down to z = -base */ \
  X(int32_t, hfield_nrow, nhfield, 1, 0)  /* vertices along y */                                       \
  X(int32_t, hfield_ncol, nhfield, 1, 0)  /* vertices along x */                                       \
  X(int32_t, hfield_adr, nhfield, 1, 0)   /* into hfield_height */                                     \
  X(int32_t, hfield_regionadr, nhfield, 1, 0) /* into hfield_region */                                 \
  X(double, hfield_size, nhfield, 3, 0)   /* half lengths along x and y, base [m] */                   \
  X(double, hfield_range, nhfield, 2, 0)  /* lowest and highest height [m] */                          \
  X(double, hfield_height, nhfieldheight, 1, 0) /* z in the geom's frame, rows along +y [m] */         \
  X(int32_t, hfield_region, nhfieldtri, 1, 0) /* equal for connected triangles in one plane */         \
  /* sites */                                                                                          \
  X(int32_t, site_body, nsite, 1, 0)                                                                   \
  X(int32_t, site_type, nsite, 1, 0)      /* hfGeomType, for touch sensors */                          \
  X(double, site_pos, nsite, 3, 0)        /* p_BS [m] */                                               \
  X(double, site_quat, nsite, 4, 0)                                                                    \
  X(double, site_size, nsite, 3, 0)                                                                    \
  /* cameras, grouped by body */                                                                       \
  X(int32_t, cam_body, ncam, 1, 0)                                                                     \
  X(int32_t, cam_mode, ncam, 1, 0)        /* hfCameraMode */                                           \
  X(int32_t, cam_target, ncam, 1, 0)      /* body that it looks at, or -1 */                           \
  X(int32_t, cam_orthographic, ncam, 1, 0)                                                             \
  X(int32_t, cam_resolution, ncam, 2, 0)  /* pixels: width, height */                                  \
  X(double, cam_pos, ncam, 3, 0)          /* p_BC [m] */                                               \
  X(double, cam_quat, ncam, 4, 0)         /* q_BC */                                                   \
  X(double, cam_offset, ncam, 3, 0)       /* tracking: from what it follows to the camera at qpos0, in the world [m] */ \
  X(double, cam_axes, ncam, 4, 0)         /* tracking: q_WC */                                         \
  X(double, cam_fovy, ncam, 1, 0)         /* vertical angle of the picture [rad]; orthographic: its height [m] */ \
  X(double, cam_sensorsize, ncam, 2, 0)   /* of the chip, width and height [m]; 0: fovy and square pixels say all */ \
  X(double, cam_focal, ncam, 2, 0)        /* focal lengths of a chip, along x and y [m] */             \
  X(double, cam_principal, ncam, 2, 0)    /* how far the middle of a chip is to the right of the optical axis, and above it [m] */ \
  /* tendons. Fixed: length = sum coef qpos. Spatial: length of the path through sites and around geoms */\
  X(int32_t, tendon_adr, ntendon, 1, 0)                                                                \
  X(int32_t, tendon_num, ntendon, 1, 0)                                                                \
  X(int32_t, tendon_limited, ntendon, 1, 0)                                                            \
  X(int32_t, tendon_actfrclimited, ntendon, 1, 0)                                                      \
  X(double, tendon_range, ntendon, 2, 1)                                                               \
  X(double, tendon_margin, ntendon, 1, 1)                                                              \
  X(double, tendon_limit_solref, ntendon, 2, 1) /* MuJoCo's, where the model set it; else (0, 0) */    \
  X(double, tendon_limit_solimp, ntendon, 5, 1)                                                        \
  X(double, tendon_stiffness, ntendon, 1, 1)                                                           \
  X(double, tendon_springyield, ntendon, 1, 0) /* stretch from which on the spring yields; 0: never [m] */ \
  X(double, tendon_damping, ntendon, 1, 1)                                                             \
  X(double, tendon_stiffness_poly, ntendon, 2, 1) /* of x^2 and x^3 */                                 \
  X(double, tendon_damping_poly, ntendon, 2, 1) /* of v|v| and v^3 */                                  \
  X(double, tendon_frictionloss, ntendon, 1, 1)                                                        \
  X(double, tendon_armature, ntendon, 1, 1)                                                            \
  X(double, tendon_springlength, ntendon, 2, 1) /* dead band of the spring */                          \
  X(double, tendon_actfrcrange, ntendon, 2, 1)                                                         \
  X(double, tendon_length0, ntendon, 1, 0) /* of a spatial tendon at qpos0 [m]; else 0 */              \
  X(int32_t, wrap_type, nwrap, 1, 0)      /* hfWrapType */                                             \
  X(int32_t, wrap_obj, nwrap, 1, 0)       /* joint, site or geom; -1: pulley */                        \
  X(int32_t, wrap_side, nwrap, 1, 0)      /* geom: site on the side where the tendon passes, or -1 */  \
  X(double, wrap_coef, nwrap, 1, 1)       /* joint: coefficient; pulley: divisor */                    \
  /* equalities */                                                                                     \
  X(int32_t, eq_type, neq, 1, 0)          /* hfEqualityType */                                         \
  X(int32_t, eq_objkind, neq, 1, 0)       /* BODY or SITE for connect and weld */                      \
  X(int32_t, eq_obj1, neq, 1, 0)                                                                       \
  X(int32_t, eq_obj2, neq, 1, 0)          /* -1 where there is none */                                 \
  X(int32_t, eq_active, neq, 1, 0)                                                                     \
  X(double, eq_data, neq, 11, 1)          /* connect: anchor1(3) anchor2(3); weld: anchor in 2 (3), in 1 (3), quat of 2 in 1 (4), torquescale; joint, tendon: polycoef(5) */ \
  X(double, eq_solref, neq, 2, 1)         /* where the model set it; else (0, 0): near-rigid */        \
  X(double, eq_solimp, neq, 5, 1)                                                                      \
  /* explicit contact pairs and excluded body pairs */                                                 \
  X(int32_t, pair_geom, npair, 2, 0)                                                                   \
  X(int32_t, pair_condim, npair, 1, 0)                                                                 \
  X(double, pair_friction, npair, 5, 1)   /* slide1 slide2 torsion roll1 roll2 */                      \
  X(double, pair_margin, npair, 1, 0)                                                                  \
  X(double, pair_gap, npair, 1, 0)                                                                     \
  X(double, pair_adhesion, npair, 1, 1)   /* force with which each contact point pulls [N] */             \
  X(double, pair_solref, npair, 2, 1)                                                                  \
  X(double, pair_solimp, npair, 5, 1)                                                                  \
  X(int32_t, exclude_body, nexclude, 2, 0)                                                             \
  /* actuators: force = gain ctrl_or_act + bias, on the length of their transmission */                \
  X(int32_t, actuator_trntype, nu, 1, 0)  /* hfTransmission */                                         \
  X(int32_t, actuator_trnid, nu, 2, 0)    /* joint, tendon, site or body; reference site, site of the slider, or -1 */ \
  X(int32_t, actuator_dyntype, nu, 1, 0)  /* hfActivation */                                           \
  X(int32_t, actuator_gaintype, nu, 1, 0) /* hfGain */                                                 \
  X(int32_t, actuator_biastype, nu, 1, 0) /* hfBias */                                                 \
  X(int32_t, actuator_ctrllimited, nu, 1, 0)                                                           \
  X(int32_t, actuator_forcelimited, nu, 1, 0)                                                          \
  X(int32_t, actuator_actlimited, nu, 1, 0)                                                            \
  X(int32_t, actuator_actadr, nu, 1, 0)   /* first activation; -1: none */                             \
  X(int32_t, actuator_actearly, nu, 1, 0)                                                              \
  X(int32_t, actuator_drive, nu, 1, 0)    /* hfDriveLaw */                                             \
  X(int32_t, actuator_signal, nu, 1, 0)   /* signal that drives it, or -1 */                           \
  X(int32_t, actuator_inputs, nu, 1, 0)   /* hfMotorInput or hfOrientationInput */                    \
  X(int32_t, actuator_states, nu, 1, 0)   /* of DC motors: hfMotorState */                             \
  X(int32_t, actuator_nsample, nu, 1, 0)  /* controls of the last steps that states keep; 0: none */   \
  X(int32_t, actuator_interp, nu, 1, 0)   /* hfInterpolation */                                        \
  X(int32_t, actuator_historyadr, nu, 1, 0) /* into the history of a state: nsample times, then controls; -1: none */ \
  X(int32_t, actuator_group, nu, 1, 0)    /* bit of disabled_groups that switches it off */            \
  X(double, actuator_dynprm, nu, 3, 1)    /* time constant [s]; of HF_ACTIVATION_ERROR the gain */     \
  X(double, actuator_gainprm, nu, 3, 1)   /* gain = p0 + p1 length + p2 velocity */                    \
  X(double, actuator_biasprm, nu, 3, 1)   /* bias = p0 + p1 length + p2 velocity */                    \
  X(double, actuator_muscle, nu, 8, 1)    /* of muscles: tendon length, resting length [m], peak force [N], lmin, lmax, vmax, fpmax, fvmax */\
  X(double, actuator_passive, nu, 5, 1)   /* of passive forces of muscles: tendon length, resting length [m], peak force [N], lmax, fpmax */\
  X(double, actuator_motor, nu, HF_MOTOR_PARAMETERS, 1) /* of DC motors: hfMotorParameter; else 0 */    \
  X(double, actuator_ctrlrange, nu, 2, 1)                                                              \
  X(double, actuator_forcerange, nu, 2, 1)                                                             \
  X(double, actuator_actrange, nu, 2, 1)                                                               \
  X(double, actuator_gear, nu, 6, 1)      /* joint, tendon, slider-crank: [0]; site: force, then torque, in its axes */ \
  X(double, actuator_delay, nu, 1, 1)     /* how much later a control acts; 0: at once [s] */          \
  X(double, actuator_cranklength, nu, 1, 1) /* of a slider-crank: length of its rod [m]; else 0 */     \
  X(double, actuator_length0, nu, 1, 0)   /* at qpos0 */                                               \
  /* signals that drive controls */                                                                    \
  X(int32_t, signal_type, nsignal, 1, 0)  /* hfSignalType */                                           \
  X(int32_t, signal_adr, nsignal, 1, 0)   /* into signal_data: parameters, or time-value pairs */      \
  X(int32_t, signal_num, nsignal, 1, 0)                                                                \
  X(double, signal_data, nsignaldata, 1, 0)                                                            \
  /* sensors */                                                                                        \
  X(int32_t, sensor_type, nsensor, 1, 0)  /* hfSensorType */                                           \
  X(int32_t, sensor_objkind, nsensor, 1, 0)                                                            \
  X(int32_t, sensor_obj, nsensor, 1, 0)                                                                \
  X(int32_t, sensor_refkind, nsensor, 1, 0)                                                            \
  X(int32_t, sensor_ref, nsensor, 1, 0)                                                                \
  X(int32_t, sensor_dim, nsensor, 1, 0)                                                                \
  X(int32_t, sensor_data, nsensor, 1, 0)  /* bits: hfContactData or hfRayData */                       \
  X(int32_t, sensor_num, nsensor, 1, 0)   /* contacts that a contact sensor reports */                 \
  X(int32_t, sensor_reduce, nsensor, 1, 0) /* hfContactReduce */                                       \
  X(int32_t, sensor_subtree, nsensor, 1, 0) /* bit 0, 1: the object, the reference is a body with all it carries */\
  X(int32_t, sensor_adr, nsensor, 1, 0)   /* into the sensor data (nsensordata) */                     \
  X(int32_t, sensor_positive, nsensor, 1, 0) /* 1: the cutoff clamps to [0, cutoff], else to +-cutoff */ \
  X(int32_t, sensor_nsample, nsensor, 1, 0) /* measurements that states keep; 0: none */               \
  X(int32_t, sensor_interp, nsensor, 1, 0) /* hfInterpolation */                                       \
  X(int32_t, sensor_historyadr, nsensor, 1, 0) /* into the history of a state: the time at which the last measurement was due, nsample + 1 times, then as many rows; -1: none */ \
  X(double, sensor_interval, nsensor, 2, 0) /* time between measurements, 0: each step; when they begin, from -interval to 0 [s] */ \
  X(double, sensor_delay, nsensor, 1, 1)  /* how much later its numbers arrive; 0: at once [s] */      \
  X(double, sensor_noise, nsensor, 1, 1)  /* standard deviation, for sims with a noise_seed */         \
  X(double, sensor_cutoff, nsensor, 1, 0) /* 0: none */                                                \
  /* mocap bodies and keyframes */                                                                     \
  X(int32_t, mocap_body, nmocap, 1, 0)                                                                 \
  X(double, key_time, nkey, 1, 0)                                                                      \
  X(double, key_qpos, nkey, nq, 0)                                                                     \
  X(double, key_qvel, nkey, nv, 0)                                                                     \
  X(double, key_act, nkey, na, 0)                                                                      \
  X(double, key_ctrl, nkey, nu, 0)                                                                     \
  X(double, key_mpos, nkey, 3 * nmocap, 0)                                                             \
  X(double, key_mquat, nkey, 4 * nmocap, 0)                                                            \
  /* names: zero-terminated, one pool; -1: unnamed */                                                  \
  X(int32_t, body_name, nbody, 1, 0)                                                                   \
  X(int32_t, jnt_name, njnt, 1, 0)                                                                     \
  X(int32_t, geom_name, ngeom, 1, 0)                                                                   \
  X(int32_t, site_name, nsite, 1, 0)                                                                   \
  X(int32_t, cam_name, ncam, 1, 0)                                                                     \
  X(int32_t, mesh_name, nmesh, 1, 0)                                                                   \
  X(int32_t, hfield_name, nhfield, 1, 0)                                                               \
  X(int32_t, tendon_name, ntendon, 1, 0)                                                               \
  X(int32_t, eq_name, neq, 1, 0)                                                                       \
  X(int32_t, actuator_name, nu, 1, 0)                                                                  \
  X(int32_t, sensor_name, nsensor, 1, 0)                                                               \
  X(int32_t, key_name, nkey, 1, 0)                                                                     \
  X(int32_t, pair_name, npair, 1, 0)                                                                   \
  X(char, names, nnames, 1, 0)

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

// hf_model_NAME(model) returns the array of field NAME. These are functions of the library, so that a program
// goes on working with a later patch release that lays the block out in another way. A program that defines
// HF_INLINE_ACCESSORS compiles them into itself, with the layout of these headers: then it must be built again
// for every release (the library does so for itself).
#ifdef HF_INLINE_ACCESSORS
#define X(type, name, rows, columns, overlay)                                                          \
  static inline const type* hf_model_##name(const hfModel* m) {                                        \
    return (const type*)((uintptr_t)m + (uintptr_t)m->offset[HF_FIELD_##name]);                        \
  }
#else
#define X(type, name, rows, columns, overlay) HF_API const type* hf_model_##name(const hfModel* model);
#endif
HF_MODEL_FIELDS(X)
#undef X

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
