// Everything except contact that acts on one world: what other folders may call. inside.h has the rest.
#ifndef HFI_ACTUATION_ACTUATION_H
#define HFI_ACTUATION_ACTUATION_H

#include "step/actuation/rows.h"
#include <holdfast/actuation.h>
#include <holdfast/violation.h>

// Spring and damper of a row with error r; with k = c = 0 the row is near-rigid.
typedef struct hfiCompliance { double k, c; } hfiCompliance; // [N/m, N s/m] or [N m/rad, N m s/rad]

// ---- the law of a limit -------------------------------------------------------------------------------
//
// A limit has a stiffness and damping of its own, or MuJoCo's solref, or neither: then each method has its own law for
// it.

// Stiffness and damping that the model gives to the limits of a joint; zero if it gives none.
static inline hfiCompliance hfi_joint_limit_given(const hfModel* m, int joint) {
  return (hfiCompliance){hf_model_jnt_limit_stiffness(m)[joint], hf_model_jnt_limit_damping(m)[joint]};
}
static inline int hfi_is_given(hfiCompliance law) { return law.k > 0 || law.c > 0; }
// Whether a limit with this solref follows MuJoCo's law in a step. is_rigid, soft_defaults: as in hfiActuationStep.
static inline int hfi_limit_is_soft(const double* solref, int is_rigid, int soft_defaults) {
  return !is_rigid && (solref[0] != 0 || soft_defaults);
}

// ---- actuators ------------------------------------------------------------------------------------------

// Force of an actuator over a step as a function of its velocity s at the end of the step:
// clamp(f0 - kappa s, lo, hi) with kappa >= 0.
typedef struct hfiDrive { double f0, kappa, lo, hi; } hfiDrive;

// Force of an actuator before its limits are applied: constant + length l + velocity s, where l and
// s are the actuator's length and velocity.
typedef struct hfiAffine { double constant, length, velocity; } hfiAffine;

static inline double hfi_drive_force(hfiDrive d, double s) { return clamp(d.f0 - d.kappa * s, d.lo, d.hi); }

// The model's parameters of an actuator's force in one struct. Like hfiPassive, it is computed again when parameters
// change.
typedef struct hfiServo {
  double gain[3], bias[3]; // force = (gain0 + gain1 l + gain2 s) input + bias0 + bias1 l + bias2 s
  double lo, hi;           // bounds of the force
  double ctrl_lo, ctrl_hi; // bounds of the control, infinite where it has none
  double period;           // of a servo on a rotation in space: lengths this far apart are one turn; else 0
  int32_t plain;           // 1: this is the whole force, because the actuator is no muscle and has no integral
  // 1: its input is the clamped control, because it has no activation, no period and is no motor
  int32_t obeys;
  int32_t transmission;    // hfTransmission
  int32_t is_motor;        // 1: a DC motor, whose force is that of motor.c
  // 1: plain, acts on a hinge or slide that has no drive sum, not by inverse dynamics, and nothing switches it off
  int32_t direct;
} hfiServo;

// Inputs and state of a DC motor at the start of a step (motor.c).
typedef struct hfiMotor {
  double pos, vel, torque, voltage;   // inputs; `pos` is the one at the end of the step if it moves at a bounded speed
  double integral, current, bristle;  // states
  double resistance;                  // resistance at its temperature [Ohm]
  double decay;                       // rate at which the bristles let go [1/s]
  double first_rate, temperature_rate; // rates of `pos`, if it moves at a bounded speed, and of the temperature
} hfiMotor;

typedef struct hfiDriveSum hfiDriveSum;
typedef struct hfiBodyDrag hfiBodyDrag;
typedef struct hfiOverload hfiOverload;
typedef struct hfiTension hfiTension;

// What is computed and still valid, as bits of hfActuation.fresh. One rule: only the functions of this folder set and
// clear them; whoever needs forces calls hfi_need_forces.
typedef enum hfiActuationFresh {
  HFI_FRESH_FORCES = 1,    // force and joint_force are those of the last step or of hf_actuation_forces
  HFI_FRESH_PARAMETERS = 2 // hfiPassive and hfiDrives.servo are those of revision `passive.revision` of the parameters
} hfiActuationFresh;

