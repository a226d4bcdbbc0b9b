// A world at rest stays at rest to the last bit until something acts, and a sim that was used for something else between steps takes the same steps.
#include "support/sim_world.h"

#include "math/vec3.h"
#include <holdfast/step_problem.h>

#include <math.h>
#include <stdio.h>

// Two fingers hold a box in the air, a ball lies beside a wall, and a mocap body stands aside. extra: signals; sensors: beside those of forces.
#define SCENE(extra, sensors)                                                                                                       \
  "<mujoco><option timestep='.002'/><custom>" extra "</custom><worldbody><geom type='plane' size='2 2 1'/>"                        \
  "<body name='left' pos='-.06 0 .5'><joint name='left' type='slide' axis='1 0 0' damping='5'/>"                                   \
  "<geom type='box' size='.01 .02 .02' mass='.1'/><site name='left'/></body>"                                                      \
  "<body name='right' pos='.06 0 .5'><joint name='right' type='slide' axis='-1 0 0' damping='5'/>"                                 \
  "<geom type='box' size='.01 .02 .02' mass='.1'/></body>"                                                                         \
  "<body name='box' pos='0 0 .5'><freejoint name='box'/><geom type='box' size='.048 .03 .03' mass='.2'/></body>"                    \
  "<body name='ball' pos='1 0 .1'><freejoint name='ball'/><geom type='sphere' size='.1' mass='1'/></body>"                         \
  "<geom type='box' size='.1 .5 .1' pos='1.2 0 .1'/>"                                                                              \
  "<body name='hand' mocap='true' pos='0 0 .75'><geom type='box' size='.1 .1 .1'/></body></worldbody>"                              \
  "<actuator><motor name='left' joint='left'/><motor name='right' joint='right'/></actuator>"                                      \
  "<sensor><force site='left' noise='.1'/><framepos objtype='body' objname='box'/><actuatorfrc actuator='left'/>" sensors "</sensor></mujoco>"

static simWorld make(const char* xml, int seed) {
  hfSimConfig config = hf_sim_config_default();
  config.noise_seed = seed;
  simWorld w = sim_world_with(parse_model(xml), &config);
  for (int i = 0; i < 2; ++i)
    if (!isnan(w.input->ctrl[i])) w.input->ctrl[i] = 20;
  return w;
}

// The same world twice. The second one is evaluated before each step, and nothing of a step is left then.
typedef struct twins { simWorld idle, busy; } twins;

static twins make_twins(const char* xml, int seed) { return (twins){make(xml, seed), make(xml, seed)}; }

static void free_twins(twins* t) {
  sim_world_free(&t->idle);
  sim_world_free(&t->busy);
}

static void assert_same_results(const twins* t) {
  const hfSim *a = t->idle.sim, *b = t->busy.sim;
  const hfModel* m = t->idle.model;
  assert_int_equal(hf_sim_contact_count(a), hf_sim_contact_count(b));
  for (int i = 0; i < hf_sim_contact_count(a); ++i) {
    hfContact x = hf_sim_contact(a, i), y = hf_sim_contact(b, i);
    assert_true(x.fn == y.fn && x.depth == y.depth && v3_norm(v3_sub(x.ft, y.ft)) == 0 && x.body_a == y.body_a && x.body_b == y.body_b);
  }
  assert_memory_equal(hf_sim_acceleration(a), hf_sim_acceleration(b), sizeof(double) * (size_t)m->nv);
  assert_memory_equal(hf_sim_actuator_force(a), hf_sim_actuator_force(b), sizeof(double) * (size_t)m->nu);
  assert_memory_equal(hf_sim_ctrl(a), hf_sim_ctrl(b), sizeof(double) * (size_t)m->nu);
  assert_memory_equal(hf_sim_sensors(a), hf_sim_sensors(b), sizeof(double) * (size_t)m->nsensordata);
  for (int i = 0; i < m->nbody; ++i) {
    hfPose x = hf_dynamics_body_pose(hf_sim_dynamics(a), i), y = hf_dynamics_body_pose(hf_sim_dynamics(b), i);
    assert_memory_equal(&x, &y, sizeof x);
  }
}

// Takes n steps of both worlds, which end alike after each. Returns in how many of them the first world kept all bits but the time.
static int step_twins(twins* t, int n) {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    hfStepReport idle, busy;
    hfError error;
    hfState* before = hf_state_clone(t->idle.state);
    if (hf_sim_evaluate(t->busy.sim, t->busy.state, t->busy.input, &error) != HF_OK) fail_msg("%s", error.message);
    hfStatus a = hf_sim_step(t->idle.sim, t->idle.state, t->idle.input, &idle, &error);

    assert_int_equal(a, hf_sim_step(t->busy.sim, t->busy.state, t->busy.input, &busy, &error));
    assert_memory_equal(&idle, &busy, sizeof idle);
    assert_memory_equal(t->idle.state, t->busy.state, t->idle.state->size);
    assert_same_results(t);

    before->time = t->idle.state->time;
    kept += memcmp(before, t->idle.state, t->idle.state->size) == 0;
    hf_state_free(before);
  }
  return kept;
}

