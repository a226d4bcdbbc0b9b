// The solver as a whole: memory, refusals, islands, large and extreme problems.
#include "support/alloc.h"
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/step_problems.h"

#include "math/vec3.h"
#include "step/solve/solver.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  problemBuilder b;
  hfSolver* solver;
  double *v, *impulse;
  hfSolveReport report;
} fixture;

// Ready for the problem in f->b.
static void prepare(fixture* f) {
  hfStepCapacity c = hf_step_problem_capacity(&f->b.P);
  hf_solver_free(f->solver);
  f->solver = NULL;
  assert_int_equal(hf_solver_create(&f->solver, &c, NULL), HF_OK);
  free(f->v);
  free(f->impulse);
  f->v = calloc((size_t)c.nv + 1, sizeof(double));
  f->impulse = calloc((size_t)c.nrow + 1, sizeof(double));
  assert_true(f->v && f->impulse);
}
static hfStatus solve(fixture* f, const hfSolverConfig* config, hfError* error) {
  return hf_solver_solve(f->solver, config, &f->b.P, f->v, f->impulse, &f->report, error);
}
static void release(fixture* f) {
  hf_solver_free(f->solver);
  free(f->v);
  free(f->impulse);
  problem_release(&f->b);
}

static void test_solving_allocates_nothing(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  fixture f;
  memset(&f, 0, sizeof f);
  for (int i = 0; i < 60; ++i) {
    testRandom r = {(uint64_t)(300 + i)};
    problem_random(&f.b, &r, 128);
    prepare(&f);
    for (int rung = HF_RUNG_TAMSI; rung <= HF_RUNG_CONVEX; ++rung)
      for (int coupling = HF_COUPLING_TWO_WAY; coupling <= HF_COUPLING_FRICTIONLESS; ++coupling) {
        hfSolverConfig config = hf_solver_config_default();
        config.first_rung = rung;
        config.coupling = coupling;
        long before = alloc_count();
        solve(&f, &config, NULL);
        assert_int_equal(alloc_count(), before);
      }
  }
  release(&f);
}

static void test_creating_survives_failed_allocations(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  hfStepCapacity c = {.nv = 6,
                      .ntree = 1,
                      .nblock = 4,
                      .nrow = 12,
                      .npiece = 4,
                      .ncol = 24,
                      .njac = 72,
                      .max_tree_nv = 6};
  long live = alloc_live();
  for (int n = 1; n < 10; ++n) {
    hfSolver* solver = NULL;
    hfError error;
    alloc_fail_at(n);
    hfStatus status = hf_solver_create(&solver, &c, &error);
    alloc_fail_at(0);
    if (status == HF_OK)
      hf_solver_free(solver);
    else {
      assert_int_equal(status, HF_ERROR_MEMORY);
      assert_null(solver);
    }
    assert_int_equal(alloc_live(), live);
    if (status == HF_OK) return;
  }
  fail_msg("creating a solver takes more than nine allocations");
}

static void test_non_finite_input_is_refused(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  testRandom r = {5};
  do problem_random(&f.b, &r, 32);
  while (f.b.P.nsaturated == 0 || f.b.P.ncontact == 0);
  prepare(&f);
  hfStepProblem* P = &f.b.P;
  double* places[] = {P->M,
                      P->diag,
                      P->p + P->nv - 1,
                      P->v0,
                      P->J,
                      &P->contact[0].mu[0],
                      &P->contact[0].depth,
                      &P->contact[P->ncontact - 1].xi0[4],
                      &P->saturated[0].s0,
                      &P->saturated[0].lo,
                      &P->h};
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hfSolverConfig config = hf_solver_config_default();
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    for (int k = 0; k < 3; ++k) {
      if (places[i] == &P->saturated[0].lo && k > 0) continue; // infinite bounds are allowed
      double keep = *places[i];
      hfError error = {HF_OK, ""};
      *places[i] = bad[k];
      for (int j = 0; j < P->nv; ++j) f.v[j] = 42;
      assert_int_equal(solve(&f, &config, &error), HF_ERROR_NONFINITE);
      assert_int_equal(f.report.status, HF_ERROR_NONFINITE);
      for (int j = 0; j < P->nv; ++j) assert_near(f.v[j], 42, 0);
      assert_above(strlen(error.message), 0);
      if (i == 2) assert_non_null(strstr(error.message, "tree"));
      if (i == 4) assert_non_null(strstr(error.message, "block 0 on tree"));
      *places[i] = keep;
    }
  assert_int_equal(solve(&f, &config, NULL), HF_OK);
  release(&f);
}

