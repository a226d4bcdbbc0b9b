// Numbers from a peer: runs a Python script that writes files of keywords and values, and reads them.
#ifndef HF_TESTS_PEER_H
#define HF_TESTS_PEER_H

#include "support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A Python that has mujoco: HF_PEERS_PYTHON, else python3; NULL where there is none.
static inline const char* peer_python(void) {
  const char* python = getenv("HF_PEERS_PYTHON");
  char command[512];
  if (!python) python = "python3";
  snprintf(command, sizeof command, "%s -c 'import mujoco' >/dev/null 2>&1", python);
  return system(command) == 0 ? python : NULL;
}

// Runs tests/SCRIPT FOLDER ARGUMENTS in a new temporary folder (a template with XXXXXX), where MuJoCo also
// leaves its log file. What scripts share is in tests/support. Returns -1 where there is no peer; a script that fails is a failure.
static inline int peer_run(char* folder, const char* script, const char* arguments) {
  const char* python = peer_python();
  char command[2048];
  if (!python || !mkdtemp(folder)) return -1;
  snprintf(command, sizeof command, "cd %s && PYTHONPATH='%s/tests/support' %s '%s/tests/%s' %s %s >log 2>&1", folder,
           HF_SOURCE_DIR, python, HF_SOURCE_DIR, script, folder, arguments);
  if (system(command) != 0) fail_msg("%s failed: see %s/log", script, folder);
  return 0;
}

static inline void peer_remove(const char* folder) {
  char command[512];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0) printf("%s is left\n", folder);
}

// One line: the keyword, then count values. free() the result.
static inline double* peer_row(FILE* in, const char* key, int count) {
  char got[64];
  double* x = calloc((size_t)count + 1, sizeof *x);
  assert_int_equal(fscanf(in, "%63s", got), 1);
  assert_string_equal(got, key);
  for (int i = 0; i < count; ++i) assert_int_equal(fscanf(in, "%lf", &x[i]), 1);
  return x;
}

// Fails where got and want differ by more than tolerance (1 + largest |want|).
static inline void peer_compare(const char* what, const double* got, const double* want, int n, double tolerance) {
  double scale = 1;
  for (int i = 0; i < n; ++i) scale = fmax(scale, fabs(want[i]));
  for (int i = 0; i < n; ++i)
    if (!(fabs(got[i] - want[i]) <= tolerance * scale)) fail_msg("%s[%d]: %.17g, the peer has %.17g", what, i, got[i], want[i]);
}

#endif
