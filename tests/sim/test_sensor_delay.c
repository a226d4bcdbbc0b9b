// Sensors whose numbers arrive later, or that measure at intervals: MuJoCo's numbers, and what states, clocks and files make of them.
#include "support/near.h"
#include "support/peer_world.h"

#include <unistd.h>

// 400 steps with controls at random, 120 sensors. 1e-9: what the solver's tolerance leaves.
static void test_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_sensor_XXXXXX";
  FILE* in;
  if (peer_run(folder, "sim/mujoco_sensor_delay.py", "400 11") != 0) skip();
  simWorld w = peer_world_load(folder, &in);
  for (int k = 0; k < 400; ++k) {
    double *mark = peer_row(in, "step", 0), *ctrl = peer_row(in, "ctrl", 1), *sensor = peer_row(in, "sensor", w.model->nsensordata);
    w.input->ctrl[0] = ctrl[0];
    sim_world_step(&w, 1);
    peer_compare("sensor", hf_sim_sensors(w.sim), sensor, w.model->nsensordata, 1e-9);
    // looking at the state without a step shows the same and changes nothing
    assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, NULL), HF_OK);
    peer_compare("sensor, evaluated", hf_sim_sensors(w.sim), sensor, w.model->nsensordata, 1e-9);
    free(mark), free(ctrl), free(sensor);
  }
  fclose(in);
  sim_world_free(&w);
  peer_remove(folder);
}

static const char clocks[] = "<mujoco><worldbody/><sensor><clock name='late' delay='.006' nsample='3'/><clock name='rare' interval='.0049' nsample='1'/>"
                             "<clock name='half' delay='.003' nsample='2' interp='linear'/></sensor><keyframe><key time='7'/></keyframe></mujoco>";

// A clock shows at which time it was read. A new state and a keyframe have measured zeros before; a clock that is set back takes them along.
static void test_clock(void** state) {
  (void)state;
  for (int key = -1; key < 1; ++key) {
    simWorld w = sim_world_make(clocks, 0, 1e-12);
    if (key == 0) assert_int_equal(hf_state_set_key(w.state, w.input, w.model, 0, NULL), HF_OK);
    double start = w.state->time;
    for (int k = 0; k < 5; ++k) {
      sim_world_step(&w, 1);
      const double *x = hf_sim_sensors(w.sim), t = start + 0.002 * (k + 1), rare = t < start + 0.0055 ? start : t < start + 0.0095 ? start + 0.006 : start + 0.01;
      double late = t - 0.006 < start - 1e-9 ? 0 : t - 0.006, half = t - 0.003, fraction = (half - (start - 0.002)) / 0.002;
      assert_near(x[0], late, 1e-9);
      assert_near(x[1], rare, 1e-9);
      assert_near(x[2], half < start - 1e-9 ? fraction * start : half, 1e-9);
    }
    w.state->time = 1;
    sim_world_step(&w, 10);
    assert_near(hf_sim_sensors(w.sim)[0], 1.02 - 0.006, 1e-9);
    assert_near(hf_sim_sensors(w.sim)[2], 1.02 - 0.003, 1e-9);
    w.state->time = 3;
    sim_world_step(&w, 10);
    assert_near(hf_sim_sensors(w.sim)[0], 3.02 - 0.006, 1e-9);
    sim_world_free(&w);
  }
}

// The state holds what has not arrived: a copy and a file go on with the same numbers, in another sim too.
static void test_state(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_sensor_XXXXXX", path[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state.hfs", folder);
  simWorld a = sim_world_load(HF_SOURCE_DIR "/tests/actuation/delays.xml"), b = sim_world_load(HF_SOURCE_DIR "/tests/actuation/delays.xml");
  a.input->ctrl[0] = b.input->ctrl[0] = 3;
  sim_world_step(&a, 11);
  assert_int_equal(hf_state_write(a.state, path, NULL), HF_OK);
  sim_world_step(&a, 7);
  assert_int_equal(hf_state_read(b.state, path, NULL), HF_OK);
  sim_world_step(&b, 7);
  assert_memory_equal(a.state, b.state, a.state->size);
  assert_memory_equal(hf_sim_sensors(a.sim), hf_sim_sensors(b.sim), sizeof(double) * (size_t)a.model->nsensordata);
  hfError error;
  double* history = hf_state_mutable_history(a.state) + hf_model_sensor_historyadr(a.model)[1];
  history[2] = history[1];
  assert_int_equal(hf_sim_step(a.sim, a.state, a.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the history of sensor \"tip\" has a time that is not finite, or times that do not ascend");
  sim_world_free(&a), sim_world_free(&b);
  remove(path), rmdir(folder);
}

// Shorter steps than the scene's need more measurements, but not where these are at intervals.
static void test_capacity(void** state) {
  (void)state;
  hfModel *steps = parse_model("<mujoco><worldbody/><sensor><clock name='c' delay='.006' nsample='3'/></sensor></mujoco>"),
          *intervals = parse_model("<mujoco><worldbody/><sensor><clock name='c' delay='.006' nsample='2' interval='.003'/></sensor></mujoco>");
  hfSimConfig config = hf_sim_config_default();
  config.step = 0.001;
  hfError error;
  hfSim* sim;
  assert_int_equal(hf_sim_create(&sim, steps, &config, &error), HF_ERROR_ARGUMENT);
  assert_string_equal(error.message, "sensor \"c\": a delay of 0.006 s is more than its history of 3 measurements in steps of 0.001 s");
  assert_int_equal(hf_sim_create(&sim, intervals, &config, &error), HF_OK);
  hf_sim_free(sim);
  hf_model_free(steps), hf_model_free(intervals);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mujoco), cmocka_unit_test(test_clock), cmocka_unit_test(test_state), cmocka_unit_test(test_capacity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