static void test_bad_configurations_are_refused(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  testRandom r = {6};
  problem_random(&f.b, &r, 8);
  prepare(&f);
  hfSolverConfig good = hf_solver_config_default(), bad[9];
  for (int i = 0; i < 9; ++i) bad[i] = good;
  bad[0].coupling = 3, bad[1].first_rung = 0, bad[2].last_rung = 4, bad[3].max_iterations = 0;
  bad[4].tolerance = 0, bad[5].tolerance = NAN, bad[6].theta_max = 0, bad[7].theta_max = 3.2;
  bad[8].first_rung = HF_RUNG_CONVEX, bad[8].last_rung = HF_RUNG_TAMSI;
  for (int i = 0; i < 9; ++i) {
    hfError error;
    assert_int_equal(solve(&f, bad + i, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "solver: "));
  }
  assert_int_equal(solve(&f, &good, NULL), HF_OK);
  release(&f);
}

static void test_trees_without_rows(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  double M[4] = {2, 1, 1, 3}, diag[2] = {1, 0}, p[2] = {1, 2};
  problem_reset(&f.b, 1e-3);
  problem_add_tree(&f.b, 2, M, diag, p, NULL);
  problem_add_tree(&f.b, 1, M, NULL, p, NULL);
  prepare(&f);
  hfSolverConfig config = hf_solver_config_default();
  assert_int_equal(solve(&f, &config, NULL), HF_OK);
  assert_near(f.v[0], 1. / 8, 1e-16); // [3 1; 1 3] v = (1, 2)
  assert_near(f.v[1], 5. / 8, 1e-16);
  assert_near(f.v[2], .5, 0);
  assert_int_equal(f.report.rung, HF_RUNG_NONE);
  problem_reset(&f.b, 1e-3); // an empty world
  prepare(&f);
  assert_int_equal(solve(&f, &config, NULL), HF_OK);
  release(&f);
}

// A problem in which nothing is marked and nothing acts, as that of bodies that fly, lies between two problems with the same rows: their solutions are the same.
static void test_nothing_to_solve_between_two_problems(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  double M = 2, one = 1, v0 = 1;
  hfSaturatedRow damper = {.kappa = 10, .lo = -1e3, .hi = 1e3};
  problem_reset(&f.b, 1e-2);
  problem_add_tree(&f.b, 1, &M, NULL, NULL, &v0);
  problem_add_saturated(&f.b, 1, &damper);
  problem_add_piece(&f.b, 0, 1, NULL, &one);
  f.b.P.p[0] = M * v0;
  prepare(&f);
  hfSolverConfig config = hf_solver_config_default();
  assert_int_equal(solve(&f, &config, NULL), HF_OK);
  double moved = f.v[0];
  assert_near(moved, M * v0 / (M + 1e-2 * damper.kappa), 1e-12);
  hfStepProblem flight = f.b.P;
  flight.nblock = flight.nrow = flight.npiece = flight.ncol = flight.njac = flight.nsaturated = 0;
  const int32_t marked = 0;
  f.v[0] = 3;
  assert_int_equal(hfi_solver_solve_marked(&(hfiSolveJob){f.solver, &config, &flight, f.v, f.impulse, &f.report}, &marked, NULL), HF_OK);
  assert_true(f.v[0] == 3 && f.report.islands == 0); // The velocity is kept.
  assert_int_equal(solve(&f, &config, NULL), HF_OK);
  assert_true(f.v[0] == moved && f.report.islands == 1);
  release(&f);
}

static void test_mass_that_is_not_positive_is_reported(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  double M[4] = {1, 2, 2, 1}, v0[2] = {.25, .5}, J[2] = {1, 0};
  hfSaturatedRow row = {.kappa = 1, .lo = -1, .hi = 1};
  hfSolverConfig config = hf_solver_config_default();
  for (int rows = 0; rows < 2; ++rows) {
    problem_reset(&f.b, 1e-3);
    problem_add_tree(&f.b, 2, M, NULL, NULL, v0);
    if (rows) {
      problem_add_saturated(&f.b, 1, &row);
      problem_add_piece(&f.b, 0, 2, NULL, J);
    }
    prepare(&f);
    hfStatus status = solve(&f, &config, NULL);
    assert_int_equal(status, rows ? HF_NOT_CONVERGED : HF_SINGULAR);
    assert_near(f.v[0], .25, 0); // nothing better is known
    assert_near(f.v[1], .5, 0);
  }
  release(&f);
}

