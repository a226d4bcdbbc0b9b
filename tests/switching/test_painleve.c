// The Painleve rod: a uniform rod, lower end sliding on a plane.
//
//   ydd_c = b + p N,  p = (1/m)[1 + 3 cos th (cos th - mu sin th)],  b = -g + l w^2 sin th
//
// p < 0: the rigid model is refused. p < 0, b < 0: it has no solution; the compliant one passes with a velocity jump.
#include "runs.h"

#include <stdlib.h>

// Half length l = 0.5, mass 1, a tip of radius 1e-3; x, z of the centre, th about y. Tip at the lower end.
static const char* rod(double mu) {
  static char text[1200];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' "
           "size='0 0 1' friction='%g'/>"
           "<body name='rod' pos='0 0 0'><joint type='slide' axis='1 0 0'/><joint type='slide' "
           "axis='0 0 1'/><joint axis='0 1 0'/>"
           "<inertial pos='0 0 0' mass='1' diaginertia='0.0833333333333333 0.0833333333333333 "
           "0.0833333333333333'/>"
           "<geom name='tip' type='sphere' pos='-0.5 0 0' size='1e-6' "
           "friction='0'/></body></worldbody></mujoco>",
           mu);
  return text;
}

// Rod at angle th to the horizontal, its tip on the floor at the left, sliding to the left at speed u, spin w upward
// (th grows). In MJCF a hinge about +y turns x towards -z: the coordinate is -th.
static void place(double th, double w, double u, double* q, double* v) {
  double l = 0.5;
  q[0] = l * cos(th), q[1] = l * sin(th) + 1e-6, q[2] = -th;
  // tip = centre - l (cos, sin): its velocity is (u_x, 0)
  v[2] = -w;
  v[0] = -u - l * sin(th) * w;
  v[1] = l * cos(th) * w;
}

static double theory_p(double th, double mu) { return 1 + 3 * cos(th) * (cos(th) - mu * sin(th)); }

// A = p and b over angles and coefficients; the certificate fails exactly where p < 0
static void test_certificate(void** state) {
  (void)state;
  double worst = 0;
  int paradox = 0;
  for (int i = 0; i < 20; ++i) {
    double mu = 0.2 + 0.1 * i;
    hfModel* model = parse_model(rod(mu));
    hfRigid* rigid = NULL;
    hfRigidConfig config = hf_rigid_config_default();
    hfError error = {HF_OK, ""};
    config.stabilisation = 0;
    assert_int_equal(hf_rigid_create(&rigid, model, &config, &error), HF_OK);
    for (int k = 1; k < 30; ++k) {
      double th = k * M_PI / 60, q[3], v[3], w = 0.5, p = theory_p(th, mu),
             b = -9.81 + 0.5 * w * w * sin(th);
      const hfRigidProblem* problem = NULL;
      place(th, w, 1, q, v);
      assert_int_equal(hf_rigid_evaluate(rigid, 0, q, v, NULL, NULL, NULL, 0, &problem, &error),
                       HF_OK);
      assert_int_equal(problem->n, 1);
      assert_int_equal(problem->nS, 1);
      worst = fmax(worst, fmax(fabs(problem->A[0] - p), fabs(problem->b[0] - b)));
      if (fabs(p) < 1e-3) continue;
      assert_int_equal(problem->certificate.p_matrix, p > 0);
      assert_int_equal(problem->certificate.holds, p > 0);
      assert_int_equal(problem->lcp.status == HF_OK, p > 0); // b < 0 throughout
      paradox += p < 0;
    }
    hf_rigid_free(rigid);
    hf_model_free(model);
  }
  print_message("A and b differ from theory by %.2g; %d paradoxes\n", worst, paradox);
  assert_below(worst, 1e-4); // the tip's radius 1e-6 over 0.5 m, times accelerations of ten
  assert_above(paradox, 10);
}

// A run through the paradox: where it ends after 20 ms. dwell < 0: the default one.
static void pass(int contact_mode, double eps, double dwell, runSum* sum, double* v) {
  hfSimConfig config = switching_config(contact_mode, 1e-4);
  if (dwell >= 0) config.switching.dwell = dwell;
  config.switching.rigid.layer.eps = eps;
  config.switching.rigid.layer.mass = 1;
  config.switching.integrator = HF_METHOD_RK3;
  simWorld w = switching_world(rod(2), &config);
  place(1.1, 0, 1, sim_q(&w), sim_v(&w));
  *sum = switching_run(&w, 0.02);
  for (int i = 0; i < 3; ++i) v[i] = sim_v(&w)[i];
  sim_world_free(&w);
}

static void test_refused(void** state) {
  (void)state;
  runSum sum;
  double v[3];
  pass(HF_CONTACT_MODEL_RIGID, 1e-6, -1, &sum, v);
  assert_int_equal(sum.status, HF_NO_SOLUTION);
}

