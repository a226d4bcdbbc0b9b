// Options of holdfast run.
#include "run.h"

#include "config_option.h"
#include "numbers.h"
#include "stored_option.h"

#include <string.h>

enum {
  KEY_TIME = 0x3000,
  KEY_SET,
  KEY_CONTROLS,
  KEY_LOG,
  KEY_CONTACTS,
  KEY_STEPS,
  KEY_RECORD,
  KEY_RECORD_INTERVAL,
  KEY_REPORT,
  KEY_JSON,
  KEY_LOG_SENSORS,
  KEY_LOG_FORCES,
  KEY_LOG_BODY,
  KEY_CONFIG // the first option that sets a field of the configuration; the others follow
};

// Fields of the configuration that have an option of their own: KEY_CONFIG + i sets config_fields[i].
static const char* const config_fields[] = {"step",
                                            "method",
                                            "friction",
                                            "accuracy",
                                            "continuous.newton",
                                            "continuous.tals",
                                            "continuous.jacobian",
                                            "switching.contact_mode",
                                            "sleep"};

static const struct argp_option options[] = {
    {"time", KEY_TIME, "SECONDS", 0, "Time to simulate (default 5)", 1},
    {"step", KEY_CONFIG + 0, "SECONDS", 0, "Length of a step (default: that of the scene)", 1},
    {"method", KEY_CONFIG + 1, "NAME", 0,
     "Method: tamsi, convex, mlcp, rk3, implicit-euler, sdirk or switching (default: that of the scene, else "
     "tamsi)", 1},
    {"friction", KEY_CONFIG + 2, "NAME", 0,
     "Friction law: anchored, regularised, smooth or coulomb (default: that of the scene)", 1},
    {"accuracy", KEY_CONFIG + 3, "NUMBER", 0,
     "Choose steps so that the error of each stays below this [m, rad]; 0: fixed steps (default)", 1},
    {"newton", KEY_CONFIG + 4, "full|quasi", 0,
     "Continuous time: how often Newton's method computes its Jacobian", 1},
    {"tals", KEY_CONFIG + 5, "on|off", 0, "Continuous time: use the transition-aware line search", 1},
    {"jacobian", KEY_CONFIG + 6, "NAME", 0,
     "Continuous time: where the Jacobian comes from, fd (differences) or analytic",
     1},
    {"contact-mode", KEY_CONFIG + 7, "switching|rigid|compliant", 0,
     "Method switching: use both models of contact, or one of them", 1},
    {"sleep", KEY_CONFIG + 8, "on|off", 0,
     "Bodies at rest sleep until something acts on them (default: as the scene says)", 1},
    {"set", KEY_SET, "FIELD=VALUE", 0,
     "Set any field of the configuration by its name in C (may be given several times)", 1},
    {"controls", KEY_CONTROLS, "FILE.csv", 0,
     "Read controls as functions of time: a column \"time\" and one column for each actuator, by name", 2},
    {"log", KEY_LOG, "FILE.csv", 0, "Write time, positions, velocities and controls of every step",
     3},
    {"log-sensors", KEY_LOG_SENSORS, 0, 0, "Also write the sensors to the file of --log", 3},
    {"log-forces", KEY_LOG_FORCES, 0, 0, "Also write the forces of the actuators to the file of --log", 3},
    {"log-body", KEY_LOG_BODY, "NAME", 0,
     "Also write the pose of this body to the file of --log (may be given several times)", 3},
    {"contacts", KEY_CONTACTS, "FILE.csv", 0, "Write every contact of every step", 3},
    {"steps", KEY_STEPS, "FILE.csv", 0,
     "Write the work of every step, how far equalities and limits give way and, with --accuracy, the steps "
     "inside and their error", 3},
    {"record", KEY_RECORD, "FILE", 0, "Write a recording, which can be looked at later", 3},
    {"record-interval", KEY_RECORD_INTERVAL, "SECONDS", 0, "Time between the frames of the recording (default 1/60)",
     3},
    {"report", KEY_REPORT, "FILE.html", 0,
     "Write a page that replays the run, with plots of energy, forces and iterations of the solver", 3},
    {"json", KEY_JSON, 0, 0, "Print the result as JSON", 3},
    {0}};