// One to three of n dofs, ascending.
static int choose_dofs(testRandom* r, int n, int32_t* dof) {
  int count = 0;
  for (int i = random_int(r, n); i < n && count < 3; i += 1 + random_int(r, 2)) dof[count++] = i;
  return count;
}

// A block of up to three rows on these dofs, wide and narrow, perhaps at a bound.
static void add_random_rows(problemBuilder* b, testRandom* r, int tree, int ndof, const int32_t* dof) {
  hfSaturatedRow row[3];
  double J[9];
  int dim = random_chance(r, 0.7) ? 1 : 1 + random_int(r, 3);
  for (int i = 0; i < dim; ++i) {
    double force = random_log(r, 1e-2, 1e5);
    row[i] = (hfSaturatedRow){.s0 = random_normal(r), .kappa = random_log(r, 1, 1e5), .lo = random_chance(r, 0.2) ? 0 : -force, .hi = force};
  }
  for (int i = 0; i < dim * ndof; ++i) J[i] = random_chance(r, 0.5) ? 1 : random_normal(r);
  problem_add_saturated(b, dim, row);
  problem_add_piece(b, tree, ndof, dof, J);
}

// A tree of n dofs with drives, limits and joint friction on single dofs, and gears, tendons and closed loops on several: half of these on
// the dofs of the block before.
static void add_tree_of_rows(problemBuilder* b, testRandom* r) {
  enum { MOST = 9 };
  double B[MOST * MOST], M[MOST * MOST], p[MOST], v0[MOST], diag[MOST];
  int n = 1 + random_int(r, MOST), tree = b->P.ntree, rests = random_chance(r, 0.1);
  for (int i = 0; i < n * n; ++i) B[i] = random_normal(r);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      M[i * n + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < n; ++k) M[i * n + j] += B[i * n + k] * B[j * n + k];
    }
    p[i] = random_normal(r), v0[i] = random_chance(r, 0.8) ? random_normal(r) : 0, diag[i] = random_chance(r, 0.5) ? 0.1 : 0;
    if (rests) p[i] = v0[i] = 0;
  }
  problem_add_tree(b, n, M, diag, p, v0);
  int32_t dof[3], ndof = choose_dofs(r, n, dof), only_scalars = random_chance(r, 0.3);
  for (int k = 1 + random_int(r, 2 * n); k > 0; --k) {
    int32_t one = random_int(r, n);
    if (random_chance(r, 0.5)) ndof = choose_dofs(r, n, dof);
    if (only_scalars || random_chance(r, 0.5)) add_random_rows(b, r, tree, 1, &one);
    else add_random_rows(b, r, tree, ndof, dof);
  }
}

// A contact, open or closed, on one to three dofs of a tree, none of which moves it. sticks: its friction is anchored and has no force. Other friction may
// depend on the normal velocity.
static void add_idle_contact(problemBuilder* b, testRandom* r, int tree, int sticks) {
  static const int dims[] = {1, 3, 4, 6};
  int32_t dof[3], n = b->P.tree_start[tree + 1] - b->P.tree_start[tree], ndof = choose_dofs(r, n, dof);
  double J[18] = {0};
  hfContactLaw law = {.stiffness = random_log(r, 1e2, 1e6), .dissipation = 0.1 * random_int(r, 2), .depth = random_chance(r, 0.8) ? 0.01 : -1};
  law.friction = sticks ? HF_FRICTION_ANCHORED : random_int(r, 3);
  for (int g = 0; g < 3; ++g) law.mu[g] = random_uniform(r, 0, 1), law.stiction_speed[g] = 1e-3, law.k_t[g] = random_log(r, 1e2, 1e5), law.c_t[g] = 10;
  for (int i = 0; i < 5; ++i) law.xi0[i] = sticks ? 0 : 1e-3 * random_normal(r);
  problem_add_contact(b, dims[random_int(r, 4)], &law);
  problem_add_piece(b, tree, ndof, dof, J);
}

// Couples trees a and b, whose sizes are at least 1, by one to three rows on one dof of each, as a gear does.
static void add_gear(problemBuilder* b, testRandom* r, int one, int other) {
  const int32_t* start = b->P.tree_start;
  int32_t dof[2] = {random_int(r, start[one + 1] - start[one]), random_int(r, start[other + 1] - start[other])};
  hfSaturatedRow row[3];
  double J[3];
  int dim = 1 + random_int(r, 3);
  for (int i = 0; i < dim; ++i) row[i] = (hfSaturatedRow){.s0 = random_normal(r), .kappa = random_log(r, 1, 1e5), .lo = -1e6, .hi = 1e6};
  problem_add_saturated(b, dim, row);
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < dim; ++i) J[i] = random_normal(r);
    problem_add_piece(b, k ? other : one, 1, &dof[k], J);
  }
}

