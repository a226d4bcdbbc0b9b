// Drives that are parts of a scene: PID, inverse dynamics as a constraint, computed torque.
#include "support/peer.h"
#include "support/sim_world.h"
#include <holdfast/actuation.h>
#include <holdfast/control.h>

#define ARM(actuators, custom)                                                                                          \
  "<mujoco><option timestep='0.005'/><worldbody>"                                                                       \
  "<body><joint name='a' axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='1'/>"              \
  "<body pos='0.3 0 0'><joint name='b' axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='0.5'/>" \
  "</body></body></worldbody><actuator>" actuators "</actuator><custom>" custom "</custom></mujoco>"

#define SINES "<text name='hf.signal.pa' data='sine 0.5 0.8 0 0'/><text name='hf.signal.pb' data='sine 0.3 1.3 0.4 0.1'/>"

static double reference(int joint, double t) {
  const double pi = 3.14159265358979323846;
  return joint ? 0.1 + 0.3 * sin(2 * pi * 1.3 * t + 0.4) : 0.5 * sin(2 * pi * 0.8 * t);
}

// A mass of 2 kg hung on a PID servo: the integral ends up carrying it, ki I = m g, without error. Implicit, it does
// that also with gains for which h^2 kp/m = 1e4.
static void test_integral_carries_the_load(void** state) {
  (void)state;
  static const struct { double kp, ki, kd; } gains[] = {{400, 800, 60}, {2e8, 2e8, 2e5}};
  for (int k = 0; k < 2; ++k) {
    char xml[1024];
    snprintf(xml, sizeof xml, "<mujoco><option timestep='0.01'/><worldbody><body><joint name='z' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/></body></worldbody>"
             "<actuator><plugin name='p' joint='z' plugin='mujoco.pid'><config key='kp' value='%g'/><config key='ki' value='%g'/><config key='kd' value='%g'/></plugin></actuator></mujoco>",
             gains[k].kp, gains[k].ki, gains[k].kd);
    simWorld w = sim_world_make(xml, 0, 1e-12);
    assert_int_equal(w.model->na, 1);
    w.input->ctrl[0] = 0.2;
    sim_world_step(&w, 3000); // 30 s; the slowest root is about -ki/kp = -2 /s and -1 /s
    assert_below(fabs(sim_q(&w)[0] - 0.2), 1e-9);
    assert_below(fabs(gains[k].ki * hf_state_act(w.state)[0] - 2 * 9.81), 1e-6);
    sim_world_free(&w);
  }
}

// Explicit drives are MuJoCo's PID step by step: same law, same Euler steps, other order of sums.
static void test_pid_against_mujoco(void** state) {
  (void)state;
  enum { STEPS = 500 };
  char folder[] = "/tmp/hf-pid-XXXXXX", path[256];
  if (peer_run(folder, "sim/mujoco_pid.py", "500") != 0) skip();
  snprintf(path, sizeof path, "%s/pid.xml", folder);
  hfSimConfig config = hf_sim_config_default();
  config.explicit_drives = 1;
  simWorld w = sim_world_with(load_model(path), &config);
  w.input->ctrl[0] = 0.4, w.input->ctrl[1] = -0.3;
  snprintf(path, sizeof path, "%s/pid.txt", folder);
  FILE* in = fopen(path, "r");
  assert_non_null(in);
  double* na = peer_row(in, "na", 1);
  assert_int_equal(w.model->na, (int)na[0]);
  free(na);
  for (int k = 0; k < STEPS; ++k) {
    double* row = peer_row(in, "row", 8);
    sim_world_step(&w, 1);
    peer_compare("q", sim_q(&w), row, 2, 1e-9);
    peer_compare("v", sim_v(&w), row + 2, 2, 1e-9);
    peer_compare("act", hf_state_act(w.state), row + 4, 2, 1e-9);
    peer_compare("force", hf_sim_actuator_force(w.sim), row + 6, 2, 1e-9);
    free(row);
  }
  fclose(in);
  peer_remove(folder);
  sim_world_free(&w);
}

// A position servo as a constraint is the servo with infinite gain: it ends every step on its signal.
static void test_constraint_follows_its_signal(void** state) {
  (void)state;
  simWorld w = sim_world_make(ARM("<position name='pa' joint='a' gear='2'/><position name='pb' joint='b' kp='5'/>",
                                  "<text name='hf.drive' data='constraint'/>" SINES), 0, 1e-12);
  double worst = 0;
  for (int k = 1; k <= 400; ++k) {
    sim_world_step(&w, 1);
    if (k < 5) continue; // starts 0.2 rad off
    for (int i = 0; i < 2; ++i) worst = fmax(worst, fabs((i ? 1 : 2) * sim_q(&w)[i] - reference(i, 0.005 * k)));
  }
  // a row lets through 1/3949 of what its joint would do in a step, here up to 200 rad/s^2 (5 ms)^2 (coupled)
  assert_below(worst, 2e-6);
  sim_world_free(&w);
}

