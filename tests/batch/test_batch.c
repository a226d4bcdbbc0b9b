// What a batch promises beside equal bits: arrays that lead to the worlds, resetting by mask, runs with results,
// worlds that go wrong alone, parameters of each world, refusals.
#include "batch/worlds.h"

#include <sys/wait.h>
#include <unistd.h>

static const char kFall[] = "<mujoco><option timestep='0.001'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                            "<body name='ball' pos='0 0 1'><freejoint name='free'/>"
                            "<geom name='ball' type='sphere' size='0.1' mass='2'/></body>"
                            "<body name='cart' pos='0 3 1'><joint name='rail' type='slide' axis='1 0 0'/>"
                            "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
                            "<actuator><motor name='push' joint='rail'/></actuator>"
                            "<sensor><jointpos joint='rail'/><clock/></sensor>"
                            "<keyframe><key name='low' qpos='0 0 0.5 1 0 0 0 0.25' ctrl='3'/></keyframe></mujoco>";
enum { NQ = 8, NV = 7 };

static hfModel* fall_model(void) {
  hfModel* model = NULL;
  hfError error;
  if (hf_model_parse(&model, kFall, sizeof kFall - 1, "fall.xml", ".", NULL, NULL, &error) < 0) fail_msg("%s", error.message);
  return model;
}

// Tensors have the shapes that the header says, and what is written there steps.
static void test_tensors(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch* b = make_batch(m, 3, 2);
  hfError error;
  assert_int_equal(hf_batch_size(b), 3);
  assert_int_equal(hf_batch_threads(b), 2);
  hfTensor q = hf_batch_tensor(b, HF_BATCH_Q), wrench = hf_batch_tensor(b, HF_BATCH_WRENCH);
  assert_int_equal(q.ndim, 2);
  assert_int_equal(q.shape[0], 3);
  assert_int_equal(q.shape[1], NQ);
  assert_int_equal(wrench.ndim, 3);
  assert_int_equal(wrench.shape[1], m->nbody);
  assert_int_equal(wrench.shape[2], 6);
  assert_int_equal(hf_batch_tensor(b, HF_BATCH_TIME).ndim, 1);
  // World 1 pushes its cart with 5 N: after n implicit steps of h, x = F h^2 n (n + 1)/2, exact to rounding.
  batch_row(b, HF_BATCH_CTRL, 1)[0] = 5;
  batch_row(b, HF_BATCH_SENSORS, 0);
  assert_int_equal(hf_batch_step(b, 10, NULL, &error), HF_OK);
  double x = 5 * 1e-6 * 55;
  assert_below(fabs(tensor_row(q, 1)[7] - x), 1e-15);
  assert_true(tensor_row(q, 0)[7] == 0);
  assert_true(tensor_row(q, 2)[7] == 0);
  assert_true(batch_row(b, HF_BATCH_SENSORS, 1)[0] == tensor_row(q, 1)[7]);
  assert_true(batch_row(b, HF_BATCH_SENSORS, 2)[1] == *batch_row(b, HF_BATCH_TIME, 2));
  hf_batch_free(b);
  hf_model_free(m);
}

static void test_reset_by_mask(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch* b = make_batch(m, 4, 3);
  hfError error;
  batch_row(b, HF_BATCH_CTRL, 0);
  hf_batch_step(b, 7, NULL, &error);
  double before = batch_row(b, HF_BATCH_Q, 1)[2];
  const uint8_t mask[4] = {0, 0, 1, 0};
  assert_int_equal(hf_batch_reset(b, mask, 0, &error), HF_OK);
  assert_true(batch_row(b, HF_BATCH_Q, 2)[2] == 0.5 && batch_row(b, HF_BATCH_CTRL, 2)[0] == 3);
  assert_true(*batch_row(b, HF_BATCH_TIME, 2) == 0 && batch_row(b, HF_BATCH_V, 2)[2] == 0);
  assert_true(batch_row(b, HF_BATCH_Q, 1)[2] == before && batch_row(b, HF_BATCH_CTRL, 1)[0] == 0);
  assert_int_equal(hf_batch_reset(b, NULL, -1, &error), HF_OK);
  assert_true(batch_row(b, HF_BATCH_Q, 1)[2] == 1 && batch_row(b, HF_BATCH_CTRL, 2)[0] == 0);
  assert_int_equal(hf_batch_reset(b, NULL, 1, &error), HF_ERROR_ARGUMENT);
  hf_batch_free(b);
  hf_model_free(m);
}

