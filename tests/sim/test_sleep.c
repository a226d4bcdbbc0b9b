// Sleep: islands at rest fall asleep, do not move one bit, and wake by whatever acts on them.
#include "support/near.h"
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// A stack of three boxes of 1 kg, and a fourth box 2 m away from it.
#define BOX(name, x, z) \
  "<body name='" name "' pos='" x " 0 " z "'><freejoint name='" name "'/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
#define BOXES BOX("low", "0", ".1") BOX("middle", "0", ".3") BOX("high", "0", ".5") BOX("other", "2", ".1")
#define SCENE(more) \
  "<mujoco><option timestep='.002'><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>" BOXES more
#define END "</worldbody></mujoco>"

static hfStepReport step(simWorld* w, int n) {
  hfStepReport report = {0};
  hfError error = {HF_OK, ""};
  for (int i = 0; i < n; ++i)
    if (hf_sim_step(w->sim, w->state, w->input, &report, &error) != HF_OK) fail_msg("step %d: %s", i, error.message);
  return report;
}

// The default time of rest is 0.5 s; boxes that are dropped by some micrometres are at rest before 1 s.
static simWorld make_asleep(const char* xml, int trees) {
  simWorld w = sim_world_make(xml, 0, 1e-8);
  assert_int_equal(step(&w, 500).nsleep, trees);
  return w;
}

static void test_sleeping_stack_does_not_move(void** state) {
  (void)state;
  simWorld w = make_asleep(SCENE("") END, 4);
  double q[28];
  memcpy(q, sim_q(&w), sizeof q);
  hfStepReport report = step(&w, 500);
  assert_memory_equal(q, sim_q(&w), sizeof q);
  for (int i = 0; i < w.model->nv; ++i) assert_true(sim_v(&w)[i] == 0);
  assert_int_equal(report.nsleep, 4);
  assert_int_equal(report.ncontact, 0);
  assert_near(w.state->time, 2, 1e-9); // a sum of 1000 steps
  // They stand where they were put: contacts of 1e6 N/m yield 30 N/4e6 N/m, and by less than a millimetre in sum.
  assert_near(q[2], 0.1, 1e-3);
  assert_near(q[16], 0.5, 1e-3);
  sim_world_free(&w);
}

// A tree that never sleeps keeps what touches it awake, and nothing else.
static void test_never(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><option timestep='.002'><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>"
                              "<body pos='0 0 .1' sleep='never'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                              "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                              "<body pos='2 0 .1' sleep='allowed'><freejoint/><geom type='box' size='.1 .1 .1'/></body>" END, 0, 1e-8);
  assert_int_equal(step(&w, 1000).nsleep, 1);
  sim_world_free(&w);
}

// A tree that sleeps from the start floats without moving one bit until a ball falls on it: 0.7 m, less two radii, after sqrt(2 s/g).
static void test_from_the_start(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><option timestep='.002'><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>"
                              "<body pos='0 0 2' sleep='init'><freejoint/><geom size='.1'/></body>"
                              "<body pos='0.03 0 2.7'><freejoint/><geom size='.1'/></body>" END, 0, 1e-8);
  double meeting = sqrt(2 * (0.7 - sqrt(0.04 - 0.0009)) / 9.81);
  hfStepReport report = step(&w, (int)(meeting / 0.002) - 2);
  assert_int_equal(report.nsleep, 1);
  assert_true(sim_q(&w)[2] == 2);
  report = step(&w, 10);
  assert_int_equal(report.nsleep, 0);
  assert_below(sim_v(&w)[2], -0.5);
  hf_state_reset(w.state, w.model);
  assert_int_equal(step(&w, 10).nsleep, 1);
  sim_world_free(&w);
}

// Nothing sleeps that was not asked to.
static void test_is_off_by_default(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><worldbody><geom type='plane' size='5 5 1'/>" BOXES END, 0.002, 1e-8);
  assert_int_equal(step(&w, 1000).nsleep, 0);
  sim_world_free(&w);
}

// Falling asleep takes away no more than the kinetic energy at the tolerance of 1 mm/s: 4 boxes, translation and turn, 2e-6 J each.
// A box falls from 1 m without sleep, because nothing is at rest before it lands; so all of its energy is lost by contact.
static void test_energy(void** state) {
  (void)state;
  simWorld w = sim_world_make(SCENE("") END, 0, 1e-8);
  double before = 0, last = 0;
  hfStepReport report = {0};
  for (int i = 0; i < 500 && report.nsleep < 4; ++i) {
    before = last;
    report = step(&w, 1);
    last = 0;
    for (int k = 0; k < w.model->nv; ++k) last += 0.5 * sim_v(&w)[k] * sim_v(&w)[k];
  }
  assert_int_equal(report.nsleep, 4);
  assert_true(last == 0);
  assert_below(before, 4 * 2e-6);
  sim_world_free(&w);
}

