// Springs that yield: where MuJoCo's rest, how far a spring gives way, and what states make of it.
#include "support/near.h"
#include "support/peer_world.h"

// 200 postures. 1e-10: the same sums in another order, over many steps.
static void test_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_yield_XXXXXX";
  FILE* in;
  if (peer_run(folder, "actuation/mujoco_yield.py", "200 5") != 0) skip();
  simWorld w = peer_world_load(folder, &in);
  assert_int_equal(w.state->nrest, w.model->nq + 2 * w.model->ntendon);
  for (int k = 0; k < 200; ++k) {
    double *mark = peer_row(in, "step", 0), *q = peer_row(in, "qpos", w.model->nq), *rest = peer_row(in, "plastic", w.state->nrest);
    memcpy(hf_state_mutable_q(w.state), q, sizeof *q * (size_t)w.model->nq);
    memset(hf_state_mutable_v(w.state), 0, sizeof *q * (size_t)w.model->nv);
    sim_world_step(&w, 1);
    peer_compare("rest", hf_state_rest(w.state), rest, w.state->nrest, 1e-10);
    free(mark), free(q), free(rest);
  }
  fclose(in);
  sim_world_free(&w);
  peer_remove(folder);
}

#define CART "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' stiffness='100' damping='20' springyield='.05'/><geom size='.1' mass='1'/></body>" \
             "</worldbody><actuator><motor joint='j'/></actuator><sensor><e_potential/></sensor></mujoco>"

// A spring of 100 N/m that yields at 5 cm: 4 N bend it, and it comes back; under 6 N it gives way for as long as they act, and what is over 5 cm stays.
static void test_cart(void** state) {
  (void)state;
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    simWorld w = sim_world_make_method(CART, methods[k], 0.002, 1e-12);
    w.input->ctrl[0] = 4;
    sim_world_step(&w, 2000);
    assert_near(sim_q(&w)[0], 0.04, 1e-6);
    assert_near(hf_state_rest(w.state)[0], 0, 0);
    assert_near(hf_sim_sensors(w.sim)[0], 50 * 0.04 * 0.04, 1e-6);
    w.input->ctrl[0] = 6;
    sim_world_step(&w, 1000);
    double most = sim_q(&w)[0], rest = hf_state_rest(w.state)[0];
    assert_near(most - rest, 0.05, 1e-12);
    assert_near(sim_v(&w)[0], (6 - 5) / 20., 2e-3); // the damper alone carries what the spring does not
    assert_near(hf_sim_sensors(w.sim)[0], 50 * 0.05 * 0.05, 1e-9);
    w.input->ctrl[0] = 0;
    sim_world_step(&w, 3000);
    assert_near(sim_q(&w)[0], hf_state_rest(w.state)[0], 1e-6);
    assert_at_least(hf_state_rest(w.state)[0], rest);
    assert_above(rest, 0.05);
    hf_state_reset(w.state, w.model);
    assert_near(hf_state_rest(w.state)[0], 0, 0);
    sim_world_free(&w);
  }
}

// A copy goes on with the same bits, another model's state does not fit, and a rest that is not finite is refused.
static void test_state(void** state) {
  (void)state;
  simWorld w = sim_world_make(CART, 0.002, 1e-12);
  w.input->ctrl[0] = 8;
  sim_world_step(&w, 300);
  hfState* copy = hf_state_clone(w.state);
  sim_world_step(&w, 100);
  double q = sim_q(&w)[0];
  assert_int_equal(hf_state_copy(w.state, copy, NULL), HF_OK);
  sim_world_step(&w, 100);
  assert_memory_equal(&q, sim_q(&w), sizeof q);
  hf_state_mutable_rest(copy)[0] = NAN;
  hfError error;
  assert_int_equal(hf_sim_step(w.sim, copy, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the rest of a spring is not finite");
  hf_state_free(copy);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mujoco), cmocka_unit_test(test_cart), cmocka_unit_test(test_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
