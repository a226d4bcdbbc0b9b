// Fields of hfSimConfig that change what a step computes, each against a closed form.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

static simWorld make_world(const char* xml, hfSimConfig config) {
  config.step = 1e-3;
  return sim_world_with(parse_model(xml), &config);
}

// A motor of a scene whose signal is the constant 3: v = h 3/m with signals, 0 without.
static void test_scene_signals(void** state) {
  (void)state;
  const char* xml = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
                    "<geom size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
                    "<actuator><motor name='m' joint='x'/></actuator>"
                    "<custom><text name='hf.signal.m' data='constant 3'/></custom></mujoco>";
  for (int signals = 0; signals <= 1; ++signals) {
    hfSimConfig config = hf_sim_config_default();
    config.scene_signals = signals;
    simWorld w = make_world(xml, config);
    sim_world_step(&w, 1);
    assert_near(hf_sim_ctrl(w.sim)[0], signals ? 3 : 0, 0);
    assert_near(hf_state_v(w.state)[0], signals ? 1e-3 * 3 / 2 : 0, 1e-15); // rounding of one step
    sim_world_free(&w);
  }
}

// Two motors, one with the signal 3: a control that the input gives wins, NaN leaves it to the signal, and a new input does that.
static void test_given_controls_win(void** state) {
  (void)state;
  const char* xml = "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' axis='0 1 0'/>"
                    "<geom size='.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
                    "<actuator><motor name='m' joint='x'/><motor name='n' joint='y'/></actuator>"
                    "<custom><text name='hf.signal.m' data='%s'/></custom><keyframe><key name='k' ctrl='7 8'/></keyframe></mujoco>";
  static const char* const signals[] = {"constant 3", "feedback x 0 3 0 0 0 0"}; // both are 3
  for (int k = 0; k < 2; ++k) {
    char text[1000];
    snprintf(text, sizeof text, xml, signals[k]);
    simWorld w = make_world(text, hf_sim_config_default());
    hfError error;
    double* ctrl = w.input->ctrl;
    const struct { double given[2], acts[2]; } cases[] = {{{NAN, 5}, {3, 5}}, {{4, 5}, {4, 5}}, {{0, 0}, {0, 0}}};
    assert_true(isnan(ctrl[0]) && ctrl[1] == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      memcpy(ctrl, cases[i].given, sizeof cases[i].given);
      sim_world_step(&w, 1);
      assert_memory_equal(hf_sim_ctrl(w.sim), cases[i].acts, sizeof cases[i].acts);
    }
    assert_int_equal(hf_state_set_key(w.state, w.input, w.model, 0, &error), HF_OK); // the signal comes before the keyframe
    assert_true(isnan(ctrl[0]) && ctrl[1] == 8);
    sim_world_step(&w, 1);
    assert_near(hf_sim_ctrl(w.sim)[0], 3, 0);
    ctrl[1] = NAN; // nobody sets it
    hfStepReport report;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, &report, &error), HF_ERROR_NONFINITE);
    assert_non_null(strstr(error.message, "ctrl[1]"));
    sim_world_free(&w);
  }
}

// A ball that overlaps the floor by 1 mm without gravity: method mlcp removes the share `recovery` of it.
static void test_mlcp_recovery(void** state) {
  (void)state;
  const char* xml = "<mujoco><option gravity='0 0 0'/><custom><numeric name='hf.release_speed' data='10'/></custom><worldbody><geom type='plane' size='1 1 1'/>"
                    "<body pos='0 0 0.099'><freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>";
  const double shares[] = {0, 0.25, 1};
  for (int i = 0; i < 3; ++i) {
    hfSimConfig config = hf_sim_config_default();
    config.method = HF_METHOD_MLCP;
    config.mlcp.recovery = shares[i];
    simWorld w = make_world(xml, config);
    sim_world_step(&w, 1);
    assert_near(hf_state_q(w.state)[2], 0.099 + shares[i] * 0.001, 1e-9); // 1e-6 of 1 mm, the tolerance of mlcp
    sim_world_free(&w);
  }
}

// Room for many contacts costs method mlcp nothing until there are many: its dense matrices, which would need more than the machine has, follow need.
static void test_room_for_many_contacts(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
                           "<body pos='0 0 1'><freejoint/><geom size='.1' condim='6'/>"
                           "<body><joint armature='.1'/><joint axis='1 0 0' armature='.1'/><joint type='ball'/><geom size='.1'/>"
                           "<body><joint type='ball'/><geom size='.1'/></body></body></body></worldbody></mujoco>");
  hfSimConfig config = hf_sim_config_default();
  hfSim* sim = NULL;
  hfError error;
  config.max_contacts = 100000;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
  hf_sim_free(sim), sim = NULL;
  config.method = HF_METHOD_MLCP;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
  hf_sim_free(sim);
  hf_model_free(m);
}