// The same as velocity targets by hand, to the bit; and within its force range exactly.
static void test_constraint_is_a_velocity_target(void** state) {
  (void)state;
  simWorld w = sim_world_make(ARM("<velocity name='pa' joint='a' forcerange='-2 2'/><velocity name='pb' joint='b' forcerange='-2 2'/>",
                                  "<text name='hf.drive' data='constraint'/>"), 0, 1e-12);
  simWorld u = sim_world_make(ARM("<motor joint='a'/><motor joint='b'/>", ""), 0, 1e-12);
  int saturated = 0;
  for (int k = 0; k < 200; ++k) {
    double rate[2] = {sin(0.05 * k), -cos(0.03 * k)};
    memcpy(w.input->ctrl, rate, sizeof rate);
    memcpy(u.input->velocity_target, rate, sizeof rate);
    u.input->force_limit[0] = u.input->force_limit[1] = 2;
    sim_world_step(&w, 1);
    sim_world_step(&u, 1);
    // solver tolerance 1e-12; the rows stand in another order
    for (int i = 0; i < 2; ++i) {
      assert_below(fabs(sim_v(&w)[i] - sim_v(&u)[i]), 1e-8);
      assert_at_most(fabs(hf_sim_actuator_force(w.sim)[i]), 2);
      saturated += fabs(hf_sim_actuator_force(w.sim)[i]) == 2;
    }
  }
  assert_above(saturated, 20);
  assert_below(saturated, 380);
  sim_world_free(&w);
  sim_world_free(&u);
}

// Computed torque in the scene is hf_computed_torque outside, held over the step.
static void test_computed_torque_is_the_library_function(void** state) {
  (void)state;
  simWorld w = sim_world_make(ARM("<position name='pa' joint='a' kp='400' kv='40'/><position name='pb' joint='b' kp='900' kv='60'/>",
                                  "<text name='hf.drive' data='computed-torque'/>" SINES), 0, 1e-12);
  simWorld u = sim_world_make(ARM("<motor joint='a'/><motor joint='b'/>", ""), 0, 1e-12);
  const hfGains gains[2] = {{400, 0, 40}, {900, 0, 60}};
  const double pi = 3.14159265358979323846;
  hfDynamics* d;
  hfError error;
  assert_int_equal(hf_dynamics_create(&d, u.model, &error), HF_OK);
  for (int k = 0; k < 400; ++k) {
    double t = 0.005 * k, scratch[2];
    hfSetpoint wanted[2] = {hf_sinusoid(0.5, 2 * pi * 0.8, 0, 0, t), hf_sinusoid(0.3, 2 * pi * 1.3, 0.4, 0.1, t)};
    hf_dynamics_set_position(d, sim_q(&u), NULL);
    hf_computed_torque(d, sim_q(&u), sim_v(&u), wanted, gains, scratch, u.input->ctrl);
    sim_world_step(&u, 1);
    sim_world_step(&w, 1);
    for (int i = 0; i < 2; ++i) assert_below(fabs(sim_q(&w)[i] - sim_q(&u)[i]), 1e-9); // M a + c against RNEA
  }
  for (int i = 0; i < 2; ++i) assert_below(fabs(sim_q(&w)[i] - reference(i, 2)), 0.02); // held torques lag by h
  hf_dynamics_free(d);
  sim_world_free(&w);
  sim_world_free(&u);
}

// The paper's arm as a scene: eight servos by constraint end their steps of 10 ms on their signals.
static void test_arm_of_the_paper(void** state) {
  (void)state;
  simWorld w = sim_world_load(HF_SOURCE_DIR "/models/ur10_tracking.xml");
  for (int k = 1; k <= 500; ++k) {
    sim_world_step(&w, 1);
    if (k < 5) continue; // starts at rest
    for (int i = 0; i < 6; ++i) {
      int dof = hf_model_jnt_dofadr(w.model)[hf_model_actuator_trnid(w.model)[2 * i]];
      double want = hf_signal_value(w.model, hf_model_actuator_signal(w.model)[i], 0.01 * k);
      // 1/3949 of what gravity and motion do to a joint in a step, under 200 rad/s^2 (10 ms)^2
      assert_below(fabs(sim_q(&w)[dof] - want), 6e-6);
    }
  }
  sim_world_free(&w);
}

