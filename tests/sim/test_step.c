// The step as a whole: determinism, save and restore, refusals, balance of forces.
#include "support/sim_world.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static hfStepReport step(simWorld* w, int n) {
  hfStepReport report = {0};
  hfError error;
  for (int i = 0; i < n; ++i)
    if (hf_sim_step(w->sim, w->state, w->input, &report, &error) != HF_OK)
      fail_msg("step %d: %s", i, error.message);
  return report;
}

// A box, a ball and a two-link arm with limits and a servo, all in contact sooner or later.
static const char kScene[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='2 2 1'/>"
    "<body name='box' pos='0 0 0.11'><freejoint/><geom type='box' size='0.1 0.1 0.1' "
    "mass='1'/></body>"
    "<body name='ball' pos='0.05 0.02 0.4'><freejoint/><geom type='sphere' size='0.05' mass='0.2' "
    "condim='6' friction='0.8 0.01 0.001'/></body>"
    "<body name='upper' pos='0.5 0 0.4'><joint name='a' axis='0 1 0' damping='0.1' limited='true' "
    "range='-1.5 1.5'/><geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.03' mass='0.5'/>"
    "<body pos='0.2 0 0'><joint name='b' axis='0 1 0' frictionloss='0.05'/><geom type='capsule' "
    "fromto='0 0 0 0.2 0 0' size='0.03' mass='0.3'/></body></body>"
    "</worldbody><actuator><position name='hold' joint='b' kp='20' kv='1' forcerange='-5 "
    "5'/></actuator></mujoco>";

static void run_law(int friction, simWorld* w) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = friction;
  *w = sim_world_with(parse_model(kScene), &config);
}

static const int kLaws[] = {HF_FRICTION_REGULARISED, HF_FRICTION_SMOOTH, HF_FRICTION_ANCHORED};

// Two sims give the same bytes; a state saved in mid-run goes on as if it had not been.
static void test_same_bits(void** s) {
  (void)s;
  for (int k = 0; k < 3; ++k) {
    simWorld a, b;
    run_law(kLaws[k], &a), run_law(kLaws[k], &b);
    step(&a, 400);
    const char* path = HF_BINARY_DIR "/test_step.hfs";
    assert_int_equal(hf_state_write(a.state, path, NULL), HF_OK);
    step(&a, 400);
    step(&b, 3); // leaves its sim with other scratch
    assert_int_equal(hf_state_read(b.state, path, NULL), HF_OK);
    step(&b, 400);
    assert_memory_equal(a.state, b.state, a.state->size);
    remove(path);
    sim_world_free(&a), sim_world_free(&b);
  }
}

// A world at rest keeps the contact points of the step before. A sim that has just stepped another state finds them anew: the same bits.
static void test_kept_points_are_those_that_would_be_found(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='2 2 1'/><body pos='0 0 0.101'><freejoint/>"
      "<geom type='box' size='0.1 0.1 0.1' mass='1'/></body><body pos='0.02 0.01 0.252' euler='0 0 20'><freejoint/>"
      "<geom type='box' size='0.06 0.05 0.05' mass='0.3'/></body></worldbody></mujoco>";
  hfSimConfig config = hf_sim_config_default();
  simWorld a = sim_world_with(parse_model(scene), &config), b = sim_world_with(parse_model(scene), &config);
  hfState* start = hf_state_create(a.model);
  int resting = 0;
  assert_non_null(start);
  for (int i = 0; i < 1500; ++i) {
    memcpy(start, a.state, a.state->size);
    hf_state_mutable_q(b.state)[0] += 0.01;
    step(&b, 1);
    memcpy(b.state, start, start->size);
    step(&a, 1), step(&b, 1);
    assert_memory_equal(a.state, b.state, a.state->size);
    assert_int_equal(hf_sim_contact_count(a.sim), hf_sim_contact_count(b.sim));
    resting += memcmp(hf_state_q(start), hf_state_q(a.state), sizeof(double) * (size_t)a.model->nq) == 0;
  }
  assert_above(resting, 500); // from 0.6 s on
  hf_state_free(start);
  sim_world_free(&a), sim_world_free(&b);
}

