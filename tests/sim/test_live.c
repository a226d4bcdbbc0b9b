// A sim in use gives what a fresh one gives: evaluations after steps, parameters that change between steps, and
// numbers that say the same thing in two places.
#include "support/near.h"
#include "support/sim_world.h"

#include <holdfast/holdfast.h>
#include <string.h>

// A box on the floor, a ball above it, and a slide and a hinge coupled by a tendon.
static const char kScene[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='2 2 1' friction='0.3'/>"
    "<body name='box' pos='0 0 0.1'><freejoint/><geom name='box' type='box' size='0.1 0.1 0.1' mass='1' "
    "friction='0.3'/></body>"
    "<body name='ball' pos='0.5 0 0.052'><freejoint/><geom name='ball' type='sphere' size='0.05' mass='0.2' "
    "friction='0.3' solref='0.02 1'/></body>"
    "<body name='cart' pos='-1 0 0.5'><joint name='rail' type='slide' axis='1 0 0'/>"
    "<geom name='cart' type='box' size='0.05 0.05 0.05' mass='1'/>"
    "<body name='arm'><joint name='pivot' axis='0 1 0'/><geom name='arm' type='capsule' fromto='0 0 0 0.1 0 0' "
    "size='0.01' mass='0.2'/></body></body></worldbody>"
    "<tendon><fixed name='belt'><joint joint='rail' coef='1'/><joint joint='pivot' coef='0.1'/></fixed></tendon>"
    "</mujoco>";

static hfSim* make_sim(const hfModel* m, int method, int friction) {
  hfSimConfig config = hf_sim_config_default();
  config.method = method;
  config.friction = friction;
  hfSim* sim = NULL;
  hfError error;
  if (hf_sim_create(&sim, m, &config, &error) != HF_OK) fail_msg("%s", error.message);
  return sim;
}

static void run(hfSim* sim, hfState* state, int steps) {
  hfError error;
  for (int i = 0; i < steps; ++i)
    if (hf_sim_step(sim, state, NULL, NULL, &error) < 0) fail_msg("step %d: %s", i, error.message);
}

static hfState* copy_state(const hfState* s, const hfModel* m) {
  hfState* copy = hf_state_create(m);
  assert_int_equal(copy->size, s->size);
  memcpy(copy, s, s->size);
  return copy;
}

// ---- evaluation -------------------------------------------------------------------------------------

// The ball is 2 mm above the floor and comes down with 2 m/s: it meets the floor within the step of 2 ms.
static void test_evaluation_forgets_the_rows_of_earlier_steps(void** unused) {
  (void)unused;
  hfModel* m = parse_model(kScene);
  hfState *state = hf_state_create(m), *other = hf_state_create(m);
  int ball = hf_model_jnt_dofadr(m)[1], rail = hf_model_jnt_dofadr(m)[2];
  hf_state_mutable_v(state)[ball + 2] = -2;
  hfSim *fresh = make_sim(m, HF_METHOD_TAMSI, -1), *used = make_sim(m, HF_METHOD_TAMSI, -1);
  hfInput* input = hf_input_create(m);
  for (int i = 0; i < m->nv; ++i) input->velocity_target[i] = i == rail ? 5 : NAN; // moves the cart 1 cm in a step
  hfError error;
  for (int i = 0; i < 3; ++i) assert_int_equal(hf_sim_step(used, other, input, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_evaluate(fresh, state, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_evaluate(used, state, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_contact_count(fresh), 5); // four corners of the box, and the ball
  assert_int_equal(hf_sim_contact_count(used), 5);
  for (int i = 0; i < 5; ++i) {
    hfContact a = hf_sim_contact(fresh, i), b = hf_sim_contact(used, i);
    assert_memory_equal(&a, &b, sizeof a);
  }
  hf_input_free(input);
  hf_sim_free(fresh);
  hf_sim_free(used);
  hf_state_free(state);
  hf_state_free(other);
  hf_model_free(m);
}

// ---- parameters -------------------------------------------------------------------------------------

static const struct {
  hfModelField field;
  int index; // the number that changes
  double value;
} kChanges[] = {{HF_FIELD_body_mass, 1, 2},       {HF_FIELD_body_com, 5, 0.02},   {HF_FIELD_geom_friction, 3, 0.9},
                {HF_FIELD_geom_stiffness, 0, 1e4}, {HF_FIELD_geom_solref, 4, 0.1}, {HF_FIELD_tendon_armature, 0, 3}};
enum { CHANGES = sizeof kChanges / sizeof *kChanges };

static hfState* moving_state(const hfModel* m) {
  hfState* s = hf_state_create(m);
  hf_state_mutable_v(s)[0] = 1;                            // the box slides
  hf_state_mutable_v(s)[hf_model_jnt_dofadr(m)[1] + 2] = -1; // the ball falls
  return s;
}

// The oracle is a sim made after the change: the sim that was running has to give the same bits.
static void check_change(int c, int method) {
  hfModel* m = parse_model(kScene);
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_params_create(&params, m, &error), HF_OK);
  const hfModel* overlay = hf_params_model(params);
  hfState* live = moving_state(m);
  hfSim* sim = make_sim(overlay, method, -1);
  run(sim, live, 5);
  hfState *expected = copy_state(live, m), *unchanged = copy_state(live, m);
  hf_params_field(params, kChanges[c].field)[kChanges[c].index] = kChanges[c].value;
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  hfSim *fresh = make_sim(overlay, method, -1), *old = make_sim(m, method, -1);
  run(sim, live, 10);
  run(fresh, expected, 10);
  run(old, unchanged, 10);
  const char* name = hf_model_field_info(m, kChanges[c].field).name;
  if (memcmp(live, expected, live->size) != 0) fail_msg("%s, method %s: the sim kept the old value", name, hf_method_name(method));
  if (memcmp(live, unchanged, live->size) == 0) fail_msg("%s, method %s: the change has no effect", name, hf_method_name(method));
  hf_sim_free(sim);
  hf_sim_free(fresh);
  hf_sim_free(old);
  hf_state_free(live);
  hf_state_free(expected);
  hf_state_free(unchanged);
  hf_params_free(params);
  hf_model_free(m);
}

static void test_changed_parameters_act_in_the_next_step(void** unused) {
  (void)unused;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_MLCP, HF_METHOD_IMPLICIT_EULER};
  for (int c = 0; c < CHANGES; ++c)
    for (int k = 0; k < 3; ++k) {
      // rigid contact has no stiffness
      int compliance = kChanges[c].field == HF_FIELD_geom_stiffness || kChanges[c].field == HF_FIELD_geom_solref;
      if (methods[k] != HF_METHOD_MLCP || !compliance) check_change(c, methods[k]);
    }
}

// A box of 1 kg presses with 9.81 N on the floor, one of 2 kg with 19.62 N. A second at rest leaves less than 1e-6 N.
static void test_doubled_mass_doubles_the_force_on_the_floor(void** unused) {
  (void)unused;
  hfModel* m = parse_model(kScene);
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_params_create(&params, m, &error), HF_OK);
  hfSim* sim = make_sim(hf_params_model(params), HF_METHOD_TAMSI, -1);
  hfState* state = hf_state_create(m);
  int box = hf_model_find(m, HF_OBJECT_BODY, "box");
  hfVec3 normal, friction;
  for (int doubled = 0; doubled < 2; ++doubled) {
    run(sim, state, 500);
    assert_int_equal(hf_sim_pair_force(sim, box, 0, &normal, &friction), 4);
    assert_near(normal.z, doubled ? 19.62 : 9.81, 1e-6);
    hf_params_field(params, HF_FIELD_body_mass)[box] = 2;
    assert_int_equal(hf_params_update(params, &error), HF_OK);
  }
  hf_sim_free(sim);
  hf_state_free(state);
  hf_params_free(params);
  hf_model_free(m);
}

static void test_parameters_that_no_model_may_have_are_refused(void** unused) {
  (void)unused;
  static const hfModelField fields[] = {HF_FIELD_geom_friction, HF_FIELD_tendon_armature, HF_FIELD_dof_damping};
  hfModel* m = parse_model(kScene);
  for (int i = 0; i < 3; ++i) {
    hfParams* params = NULL;
    hfError error;
    assert_int_equal(hf_params_create(&params, m, &error), HF_OK);
    const hfModel* overlay = hf_params_model(params);
    hf_params_field(params, fields[i])[0] = -0.5;
    assert_int_equal(hf_params_update(params, &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, hf_model_field_info(m, fields[i]).name));
    assert_int_equal(overlay->revision, 0); // the old values stay in force
    hf_params_free(params);
  }
  hf_model_free(m);
}

// ---- results ----------------------------------------------------------------------------------------

// A box that slides on one that sticks, and a puck without friction: contacts of all kinds in one step.
static const char kSlidingStack[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='2 2 1' friction='1'/>"
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1' mass='2' friction='0.2'/></body>"
    "<body pos='0 0 0.25'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.2' friction='0.2'/></body>"
    "<body pos='1 0 0.05'><freejoint/><geom type='sphere' size='0.05' mass='0.2' friction='0' priority='1'/></body>"
    "</worldbody></mujoco>";

static void check_sticks(int method, int friction) {
  hfModel* m = parse_model(kSlidingStack);
  hfState* state = hf_state_create(m);
  hf_state_mutable_v(state)[6] = 0.5;
  hfSim* sim = make_sim(m, method, friction);
  hfError error;
  int both = 0;
  for (int i = 0; i < 200; ++i) {
    hfStepReport report;
    assert_at_least(hf_sim_step(sim, state, NULL, &report, &error), 0);
    int count = 0;
    for (int k = 0; k < hf_sim_contact_count(sim); ++k) {
      hfContact c = hf_sim_contact(sim, k);
      count += c.stick;
      assert_false(c.stick && c.mu == 0); // without friction nothing sticks
    }
    if (report.nstick != count)
      fail_msg("method %s, friction %s, step %d: report.nstick %d, contacts that stick %d", hf_method_name(method),
               hf_friction_name(friction), i, report.nstick, count);
    both += count > 0 && count < hf_sim_contact_count(sim);
  }
  assert_above(both, 10);
  hf_sim_free(sim);
  hf_state_free(state);
  hf_model_free(m);
}

static void test_report_counts_the_contacts_that_stick(void** unused) {
  (void)unused;
  static const int methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_IMPLICIT_EULER};
  static const int laws[] = {HF_FRICTION_REGULARISED, HF_FRICTION_SMOOTH, HF_FRICTION_ANCHORED};
  for (int k = 0; k < 3; ++k)
    for (int f = 0; f < 3; ++f) check_sticks(methods[k], laws[f]);
  check_sticks(HF_METHOD_MLCP, -1);
}

// The -1 of a search that found nothing is no body, and not "any body".
static void test_force_on_a_body_that_is_none(void** unused) {
  (void)unused;
  hfModel* m = parse_model(kScene);
  hfSim* sim = make_sim(m, HF_METHOD_TAMSI, -1);
  hfState* state = hf_state_create(m);
  int box = hf_model_find(m, HF_OBJECT_BODY, "box"), none = hf_model_find(m, HF_OBJECT_BODY, "bocks");
  hfVec3 normal, friction;
  run(sim, state, 100);
  assert_int_equal(hf_sim_pair_force(sim, box, HF_ANY_BODY, &normal, &friction), 4);
  assert_near(normal.z, 9.81, 1e-3); // after 0.2 s at rest
  assert_int_equal(none, -1);
  assert_int_equal(hf_sim_pair_force(sim, box, none, &normal, &friction), -1);
  assert_true(normal.z == 0 && friction.x == 0);
  assert_int_equal(hf_sim_pair_force(sim, none, box, &normal, &friction), -1);
  assert_int_equal(hf_sim_pair_force(sim, box, m->nbody, &normal, &friction), -1);
  hf_sim_free(sim);
  hf_state_free(state);
  hf_model_free(m);
}

// ---- nothing that moves -----------------------------------------------------------------------------

static void test_a_scene_without_joints_steps_by_every_method(void** unused) {
  (void)unused;
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method) {
    hfModel* m = parse_model("<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
                             "<body><geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>");
    hfState* state = hf_state_create(m);
    hfSim* sim = make_sim(m, method, -1);
    run(sim, state, 3);
    assert_near(state->time, 0.03, 1e-15);
    assert_int_equal(hf_sim_contact_count(sim), 0);
    hf_sim_free(sim);
    hf_state_free(state);
    hf_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_evaluation_forgets_the_rows_of_earlier_steps),
      cmocka_unit_test(test_changed_parameters_act_in_the_next_step),
      cmocka_unit_test(test_doubled_mass_doubles_the_force_on_the_floor),
      cmocka_unit_test(test_parameters_that_no_model_may_have_are_refused),
      cmocka_unit_test(test_report_counts_the_contacts_that_stick),
      cmocka_unit_test(test_force_on_a_body_that_is_none),
      cmocka_unit_test(test_a_scene_without_joints_steps_by_every_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
