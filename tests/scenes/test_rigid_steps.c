// Rigid steps of many contacts. Method mlcp takes every scene of the project: its dense matrices follow the contacts that there are, not those that there could be.
#include "support/sim_world.h"

#include <glob.h>
#include <string.h>

// Creates a sim of the scene and steps it. A step may be a numerical difficulty, but is not refused.
static void step_scene(const char* path) {
  hfModel* m = load_model(path);
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_MLCP;
  simWorld w = sim_world_with(m, &config);
  hfError error = {HF_OK, ""};
  for (int i = 0; i < 2; ++i)
    if (hf_sim_step(w.sim, w.state, w.input, NULL, &error) < 0) fail_msg("%s: %s", path, error.message);
  sim_world_free(&w);
}

static void test_every_scene(void** state) {
  (void)state;
  static const char* const folders[] = {HF_SOURCE_DIR "/models/*.xml", HF_SOURCE_DIR "/tests/scenes/*.xml"};
  glob_t files = {0};
  for (int i = 0; i < 2; ++i) assert_int_equal(glob(folders[i], i ? GLOB_APPEND : 0, NULL, &files), 0);
  assert_above(files.gl_pathc, 40); // 46 scenes when this was written
  for (size_t i = 0; i < files.gl_pathc; ++i) step_scene(files.gl_pathv[i]);
  globfree(&files);
}

// A tower with 336 contacts: the compliant phase of `switching` has 648 unknowns, and its first step takes more than 40,000 evaluations, most of them for Jacobians. It ends where
// it should. Its status says that only 96 of the contacts have layers.
static void test_tower_switches(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_SWITCHING;
  simWorld w = sim_world_with(load_model(HF_SOURCE_DIR "/tests/scenes/tower.xml"), &config);
  hfError error;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_OVERFLOW);
  assert_true(w.state->time == hf_sim_step_size(w.sim));
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scene), cmocka_unit_test(test_tower_switches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
