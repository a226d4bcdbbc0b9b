// A heap that has fallen comes to rest: after four seconds nothing moves at all, no step needs an iteration, and no bit of the state changes but those of the time. Or a body that is nearly
// in a neutral equilibrium still rolls to rest, slowly and steadily. No body turns to and fro. Three heaps of 40 bodies and one of 200; in the longer form (HF_FULL=1) nine of 200.
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

typedef struct restReport {
  int32_t iterations; // most iterations of a step after the fall
  int changes;        // steps that change the state
  double fastest;     // largest velocity after the fall [m/s or rad/s]
  double jump;        // largest change of a velocity in a step [m/s or rad/s]
} restReport;

static void compare_velocities(const hfModel* model, const hfState* before, const hfState* after, restReport* rest) {
  const double *v0 = hf_state_v(before), *v1 = hf_state_v(after);
  for (int k = 0; k < model->nv; ++k) rest->fastest = fmax(rest->fastest, fabs(v1[k])), rest->jump = fmax(rest->jump, fabs(v1[k] - v0[k]));
}

// Steps the heap of the scene at `path`, and reports on the steps after the fall.
static restReport observe_rest(const char* path) {
  hfError error = {HF_OK, ""};
  hfModel* model;
  hfSim* sim;
  hfStepReport report;
  restReport rest = {0};
  if (hf_model_load(&model, path, NULL, NULL, &error) < 0 || hf_sim_create(&sim, model, NULL, &error) < 0) fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  assert_non_null(state);
  for (int i = 0; i < FALL + REST; ++i) {
    hfState* before = i >= FALL ? hf_state_clone(state) : NULL;
    assert_int_equal(hf_sim_step(sim, state, NULL, &report, &error), HF_OK);
    if (!before) continue;
    if (report.solve.max_iterations > rest.iterations) rest.iterations = report.solve.max_iterations;
    compare_velocities(model, before, state, &rest);
    rest.changes += !are_alike(before, state);
    hf_state_free(before);
  }
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
  return rest;
}

static int is_at_rest(const restReport* rest) { return rest->iterations == 0 && rest->fastest == 0 && rest->changes == 0; }

// A velocity that goes to and fro would jump by twice its size; one that fades within 0.25 s jumps by 2 % in a step of 5 ms.
static int rolls_to_rest(const restReport* rest) { return rest->fastest < 1e-4 && rest->jump < 0.02 * rest->fastest; }

static void test_rests(void** unused) {
  (void)unused;
  const char* path = HF_BINARY_DIR "/test_heap.xml";
  int heaps = is_full() ? 9 : 4;
  for (int seed = 1; seed <= heaps; ++seed) {
    int bodies = is_full() || seed == heaps ? 200 : 40;
    assert_int_equal(clutter_scene_write(path, bodies, (unsigned)seed, "", ""), 0);
    restReport rest = observe_rest(path);
    print_message("%d bodies, seed %d: %d iterations a step at rest, fastest %.2g, largest jump %.2g, %d steps change the state\n", bodies, seed,
                  rest.iterations, rest.fastest, rest.jump, rest.changes);
    assert_true(is_at_rest(&rest) || rolls_to_rest(&rest));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
