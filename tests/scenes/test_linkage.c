// The gripper models/linkage_gripper.xml, whose two fingers are closed loops (connect and joint equalities), closes
// for 2 s at steps of 1 to 10 ms.
//
// Closed forms, with L = 0.06 m the length of a crank and 0.8 rad its lean at q = 0:
//   the pads meet where      0.02 - 0.012 + L sin(0.8 - q) = 0
//   a parallelogram has      pad = -q and rocker = q
//   the principle of virtual work gives the force between the pads from the crank's torque u/2:
//                            F L cos(0.8 - q) = u/2
#include "scenes/scene.h"

static const double crank_length = 0.06, control = 1.0;

enum { RIGHT_CRANK, RIGHT_PAD, RIGHT_ROCKER, LEFT_CRANK, LEFT_PAD, LEFT_ROCKER, JOINTS };

static double pad_force(const sceneRun* run) {
  int last = run->contacts.rows - 1;
  double end = table_at(&run->contacts, last, "time"), force = 0;
  for (int row = last; row >= 0 && table_at(&run->contacts, row, "time") == end; --row) {
    assert_true(touches(run, row, "right_pad") && touches(run, row, "left_pad"));
    force += table_at(&run->contacts, row, "fn");
  }
  return force;
}

static void check_closing(double h, const char* friction) {
  char call[2048];
  snprintf(call, sizeof call,
           "run %s/models/linkage_gripper.xml --json --time 2 --step %g --friction %s --ctrl %g --log log.csv --contacts contacts.csv",
           HF_SOURCE_DIR, h, friction, control);
  assert_works(call);
  assert_near(json_value(standard_output, "not_converged", 0), 0, 0);
  sceneRun run = {table_read("log.csv"), table_read("contacts.csv")};
  double closed = 0.8 + asin(0.008 / crank_length);
  // A crank and its rocker are damped by 0.1 N m s each: 0.5 N m turn them by at most 0.5/0.2 = 2.5 rad/s. The impact
  // of the pads throws them back with less.
  for (int row = 0; row < run.log.rows; ++row)
    for (int i = 0; i < JOINTS; ++i) assert_below(fabs(velocity(&run, row, i)), 2.6);
  static const double sign[JOINTS] = {1, -1, 1, 1, -1, 1};
  for (int i = 0; i < JOINTS; ++i) {
    assert_near(position(&run, -1, i), sign[i] * closed, 1e-3); // pads and loops give way by less than 0.06 mm
    assert_near(velocity(&run, -1, i), 0, 1e-3);
  }
  double force = 0.5 * control / (crank_length * cos(0.8 - closed));
  assert_near(pad_force(&run), force, 1e-3 * force); // the solver's tolerance and the angle's error
  free_run(&run);
}

static void test_closes(void** state) {
  (void)state;
  static const double steps[] = {0.001, 0.002, 0.005, 0.01};
  for (int i = 0; i < 4; ++i) {
    check_closing(steps[i], "anchored");
    check_closing(steps[i], "regularised");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_closes)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
