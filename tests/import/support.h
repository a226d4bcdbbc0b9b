// Loading models from text in tests.
#ifndef HF_TESTS_IMPORT_SUPPORT_H
#define HF_TESTS_IMPORT_SUPPORT_H

#include "support/cmocka_all.h"

#include <holdfast/import.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DATA HF_SOURCE_DIR "/tests/data/import"

static inline hfModel* parse_with(const char* text, const hfImportConfig* config, hfDiagnostics* diagnostics) {
  hfModel* model = NULL;
  hfError error = {HF_OK, ""};
  hfStatus status = hf_model_parse(&model, text, strlen(text), "test.xml", DATA, config, diagnostics, &error);
  if (status != HF_OK) fail_msg("%s", error.message);
  return model;
}

static inline hfModel* parse(const char* text) { return parse_with(text, NULL, NULL); }

static inline int find(const hfModel* m, hfObjectKind kind, const char* name) {
  int id = hf_model_find(m, kind, name);
  if (id < 0) fail_msg("there is no %s \"%s\"", hf_object_kind_name(kind), name);
  return id;
}

// Rounding of a few operations on numbers of order one.
static inline void assert_numbers(const double* x, const double* y, int n) {
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i] - y[i]) <= 1e-14)) fail_msg("number %d is %.17g, not %.17g", i, x[i], y[i]);
}
#define ASSERT_NUMBERS(x, ...)                                                                         \
  do {                                                                                                 \
    const double wanted[] = {__VA_ARGS__};                                                             \
    assert_numbers(x, wanted, (int)(sizeof wanted / sizeof *wanted));                                  \
  } while (0)

// The first diagnostic whose message contains `part`; fails when there is none.
static inline hfDiagnostic find_diagnostic(const hfDiagnostics* d, const char* part) {
  for (int i = 0; i < hf_diagnostics_count(d); ++i) {
    hfDiagnostic x = hf_diagnostics_get(d, i);
    if (strstr(x.message, part)) return x;
  }
  for (int i = 0; i < hf_diagnostics_count(d); ++i) print_error("said: %s\n", hf_diagnostics_get(d, i).message);
  fail_msg("nothing said about \"%s\"", part);
  hfDiagnostic none = {0};
  return none;
}

#endif
