// A sim keeps nothing that counts: after any calls it gives the results that a new sim gives, to the last bit (sim.h). The oracle is a new sim for
// every step.
#include "support/random.h"
#include "support/sim_world.h"

#include <holdfast/step_problem.h>
#include <math.h>
#include <stddef.h>

// A driven arm, a box and a ball that it may touch, a tendon with a limit, an equality and sensors.
static const char* const SCENE =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='upper' pos='0 0 0.3'><joint name='a' axis='0 1 0' damping='0.1'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='1'/><site name='s' pos='0.1 0 0.05'/>"
    "<body name='lower' pos='0.3 0 0'><joint name='b' axis='0 1 0' range='-100 60'/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0 0' mass='0.5'/><site name='t' pos='0.1 0 0.05'/></body></body>"
    "<body name='wheel' pos='0 0.5 0.3'><joint name='c' axis='0 1 0'/><geom size='0.05' mass='0.2'/></body>"
    "<body name='box' pos='0.5 0 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.4'/></body>"
    "<body name='ball' pos='0.5 0.3 0.2'><freejoint/><geom size='0.05' mass='0.1'/></body></worldbody>"
    "<tendon><spatial name='cord' limited='true' range='0 0.4'><site site='s'/><site site='t'/></spatial></tendon>"
    "<equality><joint joint1='c' joint2='a' polycoef='0 2 0 0 0'/></equality>"
    "<actuator><position name='servo' joint='b' kp='20' kv='1' forcerange='-5 5'/><general joint='a' dyntype='filter' dynprm='0.1'/></actuator>"
    "<sensor><jointpos joint='a'/><accelerometer site='t'/><actuatorfrc actuator='servo'/><framepos objtype='body' objname='box'/><clock/></sensor></mujoco>";

enum { WORLDS = 2, CALLS = 150 };

typedef struct usedSim {
  hfModel* model;
  hfSimConfig config;
  hfSim* sim;
  hfState* state[WORLDS];
  hfInput* input;
  testRandom random;
} usedSim;

static hfSim* make_sim(const usedSim* u) {
  hfSim* sim = NULL;
  hfError error;
  if (hf_sim_create(&sim, u->model, &u->config, &error) != HF_OK) fail_msg("%s", error.message);
  return sim;
}

// A contact without the padding between its integers and its vectors.
static void compare_contacts(const hfSim* used, const hfSim* fresh) {
  assert_int_equal(hf_sim_contact_count(used), hf_sim_contact_count(fresh));
  for (int i = 0; i < hf_sim_contact_count(used); ++i) {
    hfContact a = hf_sim_contact(used, i), b = hf_sim_contact(fresh, i);
    assert_true(a.geom_a == b.geom_a && a.geom_b == b.geom_b && a.feature == b.feature && a.stick == b.stick);
    assert_memory_equal(&a.p_W, &b.p_W, sizeof a - offsetof(hfContact, p_W));
  }
}

static void compare_numbers(const double* a, const double* b, int n) {
  if (n > 0) assert_memory_equal(a, b, sizeof *a * (size_t)n);
}

