// The fixed runs whose final states test_bits.c compares between builds, and library/musl.sh between C libraries.
#ifndef HF_TESTS_SCENES_BITS_H
#define HF_TESTS_SCENES_BITS_H

#include <holdfast/holdfast.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fixedRun {
  const char *scene, *keyframe, *method;
  const char* friction; // "" is that of the method
  int steps;
} fixedRun;

static const fixedRun runs[] = {
    {"tests/scenes/incline.xml", NULL, "tamsi", "regularised", 200},
    {"tests/scenes/incline.xml", NULL, "tamsi", "smooth", 200},
    {"tests/scenes/incline.xml", NULL, "convex", "anchored", 200},
    {"tests/scenes/rolling_slope.xml", NULL, "tamsi", "anchored", 400},
    {"tests/scenes/restitution.xml", "hit", "tamsi", "anchored", 2000},
    {"tests/scenes/painleve.xml", "drag", "tamsi", "regularised", 100},
    {"tests/scenes/squeeze.xml", NULL, "tamsi", "anchored", 400},
    {"tests/scenes/shake.xml", "swing", "convex", "regularised", 600},
    {"tests/scenes/rest.xml", NULL, "tamsi", "anchored", 60},
    {"tests/scenes/bin.xml", NULL, "tamsi", "anchored", 90},
    {"models/gripper_mug.xml", "rim", "tamsi", "regularised", 600},
    {"models/gripper_mug.xml", "middle", "tamsi", "anchored", 600},
    // hands, arms with motors, and all that calls elementary functions
    {"models/allegro_mug_gravity.xml", NULL, "tamsi", "anchored", 300},
    {"models/iiwa_pick.xml", NULL, "tamsi", "anchored", 300},
    {"models/ur10_geared.xml", NULL, "tamsi", "anchored", 300},
    {"models/quadruped_trot.xml", NULL, "tamsi", "anchored", 200},
    {"tests/data/drives.xml", "go", "tamsi", "anchored", 600},
    {"tests/data/drives.xml", "go", "convex", "anchored", 300},
    {"tests/data/drives.xml", "go", "mlcp", "", 100},
    {"tests/data/drives.xml", "go", "rk3", "regularised", 50},
    {"tests/data/drives.xml", "go", "implicit-euler", "regularised", 50},
    {"tests/data/drives.xml", "go", "sdirk", "regularised", 50},
    {"models/planar_grasp.xml", NULL, "switching", "", 50},
};
enum { RUNS = sizeof runs / sizeof *runs };

// FNV-1a
static const uint64_t first_hash = UINT64_C(0xcbf29ce484222325);
static inline uint64_t hash_bytes(uint64_t hash, const void* data, size_t size) {
  const unsigned char* byte = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static inline uint64_t hash_state(const hfState* s) {
  uint64_t hash = first_hash;
  hash = hash_bytes(hash, &s->time, sizeof s->time);
  hash = hash_bytes(hash, hf_state_q(s), sizeof(double) * (size_t)s->nq);
  hash = hash_bytes(hash, hf_state_v(s), sizeof(double) * (size_t)s->nv);
  hash = hash_bytes(hash, hf_state_act(s), sizeof(double) * (size_t)s->na);
  return hash_bytes(hash, hf_state_memory(s), sizeof(hfContactMemory) * (size_t)s->nmemory);
}

static inline void stop(const fixedRun* run, const hfError* error) {
  fprintf(stderr, "%s, %s: %s\n", run->scene, run->method, error->message);
  exit(1);
}

// Runs a model and returns the hash of its last state. Any refusal ends the program.
static inline uint64_t hash_run(const fixedRun* run, const hfModel* model) {
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  if (hf_sim_config_set(&config, "method", run->method, &error) < 0 || (*run->friction && hf_sim_config_set(&config, "friction", run->friction, &error) < 0) ||
      hf_sim_create(&sim, model, &config, &error) < 0)
    stop(run, &error);

  hfState* state = hf_state_create(model);
  hfInput* input = hf_input_create(model);
  if (!state || !input) exit(1);
  if (run->keyframe && hf_state_set_key(state, input, model, hf_model_find(model, HF_OBJECT_KEY, run->keyframe), &error) < 0) stop(run, &error);

  for (int i = 0; i < run->steps; ++i)
    if (hf_sim_step(sim, state, input, NULL, &error) < 0) stop(run, &error);
  uint64_t hash = hash_state(state);
  hf_input_free(input);
  hf_state_free(state);
  hf_sim_free(sim);
  return hash;
}

#endif
