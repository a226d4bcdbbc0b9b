// Plain islands (step/solve/island.h) have a way of their own through the equations. With a second tree that nothing acts on an island
// goes the way of all others: the numbers of the first tree are the same bits.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/step_problems.h"

#include "step/solve/inside.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DOFS = 9, MOST_CONTACTS = 3, MOST_ROWS = 24 };

// What an island computes at the velocities of the start, for its first tree.
typedef struct Values {
  double s[MOST_ROWS], weight[MOST_ROWS], gamma[MOST_ROWS], tau[MOST_DOFS], Av[MOST_DOFS], r[MOST_DOFS], K[MOST_DOFS * MOST_DOFS];
} Values;
typedef struct Sums { double norm, scale, step[MOST_DOFS + 1]; } Sums; // The order of these sums depends on the number of dofs.

static void add_random_tree(problemBuilder* b, testRandom* r, int n) {
  double B[MOST_DOFS * MOST_DOFS], M[MOST_DOFS * MOST_DOFS], p[MOST_DOFS], v0[MOST_DOFS], diag[MOST_DOFS];
  for (int i = 0; i < n * n; ++i) B[i] = random_normal(r);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      M[i * n + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < n; ++k) M[i * n + j] += B[i * n + k] * B[j * n + k];
    }
    p[i] = random_normal(r), v0[i] = random_normal(r), diag[i] = random_chance(r, 0.5) ? 0.1 : 0;
  }
  problem_add_tree(b, n, M, diag, p, v0);
}

// A contact on all dofs of the tree, open or closed, by any law of friction.
static void add_random_contact(problemBuilder* b, testRandom* r, int n) {
  static const int dims[] = {1, 3, 4, 6};
  int dim = dims[random_int(r, 4)];
  double J[6 * MOST_DOFS];
  hfContactLaw law = {.stiffness = random_log(r, 1e2, 1e6), .dissipation = random_chance(r, 0.5) ? 0.1 : 0, .depth = random_chance(r, 0.8) ? 0.01 : -1};
  law.friction = random_int(r, 3);
  for (int g = 0; g < 3; ++g)
    law.mu[g] = random_uniform(r, 0, 1), law.stiction_speed[g] = 1e-3, law.k_t[g] = random_log(r, 1e2, 1e5), law.c_t[g] = 10;
  for (int i = 0; i < 5; ++i) law.xi0[i] = 1e-3 * random_normal(r);
  for (int i = 0; i < dim * n; ++i) J[i] = random_normal(r);
  problem_add_contact(b, dim, &law);
  problem_add_piece(b, 0, n, NULL, J);
}

