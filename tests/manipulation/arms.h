// Arms for the tests of manipulation: loading, random joint positions, and inverse kinematics there and back.
#ifndef HF_TESTS_ARMS_H
#define HF_TESTS_ARMS_H

#include "support/near.h"
#include "support/random.h"

#include <holdfast/holdfast.h>
#include <holdfast/manipulation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 16 };

typedef struct testArm {
  hfModel* model;
  hfArm* arm;
  int n;
} testArm;

static inline void arm_open_in(testArm* t, const char* folder, const char* file, const char* tip) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  hfError error;
  hfImportConfig config = hf_import_config_default();
  config.skip_meshes = 1;
  t->model = NULL;
  if (hf_model_load(&t->model, path, &config, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_arm_create(&t->arm, t->model, tip, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  t->n = hf_arm_size(t->arm);
  assert_at_most(t->n, MOST_JOINTS);
}
static inline void arm_open(testArm* t, const char* file, const char* tip) {
  arm_open_in(t, HF_SOURCE_DIR "/models", file, tip);
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

// Draws joint positions, asks for the pose that they reach, and solves for it from other joint positions. The solver
// must find the pose with every joint inside its range.
static inline void round_trip_in(const char* folder, const char* file, const char* tip, int most) {
  testArm t;
  arm_open_in(&t, folder, file, tip);
  testRandom r = {23};
  print_message("%s, seed 23\n", file);
  int restarts = 0, iterations = 0;
  for (int k = 0; k < most; ++k) {
    double there[MOST_JOINTS], q[MOST_JOINTS];
    arm_draw(&t, &r, 0.9, there), arm_draw(&t, &r, 0.5, q);
    hf_arm_move(t.arm, there);
    hfPose X = hf_arm_pose(t.arm);
    hfIkConfig c = hf_ik_config_default();
    c.iterations = 5000, c.restarts = 100;
    hfIkReport report;
    assert_int_equal(hf_arm_solve(t.arm, X, &c, q, &report), HF_OK);
    hf_arm_move(t.arm, q);
    hfMotion e = hf_pose_error(hf_arm_pose(t.arm), X);
    assert_true(fabs(e.v.x) + fabs(e.v.y) + fabs(e.v.z) < 2e-7 &&
                fabs(e.w.x) + fabs(e.w.y) + fabs(e.w.z) < 2e-6);
    for (int i = 0; i < t.n; ++i)
      assert_true(q[i] >= arm_range(&t, i)[0] - 1e-12 && q[i] <= arm_range(&t, i)[1] + 1e-12);
    restarts += report.restarts, iterations += report.iterations;
  }
  print_message("%d places: %d restarts, %d iterations\n", most, restarts, iterations);
  arm_close(&t);
}
static inline void round_trip(const char* file, const char* tip, int most) {
  round_trip_in(HF_SOURCE_DIR "/models", file, tip, most);
}

#endif