// The world rests after 0.4 s: from then on nothing changes.
static twins make_resting_twins(const char* xml, int seed) {
  twins t = make_twins(xml, seed);
  step_twins(&t, 200);
  assert_int_equal(step_twins(&t, 20), 20);
  return t;
}

static void test_resting_world_keeps_all_bits(void** state) {
  (void)state;
  twins t = make_resting_twins(SCENE("", ""), 0);
  assert_int_equal(step_twins(&t, 500), 500);
  free_twins(&t);
}

// Deformations of contacts stay, to the last bit, also on bodies whose axes are not those of the world.
static void test_slope_comes_to_rest(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><option timestep='.002' gravity='1 .5 -9'/><worldbody><geom type='plane' size='5 5 1'/>"
                              "<body pos='0 0 .1' euler='0 0 20'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
                              "<body pos='.01 .02 .25' euler='0 0 70'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody></mujoco>",
                              0, 1e-8);
  sim_world_step(&w, 1500);
  for (int i = 0; i < w.model->nv; ++i) assert_true(sim_v(&w)[i] == 0);
  sim_world_free(&w);
}

// ---- whatever acts counts ------------------------------------------------------------------------

static void press(simWorld* w) { w->input->ctrl[0] = 21; }
static void push(simWorld* w) { w->input->force[8] = 0.1; }
static void twist(simWorld* w) { w->input->wrench[4].f = v3(0, 0.1, 0); }
static void carry(simWorld* w) { w->input->mocap_pos[2] = 0.6; }
static void turn(simWorld* w) { w->input->mocap_quat[1] = 0.4; }
static void drive(simWorld* w) { w->input->velocity_target[0] = 0.01; }
static void take_input_away(simWorld* w) {
  hf_input_free(w->input);
  w->input = NULL;
}
static void move(simWorld* w) {
  double q[7] = {0, 0, 0.51, 1, 0, 0, 0};
  assert_int_equal(hf_state_set_joint(w->state, w->model, "box", q, NULL, NULL), HF_OK);
}
static void shove(simWorld* w) { sim_v(w)[0] = 1e-300; }
static void forget(simWorld* w) { w->state->nmemory = 0; }

static void test_change_counts(void** state) {
  (void)state;
  void (*const change[])(simWorld*) = {press, push, twist, carry, turn, drive, take_input_away, move, shove, forget};
  for (size_t i = 0; i < sizeof change / sizeof *change; ++i) {
    twins t = make_resting_twins(SCENE("", ""), 0);
    change[i](&t.idle), change[i](&t.busy);
    step_twins(&t, 300);
    free_twins(&t);
  }
}

static void test_parameters_count(void** state) {
  (void)state;
  hfModel* base = parse_model(SCENE("", ""));
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_params_create(&params, base, &error), HF_OK);
  hfSimConfig config = hf_sim_config_default();
  hfState* s = hf_state_create(base);
  hfSim* sim = NULL;
  assert_int_equal(hf_sim_create(&sim, hf_params_model(params), &config, &error), HF_OK);
  hfInput in = {.ctrl = (double[]){20, 20}};
  for (int i = 0; i < 220; ++i) assert_int_equal(hf_sim_step(sim, s, &in, NULL, &error), HF_OK);
  for (int i = 0; i < base->nv; ++i) assert_true(hf_state_v(s)[i] == 0);
  hf_params_gravity(params)[2] = 0;
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  assert_int_equal(hf_sim_step(sim, s, &in, NULL, &error), HF_OK);
  assert_above(hf_state_v(s)[10], 1e-4); // the ball no longer presses on the floor, which pushes it up
  hf_sim_free(sim);
  hf_state_free(s);
  hf_params_free(params);
  hf_model_free(base);
}

// ---- other uses of the sim ----------------------------------------------------------------------------

static void test_other_state_between(void** state) {
  (void)state;
  twins t = make_resting_twins(SCENE("", ""), 0);
  hfState* other = hf_state_create(t.idle.model);
  assert_int_equal(hf_sim_step(t.idle.sim, other, t.idle.input, NULL, NULL), HF_OK);
  assert_int_equal(step_twins(&t, 7), 7);
  hf_state_free(other);
  free_twins(&t);
}

