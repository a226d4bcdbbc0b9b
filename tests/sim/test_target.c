// Velocity targets and inverse dynamics of a step, against balances of force and each other.
#include "support/sim_world.h"
#include <holdfast/solver.h>

#include <math.h>

// A two-link arm above a floor that its tip can press on, with a joint limit at the elbow.
static const char* const kArm =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 0.3'><joint name='a' axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='1' contype='0' conaffinity='0'/>"
    "<body pos='0.3 0 0'><joint name='b' axis='0 1 0' range='-100 60'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='0.5' contype='0' conaffinity='0'/>"
    "<geom type='sphere' size='0.03' pos='0.3 0 0' mass='0.1'/></body></body>"
    "<body pos='-0.5 0 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.4'/></body>"
    "</worldbody></mujoco>";

static void test_target_is_met(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.01, 1e-12);
  w.input->velocity_target[0] = 0.3;
  w.input->velocity_target[1] = -0.7;
  sim_world_step(&w, 20);
  // near-rigid rows let through 1/3949 of what gravity does to a joint in a step (about 1.5 rad/s)
  assert_below(fabs(sim_v(&w)[0] - 0.3), 5e-4);
  assert_below(fabs(sim_v(&w)[1] + 0.7), 5e-4);
  sim_world_free(&w);
}

static void test_limit_is_exact(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.01, 1e-10);
  w.input->velocity_target[0] = -5; // up, against gravity: more than 0.8 N m can do
  w.input->velocity_target[1] = 0;
  w.input->force_limit[0] = w.input->force_limit[1] = 0.8;
  int saturated = 0;
  for (int k = 0; k < 100; ++k) {
    sim_world_step(&w, 1);
    const double* tau = hf_sim_target_force(w.sim);
    for (int i = 0; i < 2; ++i) assert_at_most(fabs(tau[i]), 0.8);
    saturated += tau[0] == -0.8;
  }
  assert_above(saturated, 50);
  sim_world_free(&w);
}

// A target that is gone has no force. Steps that have no rows, as those with an accuracy, and evaluations showed that of the last target.
static void test_no_target_has_no_force(void** state) {
  (void)state;
  static const double accuracy[] = {0, 1e-3};
  for (int k = 0; k < 2; ++k) {
    hfSimConfig config = hf_sim_config_default();
    config.accuracy = accuracy[k];
    simWorld w = sim_world_with(parse_model("<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.1 0 0' mass='1'/></body></worldbody></mujoco>"), &config);
    w.input->velocity_target[0] = 1, w.input->force_limit[0] = 0.5;
    sim_world_step(&w, 1);
    assert_true(hf_sim_target_force(w.sim)[0] == 0.5);
    w.input->velocity_target[0] = NAN;
    sim_world_step(&w, 1);
    assert_true(hf_sim_target_force(w.sim)[0] == 0);
    w.input->velocity_target[0] = 1;
    sim_world_step(&w, 1);
    assert_int_equal(hf_sim_evaluate(w.sim, w.state, w.input, NULL), HF_OK);
    assert_true(hf_sim_target_force(w.sim)[0] == 0);
    sim_world_free(&w);
  }
}

static void test_infinite_target_is_refused(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.01, 1e-10);
  hfError error = {HF_OK, ""};
  w.input->velocity_target[1] = INFINITY;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_NONFINITE);
  assert_non_null(strstr(error.message, "\"b\""));
  w.input->velocity_target[1] = NAN;
  w.input->force_limit[0] = -1;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_ERROR_ARGUMENT);
  assert_true(w.state->time == 0);
  sim_world_free(&w);
}

// What a step did is undone by its inverse: the force that acted comes out, zero on dofs without one.
static void compare_inverse(simWorld* w, const double* acted, const double* v1, hfState* before) {
  int nv = w->model->nv;
  double out[16], largest = 1;
  hfError error = {HF_OK, ""};
  assert_at_most(nv, 16);
  for (int i = 0; i < nv; ++i) w->input->force[i] = 0;
  assert_int_equal(hf_sim_inverse(w->sim, before, w->input, v1, out, &error), HF_OK);
  for (int i = 0; i < nv; ++i) largest = fmax(largest, fabs(acted[i]));
  for (int i = 0; i < nv; ++i) assert_below(fabs(out[i] - acted[i]), 1e-8 * largest);
}

static void copy_state(hfState* to, const hfState* from) { memcpy(to, from, from->size); }

// Whether no link turns by more than 0.014 rad in the step, beyond which the energy at its end may be bounded.
static int turns_slowly(const double* v) { return (fabs(v[0]) + fabs(v[1])) * 0.005 < 0.014; }

// Forces given to the step, with the tip pressing on the floor, a box at rest and the elbow at its limit.
static void test_inverse_of_given_forces(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.005, 1e-12);
  hfState* before = hf_state_create(w.model);
  int touching = 0, limited = 0, compared = 0;
  for (int k = 0; k < 300; ++k) {
    double tau[8] = {1 + sin(0.1 * k), 2 + cos(0.07 * k), 0, 0, 0, 0, 0, 0};
    memcpy(w.input->force, tau, sizeof tau);
    copy_state(before, w.state);
    sim_world_step(&w, 1);
    touching += hf_sim_contact_count(w.sim) > 4;
    limited += sim_q(&w)[1] > 60 * 3.14159 / 180 - 1e-3;
    if (!turns_slowly(hf_state_v(before)) || !turns_slowly(sim_v(&w))) continue;
    compare_inverse(&w, tau, sim_v(&w), before);
    ++compared;
  }
  assert_above(touching, 50);
  assert_above(limited, 50);
  assert_above(compared, 200);
  hf_state_free(before);
  sim_world_free(&w);
}

