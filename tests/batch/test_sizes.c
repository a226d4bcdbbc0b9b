// Sizes of geoms as parameters. The oracle is another model: one that has these sizes in its file, with the same masses, gives the same bits.
#include "batch/worlds.h"


#include <stdio.h>

enum { WORLDS = 5, STEPS = 300, SHAPES = 5 };

static const char* const shapes[SHAPES] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};

// Things of one shape fall onto a plane and onto each other, beside a rod on a hinge; scale multiplies their sizes. `pile`: so many that not all pairs are
// candidates for good.
static hfModel* make_model(const char* shape, double scale, int pile) {
  static char text[1 << 17];
  int n = pile ? 140 : 4, at = snprintf(text, sizeof text, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1.5'><joint axis='0 1 0'/>"
                                                           "<geom type='capsule' size='.02 .3' pos='.3 0 0' quat='1 0 1 0' mass='1'/></body>");
  for (int i = 0; i < n; ++i)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='%.3f %.3f %.3f'><freejoint/><inertial pos='0 0 0' mass='0.5' diaginertia='.001 .0012 .0014'/><geom type='%s' size='%.17g %.17g %.17g'/></body>",
                   0.01 * (i % 3) + (pile ? 0.3 * (i % 12) : 0), pile ? 0.3 * (i / 12) : 0.02 * (i % 2), pile ? 0.1 : 0.08 + 0.2 * i, shape, 0.05 * scale, 0.06 * scale, 0.04 * scale);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  hfModel* m = NULL;
  hfError error;
  if (hf_model_parse(&m, text, strlen(text), "sizes.xml", NULL, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

static double scale_of(int world) { return 0.7 + 0.2 * world; }

// The state that a sim of the model itself reaches.
static hfState* run_alone(const hfModel* m, int steps) {
  hfSim* sim = NULL;
  hfError error;
  hfState* s = hf_state_create(m);
  assert_int_equal(hf_sim_create(&sim, m, NULL, &error), HF_OK);
  for (int i = 0; i < steps; ++i) assert_at_least(hf_sim_step(sim, s, NULL, NULL, &error), 0);
  hf_sim_free(sim);
  return s;
}

static void scale_sizes(double* size, const hfModel* m, double scale) {
  for (int g = 2; g < m->ngeom; ++g) // behind the plane and the rod
    for (int k = 0; k < 3; ++k) size[3 * g + k] = (const double[]){0.05, 0.06, 0.04}[k] * scale;
}

// Worlds of one batch, whose sims take turns, have the bits of models of their own.
static void check_batch(const char* shape, int pile, int steps) {
  hfModel* base = make_model(shape, 1, pile);
  hfError error;
  hfBatch* b = make_method_batch(base, WORLDS, 2, -1);
  assert_int_equal(hf_batch_reset(b, NULL, -1, &error), HF_OK);
  for (int w = 0; w < WORLDS; ++w) scale_sizes(tensor_row(hf_batch_param(b, HF_FIELD_geom_size), w), base, scale_of(w));
  if (hf_batch_update(b, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_batch_step(b, steps, NULL, &error) < 0) fail_msg("%s", error.message);
  for (int w = 0; w < WORLDS; ++w) {
    hfModel* own = make_model(shape, scale_of(w), pile);
    hfState *wanted = run_alone(own, steps), *got = hf_state_create(base);
    assert_int_equal(hf_batch_get_state(b, w, got, &error), HF_OK);
    assert_memory_equal(hf_state_q(got), hf_state_q(wanted), sizeof(double) * (size_t)own->nq);
    assert_memory_equal(hf_state_v(got), hf_state_v(wanted), sizeof(double) * (size_t)own->nv);
    hf_state_free(got), hf_state_free(wanted);
    hf_model_free(own);
  }
  hf_batch_free(b);
  hf_model_free(base);
}

static void test_worlds_have_the_bits_of_models(void** state) {
  (void)state;
  for (int i = 0; i < SHAPES; ++i) check_batch(shapes[i], 0, STEPS);
}

static void test_piles_have_the_bits_of_models(void** state) {
  (void)state;
  check_batch("box", 1, 20);
  check_batch("sphere", 1, 20);
}

// A sim that has lists of near pairs and memories of contacts already takes new sizes at its next step, and old ones again.
static void test_sizes_change_between_steps(void** state) {
  (void)state;
  for (int i = 0; i < SHAPES; ++i) {
    hfModel *base = make_model(shapes[i], 1, 0), *wide = make_model(shapes[i], 1.3, 0);
    hfParams* params = NULL;
    hfSim *sim = NULL, *fresh = NULL;
    hfError error;
    assert_int_equal(hf_params_create(&params, base, &error), HF_OK);
    assert_int_equal(hf_sim_create(&sim, hf_params_model(params), NULL, &error), HF_OK);
    hfState *s = run_alone(base, STEPS), *t = hf_state_create(base);
    for (int turn = 0; turn < 4; ++turn) {
      const hfModel* now = turn % 2 ? wide : base;
      scale_sizes(hf_params_field(params, HF_FIELD_geom_size), base, turn % 2 ? 1.3 : 1);
      assert_int_equal(hf_params_update(params, &error), HF_OK);
      assert_memory_equal(hf_model_geom_rbound(hf_params_model(params)), hf_model_geom_rbound(now), sizeof(double) * (size_t)base->ngeom);
      memcpy(t, s, (size_t)s->size);
      assert_int_equal(hf_sim_create(&fresh, now, NULL, &error), HF_OK);
      for (int k = 0; k < 20; ++k) {
        assert_at_least(hf_sim_step(sim, s, NULL, NULL, &error), 0);
        assert_at_least(hf_sim_step(fresh, t, NULL, NULL, &error), 0);
      }
      assert_memory_equal(hf_state_q(s), hf_state_q(t), sizeof(double) * (size_t)base->nq);
      hf_sim_free(fresh);
    }
    hf_state_free(s), hf_state_free(t);
    hf_sim_free(sim);
    hf_params_free(params);
    hf_model_free(base), hf_model_free(wide);
  }
}

// A ball rests with its centre one radius above the floor.
static void test_a_ball_rests_on_its_radius(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .3'><joint type='slide' axis='0 0 1'/><geom name='ball' size='.1' mass='1'/></body></worldbody></mujoco>";
  hfModel* m = NULL;
  hfError error;
  hfParams* params = NULL;
  hfSim* sim = NULL;
  assert_int_equal(hf_model_parse(&m, text, strlen(text), "ball.xml", NULL, NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_params_create(&params, m, &error), HF_OK);
  hf_params_field(params, HF_FIELD_geom_size)[3] = 0.2;
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  assert_int_equal(hf_sim_create(&sim, hf_params_model(params), NULL, &error), HF_OK);
  hfState* s = hf_state_create(m);
  for (int i = 0; i < 2000; ++i) assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_OK);
  assert_below(fabs(hf_state_q(s)[0] + 0.3 - 0.2), 1e-4); // but for the depth that carries its weight
  hf_params_field(params, HF_FIELD_geom_size)[3] = -1;
  assert_below(hf_params_update(params, &error), 0);
  assert_non_null(strstr(error.message, "parameter geom_size[1, 0] = -1: it must be positive"));
  assert_true(hf_model_geom_size(hf_params_model(params))[3] == 0.2);
  hf_params_field(params, HF_FIELD_geom_size)[3] = 0.2;
  hf_params_field(params, HF_FIELD_geom_rbound)[0] = 7; // a plane has no bounds, whatever somebody writes
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  assert_true(hf_model_geom_rbound(hf_params_model(params))[0] == 0);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_params_free(params);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds_have_the_bits_of_models), cmocka_unit_test(test_piles_have_the_bits_of_models),
                                     cmocka_unit_test(test_sizes_change_between_steps), cmocka_unit_test(test_a_ball_rests_on_its_radius)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
