// Reading a model, with the options of the import.
#include "scene.h"

#include "data.h"
#include "numbers.h"
#include "stored_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  KEY_SEARCH = 0x1000,
  KEY_MERGE_FIXED,
  KEY_FLOATING,
  KEY_FIXED,
  KEY_SKIP_MESHES,
  KEY_ACTUATORS,
  KEY_KP,
  KEY_KV,
  KEY_SRDF
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Reading the model:", 90},
    {"search", KEY_SEARCH, "DIR", 0,
     "Also look in this folder for package:// and relative files (may be given several times)", 0},
    {"merge-fixed", KEY_MERGE_FIXED, 0, 0, "URDF: merge links on fixed joints into their parent link", 0},
    {"floating", KEY_FLOATING, 0, 0, "URDF: give the root link a free joint", 0},
    {"fixed", KEY_FIXED, 0, 0, "SDFormat: fix links that no joint moves in the world (default: they float)", 0},
    {"actuators", KEY_ACTUATORS, "KIND", 0,
     "URDF: give every joint a position, velocity or motor actuator, or none (default: those of <ros2_control> and "
     "<transmission>)", 0},
    {"kp", KEY_KP, "NUMBER", 0, "URDF: position gain of servos (default: by the joint's effort)", 0},
    {"kv", KEY_KV, "NUMBER", 0,
     "URDF: velocity gain of servos (default: critical damping, or by the joint's effort)", 0},
    {"srdf", KEY_SRDF, "FILE", 0,
     "URDF: read MoveIt's SRDF beside it: links that must not touch, and group states as keyframes", 0},
    {"skip-meshes", KEY_SKIP_MESHES, 0, 0, "Leave out geoms whose mesh file is missing or of no use", 0},
    {0}};

// Appends a word to a list from malloc. Returns 0 or ENOMEM.
error_t append_word(const char*** list, int count, const char* word) {
  const char** longer = realloc(*list, ((size_t)count + 1) * sizeof *longer);
  if (!longer) return ENOMEM;

  longer[count] = word;
  *list = longer;
  return 0;
}

// Adds a folder to those that are searched. Ends the program, with a message, if there is no such folder.
static error_t add_search(sceneOptions* o, const char* folder, struct argp_state* state) {
  struct stat info;
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
    argp_error(state, "--search %s: there is no such folder", folder);

  error_t failed = append_word(&o->search, o->import.search_count, folder);
  if (failed) return failed;
  o->import.search_path = o->search;
  ++o->import.search_count;
  return 0;
}

// Reads which actuators the joints of a URDF get. Ends the program, with a message, if the text is something else.
static int parse_actuators(const char* text, struct argp_state* state) {
  static const struct {
    const char* word;
    int kind;
  } kinds[] = {{"position", HF_URDF_POSITION_SERVOS},
               {"velocity", HF_URDF_VELOCITY_SERVOS},
               {"motor", HF_URDF_MOTORS},
               {"none", HF_URDF_NONE},
               {"file", HF_URDF_FROM_FILE}};

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(text, kinds[i].word) == 0) return kinds[i].kind;
  argp_error(state, "--actuators %s: want position, velocity, motor, none or file", text);
  return HF_URDF_FROM_FILE;
}

// Reads a gain, which is positive. Ends the program, with a message, if the text is something else.
static double parse_gain(const char* option, const char* text, struct argp_state* state) {
  double gain = 0;
  if (!parse_number(text, &gain) || !(gain > 0)) argp_error(state, "%s %s: want a positive number", option, text);
  return gain;
}

static const storedOption stored[] = {STORE_FLAG(KEY_MERGE_FIXED, sceneOptions, import.merge_fixed_links),
                                      STORE_FLAG(KEY_FLOATING, sceneOptions, import.floating_base),
                                      STORE_FLAG(KEY_FIXED, sceneOptions, import.fixed_base),
                                      STORE_FLAG(KEY_SKIP_MESHES, sceneOptions, import.skip_meshes),
                                      STORE_TEXT(KEY_SRDF, sceneOptions, import.srdf),
                                      {0}};

