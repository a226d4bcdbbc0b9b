// Tools for arms that handle things: kinematics forward and inverse, Cartesian trajectories, joint torque
// control, force control of a gripper, sensing, and a small task machine. docs/guide/manipulation.md
//
// An hfArm is scratch for one thread. Everything that lasts from one step to the next (setpoints, integrals,
// the gripper's and the task's memory) is the caller's, in plain memory. Only hf_arm_create allocates.
//
// Functions without a status do not check numbers: numbers that are not finite come out again, as torques, and stay in integrals and in the gripper's
// memory. The Python package refuses them. Functions with a status refuse them.
#ifndef HOLDFAST_MANIPULATION_H
#define HOLDFAST_MANIPULATION_H

#include <holdfast/control.h>
#include <holdfast/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- arms: a chain of hinges and slides that moves a tip ------------------------------------------

typedef struct hfArm hfArm;

// Creates an arm. tip: name of a site or, if there is no such site, of a body. The chain is every joint from body `base` (NULL: from the world) to the
// tip, with the joints of `base` itself. A free or ball joint in the chain is refused by name. The model must outlive the arm.
HF_API hfStatus hf_arm_create(hfArm** arm, const hfModel* model, const char* tip, const char* base, hfError* error);
HF_API void hf_arm_free(hfArm* arm);
HF_API int hf_arm_size(const hfArm* arm);         // number n of joints of the chain
HF_API int hf_arm_joint(const hfArm* arm, int i); // joint id, from the base outwards
// Largest torque of joint i that its motors and the actuator range of the joint allow; infinite if nothing limits it [N m or N].
HF_API double hf_arm_effort(const hfArm* arm, int i);

// Copy the chain's coordinates (n) out of a world's q (nq), or its velocities out of v (nv).
HF_API void hf_arm_positions(const hfArm* arm, const double* q_world, double* q);
HF_API void hf_arm_velocities(const hfArm* arm, const double* v_world, double* v);

// Forward kinematics. The first function computes the poses of the world at q_world (nq). The second then moves the chain alone to q (n).
HF_API void hf_arm_set(hfArm* arm, const double* q_world);
HF_API void hf_arm_move(hfArm* arm, const double* q);
HF_API hfPose hf_arm_pose(const hfArm* arm);                // pose X_WT of the tip, after _set or _move
HF_API void hf_arm_jacobian(const hfArm* arm, double* J);   // (6 x n) rows of the angular velocity, then of the velocity of the tip's origin, in world axes

// ---- inverse kinematics ---------------------------------------------------------------------------

typedef struct hfIkConfig {
  double length;         // a radian of error counts as this many metres [m]
  double damping;        // lambda: a direction in which J is weaker than this moves slower [m]
  double period;         // differential: joints stay within their ranges and speeds to the end of this time [s]
  const double* speed;   // differential: (n) largest joint rates; NULL: unlimited [rad/s or m/s]
  const double* posture; // (n) preferred joint positions, approached by motions that do not move the tip; NULL: none
  double posture_gain;   // differential: speed toward the posture divided by the distance to it [1/s]; iterating: share of the distance in each iteration [-]
  double tolerance;      // differential: HF_NO_SOLUTION if more than this share of the twist is missing [-]
  double position_tolerance, rotation_tolerance; // iterating: errors of the tip at which it ends [m], [rad]
  int32_t iterations;    // iterating: largest number of iterations, all restarts together
  int32_t restarts;      // iterating: largest number of restarts from random positions, after a descent that ends away from the target
  uint64_t seed;         // seed of the restarts: the same seed gives the same answer
} hfIkConfig;

typedef struct hfIkReport {
  double position_error, rotation_error; // remaining errors [m], [rad]; differential: [m/s], [rad/s]
  int32_t iterations, restarts;
  int32_t limited; // number of joints at a limit of position or speed
} hfIkReport;

HF_API hfIkConfig hf_ik_config_default(void);

// The two functions below and hf_arm_track refuse a twist, a pose, a start, a reference, a posture or an arm that is not finite (HF_ERROR_NONFINITE), and a number of the
// configuration outside of its range (HF_ERROR_ARGUMENT): length and period > 0, all others >= 0. Then nothing changes.