// The hinges and slides that have a range, in arrays that are read several joints at a time (limit.c).
typedef struct hfiRanges {
  int32_t n;                         // number of these joints
  int32_t any_ball;                  // 1: balls have limits, too
  int32_t *joint, *qposadr, *dofadr; // (n) ascending, followed by repetitions of the last one up to a multiple of four
  double *low, *high, *margin;       // (n) [rad or m]
} hfiRanges;

// What the parameters say about forces that no actuator exerts. Flags are 1 or 0.
typedef struct hfiPassive {
  uint32_t revision; // of the parameters
  int32_t springs, bends, dampers, curved_dampers, losses, gravcomp, medium;
  hfiRanges ranges;
  hfiBodyDrag* drag; // (nbody) if there is a medium
} hfiPassive;

// The actuators of a step (drive.c, drive_law.c, motor.c, orientation.c).
typedef struct hfiDrives {
  int32_t nsum, nlimited_joint, norientation;
  hfiServo* servo;            // (nu)
  // (nu) index in q of the hinge or slide that the actuator acts on; -1 for other transmissions
  int32_t* coordinate;
  int32_t* sum_of;            // (nu) drive sum of the actuator, or -1
  hfiDriveSum* sum;           // (nsum)
  // (nlimited_joint) joints whose total actuator force has a range or includes gravity compensation
  int32_t* limited_joint;
  int32_t* orientation;       // (norientation) first actuators of orientation servos
  double* integral;           // (nu) integral of the error at the end of the step if the length did not change
  hfiMotor* motor;            // (nu)
  // (nu) the law of the step; for motors drag is the part of the force that forcerange does not bound
  hfiDrive *drive, *drag;
  double *wanted, *torque;    // (nv) accelerations that drives by computed torque want, and the forces for these
  double* tendon_total;       // (ntendon)
  int explicit_drives;        // hfiActuationStep.explicit_drives of the last step
} hfiDrives;

// What the rows of the last step leave for its end (limit.c, equality_rows.c, tension.c, friction_loss.c, drive_law.c,
// violation.c).
typedef struct hfiRowNotes {
  double* start_length;              // (ntendon) tendon_length at the start of the step
  // least distance of a hinge, slide or tendon from a limit that got no row [m or rad]
  double free_way;
  int32_t first_friction, nfriction; // the blocks of friction losses, which follow each other
  int32_t ntarget;                   // number of blocks of velocity targets
  int32_t noverload, ntension;
  hfiOverload* overload;             // (2 neq) overloaded groups of rows
  // (neq) dampers that the next hfi_actuation_step adds; none except while a step is solved again
  hfiTension* tension;
  double* v1;                        // (nv) velocities at the end of the step
} hfiRowNotes;

// Inverse masses at the reference pose (hfi_world_weigh); 0 if they were not computed.
typedef struct hfiReferenceMass {
  double *dof, *tendon; // (nv), (ntendon)
  double* equality;     // (neq x 2) of the translation (or of the coordinate of a joint or tendon) and of the rotation
} hfiReferenceMass;

// Lengths of tendons and their sparse Jacobian rows (transmission.c). The dofs of a row are constant and ascend;
// hf_actuation_update computes the rest.
typedef struct hfiTendonRows {
  int32_t* start;     // (ntendon + 1) first entry of each tendon in dof and J
  int32_t* dof;       // (start[ntendon]) dofs that change the length of the tendon
  double* J;          // (start[ntendon]) how much the length of the tendon grows per unit of the dof
  int32_t* wrap_slot; // (nwrap) entry of J to which a joint of a fixed tendon adds its coefficient
  double* length;     // (ntendon) [m or rad]
  double* length0;    // (ntendon) the same at qpos0
  double* velocity;   // (ntendon) rate of the length [m/s or rad/s]
} hfiTendonRows;

// Moments of the actuators, as sparse rows (transmission.c). The dofs are constant and ascend; hf_actuation_update
// computes the entries.
typedef struct hfiMomentRows {
  int32_t* start; // (nu + 1) first entry of each actuator in dof and entry
  int32_t* dof;   // (start[nu]) dofs on which the actuator acts
  double* entry;  // (start[nu]) how much the length of the actuator grows per unit of the dof
} hfiMomentRows;

struct hfActuation {
  const hfModel* model;
  uint32_t* fresh;         // (1) hfiActuationFresh
  int32_t* law;            // (nu) hfDriveLaw, from the model or from hfi_actuation_drive_by

