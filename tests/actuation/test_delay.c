// Controls that act later: what MuJoCo makes of them, and what a state, a copy and every method make of them.
#include "support/near.h"
#include "support/peer_world.h"

#include <unistd.h>

// 40 steps with controls at random. Forces 1e-12: the same sums in another order; states 1e-9: what the solver's tolerance leaves.
static void test_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_delay_XXXXXX";
  FILE* in;
  if (peer_run(folder, "actuation/mujoco_delay.py", "40 7") != 0) skip();
  simWorld w = peer_world_load(folder, &in);
  for (int k = 0; k < 40; ++k) {
    double *mark = peer_row(in, "step", 0), *ctrl = peer_row(in, "ctrl", w.model->nu), *force = peer_row(in, "force", w.model->nu);
    memcpy(w.input->ctrl, ctrl, sizeof *ctrl * (size_t)w.model->nu);
    sim_world_step(&w, 1);
    peer_compare("force", hf_sim_actuator_force(w.sim), force, w.model->nu, 1e-12);
    assert_memory_equal(hf_sim_ctrl(w.sim), ctrl, sizeof *ctrl * (size_t)w.model->nu);
    double *q = peer_row(in, "qpos", 1), *v = peer_row(in, "qvel", 1), *act = peer_row(in, "act", w.model->na);
    peer_compare("qpos", sim_q(&w), q, 1, 1e-9);
    peer_compare("qvel", sim_v(&w), v, 1, 1e-9);
    peer_compare("act", hf_state_act(w.state), act, w.model->na, 1e-9);
    free(mark), free(ctrl), free(force), free(q), free(v), free(act);
  }
  fclose(in);
  sim_world_free(&w);
  peer_remove(folder);
}

#define CART(actuator) \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody><actuator>" actuator "</actuator></mujoco>"

// A force of 6 N from the start on acts on 2 kg 20 ms later, in steps of any length, whatever the method.
static void test_methods(void** state) {
  (void)state;
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK, HF_METHOD_SWITCHING};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
    for (int n = 1; n <= 4; n *= 2) {
      double h = 0.004 / n;
      simWorld w = sim_world_make_method(CART("<motor joint='j' delay='.02' nsample='40'/>"), methods[k], h, 1e-12);
      w.input->ctrl[0] = 6;
      sim_world_step(&w, 25 * n);
      assert_near(sim_v(&w)[0], 6. / 2 * (0.1 - 0.02), 3.001 * h); // implicit Euler looks at the end of its steps: one more
      sim_world_free(&w);
    }
}

// The state holds what is under way: a copy goes on with the same bits, and a reset forgets it.
static void test_state(void** state) {
  (void)state;
  simWorld w = sim_world_make(CART("<position joint='j' kp='100' kv='5' delay='.011' nsample='7' interp='cubic'/>"), 0.002, 1e-12);
  for (int k = 0; k < 20; ++k) {
    w.input->ctrl[0] = sin(k);
    sim_world_step(&w, 1);
  }
  hfState* copy = hf_state_clone(w.state);
  hfState* fresh = hf_state_create(w.model);
  w.input->ctrl[0] = 0.3;
  sim_world_step(&w, 10);
  double q = sim_q(&w)[0];
  assert_int_equal(hf_state_copy(w.state, copy, NULL), HF_OK);
  sim_world_step(&w, 10);
  assert_memory_equal(&q, sim_q(&w), sizeof q);
  hf_state_reset(w.state, w.model);
  assert_memory_equal(hf_state_history(w.state), hf_state_history(fresh), sizeof(double) * (size_t)fresh->nhistory);
  hf_state_free(copy), hf_state_free(fresh);
  sim_world_free(&w);
}

// A control that is still under way wakes what sleeps when it arrives.
static void test_wakes(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                              "<geom type='box' size='.1 .1 .1'/><site name='s'/></body></worldbody><actuator><motor site='s' gear='0 0 1 0 0 0' delay='.1' nsample='50'/>"
                              "</actuator></mujoco>", 0.002, 1e-10);
  sim_world_step(&w, 1000);
  double z = sim_q(&w)[2];
  w.input->ctrl[0] = 200;
  sim_world_step(&w, 49);
  assert_near(sim_q(&w)[2], z, 1e-9);
  sim_world_step(&w, 50);
  assert_above(sim_q(&w)[2], z + 0.01);
  sim_world_free(&w);
}

