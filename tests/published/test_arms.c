// models/iiwa14.xml has the mass matrix and the weight of two published files of the same arm.
#include "support/near.h"
#include "support/random.h"

#include <holdfast/holdfast.h>
#include <stdio.h>

static hfModel* load(const char* folder, const char* name) {
  char path[1024];
  hfModel* m = NULL;
  hfError error;
  hfImportConfig config = hf_import_config_default();
  config.skip_meshes = 1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (hf_model_load(&m, path, &config, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// M without the rotors, and the torques of the weight, of an arm with seven joints.
static void evaluate(const hfModel* m, const double* q, double* M, double* weight) {
  hfDynamics* d = NULL;
  double v[7] = {0};
  assert_int_equal(m->nv, 7);
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, v);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_update_bias(d);
  hf_dynamics_dense_mass_matrix(d, M);
  for (int i = 0; i < 7; ++i) {
    M[8 * i] -= hf_model_dof_armature(m)[i];
    weight[i] = hf_dynamics_bias(d)[i];
  }
  hf_dynamics_free(d);
}

// The published files write 1.5708 for a right angle, which turns axes by up to 4e-6 rad. M is up to 10 kg m^2, the
// weight's torques up to 100 N m: that makes 1e-4 and 1e-3.
static void compare_arm(const char* published, double tolerance) {
  hfModel *a = load(HF_SOURCE_DIR "/models", "iiwa14.xml"), *b = load(HF_SHARED_MODELS, published);
  testRandom random = {7};
  print_message("seed 7\n");
  for (int k = 0; k < 20; ++k) {
    double q[7], Ma[49], Mb[49], wa[7], wb[7];
    for (int i = 0; i < 7; ++i) q[i] = random_uniform(&random, -2, 2);
    evaluate(a, q, Ma, wa);
    evaluate(b, q, Mb, wb);
    for (int i = 0; i < 49; ++i) assert_near(Ma[i], Mb[i], tolerance);
    for (int i = 0; i < 7; ++i) assert_near(wa[i], wb[i], 1e-3);
  }
  hf_model_free(a);
  hf_model_free(b);
}

// This file exchanges the last two moments of inertia of link 6, 0.0047 and 0.0036 kg m^2: M differs by as much.
static void test_iiwa14_mjcf(void** state) {
  (void)state;
  compare_arm("mujoco_menagerie/kuka_iiwa_14/iiwa14.xml", 0.0047 - 0.0036 + 1e-4);
}
static void test_iiwa14_urdf(void** state) {
  (void)state;
  compare_arm("drake_models/iiwa_description/urdf/iiwa14_primitive_collision.urdf", 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_iiwa14_mjcf), cmocka_unit_test(test_iiwa14_urdf)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
