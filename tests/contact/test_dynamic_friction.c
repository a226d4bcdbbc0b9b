// The dynamic coefficient of friction: Coulomb's |ft| = mu fn says which coefficient acts on a ball that slides without
// turning, and hfSimConfig.static_speed from which slip on it is the dynamic one.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>

static const double MU_STATIC = 0.5, MU_DYNAMIC = 0.2, STICTION_SPEED = 1e-3;
static const char BALL[] =
    "<mujoco><custom><numeric name='hf.stiction_speed' data='1e-3'/></custom><worldbody>"
    "<geom type='plane' size='0 0 1' friction='0.5'/><body pos='0 0 0.0999'><joint type='slide' axis='1 0 0'/>"
    "<joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1' mass='1' friction='0.5'/></body></worldbody>"
    "</mujoco>";

// |ft|/fn after 20 ms at about `speed`.
static double acting_coefficient(int method, int friction, double static_speed, double speed) {
  hfModel* m = parse_model(BALL);
  hfParams* params = NULL;
  assert_int_equal(hf_params_create(&params, m, NULL), HF_OK);
  for (int i = 0; i < m->ngeom; ++i) hf_params_field(params, HF_FIELD_geom_friction_dynamic)[i] = MU_DYNAMIC;
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
  hfSimConfig config = hf_sim_config_default();
  config.method = method, config.friction = friction, config.step = 1e-3, config.static_speed = static_speed;
  simWorld w = {.model = m};
  hfError error = {HF_OK, ""};
  if (hf_sim_create(&w.sim, hf_params_model(params), &config, &error) != HF_OK) fail_msg("%s", error.message);
  w.state = hf_state_create(m);
  w.input = hf_input_create(m);
  sim_v(&w)[0] = speed;
  sim_world_step(&w, 20);
  assert_int_equal(hf_sim_contact_count(w.sim), 1);
  hfContact c = hf_sim_contact(w.sim, 0);
  assert_above(c.fn, 0);
  double mu = fabs(c.ft.x) / c.fn;
  hf_sim_free(w.sim), w.sim = NULL;
  hf_params_free(params);
  sim_world_free(&w);
  return mu;
}

// 20 ms of friction take less than 0.1 m/s of the speed: it stays above or below the limit all the time.
static void check(int method, int friction) {
  const double tolerance = 1e-6; // to which the step is solved; anchored springs reach their bound by then
  assert_near(acting_coefficient(method, friction, 10, 1), MU_DYNAMIC, tolerance);
  assert_near(acting_coefficient(method, friction, 2 / STICTION_SPEED, 1), MU_STATIC, tolerance);
  assert_near(acting_coefficient(method, friction, 0.2 / STICTION_SPEED, 1), MU_DYNAMIC, tolerance);
  assert_near(acting_coefficient(method, friction, 0, 1), MU_DYNAMIC, tolerance);
}

static void test_discrete(void** state) {
  (void)state;
  check(HF_METHOD_TAMSI, HF_FRICTION_REGULARISED);
  check(HF_METHOD_TAMSI, HF_FRICTION_ANCHORED);
}

// In continuous time the coefficient falls between one and two times the limit, so that the force has no jump.
static void test_continuous(void** state) {
  (void)state;
  check(HF_METHOD_RK3, HF_FRICTION_REGULARISED);
  check(HF_METHOD_SDIRK, HF_FRICTION_REGULARISED);
  double mu = acting_coefficient(HF_METHOD_RK3, HF_FRICTION_REGULARISED, 0.65 / STICTION_SPEED, 1);
  assert_above(mu, MU_DYNAMIC + 0.05);
  assert_below(mu, MU_STATIC - 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_discrete), cmocka_unit_test(test_continuous)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
