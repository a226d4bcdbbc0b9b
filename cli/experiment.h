// Experiments and benchmarks: registration, options, and where their results go.
//
// An experiment is one file experiments/PAPER/NAME.c that defines `const experiment
// experiment_NAME` and is listed in experiment_list.h. It calls result_* as it goes; the command
// prints the numbers beside those of the paper, or writes them as JSON. A benchmark is the same in
// cli/bench_NAME.c, with a peer in the place of the paper.
#ifndef CLI_EXPERIMENT_H
#define CLI_EXPERIMENT_H

#include "cli.h"

#include <stdio.h>

typedef struct experimentOptions {
  int quick;       // a reduced version, in which every line holds too that is not full_only
  const char* out; // folder for plots and tables, exists; NULL: none wanted
} experimentOptions;

typedef struct result result;

// A number of ours, and the published (or the peer's) one of the same name. Units are for people.
void result_figure(result* r, const char* name, double value, const char* unit);
void result_compare(result* r, const char* name, double value, double reference, const char* unit);
// A line that the experiment has to show: `want` says it in words, `holds` whether it does.
void result_must(result* r, const char* id, const char* what, double value, const char* want,
                 int holds, int full_only);
// Text for people; not printed with --json.
void result_note(result* r, const char* format, ...) HF_PRINTF(2, 3);
// Opens FILE in the folder of --out for writing; NULL without --out. Close it with result_close,
// which finds a disk that is full.
FILE* result_open(result* r, const char* file);
void result_close(result* r, FILE* file);

typedef struct experiment {
  const char *name, *about; // about: one line
  // Returns CLI_GOOD, or CLI_FAILED after saying why. What does not hold is no failure.
  int (*run)(const experimentOptions* options, result* r);
} experiment;

#endif
