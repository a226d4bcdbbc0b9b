// The transition-aware line search: the cases of the published implementation's unit tests
// (theta_max = pi/6, v_s = 1e-4), and figures 2, 3 and 4 of the paper.
//
// Four cases differ on purpose. The published code leaves and enters the disc by halves (its cases
// II and III) and steers around zero slip, because it fears weak gradients there. With a linear law
// the derivative inside the disc is constant, so a step from inside, or to inside, is not limited,
// and one straight through the centre lands on it.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/step_problems.h"

#include "math/vec3.h"
#include "step/law/tals.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double vs = 1e-4, tolerance = 10 * DBL_EPSILON;

static hfiSine turn_of(double theta) {
  hfiSine t = {sin(theta), cos(theta)};
  return t;
}
static double alpha_of(double x, double y, double dx, double dy) {
  double u[2] = {x, y}, du[2] = {dx, dy};
  return hfi_tals_disc(u, du, vs, turn_of(HFI_PI / 6));
}
static double angle_of(double x, double y, double x1, double y1) {
  return fabs(atan2(x * y1 - y * x1, x * x1 + y * y1));
}

static void test_steps_that_are_not_limited(void** state) {
  (void)state;
  assert_near(alpha_of(0, 0, 0, 0), 1, 0);                             // nothing moves
  assert_near(alpha_of(0, 0, -.5 * vs, .7 * vs), 1, 0);                // stays inside
  assert_near(alpha_of(1.2 * vs, .4 * vs, -1.5 * vs, .05 * vs), 1, 0); // comes to stick
  assert_near(alpha_of(-.5 * vs, .7 * vs, .9, -.3), 1, 0);             // starts to slip
  assert_near(alpha_of(.1, .05, -.5 * vs * .01, .3 * vs * .01), 1, 0); // hardly moves
}

static void test_steps_the_published_code_halves(void** state) {
  (void)state;
  assert_near(alpha_of(0, 0, .3, -.1), 1, 0);                          // zero to slip
  assert_near(alpha_of(.3, -.1, -.3, .1), 1, 0);                       // slip to exactly zero
  assert_near(alpha_of(-.5 * vs * .01, .3 * vs * .01, .3, .15), 1, 0); // nearly zero to slip
  double a = alpha_of(.1, .05, -.3, -.15);                             // straight through zero
  assert_near(.1 - .3 * a, 0, tolerance);
  assert_near(.05 - .15 * a, 0, tolerance);
}

// Figure 3, left: the line crosses the disc; it is cut where it is closest to the centre.
static void test_crossing_is_cut_at_the_closest_point(void** state) {
  (void)state;
  double x = .3 * vs, y = .2 * vs, n = sqrt(x * x + y * y), nx = -y / n, ny = x / n;
  double a = alpha_of(x + .5 * nx, y + .5 * ny, -1.3 * nx, -1.3 * ny);
  assert_near(a, .5 / 1.3, tolerance);
  assert_near(x + (.5 - 1.3 * a) * nx, x, tolerance);
  assert_near(y + (.5 - 1.3 * a) * ny, y, tolerance);
  // grazing: one part in a thousand inside is cut, outside is left to the limit of the turn (4.6e-4
  // rad)
  double u[2] = {1, .999 * vs}, du[2] = {-2, 0};
  assert_near(hfi_tals_disc(u, du, vs, turn_of(3.1415)), .5, tolerance);
  u[1] = 1.001 * vs;
  assert_above(hfi_tals_disc(u, du, vs, turn_of(3.1415)), .5);
}

// Figure 3, right: without crossing, the direction turns by theta_max at most.
static void test_turn_is_limited(void** state) {
  (void)state;
  double turns[] = {HFI_PI / 8, HFI_PI / 3, 5 * HFI_PI / 6, HFI_PI / 2, HFI_PI / 6 + 1e-9};
  for (int i = 0; i < 5; ++i)
    for (int sign = -1; sign <= 1; sign += 2) {
      double x = -.5, y = .7, c = cos(turns[i]), s = sign * sin(turns[i]), stretch = 1.5;
      double dx = stretch * (c * x - s * y) - x, dy = stretch * (s * x + c * y) - y;
      double a = alpha_of(x, y, dx, dy), turned = angle_of(x, y, x + a * dx, y + a * dy);
      if (turns[i] < HFI_PI / 6)
        assert_near(a, 1, 0);
      else
        assert_near(turned, HFI_PI / 6, 1e-14); // a few roundings of atan2's arguments
      assert_above(a, 0);
      assert_at_most(a, 1);
    }
  // dv = -3 R(pi/6) v: the reference's quadratic has a single solution here
  double x = -.5, y = .7, c = cos(HFI_PI / 6), s = sin(HFI_PI / 6);
  double dx = -3 * (c * x - s * y), dy = -3 * (s * x + c * y), a = alpha_of(x, y, dx, dy);
  assert_near(angle_of(x, y, x + a * dx, y + a * dy), HFI_PI / 6, 1e-14);
}

