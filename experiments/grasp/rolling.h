// Motions of a grasp in which chosen contacts roll, in the plane and in space.
#ifndef EXPERIMENTS_GRASP_ROLLING_H
#define EXPERIMENTS_GRASP_ROLLING_H

#include "grasp/run.h"

// Computes an object velocity (no) with which the contacts of the mask do not slip while the fingers follow, in units of 1 m/s and
// 10 rad/s: the components that Gauss-Jordan elimination leaves free are 1, the others follow. Returns 0 where there is none.
int grasp_rolling_motion(graspScene* s, const double* q, int mask, double* v);
// Time from the start for which all of the nc contacts that the mask names keep rolling: slip below 0.1 mm/s [s].
double grasp_rolling_time(const graspRun* run, int nc, int mask);

// A grasp in space of which two contacts roll (experiment grasp-space).
int grasp_space_rolling(graspScene* s, result* r);

#endif
