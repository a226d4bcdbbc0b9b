// Robotiq's 2F-85, whose two fingers are closed loops (connect and joint equalities), closes for 2 s at steps of 1 to
// 10 ms. MuJoCo 3, at h = 0.5 ms, ends with the drivers at 0.7808 rad, the couplers at 0.0005, the spring links at
// 0.7799 and the followers at -0.7555. The pads press on each other; MuJoCo's contact is stiffer than ours.
#include "scenes/scene.h"

// The joints move by 0.8 rad within a tenth of a second: 30 rad/s is far above any joint's speed.
static void check_closing(double h, const char* friction) {
  static const double mujoco[4] = {0.7808, 0.0005, 0.7799, -0.7555};
  char call[2048];
  snprintf(call, sizeof call,
           "run %s/mujoco_menagerie/robotiq_2f85/2f85.xml --json --time 2 --step %g --friction %s --ctrl 255 "
           "--log log.csv --contacts contacts.csv",
           HF_SHARED_MODELS, h, friction);
  assert_works(call);
  assert_near(json_value(standard_output, "not_converged", 0), 0, 0);
  sceneRun run = {table_read("log.csv"), table_read("contacts.csv")};
  for (int row = 0; row < run.log.rows; ++row)
    for (int i = 0; i < 8; ++i) assert_below(fabs(velocity(&run, row, i)), 30);
  for (int i = 0; i < 8; ++i) {
    assert_near(position(&run, -1, i), mujoco[i % 4], 0.005); // our softer pads let it close 0.0015 rad further
    assert_near(velocity(&run, -1, i), 0, 1e-3);
  }
  int last = run.contacts.rows - 1;
  assert_true(touches(&run, last, "right_pad1") && touches(&run, last, "left_pad1"));
  assert_above(table_at(&run.contacts, last, "fn"), 1);
  free_run(&run);
}

static void test_closes(void** state) {
  (void)state;
  const double steps[] = {0.001, 0.002, 0.005, 0.01};
  for (int i = 0; i < 4; ++i) {
    check_closing(steps[i], "anchored");
    check_closing(steps[i], "regularised");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_closes)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
