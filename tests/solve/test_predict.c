// First steps by a predicted end of the step (step/solve/predict.c): rods in a plane that turn about their only contact, slip that reverses, joints that limits
// slow down, and robots with driven limbs that turn about a foot.
#include "support/cmocka_all.h"
#include "support/step_problems.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3, GRAVITY = 9.81;

// A rod with its contact at the arm (x, z) from its centre, which turns at w about the y axis. Its dofs are x, z and the angle.
typedef struct Rod { double mass, inertia, x, z, w; } Rod;

// A random rod above its contact.
static Rod random_rod(testRandom* r) {
  Rod rod = {.mass = random_log(r, 0.1, 10), .x = random_uniform(r, -0.5, 0.5), .z = random_uniform(r, -1, -0.2)};
  rod.w = (random_chance(r, 0.5) ? 1 : -1) * random_uniform(r, 0.5, 3);
  rod.inertia = rod.mass * random_uniform(r, 0.1, 1);
  return rod;
}

// The step problem of a rod whose end has the velocities (along, normal) at the start. It stands on `points` contacts side by side, as a foot does.
static void make_problem(problemBuilder* b, const Rod* rod, double along, double normal, const hfContactLaw* law, int points) {
  const double M[9] = {rod->mass, 0, 0, 0, rod->mass, 0, 0, 0, rod->inertia}, J[9] = {0, 1, -rod->x, 1, 0, rod->z, 0, 0, 0};
  double v0[3] = {along - rod->w * rod->z, normal + rod->w * rod->x, rod->w}, p[3];
  for (int i = 0; i < 3; ++i) p[i] = M[4 * i] * v0[i];
  p[1] -= STEP * rod->mass * GRAVITY;
  problem_reset(b, STEP);
  problem_add_tree(b, 3, M, NULL, p, v0);
  for (int i = 0; i < points; ++i) {
    problem_add_contact(b, 3, law);
    problem_add_piece(b, 0, 3, NULL, J);
  }
}

// Solves with a first rung, of which TAMSI alone predicts. Returns the iterations.
static int solve(problemBuilder* b, int rung, double* v) {
  hfStepCapacity capacity = hf_step_problem_capacity(&b->P);
  hfSolverConfig config = hf_solver_config_default();
  hfSolver* solver;
  hfSolveReport report;
  double impulse[16];
  config.first_rung = rung, config.tolerance = 1e-10;
  assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
  assert_int_equal(hf_solver_solve(solver, &config, &b->P, v, impulse, &report, NULL), HF_OK);
  assert_at_most(report.coupled_residual, 1e-10);
  assert_at_most(problem_residual(&b->P, v, impulse), 1e-9);
  hf_solver_free(solver);
  return report.iterations;
}

// The contact point stays where it is: its acceleration is -w^2 (x, z), half of which times the step is its velocity at the start. There the stiff contact is open;
// in the solution it bears about the weight of the rod, and friction holds it. The first step finds that: without a prediction two or three are needed. The answer
// is that of the merit rung, whose steps begin at the velocities of the start; a residual of 1e-10 of momenta of up to 3 m/s is a velocity of as much.
static void test_rod_that_turns_about_its_end(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {1};
  for (int k = 0; k < 200; ++k) {
    Rod rod = random_rod(&r);
    double along = -0.5 * STEP * rod.w * rod.w * rod.x, normal = -0.5 * STEP * rod.w * rod.w * rod.z, weight = rod.mass * GRAVITY;
    hfContactLaw law = {.stiffness = 1e8, .friction = HF_FRICTION_ANCHORED, .mu = {5}, .k_t = {8e7}, .c_t = {1e3}, .stiction_speed = {1e-4}};
    int points = 1 + k % 2;
    law.depth = weight / (points * law.stiffness) - STEP * normal; // the weight, at the mirrored velocity
    law.xi0[0] = (STEP * law.k_t[0] + law.c_t[0]) * along / law.k_t[0]; // no friction there
    double v[3], other[3];
    make_problem(&b, &rod, along, normal, &law, points);
    int iterations = solve(&b, HF_RUNG_TAMSI, v);
    if (STEP * normal > law.depth && iterations != 1) fail_msg("rod %d: %d iterations", k, iterations);
    solve(&b, HF_RUNG_MERIT, other);
    for (int i = 0; i < 3; ++i)
      if (!(fabs(v[i] - other[i]) <= 1e-8)) fail_msg("rod %d, dof %d: %.12g and %.12g", k, i, v[i], other[i]);
  }
  problem_release(&b);
}

