// Experiments and benchmarks: registration, options, and where their results go.
//
// An experiment is one file experiments/PAPER/NAME.c that defines `const experiment experiment_NAME` and is listed in
// experiment_list.h. While it runs it calls the functions result_*, and the command prints the numbers beside those of
// the paper, or writes them as JSON. A benchmark is the same in cli/bench_NAME.c, with another engine in the place of
// the paper.
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli.h"

#include <holdfast/record.h>
#include <stdio.h>

// How many numbers --bodies takes, the largest of them, and the largest --threads.
enum { MOST_SCENES = 16, MOST_BODIES = 5000, MOST_THREADS = 1024 };

typedef struct experimentOptions {
  int quick;       // 1: run a reduced version, in which all lines that are not full_only hold too
  const char* out; // an existing folder for plots and tables; NULL: the user wants none
  const char* folder; // second argument of a benchmark: a folder of scenes; NULL: not given
  int bodies[MOST_SCENES]; // numbers of bodies of the benchmark of clutter, from --bodies, ascending
  int scenes;              // how many numbers --bodies has; 0: it is not given
  int threads;             // threads of a step of the benchmark of clutter, from --threads; 0: it is not given
} experimentOptions;

typedef struct result result;

// Reports a number of ours; the second also the published number, or that of the other engine. The unit is only
// printed.
void result_figure(result* r, const char* name, double value, const char* unit);
void result_compare(result* r, const char* name, double value, double reference, const char* unit);
// Reports a line that the experiment has to show: `want` says in words what the value should be, `holds` whether it is.
void result_must(result* r, const char* id, const char* what, double value, const char* want,
                 int holds, int full_only);
// Prints text, but not with --json.
void result_note(result* r, const char* format, ...) HF_PRINTF(2, 3);
// Opens a file in the folder of --out for writing; NULL without --out. Close it with result_close, which notices a full
// disk.
FILE* result_open(result* r, const char* file);
void result_close(result* r, FILE* file);
// Names a recording that the experiment has written into the folder of --out, to be replayed in its page.
void result_replay(result* r, const char* recording);
// Opens such a recording of this model, with a frame every `interval` seconds; *recorder is NULL without --out. The
// second closes it; NULL is allowed. Returns CLI_GOOD, or CLI_FAILED after a message.
int result_record(result* r, const char* file, const hfModel* model, double interval, hfRecorder** recorder);
int result_end_record(result* r, hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input);

typedef struct experiment {
  const char *name, *about; // about: one line
  // Returns CLI_GOOD, or CLI_FAILED after a message. It reports lines that do not hold and leaves it to the command to
  // judge them.
  int (*run)(const experimentOptions* options, result* r);
} experiment;

#endif