// A state of a file goes on with the same bits; one whose history makes no sense is refused.
static void test_files(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_delay_XXXXXX", path[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state.hfs", folder);
  simWorld w = sim_world_load(HF_SOURCE_DIR "/tests/actuation/delays.xml");
  for (int k = 0; k < 9; ++k) {
    for (int i = 0; i < w.model->nu; ++i) w.input->ctrl[i] = sin(k + i);
    sim_world_step(&w, 1);
  }
  assert_int_equal(hf_state_write(w.state, path, NULL), HF_OK);
  sim_world_step(&w, 9);
  hfState* later = hf_state_clone(w.state);
  assert_int_equal(hf_state_read(w.state, path, NULL), HF_OK);
  sim_world_step(&w, 9);
  assert_memory_equal(later, w.state, later->size);
  hfError error;
  double* history = hf_state_mutable_history(w.state) + hf_model_actuator_historyadr(w.model)[2];
  history[1] = history[0];
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the history of actuator \"brake\" has a number that is not finite, or times that do not ascend");
  memcpy(hf_state_mutable_history(w.state), hf_state_history(later), sizeof *history * (size_t)later->nhistory);
  history[hf_model_actuator_nsample(w.model)[2]] = NAN;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, NULL), HF_ERROR_NONFINITE);
  hf_state_free(later);
  sim_world_free(&w);
  remove(path), rmdir(folder);
}

// Nothing is under way at a keyframe, whatever its time; a clock that is set back takes what is under way with it.
static void test_clock(void** state) {
  (void)state;
  static const char xml[] = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/><geom size='.1' mass='2'/></body></worldbody>"
                            "<actuator><motor joint='j' delay='.005' nsample='4' interp='linear'/></actuator><keyframe><key time='5'/></keyframe></mujoco>";
  simWorld w = sim_world_make(xml, 0, 1e-12);
  assert_int_equal(hf_state_set_key(w.state, w.input, w.model, 0, NULL), HF_OK);
  w.input->ctrl[0] = 4;
  const double force[] = {0, 0, 2, 4, 4, 4}; // 4 at time 5, 0 at 4.998: half of it after 5 - 4 ms
  for (int k = 0; k < 6; ++k) {
    sim_world_step(&w, 1);
    assert_near(hf_sim_actuator_force(w.sim)[0], force[k], 1e-9);
  }
  w.state->time = 1;
  sim_world_step(&w, 3);
  const double* times = hf_state_history(w.state);
  for (int k = 0; k < 3; ++k) assert_near(times[k + 1] - times[k], 0.002, 1e-12);
  assert_near(times[3], 1.004, 1e-12);
  sim_world_free(&w);
}

// Steps that are shorter than the scene's need more samples than it has; so do delays that an overlay asks for.
static void test_capacity(void** state) {
  (void)state;
  hfModel* m = parse_model(CART("<motor name='a' joint='j' delay='.006' nsample='4'/>"));
  hfSimConfig config = hf_sim_config_default();
  hfError error;
  hfSim* sim;
  config.step = 0.001;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_ARGUMENT);
  assert_string_equal(error.message, "actuator \"a\": a delay of 0.006 s is more than its history of 4 steps of 0.001 s");
  hfParams* p;
  assert_int_equal(hf_params_create(&p, m, NULL), HF_OK);
  const double delays[] = {0.008, 0.009, -0.001, NAN, INFINITY};
  const hfStatus expected[] = {HF_OK, HF_ERROR_MODEL, HF_ERROR_MODEL, HF_ERROR_NONFINITE, HF_ERROR_NONFINITE};
  for (int k = 0; k < 5; ++k) {
    *hf_params_field(p, HF_FIELD_actuator_delay) = delays[k];
    assert_int_equal(hf_params_update(p, &error), expected[k]);
  }
  assert_near(hf_model_actuator_delay(hf_params_model(p))[0], 0.008, 0);
  hf_params_free(p);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mujoco), cmocka_unit_test(test_methods), cmocka_unit_test(test_state), cmocka_unit_test(test_wakes),
                                     cmocka_unit_test(test_files), cmocka_unit_test(test_clock), cmocka_unit_test(test_capacity)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
