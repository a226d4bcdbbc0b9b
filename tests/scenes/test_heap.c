// A heap that has fallen comes to rest: after four seconds nothing moves at all, no step needs an iteration, and no bit of the state changes but those of the time. Three heaps of 40 bodies
// and one of 200; in the longer form (HF_FULL=1) nine of 200.
#include "support/cmocka_all.h"

#include "clutter_scene.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { FALL = 800, REST = 50 }; // steps of 5 ms

// Whether two states of a model are the same but for their time.
static int are_alike(const hfState* a, const hfState* b) {
  size_t head = offsetof(hfState, time), tail = head + sizeof a->time;
  return memcmp(a, b, head) == 0 && memcmp((const char*)a + tail, (const char*)b + tail, a->size - tail) == 0;
}

// Steps the heap of the scene at `path`. Returns the most iterations of a step after the fall, in *fastest the largest velocity then, and in *changes the number of steps that
// change the state.
static int32_t iterations_at_rest(const char* path, double* fastest, int* changes) {
  hfError error = {HF_OK, ""};
  hfModel* model;
  hfSim* sim;
  hfStepReport report;
  int32_t most = 0;
  if (hf_model_load(&model, path, NULL, NULL, &error) < 0 || hf_sim_create(&sim, model, NULL, &error) < 0) fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  assert_non_null(state);
  for (int i = 0; i < FALL + REST; ++i) {
    hfState* before = i >= FALL ? hf_state_clone(state) : NULL;
    assert_int_equal(hf_sim_step(sim, state, NULL, &report, &error), HF_OK);
    if (i >= FALL && report.solve.max_iterations > most) most = report.solve.max_iterations;
    for (int k = 0; i >= FALL && k < model->nv; ++k) *fastest = fmax(*fastest, fabs(hf_state_v(state)[k]));
    if (before) *changes += !are_alike(before, state);
    hf_state_free(before);
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
    int changes = 0;
    int32_t most = iterations_at_rest(path, &fastest, &changes);
    print_message("%d bodies, seed %d: %d iterations a step at rest, fastest %.2g, %d steps change the state\n", bodies, seed, most, fastest, changes);
    assert_true(most == 0 && fastest == 0 && changes == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
