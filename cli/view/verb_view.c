// holdfast view: a scene live in the browser, or a recording.
#include "server.h"

#include "../config_option.h"
#include "../near.h"
#include "../numbers.h"
#include "../outfile.h"

enum {
  KEY_PORT = 0x4000,
  KEY_READ_ONLY,
  KEY_PAUSED,
  KEY_OUT,
  KEY_HISTORY,
  KEY_SET,
  KEY_STEP,
  KEY_METHOD,
  KEY_FRICTION
};

static const struct argp_option options[] = {
    {"port", KEY_PORT, "NUMBER", 0, "Port on 127.0.0.1 (default 8642)", 1},
    {"read-only", KEY_READ_ONLY, 0, 0, "Everybody can watch, nobody can control", 1},
    {"paused", KEY_PAUSED, 0, 0, "Do not start to play when the first page is open", 1},
    {"out", KEY_OUT, "DIR", 0,
     "Folder for the recordings and reports that the page saves (default: the present folder)", 1},
    {"history", KEY_HISTORY, "SECONDS", 0,
     "How far the page can go back, in simulated time, from 1 to 3600 (default 60)", 1},
    {"step", KEY_STEP, "SECONDS", 0, "Length of a step (default: that of the scene)", 2},
    {"method", KEY_METHOD, "NAME", 0,
     "Method: tamsi, convex, mlcp, rk3, implicit-euler, sdirk or switching (default: that of the scene, else "
     "tamsi)", 2},
    {"friction", KEY_FRICTION, "NAME", 0,
     "Friction law: anchored, regularised, smooth or coulomb (default: that of the scene)", 2},
    {"set", KEY_SET, "FIELD=VALUE", 0,
     "Set any field of the configuration by its name in C (may be given several times)", 2},
    {0}};

// Reads the number of a port. Ends the program, with a message, if the text is something else.
static int take_port(const char* text, struct argp_state* state) {
  double port = 0;
  if (!parse_number(text, &port) || port < 1 || port > 65535 || port != (int)port)
    argp_error(state, "--port %s: want a number from 1 to 65535", text);
  return (int)port;
}

// Reads how far one can go back [s]. Ends the program, with a message, if the text is something else.
static double take_history(const char* text, struct argp_state* state) {
  double span = 0;
  if (!parse_number(text, &span) || !(span >= 1 && span <= 3600))
    argp_error(state, "--history %s: want a number of seconds from 1 to 3600", text);
  return span;
}

// The parser of argp for the options of holdfast view.
static error_t parse(int key, char* argument, struct argp_state* state) {
  serverOptions* o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    *o = (serverOptions){.port = 8642, .world = {.out = ".", .history = 60, .config = hf_sim_config_default()}};
    state->child_inputs[0] = &o->world.scene;
    state->child_inputs[1] = &o->world.start;
    return 0;

  case KEY_PORT:
    o->port = take_port(argument, state);
    return 0;
  case KEY_READ_ONLY:
    o->read_only = 1;
    return 0;
  case KEY_PAUSED:
    o->world.paused = 1;
    return 0;
  case KEY_OUT:
    o->world.out = argument;
    return 0;
  case KEY_HISTORY:
    o->world.history = take_history(argument, state);
    return 0;

  case KEY_SET:
    set_config_text(&o->world.config, argument, state);
    return 0;
  case KEY_STEP:
    set_config_field(&o->world.config, "step", argument, state);
    return 0;
  case KEY_METHOD:
    set_config_field(&o->world.config, "method", argument, state);
    return 0;
  case KEY_FRICTION:
    set_config_field(&o->world.config, "friction", argument, state);
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {&start_argp, 0, 0, 0}, {0}};
static const struct argp view_argp = {
    options,
    parse,
    "SCENE|RECORDING",
    "Show a scene live in the browser, or replay a recording. The page is served on 127.0.0.1 "
    "only, under an address with a secret token.\vExamples:\n"
    "  holdfast view models/gripper_mug.xml --keyframe rim\n"
    "  holdfast view run.rec --port 9000\n"
    "  ssh -L 8642:127.0.0.1:8642 HOST    then open the printed address here",
    children,
    0,
    0};

// The verb: serves the page until it is interrupted. Fails at once if no file can be made in the folder of --out.
// Returns the exit status.
int verb_view(int argc, char** argv) {
  serverOptions o;
  parse_arguments(&view_argp, argc, argv, &o);

  // refuse_folder refuses a folder in which no file can be written; --out must name a folder
  return refuse_folder("--out", o.world.out) ? CLI_FAILED : serve(&o);
}
