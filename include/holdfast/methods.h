// The methods that step a world: their options, and what they report of a step.
//
// Only plain structs are here, so that a program that steps worlds needs no header of a solver. The solvers
// themselves are tool boxes with headers of their own: solver.h, mlcp.h, integrate.h, rigid.h.
#ifndef HOLDFAST_METHODS_H
#define HOLDFAST_METHODS_H

#include <holdfast/allocator.h>
#include <holdfast/status.h>
#include <holdfast/violation.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which method steps the world; a scene may name one (hf.method).
typedef enum hfMethod {
  HF_METHOD_OF_SCENE = -1, // in a configuration: the method of the scene
  HF_METHOD_TAMSI = 0, HF_METHOD_CONVEX, HF_METHOD_MLCP,
  HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK, HF_METHOD_SWITCHING
} hfMethod;

typedef enum hfFrictionLaw {
  HF_FRICTION_OF_SCENE = -1,   // in a configuration: the scene's law
  HF_FRICTION_REGULARISED = 0, // linear in slip below the stiction speed (TAMSI Eq. 6, 7)
  HF_FRICTION_SMOOTH = 1,      // s/sqrt(1 + s^2): the same slope at zero, no kink
  HF_FRICTION_ANCHORED = 2,    // elastic tangential deformation with memory: sticks, no creep
  HF_FRICTION_COULOMB = 3,     // rigid, of the methods mlcp and switching; a sim of another method refuses it
} hfFrictionLaw;

typedef enum hfDriveLaw { // how an actuator follows its control
  HF_DRIVE_OF_SCENE = -1,  // in a configuration: each actuator has its own
  HF_DRIVE_SERVO = 0,      // its force follows from its gain and bias
  HF_DRIVE_CONSTRAINT,     // inverse dynamics in the step: where the servo would rest, within forcerange
  HF_DRIVE_COMPUTED_TORQUE // gain and bias are accelerations; force = M a + bias forces, held over the step
} hfDriveLaw;

// ---- methods of discrete time: tamsi, convex -----------------------------------------------------

typedef enum hfCoupling {
  HF_COUPLING_TWO_WAY = 0,      // normal and friction forces both implicit and coupled (TAMSI)
  HF_COUPLING_ONE_WAY = 1,      // normal force frozen at the start of the step (semi-implicit Euler)
  HF_COUPLING_FRICTIONLESS = 2, // normal forces only, implicit
} hfCoupling;

// The rungs of the ladder, in the order they are tried.
typedef enum hfRung {
  HF_RUNG_NONE = 0,   // no rows: one linear solve
  HF_RUNG_TAMSI = 1,  // Newton with the transition-aware line search, in heaps with friction duals
  HF_RUNG_MERIT = 2,  // the same Newton with a residual-decreasing line search
  HF_RUNG_CONVEX = 3, // friction bound fixed: minimum of a strictly convex function; bounds iterated
} hfRung;

typedef struct hfSolverConfig {
  hfCoupling coupling;    // what is implicit
  hfRung first_rung;      // rung to start at; HF_RUNG_CONVEX for the convex method
  hfRung last_rung;       // rung to stop at
  int32_t max_iterations; // Newton iterations of each rung [-]
  double tolerance;       // residual over max(|p*|, |J^T gamma|), mass-scaled [-]
  double theta_max;       // largest turn of a slip velocity in one iteration; not in heaps [rad]
} hfSolverConfig;

HF_API hfSolverConfig hf_solver_config_default(void);

typedef struct hfSolveReport {
  hfStatus status;         // HF_OK, or > 0 when the last rung allowed did not meet the tolerance
  int32_t rung;            // hfRung: the highest rung that served any island
  int32_t islands;         // number of islands that have rows
  int32_t iterations;      // Newton iterations: factorisations, sum over islands and rungs
  int32_t max_iterations;  // largest number of iterations in one island
  int32_t limited;         // iterations whose step was shortened
  double residual;         // relative residual of the rung that served, of the worst island [-]
  double coupled_residual; // residual of the coupled problem; it differs from `residual` if the convex rung served [-]
} hfSolveReport;

// ---- method mlcp ---------------------------------------------------------------------------------

