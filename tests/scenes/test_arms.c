// The arms, the gripper and the objects of models/: they have the published numbers, and the consequences of these.
#include "support/near.h"
#include "support/sim_world.h"

#include <holdfast/holdfast.h>
#include <stdio.h>
#include <string.h>

static hfModel* load_own(const char* name) {
  char path[1024];
  hfModel* m = NULL;
  hfError error;
  snprintf(path, sizeof path, "%s/models/%s.xml", HF_SOURCE_DIR, name);
  if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// An arm at q = 0 stands upright: all joints that matter for its height are straight. M[0][0] without the rotor is
// then the inertia of all links about the vertical axis.
static void check_stretched_arm(const char* name, double height, double mass, double about_z, double rotor) {
  hfModel* m = load_own(name);
  hfDynamics* d = NULL;
  double q[7] = {0}, M[49];
  assert_int_equal(m->nv, 7);
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_dense_mass_matrix(d, M);
  hfPose flange = hf_dynamics_site_pose(d, hf_model_find(m, HF_OBJECT_SITE, "flange"));
  assert_near(flange.p.z, height, 1e-12);
  assert_near(flange.p.x, 0, 1e-12);
  assert_near(hf_model_body_subtreemass(m)[0], mass, 1e-12);
  assert_near(M[0] - hf_model_dof_armature(m)[0], about_z, 1e-9);
  assert_near(hf_model_dof_armature(m)[1], rotor, 1e-5); // the file has five decimals
  hf_dynamics_free(d);
  hf_model_free(m);
}

// The sums below go link by link through the published table: m (x^2 + y^2) of the centre of mass, plus the link's
// inertia about the axis that is vertical here.
static void test_iiwa14(void** state) {
  (void)state;
  check_stretched_arm(
      "iiwa14", 0.1575 + 0.2025 + 0.2045 + 0.2155 + 0.1845 + 0.2155 + 0.081 + 0.045,
      5 + 5.76 + 6.35 + 3.5 + 3.5 + 3.5 + 1.8 + 1.2,
      5.76 * 0.03 * 0.03 + 0.0123 + 6.35 * (0.0003 * 0.0003 + 0.042 * 0.042) + 0.011 + 3.5 * 0.03 * 0.03 + 0.0076 +
          3.5 * 0.034 * 0.034 + 0.006 + 3.5 * (0.0001 * 0.0001 + 0.021 * 0.021) + 0.00449 + 1.8 * 0.0004 * 0.0004 + 0.0047 + 0.001,
      3.38176);
}
static void test_iiwa7(void** state) {
  (void)state;
  check_stretched_arm(
      "iiwa7", 0.1575 + 0.183 + 0.184 + 0.2155 + 0.184 + 0.2155 + 0.0805 + 0.045,
      3.863 + 2.7025 + 2.7258 + 3.175 + 2.73 + 1.69 + 1.8 + 0.4,
      0.006 + 2.7025 * 0.0347 * 0.0347 + 0.0061 + 2.7258 * 0.0344 * 0.0344 + 0.0076 + 3.175 * 0.0296 * 0.0296 + 0.0061 +
          2.73 * 0.034 * 0.034 + 0.00449 + 1.69 * (0.021 * 0.021 + 1e-8) + 0.0049 + 1.8 * 0.0005 * 0.0005 + 0.0005,
      0.0001737109 * 160 * 160); // the rotor's inertia times the gear ratio squared
}

static void compare_field(const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i) assert_near(a[i], b[i], 1e-15);
}

// The chain that carries a gripper is the bare arm's.
static void compare_with_gripper(const char* bare, const char* equipped) {
  hfModel *a = load_own(bare), *b = load_own(equipped);
  for (int i = 1; i < a->nbody; ++i) {
    int k = hf_model_find(b, HF_OBJECT_BODY, hf_model_name(a, HF_OBJECT_BODY, i));
    assert_above(k, 0);
    compare_field(hf_model_body_pos(a) + 3 * i, hf_model_body_pos(b) + 3 * k, 3);
    compare_field(hf_model_body_quat(a) + 4 * i, hf_model_body_quat(b) + 4 * k, 4);
    compare_field(hf_model_body_mass(a) + i, hf_model_body_mass(b) + k, 1);
    compare_field(hf_model_body_com(a) + 3 * i, hf_model_body_com(b) + 3 * k, 3);
    compare_field(hf_model_body_inertia(a) + 6 * i, hf_model_body_inertia(b) + 6 * k, 6);
  }
  for (int i = 0; i < a->njnt; ++i) {
    int k = hf_model_find(b, HF_OBJECT_JOINT, hf_model_name(a, HF_OBJECT_JOINT, i));
    compare_field(hf_model_jnt_range(a) + 2 * i, hf_model_jnt_range(b) + 2 * k, 2);
    compare_field(hf_model_jnt_axis(a) + 3 * i, hf_model_jnt_axis(b) + 3 * k, 3);
    compare_field(hf_model_dof_armature(a) + i,
                  hf_model_dof_armature(b) + hf_model_jnt_dofadr(b)[k], 1);
    compare_field(hf_model_dof_damping(a) + i, hf_model_dof_damping(b) + hf_model_jnt_dofadr(b)[k],
                  1);
    compare_field(
        hf_model_actuator_ctrlrange(a) + 2 * i,
        hf_model_actuator_ctrlrange(b) +
            2 * hf_model_find(b, HF_OBJECT_ACTUATOR, hf_model_name(a, HF_OBJECT_ACTUATOR, i)),
        2);
  }
  hf_model_free(a);
  hf_model_free(b);
}

