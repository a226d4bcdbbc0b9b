// The same bytes from 1, 2, 3 and 8 threads, from batches of any size, and from sims alone. The thread sanitizer
// (./check --full) runs this program too.
#include "batch/worlds.h"

enum { WORLDS = 13 };

typedef struct scenario {
  const char* scene;
  int params; // 1: worlds have parameters of their own
  int method; // hfMethod; -1: the scene's
  int steps;
} scenario;

typedef struct outcome {
  size_t bytes;
  char* states; // (WORLDS x bytes)
} outcome;

// World w of `first .. first + n - 1` begins and is driven as world w of the whole.
static outcome run_batch(const hfModel* model, int first, int n, int threads, const scenario* c) {
  hfBatch* b = make_method_batch(model, n, threads, c->method);
  hfError error;
  assert_int_equal(hf_batch_reset(b, NULL, model->nkey ? 0 : -1, &error), HF_OK);
  double* ctrl = calloc((size_t)(n * c->steps * model->nu) + 1, sizeof *ctrl);
  for (int i = 0; i < n; ++i) {
    start_velocity(batch_row(b, HF_BATCH_V, i), model->nv, first + i);
    for (int s = 0; s < c->steps; ++s)
      for (int u = 0; u < model->nu; ++u) ctrl[(i * c->steps + s) * model->nu + u] = control_of(first + i, s, u);
    if (!c->params) continue;
    for (int k = 0; k < model->ngeom; ++k) tensor_row(hf_batch_param(b, HF_FIELD_geom_friction), i)[3 * k] = 0.1 + 0.05 * (first + i);
    for (int k = 1; k < model->nbody; ++k) tensor_row(hf_batch_param(b, HF_FIELD_body_mass), i)[k] *= 1 + 0.1 * (first + i);
    tensor_row(hf_batch_gravity(b), i)[2] = -9.81 - 0.1 * (first + i);
  }
  if (c->params) assert_int_equal(hf_batch_update(b, NULL, &error), HF_OK);
  hfBatchRun run = {.ctrl = ctrl, .ctrl_world = c->steps * model->nu, .ctrl_step = model->nu};
  hfStatus status = hf_batch_step(b, c->steps, &run, &error);
  if (status != HF_OK) fail_msg("%s", error.message);
  hfState* copy = hf_state_create(model);
  outcome o = {.bytes = (size_t)copy->size, .states = malloc((size_t)n * (size_t)copy->size)};
  for (int i = 0; i < n; ++i) {
    assert_int_equal(hf_batch_get_state(b, i, copy, &error), HF_OK);
    memcpy(o.states + (size_t)i * o.bytes, copy, o.bytes);
  }
  hf_state_free(copy);
  free(ctrl);
  hf_batch_free(b);
  return o;
}

// What a sim of its own makes of world w.
static hfState* run_alone(const hfModel* model, int w, const scenario* c) {
  hfError error;
  hfParams* overlay = NULL;
  hfSim* sim = NULL;
  const hfModel* m = model;
  if (c->params) {
    assert_int_equal(hf_params_create(&overlay, model, &error), HF_OK);
    for (int k = 0; k < model->ngeom; ++k) hf_params_field(overlay, HF_FIELD_geom_friction)[3 * k] = 0.1 + 0.05 * w;
    for (int k = 1; k < model->nbody; ++k) hf_params_field(overlay, HF_FIELD_body_mass)[k] *= 1 + 0.1 * w;
    hf_params_gravity(overlay)[2] = -9.81 - 0.1 * w;
    assert_int_equal(hf_params_update(overlay, &error), HF_OK);
    m = hf_params_model(overlay);
  }
  hfSimConfig config = hf_sim_config_default();
  config.method = c->method;
  if (hf_sim_create(&sim, m, &config, &error) < 0) fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  hfInput* input = hf_input_create(model);
  if (model->nkey) hf_state_set_key(state, input, model, 0, &error);
  start_velocity(hf_state_mutable_v(state), model->nv, w);
  for (int s = 0; s < c->steps; ++s) {
    for (int u = 0; u < model->nu; ++u) input->ctrl[u] = control_of(w, s, u);
    hfStepReport report;
    if (hf_sim_step(sim, state, input, &report, &error) < 0) fail_msg("%s", error.message);
  }
  hf_input_free(input);
  hf_sim_free(sim);
  hf_params_free(overlay);
  return state;
}