// At rest the floor carries the weight: to 1e-9, the solver's tolerance of 1e-8 being relative to the
// momentum of a step and typically met with digits to spare.
static void test_weight_is_carried(void** s) {
  (void)s;
  for (int k = 0; k < 3; ++k) {
    hfSimConfig config = hf_sim_config_default();
    config.friction = kLaws[k];
    simWorld w = sim_world_with(
        parse_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='box' pos='0 0 "
              "0.1'><freejoint/>"
              "<geom type='box' size='0.2 0.15 0.1' mass='3'/></body></worldbody></mujoco>"),
        &config);
    step(&w, 1500);
    hfVec3 normal, friction;
    assert_int_equal(hf_sim_pair_force(w.sim, 1, 0, &normal, &friction), 4);
    assert_float_equal(normal.z, 3 * 9.81, 1e-9 * 3 * 9.81);
    // resting depth m g/(n k), k = 5e5 for two geoms of 1e6 in series
    hfContact c = hf_sim_contact(w.sim, 0);
    assert_float_equal(c.depth, 3 * 9.81 / (4 * 5e5), 1e-9);
    sim_world_free(&w);
  }
}

// Gravity of 9e74 m/s^2 makes a ball too fast in its second step of 1 s, whether it flies alone or beside a slider with a damper. The velocities of two balls,
// 9e74 m/s each, are not too large, though the root of the sum of their squares is. No step starts from a velocity that is too large.
static void test_velocities_without_an_energy_are_refused(void** s) {
  (void)s;
  static const char* const beside[] = {"", "<body pos='9 0 0'><joint type='slide' axis='1 0 0' damping='1'/><geom size='.1' mass='.1'/></body>"};
  for (int k = 0; k < 2; ++k) {
    char xml[600];
    hfError error;
    snprintf(xml, sizeof xml,
             "<mujoco><option gravity='0 0 9e74' timestep='1'/><worldbody>"
             "<body pos='3 0 0'><freejoint/><geom size='.1' mass='.1'/></body><body name='ball'><freejoint/><geom size='.1' "
             "mass='.1'/></body>%s</worldbody></mujoco>",
             beside[k]);
    simWorld w = sim_world_with(parse_model(xml), NULL);
    assert_at_least(hf_sim_step(w.sim, w.state, w.input, NULL, &error), 0);
    assert_float_equal(w.state->time, 1, 0);
    hf_state_mutable_v(w.state)[2] = 0;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
    assert_string_equal(error.message, "tree 1: the velocity of body \"ball\" is not finite or above 1e+75 at the end of the step");
    assert_float_equal(w.state->time, 1, 0);
    hf_state_mutable_v(w.state)[8] = -1e76;
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
    assert_string_equal(error.message, "velocity of joint 1 on body \"ball\" is -1e+76: speeds above 1e+75 have no energy that can be computed");
    sim_world_free(&w);
  }
}

static void test_refusals_keep_the_state(void** s) {
  (void)s;
  simWorld w;
  run_law(HF_FRICTION_ANCHORED, &w);
  step(&w, 10);
  hf_state_mutable_v(w.state)[13] = NAN;
  hfState* before = hf_state_create(w.model);
  memcpy(before, w.state, w.state->size);
  hfError error;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "velocity of joint \"b\" on body 4 is not finite");
  assert_memory_equal(before, w.state, w.state->size);
  hf_state_mutable_v(w.state)[13] = 0;
  w.input->ctrl[0] = INFINITY;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "input ctrl[0] of actuator \"hold\" is not finite");
  w.input->ctrl[0] = 0;
  w.state->time = NAN;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the time of the state is not finite");
  w.state->time = 1e17;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "the time of the state, 1e+17 s, is too large: a step of "));
  hf_state_free(before);
  sim_world_free(&w);
}

// Quaternions without a direction, because their squares vanish or overflow, are the identity.
static void test_quaternions_without_a_direction(void** s) {
  (void)s;
  static const double sizes[] = {0, 1e-200, 1e200};
  for (int k = 0; k < 3; ++k) {
    simWorld w = sim_world_make("<mujoco><worldbody><body><freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>", 0, 1e-12);
    for (int i = 3; i < 7; ++i) hf_state_mutable_q(w.state)[i] = sizes[k];
    step(&w, 1);
    const double* q = hf_state_q(w.state);
    assert_true(q[3] == 1 && q[4] == 0 && q[5] == 0 && q[6] == 0);
    sim_world_free(&w);
  }
}

