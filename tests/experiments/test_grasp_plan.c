// The plan and the computed torque of the grasp experiments: forces, torques and slips of the translation against a
// computation of its own (least-norm forces of 0.1 N or more, numpy), and that the torques do what they are for: the
// rigid model accelerates the object as commanded, at states off the plan too.
#include "cli/cli.h"
#include "grasp/planar.h"
#include "support/near.h"

#include <holdfast/rigid.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say_error(const char* format, ...) { // the experiments' messages
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static const double FRICTION[2] = {0.8, 0.6};

typedef struct row {
  double t, force[2], torque[2], slip[2]; // of the right finger; the left one is its mirror image
} row;

// At 0.65 s no force of 0.1 N exists, and what is done then is a matter of taste: left out.
static const row REFERENCE[] = {
    {0.1, {0.972709, 0.1}, {0.152578, 0.000300029}, {0.0199512, -0.0459477}},
    {0.2, {0.938, 0.100}, {0.1186, 0.0001}, {0.0374, -0.0667}},
    {0.3, {0.947, 0.100}, {0.1004, -0.0019}, {0.0523, -0.0655}},
    {0.4, {0.959, 0.100}, {0.0935, -0.0043}, {0.0631, -0.0508}},
    {0.5, {0.755, 0.100}, {0.0691, -0.0051}, {0.0688, -0.0296}},
    {0.55, {0.100, 0.164}, {0.0032, 0.0005}, {0.0695, -0.0185}},
    {0.6, {0.100, 0.461}, {0.0752, 0.0222}, {0.0685, -0.0080}},
    {0.64, {0.490, 0.844}, {0.2261, 0.0471}, {0.0665, -0.0006}},
    {0.7, {0.100, 0.112}, {-0.0171, 0.0064}, {0.0615, 0.0085}},
    {0.8, {0.100, 0.179}, {0.0169, 0.0217}, {0.0477, 0.0158}},
    {0.9, {0.100, 0.255}, {0.0579, 0.0375}, {0.0271, 0.0123}},
};

static void open_translation(graspScene* s, graspPlan* plan) {
  assert_int_equal(planar_open(s, FRICTION), CLI_GOOD);
  assert_int_equal(planar_plan(plan, s, 0.12, 0, GRASP_CUBIC), CLI_GOOD);
  plan->path[1] = 0.06;
  plan->least_force = 0.1;
}

static void test_plan_against_reference(void** state) {
  (void)state;
  graspScene s;
  graspPlan plan;
  open_translation(&s, &plan);
  for (size_t k = 0; k < sizeof REFERENCE / sizeof *REFERENCE; ++k) {
    const row* want = &REFERENCE[k];
    graspSetpoint at;
    assert_int_equal(grasp_plan(&plan, want->t, NULL, &at), CLI_GOOD);
    for (int i = 0; i < 2; ++i) { // as printed: three or four decimals
      assert_near(at.effort.force[i], want->force[i], 6e-4);
      assert_near(at.effort.torque[i], want->torque[i], 6e-5);
      assert_near(at.slip[i][0], want->slip[i], 6e-5);
      assert_near(at.effort.force[2 + i], at.effort.force[i], 1e-9);
      assert_near(at.effort.torque[2 + i], -at.effort.torque[i], 1e-9);
    }
  }
  grasp_close(&s);
}

// Rates of the planned configuration by differences of the plan itself.
static void test_plan_is_consistent(void** state) {
  (void)state;
  graspScene s;
  graspPlan plan;
  open_translation(&s, &plan);
  const double e = 1e-4;
  for (int i = 1; i < 10; ++i) {
    graspSetpoint at, before, after;
    double t = 0.1 * i;
    assert_int_equal(grasp_plan(&plan, t, NULL, &at), CLI_GOOD);
    assert_int_equal(grasp_plan(&plan, t - e, NULL, &before), CLI_GOOD);
    assert_int_equal(grasp_plan(&plan, t + e, NULL, &after), CLI_GOOD);
    for (int k = 0; k < s.nv; ++k) { // e^2 times third rates of some 10 rad/s^3; rounding over e
      assert_near((after.q[k] - before.q[k]) / (2 * e), at.v[k], 1e-6);
      assert_near((after.v[k] - before.v[k]) / (2 * e), at.a[k], 1e-5);
    }
  }
  grasp_close(&s);
}

static void assert_commands_acceleration(graspPlan* plan, hfRigid* rigid, double t, double dx,
                                         double dphi) {
  graspScene* s = plan->scene;
  graspSetpoint at;
  double q[GRASP_COORDINATES], v[GRASP_DOFS], e[GRASP_DOFS], w = plan->frequency;
  hfError error = {HF_OK, ""};
  const hfRigidProblem* p = NULL;
  assert_int_equal(grasp_plan(plan, t, NULL, &at), CLI_GOOD);
  memcpy(q, at.q, sizeof q);
  q[0] += dx, q[2] += dphi;
  assert_int_equal(grasp_reach(s, q, NULL), CLI_GOOD);
  memcpy(v, at.v, sizeof v);
  assert_true(grasp_keep(s, v));
  hfInput* input = hf_input_create(s->model);
  assert_non_null(input);
  assert_int_equal(grasp_control(plan, &at, q, v, input->ctrl), CLI_GOOD);
  assert_int_equal(hf_rigid_evaluate(rigid, t, q, v, NULL, input, NULL, 0, &p, &error), HF_OK);
  assert_int_equal(p->nS, 4);
  hf_model_difference(s->model, q, at.q, 1, e);
  for (int k = 0; k < 3; ++k) { // both sides take (W_N^T)' v by differences, to about 1e-7
    double wanted = at.a[k] + w * w * e[k] + 2 * w * (at.v[k] - v[k]);
    assert_near(p->vdot[k], wanted, 1e-5 * (1 + fabs(wanted)));
  }
  hf_input_free(input);
}

static void test_rigid_model_obeys(void** state) {
  (void)state;
  graspScene s;
  graspPlan plan;
  hfRigid* rigid = NULL;
  hfError error = {HF_OK, ""};
  hfRigidConfig config = hf_rigid_config_default();
  open_translation(&s, &plan);
  config.max_contacts = 8;
  assert_int_equal(hf_rigid_create(&rigid, grasp_model(&s), &config, &error), HF_OK);
  for (int i = 1; i <= 4; ++i) { // where A is a P-matrix
    assert_commands_acceleration(&plan, rigid, 0.1 * i, 0, 0);
    assert_commands_acceleration(&plan, rigid, 0.1 * i, 2e-6, 3e-5);
  }
  hf_rigid_free(rigid);
  grasp_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plan_against_reference),
      cmocka_unit_test(test_plan_is_consistent),
      cmocka_unit_test(test_rigid_model_obeys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
