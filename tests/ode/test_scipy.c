// The integrators against scipy's Radau and DOP853, over times long enough to gather error.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/peer.h"

#include "ode/problems.h"

static double peer[3][2]; // pendulum, smooth box, van der Pol
static int have_peer;

static int setup(void** state) {
  (void)state;
  static const char* const keys[3] = {"pendulum", "box", "van_der_pol"};
  char folder[] = "/tmp/hf_scipy_XXXXXX", path[128];
  if (peer_run(folder, "ode/scipy_reference.py", "") != 0) return 0;
  snprintf(path, sizeof path, "%s/reference.txt", folder);
  FILE* in = fopen(path, "r");
  assert_non_null(in);
  for (int k = 0; k < 3; ++k) {
    double* row = peer_row(in, keys[k], 2);
    memcpy(peer[k], row, sizeof peer[k]);
    free(row);
  }
  fclose(in);
  peer_remove(folder);
  have_peer = 1;
  return 0;
}

static hfStatus van_der_pol_rhs(void* context, double t, const double* x, double* xdot) {
  (void)context;
  (void)t;
  xdot[0] = x[1];
  xdot[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
  return HF_OK;
}

static void integrate(const hfOde* ode, int method, double accuracy, double t_end, double* x) {
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = method;
  c.accuracy = accuracy;
  c.newton = HF_NEWTON_QUASI;
  c.step = t_end;
  hfIntegrator* in;
  double t = 0;
  assert_int_equal(hf_integrator_create(&in, ode, &c, NULL), HF_OK);
  assert_int_equal(hf_integrator_advance(in, &t, x, t_end, NULL), HF_OK);
  hf_integrator_free(in);
}

static void test_pendulum(void** state) {
  (void)state;
  if (!have_peer) skip();
  pendulumModel p = {9.81, 0.3};
  hfOde ode = pendulum_ode(&p);
  const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  const double accuracy[] = {1e-9, 1e-7, 1e-9};
  for (int m = 0; m < 3; ++m) {
    double x[2] = {1.5, 0.7};
    integrate(&ode, methods[m], accuracy[m], 3, x);
    // 120 windows of 25 ms below 1 a each; errors do not grow on a damped pendulum
    for (int i = 0; i < 2; ++i) assert_near(x[i], peer[0][i], 120 * accuracy[m]);
  }
}

static void test_smooth_box(void** state) {
  (void)state;
  if (!have_peer) skip();
  boxModel box = box_paper(1);
  hfOde ode = box_ode(&box);
  const int methods[] = {HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  const double accuracy[] = {1e-6, 1e-8};
  for (int m = 0; m < 2; ++m) {
    double x[2] = {0, 0};
    integrate(&ode, methods[m], accuracy[m], 0.6, x);
    // 24 windows of 25 ms below 1 a each
    for (int i = 0; i < 2; ++i) assert_near(x[i], peer[1][i], 24 * accuracy[m]);
  }
}

// Stiff by 1e6 and more; at 700 s the solution is on the slow arc before its first jump at 807 s, where
// errors die out.
static void test_van_der_pol(void** state) {
  (void)state;
  if (!have_peer) skip();
  hfOde ode = {.nx = 2, .n = 2, .rhs = van_der_pol_rhs};
  double x[2] = {2, 0};
  integrate(&ode, HF_METHOD_SDIRK, 1e-7, 700, x);
  // some thousand steps at 1e-7 each while errors of position neither grow nor decay
  assert_near(x[0], peer[2][0], 1e-4);
  assert_near(x[1], peer[2][1], 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_smooth_box),
      cmocka_unit_test(test_van_der_pol),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
