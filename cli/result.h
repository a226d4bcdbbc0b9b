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
  const char* out;       // folder or NULL
  int json;              // 1: print JSON and nothing else
  int failed;            // a file could not be written
  openFile open[OPEN_FILES];
  json_t *figures, *references, *units, *must;
  json_t *files, *replays; // names of the files in `out`, and of the recordings among them
};

// Writes NAME.html, a page of everything, into the folder of --out (result_page.c); nothing without one. Call it before result_end.
void result_write_page(result* r, const char* name, const char* about, int quick);

void result_begin(result* r, const char* reference, const char* out, int json);
// With --json prints everything as JSON, otherwise the lines that the experiment has to show. Returns the exit status.
int result_end(result* r, const char* name, int quick);

#endif
