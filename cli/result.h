// Inside of a result (experiment.h).
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "experiment.h"

#include "outfile.h"

#include <jansson.h>

// A file that result_open opened.
typedef struct openFile {
  outFile out; // out.file == NULL: this slot is free
} openFile;
enum { OPEN_FILES = 16 };

struct result {
  const char* reference; // "paper" or "peer"
  int judged;            // 1: a line that does not hold makes the command fail
  const char* out;       // folder or NULL
  int json;              // 1: print JSON and nothing else
  int failed;            // 1: a file could not be written
  openFile open[OPEN_FILES];
  json_t *figures, *references, *units, *must;
  json_t *files, *replays; // names of the files in `out`, and of the recordings among them
};

// Writes NAME.html, a page of everything, into the folder of --out (result_page.c); nothing without one. Call it
// before result_end.
void result_write_page(result* r, const char* name, const char* about, int quick);

// The verdict on one of the lines that an experiment has to show: it holds, it fails, or it does not hold but is
// expected to hold only in a full run and this is a quick one.
typedef enum lineVerdict { LINE_HOLDS, LINE_FULL_ONLY, LINE_FAILS } lineVerdict;
lineVerdict result_verdict(const json_t* line, int quick);

void result_begin(result* r, const char* reference, int judged, const char* out, int json);
// With --json prints everything as JSON, otherwise the lines that the experiment has to show. complete: the experiment
// ran to its end. Returns the exit status: CLI_FAILED where a file could not be written or, if the result is judged, a
// line does not hold.
int result_end(result* r, const char* name, int quick, int complete);

#endif
