// Drives of a robot with legs that leave their bounds together (newton.c): the answer has the residual zero by its definition, and no step of Newton's method
// stops at single drives.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"
#include "support/step_problems.h"

#include <math.h>
#include <stdlib.h>

enum { HUB = 6, LEGS = 4, JOINTS = 3, DRIVES = LEGS * JOINTS, DOFS = HUB + DRIVES };
static const double H = 0.002;      // step [s]
static const double KAPPA = 4000;   // slope of the drives [N m s/rad]: they reach their targets
static const double INERTIA = 1e-3; // of a joint [kg m^2]

// A trunk of 4 kg and four legs that are coupled to it, not to each other. M is dominated by its diagonal, so that it is positive definite.
static void add_robot(problemBuilder* b, testRandom* r) {
  double M[DOFS * DOFS] = {0};
  for (int i = 0; i < DOFS; ++i) M[i * (DOFS + 1)] = i < 3 ? 4 : i < HUB ? 0.1 : INERTIA;
  for (int i = 0; i < DOFS; ++i)
    for (int j = i + 1; j < DOFS; ++j)
      if (i < HUB || (i - HUB) / JOINTS == (j - HUB) / JOINTS)
        M[i * DOFS + j] = M[j * DOFS + i] = 0.05 * random_uniform(r, -1, 1) * sqrt(M[i * (DOFS + 1)] * M[j * (DOFS + 1)]);
  problem_add_tree(b, DOFS, M, NULL, NULL, NULL);
}

// The drives of a robot at rest get targets of up to `speed` [rad/s], within `bound` [N m].
static void add_drives(problemBuilder* b, testRandom* r, double speed, double bound) {
  for (int32_t i = HUB; i < DOFS; ++i) {
    double J = random_chance(r, 0.5) ? 1 : -1;
    hfSaturatedRow row = {.kappa = KAPPA, .s0 = (random_chance(r, 0.5) ? 1 : -1) * speed * random_uniform(r, 0.3, 1), .lo = -bound, .hi = bound};
    problem_add_saturated(b, 1, &row);
    problem_add_piece(b, 0, 1, &i, &J);
  }
}

static hfSolveReport solve(const hfStepProblem* P, double* v, double* impulse) {
  hfStepCapacity capacity = hf_step_problem_capacity(P);
  hfSolverConfig config = hf_solver_config_default();
  hfSolver* solver = NULL;
  hfSolveReport report;
  assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
  assert_int_equal(hf_solver_solve(solver, &config, P, v, impulse, &report, NULL), HF_OK);
  hf_solver_free(solver);
  assert_at_most(problem_residual(P, v, impulse), config.tolerance);
  return report;
}

// 4 N m can turn a joint by 8 rad/s in a step: all drives reach their targets, of which h KAPPA = 8 kg m^2 misses a ten-thousandth of the change.
static void test_drives_leave_their_bounds_together(void** state) {
  (void)state;
  testRandom r = {41};
  problemBuilder b = {0};
  double v[DOFS], impulse[DRIVES];
  for (int trial = 0; trial < 20; ++trial) {
    problem_reset(&b, H);
    add_robot(&b, &r);
    add_drives(&b, &r, 0.2, 4);
    hfSolveReport report = solve(&b.P, v, impulse);
    assert_int_equal(report.limited, 0);
    assert_at_most(report.iterations, 3);
    for (int i = 0; i < DRIVES; ++i) assert_near(b.P.J[i] * v[HUB + i], b.P.saturated[i].s0, 2e-3);
  }
  problem_release(&b);
}

// Within 0.2 N m about half of the drives reach their targets, and the others stay at their bounds.
static void test_some_drives_stay_at_their_bounds(void** state) {
  (void)state;
  testRandom r = {42};
  problemBuilder b = {0};
  double v[DOFS], impulse[DRIVES];
  int bound = 0, between = 0;
  for (int trial = 0; trial < 20; ++trial) {
    problem_reset(&b, H);
    add_robot(&b, &r);
    add_drives(&b, &r, 1, 0.2);
    solve(&b.P, v, impulse);
    for (int i = 0; i < DRIVES; ++i) {
      const hfSaturatedRow* row = b.P.saturated + i;
      double f = -row->kappa * (b.P.J[i] * v[HUB + i] - row->s0);
      assert_near(impulse[i], H * fmax(row->lo, fmin(row->hi, f)), 1e-12); // rounding of kappa s [N m s]
      if (f <= row->lo || f >= row->hi) ++bound;
      else ++between;
    }
  }
  assert_above(bound, 30);
  assert_above(between, 30);
  problem_release(&b);
}

// A step that is computed again is an iteration, too: their number stays within what the configuration allows. The ladder has one rung here, which without
// friction is tried once.
static void test_released_steps_count_as_iterations(void** state) {
  (void)state;
  testRandom r = {42};
  problemBuilder b = {0};
  double v[DOFS], impulse[DRIVES];
  hfSolverConfig config = hf_solver_config_default();
  config.coupling = HF_COUPLING_FRICTIONLESS, config.last_rung = HF_RUNG_TAMSI;
  for (int trial = 0; trial < 20; ++trial) {
    problem_reset(&b, H);
    add_robot(&b, &r);
    add_drives(&b, &r, 1, 0.2);
    hfStepCapacity capacity = hf_step_problem_capacity(&b.P);
    hfSolver* solver = NULL;
    hfSolveReport report;
    assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
    for (config.max_iterations = 1; config.max_iterations <= 3; ++config.max_iterations) {
      assert_at_least(hf_solver_solve(solver, &config, &b.P, v, impulse, &report, NULL), 0);
      assert_in_range(report.iterations, 1, config.max_iterations);
    }
    hf_solver_free(solver);
  }
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drives_leave_their_bounds_together),
      cmocka_unit_test(test_some_drives_stay_at_their_bounds),
      cmocka_unit_test(test_released_steps_count_as_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
