// Limits of hinges and slides are looked at several joints at a time, but one by one in a model in which a ball has a limit, too. The same pendulums and
// slides, with and without such a ball beside them, have the same steps and violations to the last bit.
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

enum { JOINTS = 11, STEPS = 1500 }; // The joints do not fill the last lanes.

// Pendulums and slides that fall against their limits at different times. Every third limit has MuJoCo's softness, and one has a margin.
static hfModel* make_model(int has_ball) {
  static char xml[8000];
  int n = snprintf(xml, sizeof xml, "<mujoco><option timestep='0.001'/><worldbody>");
  for (int j = 0; j < JOINTS; ++j)
    n += snprintf(xml + n, sizeof xml - (size_t)n,
                  "<body pos='%d 0 0'><joint type='%s' axis='0 1 %.1f' range='%.2f %.2f' limited='true' damping='0.01' %s margin='%g'/>"
                  "<geom type='sphere' size='0.1' pos='0.3 0 -0.1' contype='0' conaffinity='0'/></body>",
                  j, j % 4 == 3 ? "slide" : "hinge", j % 4 == 3 ? -1. : 0.1, -0.2 - 0.05 * j, 0.1 + 0.1 * j, j % 3 ? "" : "solreflimit='0.01 1'",
                  j == 5 ? 0.02 : 0);
  if (has_ball)
    n += snprintf(xml + n, sizeof xml - (size_t)n,
                  "<body pos='0 5 0'><joint type='ball' range='0 0.3' limited='true'/><geom size='0.1' pos='0.3 0 0' contype='0' conaffinity='0'/></body>");
  snprintf(xml + n, sizeof xml - (size_t)n, "</worldbody></mujoco>");
  return parse_model(xml);
}

static void test_lanes_and_single_joints_have_the_same_bits(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  simWorld lanes = sim_world_with(make_model(0), &config), single = sim_world_with(make_model(1), &config);
  int violated = 0;
  for (int i = 0; i < STEPS; ++i) {
    hfStepReport a, b;
    assert_at_least(hf_sim_step(lanes.sim, lanes.state, NULL, &a, NULL), 0);
    assert_at_least(hf_sim_step(single.sim, single.state, NULL, &b, NULL), 0);
    assert_memory_equal(hf_state_q(lanes.state), hf_state_q(single.state), sizeof(double) * JOINTS);
    assert_memory_equal(&a.violation.limit_distance, &b.violation.limit_distance, sizeof a.violation.limit_distance);
    if (b.violation.limit_angle.id < JOINTS) assert_memory_equal(&a.violation.limit_angle, &b.violation.limit_angle, sizeof a.violation.limit_angle);
    violated += a.violation.limit_angle.amount > 0 && a.violation.limit_distance.amount > 0;
  }
  assert_above(violated, STEPS / 2); // All of them have come to their limits.
  sim_world_free(&lanes), sim_world_free(&single);
}

// Each joint rests at an end of its range. 0.03 rad or m: one limit begins 0.02 before its end, and soft ones yield by some milliradians.
static void test_all_joints_end_at_their_limits(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  simWorld w = sim_world_with(make_model(0), &config);
  for (int i = 0; i < 20000; ++i) assert_at_least(hf_sim_step(w.sim, w.state, NULL, NULL, NULL), 0);
  for (int j = 0; j < JOINTS; ++j) {
    const double *range = hf_model_jnt_range(w.model) + 2 * j, q = hf_state_q(w.state)[j];
    double beyond = fmax(range[0] - q, q - range[1]);
    assert_above(beyond, -0.03);
    assert_below(beyond, 0.03);
  }
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lanes_and_single_joints_have_the_same_bits),
      cmocka_unit_test(test_all_joints_end_at_their_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
