// What only the files of step/actuation may see.
#ifndef HFI_ACTUATION_INSIDE_H
#define HFI_ACTUATION_INSIDE_H

#include "step/actuation/actuation.h"

// ---- structs ------------------------------------------------------------------------------------------

// The two parts of a motor's force over a step or at an instant: torque of the current, and cogging with friction.
typedef struct hfiMotorForce { hfiDrive electric, drag; } hfiMotorForce;

// All drives on one joint or tendon whose total force the model limits.
struct hfiDriveSum {
  hfiRowOrigin origin; // HFI_ROW_JOINT_DRIVE or HFI_ROW_TENDON_DRIVE, and the joint or tendon
  int32_t first;       // first actuator of the sum
  hfiDrive total;
};

// Numbers on which the drag of a medium on a body depends, in the symbols of fluid.c. Like hfiPassive, they are
// computed again when parameters change.
struct hfiBodyDrag {
  // acts: 1 if the medium acts on the body; ellipsoids: 1 if it acts by the ellipsoids of the body's geoms
  int32_t acts, ellipsoids;
  hfMat3 R_BI;                       // principal axes of the body
  hfVec3 moment;                     // moments of inertia about these axes
  hfVec3 force, torque;              // 2 rho r_j r_k and rho r_i (r_j^4 + r_k^4)/2
  double viscous_force, viscous_torque; // 6 pi beta r and 8 pi beta r^3
};

// Overloaded rows of a near-rigid equality, or of the translation or rotation of a weld. To remove their error, which
// is large, they would need a slope far above the largest one that is allowed.
struct hfiOverload {
  int32_t equality;    // index of the equality
  int32_t is_rotation; // 1: rows of the rotation of a weld
  int32_t block;       // their block in hfiRows
  int32_t n;           // number of rows
  double error;        // error at the start of the step [m or rad]
};

// A damper across the pull of a connect (tension.c).
struct hfiTension {
  int32_t equality;
  hfVec3 axis;  // along the pull
  double kappa; // [N m s/rad]
};

// ---- slopes of rows -----------------------------------------------------------------------------------
//
// The slopes of rows: of a spring and a damper, the near-rigid slope, and the steepest slope of a step
// (docs/theory/one-law.md).
//
//   k, c  stiffness and damping    r   error of the row    h  step
//   w     inverse mass of the row  s0  target velocity     kappa = h k + c, at most the near-rigid slope
//
// At the end of the step the spring is stretched by r + h s: the force -(k (r + h s) + c s) is -kappa (s - s0) with s0
// = -k r/kappa.

// The slope kappa of a drive or tendon spring is capped at h kappa w = this [-]; its target s0 stays. A load then
// moves it by 1e-6 of the distance that it would move without the row, and residuals keep ten digits.
static const double HFI_STIFFEST_DRIVE = 1e6;

// A row that is slowed down becomes steeper by at most this factor [-]. Rows that contradict each other pull with
// large forces. With a larger factor the rounding errors of these forces would be as large as the forces of other
// rows.
static const double HFI_LARGEST_STRENGTHENING = 100;

// Returns the smaller one of kappa and `stiffest`, and counts the rows that are capped.
static inline double hfi_cap_slope(hfiRows* rows, double kappa, double stiffest) {
  rows->ncapped += kappa > stiffest;
  return min2(kappa, stiffest);
}

// h kappa w of a near-rigid row: (2 pi/beta)^2 [-].
static inline double hfi_near_rigid(const hfiActuationStep* step) { return sqr(2 * HFI_PI / step->near_rigid); }
// The near-rigid slope of a row with inverse mass w.
static inline double hfi_stiffest(const hfiActuationStep* step, double w) {
  return hfi_near_rigid(step) / (w * step->h);
}

// The row that brings the error r to zero, without bounds. Its slope is at most the near-rigid one. A near-rigid row
// aims at removing its error within r_time [s].
static inline hfSaturatedRow hfi_compliant_row(hfiRows* rows, const hfiActuationStep* step, hfiCompliance law,
                                               double w, double r, double r_time) {
  hfSaturatedRow inert = {0, 1, -INFINITY, INFINITY};
  if (!(w > 0)) return inert; // The row moves no dof.

  double stiffest = hfi_stiffest(step, w);
  hfSaturatedRow row = {-r / r_time, stiffest, -INFINITY, INFINITY};
  if (law.k <= 0 && law.c <= 0) return row;

  double kappa = step->h * law.k + law.c;
  row.s0 = -law.k * r / kappa;
  row.kappa = hfi_cap_slope(rows, kappa, stiffest);
  return row;
}

// A row whose speed is bounded aims at a speed that is `slowing` times lower than the one at which its error would be
// removed. Its slope is multiplied by the factor that this function returns [-]. At rest the row then exerts the force
// that it would exert without the bound, so that a steady load does not open it further and further, however light the
// bodies are.
static inline double hfi_strengthen_slowed_row(double slowing) { return min2(slowing, HFI_LARGEST_STRENGTHENING); }

// ---- parameters (passive.c, drive.c, fluid.c, limit.c) --------------------------------------------------

