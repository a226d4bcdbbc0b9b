// Impacts with the Hunt-Crossley law f = k x (1 + d xdot).
//
// The step is of first order: numbers are extrapolated from two steps, x(0) = 2 x(h/2) - x(h),
// which leaves an error of second order, and the error itself must halve with the step.
#include "scenes/scene.h"

enum { BALLS = 9 };

// Restitution e(d v_i), v_o = e v_i: exact, d v_i - ln(1 + d v_i) = -d v_o - ln(1 - d v_o).
static const double product[BALLS] = {0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
static const double restitution[BALLS] = {0.9933775, 0.9677386, 0.9374756, 0.8821900, 0.7484349,
                                          0.5936243, 0.4107197, 0.1969802, 0.0999816};

static void measure_restitution(double h, double* e) {
  char options[128];
  snprintf(options, sizeof options, "--keyframe hit --time 0.2 --step %g", h);
  sceneRun run = run_scene("restitution.xml", options);
  for (int i = 0; i < BALLS; ++i) {
    assert_above(position(&run, -1, i), 0); // has left the floor
    e[i] = velocity(&run, -1, i) / (product[i] / 20);
  }
  free_run(&run);
}

// omega = sqrt(k/m) is at most 183/s and implicit Euler loses a share x = pi omega h/2 <= 0.0143 of
// the speed: what extrapolation leaves is about x^2/2 = 1e-4.
static void test_restitution(void** state) {
  (void)state;
  double coarse[BALLS], fine[BALLS];
  measure_restitution(5e-5, coarse);
  measure_restitution(2.5e-5, fine);
  for (int i = 0; i < BALLS; ++i) {
    assert_near(2 * fine[i] - coarse[i], restitution[i], 1.5e-4);
    if (i + 1 < BALLS) // the error of the last is near rounding of the table
      assert_near((coarse[i] - restitution[i]) / (fine[i] - restitution[i]), 2, 0.05);
  }
}

// A friction law changes nothing in a straight impact.
static void test_restitution_of_laws(void** state) {
  (void)state;
  double want[BALLS];
  measure_restitution(1e-4, want);
  const char* laws[] = {"regularised", "smooth"};
  for (int k = 0; k < 2; ++k) {
    char options[128];
    snprintf(options, sizeof options, "--keyframe hit --time 0.2 --step 1e-4 --friction %s",
             laws[k]);
    sceneRun run = run_scene("restitution.xml", options);
    for (int i = 0; i < BALLS; ++i)
      assert_near(velocity(&run, -1, i) / (product[i] / 20), want[i], 1e-12);
    free_run(&run);
  }
}

typedef struct bounce {
  double speed, contact, flight, depth; // [m/s], [s], [s], [m]
} bounce;

// When the ball, linear between two rows, passes the height of touching.
static double crossing(const sceneRun* run, int row) {
  double z0 = position(run, row - 1, 0) + 1, z1 = position(run, row, 0) + 1;
  double t0 = table_at(&run->log, row - 1, "time"), t1 = table_at(&run->log, row, "time");
  return t0 + (t1 - t0) * z0 / (z0 - z1);
}

// The first two impacts; returns the number of all.
static int measure_bounces(double h, double time, bounce* b) {
  char options[128];
  snprintf(options, sizeof options, "--time %g --step %g", time, h);
  sceneRun run = run_scene("elastic_ball.xml", options);
  double at[64];
  int count = 0;
  memset(b, 0, sizeof *b);
  for (int row = 1; row < run.log.rows; ++row) {
    double above = position(&run, row, 0) + 1, before = position(&run, row - 1, 0) + 1;
    if (count < 2) b->depth = fmax(b->depth, -above);
    if ((above < 0) == (before < 0)) continue;
    if (count == 0) b->speed = -velocity(&run, row - 1, 0);
    assert_below(count, 64);
    at[count++] = crossing(&run, row);
  }
  assert_at_least(count, 3);
  b->contact = at[1] - at[0], b->flight = at[2] - at[1];
  free_run(&run);
  return (count + 1) / 2;
}

// omega h = 5e-3 at the longer step: the second-order rest is about 1e-5 of each number. The impact
// speed is read at a step: off by up to g h.
static void test_elastic_ball(void** state) {
  (void)state;
  bounce coarse, fine;
  measure_bounces(5e-5, 1.5, &coarse);
  measure_bounces(2.5e-5, 1.5, &fine);
  assert_near(fine.speed, 4.429447, 9.81 * 2.5e-5);
  assert_near(2 * fine.contact - coarse.contact, 0.0318588, 1e-6);
  assert_near(2 * fine.flight - coarse.flight, 0.9030473, 2e-5);
  assert_near(2 * (fine.contact + fine.flight) - (coarse.contact + coarse.flight), 0.9349061, 2e-5);
  assert_near(2 * fine.depth - coarse.depth, 45.286e-3, 2e-6);
  // implicit Euler loses pi omega h/2 of the speed in half a period
  assert_near(coarse.flight / 0.9030473, 1 - M_PI * 100 * 5e-5 / 2, 1e-3);
}

static void test_eleven_impacts(void** state) {
  (void)state;
  bounce b;
  assert_int_equal(measure_bounces(5e-5, 10, &b), 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_restitution), cmocka_unit_test(test_restitution_of_laws),
      cmocka_unit_test(test_elastic_ball), cmocka_unit_test(test_eleven_impacts)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
