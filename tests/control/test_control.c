// Trajectories, feedback laws and tuning, against closed forms and differences.
#include "support/sim_world.h"
#include <holdfast/control.h>

#include <math.h>

static void check_rates(hfSetpoint (*at)(double), double t) {
  const double e = 1e-5;
  hfSetpoint a = at(t - e), b = at(t), c = at(t + e);
  // central differences: e^2/6 times the next derivatives (below 1e4 here), and rounding 1e-16/e
  assert_below(fabs((c.q - a.q) / (2 * e) - b.v), 1e-6 * (1 + fabs(b.v)));
  assert_below(fabs((c.v - a.v) / (2 * e) - b.a), 1e-5 * (1 + fabs(b.a)));
}

static hfSetpoint sinusoid(double t) { return hf_sinusoid(0.5, 5, 0.3, 0.1, t); }
static hfSetpoint quintic(double t) {
  hfSetpoint from = {1, -2, 3}, to = {4, 5, -6};
  return hf_quintic(from, to, 0.7, t);
}
static hfSetpoint keyframes(double t) {
  static const double times[] = {0, 0.5, 1.1, 2}, values[] = {0, 1, -1, 0.5};
  return hf_keyframes(4, times, values, t);
}
static const hfTrot kTrot = {0.5, 0.75, 0.08, 0.015};
static hfSetpoint trot_x(double t) { return hf_trot(&kTrot, 0.2, t).x; }
static hfSetpoint trot_z(double t) { return hf_trot(&kTrot, 0.2, t).z; }

static void test_rates(void** state) {
  (void)state;
  for (double t = 0.013; t < 0.69; t += 0.0317) {
    check_rates(sinusoid, t), check_rates(quintic, t), check_rates(keyframes, t);
    check_rates(trot_x, t), check_rates(trot_z, t);
  }
}

static void test_ends(void** state) {
  (void)state;
  hfSetpoint a = quintic(1e-12), b = quintic(0.7 - 1e-12);
  assert_below(fabs(a.q - 1) + fabs(a.v + 2) + fabs(a.a - 3), 1e-8);
  assert_below(fabs(b.q - 4) + fabs(b.v - 5) + fabs(b.a + 6), 1e-8);
  assert_true(keyframes(1.1).q == -1 && keyframes(3).q == 0.5);
}

// Feet of one pair stand while the other's swing, and a stance moves back by speed times its time.
static void test_trot(void** state) {
  (void)state;
  for (double t = 0; t < 1; t += 0.01) {
    hfFootPlan a = hf_trot(&kTrot, 0, t), b = hf_trot(&kTrot, 0.5, t);
    assert_true(a.stance || b.stance);
    if (a.stance) assert_true(a.z.q == 0 && a.x.v == -kTrot.speed);
    else assert_true(a.z.q >= 0 && a.z.q <= kTrot.lift);
  }
  assert_below(fabs(hf_trot(&kTrot, 0, 0).x.q - hf_trot(&kTrot, 0, 0.375 - 1e-12).x.q - 0.08 * 0.375), 1e-9);
}

static void test_pid(void** state) {
  (void)state;
  hfGains k = {10, 3, 2};
  hfSetpoint wanted = {1, 0.5, 0};
  double integral = 0.2;
  assert_below(fabs(hf_pid(&k, wanted, 0.4, 0.1, 0.01, &integral) - (10 * 0.6 + 3 * 0.2 + 2 * 0.4)), 1e-12);
  assert_below(fabs(integral - (0.2 + 0.01 * 0.6)), 1e-15);
}

static void test_braking_target(void** state) {
  (void)state;
  hfSetpoint wanted = {1, 0.25, 0};
  assert_below(fabs(hf_braking_target(wanted, 0.999, 0.1, 10) - (0.25 + 0.01)), 1e-12);
  assert_below(fabs(hf_braking_target(wanted, 0, 0.1, 2) - (0.25 + 2)), 1e-12); // sqrt(2 2 1)
}

// An arm under computed torque obeys edd + kd ed + kp e = 0: forward dynamics give back the command.
static void test_computed_torque(void** state) {
  (void)state;
  hfModel* m = NULL;
  hfError error;
  if (hf_model_load(&m, HF_SOURCE_DIR "/models/ur10.xml", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, &error), HF_OK);
  double q[8], v[8], scratch[8], tau[8], vdot[8];
  hfSetpoint wanted[8];
  hfGains gains[8];
  for (int i = 0; i < 8; ++i) {
    hfSetpoint w = {0.3 * i, 0.1, -0.2 * i};
    hfGains k = {100 + i, 0, 10};
    q[i] = 0.1 * i, v[i] = 0.2 - 0.05 * i, wanted[i] = w, gains[i] = k;
  }
  hf_dynamics_set_position(d, q, NULL);
  hf_computed_torque(d, q, v, wanted, gains, scratch, tau);
  hf_dynamics_forward(d, v, tau, NULL, vdot);
  for (int i = 0; i < 8; ++i) { // condition of M about 1e5: ten digits are left
    double want = wanted[i].a + gains[i].kp * (wanted[i].q - q[i]) + 10 * (wanted[i].v - v[i]);
    assert_below(fabs(vdot[i] - want), 1e-8 * (1 + fabs(want)));
  }
  hf_dynamics_free(d);
  hf_model_free(m);
}

static double rosenbrock(const double* x, void* user) {
  (void)user;
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  return sum;
}

static double half_plane(const double* x, void* user) {
  (void)user;
  return x[0] < 0 ? NAN : pow(x[0] - 2, 2) + pow(x[1] + 1, 2);
}

static void test_minimise(void** state) {
  (void)state;
  hfTuning t = hf_tuning_default();
  t.evaluations = 20000;
  t.tolerance = 1e-12;
  double x[4] = {-1.2, 1, -1.2, 1}, again[4] = {-1.2, 1, -1.2, 1};
  int used, twice;
  double value = hf_minimise(rosenbrock, NULL, 4, x, &t, &used);
  assert_below(value, 1e-8);
  for (int i = 0; i < 4; ++i) assert_below(fabs(x[i] - 1), 1e-3);
  assert_true(hf_minimise(rosenbrock, NULL, 4, again, &t, &twice) == value && used == twice);
  assert_memory_equal(x, again, sizeof x);
  double y[2] = {0.1, 3};
  assert_below(hf_minimise(half_plane, NULL, 2, y, &t, NULL), 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates), cmocka_unit_test(test_ends), cmocka_unit_test(test_trot), cmocka_unit_test(test_pid),
                                     cmocka_unit_test(test_braking_target), cmocka_unit_test(test_computed_torque), cmocka_unit_test(test_minimise)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