// Small islands of several trees are solved in that way, too, by another order of sums, and so are islands with idle contacts that slip, for which the general
// way has an unsymmetric matrix: velocities differ from those of the general way by the tolerance 1e-12 times the condition of K, which is up to 1e5 here.
// Impulses of idle contacts are the same.
static void test_rows_of_few_trees_as_in_general(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  hfSolverConfig config = hf_solver_config_default();
  config.tolerance = 1e-12;
  for (int i = 0; i < 500; ++i) {
    testRandom r = {(uint64_t)(9000 + i)};
    problem_reset(&f.b, random_log(&r, 1e-4, 1e-2));
    add_tree_of_rows(&f.b, &r);
    for (int t = 1 + random_int(&r, 2), tree = 1; tree <= t; ++tree) {
      add_tree_of_rows(&f.b, &r);
      for (int k = 1 + random_int(&r, 2); k > 0; --k) add_gear(&f.b, &r, k % 2 ? tree : tree - 1, k % 2 ? tree - 1 : tree);
    }
    for (int k = random_int(&r, 3); k > 0; --k) add_idle_contact(&f.b, &r, random_int(&r, f.b.P.ntree), 0);
    prepare(&f);
    hfStatus status = solve(&f, &config, NULL);
    int nv = f.b.P.nv;
    double v[27], idle[12], drift[212] = {0}, apart = 0, size = 0;
    int first = f.b.P.nrow; // of the rows of idle contacts
    for (int k = f.b.P.nblock; k > 0 && f.b.P.block[k - 1].law == HF_LAW_CONTACT; --k) first = f.b.P.block[k - 1].row;
    size_t bytes = sizeof *idle * (size_t)(f.b.P.nrow - first);
    assert_at_most(nv, 27);
    assert_at_most(f.b.P.nrow, 212);
    assert_at_most(bytes, sizeof idle);
    memcpy(v, f.v, sizeof *v * (size_t)nv), memcpy(idle, f.impulse + first, bytes);
    f.b.P.drift = drift;
    assert_int_equal(solve(&f, &config, NULL), status);
    f.b.P.drift = NULL;
    for (int k = 0; k < nv; ++k) apart = fmax(apart, fabs(f.v[k] - v[k])), size = fmax(size, fabs(v[k]));
    assert_at_most(apart, 1e-7 * size);
    assert_memory_equal(f.impulse + first, idle, bytes);
  }
  release(&f);
}

// Islands of one tree whose rows are all saturated are solved in a way of their own, also where contacts stick that no dof moves. A drift of zero asks for
// the general way: velocities, impulses and the report are the same to the last bit.
static void test_rows_of_one_tree_as_in_general(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  hfSolverConfig config = hf_solver_config_default();
  for (int i = 0; i < 2000; ++i) {
    testRandom r = {(uint64_t)(7000 + i)};
    problem_reset(&f.b, random_log(&r, 1e-4, 1e-2));
    for (int t = random_int(&r, 3); t >= 0; --t) add_tree_of_rows(&f.b, &r);
    for (int k = random_chance(&r, 0.5) ? 1 + random_int(&r, 2) : 0; k > 0; --k) add_idle_contact(&f.b, &r, random_int(&r, f.b.P.ntree), 1);
    if (random_chance(&r, 0.2)) add_random_rows(&f.b, &r, 0, 1, &(int32_t){0}); // a row behind contacts
    prepare(&f);
    hfStatus status = solve(&f, &config, NULL);
    int nv = f.b.P.nv, nrow = f.b.P.nrow;
    double v[27], impulse[180], drift[180] = {0};
    hfSolveReport report = f.report;
    assert_at_most(nv, 27);
    assert_at_most(nrow, 180);
    memcpy(v, f.v, sizeof *v * (size_t)nv), memcpy(impulse, f.impulse, sizeof *v * (size_t)nrow);
    f.b.P.drift = drift;
    assert_int_equal(solve(&f, &config, NULL), status);
    f.b.P.drift = NULL;
    assert_memory_equal(f.v, v, sizeof *v * (size_t)nv);
    assert_memory_equal(f.impulse, impulse, sizeof *v * (size_t)nrow);
    assert_memory_equal(&f.report, &report, sizeof report);
  }
  release(&f);
}

