// Robots controlled with error feedback (Shepherd, Zapolsky, Drumwright 2016): what the experiments
// feedback-ur10, feedback-quadruped and feedback-steps share. README.md beside this file.
#ifndef EXPERIMENTS_FEEDBACK_H
#define EXPERIMENTS_FEEDBACK_H

#include "common/figure.h"
#include "common/world.h"
#include <holdfast/control.h>

enum { ARM_JOINTS = 8 };

// ---- one run -------------------------------------------------------------------------------------

typedef struct feedbackRun {
  int stable;    // finite, no joint off by more than 1 rad, every step solved
  double error;  // mean absolute joint error at the ends of steps, of an unstable run until it was lost [rad or m]
  double time;   // of the processor, controller and steps [s]
  double joint_error[ARM_JOINTS]; // of each joint of the arm
} feedbackRun;

// Largest stable step: doubled from 1 ms until unstable, then bisected to 2 %; at most 0.1 s. *best is the
// run there. Returns 0 where even the first is unstable.
typedef int (*feedbackTry)(const void* user, double h, feedbackRun* out); // CLI_GOOD or CLI_FAILED
int feedback_search(feedbackTry run, const void* user, double* largest, feedbackRun* best, int* status);
// A figure of a method, beside the paper's where there is one (> 0).
void feedback_show(result* r, const char* method, const char* what, double value, double paper, const char* unit);

// ---- the arm -------------------------------------------------------------------------------------

typedef enum armControl {
  ARM_FALL,        // no drives
  ARM_PD_EXPLICIT, // sampled and held
  ARM_PD_IMPLICIT,
  ARM_ID_CONTROL,  // computed torque by RNEA, sampled and held
  ARM_ID_TARGETS,  // velocity targets in the step, deadbeat
  ARM_ID_RATES,    // velocity targets in the step, the reference's rates alone
} armControl;

typedef struct armMethod {
  const char* name;
  armControl control;
  const char* model;     // file in models/
  double armature;       // added to the six hinges [kg m^2]
  const hfGains* gains;  // (8); of PD, or of computed torque
  int method;            // hfMethod
  int lcp;               // hfLcpMethod of method mlcp
  double tikhonov;
  int form;              // hfMlcpForm
  int late;              // steps by which the controller's clock is behind the reference that errors are taken against
} armMethod;

// Published gains: PD for 1 ms steps, computed torque for 50 ms steps; and those found by tuning.
extern const hfGains arm_pd_gains[ARM_JOINTS], arm_id_gains[ARM_JOINTS], arm_retuned_gains[ARM_JOINTS], arm_geared_start[ARM_JOINTS], arm_armature_gains[ARM_JOINTS], arm_rotor_gains[ARM_JOINTS];

hfSetpoint arm_reference(int joint, double time);
int arm_run(const armMethod* method, double seconds, double h, feedbackRun* out);
// Runs it once more for a replay, into FILE of the folder of --out; nothing without one.
int arm_record(const armMethod* method, double seconds, double h, result* r, const char* file);
// Tunes PD gains of a method at step h from the gains given; the seed makes it repeatable.
int arm_tune(const armMethod* method, double seconds, double h, uint64_t seed, int evaluations, hfGains gains[ARM_JOINTS], double* squared_error);
// Reports the condition numbers of M of both robots with every property that might explain the paper's, on and off (condition.c).
int condition_sweep(result* r);

#endif