// A world with a NaN is flagged by name, stays where it was, and the others have the bits they have without it.
static void test_a_bad_world_stops_alone(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch *b = make_batch(m, 5, 2), *good = make_batch(m, 5, 1);
  hfError error;
  double q[5 * 20 * NQ];
  hfBatchRun run = {.q = q};
  batch_row(b, HF_BATCH_V, 3)[6] = NAN;
  assert_int_equal(hf_batch_step(b, 20, &run, &error), HF_FLAGGED);
  assert_non_null(strstr(error.message, "world 3"));
  assert_non_null(strstr(error.message, "rail"));
  assert_int_equal(hf_batch_step(good, 20, NULL, &error), HF_OK);
  for (int w = 0; w < 5; ++w) {
    const hfWorldReport* r = hf_batch_reports(b) + w;
    assert_int_equal(r->status, w == 3 ? HF_ERROR_NONFINITE : HF_OK);
    assert_int_equal(r->steps, w == 3 ? 0 : 20);
    if (w == 3)
      assert_true(isnan(q[(w * 20 + 19) * NQ]) && batch_row(b, HF_BATCH_Q, w)[2] == 1);
    else {
      assert_memory_equal(batch_row(b, HF_BATCH_Q, w), batch_row(good, HF_BATCH_Q, w), NQ * sizeof(double));
      assert_memory_equal(q + (w * 20 + 19) * NQ, batch_row(b, HF_BATCH_Q, w), NQ * sizeof(double));
    }
  }
  hf_batch_free(b);
  hf_batch_free(good);
  hf_model_free(m);
}

// One call of 12 steps, results after every third, against twelve calls; and the same in two calls that resume.
static void test_runs(void** state) {
  (void)state;
  enum { W = 3, N = 12 };
  hfModel* m = fall_model();
  hfBatch *b = make_batch(m, W, 2), *single = make_batch(m, W, 1), *split = make_batch(m, W, 1);
  hfError error;
  double ctrl[N], q[W * 4 * NQ], q2[W * 4 * NQ], time[W * 4];
  for (int i = 0; i < N; ++i) ctrl[i] = i - 4;
  hfBatchRun run = {.ctrl = ctrl, .ctrl_step = 1, .every = 3, .q = q, .time = time}; // the same controls in every world
  assert_int_equal(hf_batch_step(b, N, &run, &error), HF_OK);
  for (int i = 0; i < N; ++i) {
    for (int w = 0; w < W; ++w) batch_row(single, HF_BATCH_CTRL, w)[0] = ctrl[i];
    hf_batch_step(single, 1, NULL, &error);
    if (i % 3 != 2) continue;
    for (int w = 0; w < W; ++w) {
      assert_memory_equal(q + (w * 4 + i / 3) * NQ, batch_row(single, HF_BATCH_Q, w), NQ * sizeof(double));
      assert_true(time[w * 4 + i / 3] == *batch_row(single, HF_BATCH_TIME, w));
    }
  }
  hfBatchRun half = {.ctrl = ctrl, .ctrl_step = 1, .every = 3, .rows = 4, .q = q2};
  hf_batch_step(split, 6, &half, &error);
  half.ctrl += 6, half.q += 2 * NQ, half.resume = 1;
  hf_batch_step(split, 6, &half, &error);
  assert_memory_equal(q, q2, sizeof q);
  assert_int_equal(hf_batch_reports(split)[0].steps, N);
  hf_batch_free(b);
  hf_batch_free(single);
  hf_batch_free(split);
  hf_model_free(m);
}