// Three hinges in a row, and three beside each other with a tendon: the same nq, nv and na, but the state of the first has no place for the
// words of three trees and the friction of a tendon.
static void test_a_state_with_the_same_dofs_of_another_model(void** s) {
  (void)s;
  hfModel* chain = parse_model("<mujoco><worldbody><body><joint/><geom size='.1'/><body pos='1 0 0'><joint/><geom size='.1'/>"
                               "<body pos='1 0 0'><joint/><geom size='.1'/></body></body></body></worldbody></mujoco>");
  simWorld w = sim_world_with(
      parse_model("<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body><body pos='1 0 0'><joint/><geom size='.1'/></body>"
                  "<body pos='2 0 0'><joint/><geom size='.1'/></body></worldbody>"
                  "<tendon><fixed frictionloss='1'><joint joint='a' coef='1'/></fixed></tendon></mujoco>"),
      NULL);
  hfState* other = hf_state_create(chain);
  hfError error;
  assert_int_equal(hf_sim_step(w.sim, other, NULL, NULL, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "another model"));
  assert_non_null(strstr(error.message, "1 trees, 0 tendons, 0 delayed numbers, 0 rests; here 3, 3, 0, 3, 1, 0, 0"));
  assert_int_equal(hf_sim_step(w.sim, w.state, NULL, NULL, &error), HF_OK);
  hf_state_free(other);
  hf_model_free(chain);
  sim_world_free(&w);
}

// Steps a copy of the state by a sim that has never stepped. The other one must give the same bits.
static void assert_steps_as_new(hfSim* sim, const hfModel* m, hfState* state, hfState* copy) {
  hfSim* fresh;
  memcpy(copy, state, state->size);
  assert_int_equal(hf_sim_create(&fresh, m, NULL, NULL), HF_OK);
  assert_at_least(hf_sim_step(fresh, copy, NULL, NULL, NULL), 0);
  assert_at_least(hf_sim_step(sim, state, NULL, NULL, NULL), 0);
  assert_memory_equal(state, copy, state->size);
  hf_sim_free(fresh);
}

// An arm that flies, one on a slide and a free body keep kinematics, mass matrix and factors of the end of a step for the next one. Whatever is changed
// between two steps counts: coordinates, velocities, gravity, masses, or the state itself, of which two are stepped in turn and one is put back.
static void test_steps_depend_on_state_and_parameters_alone(void** s) {
  (void)s;
  hfModel* base = parse_model(
      "<mujoco><option timestep='0.002'/><worldbody>"
      "<body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/><body pos='.3 0 0'><joint axis='0 1 1'/>"
      "<geom type='capsule' fromto='0 0 0 .3 0 .1' size='.03'/></body></body>"
      "<body pos='0 2 0'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>"
      "<body pos='0 4 0'><freejoint/><geom type='box' size='.1 .2 .3'/></body></worldbody></mujoco>");
  hfParams* params;
  hfSim* sim;
  assert_int_equal(hf_params_create(&params, base, NULL), HF_OK);
  const hfModel* m = hf_params_model(params);
  assert_int_equal(hf_sim_create(&sim, m, NULL, NULL), HF_OK);
  hfState *one = hf_state_create(m), *two = hf_state_create(m), *kept = hf_state_create(m), *copy = hf_state_create(m);
  hf_state_mutable_q(two)[1] = 1;
  for (int i = 0; i < 400; ++i) {
    if (i % 7 == 1) hf_state_mutable_q(one)[i % 2] += 0.1;
    if (i % 7 == 2) hf_state_mutable_v(one)[i % m->nv] -= 0.3;
    if (i % 7 == 3) assert_steps_as_new(sim, m, two, copy);
    if (i % 7 == 4) memcpy(i % 2 ? kept : one, i % 2 ? one : kept, one->size);
    if (i % 7 == 5) hf_params_gravity(params)[0] += 0.1, assert_int_equal(hf_params_update(params, NULL), HF_OK);
    if (i % 7 == 6) hf_params_field(params, HF_FIELD_body_mass)[1 + i % 3] *= 1.01, assert_int_equal(hf_params_update(params, NULL), HF_OK);
    assert_steps_as_new(sim, m, one, copy);
  }
  hf_state_free(one), hf_state_free(two), hf_state_free(kept), hf_state_free(copy);
  hf_sim_free(sim);
  hf_params_free(params);
  hf_model_free(base);
}

// A joint so far away that the place of a geom in a height field's frame is not a number any more.
static void test_coordinates_beyond_arithmetic_are_refused(void** s) {
  (void)s;
  static const char* const scene =
      "<mujoco><asset><hfield name='f' nrow='3' ncol='3' size='1 1 0.2 0.1' elevation='0 1 0 1 1 0 1 0 0'/></asset><worldbody>"
      "<geom type='hfield' hfield='f' euler='10 20 30'/><body name='far'><joint name='rail' type='slide' axis='1 1 0'/>"
      "<joint name='mast' type='slide' axis='0 0 1'/><geom size='0.1'/><geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>";
  hfError error;
  simWorld w = sim_world_with(parse_model(scene), NULL);
  static const double far_places[] = {1e101, 1e153, 1e200, 1e307, 1.7e308, -1e308};

  for (size_t i = 0; i < sizeof far_places / sizeof *far_places; ++i) {
    hf_state_reset(w.state, w.model);
    hf_state_mutable_q(w.state)[0] = far_places[i];
    assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
    assert_non_null(strstr(error.message, "rail"));
    assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, &error), HF_ERROR_NONFINITE);
  }

  // what is allowed may end in a status, and never outside of the arrays
  for (double place = 1; place <= 1e100; place *= 1e3) {
    hf_state_reset(w.state, w.model);
    hf_state_mutable_q(w.state)[0] = place;
    hf_state_mutable_q(w.state)[1] = -place;
    hf_sim_step(w.sim, w.state, w.input, NULL, &error);
  }
  sim_world_free(&w);
}