// Does any joint have limits?
static inline int hfi_any_range(const hfiRanges* r) { return r->n > 0 || r->any_ball; }

// Takes the arrays of the ranges from the arena.
void hfi_ranges_take(hfiRanges* r, const hfModel* m, hfiArena* arena);
// Finds the joints that have a range now: parameters may change.
void hfi_ranges_update(hfiRanges* r, const hfModel* m);

// Writes the union of two ascending lists of dofs to `out` and returns its size.
int hfi_merge_dofs(const int32_t* x, int nx, const int32_t* y, int ny, int32_t* out);

// ---- parts of a step ------------------------------------------------------------------------------

// Computes inputs, clamped to their ranges, and the rates of activations.
void hfi_update_inputs(hfActuation* a, const double* act, const double* ctrl, double h);
// Sets the inputs of orientation servos, the lengths at which their laws aim, and their bounds, from their present and
// wanted rotations (orientation.c).
void hfi_update_orientations(hfActuation* a);
// Writes the activations of orientation servos, which are rotation vectors, as vectors of at most half a turn.
void hfi_orientations_advance(const hfActuation* a, double* act);
// Clamps a->force of orientation servos to these bounds.
void hfi_bound_orientations(const hfActuation* a);

// ---- inputs and motors (actuator.c, motor.c) ------------------------------------------------------------

// Returns the control of an actuator within its range. ctrl (nu), or NULL: zero.
static inline double hfi_clamped_control(const hfModel* m, int actuator, const double* ctrl) {
  const double* range = hf_model_actuator_ctrlrange(m) + 2 * actuator;
  if (!ctrl) return 0;

  if (!hf_model_actuator_ctrllimited(m)[actuator] || m->world.disable_clamp_control) return ctrl[actuator];
  return clamp(ctrl[actuator], range[0], range[1]);
}
// The rate that removes a difference within the step h, or, at an instant (h = 0), within a step of the scene. It is
// at most `fastest`.
double hfi_slew_rate(const hfActuation* a, double difference, double fastest);
// Reads the inputs and states of a DC motor and computes the rates of its states at the present length and velocity.
void hfi_update_motor(hfActuation* a, int actuator, const double* act, const double* ctrl);
// The force of a DC motor: over a step of length a->h, implicit in length and velocity, or at an instant.
hfiMotorForce hfi_motor_force(const hfActuation* a, int actuator, int implicit);
// Sets the rates of a motor's states for a step that ends with this velocity along the actuator.
void hfi_motor_end(hfActuation* a, int actuator, double velocity);
// Writes the states of a motor a step h later.
void hfi_motor_advance(const hfActuation* a, int actuator, double* act, double h);

// ---- parts of hfi_actuation_step ------------------------------------------------------------------------

// Computes a->drives.torque for all drives by computed torque (drive_law.c).
void hfi_compute_torques(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
// The drive of an actuator by inverse dynamics (drive_law.c). The caller sets its bounds.
hfiDrive hfi_inverse_drive(hfActuation* a, const hfDynamics* d, int actuator, const hfiActuationStep* step);
// Computes a->passive and a->drives.servo again if parameters have changed.
void hfi_update_passive(hfActuation* a);
void hfi_update_servos(hfActuation* a);
void hfi_update_fluid(hfActuation* a);
// The parts of hfi_actuation_step.
void hfi_drive_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau);
void hfi_spring_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau, double* diag);
void hfi_limit_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
void hfi_friction_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
// Computes a->target_force at the velocities v1 of the end of the step.
void hfi_target_collect(const hfActuation* a, const double* v1);
void hfi_target_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
void hfi_equality_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
void hfi_tension_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
// tau += drag of the medium, over a step h or, with h = 0, at an instant.
void hfi_add_fluid(const hfActuation* a, const hfDynamics* d, double h, double* tau);
// Force and torque at the centre of an ellipsoid with half axes r (3), in its axes, for its velocities v and w
// relative to the medium; fluid (12) as hf_model_geom_fluid. Over a step h, drag is implicit for a body of this mass
// and moment; h = 0 gives the force at an instant.
hfForce hfi_ellipsoid_force(const hfWorld* world, const double* fluid, const double* r, hfVec3 v, hfVec3 w, double h,
                            double mass, double moment);
// The slope of a row of the tendon with h slope w = most, where w is the inverse mass of the tendon: the steepest one
// that the row may have. INFINITY: kappa is surely below it, and w, for which M would have to be factored, was not
// computed. 0: no dof moves the tendon.
double hfi_tendon_stiffest(const hfActuation* a, const hfDynamics* d, int tendon, double h, double kappa, double most);
// Appends a row along sign times the length of the tendon.
void hfi_tendon_row(hfActuation* a, hfiRowSource source, int tendon, double sign, hfSaturatedRow row);
// Speed at which the error of an equality, or of the rotation of a weld, grows at velocities v (nv) [m/s or rad/s].
double hfi_equality_opening_speed(hfActuation* a, const hfDynamics* d, int equality, const hfiEquality* e,
                                  int is_rotation, const double* v);

#endif