// The parser of argp for the model and the options of its import; its input is the sceneOptions.
static error_t parse(int key, char* argument, struct argp_state* state) {
  sceneOptions* o = state->input;
  if (store_option(stored, o, key, argument)) return 0;

  switch (key) {
  case ARGP_KEY_INIT:
    *o = (sceneOptions){.import = hf_import_config_default()};
    return 0;

  case KEY_SEARCH:
    return add_search(o, argument, state);
  case KEY_ACTUATORS:
    o->import.urdf_actuators = parse_actuators(argument, state);
    return 0;
  case KEY_KP:
    o->import.servo_kp = parse_gain("--kp", argument, state);
    return 0;
  case KEY_KV:
    o->import.servo_kv = parse_gain("--kv", argument, state);
    return 0;

  case ARGP_KEY_ARG:
    if (o->path) argp_error(state, "one model only, not also \"%s\"", argument);
    o->path = argument;
    return 0;
  case ARGP_KEY_END:
    if (!o->path)
      argp_error(state, "which model? Give the path of an MJCF, URDF or SDFormat file, or - for standard input");
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp scene_argp = {.options = options, .parser = parse};

// ---- standard input, pipes and recordings ------------------------------------------------------------

// Is a path standard input, a pipe or a device: what can be read once, from its beginning?
int is_pipe(const char* path) {
  // standard input counts also if it is a file
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0) return 1;

  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Does a file begin as a recording does? A pipe is not read: that would take away its beginning.
int is_recording(const char* path) {
  char magic[8] = "";
  if (is_pipe(path)) return 0;

  FILE* file = fopen(path, "rb");
  if (!file) return 0;

  int found = fread(magic, 1, 8, file) == 8 && memcmp(magic, "HFRECORD", 8) == 0;
  fclose(file);
  return found;
}

// Reads the scene from a pipe, if it is one, to its end: what it held stays in the options, for any later reading.
// A path that means the standard input gets this name, for messages. Returns the exit status.
static int read_pipe(sceneOptions* o) {
  const size_t MAX_BYTES = (size_t)256 << 20; // no file of a scene may be larger either
  if (o->text || !is_pipe(o->path)) return CLI_GOOD;

  int is_standard = strcmp(o->path, "-") == 0;
  FILE* file = is_standard ? stdin : fopen(o->path, "rb");
  if (is_standard || strcmp(o->path, "/dev/stdin") == 0) o->path = "standard input";
  if (!file) {
    say_error("cannot read %s: %s", o->path, strerror(errno));
    return CLI_FAILED;
  }

  o->text = read_stream(file, MAX_BYTES, &o->length);
  if (!o->text) say_error(errno == EFBIG ? "%s: more than 256 MB" : "cannot read %s", o->path);
  if (!is_standard) fclose(file);
  if (!o->text) return CLI_FAILED;

  if (o->length > 0) return CLI_GOOD;
  say_error("%s is empty: it should hold a model (MJCF, URDF or SDFormat)", o->path);
  return CLI_FAILED;
}

// Reads the model of a file, or of what came through a pipe, whose relative files are searched from the current folder.
static hfStatus load_model(const sceneOptions* o, scene* loaded, hfError* error) {
  if (!o->text) return hf_model_load(&loaded->model, o->path, &o->import, loaded->diagnostics, error);
  return hf_model_parse(&loaded->model, o->text, o->length, o->path, "", &o->import, loaded->diagnostics, error);
}

// The same for the definitions of a model.
hfStatus load_builder(const sceneOptions* o, hfBuilder** builder, hfError* error) {
  if (!o->text) return hf_builder_load(builder, o->path, &o->import, NULL, error);
  return hf_builder_parse(builder, o->text, o->length, o->path, "", &o->import, NULL, error);
}

// ---- loading -----------------------------------------------------------------------------------------

// Takes a relative path that is not there as the path of a file that comes with the command, like models/mug.xml.
static void find_shipped(sceneOptions* o) {
  char path[DATA_PATH];
  if (o->text || !*o->path || o->path[0] == '/' || access(o->path, F_OK) == 0) return;
  if (access(data_path(path, o->path), F_OK) != 0) return;

  o->shipped = strdup(path);
  if (o->shipped) o->path = o->shipped;
}

// Loads the model, with a message if it is refused. Returns the exit status; unload_scene is needed in every case.
int load_scene(sceneOptions* o, scene* loaded, hfError* error) {
  loaded->model = NULL;
  if (read_pipe(o) != CLI_GOOD) return CLI_FAILED;
  find_shipped(o);

  loaded->diagnostics = hf_diagnostics_create();
  if (!loaded->diagnostics) {
    say_error("out of memory");
    return CLI_FAILED;
  }
  if (load_model(o, loaded, error) >= 0) return CLI_GOOD;

  if (!o->text && is_recording(o->path))
    snprintf(error->message, sizeof error->message,
             "%s is a recording and no model: view and render read it, and convert makes .mcap or .html of it",
             o->path);
  say_error("%s", error->message);
  return CLI_FAILED;
}

// Writes "file:line" of a diagnostic, or the file alone if that has no lines. Returns the text.
const char* print_place(char text[PLACE_SIZE], hfDiagnostic d) {
  if (d.line > 0)
    snprintf(text, PLACE_SIZE, "%s:%d", d.file, d.line);
  else
    snprintf(text, PLACE_SIZE, "%s", d.file);
  return text;
}

// Says the first warnings of the reader, and how many more there are.
static void say_warnings(const scene* loaded, const char* path) {
  enum { SHOWN = 5 }; // warnings at most
  char place[PLACE_SIZE];
  int count = 0;

  for (int i = 0; i < hf_diagnostics_count(loaded->diagnostics); ++i) {
    hfDiagnostic d = hf_diagnostics_get(loaded->diagnostics, i);
    if (d.severity != HF_WARNING) continue;
    if (count < SHOWN) say_warning("%s: %s", print_place(place, d), d.message);
    ++count;
  }
  if (count > SHOWN) say_warning("%d more: holdfast check %s", count - SHOWN, path);
}

// Frees what load_scene and the options allocated.
void unload_scene(sceneOptions* o, scene* loaded) {
  hf_model_free(loaded->model);
  hf_diagnostics_free(loaded->diagnostics);
  free(o->search);
  free(o->shipped);
  free(o->text);
}

// Loads the model, says its warnings, calls `work` with it and unloads it. Returns the exit status.
int with_scene(sceneOptions* o, int (*work)(const void*, const hfModel*), const void* arguments) {
  scene loaded = {0};
  hfError error = {HF_OK, ""};

  int status = load_scene(o, &loaded, &error);
  if (status == CLI_GOOD) {
    say_warnings(&loaded, o->path);
    status = work(arguments, loaded.model);
  }

  unload_scene(o, &loaded);
  return status;
}