typedef enum hfMlcpForm {
  HF_MLCP_COMPLEMENTARITY = 0, // polygonal friction cones, bounds of saturated rows: Lemke or Dantzig
  HF_MLCP_TWO_STAGE = 1,       // a feasible point without friction, then the friction that dissipates most
  HF_MLCP_DISSIPATION = 2,     // contact without complementarity: inverse dynamics for robots in contact
} hfMlcpForm;

typedef struct hfMlcpConfig {
  hfMlcpForm form;  // form of the problem
  int32_t method;   // hfLcpMethod: HF_LCP_LEMKE or HF_LCP_DANTZIG (lcp.h)
  int32_t edges;    // edges of a friction cone, an even number from 4 to 32
  int32_t fallback; // 1: if it fails, hf_sim_step takes the convex answer; 0: the state stays
  double tikhonov;  // added to the diagonal, in units of the mean diagonal of J A^-1 J^T [-]
  double recovery;  // share of an overlap that a step removes [-]
  double tolerance; // residual of the complementarity problem [-]
} hfMlcpConfig;

HF_API hfMlcpConfig hf_mlcp_config_default(void);

// ---- methods of continuous time: rk3, implicit-euler, sdirk --------------------------------------

// How often Newton's method renews its Jacobian: at every iteration, or when it converges slowly.
typedef enum hfNewton { HF_NEWTON_FULL = 0, HF_NEWTON_QUASI = 1 } hfNewton;
// Where the Jacobian comes from: forward differences, or formulas.
typedef enum hfJacobianKind { HF_JACOBIAN_FORWARD = 0, HF_JACOBIAN_ANALYTIC = 1 } hfJacobianKind;

typedef struct hfContinuousConfig {
  hfNewton newton;         // how often the Jacobian is renewed
  hfJacobianKind jacobian; // where it comes from
  int32_t tals;     // 1: Newton's method uses the transition-aware line search
} hfContinuousConfig;

// What an integrator did since it was created or reset; in the report of a step, during that step. In discrete time with an
// accuracy an evaluation is a solved step problem, and `error` the largest estimate of an accepted step [m, rad].
typedef struct hfIntegratorReport {
  hfStatus status;              // status of the last advance
  int64_t evaluations;          // evaluations of the right-hand side, including those for Jacobians
  int64_t jacobian_evaluations; // evaluations of the right-hand side for Jacobians by differences
  int64_t jacobians, factorisations;
  int64_t iterations;           // iterations of Newton's method
  int64_t limited;              // iterations that the transition-aware line search shortened
  int64_t steps;                // accepted
  int64_t rejected;             // steps whose error was too large
  int64_t failed;               // steps in which Newton's method did not converge, an explicit step was unstable, or
                                // the right-hand side did not exist
  int64_t held;                 // accepted steps with a held right-hand side, because all others failed
  double smallest;              // shortest step that was accepted [s]
  double last;                  // step that was tried last [s]
  double error;                 // estimated error of the last step in the weighted norm; 0 if there is no estimate
} hfIntegratorReport;

// ---- method switching ----------------------------------------------------------------------------

// Laws of the compliant layer, grasp-switching Eq. (6), (7), with u = deformation/L:
//   force = k E(u) deformation + c D(u) rate
typedef enum hfLayerLaw {
  HF_LAYER_LINEAR = 0,        // E = D = 1: Kelvin and Voigt, Eq. (13)
  HF_LAYER_HERTZ = 1,         // E = D = sqrt(u): two spheres; normal only
  HF_LAYER_HUNT_CROSSLEY = 2, // E = 1, D = u: no damping where the contact opens; normal only
  HF_LAYER_STIFFENING = 3,    // E = D = 1 + u^2: a pad that hardens as it is squeezed
} hfLayerLaw;

// The compliant layer. Normal constants, Eq. (13), and tangential ones in the same way:
//   k = K m0/(eps t0^2),  c = C m0/(sqrt(eps) t0)
typedef struct hfLayerConfig {
  double eps;                  // deformation scale; 0: k of the materials, c = C sqrt(m0 k/K) [-]
  double mass;                 // m0; 0: the lighter of a contact's bodies that can move [kg]
  double time;                 // t0 [s]
  double stiffness;            // K_N [-]
  double damping;              // C_N [-]
  double tangential_stiffness; // K_T; 0: K_N [-]
  double tangential_damping;   // C_T; 0: C_N [-]
  double depth;                // L, the deformation at which E or D of a nonlinear law has the value that its formula gives for u = 1 [m]
  hfLayerLaw law;              // law along the normal
  hfLayerLaw tangential_law;   // law of friction: linear or stiffening
} hfLayerConfig;

