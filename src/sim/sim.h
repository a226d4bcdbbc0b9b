// Inside of a sim: a world, the method that steps it, and what the last step or evaluation left.
#ifndef HFI_SIM_SIM_H
#define HFI_SIM_SIM_H

#include "step/discrete/discrete.h"
#include <holdfast/sim.h>

// Energy at a state: the kinetic one, and its sum with the potential of gravity and springs [J].
typedef struct hfiEnergy { double kinetic, total; } hfiEnergy;

// The energy balance of consecutive steps [J] (energy.c).
typedef struct hfiEnergyBalance {
  double gained;   // change of energy that no work explains
  double overlaps; // largest energy that the overlaps of one step held
  double released; // energy that limits and equalities gave
  double largest;  // largest kinetic energy
} hfiEnergyBalance;

// Where the last step ended, if nothing moved there, and what it was given (still.c).
typedef struct hfiStill {
  int32_t timeless;   // 1: nothing in the sim depends on the time itself
  hfState* state;     // a copy; its time is not compared
  double* ctrl;       // (nu) controls that acted
  double* now;        // (nu) controls of the step that begins
  double* input;      // the other arrays of the input, one after the other
  uint32_t given;     // bit i: array i of the input was given
  uint32_t revision;  // revision of the world's parameters
  int32_t ended;      // 1: the last step ended in this state
  int32_t began;      // 1: the present step begins in this state, with the same input
  int32_t lasts;      // 1: the last step began and ended in this state
  hfStepReport report; // report of that step
} hfiStill;

// Whether the sensors of the last step have to be computed yet, and the time at which they measure [s].
typedef struct hfiLaterSense { int32_t due; double time; } hfiLaterSense;

struct hfSim {
  const hfModel* model;
  hfSimConfig config; // complete: what the caller left open is filled in from the scene
  hfiWorld* world;
  const hfiMethod* method;
  double* sampled;       // (nu) controls that are given at the start of a step; NULL: no actuator has a history
  double* ctrl;          // (nu) controls of a step in a scene with feedback signals; NULL: the scene has none
  hfInput input;         // input of that step: the caller's, with these controls
  int32_t has_wrenches, has_targets; // 1: the input that hfi_sim_begin checked last has a wrench, or a target, that is not zero or NaN
  void* run;             // the method's scratch
  hfiDiscrete* discrete; // for evaluation, the step problem and inverse dynamics; the same as `run` if the method is discrete

  // results
  int32_t stepped;        // 1: contact results are those of a step, 0: of an evaluation
  double* acceleration;   // (nv)
  hfiConstraintForces constraint; // forces of equalities and limits, which sensors measure
  int32_t senses_constraints;     // 1: a sensor reads them
  uint8_t* visible;       // (ngeom) 0: the geom is transparent for rangefinders
  double* sensor;         // (nsensordata) values of the last step, valid after hfi_sim_need_sensors
  hfiLaterSense* later;   // (1)
  double* sensed_v;       // (nv) velocities at which sensors that are due measure
  double* first;          // (nsensordata) measurements at the start of a step whose state lacks them; NULL: no sensor has a history
  double *q0, *v0;        // (nq), (nv) coordinates and velocities at the start of the last step, or at its end after that step was judged (energy.c)
  double* end_length;     // (nu) lengths of the actuators at the end of the step, scratch of energy.c
  int32_t start_is_judged; // 1: start_energy is that of q0, v0, with the world's parameters of start_revision
  uint32_t start_revision;
  hfiEnergy start_energy;
  hfiEnergyBalance balance; // balance of the consecutive judged steps that end at q0, v0
  hfContact* contact;     // (max_contacts) for the sensors
  hfiStill still;
};

// The method that a configuration asks for. If it asks for an accuracy, a method of discrete time runs under error control.
const hfiMethod* hfi_method_of(const hfSimConfig* config);
hfStatus hfi_config_check(const hfSimConfig* config, hfError* error);
// Refuses an option that asks for something which the steps of config->method do not have.
hfStatus hfi_config_check_idle(const hfSimConfig* config, const hfWorld* world, hfError* error);
// Changes the method of a configuration. Options that cannot act with the new method get their defaults.
void hfi_config_change_method(hfSimConfig* config, const hfWorld* world, int method);

// Refuses a state of another model and anything that is not finite, naming the joint or input. Then takes over
// parameters that changed since the last call.
hfStatus hfi_sim_begin(hfSim* sim, const hfState* state, const hfInput* input, hfError* error);
// Refuses velocities v (nv) that are not finite, naming the joint; `what` says what they are.
hfStatus hfi_sim_check_velocities(const hfSim* sim, const double* v, const char* what, hfError* error);
// Like hf_sim_step, but computes the poses at the end only when hf_sim_dynamics is called: the next call may be a step of another state, which does
// not need them.
hfStatus hfi_sim_step_unplaced(hfSim* sim, hfState* state, const hfInput* input, hfStepReport* report, hfError* error);
// The input of a step from this state: the caller's, or a copy with the controls that signals of feedback give at the state.
const hfInput* hfi_sim_feed_back(hfSim* sim, const hfState* state, const hfInput* input);
// Keeps where a step starts. After the step: whether it gave energy that no work explains, into the report (energy.c). h is the
// time that passed. Leaves the world placed at the state.
void hfi_sim_keep_start(hfSim* sim, const hfState* state);
void hfi_sim_judge_energy(hfSim* sim, const hfState* state, const hfInput* input, double h, hfStepReport* report);
// Takes the arrays of s->still from the arena and finds whether anything depends on the time (still.c).
void hfi_still_take(hfSim* sim, hfiArena* arena);
void hfi_still_init(hfSim* sim, int has_inverse_drives);
// Whether a step from this state, which was checked, would change nothing but the time, as the last step did.
int hfi_still_begin(hfSim* sim, const hfState* state, const hfInput* input);
// Takes that step: adds its length to the time.
hfStatus hfi_still_step(hfSim* sim, hfState* state, hfStepReport* report);
// Notes whether a step that was taken ended in the state in which it began.
void hfi_still_end(hfSim* sim, const hfState* state, const hfInput* input, const hfStepReport* report);
// Measures all sensors at a state whose poses are up to date. Forces of contacts, limits and equalities are known only after a step.
void hfi_sim_sense(hfSim* sim, const hfState* state, const hfInput* input);
// Like hfi_sim_sense at the end of a step, but measures only when hfi_sim_need_sensors is called: mostly the next step comes before anybody reads a
// sensor. Code that reads s->sensor after a step, or moves the world without a step or an evaluation, calls hfi_sim_need_sensors first.
void hfi_sim_sense_later(hfSim* sim, const hfState* state, const hfInput* input);
void hfi_sim_need_sensors(const hfSim* sim);
// Completes the kinematics of the world, if the sim is at this state. Refuses any other state.
hfStatus hfi_sim_complete_at(hfSim* sim, const hfState* state, hfError* error);
// Computes everything at a state without a step, also what sensors measure there. The state was checked; the input is that of hfi_sim_feed_back.
void hfi_sim_look(hfSim* sim, const hfState* state, const hfInput* input);
// Whether a state lacks a measurement of its own time that a sensor with a history must keep.
int hfi_any_sensor_due(const hfModel* model, const hfState* state);
// Keeps the measurements (nsensordata) of this time that are due.
void hfi_keep_measurements(const hfModel* model, hfState* state, double time, const double* data);
// Replaces the present measurements by earlier ones that arrive now.
void hfi_delay_sensors(const hfModel* model, const hfState* state, double* data);

#endif