// Contacts that do something else than what is predicted have answers, too: velocities, depths and deformations are random ones.
static void test_wrong_predictions(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {2};
  for (int k = 0; k < 5000; ++k) {
    Rod rod = random_rod(&r);
    hfContactLaw law = {.stiffness = random_log(&r, 1e4, 1e8), .dissipation = random_chance(&r, 0.5) ? random_log(&r, 0.1, 100) : 0};
    law.friction = HF_FRICTION_ANCHORED, law.mu[0] = random_uniform(&r, 0, 2), law.k_t[0] = 0.8 * law.stiffness, law.c_t[0] = random_log(&r, 1, 1e3);
    law.depth = random_chance(&r, 0.5) ? random_log(&r, 1e-7, 1e-3) : -random_log(&r, 1e-7, 1e-4);
    law.xi0[0] = 1e-5 * random_normal(&r), law.xi0[1] = 1e-5 * random_normal(&r);
    double v[3], speed = random_log(&r, 1e-5, 1);
    make_problem(&b, &rod, speed * random_normal(&r), speed * random_normal(&r), &law, 1 + k % 2);
    solve(&b, HF_RUNG_TAMSI, v);
  }
  problem_release(&b);
}

// A joint beyond its limit is too fast at the start, so that the limit is open there, and would end slower than s0 without it. So it acts in the solution, and the
// first step finds that. The solution of two dofs, K v = p + h kappa s0 e with K = M + h kappa e e^T for e = (1, 0), is known in closed form.
static void test_limit_that_slows_down(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {3};
  for (int k = 0; k < 200; ++k) {
    double m = random_log(&r, 0.1, 10), n = random_log(&r, 0.1, 10), c = random_uniform(&r, -0.9, 0.9) * sqrt(m * n), J = 1;
    double s0 = random_log(&r, 0.01, 10), end = random_uniform(&r, -1, 0.99) * s0, other = s0 * random_normal(&r); // without the limit
    const double M[4] = {m, c, c, n}, v0[2] = {random_uniform(&r, 1.01, 1.39) * s0, 0}, p[2] = {m * end + c * other, c * end + n * other};
    hfSaturatedRow limit = {s0, random_log(&r, 1e3, 1e6), 0, INFINITY};
    const int32_t column = 0;
    problem_reset(&b, STEP);
    problem_add_tree(&b, 2, M, NULL, p, v0);
    problem_add_saturated(&b, 1, &limit);
    problem_add_piece(&b, 0, 1, &column, &J);
    double v[2], g = STEP * limit.kappa, a = m + g, q = p[0] + g * s0, det = a * n - c * c;
    int iterations = solve(&b, HF_RUNG_TAMSI, v);
    if (iterations != 1) fail_msg("joint %d: %d iterations", k, iterations);
    double size = s0 + fabs(other); // The solver's tolerance of 1e-10 is that of momenta, which M turns into velocities with a factor of up to 30.
    if (!(fabs(v[0] - (n * q - c * p[1]) / det) <= 1e-8 * size && fabs(v[1] - (a * p[1] - c * q) / det) <= 1e-8 * size))
      fail_msg("joint %d: %.12g %.12g", k, v[0], v[1]);
  }
  problem_release(&b);
}

// A body, here a rod without an arm, slides one way at the start, but its deformation says that it slid the other way in the last step, and so it does in the
// solution. Its normal velocity at the start opens the contact, leaves it closed, or closes it; in the solution the contact is closed. Friction in the direction of
// the start would be wrong, so that one step is enough only with the predicted one, whose laws are linear.
static void test_slip_that_reverses(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {5};
  for (int k = 0; k < 200; ++k) {
    double along = random_uniform(&r, 0.03, 0.1), normal = (k % 2 ? 1 : -1) * random_uniform(&r, 0.001, 0.005), v[3];
    Rod rod = {.mass = random_log(&r, 0.1, 10), .inertia = 1};
    hfContactLaw law = {.stiffness = 1e7, .friction = HF_FRICTION_ANCHORED, .mu = {0.5}, .k_t = {8e6}, .c_t = {1e3}, .stiction_speed = {1e-4}};
    law.depth = STEP * fabs(normal) * random_uniform(&r, 0.2, normal > 0 ? 3 : 0.9);
    law.xi0[0] = -1e-6;
    make_problem(&b, &rod, along, normal, &law, 1);
    b.P.p[0] = -0.1 * rod.mass, b.P.p[1] = -0.01 * rod.mass;
    int iterations = solve(&b, HF_RUNG_TAMSI, v);
    if (iterations != 1 || !(v[0] < 0)) fail_msg("body %d: %d iterations, slip %g", k, iterations, v[0]);
  }
  problem_release(&b);
}

