// The right-hand side in continuous time: compared with closed forms. Its Jacobian is compared with differences, its charts
// with the integration on the manifold, and the dense problem with the rate.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "methods/continuous/accel.h"
#include "continuous/scenes.h"
#include "linalg/dense.h"

static hfAccel* make(const hfModel* m) {
  hfAccelConfig c = hf_accel_config_default();
  c.friction = m->world.friction == HF_FRICTION_ANCHORED ? HF_FRICTION_REGULARISED : m->world.friction;
  hfAccel* a = NULL;
  hfError error;
  assert_int_equal(hf_accel_create(&a, m, &c, &error), HF_OK);
  hf_accel_begin(a, NULL, NULL);
  return a;
}

// ---- closed forms -----------------------------------------------------------------------------------

static void test_pendulum(void** state) {
  (void)state;
  hfModel* m = scene(PENDULUM);
  hfAccel* a = make(m);
  for (double q = -3; q <= 3; q += 0.5) {
    double v = 1.3, vdot;
    assert_int_equal(hf_accel_rate(a, 0, &q, &v, NULL, &vdot, NULL), HF_OK);
    assert_near(vdot, -9.81 / 0.5 * sin(q), 1e-7); // inertia 1e-9 about the centre of 0.25
  }
  hf_accel_free(a);
  hf_model_free(m);
}

// A body tied at a point swings like one on a hinge: (I + m l^2) theta'' = -m g l sin theta.
static void test_tied_pendulum_swings_like_a_hinged_one(void** state) {
  (void)state;
  hfModel* m = scene(TIED_PENDULUM);
  hfAccel* a = make(m);
  for (double angle = -2; angle <= 2; angle += 0.5) {
    double q[7] = {0, 0, 0, cos(angle / 2), 0, sin(angle / 2), 0}, v[6] = {0, 0, 0, 0, 1.7, 0}, vdot[6];
    assert_int_equal(hf_accel_rate(a, 0, q, v, NULL, vdot, NULL), HF_OK);
    assert_near(vdot[4], -9.81 * 0.5 * sin(angle) / (0.25 + 1e-3), 1e-8);
    for (int i = 0; i < 3; ++i) assert_near(vdot[i], 0, 1e-8); // the tied point does not accelerate
    // an error of 1 mm is driven back: rddot = -r/T^2 with T = 0.01 s
    q[0] = 1e-3;
    assert_int_equal(hf_accel_rate(a, 0, q, v, NULL, vdot, NULL), HF_OK);
    assert_near(vdot[0], -1e-3 / sqr(0.01), 1e-8);
  }
  hf_accel_free(a);
  hf_model_free(m);
}

// Hunt and Crossley in depth, exact at any depth: nothing is linearised.
static void test_ball_in_contact(void** state) {
  (void)state;
  hfModel* m = scene(BALL);
  hfAccel* a = make(m);
  for (double depth = -0.01; depth < 0.05; depth += 0.007) {
    double q[7] = {0.3, 0.2, 0.05 - depth, 1, 0, 0, 0}, v[6] = {0, 0, -2, 0, 0, 0}, vdot[6];
    assert_int_equal(hf_accel_rate(a, 0, q, v, NULL, vdot, NULL), HF_OK);
    assert_near(vdot[2], -9.81 + 1e3 / 0.1 * fmax(0, depth), 1e-9);
  }
  hf_accel_free(a);
  hf_model_free(m);
}

static void test_box_follows_its_own_law(void** state) {
  (void)state;
  hfModel* m = scene(BOX);
  hfAccel* a = make(m);
  double depth = 0.33 * 9.8 / 1e3, q[2] = {0.4, -depth}, vdot[2];
  for (double speed = -3e-4; speed <= 3e-4; speed += 5e-5)
    for (double t = 0; t < 1; t += 0.3) {
      double v[2] = {speed, 0}, g = fmax(-1, fmin(1, speed / 1e-4));
      assert_int_equal(hf_accel_rate(a, t, q, v, NULL, vdot, NULL), HF_OK);
      assert_near(vdot[0], (4 * cos(2 * HFI_PI * t) - 3.234 * g) / 0.33, 1e-10);
      assert_near(vdot[1], 0, 1e-10);
    }
  assert_int_equal(hf_accel_statistics(a).collisions, 1); // q never changed
  assert_above(hf_accel_statistics(a).evaluations, 40);
  hf_accel_free(a);
  hf_model_free(m);
}

// ---- Jacobian and charts ----------------------------------------------------------------------------