typedef struct hfRigidConfig {
  int32_t max_contacts;  // capacity
  int32_t scene_signals; // 1: the scene's signals drive controls that no input gives
  double reach;          // gap up to which contacts are known [m]
  double touch;          // gap up to which a known contact counts as closed [m]
  double stick_speed;    // slip below which a contact may roll [m/s]
  double stabilisation;  // T: gap and velocity errors die out as exp(-t/T); 0: they stay [s]
  hfLayerConfig layer;   // layer, for the stability certificate and the compliant phase
  hfAllocator allocator; // allocator for hf_rigid_create; within a sim, the sim's own is used
} hfRigidConfig;

HF_API hfRigidConfig hf_rigid_config_default(void);

typedef enum hfContactModel {
  HF_CONTACT_MODEL_SWITCHING = 0, // rigid while the certificates hold, else compliant (figure 4)
  HF_CONTACT_MODEL_RIGID = 1,     // rigid always; trouble is a status
  HF_CONTACT_MODEL_COMPLIANT = 2, // compliant always
} hfContactModel;

typedef enum hfLayerStart {
  HF_START_EQUILIBRIUM = 0, // while sliding, the tangential deformation changes as the friction force of the rigid motion does
  HF_START_PAPER = 1,       // while sliding, the tangential deformation does not change, as in the paper
} hfLayerStart;

typedef enum hfReturnModes {
  HF_RETURN_LAYER = 0, // a contact rolls where its layer does not slip
  HF_RETURN_GROSS = 1, // modes from the bodies' velocities alone, as in the paper
} hfReturnModes;

typedef struct hfSwitchConfig {
  hfContactModel contact_mode; // which models of contact may act
  hfLayerStart start;          // deformation with which the layer starts
  hfReturnModes return_modes;  // modes with which the rigid model takes over
  hfMethod integrator;  // integrator of compliant phases: HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK
  double accuracy;      // accuracy in both phases: error of a step in m, rad, m/s, rad/s
  double dwell;         // shortest compliant phase [s]
  double settle;        // the rigid model takes over only if forces jump by less than this share of the largest; 0: any jump [-]
  double rank_margin;   // rank margin below which the rigid model is left (return: 10 times it) [-]
  double restitution;   // coefficient of restitution in rigid phases [-]
  double rest_speed;    // approach below which an impact is plastic [m/s]
  hfRigidConfig rigid;  // capacity and signals are those of the sim
} hfSwitchConfig;

HF_API hfSwitchConfig hf_switch_config_default(void);

// What method "switching" did in a step.
typedef struct hfSwitchReport {
  int32_t rigid;       // 1: rigid at the end of the step
  int32_t nswitch;     // number of switches; see hf_sim_switch
  int32_t nstick, nslide, nseparate, nimpact; // transitions in rigid phases
  int32_t nhop;        // compliant phases: explicit steps across jumps of the shapes' contact
  double rigid_time;   // time spent rigid [s]
} hfSwitchReport;

// ---- all methods ---------------------------------------------------------------------------------

