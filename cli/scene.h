// The model that a verb works on: the options of the import, and loading.
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "cli.h"

#include <argp.h>

typedef struct sceneOptions {
  const char* path; // NULL until the argument is read
  hfImportConfig import;
  const char** search; // folders of --search; freed by unload_scene
  char* shipped;       // the path of a model that comes with the command, or NULL; likewise
  char* text;          // what standard input or a pipe held, or NULL: the model is a file; likewise
  size_t length;       // length of the text [bytes]
} sceneOptions;

// An argp parser for the MODEL argument and the options of the import; input: sceneOptions*.
extern const struct argp scene_argp;

typedef struct scene {
  hfModel* model;
  hfDiagnostics* diagnostics;
} scene;

// Writes "file:line" of a diagnostic, or the file alone if that has no lines. Returns the text.
enum { PLACE_SIZE = 4200 };
const char* print_place(char text[PLACE_SIZE], hfDiagnostic diagnostic);

// Appends a word to a list of `count` words from malloc, for options that may be given several times. Returns 0 or
// ENOMEM.
error_t append_word(const char*** list, int count, const char* word);

// Loads the model; prints a refusal to standard error. Returns the exit status.
int load_scene(sceneOptions* options, scene* loaded, hfError* error);
void unload_scene(sceneOptions* options, scene* loaded);

// Whether a path is "-", which stands for standard input, or that of a pipe or a device: what can be read once, from
// its beginning.
int is_pipe(const char* path);
// Whether a path is that of a recording, which is no model.
int is_recording(const char* path);
// The definitions of a model that load_scene took, for hf_builder_free.
hfStatus load_builder(const sceneOptions* options, hfBuilder** builder, hfError* error);

// Loads the model, prints the first few warnings to standard error, calls `work`, unloads. Returns the exit status.
int with_scene(sceneOptions* options, int (*work)(const void* arguments, const hfModel* model),
               const void* arguments);

#endif