// Everything that is read after a step or an evaluation.
static void compare_results(const hfSim* used, const hfSim* fresh, const hfModel* m) {
  compare_contacts(used, fresh);
  compare_numbers(hf_sim_ctrl(used), hf_sim_ctrl(fresh), m->nu);
  compare_numbers(hf_sim_sensors(used), hf_sim_sensors(fresh), m->nsensordata);
  compare_numbers(hf_sim_acceleration(used), hf_sim_acceleration(fresh), m->nv);
  compare_numbers(hf_sim_actuator_force(used), hf_sim_actuator_force(fresh), m->nu);
  compare_numbers(hf_sim_target_force(used), hf_sim_target_force(fresh), m->nv);
  for (int i = 0; i < m->nbody; ++i) {
    hfPose a = hf_dynamics_body_pose(hf_sim_dynamics(used), i), b = hf_dynamics_body_pose(hf_sim_dynamics(fresh), i);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

// Only the balance of energy is one of several steps, and a sim that has made them knows it.
static void compare_step(usedSim* u, hfState* state) {
  hfSim* fresh = make_sim(u);
  hfState* copy = hf_state_clone(state);
  hfStepReport a, b;
  hfStatus status = hf_sim_step(u->sim, state, u->input, &a, NULL);
  assert_int_equal(hf_sim_step(fresh, copy, u->input, &b, NULL), status);
  assert_at_least(status, 0);
  assert_true(status != HF_GAINED_ENERGY);
  a.energy_gain = b.energy_gain = 0;
  assert_memory_equal(&a, &b, sizeof a);
  assert_memory_equal(state, copy, copy->size);
  compare_results(u->sim, fresh, u->model);
  hf_state_free(copy);
  hf_sim_free(fresh);
}

static void compare_evaluation(usedSim* u, const hfState* state) {
  hfSim* fresh = make_sim(u);
  assert_int_equal(hf_sim_evaluate(u->sim, state, u->input, NULL), HF_OK);
  assert_int_equal(hf_sim_evaluate(fresh, state, u->input, NULL), HF_OK);
  compare_results(u->sim, fresh, u->model);
  hf_sim_free(fresh);
}

static void refuse_nan(usedSim* u, const hfState* state) {
  hfState* bad = hf_state_clone(state);
  hfStepReport report;
  hf_state_mutable_v(bad)[1] = NAN;
  assert_int_equal(hf_sim_step(u->sim, bad, u->input, &report, NULL), HF_ERROR_NONFINITE);
  assert_int_equal(report.status, HF_ERROR_NONFINITE);
  hf_state_mutable_v(bad)[1] = hf_state_v(state)[1];
  assert_memory_equal(bad, state, state->size);
  hf_state_free(bad);
}

// Methods of continuous time have no targets.
static void change_input(usedSim* u) {
  testRandom* r = &u->random;
  u->input->ctrl[random_int(r, u->model->nu)] = random_uniform(r, -1, 1);
  u->input->force[random_int(r, 3)] = random_chance(r, 0.5) ? 0 : random_uniform(r, -1, 1);
  if (u->config.method > HF_METHOD_MLCP) return;
  int dof = random_int(r, 2);
  u->input->velocity_target[dof] = random_chance(r, 0.6) ? NAN : random_uniform(r, -1, 1);
  u->input->force_limit[dof] = 0.5;
}

static void call_something(usedSim* u) {
  testRandom* r = &u->random;
  hfState *state = u->state[random_int(r, WORLDS)], *other = u->state[random_int(r, WORLDS)];
  const hfStepProblem* problem;
  double force[32];
  switch (random_int(r, 10)) {
  case 0: compare_evaluation(u, other); break;
  case 1: assert_int_equal(hf_sim_problem(u->sim, other, u->input, &problem, NULL), HF_OK); break;
  case 2: assert_int_equal(hf_sim_inverse(u->sim, other, u->input, hf_state_v(state), force, NULL), HF_OK); break;
  case 3: refuse_nan(u, state); break;
  case 4: change_input(u); break;
  case 5: assert_int_equal(hf_state_copy(other, state, NULL), HF_OK); break;
  default: compare_step(u, state);
  }
}

static void use(int method, double accuracy, int sleep) {
  usedSim u = {.model = parse_model(SCENE), .config = hf_sim_config_default(), .random = {17 + (uint64_t)method}};
  u.config.method = method, u.config.accuracy = accuracy, u.config.sleep = sleep;
  u.sim = make_sim(&u);
  u.input = hf_input_create(u.model);
  for (int k = 0; k < WORLDS; ++k) u.state[k] = hf_state_create(u.model);
  for (int i = 0; i < CALLS; ++i) call_something(&u);
  print_message("%s: %g s and %g s\n", hf_method_name(method), u.state[0]->time, u.state[1]->time);
  for (int k = 0; k < WORLDS; ++k) hf_state_free(u.state[k]);
  hf_input_free(u.input);
  hf_sim_free(u.sim);
  hf_model_free(u.model);
}

static void test_every_method(void** state) {
  (void)state;
  for (int method = HF_METHOD_TAMSI; method <= HF_METHOD_SWITCHING; ++method) use(method, 0, -1);
}

static void test_with_an_accuracy(void** state) {
  (void)state;
  use(HF_METHOD_TAMSI, 1e-4, -1);
}

static void test_with_sleep(void** state) {
  (void)state;
  use(HF_METHOD_CONVEX, 0, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_method), cmocka_unit_test(test_with_an_accuracy), cmocka_unit_test(test_with_sleep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
