// States: copies that go on alike, joints and bodies by name.
#include "support/cmocka_all.h"
#include "support/near.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='cup' pos='0 0 .1'><freejoint name='fly'/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='elbow' axis='0 1 0'/><geom size='.05' pos='.3 0 0' mass='1'/>"
    "<body name='hand' pos='.5 0 0'><joint name='wrist' type='ball'/><geom size='.05' mass='1'/></body></body>"
    "<body name='marker' mocap='true' pos='0 0 2'/></worldbody></mujoco>";

static hfModel* parse(void) {
  hfModel* m = NULL;
  hfError error;
  if (hf_model_parse(&m, scene, strlen(scene), "scene", ".", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

static void step(const hfModel* m, hfState* s, int n) {
  hfSim* sim = NULL;
  hfError error;
  assert_int_equal(hf_sim_create(&sim, m, NULL, &error), HF_OK);
  for (int i = 0; i < n; ++i) assert_at_least(hf_sim_step(sim, s, NULL, NULL, &error), 0);
  hf_sim_free(sim);
}

// A copy in the midst of contact goes on with the same bits, also in a state with room for more contacts.
static void test_copies_go_on_alike(void** state) {
  (void)state;
  hfModel* m = parse();
  hfState* s = hf_state_create(m);
  hf_state_mutable_v(s)[0] = 0.5; // slides, so that contacts remember something
  step(m, s, 50);
  assert_above(s->nmemory, 0);
  hfState *clone = hf_state_clone(s), *roomy = hf_state_init(aligned_alloc(64, hf_state_size(m, 500)), m, 500);
  hfError error;
  assert_memory_equal(clone, s, s->size);
  assert_int_equal(hf_state_copy(roomy, s, &error), HF_OK);
  assert_int_equal(roomy->max_memory, 500);
  step(m, s, 50), step(m, clone, 50), step(m, roomy, 50);
  assert_memory_equal(clone, s, s->size);
  assert_memory_equal(hf_state_q(roomy), hf_state_q(s), sizeof(double) * (size_t)m->nq);
  assert_memory_equal(hf_state_memory(roomy), hf_state_memory(s), sizeof(hfContactMemory) * (size_t)s->nmemory);
  hf_state_free(clone), hf_state_free(roomy), hf_state_free(s);
  hf_model_free(m);
}

static void test_copies_that_do_not_fit_are_refused(void** state) {
  (void)state;
  hfModel *m = parse(), *other = NULL;
  const char small[] = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>";
  assert_int_equal(hf_model_parse(&other, small, strlen(small), "small", ".", NULL, NULL, NULL), HF_OK);
  hfState *s = hf_state_create(m), *little = hf_state_create(other);
  hfState* narrow = hf_state_init(aligned_alloc(64, hf_state_size(m, 1)), m, 1);
  step(m, s, 5);
  assert_above(s->nmemory, 1);
  hfError error;
  hfState* before = hf_state_clone(narrow);
  assert_int_equal(hf_state_copy(little, s, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "different models"));
  assert_int_equal(hf_state_copy(narrow, s, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "room for 1"));
  assert_memory_equal(narrow, before, before->size);
  hf_state_free(before), hf_state_free(narrow), hf_state_free(little), hf_state_free(s);
  hf_model_free(other), hf_model_free(m);
}

static void test_joints_by_name(void** state) {
  (void)state;
  hfModel* m = parse();
  hfState* s = hf_state_create(m);
  hfError error;
  double q[7], v[6], angle = 0.3, rate = -2, turn[4] = {0, 0, 3, 4}, spin[3] = {1, 2, 3};
  assert_int_equal(hf_state_set_joint(s, m, "elbow", &angle, &rate, &error), HF_OK);
  assert_int_equal(hf_state_set_joint(s, m, "wrist", turn, spin, &error), HF_OK);
  assert_true(hf_state_q(s)[7] == 0.3 && hf_state_v(s)[6] == -2);
  assert_int_equal(hf_state_get_joint(s, m, "wrist", q, v, &error), HF_OK);
  assert_near(q[2], 0.6, 1e-15), assert_near(q[3], 0.8, 1e-15); // made a unit quaternion
  assert_true(q[0] == 0 && q[1] == 0 && v[0] == 1 && v[1] == 2 && v[2] == 3);
  assert_int_equal(hf_state_set_joint(s, m, "elbow", NULL, &angle, &error), HF_OK);
  assert_int_equal(hf_state_get_joint(s, m, "elbow", q, v, &error), HF_OK);
  assert_true(q[0] == 0.3 && v[0] == 0.3);
  hfState* before = hf_state_clone(s);
  double nan = NAN, zero[4] = {0, 0, 0, 0};
  assert_int_equal(hf_state_set_joint(s, m, "knee", &angle, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no joint \"knee\""));
  assert_int_equal(hf_state_get_joint(s, m, "knee", q, NULL, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_state_set_joint(s, m, "elbow", &angle, &nan, &error), HF_ERROR_NONFINITE);
  assert_int_equal(hf_state_set_joint(s, m, "wrist", zero, NULL, &error), HF_ERROR_ARGUMENT);
  assert_memory_equal(s, before, s->size);
  hf_state_free(before), hf_state_free(s);
  hf_model_free(m);
}

// A quarter turn about z: the angular velocity about the world's x is about the body's -y.
static void test_bodies_by_name(void** state) {
  (void)state;
  hfModel* m = parse();
  hfState* s = hf_state_create(m);
  hfSim* sim = NULL;
  hfError error;
  assert_int_equal(hf_sim_create(&sim, m, NULL, &error), HF_OK);
  hfPose X = {{{0, -1, 0, 1, 0, 0, 0, 0, 1}}, {1, 2, 3}}, got;
  hfMotion V = {{5, 0, 0}, {0, 0, 7}}, moves;
  assert_int_equal(hf_state_set_body(s, m, "cup", &X, &V, &error), HF_OK);
  const double *q = hf_state_q(s), *v = hf_state_v(s), half = sqrt(0.5);
  assert_true(q[0] == 1 && q[1] == 2 && q[2] == 3 && v[2] == 7);
  assert_near(q[3], half, 1e-15), assert_near(q[6], half, 1e-15);
  assert_near(v[3], 0, 1e-14), assert_near(v[4], -5, 1e-14), assert_near(v[5], 0, 1e-14);
  assert_int_equal(hf_sim_evaluate(sim, s, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_get_body(sim, s, "cup", &got, &moves, &error), HF_OK);
  for (int i = 0; i < 9; ++i) assert_near(got.R.m[i], X.R.m[i], 1e-15);
  assert_near(got.p.z, 3, 0), assert_near(moves.w.x, 5, 1e-14), assert_near(moves.v.z, 7, 1e-14);
  assert_int_equal(hf_sim_get_body(sim, s, "hand", &got, NULL, &error), HF_OK);
  assert_near(got.p.x, 1.5, 1e-15), assert_near(got.p.z, 1, 1e-15);
  hfState* before = hf_state_clone(s);
  assert_int_equal(hf_state_set_body(s, m, "arm", &X, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no free joint"));
  assert_int_equal(hf_state_set_body(s, m, "marker", &X, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "mocap"));
  assert_int_equal(hf_state_set_body(s, m, "cap", &X, NULL, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_sim_get_body(sim, s, "cap", &got, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no body \"cap\""));
  X.p.x = INFINITY;
  assert_int_equal(hf_state_set_body(s, m, "cup", &X, NULL, &error), HF_ERROR_NONFINITE);
  for (int i = 0; i < 9; ++i) { // neither NaN nor a number that makes it no rotation hides behind the others
    hfPose bad = {{{0, -1, 0, 1, 0, 0, 0, 0, 1}}, {1, 2, 3}};
    bad.R.m[i] = NAN;
    assert_int_equal(hf_state_set_body(s, m, "cup", &bad, NULL, &error), HF_ERROR_NONFINITE);
    bad.R.m[i] = 0.5;
    assert_int_equal(hf_state_set_body(s, m, "cup", &bad, NULL, &error), HF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "no rotation"));
  }
  static const hfMat3 none[] = {{{0}}, {{1, 0, 0, 0, 1, 0, 0, 0, -1}}}; // a mirror image has products of columns as a rotation has
  for (int i = 0; i < 2; ++i) assert_int_equal(hf_state_set_body(s, m, "cup", &(hfPose){none[i], {1, 2, 3}}, NULL, &error), HF_ERROR_ARGUMENT);
  assert_memory_equal(s, before, s->size);
  hf_state_free(before), hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(m);
}

// After a step of any method and friction law, poses are those of its end.
static void test_poses_are_those_of_the_end_of_a_step(void** state) {
  (void)state;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER};
  hfModel* m = parse();
  for (int i = 0; i < 4; ++i)
    for (int friction = HF_FRICTION_REGULARISED; friction <= HF_FRICTION_ANCHORED; ++friction) {
      hfSimConfig config = hf_sim_config_default();
      config.method = methods[i], config.friction = friction, config.step = 1e-4;
      hfSim* sim = NULL;
      hfError error;
      hfState* s = hf_state_create(m);
      hf_state_mutable_q(s)[2] = 0.5;
      hf_state_mutable_v(s)[0] = 3;
      assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
      hfPose X;
      hfMotion V;
      assert_int_equal(hf_sim_get_body(sim, s, "cup", &X, NULL, &error), HF_ERROR_ARGUMENT);
      assert_non_null(strstr(error.message, "not at this state"));
      for (int k = 0; k < 3; ++k) assert_at_least(hf_sim_step(sim, s, NULL, NULL, &error), 0);
      assert_int_equal(hf_sim_get_body(sim, s, "cup", &X, &V, &error), HF_OK);
      assert_true(X.p.x == hf_state_q(s)[0] && X.p.z == hf_state_q(s)[2]);
      assert_true(V.v.x == hf_state_v(s)[0] && V.v.z == hf_state_v(s)[2]);
      hf_sim_free(sim);
      hf_state_free(s);
    }
  hf_model_free(m);
}

// The capacity is planned from shapes: the state of a hand with a mug is small, and a tower of 30 boxes, which has 336 contacts at
// once, is remembered as a whole.
static void test_memory_is_planned(void** state) {
  (void)state;
  hfModel *hand = NULL, *tower = NULL;
  assert_int_equal(hf_model_load(&hand, HF_SOURCE_DIR "/models/allegro_mug.xml", NULL, NULL, NULL), HF_OK);
  assert_int_equal(hf_model_load(&tower, HF_SOURCE_DIR "/tests/scenes/tower.xml", NULL, NULL, NULL), HF_OK);
  assert_at_most(hf_state_size(hand, hf_state_memory_default(hand)), 8192);
  hfSim* sim = NULL;
  hfStepReport report = {0};
  hfState* s = hf_state_create(tower);
  assert_int_equal(hf_sim_create(&sim, tower, NULL, NULL), HF_OK);
  for (int i = 0; i < 5; ++i) assert_int_equal(hf_sim_step(sim, s, NULL, &report, NULL), HF_OK);
  assert_int_equal(report.ncontact, 336);
  assert_int_equal(s->nmemory, 336);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(tower);
  hf_model_free(hand);
}

// Bytes of a state make another one go on alike; fewer bytes, those of another capacity and broken headers are refused and change nothing.
static void test_bytes(void** state) {
  (void)state;
  hfModel* m = parse();
  hfState *a = hf_state_create(m), *b = hf_state_create(m), *wrong = hf_state_clone(a);
  void* memory = malloc(hf_state_size(m, a->max_memory + 1));
  hfState* larger = hf_state_init(memory, m, a->max_memory + 1);
  hfError error;
  hf_state_mutable_q(a)[2] = 7;
  assert_int_equal(hf_state_assign(b, a, a->size, &error), HF_OK);
  assert_memory_equal(a, b, a->size);
  wrong->nmemory = wrong->max_memory + 1;
  assert_int_equal(hf_state_assign(b, wrong, wrong->size, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_state_assign(b, a, a->size - 1, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_state_assign(b, a, 3, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_state_assign(b, larger, larger->size, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "are no state of this model and capacity"));
  assert_memory_equal(a, b, a->size);
  hf_state_free(a), hf_state_free(b), hf_state_free(wrong), free(memory);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies_go_on_alike),
      cmocka_unit_test(test_copies_that_do_not_fit_are_refused),
      cmocka_unit_test(test_joints_by_name),
      cmocka_unit_test(test_bodies_by_name),
      cmocka_unit_test(test_poses_are_those_of_the_end_of_a_step),
      cmocka_unit_test(test_memory_is_planned),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
