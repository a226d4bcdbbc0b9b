// The integrator as a user meets it: refusals, trouble, counts, repeatability, transitions.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "methods/ode/butcher.h"
#include "ode/problems.h"
#include "methods/ode/ode.h"

static hfIntegrator* make(const hfOde* ode, const hfIntegratorConfig* config) {
  hfIntegrator* in = NULL;
  hfError error;
  assert_int_equal(hf_integrator_create(&in, ode, config, &error), HF_OK);
  return in;
}

static void refuse(const hfOde* ode, const hfIntegratorConfig* config, const char* word) {
  hfIntegrator* in = NULL;
  hfError error = {0};
  assert_int_equal(hf_integrator_create(&in, ode, config, &error), HF_ERROR_ARGUMENT);
  assert_null(in);
  assert_non_null(strstr(error.message, word));
}

static void test_bad_options_are_refused(void** state) {
  (void)state;
  pendulumModel p = {9.81, 0};
  hfOde ode = pendulum_ode(&p);
  const hfIntegratorConfig good = hf_integrator_config_default();
#define REFUSED(field, value) { hfIntegratorConfig c = good; c.field = value; refuse(&ode, &c, #field); }
  REFUSED(accuracy, 0)
  REFUSED(accuracy, -1e-3)
  REFUSED(accuracy, NAN)
  REFUSED(step, 0)
  REFUSED(step, -0.01)
  REFUSED(step, INFINITY)
  REFUSED(method, HF_METHOD_TAMSI)
  REFUSED(newton, 2)
  REFUSED(jacobian, -1)
  REFUSED(newton_tolerance, 0)
  REFUSED(smallest_step, 1)
  REFUSED(max_steps, -1)
#undef REFUSED
  hfIntegratorConfig c = good;
  c.jacobian = HF_JACOBIAN_ANALYTIC;
  ode.jacobian = NULL;
  refuse(&ode, &c, "analytic");
  // Fixed steps need no accuracy.
  c = good;
  c.error_control = 0;
  c.accuracy = 0;
  hf_integrator_free(make(&ode, &c));
}

static void test_bad_states_are_refused(void** state) {
  (void)state;
  pendulumModel p = {9.81, 0};
  hfOde ode = pendulum_ode(&p);
  hfIntegratorConfig c = hf_integrator_config_default();
  hfIntegrator* in = make(&ode, &c);
  hfError error;
  double t = 1, x[2] = {0.5, NAN};
  assert_int_equal(hf_integrator_advance(in, &t, x, 2, &error), HF_ERROR_NONFINITE);
  assert_non_null(strstr(error.message, "x[1]"));
  x[1] = 0;
  assert_int_equal(hf_integrator_advance(in, &t, x, 0.5, &error), HF_ERROR_ARGUMENT);
  assert_true(t == 1 && x[0] == 0.5);
  assert_int_equal(hf_integrator_advance(in, &t, x, 1, &error), HF_OK); // nothing to do
  hf_integrator_free(in);
}

// vdot = v^2 from v = 1 ends at t = 1: no integrator passes, and the last state is right for its time.
static hfStatus blow_rhs(void* context, double t, const double* x, double* xdot) {
  (void)context;
  (void)t;
  xdot[0] = x[0] * x[0];
  return HF_OK;
}

