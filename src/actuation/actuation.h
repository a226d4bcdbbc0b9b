// Scratch and results of the actuation of one world, sliced from an arena.
#ifndef HFI_ACTUATION_ACTUATION_H
#define HFI_ACTUATION_ACTUATION_H

#include "actuation/rows.h"
#include <holdfast/actuation.h>

// Force of an actuator over a step as a function of its velocity s at the end of it:
// clamp(f0 - kappa s, lo, hi), kappa >= 0.
typedef struct hfiDrive { double f0, kappa, lo, hi; } hfiDrive;

// Force of an actuator before its limits: constant + length-slope length + velocity-slope velocity.
typedef struct hfiAffine { double constant, length, velocity; } hfiAffine;

// A sum of drives on one joint or tendon whose total force is limited.
typedef struct hfiPort {
  int32_t source, id; // HFI_ROW_JOINT_DRIVE or HFI_ROW_TENDON_DRIVE
  int32_t first;      // its first actuator
  hfiDrive sum;
} hfiPort;

struct hfActuation {
  const hfModel* model;
  int32_t nport, nguarded;

  // constants: sparse rows of tendons and actuators over dofs, ascending
  int32_t* tendon_start;   // (ntendon + 1)
  int32_t* tendon_dof;     // (tendon_start[ntendon])
  int32_t* wrap_slot;      // (nwrap) entry of tendon_J that a joint of a tendon adds to
  int32_t* moment_start;   // (nu + 1)
  int32_t* moment_dof;     // (moment_start[nu])
  int32_t* coordinate;     // (nu) that of the hinge or slide it acts on, in q; -1: it acts on something else
  int32_t* actuator_port;  // (nu) or -1
  int32_t* guarded;        // (nguarded) joints with a range of their actuators' force, or gravity compensation by them
  int32_t* law;            // (nu) hfDriveLaw: the model's, or hfi_actuation_drive_by's

  // hf_actuation_update
  double *tendon_J;        // (tendon_start[ntendon])
  double *tendon_length, *tendon_length0, *tendon_velocity; // (ntendon), (ntendon) at qpos0, (ntendon)
  double *moment, *length, *velocity; // (moment_start[nu]), (nu), (nu)
  double* gravcomp;        // (nv) gravity compensation, of actuators and passive [N or N m]
  int32_t lifts;           // 1: there is some

  // hf_actuation_forces, hfi_actuation_step
  double* rate;            // (na)
  double* input;           // (nu) clamped control, or activation
  double* integral;        // (nu) of the error at the end of a step that leaves the length as it is
  double h;                // of that step; 0 for an instant [s]
  int explicit_drives;     // of the last hfi_actuation_step
  double* force;           // (nu)
  double* joint_force;     // (nv)
  double* target_force;    // (nv) of velocity targets
  double* tendon_total;    // (ntendon)
  hfiDrive* drive;         // (nu)
  double *wanted, *torque; // (nv) accelerations that drives by computed torque ask for, forces for them
  hfiPort* port;           // (nport)
  hfiRows rows;

  // scratch
  double* dense;           // (nv) zero between uses
  hfMotion* column[2];     // (nv) Jacobian columns of two bodies
};

// What a step needs to know beyond the model.
typedef struct hfiActuationStep {
  double h;               // [s]
  double near_rigid;      // beta of rows without a stiffness of their own [-]
  int explicit_drives;    // 1: actuator forces of the start of the step, held
  const double *q, *act, *ctrl; // (nq), (na) or NULL, (nu) or NULL
  const double* ctrl_rate;      // (nu x 2) first and second rate of the controls, or NULL: zero
  const double *velocity_target, *force_limit; // (nv) or NULL, as in hfInput
} hfiActuationStep;

// Slices all arrays from the arena. Over an arena without memory this only plans.
void hfi_actuation_init(hfActuation* a, const hfModel* model, hfiArena* arena);

// All servos that can be, driven by one law.
void hfi_actuation_drive_by(hfActuation* a, hfDriveLaw law);

// Everything but contact that acts over a step:
//   tau (nv) +=  forces at zero velocity that do not depend on the velocity, or explicit ones
//   diag (nv) += h (c + h k) of joint dampers and springs
//   a->rows      drives, limits, friction losses, tendon springs, equalities
// Needs hf_actuation_update, hf_dynamics_mass_matrix and hf_dynamics_factor at q.
void hfi_actuation_step(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau, double* diag);
// After the step: a->force, a->joint_force and a->target_force at the velocities v1 (nv) of its end.
void hfi_actuation_collect(hfActuation* a, const double* v1);