// Forces that the step found itself, for targets, under limits, pressing on the floor.
static void test_inverse_of_targets(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.005, 1e-12);
  hfState* before = hf_state_create(w.model);
  int touching = 0, saturated = 0;
  for (int k = 0; k < 300; ++k) {
    copy_state(before, w.state);
    w.input->velocity_target[0] = 0.5 * sin(0.05 * k) + 0.6;
    w.input->velocity_target[1] = 0.4;
    w.input->force_limit[0] = w.input->force_limit[1] = 6;
    sim_world_step(&w, 1);
    const double* tau = hf_sim_target_force(w.sim);
    double acted[8];
    memcpy(acted, tau, sizeof acted);
    saturated += fabs(tau[0]) == 6 || fabs(tau[1]) == 6;
    touching += hf_sim_contact_count(w.sim) > 4;
    w.input->velocity_target[0] = w.input->velocity_target[1] = NAN;
    compare_inverse(&w, acted, sim_v(&w), before);
  }
  assert_above(touching, 50);
  assert_above(saturated, 50);
  hf_state_free(before);
  sim_world_free(&w);
}

// A finger at rest, 5 mm in front of a wall, that its drive can move through it within a step of 10 ms.
static const char* const kFinger =
    "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='0.001 0.1 0.1' pos='0.016 0 0'/>"
    "<body><joint name='j' type='slide' axis='1 0 0'/><geom type='sphere' size='0.01' mass='0.1'/></body>"
    "</worldbody><actuator><position joint='j' kp='10000' forcerange='-500 500'/></actuator></mujoco>";

// Who solves the step problem himself cannot look at the solution and add contacts, as a step does.
static void test_problem_has_contacts_that_drives_close(void** state) {
  (void)state;
  simWorld w = sim_world_make(kFinger, 0.01, 1e-12);
  const hfStepProblem* p;
  w.input->force_limit[0] = 500;
  for (int drives = 0; drives < 2; ++drives) {
    w.input->velocity_target[0] = drives ? 5 : NAN;
    assert_int_equal(hf_sim_problem(w.sim, w.state, w.input, &p, NULL), HF_OK);
    assert_int_equal(p->ncontact, drives);
  }
  sim_world_free(&w);
}

// A step adds the contact that its drive closes, so that the finger stops at the wall, and inverse dynamics finds that contact, too.
static void test_drive_lands_within_a_step(void** state) {
  (void)state;
  simWorld w = sim_world_make(kFinger, 0.01, 1e-12);
  hfState* before = hf_state_create(w.model);
  copy_state(before, w.state);
  w.input->ctrl[0] = 0.02;
  sim_world_step(&w, 1);
  assert_int_equal(hf_sim_contact_count(w.sim), 1);
  double overlap = sim_q(&w)[0] - 0.005, none = 0;
  assert_above(overlap, 0); // less than what a step leaves to the next one where it was not foreseen
  assert_below(overlap, 5e-5);
  compare_inverse(&w, &none, sim_v(&w), before);
  hf_state_free(before);
  sim_world_free(&w);
}

// The message says which of the three inputs is not finite, and where.
static void test_inverse_refuses_what_is_not_finite(void** state) {
  (void)state;
  simWorld w = sim_world_make(kArm, 0.005, 1e-12);
  double v1[8] = {0}, out[8] = {7};
  hfError error;
  v1[1] = NAN;
  assert_int_equal(hf_sim_inverse(w.sim, w.state, w.input, v1, out, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the velocity v1 of joint \"b\" on body 2 is not finite");
  v1[1] = 0, v1[7] = INFINITY;
  assert_int_equal(hf_sim_inverse(w.sim, w.state, w.input, v1, out, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "the velocity v1 of joint 2 on body 3 is not finite");
  v1[7] = 0, w.input->force[3] = NAN;
  assert_int_equal(hf_sim_inverse(w.sim, w.state, w.input, v1, out, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "input force[3] of joint 2 is not finite");
  w.input->force[3] = 0, w.input->wrench[2].f.y = NAN;
  assert_int_equal(hf_sim_inverse(w.sim, w.state, w.input, v1, out, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "input wrench[2] of body 2 is not finite");
  w.input->wrench[2].f.y = 0;
  w.input->force[3] = 0, hf_state_mutable_v(w.state)[0] = NAN;
  assert_int_equal(hf_sim_inverse(w.sim, w.state, w.input, v1, out, &error), HF_ERROR_NONFINITE);
  assert_string_equal(error.message, "velocity of joint \"a\" on body 1 is not finite");
  assert_true(out[0] == 7); // nothing is written
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_target_is_met), cmocka_unit_test(test_no_target_has_no_force),          cmocka_unit_test(test_limit_is_exact),
      cmocka_unit_test(test_infinite_target_is_refused), cmocka_unit_test(test_inverse_of_given_forces),
      cmocka_unit_test(test_inverse_of_targets), cmocka_unit_test(test_inverse_refuses_what_is_not_finite),
      cmocka_unit_test(test_problem_has_contacts_that_drives_close), cmocka_unit_test(test_drive_lands_within_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
