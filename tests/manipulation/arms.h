// Arms of models/ and of the folder of published robots, for the tests of manipulation.
#ifndef HF_TESTS_ARMS_H
#define HF_TESTS_ARMS_H

#include "support/near.h"
#include "support/random.h"

#include <holdfast/holdfast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 16 };

typedef struct testArm {
  hfModel* model;
  hfArm* arm;
  int n;
} testArm;

// Returns 0 where a published file is not there.
static inline int arm_open(testArm* t, const char* file, const char* tip) {
  char path[1024];
  const char* folder = getenv("HF_SHARED_MODELS");
  int own = strchr(file, '/') == NULL;
  snprintf(path, sizeof path, "%s/%s",
           own      ? HF_SOURCE_DIR "/models"
           : folder ? folder
                    : HF_SOURCE_DIR "/../shared/models",
           file);
  FILE* there = fopen(path, "r");
  if (!there && !own) return 0;
  if (there) fclose(there);
  hfError error;
  hfImportConfig config = hf_import_config_default();
  config.skip_meshes = 1;
  t->model = NULL;
  if (hf_model_load(&t->model, path, &config, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_arm_create(&t->arm, t->model, tip, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  t->n = hf_arm_size(t->arm);
  assert_true(t->n <= MOST_JOINTS);
  return 1;
}

static inline void arm_close(testArm* t) {
  hf_arm_free(t->arm);
  hf_model_free(t->model);
}

static inline const double* arm_range(const testArm* t, int i) {
  return hf_model_jnt_range(t->model) + 2 * hf_arm_joint(t->arm, i);
}

// Joint positions within a share of the ranges.
static inline void arm_draw(const testArm* t, testRandom* r, double share, double* q) {
  for (int i = 0; i < t->n; ++i) {
    const double* range = arm_range(t, i);
    double middle = 0.5 * (range[0] + range[1]), half = 0.5 * share * (range[1] - range[0]);
    q[i] = random_uniform(r, middle - half, middle + half);
  }
}

#endif