// A drive presses on a contact on the same dof and nothing else acts: p* is zero and the impulses
// cancel, so there is no momentum to measure the residual against but their own.
static void test_impulses_that_cancel(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  hfSolverConfig config = hf_solver_config_default();
  for (int i = 0; i < 200; ++i) {
    testRandom r = {(uint64_t)(40 + i)};
    double M = random_log(&r, 1e-2, 1e2), h = random_log(&r, 1e-4, 1e-2),
           force = random_log(&r, 1, 1e3), one = 1;
    hfContactLaw wall = {.stiffness = random_log(&r, 1e3, 1e7), .dissipation = 1};
    hfSaturatedRow drive = {.s0 = -1e6, .kappa = 10, .lo = -force, .hi = force};
    wall.depth = force / wall.stiffness;
    problem_reset(&f.b, h);
    problem_add_tree(&f.b, 1, &M, NULL, NULL, NULL);
    problem_add_contact(&f.b, 1, &wall);
    problem_add_piece(&f.b, 0, 1, NULL, &one);
    problem_add_saturated(&f.b, 1, &drive);
    problem_add_piece(&f.b, 0, 1, NULL, &one);
    prepare(&f);
    for (int rung = HF_RUNG_TAMSI; rung <= HF_RUNG_CONVEX; ++rung) {
      config.first_rung = rung;
      assert_int_equal(solve(&f, &config, NULL), HF_OK);
      assert_int_equal(f.report.rung, rung);
      assert_at_most(f.report.residual, config.tolerance);
      assert_near(f.impulse[0], h * force, 1e-14 * h * force);
      assert_near(M * f.v[0], 0, 1e-14 * h * force);
    }
  }
  release(&f);
}

// A heavy body at the end of light links: rounding of the heavy one's momentum moves the links by more than the tolerance in every step,
// and the residual is as small as it will ever be.
static void test_rounding_that_moves_light_links(void** state) {
  (void)state;
  enum { LINKS = 3 };
  fixture f;
  memset(&f, 0, sizeof f);
  hfSolverConfig config = hf_solver_config_default();
  int most = 0;
  for (int i = 0; i < 200; ++i) {
    testRandom r = {(uint64_t)(900 + i)};
    double heavy = random_log(&r, 10, 1e3), light = heavy * random_log(&r, 1e-12, 1e-8), M[LINKS * LINKS], p[LINKS] = {0}, J[LINKS], v0[LINKS];
    for (int k = 0; k < LINKS; ++k) v0[k] = random_uniform(&r, -100, 100), J[k] = random_uniform(&r, -1, 1);
    for (int a = 0; a < LINKS; ++a) // slides in a row: the inertia of a dof is all that lies behind it
      for (int b = 0; b < LINKS; ++b) M[a * LINKS + b] = heavy + light * (LINKS - 1 - (a > b ? a : b)), p[a] += M[a * LINKS + b] * v0[b];
    hfContactLaw wall = {.stiffness = 1e5, .dissipation = 1, .depth = 1e-3};
    problem_reset(&f.b, 1e-3);
    problem_add_tree(&f.b, LINKS, M, NULL, p, v0);
    problem_add_contact(&f.b, 1, &wall);
    problem_add_piece(&f.b, 0, LINKS, NULL, J);
    prepare(&f);
    assert_int_equal(solve(&f, &config, NULL), HF_OK);
    assert_int_equal(f.report.rung, HF_RUNG_TAMSI);
    assert_at_most(f.report.residual, config.tolerance);
    most = f.report.iterations > most ? f.report.iterations : most;
  }
  print_message("at most %d iterations\n", most);
  assert_at_most(most, 30); // a few until the residual is rounding, and three that do not halve it
  release(&f);
}

