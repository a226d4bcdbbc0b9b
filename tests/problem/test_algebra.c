// The algebra of a step problem (step/problem/algebra.h): the residual is that of the definition, and the matrix is its derivative.
#include "support/cmocka_all.h"
#include "support/step_problems.h"

#include "step/law/law.h"
#include "step/problem/algebra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOFS = 60, MOST_ROWS = 200, TRIALS = 300 };

static double largest_of(const double* x, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i)
    if (largest < fabs(x[i])) largest = fabs(x[i]);
  return largest;
}

// The residual with the impulses of hfi_problem_residual, straight from the definition (support/step_problems.h), has the same norm.
static void test_residual_is_that_of_the_definition(void** state) {
  (void)state;
  problemBuilder b;
  testRandom r = {5};
  memset(&b, 0, sizeof b);
  printf("seed %llu\n", (unsigned long long)r.state);

  for (int trial = 0; trial < TRIALS; ++trial) {
    double v[MOST_DOFS], residual[MOST_DOFS], gamma[MOST_ROWS];
    problem_random(&b, &r, 6);
    const hfStepProblem* P = &b.P;
    if (P->nv > MOST_DOFS || P->nrow > MOST_ROWS) continue;
    for (int i = 0; i < P->nv; ++i) v[i] = P->v0[i] + 0.01 * random_normal(&r);

    hfi_problem_residual(P, HF_COUPLING_TWO_WAY, v, residual, gamma);

    // entry by entry, from a dense copy of each row
    double expected[MOST_DOFS], size[MOST_DOFS], row[MOST_DOFS];
    for (int t = 0; t < P->ntree; ++t)
      for (int i = P->tree_start[t], n = P->tree_start[t + 1] - i, first = i; i < first + n; ++i) {
        expected[i] = P->diag[i] * v[i] - P->p[i];
        size[i] = fabs(P->diag[i] * v[i]) + fabs(P->p[i]);
        for (int j = 0; j < n; ++j) {
          double term = P->M[P->M_start[t] + (i - first) * n + j] * v[first + j];
          expected[i] += term;
          size[i] += fabs(term);
        }
      }
    for (int k = 0; k < P->nblock; ++k)
      for (int i = 0; i < P->block[k].dim; ++i) {
        hfi_block_dense_row(P, P->block + k, i, P->tree_start, P->nv, row);
        for (int j = 0; j < P->nv; ++j) {
          expected[j] -= row[j] * gamma[P->block[k].row + i];
          size[j] += fabs(row[j] * gamma[P->block[k].row + i]);
        }
      }
    for (int j = 0; j < P->nv; ++j)
      if (!(fabs(residual[j] - expected[j]) <= 1e-13 * size[j])) // rounding of up to 100 terms
        fail_msg("trial %d: residual[%d] = %.17g, expected %.17g of terms of %g", trial, j, residual[j], expected[j], size[j]);
  }
  problem_release(&b);
}

// Columns of the matrix by central differences of the residual. A law has bends, at which a difference is no derivative: a column may differ there. Bends
// are rare, so that nearly all columns agree.
static void test_matrix_is_the_derivative_of_the_residual(void** state) {
  (void)state;
  static const int couplings[] = {HF_COUPLING_TWO_WAY, HF_COUPLING_ONE_WAY, HF_COUPLING_FRICTIONLESS};
  problemBuilder b;
  testRandom r = {6};
  int columns = 0;
  int wrong = 0;
  memset(&b, 0, sizeof b);
  printf("seed %llu\n", (unsigned long long)r.state);

  for (int trial = 0; trial < TRIALS; ++trial) {
    static double K[MOST_DOFS * MOST_DOFS];
    double v[MOST_DOFS], after[MOST_DOFS], before[MOST_DOFS];
    problem_random(&b, &r, 6);
    const hfStepProblem* P = &b.P;
    if (P->nv > MOST_DOFS) continue;
    for (int i = 0; i < P->nv; ++i) v[i] = P->v0[i];
    int coupling = couplings[trial % 3];
    hfi_problem_matrix(P, coupling, v, K);

    for (int j = 0; j < P->nv; ++j) {
      double step = 1e-7; // m/s or rad/s, with errors of about 1e-8 of the residual's terms
      double kept = v[j];
      double difference = 0;
      double column[MOST_DOFS];
      v[j] = kept + step;
      hfi_problem_residual(P, coupling, v, after, NULL);
      v[j] = kept - step;
      hfi_problem_residual(P, coupling, v, before, NULL);
      v[j] = kept;

      for (int i = 0; i < P->nv; ++i) {
        column[i] = K[i * P->nv + j];
        double error = fabs((after[i] - before[i]) / (2 * step) - column[i]);
        if (difference < error) difference = error;
      }
      ++columns;
      wrong += !(difference <= 1e-3 * largest_of(column, P->nv) + 1e-5 * (largest_of(after, P->nv) + largest_of(P->p, P->nv)));
    }
  }
  printf("%d of %d columns have a bend within a step\n", wrong, columns);
  assert_above(columns, 1000);
  assert_below(20 * wrong, columns);
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_residual_is_that_of_the_definition),
                                     cmocka_unit_test(test_matrix_is_the_derivative_of_the_residual)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
