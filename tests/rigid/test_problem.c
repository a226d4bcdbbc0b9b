// The rigid problem: the published planar grasp, and its certificate along the plan.
#include "planar.h"
#include "support/sim_world.h"

#include <stdio.h>

typedef struct Bench {
  hfModel* model;
  hfRigid* rigid;
} Bench;

static Bench bench(const char* xml, const hfRigidConfig* config) {
  Bench b = {.model = parse_model(xml)};
  hfError error = {HF_OK, ""};
  hfRigidConfig standard = hf_rigid_config_default();
  if (hf_rigid_create(&b.rigid, b.model, config ? config : &standard, &error) != HF_OK) fail_msg("%s", error.message);
  return b;
}

static void bench_free(Bench* b) {
  hf_rigid_free(b->rigid);
  hf_model_free(b->model);
}

static const hfRigidProblem* planar_problem(const Bench* b, double y, double ydot) {
  double q[7], v[7];
  const hfRigidProblem* p = NULL;
  hfError error = {HF_OK, ""};
  planar_configuration(y, q);
  planar_velocity(y, v);
  for (int i = 0; i < 7; ++i) v[i] *= ydot;
  hfStatus status = hf_rigid_evaluate(b->rigid, 0, q, v, NULL, NULL, NULL, 0, &p, &error);
  if (status != HF_OK) fail_msg("%d %s", status, error.message);
  return p;
}

// facts of the published mechanism at y = 0.15 m, moving up: six printed digits
static const double REFERENCE_A[16] = {0.959193, 1.11683,  -0.385403, -0.714668, 0.772148,  1.503563,  -0.754238, -0.287727,
                                       -0.385403, -0.714668, 0.959193, 1.11683,   -0.754238, -0.287727, 0.772148,  1.503563};
static const double REFERENCE_WN[28] = {
    -0.764988, 0.644044, 0.037996,  -0.120542, 0, 0, 0, -0.732066, -0.681234, -0.039014, -0.104858, -0.080602, 0, 0,
    0.764988,  0.644044, -0.037996, 0, 0, 0.120542, 0,  0.732066,  -0.681234, 0.039014,  0, 0, 0.104858, 0.080602};

static void test_planar_reference(void** state) {
  (void)state;
  Bench b = bench(PLANAR_GRASP, NULL);
  const hfRigidProblem* p = planar_problem(&b, 0.15, 0.09);
  assert_int_equal(p->ncontact, 4);
  assert_int_equal(p->nS, 4);
  assert_int_equal(p->nR, 0);
  double worst = 0, worst_W = 0;
  for (int i = 0; i < 16; ++i) worst = fmax(worst, fabs(p->A[i] - REFERENCE_A[i]));
  for (int i = 0; i < 28; ++i) worst_W = fmax(worst_W, fabs(fabs(p->W_N[i]) - fabs(REFERENCE_WN[i])));
  print_message("A differs by %.2g, W_N by %.2g\n", worst, worst_W);
  assert_true(worst < 1e-6 && worst_W < 1e-6); // printed digits
  assert_false(p->certificate.p_matrix);
  assert_true(p->certificate.full_rank);
  bench_free(&b);
}

// P fails exactly for y in [0.142829, 0.162540] on the way up
static void test_planar_interval(void** state) {
  (void)state;
  Bench b = bench(PLANAR_GRASP, NULL);
  double first = 0, last = 0;
  for (int i = 0; i <= 600; ++i) {
    double y = 0.12 + 1e-4 * i;
    if (planar_problem(&b, y, 0.09)->certificate.p_matrix) continue;
    if (first == 0) first = y;
    last = y;
  }
  print_message("no P-matrix from %.4f to %.4f m\n", first, last);
  assert_true(fabs(first - 0.142829) <= 1e-4 && fabs(last - 0.162540) <= 1e-4); // the grid
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_planar_reference), cmocka_unit_test(test_planar_interval)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