static void test_bad_options(void** s) {
  (void)s;
  hfModel* m = parse_model(kScene);
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = {0};
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "hf_sim_config_default"));

  config = hf_sim_config_default();
  config.headers += 1000; // the next minor version
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_VERSION);

  config = hf_sim_config_default();
  config.step = -1;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_ARGUMENT);
  assert_null(sim);
  config = hf_sim_config_default();
  assert_int_equal(hf_sim_config_set(&config, "friction", "sticky", &error), HF_ERROR_ARGUMENT);
  assert_string_equal(
      error.message,
      "option friction: \"sticky\" is not a value; known: regularised, smooth, anchored, coulomb");
  assert_int_equal(hf_sim_config_set(&config, "solver.tolerance", "1e-10", &error), HF_OK);
  assert_float_equal(config.solver.tolerance, 1e-10, 0);
  assert_int_equal(hf_sim_config_set(&config, "solver.tolerance", "nan", &error),
                   HF_ERROR_ARGUMENT);
  assert_int_equal(hf_sim_config_set(&config, "colour", "1", &error), HF_ERROR_ARGUMENT);
  hf_model_free(m);
}

// A program may keep the dynamics of a sim: after every step, with and without contacts, they have the poses of its end. The oracle is the
// dynamics of the model at the coordinates of the state.
static void test_kept_dynamics_are_at_the_end(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof kLaws / sizeof *kLaws; ++k) {
    simWorld w;
    hfDynamics* fresh;
    run_law(kLaws[k], &w);
    assert_int_equal(hf_dynamics_create(&fresh, w.model, NULL), HF_OK);
    const hfDynamics* kept = hf_sim_dynamics(w.sim);
    for (int i = 0; i < 300; ++i) {
      step(&w, 1);
      hf_dynamics_set_position(fresh, hf_state_q(w.state), NULL);
      for (int b = 0; b < w.model->nbody; ++b) {
        hfPose X = hf_dynamics_body_pose(kept, b), Y = hf_dynamics_body_pose(fresh, b);
        assert_memory_equal(&X, &Y, sizeof X);
      }
      for (int g = 0; g < w.model->ngeom; ++g) {
        hfPose X = hf_dynamics_geom_pose(kept, g), Y = hf_dynamics_geom_pose(fresh, g);
        assert_memory_equal(&X, &Y, sizeof X);
      }
    }
    hf_dynamics_free(fresh);
    sim_world_free(&w);
  }
}

// A block of 5 x 5 x 5 flush boxes touches itself at faces, edges and corners: no contact lacks room.
static void test_a_block_of_boxes_has_room(void** state) {
  (void)state;
  enum { SIDE = 5 };
  static char text[SIDE * SIDE * SIDE * 120 + 400];
  int n = snprintf(text, sizeof text, "<mujoco><worldbody><geom type='plane' size='1 1 1'/>");
  for (int i = 0; i < SIDE * SIDE * SIDE; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n, "<body pos='%d %d %g'><freejoint/><geom type='box' size='.5 .5 .5'/></body>", i % SIDE, i / SIDE % SIDE,
                  i / (SIDE * SIDE) + 0.5);
  snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
  simWorld w = sim_world_with(parse_model(text), NULL);
  hfStepReport report = step(&w, 20);
  assert_int_equal(report.ndropped, 0);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_kept_dynamics_are_at_the_end),
      cmocka_unit_test(test_kept_points_are_those_that_would_be_found),
      cmocka_unit_test(test_weight_is_carried),
      cmocka_unit_test(test_velocities_without_an_energy_are_refused),
      cmocka_unit_test(test_refusals_keep_the_state),
      cmocka_unit_test(test_quaternions_without_a_direction),
      cmocka_unit_test(test_a_state_with_the_same_dofs_of_another_model),
      cmocka_unit_test(test_steps_depend_on_state_and_parameters_alone),
      cmocka_unit_test(test_coordinates_beyond_arithmetic_are_refused),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_a_block_of_boxes_has_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
