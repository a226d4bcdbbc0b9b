// Blocks on a slope of angle th: they stick where tan th <= mu, else slide with
// a = g (sin th - mu cos th). Below the cone regularised friction creeps with v = v_s tan th/mu,
// anchored friction not at all.
#include "scenes/scene.h"

static const double th = 20 * M_PI / 180, g = 9.81, v_s = 1e-4; // [rad], [m/s^2], [m/s]
static const double mu[] = {0.5, 0.37, 0.36, 0.1};              // tan th = 0.36397
enum { BLOCKS = 4 };

// A step is solved to 1e-8 of its momentum, here m g h: this is what a velocity may be off [m/s].
static const double solved = 1e-8 * 9.81 * 0.002;

// Speed of a block down the slope [m/s].
static double down(const sceneRun* run, int row, int block) {
  return velocity(run, row, 6 * block) * cos(th) - velocity(run, row, 6 * block + 2) * sin(th);
}

// From 1 s on, when what the start has shaken has decayed (by more than 1e-30 at 92/s).
static void check_blocks(const char* options, double creep_speed) {
  sceneRun run = run_scene("incline.xml", options);
  int settled = table_row_at(&run.log, 1);
  for (int i = 0; i < BLOCKS; ++i) {
    double sliding = g * (sin(th) - mu[i] * cos(th)), time = table_at(&run.log, -1, "time") - 1;
    double gained = down(&run, -1, i) - down(&run, settled, i);
    if (sliding > 0) {
      assert_near(gained / time, sliding, 1e-8 * g); // each step off by at most its tolerance
      continue;
    }
    double creep = creep_speed * tan(th) / mu[i];
    for (int row = settled; row < run.log.rows; ++row)
      assert_near(down(&run, row, i), creep, solved);
    double moved = position(&run, -1, 7 * i) - position(&run, settled, 7 * i);
    assert_near(moved, creep * cos(th) * time, solved * time);
  }
  free_run(&run);
}

static void test_regularised(void** state) {
  (void)state;
  check_blocks("--time 3 --friction regularised", v_s);
  assert_all_by_tamsi();
}
static void test_anchored(void** state) {
  (void)state;
  check_blocks("--time 3 --friction anchored", 0);
  assert_all_by_tamsi();
}
// The bounds of friction are iterated on: at rest and in steady sliding it is the same answer.
static void test_convex(void** state) {
  (void)state;
  check_blocks("--time 3 --method convex --friction regularised", v_s);
  check_blocks("--time 3 --method convex --friction anchored", 0);
}
// A step as long as a pick-and-place controller's.
static void test_large_steps(void** state) {
  (void)state;
  check_blocks("--time 3 --step 0.01 --friction anchored", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_regularised),
                                     cmocka_unit_test(test_anchored), cmocka_unit_test(test_convex),
                                     cmocka_unit_test(test_large_steps)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