// A state of MIXTURE with contact, a limit, and everything moving; x = (q, v, act).
static void mixed_state(const hfModel* m, double* x, double speed) {
  memcpy(x, hf_model_qpos0(m), (size_t)m->nq * sizeof *x);
  double* v = x + m->nq;
  x[0] = 0.05;
  x[1] = 0.35; // beyond its limit
  x[2] = 0.06;
  x[3] += 0.002;
  x[5] = 0.3485; // 2 mm into the first capsule
  for (int i = 0; i < m->nv; ++i) v[i] = speed * (i % 3 - 0.7);
  for (int i = 0; i < m->na; ++i) v[m->nv + i] = 0.4;
}

static void difference_jacobian(const hfOde* ode, const double* x0, const double* u0, double* J) {
  double x[64], u[64], f[2][64];
  for (int j = 0; j < ode->n; ++j) {
    double e = 1e-6;
    for (int k = 0; k < 2; ++k) {
      memcpy(u, u0, sizeof(double) * (size_t)ode->n);
      u[j] += k ? -e : e;
      ode->plus(ode->context, x0, u, x);
      assert_int_equal(ode->rhs(ode->context, 0, x, f[k]), HF_OK);
      ode->lift(ode->context, u, f[k]);
    }
    for (int i = 0; i < ode->n; ++i) J[i * ode->n + j] = (f[0][i] - f[1][i]) / (2 * e);
  }
}

// What the analytic Jacobian leaves out (bias, the turning of rows that carry 20 N on a ball of 4 cm)
// amounts to 2 % here; what is stiff must be there: springs, servo, limit, contact, friction, coupling.
static void test_jacobian_has_what_is_stiff(void** state) {
  (void)state;
  hfModel* m = scene(MIXTURE);
  hfAccel* a = make(m);
  hfOde ode = hf_accel_ode(a);
  double x[64], u[64] = {0}, J[64 * 64], D[64 * 64];
  mixed_state(m, x, 1e-3);
  assert_int_equal(ode.jacobian(ode.context, 0, x, J), HF_OK);
  assert_at_least(a->ncontact, 1);
  assert_at_least(a->stops.count, 2);
  difference_jacobian(&ode, x, u, D);
  double scale = largest(D, ode.n * ode.n), worst = 0;
  for (int i = 0; i < ode.n * ode.n; ++i) worst = fmax(worst, fabs(J[i] - D[i]));
  print_message("largest entry %g, largest difference %g\n", scale, worst);
  assert_above(scale, 1e4);
  assert_below(worst, 0.04 * scale);
  hf_accel_free(a);
  hf_model_free(m);
}

// Without turning rows and bias it is exact: a box that can only slide.
static void test_jacobian_of_the_box_is_exact(void** state) {
  (void)state;
  hfModel* m = scene(BOX);
  hfAccel* a = make(m);
  hfOde ode = hf_accel_ode(a);
  double J[16], D[16], u[4] = {0};
  for (int slip = 0; slip < 2; ++slip) {
    double x[4] = {0, -0.004, slip ? 0.3 : 3e-5, -0.01};
    assert_int_equal(ode.jacobian(ode.context, 0, x, J), HF_OK);
    difference_jacobian(&ode, x, u, D);
    // differences of 1e-6 in v over the slope of the law are exact; rounding 1e-16 1e5/1e-6
    for (int i = 0; i < 16; ++i) assert_near(J[i], D[i], 1e-4);
  }
  hf_accel_free(a);
  hf_model_free(m);
}

// A DC motor whose every part depends on its states: exact but for the heat that a current makes and, of the friction, how
// its level changes with the speed, which the Stribeck speed of 100 rad/s makes small.
static void test_jacobian_of_a_motor(void** state) {
  (void)state;
  static const char* const extra[] = {"inductance='0 .004'", ""};
  for (int k = 0; k < 2; ++k) {
    char xml[1024];
    snprintf(xml, sizeof xml,
             "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 0 1'/><geom type='cylinder' size='.2 .05' mass='1'/></body></worldbody><actuator>"
             "<dcmotor joint='j' gear='2' motorconst='.05 .06' resistance='2' %s cogging='.02 6 .3' lugre='50 .5 .02 .03 100' input='pos' controller='2 1 .2 3 9 0'/>"
             "</actuator></mujoco>", extra[k]);
    hfModel* m = scene(xml);
    hfAccel* a = make(m);
    hfOde ode = hf_accel_ode(a);
    int n = ode.n;
    assert_int_equal(n, k ? 5 : 6);
    double x[6] = {0.3, 0.7, 1e-4, 0.1, 2e-4, 0.2}, u[6] = {0}, J[36], D[36];
    assert_int_equal(ode.jacobian(ode.context, 0, x, J), HF_OK);
    difference_jacobian(&ode, x, u, D);
    for (int i = 0; i < n * n; ++i) assert_near(J[i], D[i], 1e-3 * (1 + fabs(D[i])));
    hf_accel_free(a);
    hf_model_free(m);
  }
}

