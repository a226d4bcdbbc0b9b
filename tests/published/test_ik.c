// Inverse kinematics of a published arm, Franka Emika's Panda.
#include "manipulation/arms.h"

static void test_round_trips_panda(void** state) {
  (void)state;
  round_trip_in(HF_SHARED_MODELS, "mujoco_menagerie/franka_emika_panda/panda.xml", "hand", 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips_panda)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
