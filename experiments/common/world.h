// A scene with its sim and state, for experiments.
#ifndef EXPERIMENTS_WORLD_H
#define EXPERIMENTS_WORLD_H

#include "experiment.h"

typedef struct world {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfRecorder* recorder; // of world_record; NULL: none
  result* result;       // to which the recording belongs
} world;

// Loads models/FILE, makes a sim with the configuration and starts at the keyframe (NULL: qpos0).
// Returns CLI_GOOD, or CLI_FAILED after a message.
int world_open(world* w, const char* file, const hfSimConfig* config, const char* keyframe);
// The same for a scene that is given as MJCF, under a name for messages. Its files are looked for in models/.
int world_parse(world* w, const char* xml, const char* name, const hfSimConfig* config);
void world_close(world* w);

// Records the steps that world_step takes from now on into FILE of the folder of --out, for a replay in the experiment's page, with a
// frame every `interval` seconds; nothing without --out. world_close ends it. Returns CLI_GOOD, or CLI_FAILED after a message.
int world_record(world* w, result* r, const char* file, double interval);
// Adds the step that was just taken to the recording, where there is one; world_step does so by itself.
int world_record_step(world* w, const hfStepReport* report);

// Median of n numbers, which it sorts.
double median(double* x, int n);

// The processor time of this process [s]. Other programs on the machine do not count.
double processor_clock(void);

// A number that is added up over the steps of a run.
typedef struct worldTotals {
  long steps, iterations;
  int max_iterations;
  long rung[4];
  double worst_residual, wall; // [-], [s]
} worldTotals;

// Takes n steps; totals may be NULL. Returns CLI_GOOD, or CLI_FAILED after saying why.
int world_step(world* w, long n, worldTotals* totals);

#endif