// Options of a sim: those that all methods have, and those of each.
// What is left to the scene: a choice by -1, a quantity by 0.
typedef struct hfSimConfig {
  int32_t headers;          // HF_VERSION_NUMBER of the program's headers. hf_sim_config_default sets it; a configuration without
                            // it is refused, so that a zeroed struct is not taken for the default.
  double step;              // h; 0 (default): the scene's timestep [s]
  double accuracy;          // largest error that a step may make; 0 (default): fixed steps. If it is positive, every method
                            // chooses its own steps within h (docs/theory/accuracy.md). In discrete time it is the error of
                            // positions [m, rad], in continuous time and with "switching" the error of positions and
                            // velocities [m, rad, m/s, rad/s]. The method "mlcp" has no accuracy.
  double smallest_step;     // shortest step in discrete time with an accuracy. A larger error of such a step is
                            // accepted, with the status HF_STEP_TOO_SMALL (default 1e-9) [s]
  hfMethod method;          // HF_METHOD_OF_SCENE (default): the scene's
  hfFrictionLaw friction;   // HF_FRICTION_OF_SCENE (default): the scene's
  int32_t max_contacts;     // capacity for contacts; 0: planned from the model
  int32_t gyroscopic;       // 1: inertial motion by docs/theory/flight.md (default); 0: explicit, in the bias
  int32_t anticipate;       // 1: contacts that the step's free motion would make count in it (default 1)
  hfDriveLaw drive_law;     // drive law of every servo; HF_DRIVE_OF_SCENE (default): each servo's own, as the scene says
  int32_t explicit_drives;  // 1: the force of a servo follows from lengths and velocities at the start of the step and
                            // is held over the step, as a sampled controller does. 0 (default): it follows from
                            // those at the end of the step, which is stable at any gain
  int32_t mujoco_softness;  // 1: contacts, limits and equalities for which the model gives no softness have MuJoCo's default
                            // solref and solimp. 0 (default): the world's stiffness, and near-rigid limits and equalities
  int32_t rigid_limits;     // 1: limits are near-rigid even where the model has MuJoCo's solref for them (default 0)
  int32_t rigid_equalities; // 1: equalities are near-rigid even where the model has MuJoCo's solref for them (default 0)
  int32_t scene_signals;    // 1: the scene's signals drive controls that no input gives (default 1)
  int32_t threads;          // threads that share the steps of a heap of more than 250 bodies (default 1). Two are of use; results have
                            // the same bits with any number. For a single world on idle processors: worlds of a batch run beside each
                            // other on threads of their own
  double near_rigid;        // beta of rows without a stiffness of their own (docs/theory/one-law.md) [-]
  int32_t noise_seed;       // 0: sensors are exact (default); else each number gets Gaussian noise of its sensor's deviation,
                            // which depends on this seed, the time and the number's place alone
  int32_t sleep;            // 1: islands at rest sleep until something acts on them (docs/theory/sleep.md); 0: they do not;
                            // -1 (default): as the scene says. For the methods tamsi and convex without an accuracy
  double sleep_speed;       // a tree rests below this speed; 0 (default): the scene's [m/s]
  double sleep_time;        // an island falls asleep when all its trees have rested for this time (default 0.5) [s]
  double static_speed;      // slip above which the dynamic coefficient acts, in stiction speeds [-]
  hfSolverConfig solver;
  hfMlcpConfig mlcp;        // method "mlcp"
  hfContinuousConfig continuous; // methods of continuous time
  hfSwitchConfig switching; // method "switching"
  hfAllocator allocator;    // allocator of all the sim's memory; all zero: the C library's
} hfSimConfig;

// The report of a step.
typedef struct hfStepReport {
  hfStatus status;        // the status that the step returned
  hfSolveReport solve;
  int32_t ncontact;       // contacts that carried force or could have
  int32_t ndropped;       // contacts beyond the capacity (status HF_OVERFLOW)
  int32_t ncapped;        // rows whose stiffness was capped for conditioning
  int32_t nstick;         // contacts that stick
  int32_t nsleep;         // trees that sleep at the end of the step; their contacts are not counted or reported
  int32_t nstopped;       // trees that stopped within the step because they would have passed through another body
  int32_t nlet_go;        // equalities and limits that let go: they are open, or passed, by far and by more and more, although they should hold (status HF_LET_GO, docs/theory/actuation.md)
  int32_t let_go_kind;    // kind of the first of them: HF_OBJECT_EQUALITY, HF_OBJECT_JOINT or HF_OBJECT_TENDON; 0 if there is none
  int32_t let_go;         // id of the first of them: hf_model_name(model, let_go_kind, let_go); 0 if there is none
  double max_depth;       // deepest overlap at the start of the step [m]
  hfViolations violation; // worst violations of equalities and limits at the end of the step
  double energy_gain;     // energy that no work explains, if something is fast; with HF_GAINED_ENERGY perhaps of several steps (docs/theory/energy.md) [J]
  hfIntegratorReport continuous; // continuous time, or an accuracy: what the integrator did
  hfSwitchReport switching;     // method "switching"
} hfStepReport;

#ifdef __cplusplus
}
#endif
#endif
