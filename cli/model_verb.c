// Options of the verbs that look at a model.
#include "model_verb.h"

enum { KEY_JSON = 0x3000 };

const struct argp_option model_options[] = {{"json", KEY_JSON, 0, 0, "Print the result as JSON", 1},
                                            {0}};

// The parser of argp for the options of verbs that look at a model.
error_t parse_model_option(int key, char* argument, struct argp_state* state) {
  (void)argument;
  modelArguments* a = state->input;

  switch (key) {
  case ARGP_KEY_INIT:
    a->json = 0;
    state->child_inputs[0] = &a->scene;
    // the second parser, of the start, belongs to some verbs only
    if (state->root_argp->children[1].argp) state->child_inputs[1] = &a->start;
    return 0;
  case KEY_JSON:
    a->json = 1;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}