  // computed by hf_actuation_update
  hfiTendonRows tendons;
  hfiMomentRows moments;
  double* length;          // (nu) length of each actuator's transmission [m or rad]
  double* velocity;        // (nu) its rate [m/s or rad/s]
  // (nv) gravity compensation, both by actuators and passive; valid if passive.gravcomp is 1 [N or N m]
  double* gravcomp;

  // computed by hf_actuation_forces and hfi_actuation_step
  double h;                // length of that step; 0 at an instant [s]
  double* input;           // (nu) clamped control, or activation
  double* rate;            // (na) rates of activations
  double* force;           // (nu)
  double* joint_force;     // (nv)
  double* target_force;    // (nv) forces of velocity targets

  hfiPassive passive;
  hfiDrives drives;
  hfiRows rows;
  hfiRowNotes notes;
  hfiReferenceMass reference_mass;

  double* dense;           // (nv) scratch; zero between two uses
  hfMotion* column[2];     // (nv) scratch: Jacobian columns of two bodies
};

// A step mostly adds less than the first number to the speed of a joint towards a limit, and never more than the
// second [m/s or rad/s].
static const double HFI_USUAL_SPEED = 1, HFI_FAST_SPEED = 100;

// What a step needs beside the model.
typedef struct hfiActuationStep {
  double h;               // [s]
  double near_rigid;      // beta of near-rigid rows [-]
  // 1: limits and equalities with neither a stiffness nor MuJoCo's solref have MuJoCo's default solref
  int soft_defaults;
  // A limit of a hinge, slide or tendon has a row if it is reached at twice the present speed plus this [m/s or
  // rad/s].
  double limit_speed;
  // 1: limits, or equalities, are near-rigid even if the model has MuJoCo's solref for them
  int rigid_limits, rigid_equalities;
  int explicit_drives;    // 1: actuators keep the force that they have at the start of the step
  const double *q, *act, *ctrl; // (nq), (na) or NULL, (nu) or NULL
  // (nv) velocities of the state, or NULL: those of the dynamics, in which free bodies have spun for half a step
  // already
  const double* v;
  const double* ctrl_rate;      // (nu x 2) first and second rate of the controls, or NULL: zero
  const double *velocity_target, *force_limit; // (nv) or NULL, as in hfInput
  // (nv + ntendon) forces that anchored friction holds against, as in hfState; NULL: friction is regularised
  const double* friction;
} hfiActuationStep;

// Takes all arrays from the arena. With an arena without memory it only plans their size.
void hfi_actuation_init(hfActuation* a, const hfModel* model, hfiArena* arena);

// Gives all servos one drive law if their transmission allows it.
void hfi_actuation_drive_by(hfActuation* a, hfDriveLaw law);

// Computes everything except contact that acts over a step:
//   tau (nv) +=  forces that do not depend on the velocity at the end of the step
//   problem->diag (nv) += h (c + h k) of joint dampers and springs
//   problem      gets rows: drives, limits, friction losses, tendon springs, equalities, velocity targets. They are its
//                first blocks.
// Needs hf_actuation_update, hf_dynamics_update_mass_matrix and hf_dynamics_factor, or hfi_postpone_factors, at q.
void hfi_actuation_step(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, hfStepProblem* problem,
                        double* tau);
// Must be called after a step, with the velocities v1 (nv) at its end. The forces at these velocities are computed
// only when hfi_need_forces is called: mostly the next step comes before anybody needs them.
void hfi_actuation_end(hfActuation* a, const double* v1);
// Says that nobody needs the forces of the last step any more.
void hfi_actuation_drop_forces(hfActuation* a);
// Computes a->force and a->joint_force of the last step. hfi_need_forces calls it.
void hfi_actuation_collect(const hfActuation* a);
// Must be called before one of these forces is read. hf_actuation_update calls it, too.
static inline void hfi_need_forces(const hfActuation* a) {
  if (!(*a->fresh & HFI_FRESH_FORCES)) hfi_actuation_collect(a);
}
// For a solver that holds stiff rows rigidly, so that velocities do not determine their forces: sets the force of a
// row of drives or of a velocity target, instead of computing it by the row's law. After all rows hfi_transmit_forces
// must be called.
void hfi_actuation_take_force(hfActuation* a, hfiRowOrigin origin, double force);