// Differential inverse kinematics: finds joint rates (n) that move the tip with twist V (world axes, at the tip's origin), by damped least
// squares under limits of position and speed. The arm must have been placed by hf_arm_set or _move. Returns HF_NO_SOLUTION with the best
// rates if limits or a singular pose keep the tip from moving with V. report may be NULL.
HF_API hfStatus hf_arm_rate(hfArm* arm, hfMotion V, const hfIkConfig* config, double* rate, hfIkReport* report);

// Iterating inverse kinematics: starts at the given q (n), finds a q within the joints' ranges for which the tip is at X_WT, and leaves the arm there.
// Returns HF_NO_SOLUTION if every descent ended away from the target, which is then out of reach, and HF_NOT_CONVERGED if the iterations
// ran out. In both cases q is the nearest that was found, and report says how near it is.
HF_API hfStatus hf_arm_solve(hfArm* arm, hfPose X_WT, const hfIkConfig* config, double* q, hfIkReport* report);

// Returns the rotation vector [rad] and the offset [m] that take pose A to pose B, in the axes in which both poses are given.
HF_API hfMotion hf_pose_error(hfPose A, hfPose B);

// ---- Cartesian trajectories -----------------------------------------------------------------------

typedef struct hfPoseKey { double time; hfVec3 p; hfQuat q; } hfPoseKey;
typedef struct hfPoseSetpoint {
  hfPose X;
  hfMotion V, A; // velocity and acceleration of the frame's origin and axes, world axes
} hfPoseSetpoint;

// Evaluates a trajectory through n >= 1 keys at increasing times. Positions follow quintics that do not stop at the keys (hf_keyframes). Orientations
// turn about one axis from key to key (slerp), and their angle follows a quintic that is at rest at each key. Both are twice differentiable.
HF_API hfPoseSetpoint hf_pose_keyframes(int n, const hfPoseKey* keys, double time);

HF_API hfPoseKey hf_pose_key(double time, hfPose X);

// Advances a joint reference (n) to the present, v += h a, q += h v, with the accelerations a of the last call. Then
// chooses accelerations with which the tip is at X_WT one period h from now. The result is what hf_arm_torque takes as `wanted`.
// Begin with the joints' positions at rest. Status and report are those of hf_arm_rate. Leaves the arm at the reference.
HF_API hfStatus hf_arm_track(hfArm* arm, hfPose X_WT, const hfIkConfig* config, hfSetpoint* reference,
                             hfIkReport* report);

// ---- joint control --------------------------------------------------------------------------------

// Inverse dynamics with feedback: tau (n) = M (a + kp e + ki I + kd edot) + bias + damping v, limited by hf_arm_effort; I (n), the array integral,
// grows by e h unless the limit is reached; NULL stands for zeros that do not grow. Joints outside the chain count as unaccelerated. Returns the
// number of joints at their limit. Leaves the arm at q_world.
HF_API int hf_arm_torque(hfArm* arm, const double* q_world, const double* v_world, const hfSetpoint* wanted,
                         const hfGains* gains, double h, double* integral, double* tau);
// Puts torques into the controls of the joints' motors, or into input->force for joints without a motor.
HF_API void hf_arm_apply(const hfArm* arm, const double* tau, hfInput* input);

// ---- sensing --------------------------------------------------------------------------------------

// Torques (n) that actuators put on the joints in the sim's last step, as joint torque sensors show them.
HF_API void hf_arm_sensed_torque(const hfArm* arm, const hfSim* sim, double* tau);
// Computes the torques (n) on the joints from everything but the arm's own weight, inertia, damping and actuators (tau), as contact with
// the world or a load. q_world and v_world belong to the start of a step of length h, vdot (nv) is the acceleration over it. Leaves the arm at
// q_world.
HF_API void hf_arm_external(hfArm* arm, const double* q_world, const double* v_world, const double* vdot,
                            const double* tau, double h, double* external);
