// Steps and differences on the configuration manifold.
#include "dynamics/trees.h"

// Difference undoes a step while no rotation exceeds half a turn.
static void check_inverse(World* w, testRandom* r) {
  const double h = random_uniform(r, 0.01, 1);
  double q[MAX_DOF + 16], v[MAX_DOF];
  memcpy(q, w->q, sizeof q);
  hf_model_integrate(w->model, q, w->v, h);
  hf_model_difference(w->model, w->q, q, h, v);
  // coordinates of order one over h >= 0.01
  for (int i = 0; i < w->model->nv; ++i) assert_near(v[i], w->v[i], 1e-13 / h);
}

static void test_difference_inverts_integrate(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_inverse);
}

// A quaternion and its negative are one orientation: the difference is the same, and the short way.
static void test_difference_is_shortest(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  const double com[3] = {0, 0, 0}, moments[3] = {1, 1, 1};
  add_plain_joint(b, add_inertial_body(b, 0, 1, com, moments), HF_JOINT_BALL);
  World w = world_finish(b);
  double q0[4], q1[4], v[3];
  q_store(q0, q_from_axis_angle(v3(0, 0, 1), 0.2));
  q_store(q1, q_from_axis_angle(v3(0, 0, 1), 0.2 + 1.75 * HFI_PI));
  hf_model_difference(w.model, q0, q1, 0.5, v);
  assert_vec_near(v3_load(v), v3(0, 0, -0.25 * HFI_PI / 0.5), 1e-14);
  for (int i = 0; i < 4; ++i) q1[i] *= -3; // nor need it have unit length
  hf_model_difference(w.model, q0, q1, 0.5, v);
  assert_vec_near(v3_load(v), v3(0, 0, -0.25 * HFI_PI / 0.5), 1e-14);
  world_free(&w);
}

// Constant angular velocity in the body: many steps and one step reach the same orientation, of unit length.
static void test_steps_compose(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  const double com[3] = {0, 0, 0}, moments[3] = {1, 1, 1}, v[6] = {1, -2, 3, 0.5, -1.5, 2};
  add_plain_joint(b, add_inertial_body(b, 0, 1, com, moments), HF_JOINT_FREE);
  World w = world_finish(b);
  double once[7], often[7];
  memcpy(once, w.q, sizeof once);
  memcpy(often, w.q, sizeof often);
  hf_model_integrate(w.model, once, v, 2);
  for (int k = 0; k < 1000; ++k) hf_model_integrate(w.model, often, v, 0.002);
  for (int i = 0; i < 7; ++i) assert_near(often[i], once[i], 1e-13); // a thousand roundings
  assert_near(q_norm(q_load(often + 3)), 1, 1e-15);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      tree_test(test_difference_inverts_integrate),
      cmocka_unit_test(test_difference_is_shortest),
      cmocka_unit_test(test_steps_compose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
