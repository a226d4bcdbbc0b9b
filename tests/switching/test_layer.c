// The compliant layer against closed forms: Kelvin-Voigt along and across the normal, its friction limit, separation.
#include "runs.h"
#include "support/near.h"

#include "methods/switching/layer_law.h"

// 2 kg on slides along x and z; without gravity unless a test sets it.
#define SCENE(gravity, mu)                                                                         \
  "<mujoco><option gravity='" gravity                                                              \
  "'/><worldbody><geom type='plane' size='0 0 1' friction='" mu "'/>"                              \
  "<body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"       \
  "<geom type='sphere' size='0.1' mass='2' friction='0'/></body></worldbody></mujoco>"

// eps = 1e-4, m0 = 2: k = 2e4 N/m, c = 200 N s/m: omega = 100/s, zeta = 1/2
static simWorld soft_world(const char* xml, int integrator) {
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
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
    assert_below(fabs(hf_sim_contact(w.sim, 0).fn - 20), 1);
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
  assert_below(worst, 2e-8);
  w.input->force[0] = -6;
  switching_run(&w, 0.5);
  assert_below(fabs(sim_q(&w)[0]), 1e-8); // no creep: back where it came from
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
  assert_below(fabs(sim_v(&w)[0] - 0.5), 1e-7);
  assert_below(fabs(fabs(hf_sim_contact(w.sim, 0).ft.x) - 10), 1e-6);
  assert_int_equal(hf_sim_contact(w.sim, 0).stick, 0);
  switching_run(&w, 0.5);
  // It stops with the layer stretched by mu N/k_t = 0.5 mm, which swings back: x within that of 0.1 m
  assert_below(fabs(sim_q(&w)[0] - 0.1), 10 / 2e4);
  assert_below(fabs(sim_v(&w)[0]), 1e-6);
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
  assert_below(fabs(sim_v(&w)[1] - expected), 1e-6); // the onset of damping takes 1e-10 m of 1e-3
  assert_int_equal(hf_sim_contact_count(w.sim), 0);
  sim_world_free(&w);
}

// K_T = 4, C_T = 2 across the normal: k_t = 8e4 N/m, c_t = 400 N s/m, omega twice as high at the same zeta. The normal keeps K_N = C_N = 1.
static void test_constants_apart(void** state) {
  (void)state;
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
  config.switching.rigid.layer = (hfLayerConfig){.eps = 1e-4, .time = 1, .stiffness = 1, .damping = 1,
                                                 .tangential_stiffness = 4, .tangential_damping = 2, .depth = 1e-3};
  config.switching.rigid.touch = 1e-10;
  config.switching.accuracy = 1e-8;
  simWorld w = switching_world(SCENE("3 0 -10", "0.5"), &config);
  double worst[2] = {0, 0}, rest = 6 / 8e4, low = -20 / 2e4;
  sim_q(&w)[1] = low - 2e-4;
  for (int i = 1; i <= 30; ++i) {
    switching_run(&w, 1e-3 * i);
    worst[0] = fmax(worst[0], fabs(sim_q(&w)[0] - rest - oscillate(2e-3 * i, -rest, 0)));
    worst[1] = fmax(worst[1], fabs(sim_q(&w)[1] - low - oscillate(1e-3 * i, -2e-4, 0)));
  }
  print_message("K_T, C_T apart: off by %.2g m across, %.2g m along the normal\n", worst[0], worst[1]);
  assert_below(worst[0], 2e-8); // as in test_normal
  assert_below(worst[1], 2e-8);
  sim_world_free(&w);
}

// E and D of every law, as formulas of this test, at the deformation d; L = 1 mm.
static void factors(int law, double d, double* E, double* D) {
  double u = fabs(d) / 1e-3;
  *E = law == HF_LAYER_HERTZ ? sqrt(u) : law == HF_LAYER_STIFFENING ? 1 + u * u : 1;
  *D = law == HF_LAYER_HUNT_CROSSLEY ? u : law == HF_LAYER_LINEAR ? 1 : *E;
}

// 2 d'' = load - k E d - c D d', by classical Runge-Kutta with 1 us: its error is far below the accuracy of the runs.
static void deform(int law, double load, double dt, double* d, double* rate) {
  for (int i = 0; i < (int)lround(dt / 1e-6); ++i) {
    double kd[4], kv[4], E, D;
    for (int s = 0; s < 4; ++s) {
      double c = s == 0 ? 0 : s == 3 ? 1e-6 : 0.5e-6;
      double x = *d + (s ? c * kd[s - 1] : 0), v = *rate + (s ? c * kv[s - 1] : 0);
      factors(law, x, &E, &D);
      kd[s] = v, kv[s] = (load - 2e4 * E * x - 200 * D * v) / 2;
    }
    *d += 1e-6 / 6 * (kd[0] + 2 * kd[1] + 2 * kd[2] + kd[3]);
    *rate += 1e-6 / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
  }
}