// A light body that flies some decimetres before it hits a wall within the step: the law of the contact has a slope of 1e8 to 1e11 times the mass, and
// turns the last digit of the velocity into a residual above the tolerance. No velocity has a smaller one, and the answer is as good as numbers are:
// the body ends at the wall, which stops it with the force that its momentum needs.
static void test_rounding_of_a_fast_contact(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  hfSolverConfig config = hf_solver_config_default();
  int most = 0;
  for (int i = 0; i < 200; ++i) {
    testRandom r = {(uint64_t)(1300 + i)};
    double m = random_log(&r, 1e-6, 1e-4), h = 1e-2, speed = random_uniform(&r, 10, 50), p = -m * speed, v0 = -speed, one = 1;
    hfContactLaw wall = {.stiffness = 1e6, .dissipation = 20, .depth = -0.5 * h * speed};
    problem_reset(&f.b, h);
    problem_add_tree(&f.b, 1, &m, NULL, &p, &v0);
    problem_add_contact(&f.b, 1, &wall);
    problem_add_piece(&f.b, 0, 1, NULL, &one);
    prepare(&f);
    assert_int_equal(solve(&f, &config, NULL), HF_OK);
    assert_int_equal(f.report.rung, HF_RUNG_TAMSI);
    assert_near(f.v[0], -0.5 * speed, 1e-7 * speed);                 // the wall gives way by pi/(k (1 - d v) h), 5e-9 of the speed
    assert_near(f.impulse[0], m * (f.v[0] + speed), 1e-5 * m * speed); // the slope, 1e11 m, times 1e-16 of the speed
    most = f.report.iterations > most ? f.report.iterations : most;
  }
  print_message("at most %d iterations\n", most);
  assert_at_most(most, 12); // Newton's on a parabola, and one that does not halve the residual
  release(&f);
}

// Appends the trees and blocks of P, shifted.
static void append_problem(problemBuilder* b, const hfStepProblem* P) {
  int first = b->P.ntree;
  for (int t = 0; t < P->ntree; ++t) {
    int a = P->tree_start[t];
    problem_add_tree(b, P->tree_start[t + 1] - a, P->M + P->M_start[t], P->diag + a, P->p + a,
                     P->v0 + a);
  }
  for (int k = 0; k < P->nblock; ++k) {
    const hfStepBlock* block = P->block + k;
    if (block->law == HF_LAW_CONTACT)
      problem_add_contact(b, block->dim, P->contact + block->param);
    else
      problem_add_saturated(b, block->dim, P->saturated + block->param);
    for (int i = 0; i < block->npiece; ++i) {
      const hfStepPiece* piece = P->piece + block->piece + i;
      problem_add_piece(b, first + piece->tree, piece->ncol, P->cols + piece->col,
                        P->J + piece->jac);
    }
  }
}

// Worlds that do not touch do not influence each other by a single bit.
static void test_islands_are_independent(void** state) {
  (void)state;
  problemBuilder parts[3];
  memset(parts, 0, sizeof parts);
  fixture one, all;
  memset(&one, 0, sizeof one);
  memset(&all, 0, sizeof all);
  hfSolverConfig config = hf_solver_config_default();
  for (int trial = 0; trial < 30; ++trial) {
    testRandom r = {(uint64_t)(800 + trial)};
    problem_reset(&all.b, 2e-3);
    for (int i = 0; i < 3; ++i) {
      problem_random(parts + i, &r, 24);
      parts[i].P.h = 2e-3;
      append_problem(&all.b, &parts[i].P);
    }
    prepare(&all);
    solve(&all, &config, NULL);
    int dof = 0, row = 0;
    for (int i = 0; i < 3; ++i) {
      problem_reset(&one.b, 2e-3);
      append_problem(&one.b, &parts[i].P);
      prepare(&one);
      solve(&one, &config, NULL);
      assert_memory_equal(one.v, all.v + dof, sizeof(double) * (size_t)one.b.P.nv);
      if (one.b.P.nrow)
        assert_memory_equal(one.impulse, all.impulse + row, sizeof(double) * (size_t)one.b.P.nrow);
      dof += one.b.P.nv;
      row += one.b.P.nrow;
    }
  }
  for (int i = 0; i < 3; ++i) problem_release(parts + i);
  release(&one);
  release(&all);
}

// A tower of free cubes of 1 kg, large enough to be factored sparsely. Cube i stands with its four corners on cube i - 1, the first on the ground.
enum { CUBES = 40 };
static const double CUBE_STIFFNESS = 1e6, GRAVITY = 9.81; // [N/m], [m/s^2]
static const double HALF_CUBE = 0.05;                     // [m]
static const double corner[4][2] = {{.05, .05}, {.05, -.05}, {-.05, .05}, {-.05, -.05}};

typedef struct tower {
  double depth[CUBES][4]; // of the lower corners [m]
  double v[6 * CUBES];
} tower;

// Depths at which every interface carries what is above.
static void rest_tower(tower* t) {
  memset(t, 0, sizeof *t);
  for (int i = 0; i < CUBES; ++i)
    for (int c = 0; c < 4; ++c) t->depth[i][c] = (CUBES - i) * GRAVITY / 4 / CUBE_STIFFNESS;
}