static void test_equipped(void** state) {
  (void)state;
  compare_with_gripper("iiwa14", "iiwa14_wsg50");
  compare_with_gripper("iiwa7", "iiwa7_wsg50");
}

// Boxes of the published sizes and masses: m/12 (b^2 + c^2).
static void test_gripper_inertia(void** state) {
  (void)state;
  hfModel* m = load_own("wsg50");
  int palm = hf_model_find(m, HF_OBJECT_BODY, "palm"),
      finger = hf_model_find(m, HF_OBJECT_BODY, "left_finger");
  const double *I = hf_model_body_inertia(m) + 6 * palm, *F = hf_model_body_inertia(m) + 6 * finger;
  assert_near(I[0], 0.988882 / 12 * (0.0725 * 0.0725 + 0.049521 * 0.049521), 1e-9);
  assert_near(I[1], 0.988882 / 12 * (0.146 * 0.146 + 0.049521 * 0.049521), 1e-9);
  assert_near(F[0], 0.05 / 12 * (0.075 * 0.075 + 0.02 * 0.02), 1e-9);
  assert_near(F[1], 0.05 / 12 * (0.016 * 0.016 + 0.02 * 0.02), 1e-9);
  assert_near(hf_model_body_subtreemass(m)[0], 1.088882, 1e-12);
  hf_model_free(m);
}

// The drive opens both fingers alike, to the limits of their joints.
static void test_gripper_opens(void** state) {
  (void)state;
  hfModel* m = load_own("wsg50");
  hfSim* sim = NULL;
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_sim_create(&sim, m, &config, NULL), HF_OK);
  hfState* s = hf_state_create(m);
  hfInput* in = hf_input_create(m);
  hfStepReport report;
  in->ctrl[0] = -20;
  for (int k = 0; k < 500; ++k) assert_int_equal(hf_sim_step(sim, s, in, &report, NULL), HF_OK);
  assert_near(hf_state_q(s)[0], -0.055, 1e-4);
  assert_near(hf_state_q(s)[1], 0.055, 1e-4);
  assert_near(hf_sim_sensors(sim)[0], 0.11, 2e-4);
  hf_input_free(in);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(m);
}

// Bottle and mug stand: dropped from nearly no height they rest upright, and the table carries their weight.
static void test_things_stand(void** state) {
  (void)state;
  static const char* const things[] = {"bottle", "mug"};
  for (int i = 0; i < 2; ++i) {
    char xml[1024];
    snprintf(xml, sizeof xml,
             "<mujoco><asset><model name='t' file='table.xml'/><model name='o' "
             "file='%s.xml'/></asset><worldbody>"
             "<attach model='t' prefix='t_'/><attach model='o' prefix='o_'/></worldbody></mujoco>",
             things[i]);
    hfModel* m = parse_model_in(xml, HF_SOURCE_DIR "/models");
    hfSim* sim = NULL;
    hfSimConfig config = hf_sim_config_default();
    assert_int_equal(hf_sim_create(&sim, m, &config, NULL), HF_OK);
    hfState* s = hf_state_create(m);
    hf_state_mutable_q(s)[2] = 0.001;
    hfStepReport report;
    for (int k = 0; k < 500; ++k) assert_int_equal(hf_sim_step(sim, s, NULL, &report, NULL), HF_OK);
    hfVec3 normal, friction;
    int body = m->nbody - 1;
    assert_at_least(hf_sim_pair_force(sim, body, HF_ANY_BODY, &normal, &friction), 3);
    assert_near(normal.z + friction.z, 9.81 * hf_model_body_mass(m)[body], 1e-5);
    assert_near(fabs(hf_state_q(s)[3]), 1, 1e-6); // upright
    assert_near(hf_state_q(s)[2], 0, 1e-5);
    hf_state_free(s);
    hf_sim_free(sim);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iiwa14),          cmocka_unit_test(test_iiwa7),
      cmocka_unit_test(test_equipped),
      cmocka_unit_test(test_gripper_inertia), cmocka_unit_test(test_gripper_opens),
      cmocka_unit_test(test_things_stand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