// The data of figure 3 as docs/theory/tals.md prints them: radius 1, theta_max 60 degrees.
static void test_figure_3_data(void** state) {
  (void)state;
  static const struct {
    double u[2], end[2], alpha, lands[2];
  } rows[] = {
      {{2, .5}, {-3, .5}, .4, {0, .5}},
      {{2, 0}, {-3, 0}, .4, {0, 0}},
      {{2, 0}, {0, 4}, .46410, {1.07180, 1.85641}},
      {{2, 0}, {1.7321, 1}, 1, {1.7321, 1}},
      {{2, 0}, {.3, .4}, 1, {.3, .4}},
      {{.5, 0}, {-3, 1}, 1, {-3, 1}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    double du[2] = {rows[i].end[0] - rows[i].u[0], rows[i].end[1] - rows[i].u[1]};
    double a = hfi_tals_disc(rows[i].u, du, 1, turn_of(HFI_PI / 3));
    assert_near(a, rows[i].alpha, 5e-6); // five digits are printed
    for (int k = 0; k < 2; ++k) assert_near(rows[i].u[k] + a * du[k], rows[i].lands[k], 1e-5);
  }
}

// The published limiter fails on these; ours always returns a step.
static void test_every_input_gives_a_step(void** state) {
  (void)state;
  double odd[] = {0, 1, -1, 1e-300, -1e-300, 1e300, -1e300, INFINITY, -INFINITY, NAN, vs, -vs};
  int n = sizeof odd / sizeof *odd;
  for (int i = 0; i < n * n * n * n; ++i) {
    double a = alpha_of(odd[i % n], odd[i / n % n], odd[i / n / n % n], odd[i / n / n / n]);
    assert_above(a, 0);
    assert_at_most(a, 1);
  }
  testRandom r = {31};
  for (int i = 0; i < 1000000; ++i) {
    double u[2], du[2];
    for (int k = 0; k < 2; ++k) {
      u[k] = random_normal(&r) * random_log(&r, 1e-8, 1e2);
      du[k] = random_normal(&r) * random_log(&r, 1e-8, 1e2);
    }
    double theta = random_uniform(&r, 0.01, 3.1), a = hfi_tals_disc(u, du, vs, turn_of(theta));
    assert_above(a, 0);
    assert_at_most(a, 1);
    double x = u[0] + a * du[0], y = u[1] + a * du[1];
    int outside = sqrt(u[0] * u[0] + u[1] * u[1]) > vs && sqrt(x * x + y * y) > 1.000001 * vs;
    if (outside)
      assert_at_most(angle_of(u[0], u[1], x, y), theta + 1e-6); // atan2 of nearly parallel vectors
  }
}

static void test_intervals(void** state) {
  (void)state;
  assert_near(hfi_tals_interval(2, -4, -1, 1), .5, 0);      // across, from above: to the middle
  assert_near(hfi_tals_interval(-2, 8, -1, 3), 3. / 8, 0);  // across, from below, unequal bounds
  assert_near(hfi_tals_interval(2, -2, -1, 1), 1, 0);       // ends inside
  assert_near(hfi_tals_interval(0, 9, -1, 1), 1, 0);        // starts inside
  assert_near(hfi_tals_interval(2, 5, -1, 1), 1, 0);        // moves away
  assert_near(hfi_tals_interval(-2, 9, 0, INFINITY), 1, 0); // a limit has no other side
  assert_near(hfi_tals_interval(2, -4, 1, 1), 1, 0);        // no width, nothing to hit
}

// The disc of anchored friction is centred at s0 = -k_t xi0/kappa with radius mu pi/kappa.
static void test_anchored_disc_is_offset(void** state) {
  (void)state;
  hfContactLaw law;
  memset(&law, 0, sizeof law);
  law.friction = HF_FRICTION_ANCHORED;
  double h = 1e-2, pi = 5;
  law.mu[0] = .4, law.k_t[0] = 100, law.c_t[0] = 1; // kappa = 2, radius 1
  law.xi0[0] = -.2;                                 // s0 = (10, 0)
  double s[3] = {0, 14, .5}, s1[3] = {0, 4, .5};
  assert_near(hfi_tals_contact(&law, h, HF_SLIDING, pi, s, s1, turn_of(3)), .4, tolerance);
  s1[1] = 10.2; // inside
  assert_near(hfi_tals_contact(&law, h, HF_SLIDING, pi, s, s1, turn_of(3)), 1, 0);
  // torsion is one row: the interval around s0 = -k_t xi0/kappa = -3
  law.mu[1] = .2, law.k_t[1] = 100, law.c_t[1] = 0, law.xi0[2] = .03; // kappa = 1, radius 1
  double w[4] = {0, 0, 0, 1}, w1[4] = {0, 0, 0, -9};
  assert_near(hfi_tals_contact(&law, h, HF_TORSION, pi, w, w1, turn_of(3)), .4, tolerance);
}

// ---- figures 2 and 4: one dof, friction mu W against slip, pushed by p*
// --------------------------

typedef struct box {
  double m, W, h, p;
} box; // mu = 1

static double box_residual(const box* b, double v, double* slope) {
  int stick = fabs(v) <= vs;
  *slope = b->m + (stick ? b->h * b->W / vs : 0);
  return b->m * v - b->p + b->h * b->W * (stick ? v / vs : v > 0 ? 1 : -1);
}

static void add_box(problemBuilder* builder, const box* b, double v0) {
  double J[3] = {0, 1, 0};
  hfContactLaw law;
  memset(&law, 0, sizeof law);
  law.stiffness = 1e3;
  law.depth = b->W / law.stiffness; // the normal force is W whatever happens
  law.mu[0] = 1;
  law.stiction_speed[0] = vs;
  problem_reset(builder, b->h);
  problem_add_tree(builder, 1, &b->m, NULL, &b->p, &v0);
  problem_add_contact(builder, 3, &law);
  problem_add_piece(builder, 0, 1, NULL, J);
}

static double solve_box(problemBuilder* builder, hfSolver* solver, const box* b, double v0,
                        int* iterations) {
  double v, impulse[3];
  hfSolveReport report;
  hfSolverConfig config = hf_solver_config_default();
  add_box(builder, b, v0);
  assert_int_equal(hf_solver_solve(solver, &config, &builder->P, &v, impulse, &report, NULL),
                   HF_OK);
  assert_int_equal(report.rung, HF_RUNG_TAMSI);
  *iterations = report.iterations;
  return v;
}

// Figure 2: plain Newton alternates between both sides of the stick region for ever; with the
// transition-aware search the second iteration is inside and the third exact.
static void test_figure_2(void** state) {
  (void)state;
  box b = {.33, 3.234, 1e-2, 1e-2};
  double v = .2, slope, previous = 0;
  for (int i = 0; i < 50; ++i) {
    previous = v;
    double r = box_residual(&b, v, &slope);
    v -= r / slope;
    assert_above(fabs(v), vs); // never inside
    assert_true(i == 0 || v * previous < 0);
  }
  problemBuilder builder;
  memset(&builder, 0, sizeof builder);
  hfSolver* solver;
  int iterations;
  add_box(&builder, &b, .2);
  hfStepCapacity capacity = hf_step_problem_capacity(&builder.P);
  assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
  double exact = b.p / (b.m + b.h * b.W / vs);
  assert_near(solve_box(&builder, solver, &b, .2, &iterations), exact,
              1e-15 * vs + 4 * DBL_EPSILON * exact);
  assert_at_most(iterations, 3);
  hf_solver_free(solver);
  problem_release(&builder);
}

// Figure 4 and section IV-A: the box pushed by 4 cos(2 pi t) N first sticks in the step that starts
// at t = 0.160 s; Newton with the search takes it in at most 4 iterations. Exact transition:
// 0.175898 s.
static void test_figure_4(void** state) {
  (void)state;
  problemBuilder builder;
  memset(&builder, 0, sizeof builder);
  box b = {.33, .33 * 9.8, 1e-2, 0};
  hfSolver* solver = NULL;
  double v = 0, entered = -1;
  int iterations = 0;
  for (int n = 0; n < 50 && entered < 0; ++n) {
    double t = n * b.h;
    b.p = b.m * v +
          b.h * 4 * cos(2 * HFI_PI * (t + b.h)); // implicit Euler: the force of the step's end
    add_box(&builder, &b, v);
    if (!solver) {
      hfStepCapacity capacity = hf_step_problem_capacity(&builder.P);
      assert_int_equal(hf_solver_create(&solver, &capacity, NULL), HF_OK);
    }
    v = solve_box(&builder, solver, &b, v, &iterations);
    if (n > 1 && fabs(v) <= vs) entered = t;
  }
  assert_near(entered, .160, 1e-12);
  assert_at_most(iterations, 4);
  hf_solver_free(solver);
  problem_release(&builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps_that_are_not_limited),
      cmocka_unit_test(test_steps_the_published_code_halves),
      cmocka_unit_test(test_crossing_is_cut_at_the_closest_point),
      cmocka_unit_test(test_turn_is_limited),
      cmocka_unit_test(test_figure_3_data),
      cmocka_unit_test(test_every_input_gives_a_step),
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_anchored_disc_is_offset),
      cmocka_unit_test(test_figure_2),
      cmocka_unit_test(test_figure_4),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