static void add_cube(problemBuilder* b, double h, const double* v) {
  double M[36] = {0}, p[6];
  for (int k = 0; k < 6; ++k) {
    M[7 * k] = k < 3 ? 1 : 2e-3;
    p[k] = M[7 * k] * v[k] - (k == 2 ? h * GRAVITY : 0);
  }
  problem_add_tree(b, 6, M, NULL, p, v);
}

// The contact of corner c of cube i: rows z, x, y at its lower face, and at the upper face of the cube below.
static void add_corner(problemBuilder* b, int i, int c, double depth) {
  double x = corner[c][0], y = corner[c][1], z = -HALF_CUBE;
  double lower[18] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x}, below[18];
  double upper[18] = {0, 0, 1, y, -x, 0, 1, 0, 0, 0, -z, -y, 0, 1, 0, z, 0, x};
  for (int k = 0; k < 18; ++k) below[k] = -upper[k];
  hfContactLaw law = {.stiffness = CUBE_STIFFNESS, .dissipation = 20, .depth = depth, .mu = {.5}, .stiction_speed = {1e-4}};
  problem_add_contact(b, 3, &law);
  problem_add_piece(b, i, 6, NULL, lower);
  if (i > 0) problem_add_piece(b, i - 1, 6, NULL, below);
}

static void make_tower_problem(problemBuilder* b, const tower* t, double h) {
  problem_reset(b, h);
  for (int i = 0; i < CUBES; ++i) add_cube(b, h, t->v + 6 * i);
  for (int i = 0; i < CUBES; ++i)
    for (int c = 0; c < 4; ++c) add_corner(b, i, c, t->depth[i][c]);
}

// How fast a cube with velocity v rises at corner c.
static double rising_speed(const double* v, int c) { return v[2] + corner[c][1] * v[3] - corner[c][0] * v[4]; }

static void move_tower(tower* t, double h, const double* v) {
  memcpy(t->v, v, sizeof t->v);
  for (int i = 0; i < CUBES; ++i)
    for (int c = 0; c < 4; ++c) t->depth[i][c] -= h * (rising_speed(v + 6 * i, c) - (i > 0 ? rising_speed(v + 6 * (i - 1), c) : 0));
}

// Every interface carries what is above.
static void test_tower_carries_its_weight(void** state) {
  (void)state;
  const double h = 2e-3;
  fixture f;
  tower t;
  memset(&f, 0, sizeof f);
  rest_tower(&t);
  hfSolverConfig config = hf_solver_config_default();
  for (int step = 0; step < 20; ++step) {
    make_tower_problem(&f.b, &t, h);
    prepare(&f);
    assert_int_equal(solve(&f, &config, NULL), HF_OK);
    assert_int_equal(f.report.rung, HF_RUNG_TAMSI);
    move_tower(&t, h, f.v);
  }
  for (int i = 0; i < CUBES; ++i) {
    double sum = 0, above = (CUBES - i) * GRAVITY;
    for (int c = 0; c < 4; ++c) sum += f.impulse[3 * (4 * i + c)] / h;
    assert_near(sum, above, 1e-9 * above);
  }
  release(&f);
}

// Numbers at the ends of the range: an answer comes back, finite.
static void test_extreme_numbers(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  static const double factors[] = {1e-150, 1e-30, 1e30, 1e150};
  hfSolverConfig config = hf_solver_config_default();
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < 16; ++k) {
      testRandom r = {(uint64_t)(4000 + i)};
      problem_random(&f.b, &r, 16);
      hfStepProblem* P = &f.b.P;
      double a = factors[k % 4], b = factors[k / 4];
      for (int j = 0; j < P->nv; ++j) P->v0[j] *= a, P->p[j] *= a;
      for (int j = 0; j < P->ncontact; ++j) P->contact[j].stiffness *= b;
      prepare(&f);
      hfStatus status = solve(&f, &config, NULL);
      assert_at_least(status, 0);
      for (int j = 0; j < P->nv; ++j) assert_true(isfinite(f.v[j]));
      for (int j = 0; j < P->nrow; ++j) assert_true(isfinite(f.impulse[j]));
    }
  release(&f);
}

