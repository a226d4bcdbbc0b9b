// Newton, the step controller and the iteration matrix, each alone.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "methods/ode/controller.h"
#include "methods/ode/matrix.h"
#include "methods/ode/newton.h"

#include <math.h>
#include <string.h>

// ---- Newton ---------------------------------------------------------------------------------------

// r(y) = y - y0 + force g(y/width): the residual of figure 2 of the TAMSI paper.
typedef struct scalarProblem {
  double y0, force, width;
  int smooth;
  double slope; // matrix
  int slips;    // where it was formed
  int residuals, refreshes;
  double history[64];
} scalarProblem;

static hfStatus scalar_residual(void* context, const double* y, double* r) {
  scalarProblem* p = context;
  double s = y[0] / p->width;
  r[0] = y[0] - p->y0 + p->force * (p->smooth ? s / sqrt(1 + s * s) : fmax(-1, fmin(1, s)));
  ++p->residuals;
  return HF_OK;
}
static hfStatus scalar_refresh(void* context, const double* y) {
  scalarProblem* p = context;
  double s = y[0] / p->width, c = 1 / sqrt(1 + s * s);
  p->slope = 1 + p->force / p->width * (p->smooth ? c * c * c : fabs(s) < 1);
  p->slips = fabs(s) > 1;
  ++p->refreshes;
  return HF_OK;
}
static void scalar_solve(void* context, double* b) { b[0] /= ((scalarProblem*)context)->slope; }
static double scalar_norm(void* context, const double* y) {
  (void)context;
  return fabs(y[0]);
}
static double scalar_limit(void* context, const double* y, const double* dy) {
  double w = ((scalarProblem*)context)->width, end = y[0] + dy[0];
  return fabs(y[0]) > w && fabs(end) > w && y[0] * end < 0 ? -y[0] / dy[0] : 1;
}
static int scalar_moved(void* context, const double* y) {
  scalarProblem* p = context;
  return (fabs(y[0]) > p->width) != p->slips;
}
static void scalar_trace(void* context, double residual, double update, double alpha) {
  scalarProblem* p = context;
  (void)update;
  (void)alpha;
  if (p->residuals <= 64) p->history[p->residuals - 1] = residual;
}

static hfStatus solve_scalar(scalarProblem* p, int tals, double divergence, double* y, hfiStageResult* result) {
  hfiStageProblem problem = {p, 1, scalar_residual, scalar_refresh, scalar_solve, tals ? scalar_limit : NULL, tals ? scalar_moved : NULL, scalar_norm, scalar_trace};
  hfiStageOptions options = {20, 1, 1e-14, divergence};
  double update;
  return hfi_stage_newton(&problem, &options, y, &update, result);
}

static void test_full_newton_converges_quadratically(void** state) {
  (void)state;
  scalarProblem p = {.y0 = 0.3, .force = 0.2, .width = 1, .smooth = 1};
  double y = 0;
  hfiStageResult result;
  assert_int_equal(solve_scalar(&p, 0, 1, &y, &result), HF_OK);
  double r;
  scalar_residual(&p, &y, &r);
  assert_near(r, 0, 1e-15);
  // Quadratic: each residual is below a constant times the square of the one before.
  for (int k = 1; k < result.iterations && p.history[k] > 1e-15; ++k)
    assert_below(p.history[k], 2 * p.history[k - 1] * p.history[k - 1]);
}

// Figure 2: from sliding on one side to sliding on the other, for ever.
static void test_cycle_without_the_limit(void** state) {
  (void)state;
  scalarProblem p = {.y0 = 0.05, .force = 0.1, .width = 1e-4};
  double y = 0.2;
  hfiStageResult result;
  assert_int_equal(solve_scalar(&p, 0, INFINITY, &y, &result), HF_NOT_CONVERGED);
  assert_int_equal(result.iterations, 20);
  for (int k = 3; k < 20; ++k) assert_near(p.history[k], p.history[k - 2], 1e-12);
  // The usual test for divergence notices after the second equal update.
  p.residuals = 0;
  y = 0.2;
  assert_int_equal(solve_scalar(&p, 0, 1, &y, &result), HF_NOT_CONVERGED);
  assert_at_most(result.iterations, 4);
}

static void test_limit_ends_the_cycle(void** state) {
  (void)state;
  for (int smooth = 0; smooth < 2; ++smooth) {
    scalarProblem p = {.y0 = 0.05, .force = 0.1, .width = 1e-4, .smooth = smooth};
    double y = 0.2;
    hfiStageResult result;
    assert_int_equal(solve_scalar(&p, 1, 1, &y, &result), HF_OK);
    assert_int_equal(result.limited, 1);
    // linear law: sticks at y = y0/(1 + force/width) exactly; smooth law: g(s) = 1/2, s = 1/sqrt(3), to
    // leading order in width
    if (!smooth) assert_near(y, 0.05 / (1 + 0.1 / 1e-4), 1e-17);
    else assert_near(y, 1e-4 / sqrt(3), 1e-7);
  }
}

