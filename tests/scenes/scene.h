// Runs a scene of tests/scenes by the command, as a user does, and reads its logs.
#ifndef HF_TESTS_SCENE_H
#define HF_TESTS_SCENE_H

#include "cli/command.h"
#include "support/table.h"

typedef struct sceneRun {
  table log, contacts;
} sceneRun;

// holdfast run SCENE OPTIONS with both logs; the JSON result is in standard_output.
static inline sceneRun run_scene(const char* scene, const char* options) {
  char call[2048];
  snprintf(call, sizeof call,
           "run %s/tests/scenes/%s --json --log log.csv --contacts contacts.csv %s", HF_SOURCE_DIR,
           scene, options);
  assert_works(call);
  sceneRun run = {table_read("log.csv"), table_read("contacts.csv")};
  return run;
}

static inline void free_run(sceneRun* run) {
  table_free(&run->log);
  table_free(&run->contacts);
}

// The number i of the columns whose names begin with this letter.
static inline double numbered(const sceneRun* run, int row, char letter, int i) {
  int first = 0;
  while (first < run->log.cols && !(run->log.name[first][0] == letter && run->log.name[first][1] == '[')) ++first;
  assert_below(first + i, run->log.cols);
  assert_true(run->log.name[first + i][0] == letter);
  return table_at(&run->log, row, run->log.name[first + i]);
}
// q or v number i of a row of the log.
static inline double position(const sceneRun* run, int row, int i) { return numbered(run, row, 'q', i); }
static inline double velocity(const sceneRun* run, int row, int i) { return numbered(run, row, 'v', i); }

// Whether a row of the contact log names this geom.
static inline int touches(const sceneRun* run, int row, const char* geom) {
  return strcmp(table_text(&run->contacts, row, "geom_a"), geom) == 0 ||
         strcmp(table_text(&run->contacts, row, "geom_b"), geom) == 0;
}

// Every step was solved by TAMSI, within the tolerance.
static inline void assert_all_by_tamsi(void) {
  assert_near(json_value(standard_output, "merit", 0), 0, 0);
  assert_near(json_value(standard_output, "convex", 0), 0, 0);
  assert_near(json_value(standard_output, "not_converged", 0), 0, 0);
}

#endif
