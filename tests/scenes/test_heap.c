// A heap that has fallen comes to rest: after four seconds nothing is faster than 1e-4 m/s or rad/s, and a step is solved by two iterations at most. Three heaps of 40 bodies
// and one of 200; in the longer form (HF_FULL=1) nine of 200.
#include "support/cmocka_all.h"

#include "clutter_scene.h"

#include <holdfast/holdfast.h>
#include <math.h>

enum { FALL = 800, REST = 50 }; // steps of 5 ms

// Steps the heap of the scene at `path`. Returns the most iterations of a step after the fall, and in *fastest the largest velocity then.
static int32_t iterations_at_rest(const char* path, double* fastest) {
  hfError error = {HF_OK, ""};
  hfModel* model;
  hfSim* sim;
  hfStepReport report;
  int32_t most = 0;
  if (hf_model_load(&model, path, NULL, NULL, &error) < 0 || hf_sim_create(&sim, model, NULL, &error) < 0) fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  assert_non_null(state);
  for (int i = 0; i < FALL + REST; ++i) {
    assert_int_equal(hf_sim_step(sim, state, NULL, &report, &error), HF_OK);
    if (i >= FALL && report.solve.max_iterations > most) most = report.solve.max_iterations;
    for (int k = 0; i >= FALL && k < model->nv; ++k) *fastest = fmax(*fastest, fabs(hf_state_v(state)[k]));
  }
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
  return most;
}

static void test_rests(void** unused) {
  (void)unused;
  const char* path = HF_BINARY_DIR "/test_heap.xml";
  int heaps = is_full() ? 9 : 4;
  for (int seed = 1; seed <= heaps; ++seed) {
    int bodies = is_full() || seed == heaps ? 200 : 40;
    assert_int_equal(clutter_scene_write(path, bodies, (unsigned)seed, "", ""), 0);
    double fastest = 0;
    int32_t most = iterations_at_rest(path, &fastest);
    print_message("%d bodies, seed %d: %d iterations a step at rest, fastest %.2g\n", bodies, seed, most, fastest);
    assert_true(most <= 2 && fastest < 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
