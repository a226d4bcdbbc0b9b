// The start of a run or an evaluation: a keyframe, then positions, velocities, activations and controls that replace
// its values.
#ifndef CLI_START_H
#define CLI_START_H

#include "cli.h"

#include <argp.h>

typedef struct startOptions {
  const char *keyframe, *qpos, *qvel, *act, *ctrl; // as the user wrote them; NULL: not given
} startOptions;

extern const struct argp start_argp; // input: startOptions*

typedef struct start {
  hfState* state;
  hfInput* input;
} start;

// Makes the state and the input. Returns the exit status, after a message if something is wrong.
int make_start(const startOptions* options, const hfModel* model, start* made);
void free_start(start* made);

#endif