// MJCF switches groups of actuators 0 to 30 off by the bits of disabled_groups.
enum { HFI_ACTUATOR_GROUPS = 31 };
// Whether the actuator acts: it does unless the scene or its group switches it off.
static inline int hfi_actuator_acts(const hfModel* m, int i) {
  int group = hf_model_actuator_group(m)[i];
  int has_switch = group >= 0 && group < HFI_ACTUATOR_GROUPS;
  return !m->world.disable_actuation && !(has_switch && m->world.disabled_groups >> group & 1);
}

// d force/d activation of a muscle.
double hfi_muscle_gain(const hfActuation* a, int actuator);
// Time constant of a muscle's activation for the control u.
double hfi_muscle_time(const double* dynprm, double u, double act);
// Derivatives of the force of a DC motor and of the rates of its states at an instant.
typedef struct hfiMotorSlopes {
  hfiAffine force;                          // slopes of the force with length and velocity
  double force_current, force_bristle, force_integral, force_setpoint;
  hfiAffine current;                        // slopes of the current's rate with length and velocity
  double current_current, current_integral, current_setpoint;
  double bristle_velocity, bristle_bristle; // slopes of the bristles' rate
  double temperature_temperature;
  int integrates;                           // 1: the integral's rate falls with the length
} hfiMotorSlopes;
hfiMotorSlopes hfi_motor_slopes(const hfActuation* a, int actuator);
static inline int hfi_is_motor(const hfModel* m, int actuator) {
  return hf_model_actuator_gaintype(m)[actuator] == HF_GAIN_MOTOR;
}
// The slope of hfi_slew_rate at an instant.
double hfi_slew_slope(const hfActuation* a, double rate, double fastest);
// Adds the force of the integral I: ki (I + h (u - l)), or ki times the bound at which I stops.
void hfi_add_integral(const hfActuation* a, int actuator, hfiAffine* force);
// Adds the force of a muscle, linear about its present length and velocity (muscle.c).
void hfi_add_muscle(const hfActuation* a, int actuator, hfiAffine* force);
// Returns the force of actuator i, which is not a DC motor, for its present input u, as a function of length l and
// velocity s. It is the sum of the parts that the actuator has:
//
//   (g0 + g1 l + g2 s) u     gain; only g0 unless it is affine, nothing for a muscle
//   b0 + b1 l + b2 s         bias, if it is affine
//   the force of an integral of the error, and the force of a muscle
static inline hfiAffine hfi_affine_force(const hfActuation* a, int i) {
  const hfModel* m = a->model;
  const double* g = hf_model_actuator_gainprm(m) + 3 * i;
  const double* b = hf_model_actuator_biasprm(m) + 3 * i;
  double u = a->input[i];
  int gain = hf_model_actuator_gaintype(m)[i];
  int bias = hf_model_actuator_biastype(m)[i];

  // gain and bias
  hfiAffine f = {gain == HF_GAIN_MUSCLE ? 0 : g[0] * u, 0, 0};
  if (gain == HF_GAIN_AFFINE) {
    f.length = g[1] * u;
    f.velocity = g[2] * u;
  }
  if (bias == HF_BIAS_AFFINE) {
    f.constant += b[0];
    f.length += b[1];
    f.velocity += b[2];
  }

  if (hf_model_actuator_dyntype(m)[i] == HF_ACTIVATION_ERROR) hfi_add_integral(a, i, &f);
  if (gain == HF_GAIN_MUSCLE || bias == HF_BIAS_MUSCLE) hfi_add_muscle(a, i, &f);
  return f;
}
// Applies all limits to a->force and computes a->joint_force.
void hfi_transmit_forces(const hfActuation* a);

// Computes lengths, rates and Jacobians of all tendons.
void hfi_update_tendons(hfActuation* a, const hfDynamics* d, const double* q);
// Whether velocities v1 (nv) over a step of length h from q take a hinge, slide or tendon past a limit that has no row
// in a->rows.
int hfi_limit_passed(const hfActuation* a, const double* q, const double* v1, double h);
// Writes to friction (nv + ntendon) the forces that anchored friction holds against after a step that ends at
// velocities v1 (nv).
void hfi_friction_remember(const hfActuation* a, const double* v1, double* friction);
// Finds the connects whose forces, in a step from q that ends at velocities v1 (nv), need dampers. hfi_actuation_step
// adds rows for these dampers until hfi_drop_tensions. Returns their number; 0 if there are dampers already.
int hfi_find_tensions(hfActuation* a, const hfDynamics* d, const double* q, const double* v1);
static inline void hfi_drop_tensions(hfActuation* a) { a->notes.ntension = 0; }
// Force of a tendon's spring and damper along its length [N or N m].
double hfi_tendon_passive_force(const hfActuation* a, const hfDynamics* d, int tendon);
double hfi_tendon_inverse_mass(const hfActuation* a, const hfDynamics* d, int tendon);
// ---- equalities -------------------------------------------------------------------------------------