// Returns the wrench on the tip, about its origin in world axes, that explains external torques best, by damped least squares
// (length and damping as in hfIkConfig). The arm must have been placed by hf_arm_set at the same q.
HF_API hfForce hf_arm_wrench(hfArm* arm, const double* external, double length, double damping);

// Force between a gripper's fingers (bodies) and what they hold (object < 0: anything), in the sim's last step.
typedef struct hfGripSense {
  double left, right; // normal force on each finger [N]
  double squeeze;     // their mean [N]
  hfVec3 load;        // friction that the fingers exert on the object, world axes [N]
  int32_t contacts;
} hfGripSense;
// Forces on two fingers from contacts with one body, or with HF_ANY_BODY. `contacts` is negative if a body does not exist.
HF_API hfGripSense hf_sense_grip(const hfSim* sim, int left, int right, int object);

// y <- y + (x - y) h/(h + T): an implicit low pass of first order with the time constant T [s], stable for any h.
static inline double hf_low_pass(double* y, double x, double h, double T) { return *y += (x - *y) * h / (h + T); }

// ---- gripper --------------------------------------------------------------------------------------

// A parallel gripper whose drive pushes with a force, closing > 0. Widths are those between its fingers.
typedef struct hfGripConfig {
  double stiffness, damping; // gains of position control [N/m], [N s/m]
  double speed;              // speed of opening and closing [m/s]
  double force_limit;        // largest force of the drive [N]
  double touch;              // squeeze that counts as contact [N]
  double integral;           // gain of the integral of the force error, in force control [1/s]
  double slew;               // how fast the commanded squeeze may change [N/s]
  double settle_share, settle_time; // the grip is settled if the squeeze is within this share of the command for this time [-], [s]
} hfGripConfig;

typedef enum hfGripMode { HF_GRIP_POSITION, HF_GRIP_CLOSING, HF_GRIP_FORCE } hfGripMode;
typedef struct hfGrip {
  int32_t mode;     // hfGripMode
  double target;    // width [m], or squeeze [N]
  double reference; // moving setpoint on the way to the target
  double integral;  // integral of the force error [N]
  double settled;   // how long the grip has been settled [s]
} hfGrip;

HF_API hfGripConfig hf_grip_config_default(void);
// Begins to hold or move to a width.
HF_API void hf_grip_open(hfGrip* grip, double width_now, double width);
// Begins to close until contact, then to squeeze; while it squeezes already, changes the squeeze only.
HF_API void hf_grip_close(hfGrip* grip, double width_now, double squeeze);
// Returns the force of the drive for a period h [N]. width [m], rate (opening > 0) [m/s] and squeeze, the mean normal force at the fingers [N], are measured.
HF_API double hf_grip_control(const hfGripConfig* config, hfGrip* grip, double width, double rate, double squeeze,
                              double h);
HF_API int hf_grip_settled(const hfGripConfig* config, const hfGrip* grip);

// ---- tasks ----------------------------------------------------------------------------------------

typedef enum hfTaskResult { HF_TASK_RUNNING, HF_TASK_DONE, HF_TASK_FAILED } hfTaskResult;
enum { HF_TASK_SUCCESS = -1, HF_TASK_FAILURE = -2 }; // where a task ends

typedef struct hfTaskState {
  const char* name;
  // It is called every period. since: time in this state [s]; entered: 1 in the first call.
  hfTaskResult (*run)(void* user, double since, int entered);
  double timeout; // the state fails after this time; 0: never [s]
  int32_t done, failed; // next state after success and after failure: an index, HF_TASK_SUCCESS or HF_TASK_FAILURE
} hfTaskState;

typedef struct hfTask {
  int32_t state;     // index of the present state, HF_TASK_SUCCESS or HF_TASK_FAILURE
  int32_t failed_in; // first state that failed, or -1
  int32_t timed_out; // 1: it failed by its timeout
  int32_t entered;   // 1: the state has not run yet
  double since;  // time at which it was entered [s]
} hfTask;

HF_API void hf_task_start(hfTask* task, int state, double time);
// Runs the present state once; returns 1 when the state changed.
HF_API int hf_task_step(hfTask* task, const hfTaskState* states, int count, double time, void* user);

#ifdef __cplusplus
}
#endif
#endif
