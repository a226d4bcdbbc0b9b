// The same bits from every build: a hash over the answers of a fixed set of problems, made with
// nothing but exact operations and square roots, against the value all builds must give. Debug and
// release, with sanitizers, gcc and clang run this test.
#include "support/cmocka_all.h"
#include "support/step_problems.h"

#include "math/vec3.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Of all 200 problems. A change of the algorithms changes it: then all builds must agree on the new
// one.
#define GOLDEN UINT64_C(0x20E328AFA1736D58)

enum { MOST_NUMBERS = 512 }; // velocities and impulses of a problem

// FNV-1a over bytes
static void add_to_hash(uint64_t* hash, const void* data, size_t size) {
  const unsigned char* bytes = data;
  for (size_t i = 0; i < size; ++i) *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001B3);
}

static hfVec3 random_direction(testRandom* r) {
  double x = random_uniform(r, -1, 1), y = random_uniform(r, -1, 1), z = random_uniform(r, -1, 1);
  hfVec3 v = v3(x, y, z); // drawn one after the other: arguments have no order
  return v3_scale(1 / sqrt(v3_dot(v, v) + 1e-3), v);
}

static void add_side(problemBuilder* b, int tree, hfVec3 n, hfVec3 arm, int dim, double sign) {
  double J[36] = {0};
  hfVec3 axis[3] = {n};
  v3_tangents(n, axis + 1, axis + 2);
  for (int i = 0; i < dim; ++i) {
    if (i < 3) v3_store(J + 6 * i, v3_scale(sign, axis[i]));
    v3_store(J + 6 * i + 3, v3_scale(sign, i < 3 ? v3_cross(arm, axis[i]) : axis[i - 3]));
  }
  problem_add_piece(b, tree, 6, NULL, J);
}

static hfContactLaw make_law(testRandom* r, int friction) {
  hfContactLaw law = {.friction = friction};
  law.stiffness = random_uniform(r, 1e3, 1e6);
  law.dissipation = random_uniform(r, 0, 30);
  law.depth = random_uniform(r, -1e-5, 1e-4);
  law.normal_force0 = random_uniform(r, 0, 10);
  for (int g = 0; g < 3; ++g) {
    law.mu[g] = random_uniform(r, 0, 1) * (g ? 0.01 : 1);
    law.stiction_speed[g] = 1e-4;
    law.k_t[g] = law.stiffness * (g ? 1e-4 : 0.8);
    law.c_t[g] = sqrt(law.k_t[g]);
  }
  for (int i = 0; i < 5; ++i) law.xi0[i] = random_uniform(r, -1e-5, 1e-5);
  return law;
}

static void make_problem(problemBuilder* b, testRandom* r, int number) {
  static const int dims[4] = {1, 3, 4, 6};
  int bodies = 1 + random_int(r, 12), contacts = 1 + random_int(r, 30);
  problem_reset(b, random_uniform(r, 5e-4, 1e-2));
  for (int i = 0; i < bodies; ++i) {
    double M[36] = {0}, p[6], v0[6], mass = random_uniform(r, 0.01, 2);
    for (int k = 0; k < 6; ++k) {
      M[7 * k] = mass * (k < 3 ? 1 : random_uniform(r, 1e-3, 2e-3));
      v0[k] = random_uniform(r, -1, 1);
      p[k] = M[7 * k] * (v0[k] + b->P.h * random_uniform(r, -20, 20));
    }
    problem_add_tree(b, 6, M, NULL, p, v0);
  }
  for (int c = 0; c < contacts; ++c) {
    int A = random_int(r, bodies), B = random_int(r, bodies), dim = dims[random_int(r, 4)];
    hfVec3 n = v3_unit(random_direction(r));
    hfContactLaw law = make_law(r, number % 3);
    problem_add_contact(b, dim, &law);
    add_side(b, A, n, v3_scale(0.05, random_direction(r)), dim, 1);
    if (B != A) add_side(b, B, n, v3_scale(0.05, random_direction(r)), dim, -1);
  }
  hfSaturatedRow servo = {.s0 = 0.3, .kappa = 5, .lo = -0.5, .hi = 0.7};
  int32_t col = 2;
  double one = 1;
  problem_add_saturated(b, 1, &servo);
  problem_add_piece(b, 0, 1, &col, &one);
}

static void test_same_bits_in_every_build(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  testRandom r = {2024};
  int rungs[4] = {0};
  for (int i = 0; i < 200; ++i) {
    static double v[128], impulse[256];
    hfSolver* solver;
    hfSolveReport report;
    hfSolverConfig config = hf_solver_config_default();
    config.first_rung = 1 + i / 3 % 3;       // every rung
    config.coupling = i % 7 ? 0 : i / 7 % 3; // and, less often, every coupling
    make_problem(&b, &r, i);
    hfStepCapacity c = hf_step_problem_capacity(&b.P);
    assert_at_most(c.nv, 128);
    assert_at_most(c.nrow, 256);
    assert_int_equal(hf_solver_create(&solver, &c, NULL), HF_OK);
    assert_int_equal(hf_solver_solve(solver, &config, &b.P, v, impulse, &report, NULL), HF_OK);
    add_to_hash(&hash, v, sizeof(double) * (size_t)c.nv);
    add_to_hash(&hash, impulse, sizeof(double) * (size_t)c.nrow);
    add_to_hash(&hash, &report.iterations, sizeof report.iterations);
    ++rungs[report.rung];
    hf_solver_free(solver);
  }
  print_message("hash 0x%016" PRIX64 " (rungs %d %d %d)\n", hash, rungs[1], rungs[2], rungs[3]);
  problem_release(&b);
  assert_true(hash == GOLDEN);
}

static void solve_with(hfSolver* solver, const hfStepProblem* P, double* answer) {
  hfSolverConfig config = hf_solver_config_default();
  hfSolveReport report;
  memset(answer, 0, sizeof(double) * MOST_NUMBERS);
  assert_int_equal(hf_solver_solve(solver, &config, P, answer, answer + P->nv, &report, NULL), HF_OK);
}

// A solver keeps islands and orders of elimination while the pattern of the problems stays. Oracle: a solver that knows
// nothing. Every problem comes twice in a row, and every other one is that of the start again.
static void test_what_a_solver_keeps_changes_no_bit(void** state) {
  (void)state;
  static double kept[MOST_NUMBERS], fresh[MOST_NUMBERS];
  problemBuilder b;
  memset(&b, 0, sizeof b);
  hfStepCapacity all = {0};
  hfSolver *keeper, *stranger;
  for (int i = 0; i < 60; ++i) {
    make_problem(&b, &(testRandom){2024 + (uint64_t)(i % 2 ? i : 0)}, i);
    all = capacity_union(all, hf_step_problem_capacity(&b.P));
  }
  assert_at_most(all.nv + all.nrow, MOST_NUMBERS);
  assert_int_equal(hf_solver_create(&keeper, &all, NULL), HF_OK);
  for (int i = 0; i < 60; ++i) {
    make_problem(&b, &(testRandom){2024 + (uint64_t)(i % 2 ? i : 0)}, i);
    assert_int_equal(hf_solver_create(&stranger, &all, NULL), HF_OK);
    solve_with(stranger, &b.P, fresh);
    for (int k = 0; k < 2; ++k) {
      solve_with(keeper, &b.P, kept);
      assert_memory_equal(kept, fresh, sizeof kept);
    }
    hf_solver_free(stranger);
  }
  hf_solver_free(keeper);
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_in_every_build),
                                     cmocka_unit_test(test_what_a_solver_keeps_changes_no_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
