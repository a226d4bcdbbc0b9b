// Robots of other projects, written as SDFormat and URDF and read again.
#include "support/robot_trip.h"

static void test_sdf_round_trips(void** state) {
  (void)state;
  assert_above(check_robots(HF_SHARED_MODELS "/mujoco_menagerie/*/*.xml", hf_model_write_sdf), 15);
}

static void test_urdf_round_trips(void** state) {
  (void)state;
  assert_above(check_robots(HF_SHARED_MODELS "/mujoco_menagerie/*/*.xml", hf_model_write_urdf), 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sdf_round_trips), cmocka_unit_test(test_urdf_round_trips)};
  return cmocka_run_group_tests(tests, make_trip_folder, remove_trip_folder);
}