// What the configuration takes a step takes, too: the ends of all ranges of the solver's options. Rungs in the wrong order are refused before the first step.
static void test_solver_takes_what_the_configuration_takes(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  static const char* const ends[][2] = {{"solver.theta_max", "3.14"}, {"solver.theta_max", "1e-3"}, {"solver.tolerance", "1"}, {"solver.tolerance", "1e-15"},
                                        {"solver.max_iterations", "1"}, {"solver.coupling", "frictionless"}, {"solver.last_rung", "tamsi"}};
  hfError error;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    hfSimConfig config = hf_sim_config_default();
    assert_int_equal(hf_sim_config_set(&config, ends[i][0], ends[i][1], &error), HF_OK);
    simWorld w = sim_world_with(m, &config);
    assert_at_least(hf_sim_step(w.sim, w.state, NULL, NULL, &error), 0);
    hf_sim_free(w.sim), hf_state_free(w.state), hf_input_free(w.input);
  }
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_sim_config_set(&config, "solver.theta_max", "3.1415", &error), HF_ERROR_ARGUMENT);
  assert_string_equal(error.message, "option solver.theta_max = 3.1415: allowed is 0.001 to 3.14");
  hfSim* sim = NULL;
  config.method = HF_METHOD_CONVEX, config.solver.last_rung = HF_RUNG_MERIT;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_ARGUMENT);
  assert_string_equal(error.message, "solver: first_rung = 3, last_rung = 2: allowed is 1 to 3, and the first must not be above the last");
  assert_null(sim);
  hf_model_free(m);
}

static void assert_idle(hfSimConfig config, const char* name, const char* value, const char* message) {
  hfModel* m = parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  hfSim* sim = NULL;
  hfError error;
  assert_int_equal(hf_sim_config_set(&config, name, value, &error), HF_OK);
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_UNSUPPORTED);
  assert_string_equal(error.message, message);
  assert_null(sim);
  hf_model_free(m);
}

// An option that the steps of the method do not read is refused, not ignored.
static void test_options_that_cannot_act(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  assert_idle(config, "continuous.newton", "quasi",
              "option continuous.newton = quasi cannot act: it belongs to the methods \"implicit-euler\" and \"sdirk\", the method is \"tamsi\"");
  assert_idle(config, "switching.contact_mode", "rigid", "option switching.contact_mode = rigid cannot act: it belongs to the method \"switching\", the method is \"tamsi\"");
  assert_idle(config, "mlcp.edges", "12", "option mlcp.edges = 12 cannot act: it belongs to the method \"mlcp\", the method is \"tamsi\"");
  assert_idle(config, "smallest_step", "1e-6", "option smallest_step = 1e-06 cannot act: without the option accuracy all steps have one length");
  config.method = HF_METHOD_MLCP;
  assert_idle(config, "friction", "regularised", "option friction = regularised cannot act: method \"mlcp\" has Coulomb's friction");
  assert_idle(config, "accuracy", "1e-3",
              "option accuracy = 0.001 cannot act: it belongs to the methods \"tamsi\", \"convex\", \"rk3\", \"implicit-euler\", \"sdirk\" and \"switching\", the method "
              "is \"mlcp\"");
  config.method = HF_METHOD_RK3;
  assert_idle(config, "near_rigid", "1", "option near_rigid = 1 cannot act: it belongs to the methods \"tamsi\", \"convex\" and \"mlcp\", the method is \"rk3\"");
  config.method = HF_METHOD_CONVEX;
  assert_idle(config, "solver.first_rung", "merit", "option solver.first_rung = merit cannot act: method \"convex\" has the rung convex alone");
}

// A complete configuration, as a sim returns it, makes the same sim again, with every method.
static void test_complete_configuration_is_taken(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  hfError error;
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method) {
    hfSimConfig config = hf_sim_config_default();
    hfSim *sim = NULL, *again = NULL;
    config.method = method;
    assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
    assert_int_equal(hf_sim_create(&again, m, hf_sim_config(sim), &error), HF_OK);
    hf_sim_free(sim), hf_sim_free(again);
  }
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scene_signals), cmocka_unit_test(test_given_controls_win),
      cmocka_unit_test(test_mlcp_recovery),
      cmocka_unit_test(test_room_for_many_contacts),
      cmocka_unit_test(test_solver_takes_what_the_configuration_takes),
      cmocka_unit_test(test_options_that_cannot_act), cmocka_unit_test(test_complete_configuration_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
