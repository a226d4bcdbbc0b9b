// The hulls of the meshes of published robots.
#include "geometry/hull_checks.h"

#include <stdio.h>

static const char* const files[] = {"franka_emika_panda/panda.xml", "kuka_iiwa_14/iiwa14.xml", "robotiq_2f85/2f85.xml", "unitree_go1/go1.xml", "universal_robots_ur10e/ur10e.xml"};

static void test_hulls_of_robots(void** state) {
  (void)state;
  testRandom r = {53};
  print_message("seed 53\n");
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    char path[1024];
    hfModel* m = NULL;
    hfError error;
    snprintf(path, sizeof path, "%s/mujoco_menagerie/%s", HF_SHARED_MODELS, files[i]);
    if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
    check_model_hulls(&r, m);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hulls_of_robots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
