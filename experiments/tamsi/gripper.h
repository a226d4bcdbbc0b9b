// Parts of the experiment tamsi-gripper.
#ifndef EXPERIMENTS_TAMSI_GRIPPER_H
#define EXPERIMENTS_TAMSI_GRIPPER_H

#include "experiment.h"
#include <holdfast/accel_problem.h>

// Figure 7 and section IV-B: TAMSI beside implicit Euler. Returns CLI_GOOD or CLI_FAILED.
int gripper_integrators(const experimentOptions* options, result* r);
// Section IV-B alone: landings of the line search on a table that slides or turns.
int gripper_turning(result* r);

enum { GRIPPER_NX = 17 }; // coordinates and velocities of the gripper with its mug, and of the table with its block
typedef struct gripperCounts {
  hfIntegratorReport integrator;
  hfAccelStatistics accel;
  double time; // of the processor [s]
} gripperCounts;

typedef struct gripperEuler {
  int tals;
  int to_the_limit; // 1: Newton gives up at its limit of iterations only
  int forget;       // 1: every evaluation computes kinematics, inertia and contacts anew, also where only velocities changed
} gripperEuler;
// A run from x0 = (q, v) by implicit Euler at h = 3 ms, the integrator alone.
int gripper_euler(const hfModel* model, const double* x0, const gripperEuler* how, double seconds, gripperCounts* out, hfError* error);

#endif
