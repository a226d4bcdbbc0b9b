// Robots and bodies that move fast: they meet each other as slow ones do, and they meet a wall as anything else.
#include "step/world/world.h"
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

static const char* const robot =
  "<body name='base' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/>"
  "<body pos='.13 0 0'><joint name='lid' type='hinge' axis='0 1 0' pos='0 0 -.1'/><geom type='box' size='.01 .08 .08' mass='.2'/></body>"
  "<body pos='0 .13 0'><joint name='slide' type='slide' axis='0 1 0'/><geom type='sphere' size='.02' mass='.1'/></body></body>";

static hfModel* make_model(const char* others) {
  char xml[2000];
  snprintf(xml, sizeof xml, "<mujoco><option gravity='0 0 0'><flag filterparent='disable'/></option><worldbody>%s%s</worldbody></mujoco>", robot, others);
  return parse_model(xml);
}

// The lid closes and the sphere meets the base, while all of it flies along y at a speed.
static simWorld fly(const char* others, double speed, double time) {
  hfSimConfig config = hf_sim_config_default();
  config.step = 1e-3;
  simWorld w = sim_world_with(make_model(others), &config);
  double* v = sim_v(&w);
  v[1] = speed, v[6] = -0.3, v[7] = -0.2;
  sim_world_step(&w, (int)lround(time / config.step));
  return w;
}

// Uniform motion changes nothing. Positions of 10 m have rounding errors of 1e-15 m, which forces of 1e6 N/m and 0.1 kg bring to 1e-8 m/s at most in a step.
static void test_speed_changes_nothing(void** state) {
  (void)state;
  simWorld rest = fly("", 0, 0.5), fast = fly("", 20, 0.5);
  assert_above(sim_v(&rest)[6], -0.29); // both links have met the base
  assert_above(sim_v(&rest)[7], -0.19);
  for (int i = 7; i < 9; ++i) assert_below(fabs(sim_q(&fast)[i] - sim_q(&rest)[i]), 1e-6);
  for (int i = 3; i < 8; ++i) assert_below(fabs(sim_v(&fast)[i] - sim_v(&rest)[i]), 1e-5);
  sim_world_free(&rest);
  sim_world_free(&fast);
}

// A rotor turns by 12 degrees in a step, beside a post that it passes at a distance of a centimetre. Nothing touches, so that nothing stops the robot, however fast it is,
// and whether a free joint, slides of its first body or slides of bodies of their own carry it.
static void test_rotor_of_a_fast_robot(void** state) {
  (void)state;
  static const char x[] = "<joint type='slide' axis='1 0 0'/>", y[] = "<joint type='slide' axis='0 1 0'/>", frame[] = "<body>%s<geom size='.01' contype='0' conaffinity='0'/>";
  static const char parts[] = "<geom type='box' size='.2 .2 .02'/><geom type='box' size='.02 .02 .15' pos='.13 0 .15'/>"
                              "<body pos='0 0 .1'><joint axis='0 0 1'/><geom type='box' size='.1 .01 .01' mass='.1'/></body>";
  static const double speeds[] = {0, 30, 600};
  for (int k = 0; k < 9; ++k) {
    char carriers[3][400], xml[2000], first[200];
    double speed = speeds[k % 3];
    snprintf(first, sizeof first, frame, x);
    snprintf(carriers[0], sizeof carriers[0], "<body><freejoint/>");
    snprintf(carriers[1], sizeof carriers[1], "<body>%s%s<joint axis='0 0 1'/>", x, y);
    snprintf(carriers[2], sizeof carriers[2], "%s<body>%s", first, y);
    snprintf(xml, sizeof xml, "<mujoco><option gravity='0 0 0' timestep='0.002'><flag filterparent='disable'/></option><worldbody>%s%s</body>%s</worldbody></mujoco>", carriers[k / 3], parts, k / 3 == 2 ? "</body>" : "");
    hfSimConfig config = hf_sim_config_default();
    simWorld w = sim_world_with(parse_model(xml), &config);
    int nq = w.model->nq, nv = w.model->nv;
    sim_v(&w)[0] = 0.6 * speed, sim_v(&w)[1] = 0.8 * speed, sim_v(&w)[nv - 1] = 100;
    sim_world_step(&w, 500);
    assert_below(fabs(sim_q(&w)[0] - 0.6 * speed), 1e-9); // after a second; positions of 500 m are rounded by 1e-13 m
    assert_below(fabs(sim_q(&w)[nq - 1] - 100), 1e-6);
    sim_world_free(&w);
  }
}

static void test_walls_count(void** state) {
  (void)state;
  simWorld w = fly("<geom type='box' size='1 .05 1' pos='0 2 1'/>", 20, 0.3);
  assert_below(sim_q(&w)[1], 1.95);
  sim_world_free(&w);
}

