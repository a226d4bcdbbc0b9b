// A simulation of a planned grasp with the method "switching" (rigid, compliant or both), and all quantities that figures
// show of it.
#ifndef EXPERIMENTS_GRASP_RUN_H
#define EXPERIMENTS_GRASP_RUN_H

#include "common/figure.h"
#include "grasp/plan.h"
#include <holdfast/rigid.h>

typedef struct graspOptions {
  int contacts;      // hfContactModel
  int start;         // hfLayerStart
  int return_modes;  // hfReturnModes
  double settle;     // hfSwitchConfig.settle; with 0 contact is rigid again as soon as it is certified, however much the forces jump
  double eps;        // of the layer, Eq. (13) [-]
  double step;       // length of a step, during which torques are held [s]
  double begin, end; // part of the plan that is simulated; not the rest at both ends, where every contact rolls [s]
  double offset[GRASP_DOFS]; // added to the object's pose at the beginning, fingers closed around the planned one
  double velocity[GRASP_DOFS]; // added to the object's velocity at the beginning; the fingers follow
  const char* folder;          // of --out, for a recording; NULL: none is written
  const char* recording;       // its name
} graspOptions;

graspOptions grasp_options_default(void);

// The quantities at the end of one step.
typedef struct graspSample {
  double t;
  double q[GRASP_COORDINATES], v[GRASP_DOFS];
  double torque[GRASP_DOFS];                   // (nf) that acted in the step [N m]
  double fn[GRASP_CONTACTS];                   // [N]
  double ft[GRASP_CONTACTS][2];                // on the object along t_W [N]
  double slip[GRASP_CONTACTS][2];              // [m/s]
  double gap[GRASP_CONTACTS];                  // [m]
  double error[GRASP_DOFS];                    // from the plan
  double planned[GRASP_CONTACTS];              // normal forces of the plan [N]
  double rigid;                                // 1 or 0
} graspSample;

enum { GRASP_SWITCHES = 64 };

typedef struct graspRun {
  int count;
  graspSample* sample; // (count)
  int nswitch;         // may exceed GRASP_SWITCHES: the first ones are kept
  hfSwitch switches[GRASP_SWITCHES];
  int transitions;     // stick, slip, separation, impact in rigid phases
  int trouble;         // steps with a status > 0
  int uncertified;     // steps that ended rigid without a certificate
  double rigid_time;   // [s]
  double evaluations;  // of the equations of motion, those for Jacobians by differences included
  double cpu;          // processor time of the steps: other work on the machine does not count [s]
} graspRun;

// The configuration of the sims of such a run.
hfSimConfig grasp_config(const graspScene* scene, const graspOptions* options);
// Simulates the plan. Returns CLI_FAILED after a message; the caller frees the run in both cases.
int grasp_run(const graspPlan* plan, const graspOptions* options, graspRun* run);
void grasp_run_free(graspRun* run);

// Copies one quantity of all samples to a new array (count), which the caller frees. `member` is the address of that quantity
// in run->sample[0].
double* grasp_column(const graspRun* run, const double* member);
// The value of a quantity at time t, linear between samples.
double grasp_value_at(const graspRun* run, const double* member, double t);
// The largest difference of a quantity between two runs over [from, to].
double grasp_difference(const graspRun* a, const graspRun* b, const double* member, double from, double to);
// How much of the change of coordinates and velocities over a step near a switch is left with steps of a quarter, for which the plan is run again
// [-]: 1/4 where the motion is continuous, 1 where it jumps; infinite if the switches are others. CLI_FAILED after a message.
int grasp_measure_jump(const graspPlan* plan, const graspOptions* options, const graspRun* run, double* jump);
// Prints each switch with its time, reason and jumps of forces.
void grasp_note_switches(result* r, const char* name, const graspRun* run);
// A scene over models/planar_grasp.xml that a plan becomes.
typedef struct graspSceneFile {
  const char *name, *about; // of the model; the file is NAME.xml
  hfGains gains;            // of servos that follow the plan; kp = 0: motors exert the torques of the control law, linear about the plan
  double begin, end;        // part of the plan [s]
} graspSceneFile;
// Writes the scene into the folder of --out (scene_file.c); nothing without one. CLI_FAILED after a message.
int grasp_write_scene(const graspPlan* plan, const graspSceneFile* file, result* r);
// Writes every sample as a table.
void grasp_write(const graspScene* s, const graspRun* run, result* r, const char* file);

#endif