// Weight and contacts: a ball of mass 2 m_i rests on the floor with its weight, in gravity of its own.
static void test_parameters(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch* b = make_batch(m, 4, 2);
  hfError error;
  int ball = hf_model_find(m, HF_OBJECT_BODY, "ball");
  for (int w = 0; w < 4; ++w) {
    tensor_row(hf_batch_param(b, HF_FIELD_body_mass), w)[ball] = 2 + w;
    tensor_row(hf_batch_gravity(b), w)[2] = -1 - w;
    batch_row(b, HF_BATCH_Q, w)[2] = 0.1;
  }
  tensor_row(hf_batch_param(b, HF_FIELD_body_mass), 2)[ball] = -1;
  assert_int_equal(hf_batch_update(b, NULL, &error), HF_FLAGGED);
  assert_non_null(strstr(error.message, "world 2"));
  assert_int_equal(hf_batch_reports(b)[2].status, HF_ERROR_MODEL);
  assert_int_equal(hf_batch_step(b, 3000, NULL, &error), HF_OK);
  for (int w = 0; w < 4; ++w) {
    double mass = w == 2 ? 2 : 2 + w, g = w == 2 ? 9.81 : 1 + w, sum = 0; // world 2 keeps the model's values
    assert_above(hf_batch_reports(b)[w].kept, 0);
    for (int i = 0; i < hf_batch_reports(b)[w].kept; ++i) sum += hf_batch_contacts(b, w)[i].fn;
    assert_below(fabs(sum - mass * g), 1e-6 * mass * g); // at rest after 3 s
  }
  assert_null(hf_batch_param(b, HF_FIELD_body_parent).data);
  hf_batch_free(b);
  hf_model_free(m);
}

static void test_states_copy(void** state) {
  (void)state;
  hfModel *m = fall_model(), *other = load_scene("pinch");
  hfBatch* b = make_batch(m, 2, 1);
  hfError error;
  hfState *s = hf_state_create(m), *wrong = hf_state_create(other);
  hf_batch_step(b, 5, NULL, &error);
  assert_int_equal(hf_batch_get_state(b, 0, s, &error), HF_OK);
  hf_batch_reset(b, NULL, -1, &error);
  assert_int_equal(hf_batch_set_state(b, 1, s, &error), HF_OK);
  assert_memory_equal(batch_row(b, HF_BATCH_Q, 1), hf_state_q(s), NQ * sizeof(double));
  assert_int_equal(hf_batch_set_state(b, 2, s, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_batch_set_state(b, 0, wrong, &error), HF_ERROR_ARGUMENT);
  hf_state_free(s);
  hf_state_free(wrong);
  hf_batch_free(b);
  hf_model_free(m);
  hf_model_free(other);
}

static void test_refusals(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch* b = NULL;
  hfError error;
  hfBatchConfig c = hf_batch_config_default();
  c.nworld = 0;
  assert_int_equal(hf_batch_create(&b, m, &c, &error), HF_ERROR_ARGUMENT);
  c = hf_batch_config_default();
  c.device = HF_DEVICE_CPU + 1;
  assert_int_equal(hf_batch_create(&b, m, &c, &error), HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "device 1"));
  c = hf_batch_config_default();
  c.ordinal = 1;
  assert_int_equal(hf_batch_create(&b, m, &c, &error), HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "ordinal 1"));
  c = hf_batch_config_default();
  c.sim.step = -1;
  assert_int_equal(hf_batch_create(&b, m, &c, &error), HF_ERROR_ARGUMENT);
  hfParams* params = NULL;
  c = hf_batch_config_default();
  assert_int_equal(hf_params_create(&params, m, &error), HF_OK);
  assert_int_equal(hf_batch_create(&b, hf_params_model(params), &c, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "hf_model_copy"));
  hf_params_free(params);
  assert_null(b);
  b = make_batch(m, 1, 0);
  assert_int_equal(hf_batch_step(b, 0, NULL, &error), HF_ERROR_ARGUMENT);
  hf_batch_free(b);
  hf_model_free(m);
}

