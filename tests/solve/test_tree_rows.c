// A tree with one dof is solved by one step on the problem (step/solve/tree_rows.h). Newton's method on the gathered island gives the same bits.
#include "support/cmocka_all.h"
#include "support/step_problems.h"

#include "step/solve/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 4 };

// A row with or without bounds: a drive, a spring or friction. In one of ten its slope is that of a rigid drive.
static void add_random_row(problemBuilder* b, testRandom* r) {
  double J = random_chance(r, 0.5) ? 1 : random_normal(r), bound = random_chance(r, 0.3) ? INFINITY : random_log(r, 1e-3, 1e3);
  hfSaturatedRow row = {random_normal(r), random_log(r, 1e-2, random_chance(r, 0.1) ? 1e9 : 1e3), -bound, bound};
  problem_add_saturated(b, 1, &row);
  problem_add_piece(b, 0, 1, NULL, &J);
}

// A dof that moves, or one that rests without forces.
static void add_random_dof(problemBuilder* b, testRandom* r) {
  double M = random_log(r, 1e-3, 1e3), diag = random_chance(r, 0.5) ? 0.1 : 0, v0 = random_normal(r), p = M * (v0 + 0.1 * random_normal(r));
  if (random_chance(r, 0.1)) v0 = p = 0;
  problem_add_tree(b, 1, &M, &diag, &p, &v0);
}

static void* plan_island(hfiIsland* I, const hfStepProblem* P) {
  hfStepCapacity capacity = hf_step_problem_capacity(P);
  hfiArena size = hfi_arena(NULL, 0);
  hfi_island_plan(I, &size, &capacity);
  void* memory = malloc(size.used);
  assert_non_null(memory);
  hfiArena arena = hfi_arena(memory, size.used);
  hfi_island_plan(I, &arena, &capacity);
  return memory;
}

// Compares the two ways. Returns 0 if one step does not solve the problem.
static int compare(const hfStepProblem* P) {
  static const int32_t tree = 0, blocks[MOST_ROWS] = {0, 1, 2, 3};
  hfSolverConfig config = hf_solver_config_default();
  double v, impulse[MOST_ROWS], s[MOST_ROWS];
  hfiMembers members = {&tree, blocks, 1, P->nblock};
  hfiAnswer answer = {&v, impulse, s};
  hfiNewtonResult out;
  hfiIsland I;
  void* memory = plan_island(&I, P);
  int solved = hfi_tree_rows_solve(&I, &config, P, &members, &answer, &out);
  if (solved) {
    assert_int_equal(hfi_island_gather(&I, P, &tree, 1, blocks, P->nblock), 1);
    I.dofs.v[0] = I.dofs.v0[0];
    hfiNewtonResult general = hfi_newton_solve(&I, &config, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_NO_DUALS);
    assert_true(general.converged);
    assert_int_equal(general.iterations, out.iterations);
    assert_memory_equal(&v, I.dofs.v, sizeof v);
    assert_memory_equal(impulse, I.rows.gamma, sizeof *impulse * (size_t)P->nrow);
    assert_memory_equal(s, I.rows.s, sizeof *s * (size_t)P->nrow);
  }
  free(memory);
  return solved;
}

static void test_same_bits_as_in_general(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {3};
  printf("seed %llu\n", (unsigned long long)r.state);
  int solved = 0, trials = 5000;
  for (int k = 0; k < trials; ++k) {
    problem_reset(&b, 1e-3);
    add_random_dof(&b, &r);
    for (int i = 1 + random_int(&r, MOST_ROWS); i > 0; --i) add_random_row(&b, &r);
    solved += compare(&b.P);
  }
  printf("%d of %d problems are solved by one step\n", solved, trials);
  assert_above(solved, trials / 2);
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_as_in_general)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
