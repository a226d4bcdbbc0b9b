// hfSim: steps a world. A sim holds options and scratch memory for one thread. What it does depends on the state and the input
// alone, so that one sim may step many states of its model in turn.
//
//   hfSimConfig config = hf_sim_config_default();
//   hf_sim_create(&sim, model, &config, &error);
//   while (state->time < 5) hf_sim_step(sim, state, input, &report, &error);
#ifndef HOLDFAST_SIM_H
#define HOLDFAST_SIM_H

#include <holdfast/contact.h>
#include <holdfast/dynamics.h>
#include <holdfast/methods.h>
#include <holdfast/state.h>
#include <holdfast/version.h>

#ifdef __cplusplus
extern "C" {
#endif

// The default configuration. Change its fields, then create the sim.
static inline hfSimConfig hf_sim_config_default(void);
// What hf_sim_config_default calls. headers: HF_VERSION_NUMBER of the program's headers.
HF_API void hf_sim_config_init(hfSimConfig* config, int headers);
// Sets a field by its name in C ("step", "solver.tolerance", "method") from its text; enums also take a name ("tamsi"). A name
// that does not exist and a value out of range are refused (HF_ERROR_ARGUMENT), and the field stays as it was.
HF_API hfStatus hf_sim_config_set(hfSimConfig* config, const char* name, const char* value, hfError* error);
// Name of the i-th field that can be set, in a fixed order; NULL past the last.
HF_API const char* hf_sim_config_name(int i);
// Value of the field of this name; enums as their number. NaN if there is no such field.
HF_API double hf_sim_config_get(const hfSimConfig* config, const char* name);
// Names of an hfMethod ("tamsi") and of an hfFrictionLaw ("regularised"); "unknown" for other numbers.
HF_API const char* hf_method_name(int method);
HF_API const char* hf_friction_name(int friction);

typedef struct hfSim hfSim;
struct hfSwitch;
struct hfRigidProblem;
struct hfStepProblem;
struct hfStepCapacity;

// Creates a sim; config may be NULL for the default. The model (or an overlay's model) must outlive the sim. A configuration
// that is out of range or does not fit the model, and a lack of memory, are refused, and *sim is untouched. So is an option that
// differs from its default and that steps of the method do not read (HF_ERROR_UNSUPPORTED), as continuous.newton with "tamsi", and a
// configuration that does not come from hf_sim_config_default, or comes from headers that do not fit the library (HF_ERROR_VERSION).
HF_API hfStatus hf_sim_create(hfSim** sim, const hfModel* model, const hfSimConfig* config, hfError* error);
HF_API void hf_sim_free(hfSim* sim); // NULL is allowed
HF_API const hfModel* hf_sim_model(const hfSim* sim);
HF_API double hf_sim_step_size(const hfSim* sim); // length of a step [s]
HF_API const hfSimConfig* hf_sim_config(const hfSim* sim); // with the scene's choices filled in

// Advances the state by one step. input may be NULL. A refusal (status < 0) leaves the state as it was, and the report has its status and zeros. A
// numerical difficulty (status > 0) is described in the report, and the step is taken, with two exceptions in
// which state->time does not advance by the whole step: method "mlcp" without its fallback leaves the state as it
// was where the problem has no solution (results are then those of hf_sim_evaluate), and a method of continuous time stops where its
// integrator cannot go on.
// The same state gives the same answer again, so a loop that waits for a time must end when the time stands
// still. Allocates nothing, with the exceptions that allocator.h names.
HF_API hfStatus hf_sim_step(hfSim* sim, hfState* state, const hfInput* input, hfStepReport* report, hfError* error);

// Results of the last step or evaluation. Arrays belong to the sim and hold until its next call.

// How many contacts there were, and the i-th of them, 0 <= i < count.
HF_API int hf_sim_contact_count(const hfSim* sim);
HF_API hfContact hf_sim_contact(const hfSim* sim, int i);
// Copies the first `capacity` contacts of the last step into an array of yours. Returns how many contacts there are, which
// may be more. contacts may be NULL where capacity is 0.
HF_API int hf_sim_contacts(const hfSim* sim, hfContact* contacts, int capacity);
// Pose X_WB of a body by its name, and its velocity V_WB at its origin in world axes. Either may be NULL. `state` is the one
// that the sim's last step left or that was evaluated: another one is refused (HF_ERROR_ARGUMENT), as is a name that the
// model does not have. Nothing is written then.
HF_API hfStatus hf_sim_get_body(hfSim* sim, const hfState* state, const char* body, hfPose* X_WB, hfMotion* V_WB, hfError* error);
enum { HF_ANY_BODY = -2 };
// Net force on body A from contacts with body B, or with HF_ANY_BODY; normal and friction apart. Returns the number
// of contacts summed, or -1 and no force where A or B is no body, as after a search that found none.
HF_API int hf_sim_pair_force(const hfSim* sim, int body_a, int body_b, hfVec3* normal, hfVec3* friction);
HF_API const double* hf_sim_ctrl(const hfSim* sim);           // (nu) controls that acted
HF_API const double* hf_sim_acceleration(const hfSim* sim);   // (nv) (v1 - v0)/h [m/s^2 or rad/s^2]
// The next three are computed when they are asked for: a pointer from before a step does not show what that step gave.
HF_API const double* hf_sim_actuator_force(const hfSim* sim); // (nu) force of each actuator, before limits of its joint [N or N m]
HF_API const double* hf_sim_target_force(const hfSim* sim);   // (nv) force of the input's velocity targets; 0 after hf_sim_evaluate [N or N m]
HF_API const double* hf_sim_sensors(const hfSim* sim);        // (nsensordata) at the end of the step
// Poses of bodies, geoms and sites at the end of the step. Velocities, M and bias are not those of the end.
HF_API const hfDynamics* hf_sim_dynamics(const hfSim* sim);

// Method "switching" (include rigid.h): switch i of the last step, 0 <= i < report.switching.nswitch, and the
// rigid problem at its end (in a compliant phase the one that was judged). NULL for other methods.
HF_API struct hfSwitch hf_sim_switch(const hfSim* sim, int i);
HF_API const struct hfRigidProblem* hf_sim_rigid(const hfSim* sim);

// Everything at a given state without stepping: poses, M, bias, actuator forces, contacts, sensors
// (with the unconstrained acceleration). Results are read as after a step. Contacts have the normal forces of their overlaps, without friction, also if
// their bodies sleep; sensors find contacts and measure no forces of them.
HF_API hfStatus hf_sim_evaluate(hfSim* sim, const hfState* state, const hfInput* input, hfError* error);
// The step problem (include solver.h) that hf_sim_step would solve at this state; valid until the sim's next call. A step adds
// the contacts that its solution closes; here those are foreseen that strong drives close in a step without contacts (docs/theory/drives.md). Of
// spinning and flying bodies its velocities are those in the middle of the step (docs/theory/flight.md).
HF_API hfStatus hf_sim_problem(hfSim* sim, const hfState* state, const hfInput* input, const struct hfStepProblem** problem, hfError* error);
// The largest such problem: for solvers of one's own over it.
HF_API struct hfStepCapacity hf_sim_capacity(const hfSim* sim);
// Inverse dynamics of a step, contacts included: the force (nv), in addition to the input's, with which
// hf_sim_step ends at velocities v1 (nv). Targets of the input do not act. Exact for the coupled problem
// (solver.coupling); the convex answer differs from it by report.coupled_residual. It is the inverse of the step problem of tamsi and convex, for
// all methods. A step does more in four cases, in which the inverse of its own v1 may be far from zero: contacts close that only its
// solution shows, a link turns by more than 0.014 rad, nothing but gravity acts on a tree, or a free body turns by about a radian or
// more. With gyroscopic and anticipate off it does nothing more (docs/theory/drives.md). force may be v1.
HF_API hfStatus hf_sim_inverse(hfSim* sim, const hfState* state, const hfInput* input, const double* v1, double* force, hfError* error);

static inline hfSimConfig hf_sim_config_default(void) {
  hfSimConfig config;
  hf_sim_config_init(&config, HF_VERSION_NUMBER);
  return config;
}

#ifdef __cplusplus
}
#endif
#endif
