// Robots of other projects, written as MJCF and read again.
#include "support/round_trip.h"

static void test_round_trips(void** state) {
  (void)state;
  assert_above(check_all(HF_SHARED_MODELS "/mujoco_menagerie/*/*.xml"), 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips)};
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
