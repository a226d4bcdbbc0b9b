// Inside of a sim: a world, the method that steps it, and what the last step or evaluation left.
#ifndef HFI_SIM_INSIDE_H
#define HFI_SIM_INSIDE_H

#include "base/threads.h"
#include "sim/method.h"
#include "sim/sim.h"
#include "step/discrete/discrete.h"

// ---- parts, each with its owner ----------------------------------------------------------------------

// Controls of a step, and what its input has (evaluate.c, step.c, check.c).
typedef struct hfiSimInput {
  double* sampled;      // (nu) controls that are given at the start of a step; NULL: no actuator has a history
  double* ctrl;         // (nu) controls of a step in a scene with feedback signals; NULL: the scene has none
  hfInput with_ctrl;    // the caller's input, with these controls
  int32_t has_wrenches; // 1: the input that was checked last has a wrench that is not zero
  int32_t has_targets;  // 1: it has a velocity target that is not NaN
} hfiSimInput;

// Sensors that have not been measured yet, and where they measure (sense.c).
typedef struct hfiLaterSense {
  int32_t due;    // 1: sensor values are not fresh
  double time;    // time at which they measure [s]
} hfiLaterSense;

// Values of the sensors (sense.c).
typedef struct hfiSimSensors {
  double* value;              // (nsensordata) fresh after hfi_sim_need_sensors
  hfiLaterSense* later;       // (1) apart, because reading sensors does not change a sim
  double* later_v;            // (nv) velocities at which sensors that are due measure
  double* first;              // (nsensordata) measurements at the start of a step whose state lacks them;
                              // NULL: no sensor has a history
  int32_t reads_constraints;  // 1: a sensor reads forces of equalities and limits
  uint8_t* visible;           // (ngeom) 0: the geom is transparent for rangefinders
  hfContact* contact;         // (max_contacts) contacts as sensors see them
} hfiSimSensors;

// Energy at a state.
typedef struct hfiEnergy {
  double kinetic; // [J]
  double total;   // with the potential of gravity and springs [J]
} hfiEnergy;

// The energy balance of consecutive steps.
typedef struct hfiEnergyBalance {
  double gained;   // change of energy that no work explains [J]
  double overlaps; // largest energy that the overlaps of one step held [J]
  double released; // energy that limits and equalities gave [J]
  double largest;  // largest kinetic energy [J]
} hfiEnergyBalance;

// What the judgement of a step's energy keeps (energy.c).
typedef struct hfiEnergyJudge {
  double* q;                // (nq) coordinates at the start of the last step, or at its end after that step was judged
  double* v;                // (nv) velocities there
  int32_t is_fresh;         // 1: `energy` belongs to q and v, with the world's parameters of `revision`
  uint32_t revision;
  hfiEnergy energy;
  hfiEnergyBalance balance; // balance of the consecutive judged steps that end at q, v
  double* end_length;       // (nu) lengths of the actuators at the end of the step [m, rad]
} hfiEnergyJudge;

struct hfSim {
  const hfModel* model;
  hfSimConfig config; // complete: what the caller left open is filled in from the scene
  hfiThreads* threads; // they share a step; NULL: the caller's thread alone
  hfiWorld* world;
  const hfiMethod* method;
  void* run;          // the method's scratch

  // Makes step problems: for evaluation, for inverse dynamics and for callers. It is the method's, or the sim's own.
  hfiDiscrete* maker;
  hfiDiscrete* own_maker; // NULL: it is the method's

  // results
  int32_t stepped;                // 1: contact results are those of a step, 0: of an evaluation
  double* acceleration;           // (nv) [m/s^2, rad/s^2]
  double* applied;                // (nv) scratch of an evaluation: forces of the input [N, N m]
  hfiConstraintForces constraint; // forces of equalities and limits, which sensors measure

  hfiSimInput input;
  hfiSimSensors sensors;
  hfiEnergyJudge judge;
};

// ---- configuration (config.c) -----------------------------------------------------------------------

hfStatus hfi_config_check(const hfSimConfig* config, hfError* error);
// Refuses an option that asks for something which the steps of config->method do not have.
hfStatus hfi_config_check_idle(const hfSimConfig* config, const hfWorld* world, hfError* error);

// ---- before a step (check.c, evaluate.c) --------------------------------------------------------------

// Refuses a state of another model and anything that is not finite, naming the joint or input. Then takes over
// parameters that changed since the last call.
hfStatus hfi_sim_begin(hfSim* sim, const hfState* state, const hfInput* input, hfError* error);
// Refuses coefficients of restitution with a method that does not read them.
hfStatus hfi_sim_check_restitution(const hfSim* sim, hfError* error);
// Refuses velocities v (nv) that are not finite, naming the joint; `what` says what they are.
hfStatus hfi_sim_check_velocities(const hfSim* sim, const double* v, const char* what, hfError* error);
// The input of a step from this state: the caller's, or a copy with the controls that signals of feedback give at the
// state.
const hfInput* hfi_sim_feed_back(hfSim* sim, const hfState* state, const hfInput* input);

// ---- without a step (evaluate.c) ----------------------------------------------------------------------

// Computes everything at a state without a step, also what sensors measure there. The state was checked; the input is
// hfi_sim_feed_back's.
void hfi_sim_evaluate_state(hfSim* sim, const hfState* state, const hfInput* input);
// Writes the text of a refusal that left a step as data (explain.c). Returns its status.
hfStatus hfi_sim_explain(const hfSim* sim, const hfiTrouble* trouble, hfError* error);

// ---- energy (energy.c) --------------------------------------------------------------------------------

// Keeps where a step starts.
void hfi_sim_keep_start(hfSim* sim, const hfState* state);
// After a step of length h: reports whether it gave energy that no work explains. Leaves the world placed at the state.
void hfi_sim_judge_energy(hfSim* sim, const hfState* state, const hfInput* input, double h, hfStepReport* report);

// ---- sensors (sense.c, sensor_delay.c) ----------------------------------------------------------------

// Measures all sensors at a state whose poses are up to date. Forces of contacts, limits and equalities are known only
// after a step.
void hfi_sim_sense(hfSim* sim, const hfState* state, const hfInput* input);
// Like hfi_sim_sense at the end of a step, but measures only when hfi_sim_need_sensors is called: mostly the next step
// comes before anybody reads a sensor. Code that reads sensor values after a step, or moves the world without a step or
// an evaluation, calls hfi_sim_need_sensors first.
void hfi_sim_sense_later(hfSim* sim, const hfState* state, const hfInput* input);
void hfi_sim_need_sensors(const hfSim* sim);
// Whether a state lacks a measurement of its own time that a sensor with a history must keep.
int hfi_any_sensor_due(const hfModel* model, const hfState* state);
// Keeps the measurements (nsensordata) of this time that are due.
void hfi_keep_measurements(const hfModel* model, hfState* state, double time, const double* data);
// Replaces the present measurements by earlier ones that arrive now.
void hfi_delay_sensors(const hfModel* model, const hfState* state, double* data);

#endif