// A problem with one tree, block, row or more than the capacity is refused, and the outputs stay as they were.
static void test_problem_beyond_the_capacity_is_refused(void** state) {
  (void)state;
  fixture f;
  memset(&f, 0, sizeof f);
  testRandom r = {71};
  print_message("seed 71\n");
  problem_random(&f.b, &r, 8);
  prepare(&f);
  const hfStepCapacity full = hf_step_problem_capacity(&f.b.P);
  hfSolverConfig config = hf_solver_config_default();
  for (int i = 0; i < 8; ++i) {
    hfStepCapacity less = full;
    int32_t* const sizes[] = {&less.nv,     &less.ntree, &less.nblock, &less.nrow,
                              &less.npiece, &less.ncol,  &less.njac,   &less.max_tree_nv};
    --*sizes[i];
    hfError error = {HF_OK, ""};
    hfSolver* small = NULL;
    assert_int_equal(hf_solver_create(&small, &less, &error), HF_OK);
    f.v[0] = f.impulse[0] = 17;
    assert_int_equal(hf_solver_solve(small, &config, &f.b.P, f.v, f.impulse, &f.report, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "capacity"));
    assert_true(f.v[0] == 17 && f.impulse[0] == 17);
    hf_solver_free(small);
  }
  release(&f);
}

// The pattern and the factors of 20,000 free bodies would need 230 GB if all of them were coupled. On the ground they are not.
static void test_many_free_bodies_fit(void** state) {
  (void)state;
  enum { BODIES = 20000, CONTACTS = 4 * BODIES };
  hfStepCapacity c = {.nv = 6 * BODIES, .ntree = BODIES, .nblock = CONTACTS, .nrow = 3 * CONTACTS, .npiece = CONTACTS, .ncol = 6 * CONTACTS, .njac = 18 * CONTACTS, .max_tree_nv = 6};
  hfSolver* solver = NULL;
  hfError error;
  assert_int_equal(hf_solver_create(&solver, &c, &error), HF_OK);
  hf_solver_free(solver);
}

// One row on all 1,200 dofs of three trees: with M = 1, p = 1 and J = 1 the sum s of all velocities has
// (1 + 1200 h k) s = 1200, and v = 1 - h k s. The solution allocates nothing.
static void test_row_on_many_dofs_without_allocation(void** state) {
  (void)state;
  if (!alloc_supported()) skip();
  enum { NV = 400, TREES = 3 };
  const double h = 0.01, k = 0.5, s = NV * TREES / (1 + NV * TREES * h * k);
  static double M[NV * NV], one[NV], zero[NV];
  for (int i = 0; i < NV; ++i) M[i * (NV + 1)] = one[i] = 1;
  fixture f;
  memset(&f, 0, sizeof f);
  problem_reset(&f.b, h);
  for (int t = 0; t < TREES; ++t) problem_add_tree(&f.b, NV, M, zero, one, zero);
  hfSaturatedRow row = {0, k, -INFINITY, INFINITY};
  problem_add_saturated(&f.b, 1, &row);
  for (int t = 0; t < TREES; ++t) problem_add_piece(&f.b, t, NV, NULL, one);
  hfSolverConfig config = hf_solver_config_default();
  long live = alloc_live();
  prepare(&f);
  hfError error;
  alloc_fail_at(1);
  assert_int_equal(solve(&f, &config, &error), HF_OK);
  alloc_fail_at(0);
  for (int i = 0; i < NV * TREES; ++i) assert_near(f.v[i], 1 - h * k * s, 1e-8);
  release(&f);
  assert_at_most(alloc_live(), live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solving_allocates_nothing),
      cmocka_unit_test(test_creating_survives_failed_allocations),
      cmocka_unit_test(test_non_finite_input_is_refused),
      cmocka_unit_test(test_bad_configurations_are_refused),
      cmocka_unit_test(test_trees_without_rows),
      cmocka_unit_test(test_nothing_to_solve_between_two_problems),
      cmocka_unit_test(test_mass_that_is_not_positive_is_reported),
      cmocka_unit_test(test_rows_of_one_tree_as_in_general),
      cmocka_unit_test(test_rows_of_few_trees_as_in_general),
      cmocka_unit_test(test_impulses_that_cancel),
      cmocka_unit_test(test_rounding_that_moves_light_links),
      cmocka_unit_test(test_rounding_of_a_fast_contact),
      cmocka_unit_test(test_islands_are_independent),
      cmocka_unit_test(test_tower_carries_its_weight),
      cmocka_unit_test(test_extreme_numbers),
      cmocka_unit_test(test_problem_beyond_the_capacity_is_refused),
      cmocka_unit_test(test_many_free_bodies_fit),
      cmocka_unit_test(test_row_on_many_dofs_without_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
