// Threads that step worlds of one model at the same time, or load models at the same time, get the same bits as one thread. The thread sanitizer (./check --full) sees any memory that they share by mistake.
#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, METHODS = 4, STEPS = 100 };

static const int methods[METHODS] = {HF_METHOD_TAMSI, HF_METHOD_MLCP, HF_METHOD_SDIRK, HF_METHOD_SWITCHING};

typedef struct world {
  const char* scene;
  const hfModel* shared; // or NULL: each world loads its own
  int nmethod;           // the first so many methods run
  hfModel* own;
  hfState* end[METHODS]; // states after STEPS steps of each method
  hfError error;         // of what went wrong
} world;

// Leaves the reason in w->error where it cannot.
static hfState* run_method(world* w, const hfModel* model, int method) {
  hfSim* sim = NULL;
  hfSimConfig config = hf_sim_config_default();
  config.method = method;
  if (hf_sim_create(&sim, model, &config, &w->error) < 0) return NULL;
  hfState* state = hf_state_create(model);
  hfStepReport report;
  for (int i = 0; state && i < STEPS; ++i)
    if (hf_sim_step(sim, state, NULL, &report, &w->error) < 0) {
      hf_state_free(state);
      state = NULL;
    }
  hf_sim_free(sim);
  return state;
}

static void* run_world(void* data) {
  world* w = data;
  const hfModel* model = w->shared;
  if (!model) {
    if (hf_model_load(&w->own, w->scene, NULL, NULL, &w->error) < 0) return NULL;
    model = w->own;
  }
  for (int i = 0; i < w->nmethod; ++i) w->end[i] = run_method(w, model, methods[i]);
  return NULL;
}

static void free_world(world* w) {
  for (int i = 0; i < METHODS; ++i) hf_state_free(w->end[i]);
  hf_model_free(w->own);
}

static void assert_same(const world* one, const world* other) {
  for (int i = 0; i < one->nmethod; ++i) {
    if (!one->end[i] || !other->end[i]) fail_msg("%s%s", one->error.message, other->error.message);
    assert_above(one->end[i]->time, 0);
    assert_int_equal(one->end[i]->size, other->end[i]->size);
    assert_memory_equal(hf_state_q(one->end[i]), hf_state_q(other->end[i]), sizeof(double) * (size_t)one->end[i]->nq);
    assert_memory_equal(hf_state_v(one->end[i]), hf_state_v(other->end[i]), sizeof(double) * (size_t)one->end[i]->nv);
  }
}

// The scene once alone, then in THREADS threads at once.
static void compare(const char* scene, const hfModel* shared, int nmethod) {
  world alone = {.scene = scene, .shared = shared, .nmethod = nmethod}, worlds[THREADS];
  pthread_t threads[THREADS];
  run_world(&alone);
  for (int i = 0; i < THREADS; ++i) {
    worlds[i] = (world){.scene = scene, .shared = shared, .nmethod = nmethod};
    assert_int_equal(pthread_create(&threads[i], NULL, run_world, &worlds[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; ++i) {
    assert_same(&alone, &worlds[i]);
    free_world(&worlds[i]);
  }
  free_world(&alone);
}

static void test_worlds_of_one_model(void** state) {
  (void)state;
  hfError error;
  hfModel* model = NULL;
  const char* scene = HF_SOURCE_DIR "/models/three_finger_pinch.xml";
  if (hf_model_load(&model, scene, NULL, NULL, &error) < 0) fail_msg("%s", error.message);
  compare(scene, model, METHODS);
  hf_model_free(model);
}

// With a mesh, whose hull is built while loading.
static void test_models_side_by_side(void** state) {
  (void)state;
  compare(HF_SOURCE_DIR "/tests/scenes/rest.xml", NULL, 1); // 35 bodies: dear for rigid methods
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worlds_of_one_model),
      cmocka_unit_test(test_models_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