// A matrix kept from the stick region makes the updates outside small and shrinking; it must not pass.
static void test_a_matrix_much_too_stiff_is_no_success(void** state) {
  (void)state;
  scalarProblem p = {.y0 = 0.5, .force = 0.1, .width = 1e-4, .slope = 1 + 0.1 / 1e-4};
  hfiStageProblem problem = {&p, 1, scalar_residual, scalar_refresh, scalar_solve, NULL, NULL, scalar_norm, NULL};
  hfiStageOptions options = {10, 0, 1e-3, 1};
  double y = 0.2, update;
  hfiStageResult result;
  assert_int_equal(hfi_stage_newton(&problem, &options, &y, &update, &result), HF_NOT_CONVERGED);
  assert_int_equal(p.refreshes, 0);
}

// ---- controller -----------------------------------------------------------------------------------

static void test_controller(void** state) {
  (void)state;
  hfiVerdict v = hfi_controller_decide(0.1, 0.5, 1, 2); // good, could grow by less than 20 %
  assert_true(v.accept && v.h == 0.1);
  v = hfi_controller_decide(0.1, 0.01, 1, 2);
  assert_true(v.accept);
  assert_near(v.h, 0.1 * 5, 1e-15); // 8 times, bounded by 5
  v = hfi_controller_decide(0.1, 0.1, 1, 2);
  assert_near(v.h, 0.08 * sqrt(10), 1e-15);
  v = hfi_controller_decide(0.1, 4, 1, 2);
  assert_true(!v.accept);
  assert_near(v.h, 0.04, 1e-15);
  v = hfi_controller_decide(0.1, 1e9, 1, 2);
  assert_near(v.h, 0.01, 1e-17);
  v = hfi_controller_decide(0.1, NAN, 1, 2);
  assert_true(!v.accept);
  assert_below(v.h, 0.011);
  v = hfi_controller_decide(0.1, 0, 1, 2);
  assert_true(v.accept && v.h == 0.5);
  v = hfi_controller_retry(0.1);
  assert_true(!v.accept && v.h == 0.05);
}

// ---- matrix -----------------------------------------------------------------------------------------

static void test_matrix_solves_and_keeps_its_factors(void** state) {
  (void)state;
  static char memory[4096];
  hfiArena arena = hfi_arena(memory, sizeof memory);
  hfiStageMatrix m = {0};
  hfi_stage_matrix_plan(&m, 2, &arena);
  memcpy(m.J, (double[]){1, 2, 3, 4}, 4 * sizeof(double));
  m.known = 1, m.factored = 0;
  assert_int_equal(hfi_stage_matrix_factor(&m, 0.5), 0);
  double b[2] = {0.5 * 7 - 1 * 2, -1.5 * 7 - 1 * 2}; // (I - J/2) (7, 2)
  hfi_stage_matrix_solve(&m, b);
  assert_near(b[0], 7, 1e-14);
  assert_near(b[1], 2, 1e-14);
  assert_int_equal(hfi_stage_matrix_factor(&m, 0.5), 0);
  assert_int_equal(m.factorisations, 1);
  assert_int_equal(hfi_stage_matrix_factor(&m, 0.25), 0);
  assert_int_equal(m.factorisations, 2);
  memcpy(m.J, (double[]){1, 0, 0, 1}, 4 * sizeof(double));
  m.known = 1, m.factored = 0;
  assert_true(hfi_stage_matrix_factor(&m, 1) != 0); // I - I
}

// Coordinates 0, 2 and 4 depend on each other, 1 and 3 do too, and 5 on nothing: three parts. The inverse of I - J is (I + J) for J^2 = 0.
static void test_matrix_has_parts(void** state) {
  (void)state;
  static char memory[8192];
  enum { N = 6 };
  hfiArena arena = hfi_arena(memory, sizeof memory);
  hfiStageMatrix m = {0};
  hfi_stage_matrix_plan(&m, N, &arena);
  m.J[4 * N + 0] = 2, m.J[4 * N + 2] = 3, m.J[1 * N + 3] = 5;
  assert_int_equal(hfi_stage_matrix_factor(&m, 1), 0);
  assert_int_equal(m.parts, 3);
  double b[N] = {1, 2, 3, 4, 5, 6};
  hfi_stage_matrix_solve(&m, b);
  static const double x[N] = {1, 2 + 5 * 4, 3, 4, 5 + 2 * 1 + 3 * 3, 6};
  for (int i = 0; i < N; ++i) assert_near(b[i], x[i], 1e-13);
  m.J[5 * N + 5] = 1, m.factored = 0; // one part alone is singular
  assert_true(hfi_stage_matrix_factor(&m, 1) != 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_full_newton_converges_quadratically),
      cmocka_unit_test(test_cycle_without_the_limit),
      cmocka_unit_test(test_limit_ends_the_cycle),
      cmocka_unit_test(test_a_matrix_much_too_stiff_is_no_success),
      cmocka_unit_test(test_controller),
      cmocka_unit_test(test_matrix_solves_and_keeps_its_factors),
      cmocka_unit_test(test_matrix_has_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