// A ball falls from 8 m onto the stack and lands after 1.2 s: the stack sleeps until then, the other box also after it.
static void test_dropped_ball_wakes(void** state) {
  (void)state;
  static const char with[] = SCENE("<body name='ball' pos='.05 0 8'><freejoint/><geom size='.1' mass='1'/></body>") END;
  simWorld w = make_asleep(with, 4), awake = w;
  double landing = sqrt(2 * (8 - 0.7) / 9.81);
  hfSimConfig config = hf_sim_config_default();
  config.sleep = 0;
  awake.state = hf_state_clone(w.state);
  assert_int_equal(hf_sim_create(&awake.sim, w.model, &config, NULL), HF_OK);
  hfStepReport report = {.nsleep = 4};
  while (report.nsleep == 4 && w.state->time < 2) report = step(&w, 1), step(&awake, 1);
  assert_int_equal(report.nsleep, 1);
  assert_near(w.state->time, landing, 0.003); // a step, and the rest depth of the stack
  step(&w, 5), step(&awake, 5);
  // From the impact on both runs have the same bodies in the same places but for what the boxes moved at below 1 mm/s in the meantime.
  for (int i = 0; i < w.model->nq; ++i) assert_near(sim_q(&w)[i], hf_state_q(awake.state)[i], 1e-4);
  assert_above(fabs(sim_v(&w)[14]) + fabs(sim_v(&w)[13]) + fabs(sim_v(&w)[12]), 1e-3); // The highest box moves.
  assert_true(sim_v(&w)[18] == 0);
  hf_sim_free(awake.sim);
  hf_state_free(awake.state);
  sim_world_free(&w);
}

// A force of 20 N upwards on the other box: v = (F/m - g) h after a step.
static void test_force_wakes(void** state) {
  (void)state;
  simWorld w = make_asleep(SCENE("") END, 4);
  w.input->force[20] = 20;
  assert_int_equal(step(&w, 1).nsleep, 3);
  assert_near(sim_v(&w)[20], (20 - 9.81) * 0.002, 1e-6); // what the contact gives back of its depth of 2.5 um
  w.input->force[20] = 0;
  w.input->wrench[1].f.z = 100; // on the lowest box, under two others
  assert_int_equal(step(&w, 1).nsleep, 0);
  sim_world_free(&w);
}

static void test_changed_state_wakes(void** state) {
  (void)state;
  simWorld w = make_asleep(SCENE("") END, 4);
  sim_q(&w)[23] += 0.2; // the other box, without a velocity
  assert_int_equal(step(&w, 1).nsleep, 3);
  assert_near(sim_v(&w)[20], -9.81 * 0.002, 1e-9);
  sim_v(&w)[0] = 1;
  assert_int_equal(step(&w, 1).nsleep, 0);
  sim_world_free(&w);
}

// An arm that a servo holds sleeps, and wakes when its control changes. A slide that a motor pushes against the stack wakes the stack when it
// arrives there.
static void test_actuators_wake(void** state) {
  (void)state;
  static const char xml[] = SCENE(
      "<body pos='-1.5 0 .1'><joint name='push' type='slide' axis='1 0 0' damping='1'/><geom type='sphere' size='.05' mass='1'/></body>"
      "<body pos='0 3 1'><joint name='arm' axis='0 1 0' damping='1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/></body>")
      "</worldbody><actuator><motor joint='push'/><position joint='arm' kp='100' kv='10'/></actuator></mujoco>";
  simWorld w = sim_world_make(xml, 0, 1e-8);
  int asleep = step(&w, 2000).nsleep;
  assert_int_equal(asleep, 6);
  w.input->ctrl[1] = 0.1;
  assert_int_equal(step(&w, 1).nsleep, 4); // both trees that controls act on
  assert_int_equal(step(&w, 3000).nsleep, 6);
  assert_near(sim_q(&w)[29], 0.1, 0.05); // The servo sags under 1.5 N m by 0.015 rad.
  w.input->ctrl[0] = 0.5;
  hfStepReport report = step(&w, 1);
  while (report.nsleep >= 4 && w.state->time < 30) report = step(&w, 1);
  assert_int_equal(report.nsleep, 2); // The other box and the arm, which fell asleep again with the new controls.
  assert_near(sim_q(&w)[28], 1.35, 0.02); // from the centre of the ball to that of the box: 0.15 m, less what a step moves
  sim_world_free(&w);
}

