// Parts of the experiment tamsi-gripper.
#ifndef EXPERIMENTS_TAMSI_GRIPPER_H
#define EXPERIMENTS_TAMSI_GRIPPER_H

#include "experiment.h"

// Figure 7 and section IV-B: TAMSI beside implicit Euler. Returns CLI_GOOD or CLI_FAILED.
int gripper_integrators(const experimentOptions* options, result* r);
// Section IV-B alone: landings of the line search on a table that slides or turns.
int gripper_turning(result* r);

#endif