static void test_evaluation_between(void** state) {
  (void)state;
  twins t = make_resting_twins(SCENE("", ""), 0);
  assert_int_equal(hf_sim_evaluate(t.idle.sim, t.idle.state, t.idle.input, NULL), HF_OK);
  assert_int_equal(step_twins(&t, 2), 2);
  const hfStepProblem* problem;
  assert_int_equal(hf_sim_problem(t.idle.sim, t.idle.state, t.idle.input, &problem, NULL), HF_OK);
  assert_int_equal(step_twins(&t, 2), 2);
  double force[14];
  assert_int_equal(hf_sim_inverse(t.idle.sim, t.idle.state, t.idle.input, sim_v(&t.idle), force, NULL), HF_OK);
  assert_int_equal(step_twins(&t, 7), 7);
  free_twins(&t);
}

// A refused step changes nothing.
static void test_refusal_between(void** state) {
  (void)state;
  twins t = make_resting_twins(SCENE("", ""), 0);
  t.idle.input->ctrl[1] = INFINITY;
  assert_int_equal(hf_sim_step(t.idle.sim, t.idle.state, t.idle.input, NULL, NULL), HF_ERROR_NONFINITE);
  t.idle.input->ctrl[1] = 20;
  assert_int_equal(step_twins(&t, 5), 5);
  free_twins(&t);
}

// ---- what depends on the time ---------------------------------------------------------------------------

static void test_signals(void** state) {
  (void)state;
  twins t = make_twins(SCENE("<text name='hf.signal.left' data='table 0 20 .5 20 .6 30'/><text name='hf.signal.right' data='table 0 20 .5 20 .6 30'/>", ""), 0);
  step_twins(&t, 200);
  assert_int_equal(step_twins(&t, 45), 45);
  assert_below(step_twins(&t, 60), 10); // from 0.5 s on the fingers press harder
  step_twins(&t, 200);
  assert_int_equal(step_twins(&t, 20), 20);
  free_twins(&t);
}

// A slide that a servo holds by inverse dynamics, along a signal that begins to rise at 0.5 s, after 256 steps.
#define DRIVEN(drive, signal)                                                                                                      \
  "<mujoco><option timestep='.001953125'/><custom><text name='hf.drive' data='" drive "'/>" signal "</custom><worldbody>"                \
  "<body><joint name='lift' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body></worldbody>"                              \
  "<actuator><position name='lift' joint='lift' kp='100' kv='20'/></actuator></mujoco>"

// Inverse dynamics follows how the signal goes on, which the controls of the present do not say: the step from 0.5 s on has the control of the step
// before, and moves, though nothing moves in the first 256. Without a signal the servo rests.
static void test_inverse_dynamics_along_a_signal(void** state) {
  (void)state;
  static const char* const driven[] = {DRIVEN("constraint", "<text name='hf.signal.lift' data='table 0 0 .5 0 .6 .05'/>"),
                                       DRIVEN("computed-torque", "<text name='hf.signal.lift' data='table 0 0 .5 0 .6 .05'/>")};
  static const char* const held[] = {DRIVEN("constraint", ""), DRIVEN("computed-torque", "")};
  for (int i = 0; i < 2; ++i) {
    simWorld a = sim_world_make(driven[i], 0, 1e-8), b = sim_world_make(driven[i], 0, 1e-8), rest = sim_world_make(held[i], 0, 1e-8);
    twins t = {a, b};
    step_twins(&t, 256);
    assert_below(fabs(sim_v(&t.idle)[0]), 1e-9); // rounding of the weight, which the drive holds
    step_twins(&t, 1);
    assert_above(sim_v(&t.idle)[0], 0.01); // the signal rises with 0.5 m/s, of which computed torque makes 20/s 0.5 m/s h in a step
    step_twins(&t, 200);
    sim_world_step(&rest, 300);
    assert_true(sim_v(&rest)[0] == 0);
    free_twins(&t);
    sim_world_free(&rest);
  }
}

static void test_sensors_of_time(void** state) {
  (void)state;
  struct { const char* xml; int seed; } cases[] = {{SCENE("", "<clock/>"), 0}, {SCENE("", ""), 3}, {SCENE("", "<jointpos joint='left' delay='.01' nsample='8'/>"), 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    twins t = make_twins(cases[i].xml, cases[i].seed);
    step_twins(&t, 300);
    free_twins(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_resting_world_keeps_all_bits),
                                     cmocka_unit_test(test_slope_comes_to_rest),
                                     cmocka_unit_test(test_change_counts),
                                     cmocka_unit_test(test_parameters_count),
                                     cmocka_unit_test(test_other_state_between),
                                     cmocka_unit_test(test_evaluation_between),
                                     cmocka_unit_test(test_refusal_between),
                                     cmocka_unit_test(test_signals),
                                     cmocka_unit_test(test_inverse_dynamics_along_a_signal),
                                     cmocka_unit_test(test_sensors_of_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
