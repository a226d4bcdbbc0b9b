// Error control: over every window of 25 ms, started from the integrator's own state, the error stays
// below ten times the accuracy that was asked, for every method and for accuracies over five decades.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "ode/problems.h"

static const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
static const char* const names[] = {"rk3", "implicit Euler", "sdirk"};
static const double window = 0.025;

// The state after the window, from x, without the integrator under test.
typedef void flowFn(const hfOde* ode, double t, double* x);

static void flow_smooth(const hfOde* ode, double t, double* x) {
  oracle_flow(ode, t, window, 50, x); // classical Runge-Kutta at 0.5 ms: error below 1e-13
}
static void flow_ball(const hfOde* ode, double t, double* x) {
  (void)t;
  ball_flow(ode->context, window, x);
}
static void flow_box(const hfOde* ode, double t, double* x) { // only the velocity is compared
  x[1] = box_flow(ode->context, t, x[1], t + window);
}

typedef struct caseOf {
  const char* name;
  hfOde ode;
  double x0[8], t_end, step;
  flowFn* flow;
  int first; // first component that is compared
  int tightest[3]; // -log10 of the tightest accuracy, by method
} caseOf;

static double worst_window(const caseOf* c, int method, int newton, double accuracy, hfIntegratorReport* report) {
  hfIntegratorConfig config = hf_integrator_config_default();
  config.method = method;
  config.accuracy = accuracy;
  config.newton = newton;
  config.step = c->step;
  hfIntegrator* in;
  hfError error;
  assert_int_equal(hf_integrator_create(&in, &c->ode, &config, &error), HF_OK);
  double x[8], want[8], t = 0, worst = 0;
  memcpy(x, c->x0, sizeof x);
  for (int k = 1; k * window <= c->t_end + 1e-9; ++k) {
    memcpy(want, x, sizeof x);
    c->flow(&c->ode, t, want);
    assert_int_equal(hf_integrator_advance(in, &t, x, k * window, &error), HF_OK);
    worst = fmax(worst, largest_difference(x + c->first, want + c->first, c->ode.nx - c->first));
  }
  *report = hf_integrator_report(in);
  hf_integrator_free(in);
  return worst;
}

static void check_case(const caseOf* c) {
  for (int m = 0; m < 3; ++m)
    for (int digits = 2; digits <= c->tightest[m]; digits += 2)
      for (int newton = 0; newton < (m ? 2 : 1); ++newton) {
        double accuracy = pow(10, -digits);
        hfIntegratorReport r;
        double worst = worst_window(c, methods[m], newton, accuracy, &r);
        print_message("%s, %s%s, a = %g: %.2f a, %ld evaluations, %ld steps\n", c->name, names[m],
                      !m ? "" : newton ? " quasi" : " full", accuracy, worst / accuracy,
                      (long)r.evaluations, (long)r.steps);
        assert_below(worst, 10 * accuracy);
      }
}

static void test_pendulum(void** state) {
  (void)state;
  pendulumModel p = {9.81, 0};
  caseOf c = {"pendulum", pendulum_ode(&p), {2.5, 0}, 5, 0.1, flow_smooth, 0, {10, 6, 10}};
  check_case(&c);
}

static void test_stick_slip_box(void** state) {
  (void)state;
  boxModel box = box_paper(0);
  // RK3 takes steps of 2.5 v_s/(mu g) = 25 us while the box sticks, whatever the accuracy.
  caseOf c = {"box", box_ode(&box), {0, 0}, 1, 0.1, flow_box, 1, {6, 6, 8}};
  check_case(&c);
}

static void test_bouncing_ball(void** state) {
  (void)state;
  ballModel b = {0.1, 9.81, 1e3};
  caseOf c = {"ball", ball_ode(&b), {1, 0}, 2, 0.1, flow_ball, 0, {8, 6, 8}};
  check_case(&c);
}

static void test_dzhanibekov_body(void** state) {
  (void)state;
  bodyModel b = {{1, 2, 3}};
  // One flip: w2 changes sign at 10.3773 s.
  caseOf c = {"Dzhanibekov", body_ode(&b), {1, 0, 0, 0, .01, 1, 0}, 12.5, 0.1, flow_smooth, 0, {10, 6, 10}};
  check_case(&c);
}

// The oracles themselves: period of the ball and the times of the flip and of the first sticking.
static void test_oracles(void** state) {
  (void)state;
  ballModel b = {0.1, 9.81, 1e3};
  double x[2] = {1, 0};
  ball_flow(&b, 0.9349061, x); // analytic: period of a ball dropped from 1 m
  assert_near(x[0], 1, 1e-6);  // printed to 1e-7 s
  bodyModel body = {{1, 2, 3}};
  hfOde ode = body_ode(&body);
  double y[7] = {1, 0, 0, 0, .01, 1, 0};
  oracle_flow(&ode, 0, 10.3773049, 20000, y);
  assert_near(y[5], 0, 1e-6); // first zero of w2, printed to 1e-7 s
  boxModel box = box_paper(0);
  double change;
  box_flow_coulomb(&box, 0, 0, 1, &change);
  assert_near(change, 0.175898, 1e-6);
  assert_near(box_flow_coulomb(&box, 0, 0, 0.100140, NULL), 0.153927, 1e-6);
  // The linear law differs from Coulomb's by v_s at most while it sticks.
  for (double t = 0.18; t < 0.39; t += 0.01) assert_near(box_flow(&box, 0, 0, t), 0, 1.0001e-4);
  // It solves its equation: small classical steps give the same through stick and slip.
  hfOde b1 = box_ode(&box);
  double z[2] = {0, 0};
  oracle_flow(&b1, 0, 0.5, 1000000, z);
  // the kinks of the law, met at 0.5 us, cost one order: 1e-4 (h mu g/v_s)^2 = 2e-7
  assert_near(box_flow(&box, 0, 0, 0.5), z[1], 2e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracles),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_stick_slip_box),
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_dzhanibekov_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