// n: dofs of the first tree
static Values compute(hfiIsland* I, int n, Sums* sums) {
  Values x;
  memset(&x, 0, sizeof x), memset(sums, 0, sizeof *sums);
  memcpy(I->dofs.v, I->dofs.v0, sizeof(double) * (size_t)I->n);
  hfi_system_rows(I, I->dofs.v, I->rows.s);
  sums->norm = hfi_system_evaluate(I, HF_COUPLING_TWO_WAY, &sums->scale);
  memcpy(x.s, I->rows.s, sizeof(double) * (size_t)I->nrow), memcpy(x.gamma, I->rows.gamma, sizeof(double) * (size_t)I->nrow);
  memcpy(x.weight, hfi_system_row_weights(I), sizeof(double) * (size_t)I->nrow);
  memcpy(x.tau, I->dofs.tau, sizeof(double) * (size_t)n), memcpy(x.Av, I->dofs.Av, sizeof(double) * (size_t)n);
  memcpy(x.r, I->dofs.r, sizeof(double) * (size_t)n), memcpy(sums->step, I->dofs.r, sizeof(double) * (size_t)I->n);
  assert_int_equal(hfi_system_factor(I), 0);
  hfi_block_solve(&I->matrix.K, sums->step);
  for (int i = 0; i < n; ++i) // The factors of a symmetric matrix are in its upper triangle.
    for (int j = I->matrix.K.factors.symmetric ? i : 0; j < n; ++j) x.K[i * n + j] = I->matrix.K.value[i * I->n + j];
  return x;
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

static void check_field(const double* x, const double* y, int n) {
  for (int i = 0; i < n; ++i) assert_near(x[i], y[i], 1e-12 * (largest(y, n) + 1));
}

// Beside other trees a tree of six dofs has compact rows (step/solve/stack.h), whose sums of six products have an order of their own. Stiffness 1e6 [N/m] times the
// step turns their rounding into 1e-13 of forces, which cancel in r to a hundredth.
static void check_near(const Values* x, const Values* y) {
  check_field(x->s, y->s, MOST_ROWS), check_field(x->weight, y->weight, MOST_ROWS), check_field(x->gamma, y->gamma, MOST_ROWS);
  check_field(x->tau, y->tau, MOST_DOFS), check_field(x->Av, y->Av, MOST_DOFS), check_field(x->r, y->r, MOST_DOFS), check_field(x->K, y->K, MOST_DOFS * MOST_DOFS);
}

static void check_island(const hfStepProblem* P, int n) {
  static const int32_t trees[2] = {0, 1}, blocks[MOST_CONTACTS] = {0, 1, 2};
  hfiIsland I;
  void* memory = plan_island(&I, P);
  Sums sums, all;
  hfi_island_gather(&I, P, trees, 1, blocks, P->nblock);
  assert_int_equal(I.stacks.is_plain, 1);
  Values alone = compute(&I, n, &sums);
  hfi_island_gather(&I, P, trees, 2, blocks, P->nblock);
  assert_int_equal(I.stacks.is_plain, 0);
  Values beside = compute(&I, n, &all);
  if (n == 6)
    check_near(&alone, &beside);
  else
    assert_memory_equal(&alone, &beside, sizeof alone);
  // Sums of ten terms, and solutions of equations whose condition is below 1e6.
  assert_near(sums.norm, all.norm, 1e-14 * all.norm);
  assert_near(sums.scale, all.scale, 1e-14 * all.scale);
  for (int i = 0; i < n; ++i) assert_near(sums.step[i], all.step[i], 1e-8 * (largest(all.step, n) + 1e-300));
  free(memory);
}

static void test_same_bits_as_in_general(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {11};
  double one = 1;
  for (int trial = 0; trial < 3000; ++trial) {
    int n = 1 + random_int(&r, MOST_DOFS), contacts = random_chance(&r, 0.5) ? 1 : 1 + random_int(&r, MOST_CONTACTS);
    problem_reset(&b, 1e-3);
    add_random_tree(&b, &r, n);
    for (int i = 0; i < contacts; ++i) add_random_contact(&b, &r, n);
    problem_add_tree(&b, 1, &one, NULL, NULL, NULL);
    check_island(&b.P, n);
  }
  problem_release(&b);
}

// Two bodies of one tree that touch each other are two pieces, which may have dofs in common.
static void test_two_pieces_are_not_plain(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, J[2] = {1, -1};
  const int32_t tree = 0, block = 0, first[2] = {0, 2}, second[1] = {2};
  hfContactLaw law = {.stiffness = 1e4, .depth = 1e-3};
  problem_reset(&b, 1e-3);
  problem_add_tree(&b, 3, M, NULL, NULL, NULL);
  problem_add_contact(&b, 1, &law);
  problem_add_piece(&b, 0, 2, first, J);
  problem_add_piece(&b, 0, 1, second, J);
  hfiIsland I;
  void* memory = plan_island(&I, &b.P);
  hfi_island_gather(&I, &b.P, &tree, 1, &block, 1);
  assert_int_equal(I.stacks.is_plain, 0);
  free(memory);
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_as_in_general), cmocka_unit_test(test_two_pieces_are_not_plain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
