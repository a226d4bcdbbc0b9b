// Model blocks that something changed: each is refused with a message, or what it describes can be stepped. With the
// sanitizers (./check --full) this also finds every access outside of an array.
#include "support/cmocka_all.h"
#include "support/random.h"

#include <holdfast/holdfast.h>
#include <holdfast/import.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Hulls, equalities and tendons; signals and sensors; pairs and excluded bodies; mocap bodies; delays.
static const char* const scenes[] = {"models/gripper_mug.xml", "models/linkage_gripper.xml", "models/iiwa_pick.xml",
                                     "tests/scenes/pairs.xml", "tests/scenes/mocap.xml", "tests/scenes/shake.xml", "tests/actuation/delays.xml"};
enum { SCENES = sizeof scenes / sizeof *scenes, STEPS = 3 };

static hfModelField random_field(const hfModel* m, testRandom* r, char type) {
  for (;;) {
    hfModelField f = (hfModelField)random_int(r, HF_MODEL_FIELD_COUNT);
    hfFieldInfo info = hf_model_field_info(m, f);
    if (info.type == type && info.rows * info.columns > 0) return f;
  }
}

static void change_index(const hfModel* sound, hfModel* m, testRandom* r) {
  hfModelField f = random_field(sound, r, 'i');
  hfFieldInfo info = hf_model_field_info(sound, f);
  int32_t* x = (int32_t*)(void*)((char*)m + sound->offset[f]) + random_int(r, info.rows * info.columns);
  const int32_t values[] = {-1, -2, (int32_t)((uint32_t)*x + 1), (int32_t)((uint32_t)*x - 1), 0, random_int(r, 1000), INT32_MAX, INT32_MIN, (int32_t)random_bits(r)};
  *x = values[random_int(r, sizeof values / sizeof *values)];
}

static void change_number(const hfModel* sound, hfModel* m, testRandom* r) {
  hfModelField f = random_field(sound, r, 'd');
  hfFieldInfo info = hf_model_field_info(sound, f);
  double* x = (double*)(void*)((char*)m + sound->offset[f]) + random_int(r, info.rows * info.columns);
  const double values[] = {NAN, INFINITY, -INFINITY, 0, -*x, 1e300, -1e300, 1e-300, *x * 1e6, random_normal(r)};
  *x = values[random_int(r, sizeof values / sizeof *values)];
}

static void change_header(hfModel* m, testRandom* r) {
  int32_t* words = (int32_t*)m;
  int i = random_int(r, (int)offsetof(hfModel, offset) / 4 + 20);
  words[i] = random_chance(r, 0.5) ? (int32_t)((uint32_t)words[i] + (uint32_t)random_int(r, 5) - 2) : (int32_t)random_bits(r);
}

static void change_bytes(hfModel* m, testRandom* r, size_t size) {
  char* at = (char*)m + random_bits(r) % size;
  *at = (char)random_bits(r);
}

// Fields are found by the counts and offsets of the sound model: those of the changed one may be wrong already.
static void change(const hfModel* sound, hfModel* m, testRandom* r, size_t size) {
  switch (random_int(r, 4)) {
  case 0: change_index(sound, m, r); return;
  case 1: change_number(sound, m, r); return;
  case 2: change_header(m, r); return;
  default: change_bytes(m, r, size); return;
  }
}

// Whatever the numbers are, creating and stepping a sim ends with a status.
static void step_model(const hfModel* m) {
  hfSim* sim = NULL;
  hfError error;
  if (hf_sim_create(&sim, m, NULL, &error) < 0) {
    assert_true(*error.message);
    return;
  }
  hfState* s = hf_state_create(m);
  for (int i = 0; i < STEPS; ++i)
    if (hf_sim_step(sim, s, NULL, NULL, &error) < 0) break;
  hf_state_free(s);
  hf_sim_free(sim);
}

static void test_changed_blocks_are_refused_or_work(void** state) {
  (void)state;
  int trials = is_full() ? 20000 : 500, refused = 0, accepted = 0;
  for (int k = 0; k < SCENES; ++k) {
    char path[512];
    hfModel* model;
    hfError error;
    snprintf(path, sizeof path, "%s/%s", HF_SOURCE_DIR, scenes[k]);
    assert_int_equal(hf_model_load(&model, path, NULL, NULL, &error), HF_OK);
    size_t size = (size_t)model->size;
    hfModel* changed = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(changed);
    for (int i = 0; i < trials; ++i) {
      testRandom r = {(uint64_t)(k * 1000003 + i)};
      memcpy(changed, model, size);
      for (int n = 1 + random_int(&r, 3); n > 0; --n) change(model, changed, &r, size);
      if (getenv("HF_TRACE")) print_message("%s %d\n", scenes[k], i); // to find the one that crashes
      if (hf_model_validate(changed, size, &error) != HF_OK) {
        assert_true(*error.message);
        ++refused;
      } else {
        step_model(changed);
        ++accepted;
      }
    }
    free(changed);
    hf_model_free(model);
  }
  assert_above(refused, accepted / 10);
  assert_above(accepted, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_changed_blocks_are_refused_or_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
