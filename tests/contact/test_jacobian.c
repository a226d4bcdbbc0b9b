// Contact Jacobians against the dense body Jacobians of the dynamics, on random trees with all joints.
#include "support/cmocka_all.h"

#include "step/contact/contact.h"
#include "support/random_pose.h"
#include "support/random_tree.h"

#include <stdio.h>

enum { TREES = 100, CONTACTS = 20, MAX_NV = 256 };

// Rows of the contact from the 6 x nv Jacobians of both bodies.
static void dense_rows(const hfDynamics* d, const hfiContact* c, int nv, double (*rows)[MAX_NV]) {
  static double JA[6 * MAX_NV], JB[6 * MAX_NV];
  hf_dynamics_jacobian(d, c->body_a, c->p_W, JA);
  hf_dynamics_jacobian(d, c->body_b, c->p_W, JB);
  const hfVec3 axis[3] = {c->n, c->t1, c->t2};
  for (int r = 0; r < 6; ++r)
    for (int i = 0; i < nv; ++i) {
      int first = r < 3 ? 3 : 0; // linear rows of the body Jacobian come last
      hfVec3 rel = v3(JA[first * nv + i] - JB[first * nv + i],
                      JA[(first + 1) * nv + i] - JB[(first + 1) * nv + i],
                      JA[(first + 2) * nv + i] - JB[(first + 2) * nv + i]);
      rows[r][i] = v3_dot(axis[r % 3], rel);
    }
}

static void check_contact(const hfDynamics* d, const hfiContact* c, int dim) {
  int nv = d->model->nv;
  static double expected[6][MAX_NV], J[6 * 2 * MAX_NV];
  static int32_t cols[2 * MAX_NV];
  dense_rows(d, c, nv, expected);
  hfiContactColumns j;
  hfi_contact_columns(d, c->body_a, c->body_b, cols, &j);
  hfi_contact_rows(d, &j, c, dim, J);
  const double* at = J;
  const int32_t* col = cols;
  for (int p = 0; p < j.npiece; ++p) {
    for (int k = 0; k < j.ncol[p]; ++k) {
      assert_int_equal(hf_model_dof_tree(d->model)[col[k]], j.tree[p]);
      assert_true(k == 0 || col[k] > col[k - 1]);
      for (int r = 0; r < dim; ++r) expected[r][col[k]] -= at[r * j.ncol[p] + k];
    }
    at += dim * j.ncol[p];
    col += j.ncol[p];
  }
  // both sides are sums of a few products of numbers of order 10: rounding
  for (int r = 0; r < dim; ++r)
    for (int i = 0; i < nv; ++i) assert_float_equal(expected[r][i], 0, 1e-12);
}

// Inverse masses with random 1/M_ii beside sums over the rows, which have to be the same to the last bit.
static void check_weighed(testRandom* r, const hfDynamics* d, const hfiContact* c, int dim) {
  static double J[6 * 2 * MAX_NV], weighed[6 * 2 * MAX_NV], inverse[2 * MAX_NV];
  static int32_t cols[2 * MAX_NV];
  static const int group[6] = {-1, HF_SLIDING, HF_SLIDING, HF_TORSION, HF_ROLLING, HF_ROLLING};
  double expected[3] = {0};
  hfiContactColumns j;
  hfi_contact_columns(d, c->body_a, c->body_b, cols, &j);
  const double *at = J, *w = inverse;
  for (int i = 0; i < 2 * MAX_NV; ++i) inverse[i] = random_uniform(r, 0.1, 10);
  hfi_contact_rows(d, &j, c, dim, J);
  hfiInverseMasses masses;
  hfi_contact_weighed_rows(d, &j, c, dim, inverse, &masses, weighed);
  for (int p = 0; p < j.npiece; w += j.ncol[p++])
    for (int row = 0; row < dim; ++row, at += j.ncol[p])
      for (int k = 0; k < j.ncol[p] && row > 0; ++k) expected[group[row]] += at[k] * at[k] * w[k] * (group[row] == HF_TORSION ? 1 : 0.5);
  assert_memory_equal(J, weighed, sizeof *J * (size_t)(at - J));
  // the same sums of squares in another order: rounding
  for (int g = 0; g < 3; ++g) assert_float_equal(masses.group[g], expected[g], 1e-12 * (1 + expected[g]));
}

static void test_against_dense(void** state) {
  (void)state;
  static const int dims[] = {1, 3, 4, 6};
  testRandom r = {2024};
  printf("seed 2024\n");
  for (int t = 0; t < TREES; ++t) {
    RandomTree spec = random_tree_default();
    hfModel* m = random_tree_build(&r, &spec);
    assert_at_most(m->nv, MAX_NV);
    hfDynamics* d = NULL;
    assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
    double q[2 * MAX_NV], v[MAX_NV];
    random_tree_state(&r, m, q, v);
    hf_dynamics_set_position(d, q, NULL);
    for (int k = 0; k < CONTACTS; ++k) {
      hfiContact c = {.body_a = random_int(&r, m->nbody),
                      .body_b = random_int(&r, m->nbody),
                      .p_W = random_vector(&r),
                      .n = random_unit(&r)};
      v3_tangents(c.n, &c.t1, &c.t2);
      check_contact(d, &c, dims[k % 4]);
      check_weighed(&r, d, &c, dims[k % 4]);
    }
    hf_dynamics_free(d);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_dense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
