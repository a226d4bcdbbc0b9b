// Round bodies that pass the edges of tiles and of a bowl of plates.
#include "support/sim_world.h"
#include "support/tiles.h"

#include <math.h>

static const double steps[4] = {5e-4, 2e-3, 5e-3, 1e-2}; // [s]

// Rolls at 1 m/s for a second. Returns the speed at the end.
static double roll(const char* shape, double h, int raised_from, double* z, double* deepest) {
  char xml[8000];
  write_tiles(xml, sizeof xml, "type='box' size='.025 .2 .02'", 35, raised_from, 1e-3, "pos='0 0 .03'", shape);
  simWorld w = sim_world_make(xml, h, 1e-8);
  sim_v(&w)[0] = 1, sim_v(&w)[4] = 1 / 0.03;
  *deepest = 0;
  while (w.state->time < 1 - 0.5 * h) {
    hfStepReport report;
    hfError error;
    if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) fail_msg("%s", error.message);
    *deepest = fmax(*deepest, report.max_depth);
  }
  double v = sim_v(&w)[0];
  *z = sim_q(&w)[2];
  sim_world_free(&w);
  return v;
}

// A floor of tiles is a floor: no step makes a ball, a capsule or a cylinder lose more than 3 % of its speed at 20 edges, of which the contact
// gives way by um. With contacts that are linear in the motion, steps of 10 ms took half of it.
static void test_tiles(void** state) {
  (void)state;
  static const char* const shapes[3] = {"<geom size='.03' mass='.1'/>", "<geom type='capsule' size='.03 .05' euler='90 0 0' mass='.1'/>",
                                        "<geom type='cylinder' size='.03 .05' euler='90 0 0' mass='.1'/>"};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 4; ++i) {
      double z, deepest, v = roll(shapes[k], steps[i], 30, &z, &deepest);
      assert_above(v, 0.97);
      assert_below(v, 1.001);
      assert_below(fabs(z - 0.03), 2e-5);
    }
}

// An edge that is 1 mm high is no edge to pass: the ball meets it, and climbs it, at any step. Its angular momentum about the edge stays, so that
// the share 1 - (5/7) d/r of its speed is left after the impact, and it rises by d: it goes on at 0.97 m/s, less what the other edges take.
static void test_raised_tile(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    double z, deepest, v = roll("<geom size='.03' mass='.1'/>", steps[i], 10, &z, &deepest);
    assert_above(v, 0.9);
    assert_below(v, 1);
    assert_above(z, 0.0309);
    assert_below(deepest, 3e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_raised_tile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