static simWorld law_world(const char* xml, int law, int tangential_law) {
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
  config.switching.rigid.layer.eps = 1e-4;
  config.switching.rigid.layer.law = law;
  config.switching.rigid.layer.tangential_law = tangential_law;
  config.switching.rigid.touch = 1e-10;
  config.switching.accuracy = 1e-8;
  return switching_world(xml, &config);
}

static void test_laws(void** state) {
  (void)state;
  for (int law = HF_LAYER_LINEAR; law <= HF_LAYER_STIFFENING; ++law) {
    simWorld w = law_world(SCENE("0 0 -10", "0.5"), law, HF_LAYER_LINEAR);
    double d = 1.2e-3, rate = 0, worst = 0;
    sim_q(&w)[1] = -d;
    for (int i = 1; i <= 30; ++i) {
      switching_run(&w, 1e-3 * i);
      deform(law, 20, 1e-3, &d, &rate);
      worst = fmax(worst, fabs(sim_q(&w)[1] + d));
    }
    print_message("normal law %d: off by %.2g m\n", law, worst);
    assert_below(worst, 2e-8); // as in test_normal
    sim_world_free(&w);
  }
}

// Pulled by 6 N while the normal force stays 20 N: the layer hardens across the normal.
static void test_tangential_law(void** state) {
  (void)state;
  simWorld w = law_world(SCENE("3 0 -10", "0.5"), HF_LAYER_LINEAR, HF_LAYER_STIFFENING);
  double d = 0, rate = 0, worst = 0;
  sim_q(&w)[1] = -20 / 2e4;
  for (int i = 1; i <= 30; ++i) {
    switching_run(&w, 1e-3 * i);
    deform(HF_LAYER_STIFFENING, 6, 1e-3, &d, &rate);
    worst = fmax(worst, fabs(sim_q(&w)[0] - d));
  }
  print_message("tangential law: off by %.2g m\n", worst);
  assert_below(worst, 2e-8);
  sim_world_free(&w);
}

// A box on four points has dependent rows, so that contact turns compliant at once. Whatever the law, the layers start with the rigid
// forces at the velocities that the box has.
static void test_start_of_laws(void** state) {
  (void)state;
  static const char BOX[] = "<mujoco><option gravity='2 1 -10'/><worldbody><geom type='plane' size='0 0 1' friction='0.5'/>"
                            "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody></mujoco>";
  for (int law = HF_LAYER_LINEAR; law <= HF_LAYER_STIFFENING; ++law)
    for (int sliding = 0; sliding < 2; ++sliding) {
      hfSimConfig config = switching_config(HF_CONTACT_MODEL_SWITCHING, 1e-3);
      config.switching.rigid.layer.eps = 1e-4;
      config.switching.rigid.layer.law = law;
      config.switching.rigid.layer.tangential_law = HF_LAYER_STIFFENING;
      simWorld w = switching_world(BOX, &config);
      if (sliding) sim_v(&w)[0] = 0.3;
      runSum sum = switching_run(&w, 1e-3);
      hfSwitch s = sum.first;
      assert_at_least(sum.nswitch, 1);
      print_message("law %d, %s: jump of force %.2g N\n", law, sliding ? "sliding" : "at rest", s.df);
      assert_int_equal(s.rigid, 0);
      assert_below(s.df, 1e-9); // round-off of forces of 5 N and of depths of 1e-4 m beside positions of 0.1 m
      sim_world_free(&w);
    }
}

static void test_refused_laws(void** state) {
  (void)state;
  hfError error;
  hfSimConfig config = switching_config(HF_CONTACT_MODEL_COMPLIANT, 1e-3);
  config.switching.rigid.layer.tangential_law = HF_LAYER_HERTZ;
  simWorld w = soft_world(SCENE("0 0 -10", "0.5"), HF_METHOD_RK3);
  hfSim* sim;
  assert_int_equal(hf_sim_create(&sim, w.model, &config, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "tangential_law"));
  sim_world_free(&w);
}

// The energy of a spring is the integral of its force: d(u^2 P)/du = u E, by central differences whose error is of the order of du^2.
static void test_energy_of_the_laws(void** state) {
  (void)state;
  const double du = 1e-4;
  for (int law = HF_LAYER_LINEAR; law <= HF_LAYER_STIFFENING; ++law)
    for (double u = 0.1; u < 3; u += 0.1) {
      double above = (u + du) * (u + du) * hfi_layer_factors(law, u + du).energy, below = (u - du) * (u - du) * hfi_layer_factors(law, u - du).energy;
      assert_near((above - below) / (2 * du), u * hfi_layer_factors(law, u).elastic, 1e-7);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal), cmocka_unit_test(test_stick),
                                     cmocka_unit_test(test_slide),
                                     cmocka_unit_test(test_separation),
                                     cmocka_unit_test(test_constants_apart), cmocka_unit_test(test_laws),
                                     cmocka_unit_test(test_tangential_law), cmocka_unit_test(test_start_of_laws),
                                     cmocka_unit_test(test_energy_of_the_laws), cmocka_unit_test(test_refused_laws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
