// Worlds for the tests of a batch: models, starts that differ from world to world, and what a sim alone makes of them.
#ifndef HF_TESTS_BATCH_WORLDS_H
#define HF_TESTS_BATCH_WORLDS_H

#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline hfModel* load_scene(const char* name) {
  hfModel* model = NULL;
  hfError error;
  char path[1024];
  snprintf(path, sizeof path, "%s/models/%s.xml", HF_SOURCE_DIR, name);
  if (hf_model_load(&model, path, NULL, NULL, &error) < 0) fail_msg("%s", error.message);
  return model;
}

static inline hfBatch* make_method_batch(const hfModel* model, int nworld, int threads, int method) {
  hfBatchConfig config = hf_batch_config_default();
  hfBatch* batch = NULL;
  hfError error;
  config.nworld = nworld;
  config.threads = threads;
  config.sim.method = method;
  if (hf_batch_create(&batch, model, &config, &error) < 0) fail_msg("%s", error.message);
  return batch;
}

static inline hfBatch* make_batch(const hfModel* model, int nworld, int threads) {
  return make_method_batch(model, nworld, threads, -1);
}

static inline double* tensor_row(hfTensor t, int world) { return (double*)(void*)((char*)t.data + world * t.stride[0]); }
static inline double* batch_row(hfBatch* b, hfBatchField field, int world) {
  return tensor_row(hf_batch_tensor(b, field), world);
}

// The start of a world: the first keyframe, if there is one, and velocities of its own.
static inline void start_velocity(double* v, int nv, int world) {
  for (int i = 0; i < nv; ++i) v[i] += 0.05 * sin(1.7 * world + 0.9 * i);
}
static inline double control_of(int world, int step, int actuator) {
  return 2 * sin(0.3 * world + 0.05 * step + actuator);
}

#endif