// The chart away from its centre: the lifted Jacobian against differences in chart coordinates.
static void test_lifted_jacobian(void** state) {
  (void)state;
  hfModel* m = scene(BALL);
  hfAccel* a = make(m);
  hfOde ode = hf_accel_ode(a);
  testRandom r = {5};
  double x0[13] = {0, 0, 0.5, 1, 0, 0, 0, 0.1, 0.2, 0.3, 2, -3, 4}, u[12], x[13], f[12], J[144], D[144];
  for (int i = 0; i < 12; ++i) u[i] = random_uniform(&r, -0.05, 0.05);
  difference_jacobian(&ode, x0, u, D);
  ode.plus(ode.context, x0, u, x);
  ode.rhs(ode.context, 0, x, f);
  ode.lift(ode.context, u, f);
  assert_int_equal(ode.jacobian(ode.context, 0, x, J), HF_OK);
  ode.lift_jacobian(ode.context, u, f, J);
  // in free flight only the chart turns anything; the change of b left out is |u|^3 w/360
  for (int i = 0; i < 144; ++i) assert_near(J[i], D[i], 2e-6);
  hf_accel_free(a);
  hf_model_free(m);
}

// ---- the dense problem ------------------------------------------------------------------------------

// M vdot = tau + J^T f + Je^T lambda, with forces f evaluated from the laws in the problem.
static void test_dense_problem_agrees_with_the_rate(void** state) {
  (void)state;
  hfModel* m = scene(MIXTURE);
  hfAccel* a = make(m);
  double x[64], vdot[32];
  mixed_state(m, x, 1e-3);
  const double *v = x + m->nq, *act = v + m->nv;
  assert_int_equal(hf_accel_rate(a, 0, x, v, act, vdot, NULL), HF_OK);
  const hfAccelProblem* p = hf_accel_problem(a, 0, x, v, act);
  assert_non_null(p);
  assert_int_equal(p->nequality, 1);
  assert_at_least(p->ncontact, 1);
  double rest[32];
  for (int i = 0; i < p->nv; ++i) rest[i] = hfi_dot(p->M + i * p->nv, vdot, p->nv) - p->tau[i];
  for (int c = 0; c < p->ncontact; ++c) {
    const hfAccelContact* k = &p->contact[c];
    double s[3];
    for (int r = 0; r < 3; ++r) s[r] = hfi_dot(p->J + (k->row + r) * p->nv, v, p->nv);
    double fn = k->law.stiffness * (1 - k->law.dissipation * s[0]) * k->law.depth, slip = hypot(s[1], s[2]);
    double mu = k->law.mu[0] * fmin(1, slip / k->law.stiction_speed[0]) / fmax(slip, 1e-30);
    double f[3] = {fn, -mu * fn * s[1], -mu * fn * s[2]};
    for (int r = 0; r < 3; ++r)
      for (int i = 0; i < p->nv; ++i) rest[i] -= p->J[(k->row + r) * p->nv + i] * f[r];
  }
  // what is left is along the equality's row, and its accelerations are met
  double lambda = hfi_dot(p->Je, rest, p->nv) / hfi_dot(p->Je, p->Je, p->nv);
  for (int i = 0; i < p->nv; ++i) assert_near(rest[i], lambda * p->Je[i], 1e-9);
  assert_near(hfi_dot(p->Je, vdot, p->nv) + p->Jedot_v[0], p->reference[0], 1e-6);
  hf_accel_free(a);
  hf_model_free(m);
}

// Jdot v of a ball that rolls over a fixed one of radius R: the normal turns with v/(R + r), so
// d(vn)/dt at vdot = 0 is v^2/(R + r).
static void test_rate_of_rows_includes_curvature(void** state) {
  (void)state;
  hfModel* m = scene("<mujoco><option gravity='0 0 0'/><worldbody><geom type='sphere' size='0.3'/>"
                     "<body pos='0 0 0.399'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>");
  hfAccel* a = make(m);
  double q[7] = {0, 0, 0.399, 1, 0, 0, 0}, v[6] = {0.5, 0, 0, 0, 5, 0};
  const hfAccelProblem* p = hf_accel_problem(a, 0, q, v, NULL);
  assert_int_equal(p->ncontact, 1);
  assert_near(p->Jdot_v[0], 0.25 / 0.399, 1e-8); // differences over 1e-5 s
  hf_accel_free(a);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_tied_pendulum_swings_like_a_hinged_one),
      cmocka_unit_test(test_ball_in_contact),
      cmocka_unit_test(test_box_follows_its_own_law),
      cmocka_unit_test(test_jacobian_has_what_is_stiff),
      cmocka_unit_test(test_jacobian_of_the_box_is_exact),
      cmocka_unit_test(test_jacobian_of_a_motor), cmocka_unit_test(test_lifted_jacobian),
      cmocka_unit_test(test_dense_problem_agrees_with_the_rate),
      cmocka_unit_test(test_rate_of_rows_includes_curvature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
