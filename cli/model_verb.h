// What the verbs check, info and dynamics have in common: a model, perhaps a state, --json.
#ifndef CLI_MODEL_VERB_H
#define CLI_MODEL_VERB_H

#include "scene.h"
#include "start.h"

typedef struct modelArguments {
  sceneOptions scene;
  startOptions start; // used if start_argp is the second child
  int json;
} modelArguments;

// The parser of an argp whose first child is scene_argp and whose second child, if it has one, is start_argp.
extern const struct argp_option model_options[];
error_t parse_model_option(int key, char* argument, struct argp_state* state);

#endif