// A time [s] that an option gives. Ends the program, with a message, where the text is no such time.
static double take_seconds(const char* option, const char* text, struct argp_state* state) {
  double value = 0;
  if (!parse_number(text, &value) || value < 0)
    argp_error(state, "%s %s: expected a time in seconds, not negative", option, text);
  return value;
}

// Adds a body whose pose is logged. Returns 0 or ENOMEM.
static error_t add_log_body(runOptions* o, const char* name) {
  error_t failed = append_word(&o->log_bodies, o->log_columns.body_count, name);
  if (failed) return failed;
  o->log_columns.body = o->log_bodies;
  ++o->log_columns.body_count;
  return 0;
}

static const storedOption stored[] = {
    STORE_TEXT(KEY_CONTROLS, runOptions, controls),
    STORE_TEXT(KEY_LOG, runOptions, log),
    STORE_TEXT(KEY_CONTACTS, runOptions, contacts),
    STORE_TEXT(KEY_STEPS, runOptions, steps),
    STORE_TEXT(KEY_RECORD, runOptions, record),
    STORE_TEXT(KEY_REPORT, runOptions, report),
    STORE_FLAG(KEY_LOG_SENSORS, runOptions, log_columns.sensors),
    STORE_FLAG(KEY_LOG_FORCES, runOptions, log_columns.actuator_forces),
    STORE_FLAG(KEY_JSON, runOptions, json),
    {0}};

// Refuses options that add to a file which is not written. Ends the program then.
static void check_files(const runOptions* o, struct argp_state* state) {
  const hfStateLogConfig* columns = &o->log_columns;
  if (!o->log && (columns->sensors || columns->actuator_forces || columns->body_count))
    argp_error(state, "--log-sensors, --log-forces and --log-body add to --log FILE.csv, which is missing");
  if (o->has_interval && !o->record)
    argp_error(state, "--record-interval is that of --record FILE, which is missing");
}

// The parser of argp for the options of holdfast run; its input is the runArguments.
static error_t parse(int key, char* argument, struct argp_state* state) {
  runArguments* a = state->input;
  runOptions* o = &a->run;
  if (store_option(stored, o, key, argument)) return 0;

  switch (key) {
  case ARGP_KEY_INIT:
    *o = (runOptions){.time = 5, .record_interval = 1.0 / 60, .config = hf_sim_config_default()};
    state->child_inputs[0] = &a->scene;
    state->child_inputs[1] = &a->start;
    return 0;
  case ARGP_KEY_END:
    check_files(o, state);
    return 0;

  case KEY_TIME:
    o->time = take_seconds("--time", argument, state);
    return 0;
  case KEY_SET:
    set_config_text(&o->config, argument, state);
    return 0;
  case KEY_LOG_BODY:
    return add_log_body(o, argument);
  case KEY_RECORD_INTERVAL:
    o->record_interval = take_seconds("--record-interval", argument, state);
    o->has_interval = 1;
    return 0;

  default: { // an option that sets a field of the configuration
    int field = key - KEY_CONFIG;
    if (field < 0 || field >= (int)(sizeof config_fields / sizeof *config_fields)) return ARGP_ERR_UNKNOWN;
    set_config_field(&o->config, config_fields[field], argument, state);
    return 0;
  }
  }
}

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {&start_argp, 0, 0, 0}, {0}};
const struct argp run_argp = {
    options,
    parse,
    "SCENE",
    "Simulate a scene (MJCF, URDF or SDFormat).\vExamples:\n"
    "  holdfast run models/gripper_mug.xml --keyframe rim --time 2 --log run.csv\n"
    "  holdfast run models/gripper_mug.xml --record run.rec --report run.html\n"
    "  holdfast run models/stack.xml --step 0.005 --set solver.tolerance=1e-9\n"
    "  holdfast run models/pinch.xml --accuracy 1e-4 --time 0.2 --json",
    children,
    0,
    0};
