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

// tip: a site, or else a body. The chain is every joint from body `base` (NULL: from the world) to the tip;
// base's own joints belong to it. A free or ball joint in the chain is refused by name. The model must outlive the arm.
HF_API hfStatus hf_arm_create(hfArm** arm, const hfModel* model, const char* tip, const char* base, hfError* error);
HF_API void hf_arm_free(hfArm* arm);
HF_API int hf_arm_size(const hfArm* arm);         // n
HF_API int hf_arm_joint(const hfArm* arm, int i); // joint id, from the base outwards
// Largest torque of joint i: of its motors and its joint's actuator range; infinite if nothing limits it [N m or N].
HF_API double hf_arm_effort(const hfArm* arm, int i);

// The chain's part (n) of a world's q (nq) or v (nv).
HF_API void hf_arm_positions(const hfArm* arm, const double* q_world, double* q);
HF_API void hf_arm_velocities(const hfArm* arm, const double* v_world, double* v);

// Forward kinematics: the world at q_world (nq), then optionally the chain moved to q (n) in it.
HF_API void hf_arm_set(hfArm* arm, const double* q_world);
HF_API void hf_arm_move(hfArm* arm, const double* q);
HF_API hfPose hf_arm_pose(const hfArm* arm);                // X_WT of the tip, after _set or _move
HF_API void hf_arm_jacobian(const hfArm* arm, double* J);   // (6 x n) angular then linear, of the tip's origin

// ---- inverse kinematics ---------------------------------------------------------------------------

typedef struct hfIkConfig {
  double length;         // a radian of error counts as this many metres [m]
  double damping;        // lambda: a direction in which J is weaker than this moves slower [m]
  double period;         // differential: joints stay within their ranges and speeds to the end of this time [s]
  const double* speed;   // differential: (n) largest joint rates; NULL: unlimited [rad/s or m/s]
  const double* posture; // (n) preferred joint positions, approached by motions that do not move the tip; NULL: none
  double posture_gain;   // rate toward the posture over distance; iterating: share a step [1/s or -]
  double tolerance;      // differential: HF_NO_SOLUTION if more than this share of the twist is missing [-]
  double position_tolerance, rotation_tolerance; // iterating [m], [rad]
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

// These refuse a twist, a pose, a start, a reference, a posture or an arm that is not finite (HF_ERROR_NONFINITE), and a number of the
// configuration outside of its range (HF_ERROR_ARGUMENT): length and period > 0, all others >= 0. Then nothing changes.

// Differential: joint rates (n) that move the tip with twist V (world axes, at the tip's origin), damped least
// squares under limits of position and speed, after hf_arm_set or _move. Returns HF_NO_SOLUTION with the best
// rates where limits or a singular pose keep the tip from V. report may be NULL.
HF_API hfStatus hf_arm_rate(hfArm* arm, hfMotion V, const hfIkConfig* config, double* rate, hfIkReport* report);

// Iterating: q (n) with the tip at X_WT, from the q given and within the joints' ranges; leaves the arm there.
// HF_NO_SOLUTION: every descent ended away from the target (out of reach); HF_NOT_CONVERGED: iterations ran
// out. Either way q is the nearest found, and report says how near.
HF_API hfStatus hf_arm_solve(hfArm* arm, hfPose X_WT, const hfIkConfig* config, double* q, hfIkReport* report);

// Rotation vector and offset that take pose A to pose B, in the axes both are given in [rad], [m].
HF_API hfMotion hf_pose_error(hfPose A, hfPose B);

// ---- Cartesian trajectories -----------------------------------------------------------------------

typedef struct hfPoseKey { double time; hfVec3 p; hfQuat q; } hfPoseKey;
typedef struct hfPoseSetpoint {
  hfPose X;
  hfMotion V, A; // velocity and acceleration of the frame's origin and axes, world axes
} hfPoseSetpoint;

// Through keys at increasing times (n >= 1): positions by quintics that pass through (hf_keyframes), orientations
// by slerp from key to key, the angle along a quintic at rest at each key. Twice differentiable.
HF_API hfPoseSetpoint hf_pose_keyframes(int n, const hfPoseKey* keys, double time);

HF_API hfPoseKey hf_pose_key(double time, hfPose X);

// Advances a joint reference (n) to the present: v += h a, q += h v, with the second rates of the last call; then
// chooses second rates with which the tip is at X_WT one period h from now. What comes out is what hf_arm_torque wants.
// Begin with the joints' positions at rest. Status and report as hf_arm_rate. Leaves the arm at the reference.
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
// Torques (n) of everything that is not the arm's own weight, inertia, damping and actuators (tau): contact with
// the world, a load. q_world and v_world at the start of a step of length h, vdot (nv) over it. Leaves the arm at
// q_world.
HF_API void hf_arm_external(hfArm* arm, const double* q_world, const double* v_world, const double* vdot,
                            const double* tau, double h, double* external);
// The wrench on the tip, about its origin in world axes, that explains external torques best: damped least squares
// (damping as in hfIkConfig, length too). After hf_arm_set at the same q.
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

// y <- y + (x - y) h/(h + T): first-order low pass, implicit; any h.
static inline double hf_low_pass(double* y, double x, double h, double T) { return *y += (x - *y) * h / (h + T); }

// ---- gripper --------------------------------------------------------------------------------------

// A parallel gripper whose drive pushes with a force, closing > 0. Widths are those between its fingers.
typedef struct hfGripConfig {
  double stiffness, damping; // gains of position control [N/m], [N s/m]
  double speed;              // speed of opening and closing [m/s]
  double force_limit;        // largest force of the drive [N]
  double touch;              // squeeze that counts as contact [N]
  double integral;           // force control: rate of the integral [1/s]
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
// Force of the drive for a period h. width, rate (opening > 0) and the mean normal force at the fingers as measured.
HF_API double hf_grip_control(const hfGripConfig* config, hfGrip* grip, double width, double rate, double squeeze,
                              double h);
HF_API int hf_grip_settled(const hfGripConfig* config, const hfGrip* grip);

// ---- tasks ----------------------------------------------------------------------------------------

typedef enum hfTaskResult { HF_TASK_RUNNING, HF_TASK_DONE, HF_TASK_FAILED } hfTaskResult;
enum { HF_TASK_SUCCESS = -1, HF_TASK_FAILURE = -2 }; // where a task ends

typedef struct hfTaskState {
  const char* name;
  // Every period. since: time in this state [s]; entered: 1 in its first call.
  hfTaskResult (*run)(void* user, double since, int entered);
  double timeout; // fails after this; 0: never [s]
  int32_t done, failed; // next state, HF_TASK_SUCCESS or HF_TASK_FAILURE
} hfTaskState;

typedef struct hfTask {
  int32_t state;     // index, HF_TASK_SUCCESS or HF_TASK_FAILURE
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
