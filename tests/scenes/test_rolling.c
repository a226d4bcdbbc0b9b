// Balls and cylinders. On a floor, sliding turns into rolling at t = v0/(mu g (1
// + 1/c)) with v = v0/(1 + c); down a slope they roll with a = g sin th/(1 + c) where mu >= tan th
// c/(1 + c), else slide with a = g (sin th - mu cos th). c = I/(m r^2): 2/5 for the ball, 1/2 for
// the cylinder.
//
// The contact point lies half the overlap inside the body: the lever is r less 1 um, 1e-5 of it.
#include "scenes/scene.h"

static const double g = 9.81, h = 0.001, lever = 2e-5; // [m/s^2], [s], [-]
static const double share[2] = {0.4, 0.5};             // c of ball and cylinder

// The first time after 10 ms at which a contact of the geom sticks.
static double first_stick(const sceneRun* run, const char* geom) {
  for (int row = table_row_at(&run->contacts, 0.01); row < run->contacts.rows; ++row)
    if (touches(run, row, geom) && table_at(&run->contacts, row, "stick") == 1)
      return table_at(&run->contacts, row, "time");
  return NAN;
}

// The step in which sliding ends is known to h. The angular momentum about the contact is
// conserved, so that the speed does not depend on how friction ends.
static void check_floor(const char* options) {
  sceneRun run = run_scene("rolling_floor.xml", options);
  const char* names[2] = {"ball", "cylinder"};
  for (int i = 0; i < 2; ++i) {
    double c = share[i], mu = 0.2, v0 = 1;
    assert_near(first_stick(&run, names[i]), v0 / (mu * g * (1 + 1 / c)), h);
    assert_near(velocity(&run, -1, 6 * i), v0 / (1 + c), lever);
    assert_near(velocity(&run, -1, 6 * i + 4) * 0.1, v0 / (1 + c), lever);
  }
  free_run(&run);
}

static void test_slide_into_rolling(void** state) {
  (void)state;
  check_floor("--keyframe push --time 0.5 --friction regularised");
  assert_all_by_tamsi();
  check_floor("--keyframe push --time 0.5 --friction anchored");
  assert_all_by_tamsi();
}

// Mean acceleration of a body down the slope after the start has decayed, from 0.5 to 1 s.
static double acceleration(const sceneRun* run, int body, double th) {
  int from = table_row_at(&run->log, 0.5);
  double gain[2];
  for (int k = 0; k < 2; ++k) {
    int row = k ? run->log.rows - 1 : from;
    gain[k] = velocity(run, row, 6 * body) * cos(th) - velocity(run, row, 6 * body + 2) * sin(th);
  }
  return (gain[1] - gain[0]) /
         (table_at(&run->log, -1, "time") - table_at(&run->log, from, "time"));
}

// Regularised friction creeps at a constant speed: no error but the lever. Anchored friction
// measures the displacement of a material point over a step: along a cycloid, (w h)^2/6 less than
// the travel of the body, with w = 24 rad/s at the end.
static void check_slope(const char* options, double tolerance) {
  static const double mu[6] = {0.3, 0.11, 0.1, 0.3, 0.13, 0.12};
  const double th = 20 * M_PI / 180;
  sceneRun run = run_scene("rolling_slope.xml", options);
  for (int i = 0; i < 6; ++i) {
    double c = share[i / 3], a = acceleration(&run, i, th);
    if (mu[i] >= tan(th) * c / (1 + c))
      assert_near(a, g * sin(th) / (1 + c), tolerance * g);
    else
      assert_near(a, g * (sin(th) - mu[i] * cos(th)), 1e-8 * g); // the solver's tolerance
  }
  free_run(&run);
}

static void test_slope(void** state) {
  (void)state;
  check_slope("--time 1 --friction regularised", lever);
  assert_all_by_tamsi();
  check_slope("--time 1 --friction anchored", lever + pow(24 * h, 2) / 2);
  assert_all_by_tamsi();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slide_into_rolling),
                                     cmocka_unit_test(test_slope)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