static void test_jump(void** state) {
  (void)state;
  double v[5][3], change[4];
  runSum sum;
  for (int i = 0; i < 5; ++i) {
    pass(HF_CONTACT_MODEL_COMPLIANT, 1e-5 * pow(0.1, i), -1, &sum, v[i]);
    assert_int_equal(sum.status, HF_OK);
    print_message("eps %.0e: v %.8f %.8f %.8f\n", 1e-5 * pow(0.1, i), v[i][0], v[i][1], v[i][2]);
  }
  for (int i = 0; i < 4; ++i)
    change[i] =
        fabs(v[i + 1][0] - v[i][0]) + fabs(v[i + 1][1] - v[i][1]) + fabs(v[i + 1][2] - v[i][2]);
  for (int i = 1; i < 4; ++i) assert_below(change[i], change[i - 1]);
  double before[3], q[3];
  place(1.1, 0, 1, q, before);
  assert_above(fabs(v[4][0] - before[0]), 0.1); // a jump, within 20 ms in which g changes v by 0.2
}

static void test_switching(void** state) {
  (void)state;
  double v[3], soft[3];
  runSum sum;
  pass(HF_CONTACT_MODEL_COMPLIANT, 1e-8, -1, &sum, soft);
  pass(HF_CONTACT_MODEL_SWITCHING, 1e-8, -1, &sum, v);
  assert_int_equal(sum.status, HF_OK);
  print_message(
      "%d switches, first %s at %g s; v %.8f %.8f %.8f, compliant %.8f %.8f %.8f; rigid %.4f s\n",
      sum.nswitch, hf_switch_reason_name(sum.first.reason), sum.first.time, v[0], v[1], v[2],
      soft[0], soft[1], soft[2], sum.rigid_time);
  assert_at_least(sum.nswitch, 2);
  for (int i = 0; i < 3; ++i) assert_below(fabs(v[i] - soft[i]), 2e-3);
}

// A compliant phase lasts for the dwell at least. The first one begins at once: its end is the second switch.
static void test_dwell(void** state) {
  (void)state;
  static const double dwell[3] = {0, 2e-3, 8e-3};
  double v[3];
  for (int i = 0; i < 3; ++i) {
    runSum sum;
    pass(HF_CONTACT_MODEL_SWITCHING, 1e-8, dwell[i], &sum, v);
    print_message("dwell %g s: compliant from %g s, %d switches, the last at %g s\n", dwell[i], sum.first.time,
                  sum.nswitch, sum.last.time);
    assert_int_equal(sum.status, HF_OK);
    assert_at_least(sum.nswitch, 2);
    assert_true(!sum.first.rigid);
    assert_true(sum.last.rigid);
    assert_at_least(sum.last.time - sum.first.time, dwell[i] - 1e-12); // time is a sum of steps
    if (i == 0) assert_below(sum.last.time - sum.first.time, dwell[1]); // it is the dwell that holds the others
  }
}

// Rods thrown at random slide, jam, stick, jump and land again: never a failure, continuous at every switch, never more
// mechanical energy than before but for what layers that start loaded hold, f^2/(2 k).
static double energy(const double* q, const double* v) {
  return 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12) + 9.81 * q[1];
}

static void test_random(void** state) {
  (void)state;
  uint64_t seed = 20001;
  int switches = 0, rods = is_full() ? 300 : 30;
  print_message("seed %llu\n", (unsigned long long)seed);
  for (int i = 0; i < rods; ++i) {
    double u[4];
    for (int k = 0; k < 4; ++k) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      u[k] = (double)(seed >> 11) / 9007199254740992.0;
    }
    hfSimConfig config = switching_config(HF_CONTACT_MODEL_SWITCHING, 1e-3);
    config.switching.rigid.layer.eps = 1e-7;
    config.switching.rigid.layer.mass = 1;
    config.switching.integrator = HF_METHOD_RK3;
    simWorld w = switching_world(rod(0.3 + 2 * u[0]), &config);
    place(0.3 + u[1], 4 * (u[2] - 0.5), 2 * u[3], sim_q(&w), sim_v(&w));
    double before = energy(sim_q(&w), sim_v(&w));
    runSum sum = switching_run(&w, 0.2);
    if (sum.status != HF_OK)
      fail_msg("rod %d: %s at %g s", i, hf_status_name(sum.status), w.state->time);
    switches += sum.nswitch;
    assert_below(energy(sim_q(&w), sim_v(&w)), before + 1e-3);
    sim_world_free(&w);
  }
  print_message("%d rods, %d switches\n", rods, switches);
  assert_above(switches, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_certificate), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_jump), cmocka_unit_test(test_switching), cmocka_unit_test(test_dwell), cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