static void check(const scenario* c) {
  static const int threads[] = {1, 2, 3, 8};
  hfModel* model = load_scene(c->scene);
  outcome one = run_batch(model, 0, WORLDS, 1, c);
  for (size_t i = 1; i < sizeof threads / sizeof *threads; ++i) {
    outcome o = run_batch(model, 0, WORLDS, threads[i], c);
    assert_memory_equal(o.states, one.states, WORLDS * one.bytes);
    free(o.states);
  }
  outcome part = run_batch(model, 5, 3, 2, c); // worlds 5, 6, 7 in a batch of three
  assert_memory_equal(part.states, one.states + 5 * one.bytes, 3 * one.bytes);
  free(part.states);
  for (int w = 0; w < WORLDS; w += 4) {
    hfState* alone = run_alone(model, w, c);
    assert_int_equal(alone->size, one.bytes);
    assert_memory_equal(alone, one.states + (size_t)w * one.bytes, one.bytes);
    hf_state_free(alone);
  }
  free(one.states);
  hf_model_free(model);
}

static void test_gripper(void** state) {
  (void)state;
  check(&(scenario){"gripper_mug", 0, -1, 120});
}
static void test_allegro(void** state) {
  (void)state;
  check(&(scenario){"allegro_mug_gravity", 0, -1, 120});
}
static void test_own_parameters(void** state) {
  (void)state;
  check(&(scenario){"three_finger_pinch", 1, HF_METHOD_TAMSI, 120});
  check(&(scenario){"three_finger_pinch", 1, HF_METHOD_MLCP, 10});
  check(&(scenario){"pinch", 1, HF_METHOD_SDIRK, 10});
  check(&(scenario){"pinch", 1, HF_METHOD_SWITCHING, 10});
}

// All work lies in the range of the first thread, so that the others can only help it. Whoever steps a world, a call gives
// the same bytes, and its message is that of the first world that is refused.
static void test_threads_that_help(void** state) {
  (void)state;
  enum { ACTIVE = 6, REFUSED = 2, ALSO_REFUSED = 4, CALLS = 40 };
  hfModel* model = load_scene("pinch");
  hfBatch* one = make_batch(model, 4 * ACTIVE, 1);
  uint8_t mask[4 * ACTIVE] = {0};
  memset(mask, 1, ACTIVE);
  for (int threads = 1; threads <= 4; ++threads) {
    hfBatch* many = make_batch(model, 4 * ACTIVE, threads);
    hf_batch_reset(one, NULL, 0, NULL);
    hf_batch_reset(many, NULL, 0, NULL);
    for (int call = 0; call < CALLS; ++call) {
      hfError error;
      batch_row(many, HF_BATCH_V, REFUSED)[0] = batch_row(many, HF_BATCH_V, ALSO_REFUSED)[0] = NAN;
      assert_int_equal(hf_batch_step(many, 3, &(hfBatchRun){.mask = mask}, &error), HF_FLAGGED);
      assert_memory_equal(error.message, "world 2:", strlen("world 2:"));
      hf_batch_step(one, 3, &(hfBatchRun){.mask = mask}, &error);
      for (int w = 0; w < ACTIVE; ++w)
        if (w != REFUSED && w != ALSO_REFUSED)
          assert_memory_equal(batch_row(many, HF_BATCH_Q, w), batch_row(one, HF_BATCH_Q, w), sizeof(double) * (size_t)model->nq);
    }
    hf_batch_free(many);
  }
  hf_batch_free(one);
  hf_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threads_that_help),
      cmocka_unit_test(test_gripper),
      cmocka_unit_test(test_allegro),
      cmocka_unit_test(test_own_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