// Without a step: contacts, poses and sensors of the states as they are. Masked worlds keep theirs.
static void test_evaluate(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch* b = make_batch(m, 2, 1);
  hfError error;
  batch_row(b, HF_BATCH_POSE, 0);
  batch_row(b, HF_BATCH_Q, 0)[2] = 0.0999;
  batch_row(b, HF_BATCH_Q, 1)[2] = 0.75;
  const uint8_t mask[2] = {1, 0};
  assert_int_equal(hf_batch_evaluate(b, mask, &error), HF_OK);
  int ball = hf_model_find(m, HF_OBJECT_BODY, "ball");
  assert_true(batch_row(b, HF_BATCH_POSE, 0)[7 * ball + 2] == 0.0999 && batch_row(b, HF_BATCH_POSE, 1)[7 * ball + 2] == 0);
  assert_int_equal(hf_batch_reports(b)[0].ncontact, 1);
  assert_true(*batch_row(b, HF_BATCH_TIME, 0) == 0);
  hf_batch_free(b);
  hf_model_free(m);
}

// A forked child has no worker threads: it steps all worlds itself, with the same bits.
static void test_after_fork(void** state) {
  (void)state;
  hfModel* m = fall_model();
  hfBatch *b = make_batch(m, 4, 3), *same = make_batch(m, 4, 3);
  hfError error;
  hf_batch_step(same, 9, NULL, &error);
  pid_t child = fork();
  if (child == 0) {
    int good = hf_batch_step(b, 9, NULL, &error) == HF_OK &&
               memcmp(batch_row(b, HF_BATCH_Q, 3), batch_row(same, HF_BATCH_Q, 3), NQ * sizeof(double)) == 0;
    hf_batch_free(b);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  hf_batch_free(b);
  hf_batch_free(same);
  hf_model_free(m);
}

// The gripper's world needs less than 64 KiB beside the model, with parameters of its own too.
static void test_memory_of_a_world(void** state) {
  (void)state;
  hfModel* m = load_scene("gripper_mug");
  hfBatch* b = make_batch(m, 2, 1);
  hf_batch_param(b, HF_FIELD_body_mass);
  hf_batch_param(b, HF_FIELD_geom_friction);
  assert_below(hf_batch_bytes_per_world(b), 64 * 1024);
  hf_batch_free(b);
  hf_model_free(m);
}

// A spring that yields rests where the batch says, and the batch sees where it rests: the bits of a sim.
static void test_rests(void** state) {
  (void)state;
  static const char text[] = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' stiffness='100' damping='20' springyield='.05'/>"
                             "<geom size='.1' mass='1'/></body></worldbody></mujoco>";
  hfModel* m = NULL;
  assert_int_equal(hf_model_parse(&m, text, strlen(text), "test.xml", ".", NULL, NULL, NULL), HF_OK);
  hfBatch* b = make_batch(m, 3, 1);
  hfTensor rest = hf_batch_tensor(b, HF_BATCH_REST);
  assert_int_equal(rest.shape[1], m->nrest);
  assert_string_equal(hf_batch_field_name(HF_BATCH_REST), "rest");
  hfSimConfig config = hf_batch_config_default().sim;
  hfSim* sim = NULL;
  hfState* alone = hf_state_create(m);
  assert_int_equal(hf_sim_create(&sim, m, &config, NULL), HF_OK);
  batch_row(b, HF_BATCH_V, 1)[0] = hf_state_mutable_v(alone)[0] = 3;
  tensor_row(rest, 1)[0] = hf_state_mutable_rest(alone)[0] = 0.02;
  assert_int_equal(hf_batch_step(b, 50, NULL, NULL), HF_OK);
  for (int i = 0; i < 50; ++i) assert_int_equal(hf_sim_step(sim, alone, NULL, NULL, NULL), HF_OK);
  assert_memory_equal(batch_row(b, HF_BATCH_Q, 1), hf_state_q(alone), sizeof(double));
  assert_memory_equal(tensor_row(rest, 1), hf_state_rest(alone), sizeof(double) * (size_t)m->nrest);
  assert_above(tensor_row(rest, 1)[0], 0.03);
  assert_true(tensor_row(rest, 0)[0] == 0);
  hf_state_free(alone);
  hf_sim_free(sim);
  hf_batch_free(b);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensors),
      cmocka_unit_test(test_rests),
      cmocka_unit_test(test_reset_by_mask),
      cmocka_unit_test(test_a_bad_world_stops_alone),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_states_copy),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_evaluate),
      cmocka_unit_test(test_after_fork),
      cmocka_unit_test(test_memory_of_a_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