enum { ROBOT = 12 }; // dofs of a robot with a free trunk and two limbs of three joints

// A random mass matrix of a robot: the sum over its limbs of B^T B, where B moves the trunk and the joints of that limb.
static void make_robot(testRandom* r, double* M) {
  memset(M, 0, sizeof *M * ROBOT * ROBOT);
  for (int limb = 0; limb < 2; ++limb)
    for (int body = 0; body < 20; ++body) {
      double B[ROBOT] = {0};
      for (int i = 0; i < 6; ++i) B[i] = random_normal(r);
      for (int i = 6 + 3 * limb; i < 9 + 3 * limb; ++i) B[i] = random_normal(r);
      for (int i = 0; i < ROBOT * ROBOT; ++i) M[i] += 0.1 * B[i / ROBOT] * B[i % ROBOT];
    }
}

// The step problem of a robot that turns about a foot on its first limb, with a drive on this dof that is between its bounds.
static void make_driven_robot(problemBuilder* b, testRandom* r, int32_t driven) {
  double M[ROBOT * ROBOT], v0[ROBOT], p[ROBOT], one = 1, J[12] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}, along = random_uniform(r, 2e-4, 1e-3);
  const int32_t cols[4] = {0, 1, 2, 6};
  hfSaturatedRow drive = {0, random_log(r, 0.1, 10), -1e3, 1e3};
  hfContactLaw law = {.stiffness = 1e8, .friction = HF_FRICTION_ANCHORED, .mu = {50}, .k_t = {8e7}, .c_t = {1e3}, .stiction_speed = {1e-4}};
  make_robot(r, M);
  for (int i = 0; i < ROBOT; ++i) v0[i] = 1e-3 * random_normal(r);
  v0[0] = along, v0[1] = 0, v0[2] = 1e-3;
  law.depth = 0.5 * STEP * v0[2], law.xi0[0] = (STEP * law.k_t[0] + law.c_t[0]) * along / law.k_t[0];
  for (int i = 0; i < ROBOT; ++i) {
    p[i] = -STEP * GRAVITY * M[i * ROBOT + 2];
    for (int j = 0; j < ROBOT; ++j) p[i] += M[i * ROBOT + j] * v0[j];
  }
  problem_reset(b, STEP);
  problem_add_tree(b, ROBOT, M, NULL, p, v0);
  problem_add_saturated(b, 1, &drive);
  problem_add_piece(b, 0, 1, &driven, &one);
  problem_add_contact(b, 3, &law);
  problem_add_piece(b, 0, 4, cols, J);
}

// Drives of limbs do not keep a robot from turning about its foot: one step is enough, as without drives. A drive of the trunk holds the robot: the
// step begins with the velocities of the start, at which the contact is open, and needs more. problem_residual (solve) says that all answers solve the
// problem.
static void test_driven_limbs(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  testRandom r = {4};
  for (int k = 0; k < 200; ++k) {
    double v[ROBOT];
    int32_t driven = k % ROBOT;
    make_driven_robot(&b, &r, driven);
    int iterations = solve(&b, HF_RUNG_TAMSI, v);
    if (driven < 6 ? iterations < 2 : iterations != 1) fail_msg("robot %d, drive of dof %d: %d iterations", k, driven, iterations);
  }
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rod_that_turns_about_its_end),
      cmocka_unit_test(test_wrong_predictions),
      cmocka_unit_test(test_limit_that_slows_down),
      cmocka_unit_test(test_slip_that_reverses),
      cmocka_unit_test(test_driven_limbs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