// An equality at a configuration: its errors r, with dr/dt = J v.
typedef struct hfiEquality {
  int32_t dim;     // 0: inactive
  double r[6];     // [m or rad]; weld: position, then rotation vector
  int32_t body[2]; // connect, weld
  hfVec3 p_W[2];   // attachment points on the two bodies [m]
  hfMat3 turn;     // weld: rate of the rotation error = turn (w_1 - w_2)
  double slope;    // joint, tendon: d r/d (second coordinate)
  double bend;     // joint, tendon: the second derivative
} hfiEquality;

// The body of side 0 or 1 of a connect or weld.
static inline int hfi_equality_body(const hfModel* m, int equality, int side) {
  int object = (side ? hf_model_eq_obj2(m) : hf_model_eq_obj1(m))[equality];
  return hf_model_eq_objkind(m)[equality] == HF_OBJECT_SITE ? hf_model_site_body(m)[object] : object;
}
// Largest speed at which rows of an equality, n entries of its Jacobian, remove their error [m/s or rad/s].
double hfi_equality_release_speed(const hfModel* model, const hfiEquality* equality, const double* J, int n);
hfiEquality hfi_equality_evaluate(const hfActuation* a, const hfDynamics* d, int equality, const double* q);
// Computes Jdot v of a connect (3 rows) or weld (6 rows), after hf_dynamics_set_velocity. The change of the weld's
// matrix `turn` is left out: it multiplies w_1 - w_2, which the rows keep at zero.
void hfi_attachment_rate(const hfDynamics* d, const hfiEquality* e, double* rate);
// Mass of everything that an equality of bodies can move, which is the mass of their trees [kg].
double hfi_equality_mass(const hfModel* model, const hfiEquality* equality);
// Computes columns and Jacobian (dim x ncol, row-major). Returns ncol.
int hfi_equality_jacobian(hfActuation* a, const hfDynamics* d, int equality, const hfiEquality* e, int32_t* cols,
                          double* J);

// The error of a coupling of two joints or tendons at q. If d is NULL, lengths of tendons are those of the last
// hf_actuation_update; otherwise they are computed at q, to which d must have been brought.
double hfi_coupling_error(const hfActuation* a, const hfDynamics* d, int equality, const double* q);

// ---- violations (violation.c) -----------------------------------------------------------------------

// Whether the model has equalities or limits, and whether their violations depend on poses.
int hfi_has_violations(const hfActuation* a);
int hfi_violations_need_poses(const hfModel* m);
// Finds the violations at q. If they need poses, the dynamics must be at q. The actuation keeps what it knows of its
// last step.
hfViolations hfi_find_violations(const hfActuation* a, const hfDynamics* d, const double* q);

// Equalities and limits that let go: how many, and the first of them.
typedef struct hfiLetGo { int32_t count, kind, id; } hfiLetGo;

// The laws that limits had in a step.
typedef struct hfiLimitLaws {
  int rigid, soft_defaults; // rigid_limits and soft_defaults of hfiActuationStep
  int rigid_equalities;     // rigid_equalities of hfiActuationStep
  int continuous;           // 1: the laws of continuous time
  double h;                 // [s]
} hfiLimitLaws;

// Finds what lets go in a step that ends at q (nq), v (nv) with these violations: equalities whose rows were
// overloaded and that open further, quick soft ones that are far open and open further, and limits that are passed far
// and get passed further (docs/theory/equalities.md, "How far they give way"). The actuation knows the start of the
// step. If violations need poses, the dynamics must be at its end.
hfiLetGo hfi_find_let_go(hfActuation* a, const hfDynamics* d, const hfViolations* violations,
                         const hfiLimitLaws* laws, const double* q, const double* v);

#endif
