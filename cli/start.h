// Where a world starts: keyframe, then positions, velocities, activations and controls given one by
// one.
#ifndef CLI_START_H
#define CLI_START_H

#include "cli.h"

#include <argp.h>

typedef struct startOptions {
  const char *keyframe, *qpos, *qvel, *act, *ctrl; // as given; NULL: not given
} startOptions;

extern const struct argp start_argp; // input: startOptions*

typedef struct start {
  hfState* state;
  hfInput* input;
} start;

// Makes state and input of a model. Returns the exit status, after saying what is wrong.
int make_start(const startOptions* options, const hfModel* model, start* made);
void free_start(start* made);

#endif
