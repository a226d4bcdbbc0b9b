// Inverse masses (M^-1)_ii of random trees: bounds that hold at every configuration, and factors that are computed when
// they are asked for.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "dynamics/trees.h"
#include "support/sim_world.h"

#include "step/actuation/rows.h"
#include "linalg/dense.h"

#include <string.h>

static int bounded, unbounded, bounded_rows;

// Compares the bound of a row over random dofs that have bounds with its inverse mass. LU: factors of the dense M.
static void check_row_bounds(const World* w, testRandom* r, const double* LU, const int32_t* pivot) {
  int nv = w->model->nv, n = 0;
  double J[MAX_DOF], x[MAX_DOF] = {0}, inverse_mass = 0;
  int32_t dof[MAX_DOF];
  for (int i = 0; i < nv; ++i)
    if (w->d->mass.largest_inverse[i] < INFINITY && random_uniform(r, 0, 1) < 0.8) dof[n] = i, x[i] = J[n++] = random_uniform(r, -2, 2);
  hfi_lu_solve(LU, nv, nv, pivot, x);
  for (int k = 0; k < n; ++k) inverse_mass += J[k] * x[dof[k]];
  double most = hfi_largest_inverse_mass(w->d, n, dof, J);
  assert_at_least(most, inverse_mass * (1 - 1e-9));
  bounded_rows += n > 1;
}

// Oracle: the dense M, factored with pivoting. Rounding grows with the condition of M, which is below 1e6 here.
static void check_bounds(World* w, testRandom* r) {
  int nv = w->model->nv;
  static double M[MAX_DOF * MAX_DOF], x[MAX_DOF];
  int32_t pivot[MAX_DOF];
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_dense_mass_matrix(w->d, M);
  assert_int_equal(hfi_lu(M, nv, nv, pivot), 0);
  for (int i = 0; i < nv; ++i) {
    memset(x, 0, sizeof x);
    x[i] = 1;
    hfi_lu_solve(M, nv, nv, pivot, x);
    assert_at_least(w->d->mass.largest_inverse[i], x[i] * (1 - 1e-9));
    *(isinf(w->d->mass.largest_inverse[i]) ? &unbounded : &bounded) += 1;
  }
  check_row_bounds(w, r, M, pivot);
}

static void test_bounds_hold(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  bounded = unbounded = bounded_rows = 0;
  spec.flags = 0;
  for_random_trees(&spec, TREES, check_bounds);
  spec.flags = TREE_ARMATURE;
  for_random_trees(&spec, TREES, check_bounds);
  print_message("%d dofs have a bound, %d have none; %d rows over several dofs\n", bounded, unbounded, bounded_rows);
  assert_above(bounded, 100); // else nothing was tested
  assert_above(bounded_rows, 50);
}

// A link on the world whose axis u is no principal axis: 1/(armature + 1/(u . I^-1 u)), less 1e-12 of the largest moment for rounding. A second link that hangs on
// a body welded to it, turned by a right angle about z, gives its joint the inverse resistances of both links, each about the axis in its own frame; the world resists the rotation of the first by
// its armature.
static void test_bound_of_links(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><body><inertial pos='0 0 0' mass='2' diaginertia='.5 .7 .3'/><joint axis='1 2 2' armature='.2'/>"
                           "<body euler='0 0 90'><inertial pos='0 0 0' mass='1' diaginertia='.1 .2 .15'/>"
                           "<body><inertial pos='0 0 0' mass='1' diaginertia='.5 .3 .4'/><joint axis='1 0 0'/></body></body></body></worldbody></mujoco>");
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  // The first link has the moments (.5 + .2, .7 + .1, .3 + .15).
  double first = (1 / 0.7 + 4 / 0.8 + 4 / 0.45) / 9;
  assert_near(d->mass.largest_inverse[0], 1 / (0.2 + 1 / first), 1e-9);
  assert_near(d->mass.largest_inverse[1], 1 / 0.5 + 1 / (0.8 + 0.2), 1e-9); // x of the second is y of the first
  hf_dynamics_free(d), hf_model_free(m);
}

// Oracle: factors of all trees at once, to the bit.
static void check_postponed(World* w, testRandom* r) {
  int nv = w->model->nv;
  double now[MAX_DOF], x[MAX_DOF], y[MAX_DOF];
  for (int i = 0; i < nv; ++i) x[i] = y[i] = random_uniform(r, -1, 1);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_factor(w->d);
  for (int i = 0; i < nv; ++i) now[i] = hfi_dof_inverse_mass(w->d, i);
  hf_dynamics_solve(w->d, x);
  hf_dynamics_set_position(w->d, w->q, NULL);
  hf_dynamics_update_mass_matrix(w->d);
  hfi_postpone_factors(w->d);
  for (int i = nv - 1; i >= 0; i -= 2) {
    double later = hfi_dof_inverse_mass(w->d, i);
    assert_memory_equal(&later, &now[i], sizeof later);
  }
  hf_dynamics_solve(w->d, y);
  assert_memory_equal(x, y, sizeof *x * (size_t)nv);
}

static void test_postponed_factors(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_postponed);
}

int main(void) {
  const struct CMUnitTest tests[] = {tree_test(test_bounds_hold), cmocka_unit_test(test_bound_of_links),
                                     tree_test(test_postponed_factors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
