// Friction problems against siconos (Debian libsiconos-numerics-dev): its nonsmooth Gauss-Seidel finds the same velocities,
// and its error of our reactions is the residual that we report.
#include "friction/dense.h"
#include "support/near.h"

#ifndef HF_WITH_SICONOS

#include "support/needs_siconos.h"

#else

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_compute_error.h>
#include <siconos/numerics/fc3d_Solvers.h>

enum { MOST = 3 * 12 };

typedef struct pair {
  denseMatrix W;
  double q[MOST], mu[MOST / 3];
  hfFrictionProblem ours;
  FrictionContactProblem* theirs;
} pair;

// A positive definite W of contacts that share bodies: unique velocities, because friction is weak.
static pair make_pair(testRandom* random) {
  int nc = 1 + random_int(random, MOST / 3), n = 3 * nc;
  pair p = {.W = new_dense(n, n)};
  double B[MOST][MOST];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) B[i][j] = random_chance(random, 0.3) ? random_normal(random) : 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? 1 : 0;
      for (int k = 0; k < n; ++k) sum += 0.2 * B[i][k] * B[j][k];
      *dense_at(&p.W, i, j) = sum;
    }
  compress(&p.W);
  for (int i = 0; i < n; ++i) p.q[i] = random_normal(random);
  for (int i = 0; i < nc; ++i) p.mu[i] = random_uniform(random, 0, 0.3);
  double* columns = new_array((size_t)(n * n), sizeof *columns); // column-major there; W is symmetric
  memcpy(columns, p.W.a, sizeof *columns * (size_t)(n * n));
  p.theirs = frictionContactProblem_new();
  p.theirs->dimension = 3, p.theirs->numberOfContacts = nc;
  p.theirs->M = NM_create_from_data(NM_DENSE, n, n, columns);
  return p;
}
static void free_pair(pair* p) {
  NM_clear(p->theirs->M);
  free(p->theirs->M);
  free(p->theirs);
  free_dense(&p->W);
}

static void test_same_answers(void** state) {
  (void)state;
  double worst = 0;
  int solved = 0, trials = is_full() ? 1000 : 100;
  for (int trial = 0; trial < trials; ++trial) {
    testRandom random = {(uint64_t)(50 + trial)};
    pair p = make_pair(&random);
    int n = p.W.rows;
    double r[MOST], u[MOST], rs[MOST] = {0}, us[MOST] = {0}, scratch[MOST], error = 0, norm = 0;
    p.theirs->q = p.q, p.theirs->mu = p.mu;
    p.ours = (hfFrictionProblem){.dim = 3, .ncontact = n / 3, .mu = p.mu, .W = p.W.sparse, .q = p.q};
    hfFrictionConfig config = hf_friction_config_default();
    hfFrictionSolution solution = {.r = r, .u = u};
    hfFrictionReport report;
    config.tolerance = 1e-10;
    assert_int_equal(hf_friction_solve(&p.ours, &config, &solution, &report, NULL), HF_OK);

    // Their error of our answer, and of reactions that are far from one.
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    for (int i = 0; i < n; ++i) norm += p.q[i] * p.q[i];
    norm = sqrt(norm);
    fc3d_compute_error(p.theirs, r, scratch, 1e-8, options, norm, &error);
    assert_at_most(error, 1e-10 + 1e-13); // both round |u| near 1 in other orders
    double far[MOST];
    for (int i = 0; i < n; ++i) far[i] = random_normal(&random);
    hfFrictionSolution wrong = {.r = far};
    fc3d_compute_error(p.theirs, far, scratch, 1e-8, options, norm, &error);
    assert_int_equal(hf_friction_evaluate(&p.ours, &wrong, &report, NULL), HF_OK);
    assert_near(report.residual, error, 1e-12 * error);

    options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    if (fc3d_driver(p.theirs, rs, us, options) == 0) {
      ++solved;
      for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(us[i] - u[i]));
    }
    solver_options_delete(options);
    free(options);
    free_pair(&p);
  }
  print_message("siconos solved %d of %d; velocities differ by at most %.2g\n", solved, trials, worst);
  assert_at_least(solved, trials * 9 / 10);
  // Both errors are 1e-10 of numbers up to 10; W has condition below 1e3.
  assert_below(worst, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