// An arm on a fixed post turns about z, and carries a plate that slides along z towards a box of the arm, 20 mm below it.
static hfModel* make_arm(void) {
  return parse_model("<mujoco><option gravity='0 0 0'><flag filterparent='disable'/></option><worldbody><geom type='cylinder' size='.05 .2'/>"
                     "<body><joint axis='0 0 1'/><geom type='box' size='.1 .05 .05' pos='.5 0 0'/>"
                     "<body pos='.5 0 .08'><joint type='slide' axis='0 0 1'/><geom type='box' size='.08 .04 .01' mass='.2'/></body></body></worldbody></mujoco>");
}

// How many points are found of a model whose dof moves at `speed`.
static int count_found(hfModel* m, int dof, double speed) {
  hfiWorldConfig config = {.max_contacts = 100, .scene_signals = 1, .drive_law = -1};
  hfiWorld* world = NULL;
  hfError error;
  assert_int_equal(hfi_world_create(&world, m, &config, &error), HF_OK);
  hfState* s = hf_state_create(m);
  hf_state_mutable_v(s)[dof] = speed;
  hfi_world_place(world, hf_state_q(s), NULL);
  hf_dynamics_set_velocity(&world->dynamics, hf_state_v(s));
  hfi_near_find(&world->near, 0, 2e-3, NULL);
  int count = world->near.nfound;
  hf_state_free(s);
  hfi_world_free(world);
  hf_model_free(m);
  return count;
}

// The arm moves box and plate by 0.1 m in a step of 2 ms, but not towards each other. Where the plate comes nearer by 30 mm, they are looked at.
static void test_links_of_an_arm_that_turns_are_not_near(void** state) {
  (void)state;
  assert_int_equal(count_found(make_arm(), 0, 100), 0);
  assert_above(count_found(make_arm(), 1, -15), 0);
}

// The axis of the arm is along the slide, so that the plate falls onto the box, and stops there, as on an arm that rests. Sums of 1e6 N/m times positions that are rounded by 1e-16 m
// differ in the last digits.
static void test_links_of_an_arm_that_turns_meet(void** state) {
  (void)state;
  double end[2];
  for (int k = 0; k < 2; ++k) {
    hfSimConfig config = hf_sim_config_default();
    config.step = 2e-3;
    simWorld w = sim_world_with(make_arm(), &config);
    sim_v(&w)[0] = k ? 100 : 0, sim_v(&w)[1] = -1.7;
    double deepest = 0;
    for (int i = 0; i < 50; ++i) sim_world_step(&w, 1), deepest = fmin(deepest, sim_q(&w)[1]);
    assert_above(deepest, -0.021); // 1 mm is less than the 3.4 mm of a step
    assert_above(sim_v(&w)[1], -1e-3);
    end[k] = deepest;
    sim_world_free(&w);
  }
  assert_below(fabs(end[1] - end[0]), 1e-9);
}

// Two free boxes 20 mm apart along x, whose geoms are not at their origins.
static hfModel* make_boxes(void) {
  return parse_model(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='.1 .1 .1' pos='0 0 .2' mass='1'/></body>"
      "<body pos='.22 0 0'><freejoint/><geom type='box' size='.1 .1 .1' pos='0 0 .2' mass='1'/></body></worldbody></mujoco>");
}

// The boxes meet as boxes do that fly slowly. Positions of 10 m have rounding errors of 1e-15 m, which forces of 1e6 N/m and 1 kg bring to 1e-9 m/s at most in a step.
static void test_bodies_side_by_side_meet(void** state) {
  (void)state;
  double end[2];
  for (int k = 0; k < 2; ++k) {
    hfSimConfig config = hf_sim_config_default();
    config.step = 2e-3;
    simWorld w = sim_world_with(make_boxes(), &config);
    sim_v(&w)[1] = sim_v(&w)[7] = k ? 20 : 0, sim_v(&w)[0] = 0.5;
    sim_world_step(&w, 250);
    end[k] = sim_q(&w)[7] - sim_q(&w)[0];
    assert_above(end[k], 0.199); // They have met and pushed each other.
    assert_below(sim_v(&w)[0], 0.4);
    sim_world_free(&w);
  }
  assert_below(fabs(end[1] - end[0]), 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_speed_changes_nothing),
      cmocka_unit_test(test_rotor_of_a_fast_robot),
      cmocka_unit_test(test_walls_count),
      cmocka_unit_test(test_links_of_an_arm_that_turns_are_not_near),
      cmocka_unit_test(test_links_of_an_arm_that_turns_meet),
      cmocka_unit_test(test_bodies_side_by_side_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
