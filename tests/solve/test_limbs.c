// A humanoid whose arms share a waist (find_limbs in island.c): where a row couples both arms, by way of a piece that begins at the waist, Newton's matrix has
// that coupling. The problem is linear, so that the right matrix solves it in one or two iterations. The waist moves the row
// little, so that the matrix without the coupling would be positive definite, too, and would be used.
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/step_problems.h"

enum { HUB = 6, WAIST = 1, ARM = 4, LEG = 5, LEFT = HUB + WAIST, RIGHT = LEFT + ARM, LEGS = RIGHT + ARM, DOFS = LEGS + 2 * LEG };

// The part of the robot that a dof belongs to.
static int find_part(int dof) { return dof < HUB ? 0 : dof < LEFT ? 1 : dof < RIGHT ? 2 : dof < LEGS ? 3 : dof < LEGS + LEG ? 4 : 5; }

// M is dominated by its diagonal, so that it is positive definite.
static void add_humanoid(problemBuilder* b, testRandom* r) {
  double M[DOFS * DOFS] = {0}, p[DOFS];
  for (int i = 0; i < DOFS; ++i)
    for (int j = i; j < DOFS; ++j) {
      int first = find_part(i), second = find_part(j);
      int coupled = first == 0 || first == second || (first == 1 && second < 4);
      M[i * DOFS + j] = M[j * DOFS + i] = i == j ? 1 : coupled ? 0.03 * random_uniform(r, -1, 1) : 0;
    }
  for (int i = 0; i < DOFS; ++i) p[i] = random_uniform(r, -1, 1);
  problem_add_tree(b, DOFS, M, NULL, p, NULL);
}

// A row that stays between its bounds couples the waist with both arms, or with one. A foot has a contact.
static void check_row(testRandom* r, const int32_t* dofs, int n) {
  problemBuilder b = {0};
  double v[DOFS], impulse[2], J[3] = {0.01, 1, -1};
  hfSaturatedRow row = {.kappa = 1e5, .lo = -1e9, .hi = 1e9};
  hfContactLaw law = {.stiffness = 1e4, .depth = 1e-2};
  int32_t foot = DOFS - 1;
  hfSolverConfig config = hf_solver_config_default();
  hfSolver* solver = NULL;
  hfSolveReport report;
  problem_reset(&b, 0.002);
  add_humanoid(&b, r);
  problem_add_saturated(&b, 1, &row);
  problem_add_piece(&b, 0, n, dofs, J);
  problem_add_contact(&b, 1, &law);
  problem_add_piece(&b, 0, 1, &foot, J + 1);
  hfStepCapacity capacity = hf_step_problem_capacity(&b.P);
  assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
  assert_int_equal(hf_solver_solve(solver, &config, &b.P, v, impulse, &report, NULL), HF_OK);
  assert_at_most(problem_residual(&b.P, v, impulse), config.tolerance);
  assert_at_most(report.iterations, 2);
  hf_solver_free(solver);
  problem_release(&b);
}

static void test_row_on_both_arms_and_the_waist(void** state) {
  (void)state;
  testRandom r = {43};
  for (int32_t k = 0; k < ARM; ++k) check_row(&r, (int32_t[]){HUB, LEFT + k, RIGHT + k}, 3);
}

static void test_row_on_one_arm_and_the_waist(void** state) {
  (void)state;
  testRandom r = {44};
  for (int32_t k = 0; k < ARM; ++k) check_row(&r, (int32_t[]){HUB, RIGHT + k}, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_row_on_both_arms_and_the_waist),
      cmocka_unit_test(test_row_on_one_arm_and_the_waist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
