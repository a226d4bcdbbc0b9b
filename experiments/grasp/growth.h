// How a small offset of the object grows while A has a negative eigenvalue, beside the theory of the layer.
#ifndef EXPERIMENTS_GRASP_GROWTH_H
#define EXPERIMENTS_GRASP_GROWTH_H

#include "grasp/run.h"

typedef struct graspGrowth {
  double from, to;         // time over which it is measured [s]
  double measured, theory; // mean rates [1/s]
  double factor;           // by which the offset grew from the beginning of the run to `to` [-]
} graspGrowth;

// Two compliant runs of the plan from options->begin on, one with options->offset, the other without. The difference
// of their gaps grows as exp(int s dt), where s is the largest root of the boundary layer along the plan. Draws both as
// FILE.
int grasp_measure_growth(const graspPlan* plan, const graspOptions* options, result* r, const char* file,
                         graspGrowth* growth);

#endif