static void test_a_singularity_keeps_the_last_accepted_state(void** state) {
  (void)state;
  hfOde ode = {.nx = 1, .n = 1, .rhs = blow_rhs};
  const int methods[] = {HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  for (int m = 0; m < 3; ++m) {
    hfIntegratorConfig c = hf_integrator_config_default();
    c.method = methods[m];
    c.accuracy = 1e-4;
    c.max_steps = 100000;
    hfIntegrator* in = make(&ode, &c);
    double t = 0, x = 1;
    hfStatus status = hf_integrator_advance(in, &t, &x, 2, NULL);
    assert_true(status == HF_STEP_TOO_SMALL || status == HF_NOT_CONVERGED);
    assert_int_equal(hf_integrator_report(in).status, status);
    // x = 1/(1 - t): t where this x belongs is known far better than x itself
    assert_true(isfinite(x));
    assert_above(x, 100);
    assert_near(t, 1 - 1 / x, 1e-3);
    hf_integrator_free(in);
  }
}

// f that does not exist beyond x = 1: the step is cut until it does, and then no further.
static hfStatus wall_rhs(void* context, double t, const double* x, double* xdot) {
  (void)context;
  (void)t;
  xdot[0] = 1;
  return x[0] > 1 ? HF_NO_SOLUTION : HF_OK;
}

static void test_where_f_ends_the_integrator_stops(void** state) {
  (void)state;
  hfOde ode = {.nx = 1, .n = 1, .rhs = wall_rhs};
  for (int ec = 0; ec < 2; ++ec) {
    hfIntegratorConfig c = hf_integrator_config_default();
    c.error_control = ec;
    c.step = 0.07;
    c.smallest_step = 1e-6;
    hfIntegrator* in = make(&ode, &c);
    double t = 0, x = 0;
    assert_int_equal(hf_integrator_advance(in, &t, &x, 2, NULL), HF_STEP_TOO_SMALL);
    assert_near(x, t, 1e-12);
    assert_at_most(x, 1); // within a few smallest steps of the end
    assert_above(x, 1 - 4e-6);
    hf_integrator_free(in);
  }
}

// f jumps from 1 to 20 at x = 0.5 and back at x = 0.7, as the forces of bodies whose contact points change do.
static hfStatus jump_rhs(void* context, double t, const double* x, double* xdot) {
  (void)context;
  (void)t;
  xdot[0] = x[0] > 0.5 && x[0] < 0.7 ? 20 : 1;
  return HF_OK;
}

static void test_fixed_steps_cross_a_jump(void** state) {
  (void)state;
  hfOde ode = {.nx = 1, .n = 1, .rhs = jump_rhs};
  hfIntegratorConfig c = hf_integrator_config_default();
  c.error_control = 0;
  c.step = 0.07;
  c.smallest_step = 1e-8;
  hfIntegrator* in = make(&ode, &c);
  double t = 0, x = 0;
  assert_int_equal(hf_integrator_advance(in, &t, &x, 1, NULL), HF_OK);
  assert_true(t == 1);
  // 0.5 s at 1, 0.01 s at 20, the rest at 1. A crossing takes less than two smallest steps, at a rate that is wrong by at most 19.
  assert_near(x, 0.7 + (1 - 0.51), 2 * 2e-8 * 19);
  assert_below(hf_integrator_report(in).steps, 200); // steps grow again behind a jump
  hf_integrator_free(in);
}

// f = -1 above zero and 1 below: both sides push x to zero, where no implicit step has a solution. Held, f keeps the sign of the point
// at which it was held.
typedef struct chatter { double sign; int holds; } chatter;

static hfStatus chatter_rhs(void* context, double t, const double* x, double* xdot) {
  const chatter* c = context;
  (void)t;
  xdot[0] = c->holds ? c->sign : x[0] > 0 ? -1 : 1;
  return HF_OK;
}

static void chatter_hold(void* context, double t, const double* x) {
  chatter* c = context;
  (void)t;
  c->holds = x != NULL;
  if (x) c->sign = x[0] > 0 ? -1 : 1;
}

static void test_implicit_steps_hold_an_f_that_chatters(void** state) {
  (void)state;
  chatter context = {0};
  hfOde ode = {.context = &context, .nx = 1, .n = 1, .rhs = chatter_rhs};
  hfIntegratorConfig c = hf_integrator_config_default();
  c.error_control = 0;
  c.step = 0.01;
  c.smallest_step = 1e-8;
  for (int k = 0; k < 2; ++k) {
    c.method = k ? HF_METHOD_SDIRK : HF_METHOD_IMPLICIT_EULER;
    for (int holds = 0; holds < 2; ++holds) {
      double t = 0, x = 0.101;
      ode.hold = holds ? chatter_hold : NULL;
      hfIntegrator* in = make(&ode, &c);
      assert_int_equal(hf_integrator_advance(in, &t, &x, 1, NULL), holds ? HF_OK : HF_STEP_TOO_SMALL);
      hfIntegratorReport r = hf_integrator_report(in);
      assert_true(holds ? t == 1 && r.held > 0 && r.held < r.steps : t < 0.11 && r.held == 0);
      assert_at_most(fabs(x), c.step); // a step beyond zero moves x by no more than itself
      assert_int_equal(context.holds, 0);
      hf_integrator_free(in);
    }
  }
}

// A contact of 1e8 N/m on 0.1 kg (31623 rad/s) and steps of 10 ms: an explicit method needs 80 us.
static void test_stiff_equation_with_an_explicit_method(void** state) {
  (void)state;
  ballModel b = {0.1, 9.81, 1e8};
  hfOde ode = ball_ode(&b);
  hfIntegratorConfig c = hf_integrator_config_default();
  c.error_control = 0;
  c.step = 0.01;
  c.smallest_step = 1e-3;
  hfIntegrator* in = make(&ode, &c);
  double t = 0, x[2] = {0.1, 0};
  assert_int_equal(hf_integrator_advance(in, &t, x, 1, NULL), HF_STEP_TOO_SMALL);
  assert_at_least(hf_integrator_report(in).failed, 3);
  print_message("stopped at %.6f s, x %g v %g\n", t, x[0], x[1]);
  // It stopped before the impact at sqrt(2 0.1/9.81) s, on the exact parabola.
  assert_below(t, 0.1428);
  assert_above(t, 0.12);
  assert_near(x[0], 0.1 - 0.5 * 9.81 * t * t, 1e-14);
  hf_integrator_free(in);
  // With room for small steps it gets through, and energy is kept to what an elastic bounce allows.
  c.smallest_step = 0;
  in = make(&ode, &c);
  t = 0, x[0] = 0.1, x[1] = 0;
  assert_int_equal(hf_integrator_advance(in, &t, x, 0.2, NULL), HF_OK);
  assert_below(hf_integrator_report(in).smallest, 1e-4);
  assert_above(x[0], -1e-3);
  assert_below(x[0], 0.11);
  // The budget of attempts is a status too.
  c.max_steps = 20;
  hf_integrator_free(in);
  in = make(&ode, &c);
  t = 0, x[0] = 0.1, x[1] = 0;
  assert_int_equal(hf_integrator_advance(in, &t, x, 1, NULL), HF_NOT_CONVERGED);
  assert_above(x[0], -0.01);
  assert_at_most(x[0], 0.1);
  hf_integrator_free(in);
}

// An equation on which Newton's method wanders: its steps fail, each after up to twenty iterations. Ten attempts have room for twenty
// iterations, and the attempt in which they are used up for twenty more.
static hfStatus rough_rhs(void* context, double t, const double* x, double* xdot) {
  (void)t;
  ++*(long*)context;
  xdot[0] = 100 * sin(1e9 * x[0]);
  return HF_OK;
}

static void test_iterations_of_an_advance_are_bounded(void** state) {
  (void)state;
  long calls = 0;
  hfOde ode = {.context = &calls, .nx = 1, .n = 1, .rhs = rough_rhs};
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = HF_METHOD_IMPLICIT_EULER;
  c.error_control = 0;
  c.divergence = INFINITY; // goes on where iterates move apart
  c.max_steps = 10;
  hfIntegrator* in = make(&ode, &c);
  double t = 0, x = 1;
  assert_int_equal(hf_integrator_advance(in, &t, &x, 1, NULL), HF_NOT_CONVERGED);
  hfIntegratorReport r = hf_integrator_report(in);
  assert_at_least(r.iterations, 20);
  assert_below(r.iterations, 40);
  assert_below(r.failed, 10);
  assert_below(calls, 3 * 40); // a residual and a difference quotient each, and one more
  hf_integrator_free(in);
}

// Evaluations are counted where they happen: here by the equation itself.
typedef struct countedBox { boxModel box; long calls; } countedBox;
static hfStatus counted_rhs(void* context, double t, const double* x, double* xdot) {
  countedBox* c = context;
  ++c->calls;
  return box_rhs(&c->box, t, x, xdot);
}

static void test_evaluations_are_counted(void** state) {
  (void)state;
  for (int method = HF_METHOD_RK3; method <= HF_METHOD_SDIRK; ++method)
    for (int newton = 0; newton < 2; ++newton)
      for (int ec = 0; ec < 2; ++ec) {
        countedBox counted = {box_paper(0), 0};
        hfOde ode = box_ode(&counted.box);
        ode.context = &counted;
        ode.rhs = counted_rhs;
        hfIntegratorConfig c = hf_integrator_config_default();
        c.method = method;
        c.newton = newton;
        c.error_control = ec;
        c.step = 0.001;
        hfIntegrator* in = make(&ode, &c);
        double t = 0, x[2] = {0, 0};
        assert_int_equal(hf_integrator_advance(in, &t, x, 0.2, NULL), HF_OK);
        hfIntegratorReport r = hf_integrator_report(in);
        assert_int_equal(r.evaluations, counted.calls);
        assert_int_equal(r.jacobian_evaluations, 2 * r.jacobians);
        hf_integrator_free(in);
      }
}

// After a reset the same bits come out; an analytic Jacobian gives the same solution to Newton's tolerance.
static void test_reset_repeats_and_jacobians_agree(void** state) {
  (void)state;
  boxModel box = box_paper(1);
  hfOde ode = box_ode(&box);
  hfIntegratorConfig c = hf_integrator_config_default();
  c.method = HF_METHOD_IMPLICIT_EULER;
  c.newton = HF_NEWTON_QUASI;
  hfIntegrator* in = make(&ode, &c);
  double x[3][2];
  for (int k = 0; k < 3; ++k) {
    double t = 0;
    x[k][0] = x[k][1] = 0;
    if (k == 2) {
      c.jacobian = HF_JACOBIAN_ANALYTIC;
      hf_integrator_free(in);
      in = make(&ode, &c);
    }
    assert_int_equal(hf_integrator_advance(in, &t, x[k], 0.6, NULL), HF_OK);
    if (k == 2) assert_int_equal(hf_integrator_report(in).jacobian_evaluations, 0);
    hf_integrator_reset(in);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_near(x[2][1], x[0][1], 1e-2); // ten accuracies
  hf_integrator_free(in);
}

// With the transition-aware line search no step of the box fails, at any size; without it some do, and
// are halved: the grid of steps is reached all the same.
static void test_transitions_at_fixed_steps(void** state) {
  (void)state;
  for (int smooth = 0; smooth < 2; ++smooth)
    for (int newton = 0; newton < 2; ++newton)
      for (int tals = 0; tals < 2; ++tals) {
        boxModel box = box_paper(smooth);
        hfOde ode = box_ode(&box);
        hfIntegratorConfig c = hf_integrator_config_default();
        c.method = HF_METHOD_IMPLICIT_EULER;
        c.error_control = 0;
        c.newton = newton;
        c.tals = tals;
        c.step = 0.01;
        c.newton_tolerance = 1e-10;
        hfIntegrator* in = make(&ode, &c);
        double t = 0, x[2] = {0, 0};
        for (int k = 1; k <= 250; ++k) {
          assert_int_equal(hf_integrator_advance(in, &t, x, k * 0.01, NULL), HF_OK);
          assert_true(t == k * 0.01);
        }
        hfIntegratorReport r = hf_integrator_report(in);
        print_message("%s law, %s Newton, tals %d: %ld evaluations, %ld steps, %ld failed, %ld limited\n",
                      smooth ? "smooth" : "linear", newton ? "quasi" : "full", tals, (long)r.evaluations,
                      (long)r.steps, (long)r.failed, (long)r.limited);
        if (tals && !smooth) assert_int_equal(r.failed, 0);
        if (tals) assert_at_least(r.limited, 4); // enters stick at least four times in 2.5 s
        else assert_above(r.failed, 10);
        hf_integrator_free(in);
      }
}

// An equation that changes between steps: u' = 0 until the first renewal, which adds the coordinate w = 1 with w' = -w and u' = w. Then
// w = exp(-(t - t1)) and u + w = 1, whatever the steps are; t1 is when the first step ended.
typedef struct growing { double begun; int32_t count; } growing;

static hfStatus growing_rhs(void* context, double t, const double* x, double* xdot) {
  (void)t;
  int grown = ((growing*)context)->count > 0;
  xdot[0] = grown ? x[1] : 0;
  if (grown) xdot[1] = -x[1];
  return HF_OK;
}

static hfRenewal growing_renew(void* context, double t, double* x, int32_t* grown) {
  growing* g = context;
  if (g->count++) return t > 1 ? HF_RENEWAL_STOP : HF_RENEWAL_NONE;
  g->begun = t, x[1] = 1, *grown = 1;
  return HF_RENEWAL_CHANGED;
}

static void test_renewal_adds_a_coordinate_and_stops(void** state) {
  (void)state;
  growing g = {0};
  hfOde ode = {.context = &g, .nx = 2, .n = 2, .rhs = growing_rhs, .renew = growing_renew};
  hfIntegratorConfig config = hf_integrator_config_default();
  config.accuracy = 1e-9, config.step = 0.1;
  hfIntegrator* in = make(&ode, &config);
  hfi_integrator_resize(in, 1, 1);
  double t = 0, x[2] = {0, 7};
  hfError error;
  assert_int_equal(hf_integrator_advance(in, &t, x, 2, &error), HF_OK);
  assert_above(t, 1); // the renewal stopped it
  assert_below(t, 2);
  assert_above(g.begun, 0);
  assert_int_equal(g.count, hf_integrator_report(in).steps);
  assert_near(x[1], exp(-(t - g.begun)), 1e-7); // a hundred steps of 1e-9
  assert_near(x[0] + x[1], 1, 1e-12);           // linear, and kept by every Runge-Kutta method
  hf_integrator_free(in);
}

// u' = -lambda (u - cos t) with lambda = 5000 is smooth but for a short start: explicit steps are then bound by stability, and their stages
// show lambda. With patience for 5 stiff steps the advance ends early.
static hfStatus relaxing_rhs(void* context, double t, const double* x, double* xdot) {
  (void)context;
  xdot[0] = -5000 * (x[0] - cos(t));
  return HF_OK;
}

static void test_stiffness_is_measured(void** state) {
  (void)state;
  hfOde ode = {.nx = 1, .n = 1, .rhs = relaxing_rhs};
  const int methods[] = {HF_METHOD_RK3, HFI_METHOD_RK5};
  for (int m = 0; m < 2; ++m) {
    hfIntegratorConfig config = hf_integrator_config_default();
    config.method = methods[m], config.accuracy = 1e-4, config.step = 0.1;
    hfIntegrator* in = make(&ode, &config);
    hfiStiffnessWatch* watch = hfi_integrator_watch(in);
    watch->limit = 1.5;
    watch->remaining = 5;
    watch->most_remaining = 5;
    watch->least_rate = INFINITY;
    double t = 0, x = 1;
    hfError error;
    assert_int_equal(hf_integrator_advance(in, &t, &x, 1, &error), HF_OK);
    assert_below(t, 0.1); // after about 6 steps of 2.5/5000 s
    assert_int_equal(watch->remaining, -1);
    assert_near(hfi_watched_stiffness(watch), 5000, 500); // the forcing cos t blurs it
    hf_integrator_free(in);
  }
}

// x' = -x up to the time 0.5, after which there is no f.
static hfStatus rate_that_ends(void* context, double t, const double* x, double* xdot) {
  (void)context;
  xdot[0] = -x[0];
  return t > 0.5 ? HF_NO_SOLUTION : HF_OK;
}

// Steps that would go beyond the end of f fail, and are tried again from the same start with half the length, until they are too short. The Jacobian at that start stays
// what it is: it is formed once, not for every one of the 30 to 40 attempts.
static void test_retries_keep_the_jacobian(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  for (int k = 0; k < 2; ++k) {
    hfOde ode = {.nx = 1, .n = 1, .rhs = rate_that_ends};
    hfIntegratorConfig c = hf_integrator_config_default();
    c.method = methods[k], c.newton = HF_NEWTON_QUASI, c.tals = 0, c.step = 0.4;
    hfIntegrator* in = make(&ode, &c);
    double t = 0, x = 1;
    hfError error;
    hfStatus status = hf_integrator_advance(in, &t, &x, 1, &error);
    hfIntegratorReport r = hf_integrator_report(in);
    assert_above(status, 0);
    assert_above(t, 0.4);
    assert_at_most(t, 0.5);
    assert_above(r.failed, 20);
    assert_at_most(r.jacobians, r.steps + 1);
    assert_near(x, exp(-t), 0.01); // the accuracy of the default
    hf_integrator_free(in);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_retries_keep_the_jacobian), cmocka_unit_test(test_bad_options_are_refused),
      cmocka_unit_test(test_bad_states_are_refused),
      cmocka_unit_test(test_a_singularity_keeps_the_last_accepted_state),
      cmocka_unit_test(test_where_f_ends_the_integrator_stops),
      cmocka_unit_test(test_fixed_steps_cross_a_jump),
      cmocka_unit_test(test_implicit_steps_hold_an_f_that_chatters), cmocka_unit_test(test_stiff_equation_with_an_explicit_method),
      cmocka_unit_test(test_iterations_of_an_advance_are_bounded),
      cmocka_unit_test(test_evaluations_are_counted),
      cmocka_unit_test(test_reset_repeats_and_jacobians_agree),
      cmocka_unit_test(test_transitions_at_fixed_steps),
      cmocka_unit_test(test_renewal_adds_a_coordinate_and_stops),
      cmocka_unit_test(test_stiffness_is_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