// Union of two ascending lists of dofs; returns its size.
int hfi_merge_dofs(const int32_t* x, int nx, const int32_t* y, int ny, int32_t* out);

// ---- parts of a step ------------------------------------------------------------------------------

void hfi_update_tendons(hfActuation* a, const double* q, const double* v);
void hfi_update_transmissions(hfActuation* a, const hfDynamics* d, const double* q);
// Clamped inputs and activation rates.
void hfi_update_inputs(hfActuation* a, const double* act, const double* ctrl, double h);
// ki (I + h (u - l)), or ki times the bound that I stops at.
void hfi_add_integral(const hfActuation* a, int actuator, hfiAffine* force);
static inline hfiAffine hfi_affine_force(const hfActuation* a, int i) {
  const hfModel* m = a->model;
  const double *g = hf_model_actuator_gainprm(m) + 3 * i, *b = hf_model_actuator_biasprm(m) + 3 * i;
  double u = a->input[i];
  hfiAffine f = {g[0] * u, 0, 0};
  if (hf_model_actuator_gaintype(m)[i] == HF_GAIN_AFFINE) f.length = g[1] * u, f.velocity = g[2] * u;
  if (hf_model_actuator_biastype(m)[i] == HF_BIAS_AFFINE) f.constant += b[0], f.length += b[1], f.velocity += b[2];
  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_ERROR) hfi_add_integral(a, i, &f);
  return f;
}
// a->force, unlimited as it comes in, through all limits; and a->joint_force.
void hfi_transmit_forces(hfActuation* a);

// The drive of an actuator with inverse dynamics (drive_law.c); its bounds are the caller's.
void hfi_compute_torques(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
hfiDrive hfi_inverse_drive(hfActuation* a, const hfDynamics* d, int actuator, const hfiActuationStep* step);
void hfi_drive_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau);
void hfi_spring_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, double* tau, double* diag);
void hfi_limit_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
void hfi_friction_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
// a->target_force at the velocities v1 of the end of the step.
void hfi_target_collect(hfActuation* a, const double* v1);
void hfi_target_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);
void hfi_equality_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step);

double hfi_tendon_inverse_mass(const hfActuation* a, const hfDynamics* d, int tendon);
// A row along sign times the tendon's length.
void hfi_tendon_row(hfActuation* a, hfiRowSource source, int tendon, double sign, hfSaturatedRow row);

// ---- compliance of constraints ----------------------------------------------------------------------

// Above h kappa w = 1e6 a physical row (drive, tendon spring) is capped too, its target s0 kept: a load
// then moves it by 1e-6 of what it would in a step without it, and residuals keep ten digits.
static const double HFI_STIFFEST_DRIVE = 1e6;

// Slope of a row that asks for kappa, and the count of those that do not get it.
static inline double hfi_cap_slope(hfiRows* rows, double kappa, double stiffest) {
  rows->ncapped += kappa > stiffest;
  return min2(kappa, stiffest);
}

// Kelvin-Voigt law of a row with error r; k = c = 0: near-rigid.
typedef struct hfiCompliance { double k, c; } hfiCompliance; // [N/m, N s/m] or [N m/rad, N m s/rad]

// Stiffest useful slope, h kappa = (2 pi)^2/(beta^2 w).
static inline double hfi_stiffest(const hfiActuationStep* step, double w) {
  return sqr(2 * HFI_PI / step->near_rigid) / (w * step->h);
}
// The row that drives the error r to zero, without bounds, at most at the stiffest slope. r_time: how fast
// a near-rigid row removes its error [s].
hfSaturatedRow hfi_compliant_row(hfiRows* rows, const hfiActuationStep* step, hfiCompliance law, double w, double r, double r_time);

// ---- equalities -------------------------------------------------------------------------------------

// An equality at a configuration: errors r with dr/dt = J v.
typedef struct hfiEquality {
  int32_t dim;     // 0: inactive
  double r[6];     // [m or rad]; weld: position, then rotation vector
  int32_t body[2]; // connect, weld
  hfVec3 p_W[2];   // their anchors [m]
  hfMat3 turn;     // weld: rotation errors change by turn (w_1 - w_2)
  double slope;    // joint, tendon: d r/d (second coordinate)
} hfiEquality;

hfiEquality hfi_equality_evaluate(const hfActuation* a, const hfDynamics* d, int equality, const double* q);
// Columns and Jacobian (dim x ncol, row-major); returns ncol.
int hfi_equality_jacobian(hfActuation* a, const hfDynamics* d, int equality, const hfiEquality* e, int32_t* cols, double* J);

#endif
