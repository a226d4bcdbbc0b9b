// Gripping: thin boxes squeezed by stiff fingers, their creep, and a gripper
// that shakes what it holds harder than friction can carry.
#include "scenes/scene.h"

// Forces on a finger's contact from `time` on.
typedef struct range {
  double low, high;
  int count;
} range;

static range normal_forces(const sceneRun* run, const char* finger, double time) {
  range r = {INFINITY, -INFINITY, 0};
  for (int row = table_row_at(&run->contacts, time); row < run->contacts.rows; ++row) {
    if (!touches(run, row, finger)) continue;
    double fn = table_at(&run->contacts, row, "fn");
    r.low = fmin(r.low, fn), r.high = fmax(r.high, fn);
    r.count++;
  }
  return r;
}

// From 0.5 s on the fingers press steadily: peak to peak below 1e-6 N, as the project asks. Rows:
// every step of the last 1.5 s.
static void assert_steady(const sceneRun* run, const char* what) {
  const char* fingers[4] = {"left15", "right15", "left20", "right20"};
  double worst = 0;
  for (int i = 0; i < 4; ++i) {
    range r = normal_forces(run, fingers[i], 0.5);
    assert_int_equal(r.count, 1501);
    worst = fmax(worst, r.high - r.low);
    assert_near(r.high, i < 2 ? 15 : 20, 0.001); // the box may hang a little askew
  }
  print_message("%s: normal force from 0.5 s on, peak to peak %.2g N\n", what, worst);
  assert_below(worst, 1e-6);
}

// Creep is u = v_s W/(mu sum N), to what a step is solved: 1e-8 g h.
static void check_squeeze(const char* friction, double v_s) {
  char options[128];
  snprintf(options, sizeof options, "--time 2 --friction %s", friction);
  sceneRun run = run_scene("squeeze.xml", options);
  assert_all_by_tamsi();
  assert_steady(&run, friction);
  for (int i = 0; i < 2; ++i)
    assert_near(velocity(&run, -1, 8 * i + 2), -v_s * 0.2 * 9.81 / (0.5 * 2 * (i ? 20 : 15)),
                1e-10);
  free_run(&run);
}

static void test_squeeze_regularised(void** state) {
  (void)state;
  check_squeeze("regularised", 1e-4);
}
static void test_squeeze_anchored(void** state) {
  (void)state;
  check_squeeze("anchored", 0);
}
// One finger comes 0.5 mm late: the box is hit, turns, and must come to rest where it is.
static void test_squeeze_askew(void** state) {
  (void)state;
  sceneRun run = run_scene("squeeze.xml", "--time 2 --friction anchored "
                                          "--qpos '0 0 0 1 0 0 0 0 0  0 0.2 0 1 0 0 0 0 -0.0005'");
  assert_all_by_tamsi();
  assert_steady(&run, "askew");
  free_run(&run);
}

// Shaking with a(t) = a0 sin w t against friction that carries a_max = 2 mu N/m = 20 m/s^2.
static const double w = 4 * M_PI, a_max = 20;
static double a0(void) { return 0.15 * w * w; }
static double slip_start(void) { return asin(a_max / a0()) / w; }

// Speed and way of the pads past the box, t after the start of slip.
static double slip_speed(double t) {
  double t0 = slip_start();
  return a0() / w * (cos(w * t0) - cos(w * t)) - a_max * (t - t0);
}
static double slip_way(double t) {
  double t0 = slip_start(), s = t - t0;
  return a0() / w * cos(w * t0) * s - a0() / (w * w) * (sin(w * t) - sin(w * t0)) -
         a_max * s * s / 2;
}
static double slip_end(void) {
  double lo = slip_start() + 0.02, hi = 0.3; // the speed is positive, then negative
  for (int i = 0; i < 60; ++i) {
    double mid = 0.5 * (lo + hi);
    if (slip_speed(mid) > 0)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

// Times at which a contact of the pad begins to slip or to stick.
static int find_changes(const sceneRun* run, const char* pad, double* at, int capacity) {
  int count = 0, before = 1;
  for (int row = 0; row < run->contacts.rows; ++row) {
    if (!touches(run, row, pad)) continue;
    int stick = table_at(&run->contacts, row, "stick") == 1;
    if (stick != before && count < capacity) at[count++] = table_at(&run->contacts, row, "time");
    before = stick;
  }
  return count;
}

// In every half period of 0.25 s it slips once and sticks again. A step is logged at its end and
// feels the force of its start: 2 h. The slip's way is of first order in h.
static void check_shake(const char* friction) {
  const double h = 5e-4;
  char options[128];
  snprintf(options, sizeof options, "--keyframe swing --time 2 --step %g --friction %s", h,
           friction);
  sceneRun run = run_scene("shake.xml", options);
  double at[64];
  assert_int_equal(find_changes(&run, "left", at, 64), 16);
  for (int i = 0; i < 16; ++i)
    assert_near(at[i], 0.25 * (i / 2) + (i % 2 ? slip_end() : slip_start()), 2 * h);
  double low = INFINITY, high = -INFINITY;
  for (int row = 0; row < run.log.rows; ++row) {
    double past = position(&run, row, 0) - position(&run, row, 5);
    low = fmin(low, past), high = fmax(high, past);
  }
  assert_near(high - low, slip_way(slip_end()), 0.005 * slip_way(slip_end()));
  free_run(&run);
  assert_all_by_tamsi();
}

static void test_shake(void** state) {
  (void)state;
  check_shake("regularised");
  check_shake("anchored");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_squeeze_regularised), cmocka_unit_test(test_squeeze_anchored),
      cmocka_unit_test(test_squeeze_askew), cmocka_unit_test(test_shake)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
