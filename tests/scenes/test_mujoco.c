// MuJoCo loads the scenes of tests/scenes and models/ unchanged, and finds the same numbers of coordinates.
#include "support/peer.h"

#include <holdfast/holdfast.h>

// Prints "nq nv nu file" for each; a file that MuJoCo refuses ends the script.
static const char script[] = "import glob, sys, mujoco\\n"
                             "for f in sorted(glob.glob(sys.argv[1] + \"/tests/scenes/*.xml\") + "
                             "glob.glob(sys.argv[1] + \"/models/*.xml\")):\\n"
                             "    m = mujoco.MjModel.from_xml_path(f)\\n"
                             "    print(m.nq, m.nv, m.nu, f)\\n";

static void test_loads(void** state) {
  (void)state;
  const char* python = peer_python();
  if (!python) skip();
  char command[2048], path[1024];
  snprintf(command, sizeof command, "cd '%s' && printf '%s' | %s - '%s'", HF_BINARY_DIR, script, python, HF_SOURCE_DIR);
  FILE* list = popen(command, "r");
  assert_non_null(list);
  int nq, nv, nu, count = 0;
  while (fscanf(list, "%d %d %d %1023s", &nq, &nv, &nu, path) == 4) {
    hfModel* model = NULL;
    hfError error;
    if (hf_model_load(&model, path, NULL, NULL, &error) < 0) fail_msg("%s", error.message);
    if (model->nq != nq || model->nv != nv || model->nu != nu)
      fail_msg("%s: other sizes than MuJoCo's", path);
    hf_model_free(model);
    count++;
  }
  assert_int_equal(pclose(list), 0);
  assert_above(count, 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