// drive_law = constraint and computed-torque do to a plain scene what hf.drive does, to the bit; motors stay.
static void test_config_drives_a_plain_scene(void** state) {
  (void)state;
  static const char* const laws[] = {"constraint", "computed-torque"};
  for (int k = 0; k < 2; ++k) {
    simWorld w[2];
    for (int i = 0; i < 2; ++i) {
      char custom[512], xml[2048];
      hfError error = {HF_OK, ""};
      hfSimConfig config = hf_sim_config_default();
      snprintf(custom, sizeof custom, "<text name='hf.drive' data='%s'/>", laws[k]);
      snprintf(xml, sizeof xml, ARM("<position name='pa' joint='a' kp='100' kv='20'/><motor name='pb' joint='b'/>", "%s%s"), i ? "" : custom, SINES);
      w[i] = (simWorld){.model = parse_model(xml)};
      if (i) assert_int_equal(hf_sim_config_set(&config, "drive_law", laws[k], &error), HF_OK);
      assert_int_equal(hf_sim_create(&w[i].sim, w[i].model, &config, &error), HF_OK);
      w[i].state = hf_state_create(w[i].model);
      w[i].input = hf_input_create(w[i].model);
      sim_world_step(&w[i], 100);
    }
    assert_memory_equal(sim_q(&w[0]), sim_q(&w[1]), 2 * sizeof(double));
    for (int i = 0; i < 2; ++i) sim_world_free(&w[i]);
  }
}

static void refuse(const char* xml, const char* part) {
  hfModel* m = NULL;
  hfError error = {HF_OK, ""};
  assert_below(hf_model_parse(&m, xml, strlen(xml), "test.xml", ".", NULL, NULL, &error), 0);
  if (!strstr(error.message, part)) fail_msg("\"%s\" does not say \"%s\"", error.message, part);
}

static void test_refusals(void** state) {
  (void)state;
  refuse(ARM("<motor name='pa' joint='a'/>", "<text name='hf.drive.pa' data='constraint'/>"), "only position and velocity servos");
  refuse(ARM("<position name='pa' joint='a'/>", "<text name='hf.drive.pa' data='magic'/>"), "servo, constraint, computed-torque");
  refuse(ARM("<plugin name='pa' joint='a' plugin='mujoco.pid' instance='none'/>", ""), "no instance \"none\"");
  refuse(ARM("<plugin name='pa' joint='a' plugin='mujoco.pid'><config key='kq' value='1'/></plugin>", ""), "no parameter \"kq\"");
  hfModel* m = parse_model(ARM("<position name='pa' joint='a'/>", "<text name='hf.drive' data='constraint'/>"));
  hfSimConfig config = hf_sim_config_default();
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};
  config.method = HF_METHOD_RK3;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "inverse dynamics"));
  hf_model_free(m);
}

// In continuous time the integral is a state of the integrator: it carries the load there too, and the analytic
// Jacobian knows it (implicit Euler with either Jacobian takes the same steps).
static void test_integral_in_continuous_time(void** state) {
  (void)state;
  const char* xml = "<mujoco><option timestep='0.01'/><worldbody><body><joint name='z' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/></body></worldbody>"
                    "<actuator><plugin name='p' joint='z' plugin='mujoco.pid'><config key='kp' value='400'/><config key='ki' value='800'/><config key='kd' value='60'/></plugin></actuator></mujoco>";
  double end[2];
  for (int jacobian = 0; jacobian < 2; ++jacobian) {
    hfSimConfig config = hf_sim_config_default();
    config.method = HF_METHOD_IMPLICIT_EULER;
    config.continuous.jacobian = jacobian;
    simWorld w = sim_world_with(parse_model(xml), &config);
    w.input->ctrl[0] = 0.2;
    sim_world_step(&w, 50);
    end[jacobian] = sim_q(&w)[0];
    sim_world_step(&w, 1500);
    assert_below(fabs(sim_q(&w)[0] - 0.2), 1e-6);
    assert_below(fabs(800 * hf_state_act(w.state)[0] - 2 * 9.81), 1e-3);
    sim_world_free(&w);
  }
  assert_below(fabs(end[0] - end[1]), 1e-6); // Newton's tolerance
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_integral_carries_the_load),
                                     cmocka_unit_test(test_pid_against_mujoco),
                                     cmocka_unit_test(test_constraint_follows_its_signal),
                                     cmocka_unit_test(test_constraint_is_a_velocity_target),
                                     cmocka_unit_test(test_computed_torque_is_the_library_function),
                                     cmocka_unit_test(test_integral_in_continuous_time),
                                     cmocka_unit_test(test_arm_of_the_paper), cmocka_unit_test(test_config_drives_a_plain_scene), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