// Adhesion acts at contacts: its control wakes trees though it moves no dof.
static void test_adhesion_wakes(void** state) {
  (void)state;
  simWorld w = make_asleep(SCENE("") "</worldbody><actuator><adhesion body='low' ctrlrange='0 1' gain='10'/></actuator></mujoco>", 4);
  w.input->ctrl[0] = 1;
  assert_int_equal(step(&w, 1).nsleep, 0);
  sim_world_free(&w);
}

static void test_changed_parameters_wake(void** state) {
  (void)state;
  hfModel* base = parse_model(SCENE("") END);
  hfParams* params = NULL;
  hfError error;
  assert_int_equal(hf_params_create(&params, base, &error), HF_OK);
  simWorld w = {.model = base, .state = hf_state_create(base), .input = hf_input_create(base)};
  assert_int_equal(hf_sim_create(&w.sim, hf_params_model(params), NULL, &error), HF_OK);
  assert_int_equal(step(&w, 500).nsleep, 4);
  hf_params_gravity(params)[2] = 1;
  assert_int_equal(hf_params_update(params, &error), HF_OK);
  assert_int_equal(step(&w, 1).nsleep, 0);
  step(&w, 99);
  assert_near(sim_v(&w)[20], 0.2, 0.02); // 1 m/s^2 for 0.2 s, and what the contact gives back
  hf_sim_free(w.sim);
  w.sim = NULL;
  hf_params_free(params);
  sim_world_free(&w);
}

// A restored state sleeps as the saved one, and both go on with the same bits.
static void test_saved_state_sleeps(void** state) {
  (void)state;
  static const char with[] = SCENE("<body name='ball' pos='.05 0 8'><freejoint/><geom size='.1' mass='1'/></body>") END;
  simWorld w = make_asleep(with, 4), other = w;
  char path[64];
  snprintf(path, sizeof path, "/tmp/holdfast-sleep-%ld", (long)getpid());
  assert_int_equal(hf_state_write(w.state, path, NULL), HF_OK);
  other.state = hf_state_create(w.model);
  assert_int_equal(hf_state_read(other.state, path, NULL), HF_OK);
  unlink(path);
  hfSim* second = NULL;
  assert_int_equal(hf_sim_create(&second, w.model, NULL, NULL), HF_OK);
  other.sim = second;
  for (int i = 0; i < 300; ++i) { // over the impact
    assert_int_equal(step(&w, 1).nsleep, step(&other, 1).nsleep);
    assert_memory_equal(w.state, other.state, w.state->size);
  }
  hf_sim_free(second);
  hf_state_free(other.state);
  sim_world_free(&w);
}

// A body on a mocap platform sleeps while the platform stands, and wakes when it goes away.
static void test_mocap_wakes(void** state) {
  (void)state;
  simWorld w = make_asleep(SCENE("<body mocap='true' pos='0 3 .5'><geom type='box' size='.3 .3 .05'/></body>"
                                 "<body pos='0 3 .6'><freejoint/><geom type='box' size='.1 .1 .05' mass='1'/></body>") END, 5);
  w.input->mocap_pos[2] = 0.2;
  assert_int_equal(step(&w, 1).nsleep, 0);
  assert_near(sim_v(&w)[26], -9.81 * 0.002, 1e-9);
  sim_world_free(&w);
}

static void test_refusals(void** state) {
  (void)state;
  hfModel* m = parse_model(SCENE("") END);
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_RK3; // The scene asks for sleep, which this method has not: it runs without.
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
  hf_sim_free(sim);
  config.sleep = 1;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "option sleep"));
  config.method = HF_METHOD_TAMSI;
  config.accuracy = 1e-6;
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_ERROR_UNSUPPORTED);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sleeping_stack_does_not_move), cmocka_unit_test(test_never), cmocka_unit_test(test_from_the_start), cmocka_unit_test(test_is_off_by_default), cmocka_unit_test(test_energy),
      cmocka_unit_test(test_dropped_ball_wakes), cmocka_unit_test(test_force_wakes), cmocka_unit_test(test_changed_state_wakes),
      cmocka_unit_test(test_actuators_wake), cmocka_unit_test(test_adhesion_wakes), cmocka_unit_test(test_changed_parameters_wake), cmocka_unit_test(test_saved_state_sleeps),
      cmocka_unit_test(test_mocap_wakes), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
