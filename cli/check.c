// holdfast check: reads a model and prints every note and warning about it.
#include "json.h"
#include "model_verb.h"
#include "near.h"

#include <stdio.h>

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {0}};
enum { KEY_STRICT = 0x3100 };

typedef struct checkArguments {
  modelArguments model; // its parser is a child
  int strict;
} checkArguments;

static const struct argp_option options[] = {
    {"strict", KEY_STRICT, 0, 0, "Exit status 1 also if there is a warning", 1}, {0}};

// The parser of argp for the options of holdfast check.
static error_t parse(int key, char* argument, struct argp_state* state) {
  checkArguments* a = state->input;
  (void)argument;

  switch (key) {
  case ARGP_KEY_INIT:
    a->strict = 0;
    state->child_inputs[0] = &a->model;
    return 0;
  case KEY_STRICT:
    a->strict = 1;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp model_argp = {model_options, parse_model_option, 0, 0, children, 0, 0};
static const struct argp_child model_child[] = {{&model_argp, 0, 0, 0}, {0}};
static const struct argp check_argp = {
    options,
    parse,
    "MODEL",
    "Read a model (MJCF, URDF or SDFormat) and print every note and warning with file:line. "
    "Exit status 1 if the model is refused.\vExamples:\n"
    "  holdfast check models/gripper_mug.xml\n"
    "  holdfast check --strict models/iiwa14.xml    a warning fails too",
    model_child,
    0,
    0};

static const char* severity_name(hfSeverity severity) {
  return severity == HF_WARNING ? "warning" : "note";
}

static int count_severity(const hfDiagnostics* list, hfSeverity severity) {
  int count = 0;
  for (int i = 0; i < hf_diagnostics_count(list); ++i)
    count += hf_diagnostics_get(list, i).severity == severity;
  return count;
}

// Prints the diagnostics and, of a model that was accepted, its sizes.
static void print_check(const char* path, const scene* loaded) {
  for (int i = 0; i < hf_diagnostics_count(loaded->diagnostics); ++i) {
    char place[PLACE_SIZE];
    hfDiagnostic d = hf_diagnostics_get(loaded->diagnostics, i);
    printf("%s: %s: %s", print_place(place, d), severity_name(d.severity), d.message);
    if (d.count > 1) printf(" (%d times)", d.count);
    printf("\n");
  }

  const hfModel* m = loaded->model;
  if (!m) return;
  printf("%s: %d bodies, %d joints, %d degrees of freedom, %d geoms, %d actuators; ", path, m->nbody - 1, m->njnt,
         m->nv, m->ngeom, m->nu);
  printf("%d warnings, %d notes\n", count_severity(loaded->diagnostics, HF_WARNING),
         count_severity(loaded->diagnostics, HF_NOTE));
}

// Prints the diagnostics as JSON, and why the model was refused, if it was. Returns the exit status.
static int print_check_json(const char* path, const scene* loaded, const hfError* error) {
  json_t* list = json_array();
  for (int i = 0; i < hf_diagnostics_count(loaded->diagnostics); ++i) {
    hfDiagnostic d = hf_diagnostics_get(loaded->diagnostics, i);
    json_array_append_new(list, json_pack("{s:s,s:o,s:i,s:o,s:i}",
                                          "severity", severity_name(d.severity),
                                          "file", json_text(d.file),
                                          "line", d.line,
                                          "message", json_text(d.message),
                                          "count", d.count));
  }

  json_t* o = json_object();
  json_object_set_new(o, "file", json_text(path));
  json_object_set_new(o, "accepted", json_boolean(loaded->model != NULL));
  if (!loaded->model) json_object_set_new(o, "error", json_text(error->message));
  json_object_set_new(o, "diagnostics", list);
  return print_json(o);
}

// The verb: reads a model and prints what the reader said of it. Returns the exit status; with --strict a warning
// fails.
int verb_check(int argc, char** argv) {
  checkArguments arguments;
  parse_arguments(&check_argp, argc, argv, &arguments);

  modelArguments* a = &arguments.model;
  scene loaded = {0};
  hfError error = {HF_OK, ""};
  int status = load_scene(&a->scene, &loaded, &error);
  if (loaded.diagnostics) {
    if (a->json)
      print_check_json(a->scene.path, &loaded, &error);
    else
      print_check(a->scene.path, &loaded);

    int warned = count_severity(loaded.diagnostics, HF_WARNING) > 0;
    if (arguments.strict && warned && status == CLI_GOOD) status = CLI_FAILED;
  }
  unload_scene(&a->scene, &loaded);
  return status;
}
