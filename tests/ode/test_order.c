// The order of every method by step halving, on a vector space and on a manifold, and the tables by
// their order conditions.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "methods/ode/butcher.h"
#include "ode/problems.h"

enum { METHODS = 4 };
static const int methods[METHODS] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK, HFI_METHOD_RK5};
static const char* const names[METHODS] = {"rk3", "implicit Euler", "sdirk", "rk5"};

// sum b_i = 1, sum b_i c_i = 1/2, sum b_i c_i^2 = 1/3, sum b_i a_ij c_j = 1/6, for b and b - e. Conditions beyond order 3 are left to the
// orders that are measured below.
static double order_defect(const hfiButcher* t, const double* b, int order) {
  double s[4] = {-1, -1. / 2, -1. / 3, -1. / 6};
  for (int i = 0; i < t->stages; ++i) {
    s[0] += b[i];
    s[1] += b[i] * t->c[i];
    s[2] += b[i] * t->c[i] * t->c[i];
    for (int j = 0; j < t->stages; ++j) s[3] += b[i] * t->A[i][j] * t->c[j];
  }
  int count = order == 1 ? 1 : order == 2 ? 2 : 4;
  double worst = 0;
  for (int k = 0; k < count; ++k) worst = fmax(worst, fabs(s[k]));
  return worst;
}

static void test_tables_meet_their_order_conditions(void** state) {
  (void)state;
  const int embedded_order[METHODS] = {2, 0, 3, 4};
  for (int m = 0; m < METHODS; ++m) {
    const hfiButcher* t = hfi_butcher(methods[m]);
    const double* b = t->A[t->stages - 1];
    double hat[HFI_MAX_STAGES], fast = 0, fast_linear = 0;
    assert_below(order_defect(t, b, t->order), 4e-16);
    assert_true(t->order >= 3 || order_defect(t, b, t->order + 1) > 1e-3);
    for (int i = 0; i < t->stages; ++i) {
      double row = 0;
      for (int j = 0; j < t->stages; ++j) row += t->A[i][j];
      assert_near(row, t->c[i], 1e-14); // the coefficients of rk5 are up to 12 and cancel
      fast += t->fast[i], fast_linear += t->fast[i] * t->c[i];
      assert_true(t->A[i][i] == 0 || t->A[i][i] == t->gamma);
      hat[i] = b[i] - t->e[i];
    }
    // Constant and linear motion does not show in the combination that measures stiffness.
    assert_near(fast, 0, 4e-16), assert_near(fast_linear, 0, 4e-16);
    assert_int_equal(hfi_butcher_embedded(t), embedded_order[m] != 0);
    if (embedded_order[m]) assert_below(order_defect(t, hat, embedded_order[m]), 4e-16);
  }
  assert_null(hfi_butcher(HF_METHOD_TAMSI));
}

static void run_fixed(const hfOde* ode, int method, int newton, double h, double t_end, const double* x0, double* x) {
  hfIntegratorConfig config = hf_integrator_config_default();
  config.method = method;
  config.error_control = 0;
  config.step = h;
  config.newton = newton;
  config.newton_tolerance = 1e-13; // far below the errors that are compared
  hfIntegrator* in;
  hfError error;
  double t = 0;
  memcpy(x, x0, (size_t)ode->nx * sizeof *x);
  assert_int_equal(hf_integrator_create(&in, ode, &config, &error), HF_OK);
  assert_int_equal(hf_integrator_advance(in, &t, x, t_end, &error), HF_OK);
  assert_true(t == t_end);
  hfIntegratorReport report = hf_integrator_report(in);
  assert_int_equal(report.steps, (int)lround(t_end / h));
  assert_int_equal(report.failed, 0);
  hf_integrator_free(in);
}

// log2 of |x_h - x_(h/2)|/|x_(h/2) - x_(h/4)|, and the error of the finest against the oracle.
static double measure_order(const hfOde* ode, int method, int newton, double h, double t_end, const double* x0) {
  double x[3][16], exact[16];
  for (int k = 0; k < 3; ++k) run_fixed(ode, method, newton, ldexp(h, -k), t_end, x0, x[k]);
  memcpy(exact, x0, (size_t)ode->nx * sizeof *x0);
  oracle_flow(ode, 0, t_end, 20000, exact);
  double d1 = largest_difference(x[0], x[1], ode->nx), d2 = largest_difference(x[1], x[2], ode->nx);
  // What halving leaves is at most what the last halving changed (order 1: equal to leading order).
  assert_below(largest_difference(x[2], exact, ode->nx), 1.1 * d2 + 1e-11);
  return log2(d1 / d2);
}

static void check_orders(const char* what, const hfOde* ode, double h, double t_end, const double* x0) {
  for (int m = 0; m < METHODS; ++m)
    for (int newton = 0; newton < 2; ++newton) {
      double scale = m == 1 ? 1. / 16 : m == 3 ? 4 : 1; // errors between rounding and the first step of convergence
      double order = measure_order(ode, methods[m], newton, scale * h, t_end, x0);
      print_message("%s, %s, %s Newton: order %.3f\n", what, names[m], newton ? "quasi" : "full", order);
      assert_near(order, hfi_butcher(methods[m])->order, m == 3 ? 0.5 : 0.1); // required; higher terms at these h give 0.03, with rk5 0.4
    }
}

static void test_order_on_a_pendulum(void** state) {
  (void)state;
  pendulumModel p = {9.81, 0.3};
  hfOde ode = pendulum_ode(&p);
  double x0[2] = {1.5, 0.7};
  check_orders("pendulum", &ode, 1. / 128, 1, x0);
}

static void test_order_on_rotations(void** state) {
  (void)state;
  bodyModel b = {{1, 2, 3}};
  hfOde ode = body_ode(&b);
  double x0[7] = {0.5, 0.5, -0.5, 0.5, 0.8, 2, -1.1};
  check_orders("turning body", &ode, 1. / 64, 1, x0);
}

// A stiff linear problem with a known answer (Prothero and Robinson): v' = -lambda (v - cos t) - sin t.
static hfStatus forced_rhs(void* context, double t, const double* x, double* xdot) {
  double lambda = *(const double*)context;
  xdot[0] = -lambda * (x[0] - cos(t)) - sin(t);
  return HF_OK;
}

static void test_stiff_methods_at_large_steps(void** state) {
  (void)state;
  double lambda = 1e6, x0 = 1, x;
  hfOde ode = {.context = &lambda, .nx = 1, .n = 1, .rhs = forced_rhs};
  for (int m = 1; m < 3; ++m) {
    run_fixed(&ode, methods[m], HF_NEWTON_QUASI, 0.01, 1, &x0, &x);
    // L-stable and stiffly accurate: the error is h^2/(h lambda) and smaller, 1e-8
    assert_near(x, cos(1.0), 1e-7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables_meet_their_order_conditions),
      cmocka_unit_test(test_order_on_a_pendulum),
      cmocka_unit_test(test_order_on_rotations),
      cmocka_unit_test(test_stiff_methods_at_large_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
