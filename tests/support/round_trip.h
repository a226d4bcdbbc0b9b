// Load, write, load again: every field of a model that was written as MJCF and read again is that of the first model.
#ifndef HF_TESTS_ROUND_TRIP_H
#define HF_TESTS_ROUND_TRIP_H

#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

static char written[] = "/tmp/holdfast_write_XXXXXX";

static inline int make_file(void** state) {
  (void)state;
  int fd = mkstemp(written);
  return fd < 0 ? -1 : close(fd);
}
static inline int remove_file(void** state) { return (void)state, unlink(written); }

static inline const void* field_data(const hfModel* m, int f) {
  return (const char*)m + m->offset[f];
}

// With a tolerance of 0 every number is the same, so that the motion has the same bits. Names are compared by name, because what has none gets one where something
// refers to it.
static inline void assert_same_fields(const hfModel* a, const hfModel* b, double tolerance, const char* path) {
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfFieldInfo x = hf_model_field_info(a, (hfModelField)f), y = hf_model_field_info(b, (hfModelField)f);
    size_t length = strlen(x.name);
    if (strcmp(x.name, "names") == 0 || (length > 5 && strcmp(x.name + length - 5, "_name") == 0)) continue;
    if (x.rows != y.rows || x.columns != y.columns)
      fail_msg("%s: %s has %d x %d entries, not %d x %d", path, x.name, y.rows, y.columns, x.rows, x.columns);
    const void *p = field_data(a, f), *q = field_data(b, f);
    for (int i = 0; i < x.rows * x.columns; ++i) {
      double u = x.type == 'd' ? ((const double*)p)[i] : x.type == 'f' ? (double)((const float*)p)[i] : ((const int32_t*)p)[i];
      double v = x.type == 'd' ? ((const double*)q)[i] : x.type == 'f' ? (double)((const float*)q)[i] : ((const int32_t*)q)[i];
      if (!(u == v || fabs(u - v) <= tolerance * (1 + fabs(u)) || (isnan(u) && isnan(v)))) fail_msg("%s: %s[%d] is %.17g, not %.17g", path, x.name, i, v, u);
    }
  }
  if (memcmp(&a->world, &b->world, sizeof a->world) != 0) fail_msg("%s: the world differs", path);
  for (int k = HF_OBJECT_BODY; k < HF_OBJECT_KINDS; ++k)
    for (int i = 0; i < hf_model_object_count(a, (hfObjectKind)k); ++i) {
      const char* name = hf_model_name(a, (hfObjectKind)k, i);
      if (*name) assert_string_equal(hf_model_name(b, (hfObjectKind)k, i), name);
    }
}

// Says the reader nothing of a written file that it did not say of the first one?
static inline void assert_nothing_new(const hfDiagnostics* before, const hfDiagnostics* after, const char* path) {
  for (int i = 0; i < hf_diagnostics_count(after); ++i) {
    int known = 0;
    for (int k = 0; k < hf_diagnostics_count(before); ++k)
      known |= strcmp(hf_diagnostics_get(before, k).message, hf_diagnostics_get(after, i).message) == 0;
    if (!known) fail_msg("%s: the reader says of the written file: %s", path, hf_diagnostics_get(after, i).message);
  }
}

static inline void check_round_trip_within(const char* path, double tolerance) {
  hfBuilder* builder = NULL;
  hfModel *first = NULL, *again = NULL;
  hfDiagnostics *before = hf_diagnostics_create(), *after = hf_diagnostics_create();
  hfError error;
  if (hf_builder_load(&builder, path, NULL, before, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_builder_finish(builder, &first, &error) != HF_OK) fail_msg("%s", error.message);
  hf_model_diagnose(first, path, before);
  if (hf_builder_write_mjcf(builder, written, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_model_load(&again, written, NULL, after, &error) != HF_OK) fail_msg("%s: %s", path, error.message);
  assert_nothing_new(before, after, path);
  assert_same_fields(first, again, tolerance, path);
  hf_diagnostics_free(before);
  hf_diagnostics_free(after);
  hf_model_free(first);
  hf_model_free(again);
  hf_builder_free(builder);
}
static inline void check_round_trip(const char* path) { check_round_trip_within(path, 0); }

static inline void check_text_round_trip(const char* text) {
  char path[] = "/tmp/holdfast_write_text_XXXXXX";
  int fd = mkstemp(path);
  ssize_t length = (ssize_t)strlen(text);
  assert_at_least(fd, 0);
  assert_true(write(fd, text, (size_t)length) == length);
  assert_true(close(fd) == 0);
  check_round_trip(path);
  unlink(path);
}

static inline int check_all(const char* pattern) {
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) check_round_trip(found.gl_pathv[i]);
  int count = (int)found.gl_pathc;
  globfree(&found);
  return count;
}

#endif
