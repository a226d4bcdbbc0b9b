// DC motors over steps. tests/actuation/test_mujoco.c compares their forces and rates with MuJoCo's.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>

// A wheel of 0.02 kg m^2 on a hinge.
#define WHEEL(motor) \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 0 1'/><geom type='cylinder' size='.2 .05' mass='1'/></body></worldbody>" \
  "<actuator>" motor "</actuator><sensor><actuatorfrc actuator='m'/></sensor></mujoco>"

static const hfMethod METHODS[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
enum { NMETHODS = sizeof METHODS / sizeof *METHODS };

// Without a load the motor reaches the speed V/K, whatever the step: 100 steps of 50 ms, where R = 1 mOhm makes the back-EMF stiff
// (K^2/R h/I = 62, an explicit step would explode from 2 on).
static void test_no_load_speed(void** state) {
  (void)state;
  simWorld w = sim_world_make(WHEEL("<dcmotor name='m' joint='j' motorconst='.05 .05' resistance='.0001'/>"), 0.05, 1e-12);
  w.input->ctrl[0] = 6;
  sim_world_step(&w, 100);
  assert_near(sim_v(&w)[0], 6 / 0.05, 1e-6 * 120);
  assert_near(hf_sim_actuator_force(w.sim)[0], 0, 1e-5);
  sim_world_free(&w);
}

// Over one step the velocity is that of implicit Euler, with the current's exponential: the equation is linear and solved by hand.
static void test_one_step(void** state) {
  (void)state;
  const double K = 0.05, R = 2, te = 0.004, h = 0.01, I = 0.5 * 1 * 0.2 * 0.2, V = 10, g = 1 - exp(-h / te), i0 = 0.3;
  simWorld w = sim_world_make(WHEEL("<dcmotor name='m' joint='j' motorconst='.05 .05' resistance='2' inductance='0 .004'/>"), h, 1e-13);
  sim_v(&w)[0] = 7;
  hf_state_mutable_act(w.state)[0] = i0;
  w.input->ctrl[0] = V;
  sim_world_step(&w, 1);
  double v = (I * 7 + h * K * ((1 - g) * i0 + g * V / R)) / (I + h * K * g * K / R), i1 = (1 - g) * i0 + g * (V - K * v) / R;
  assert_near(sim_v(&w)[0], v, 1e-11);
  assert_near(hf_state_act(w.state)[0], i1, 1e-11);
  assert_near(hf_sim_actuator_force(w.sim)[0], K * i1, 1e-11);
  sim_world_free(&w);
}

// The controller delivers the torque that it commands until the voltage or the torque is at its bound.
static void test_controller(void** state) {
  (void)state;
  for (int k = 0; k < NMETHODS; ++k) {
    simWorld w = sim_world_make_method(WHEEL("<dcmotor name='m' joint='j' motorconst='.05 .05' resistance='2' input='pos vel ff' controller='4 1 .4 0 .5 0'/>"),
                                       METHODS[k], 0.002, 1e-12);
    assert_int_equal(w.model->nu, 3);
    w.input->ctrl[0] = 0.5, w.input->ctrl[2] = 0.01;
    sim_world_step(&w, 4000);
    assert_near(sim_q(&w)[0], 0.5, 0.004); // The integral takes over the feedforward with the time constant kp/ki.
    assert_near(hf_state_act(w.state)[0], -0.01, 0.01);
    sim_world_free(&w);
  }
  simWorld w = sim_world_make(WHEEL("<dcmotor name='m' joint='j' motorconst='.05 .05' resistance='2' input='pos' controller='1000 0 0 0 0 12' saturation='.25'/>"), 0.002, 1e-12);
  w.input->ctrl[0] = 1;
  sim_world_step(&w, 1);
  assert_near(hf_sim_actuator_force(w.sim)[0], 0.25, 1e-12);
  sim_v(&w)[0] = 200; // 12 V drive K (12 - 0.05 200)/2 = 0.05 N m at this speed
  sim_world_step(&w, 1);
  assert_near(hf_sim_actuator_force(w.sim)[0], 0.05, 1e-4);
  sim_world_free(&w);
}

// A slide with LuGre friction sticks below the static force and creeps by the bend of its bristles only; above it, it slides. The
// bristles have 1e6 N/m on 0.1 kg, which a step of 5 ms could not follow explicitly (sigma0 h^2/m = 250, the limit is 4).
static void test_friction_sticks(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/><geom size='.1' mass='.1'/></body></worldbody><actuator>"
      "<dcmotor name='m' joint='j' input='none' motorconst='0' resistance='1' lugre='1e6 300 1 1.5 .01'/><motor joint='j'/></actuator></mujoco>";
  simWorld w = sim_world_make(scene, 0.005, 1e-12);
  w.input->ctrl[1] = 0.95;
  sim_world_step(&w, 400);
  assert_near(sim_v(&w)[0], 0, 1e-9);
  assert_near(hf_state_act(w.state)[0], 0.95e-6, 1e-9);
  assert_below(sim_q(&w)[0], 1e-5);
  assert_near(hf_sim_actuator_force(w.sim)[0], -0.95, 1e-6);
  w.input->ctrl[1] = 2;
  sim_world_step(&w, 200);
  assert_near(hf_sim_actuator_force(w.sim)[0], -1, 1e-2); // Coulomb friction; the bristles lag by a step, in which the speed grows by 0.5 %
  assert_near(sim_v(&w)[0], 10, 0.1);                     // (2 - 1) N on 0.1 kg for 1 s
  sim_world_free(&w);
}

// Currents warm the winding to i^2 R R_th where R grows with the temperature: T = R_th R (1 + alpha T) i^2 has the solution below.
static void test_heat(void** state) {
  (void)state;
  for (int k = 0; k < NMETHODS; ++k) {
    simWorld w = sim_world_make_method("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 0 1' stiffness='1e4' damping='10'/>"
                                       "<geom type='cylinder' size='.2 .05' mass='1'/></body></worldbody><actuator><dcmotor name='m' joint='j' motorconst='.05 .05' "
                                       "resistance='2' input='voltage' thermal='8 .05 0 .004 20 20'/></actuator></mujoco>",
                                       METHODS[k], 0.002, 1e-12);
    w.input->ctrl[0] = 4;
    sim_world_step(&w, 4000);
    double T = hf_state_act(w.state)[0], R = 2 * (1 + 0.004 * T);
    assert_near(T, 8 * 4 * 4 / R, 1e-5); // the blocked motor takes V^2/R
    assert_near(hf_sim_actuator_force(w.sim)[0], 0.05 * 4 / R, 1e-7);
    sim_world_free(&w);
  }
}

// All parts at once: methods with errors of their own kinds tend to one motion.
static void test_methods_agree(void** state) {
  (void)state;
  double q[NMETHODS];
  for (int k = 0; k < NMETHODS; ++k) {
    simWorld w = sim_world_make_method(
        WHEEL("<dcmotor name='m' joint='j' gear='3' motorconst='.05 .06' resistance='2' inductance='.004' thermal='8 .05 0 .004 20 20' "
              "cogging='.02 6 .3' lugre='50 .5 .02 .03 .2' input='pos voltage' controller='2 1 .2 3 .5 20' saturation='2'/>"),
        METHODS[k], 2.5e-4, 1e-12);
    w.input->ctrl[0] = 1, w.input->ctrl[1] = 1;
    sim_world_step(&w, 2000);
    q[k] = sim_q(&w)[0];
    sim_world_free(&w);
  }
  for (int k = 1; k < NMETHODS; ++k) assert_near(q[k], q[0], 2e-3);
  assert_above(fabs(q[0]), 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_load_speed),   cmocka_unit_test(test_one_step), cmocka_unit_test(test_controller),
                                     cmocka_unit_test(test_friction_sticks), cmocka_unit_test(test_heat),     cmocka_unit_test(test_methods_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
