// The compliant layer against closed forms: Kelvin-Voigt along and across the normal, its friction limit, separation.
#include "runs.h"

// 2 kg on slides along x and z; without gravity unless a test sets it.
#define SCENE(gravity, mu)                                                                         \
  "<mujoco><option gravity='" gravity                                                              \
  "'/><worldbody><geom type='plane' size='0 0 1' friction='" mu "'/>"                              \
  "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"       \
  "<geom type='sphere' size='0.1' mass='2' friction='0'/></body></worldbody></mujoco>"

// eps = 1e-4, m0 = 2: k = 2e4 N/m, c = 200 N s/m: omega = 100/s, zeta = 1/2
static simWorld soft_world(const char* xml, int integrator) {
  hfSimConfig config = switching_config(HF_CONTACTS_COMPLIANT, 1e-3);
  config.switching.rigid.layer.eps = 1e-4;
  config.switching.rigid.touch = 1e-10;
  config.switching.accuracy = 1e-8;
  config.switching.integrator = integrator;
  return switching_world(xml, &config);
}

// x'' + 2 zeta omega x' + omega^2 x = 0 from (x0, v0)
static double oscillate(double t, double x0, double v0) {
  double omega = 100, zeta = 0.5, damped = omega * sqrt(1 - zeta * zeta),
         decay = exp(-zeta * omega * t);
  return decay * (x0 * cos(damped * t) + (v0 + zeta * omega * x0) / damped * sin(damped * t));
}

static void test_normal(void** state) {
  (void)state;
  for (int integrator = HF_METHOD_RK3; integrator <= HF_METHOD_SDIRK; ++integrator) {
    simWorld w = soft_world(SCENE("0 0 -10", "0.5"), integrator);
    double rest = -2 * 10 / 2e4, worst = 0;
    sim_q(&w)[1] = rest - 2e-4;
    for (int i = 1; i <= 50; ++i) {
      switching_run(&w, 1e-3 * i);
      worst = fmax(worst, fabs(sim_q(&w)[1] - rest - oscillate(1e-3 * i, -2e-4, 0)));
    }
    print_message("%s: off by %.2g m\n", hf_method_name(integrator), worst);
    assert_true(
        worst <
        2e-8); // accuracy of velocities 1e-8 m/s in every step, of order 10 steps in 1/omega
    assert_true(fabs(hf_sim_contact(w.sim, 0).fn - 20) < 1);
    sim_world_free(&w);
  }
}

// Pulled by 6 N against mu N = 10 N: the layer sticks, x oscillates about F/k_t and stays; let go it returns
static void test_stick(void** state) {
  (void)state;
  simWorld w = soft_world(SCENE("3 0 -10", "0.5"), HF_METHOD_RK3);
  double worst = 0, rest = 6 / 2e4;
  sim_q(&w)[1] = -20 / 2e4;
  for (int i = 1; i <= 60; ++i) {
    switching_run(&w, 1e-3 * i);
    worst = fmax(worst, fabs(sim_q(&w)[0] - rest - oscillate(1e-3 * i, -rest, 0)));
    assert_int_equal(hf_sim_contact(w.sim, 0).stick, 1);
  }
  print_message("sticking layer: off by %.2g m\n", worst);
  assert_true(worst < 2e-8);
  w.input->force[0] = -6;
  switching_run(&w, 0.5);
  assert_true(fabs(sim_q(&w)[0]) < 1e-8); // no creep: back where it came from
  sim_world_free(&w);
}

// Sliding: the force is mu N from the first instant in which |k xi + c s| exceeds it; v0 = 1 m/s stops after v0^2/(2 mu g)
// less the layer's part, and the layer then holds
static void test_slide(void** state) {
  (void)state;
  simWorld w = soft_world(SCENE("0 0 -10", "0.5"), HF_METHOD_RK3);
  sim_q(&w)[1] = -20 / 2e4;
  sim_v(&w)[0] = 1; // c v0 = 200 N: it slips at once
  switching_run(&w, 0.1);
  assert_true(fabs(sim_v(&w)[0] - 0.5) < 1e-7);
  assert_true(fabs(fabs(hf_sim_contact(w.sim, 0).ft.x) - 10) < 1e-6);
  assert_int_equal(hf_sim_contact(w.sim, 0).stick, 0);
  switching_run(&w, 0.5);
  // It stops with the layer stretched by mu N/k_t = 0.5 mm, which swings back: x within that of 0.1 m
  assert_true(fabs(sim_q(&w)[0] - 0.1) < 10 / 2e4);
  assert_true(fabs(sim_v(&w)[0]) < 1e-6);
  assert_int_equal(hf_sim_contact(w.sim, 0).stick, 1);
  sim_world_free(&w);
}

// Impact without gravity: the force ends at omega_d t = 2 pi/3 with v = -v0 exp(-2 pi/(3 sqrt 3)) for zeta = 1/2
static void test_separation(void** state) {
  (void)state;
  simWorld w = soft_world(SCENE("0 0 0", "0.5"), HF_METHOD_RK3);
  sim_q(&w)[1] = 1e-4;
  sim_v(&w)[1] = -0.1;
  switching_run(&w, 0.1);
  double expected = 0.1 * exp(-2 * M_PI / (3 * sqrt(3)));
  print_message("leaves at %.9g m/s, theory %.9g\n", sim_v(&w)[1], expected);
  assert_true(fabs(sim_v(&w)[1] - expected) < 1e-6); // the onset of damping takes 1e-10 m of 1e-3
  assert_int_equal(hf_sim_contact_count(w.sim), 0);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal), cmocka_unit_test(test_stick),
                                     cmocka_unit_test(test_slide),
                                     cmocka_unit_test(test_separation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
