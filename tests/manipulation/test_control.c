// Joint torque control and sensing, the gripper, and tasks.
#include "manipulation/arms.h"
#include "support/alloc.h"
#include "support/sim_world.h"

typedef struct armWorld {
  testArm t;
  hfSim* sim;
  hfState* state;
  hfInput* input;
} armWorld;

static void world_open(armWorld* w, const char* file, const char* tip) {
  arm_open(&w->t, file, tip);
  hfSimConfig config = hf_sim_config_default();
  config.solver.tolerance = 1e-12;
  assert_int_equal(hf_sim_create(&w->sim, w->t.model, &config, NULL), HF_OK);
  w->state = hf_state_create(w->t.model);
  w->input = hf_input_create(w->t.model);
}
static void world_close(armWorld* w) {
  hf_input_free(w->input);
  hf_state_free(w->state);
  hf_sim_free(w->sim);
  arm_close(&w->t);
}
static void world_step(armWorld* w) {
  hfError error;
  hfStepReport report;
  if (hf_sim_step(w->sim, w->state, w->input, &report, &error) != HF_OK)
    fail_msg("%s", error.message);
}

// Forward dynamics give back the accelerations that the law commands.
static void test_torque(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  testRandom r = {2};
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, t.model, NULL), HF_OK);
  double q[7], v[7], integral[7], kept[7], tau[7], vdot[7];
  hfSetpoint wanted[7];
  hfGains gains[7];
  for (int i = 0; i < 7; ++i) {
    q[i] = random_uniform(&r, -1, 1), v[i] = random_uniform(&r, -0.3, 0.3),
    integral[i] = kept[i] = random_uniform(&r, -0.1, 0.1);
    wanted[i] = (hfSetpoint){q[i] + random_uniform(&r, -0.01, 0.01), random_uniform(&r, -0.3, 0.3),
                             random_uniform(&r, -1, 1)};
    gains[i] = (hfGains){100, 5, 20};
  }
  assert_int_equal(hf_arm_torque(t.arm, q, v, wanted, gains, 0.002, integral, tau), 0);
  hf_dynamics_set_position(d, q, NULL);
  double net[7];
  for (int i = 0; i < 7; ++i) net[i] = tau[i] - 0.5 * v[i]; // the file's joint damping
  hf_dynamics_forward(d, v, net, NULL, vdot);
  for (int i = 0; i < 7; ++i) {
    double e = wanted[i].q - q[i];
    assert_near(vdot[i], wanted[i].a + 100 * e + 5 * kept[i] + 20 * (wanted[i].v - v[i]), 1e-9);
    assert_near(integral[i], kept[i] + 0.002 * e, 1e-15);
  }
  double without[7], zeros[7] = {0}; // no integral counts as one of zeros
  assert_int_equal(hf_arm_torque(t.arm, q, v, wanted, gains, 0.002, NULL, without), 0);
  assert_int_equal(hf_arm_torque(t.arm, q, v, wanted, gains, 0.002, zeros, tau), 0);
  assert_memory_equal(without, tau, sizeof tau);
  hf_dynamics_free(d);
  arm_close(&t);
}

// A torque beyond the effort is cut to it, and the integral waits.
static void test_effort(void** state) {
  (void)state;
  testArm t;
  arm_open(&t, "iiwa14.xml", "flange");
  double q[7] = {0}, v[7] = {0}, integral[7] = {0}, tau[7];
  hfSetpoint wanted[7] = {{0}};
  hfGains gains[7];
  for (int i = 0; i < 7; ++i) gains[i] = (hfGains){1e4, 1, 0}, wanted[i].q = i == 3 ? 2 : 0;
  assert_at_least(hf_arm_torque(t.arm, q, v, wanted, gains, 0.01, integral, tau), 1);
  assert_near(tau[3], 176, 0);
  assert_near(integral[3], 0, 0);
  for (int i = 0; i < 7; ++i) assert_at_most(fabs(tau[i]), hf_arm_effort(t.arm, i));
  arm_close(&t);
}

// With a load of 2 kg that the controller does not know, PD leaves an error, and the integral removes it.
static void settle(double ki, double* error) {
  armWorld w;
  world_open(&w, "iiwa14_wsg50.xml", "wsg_grasp");
  double *q = hf_state_mutable_q(w.state), integral[7] = {0}, tau[7];
  const double start[7] = {0, 0.6, 0, -1.75, 0, 1, 0};
  hfSetpoint wanted[7];
  hfGains gains[7];
  for (int i = 0; i < 7; ++i)
    q[i] = start[i], wanted[i] = (hfSetpoint){start[i], 0, 0}, gains[i] = (hfGains){100, ki, 20};
  int palm = hf_model_find(w.t.model, HF_OBJECT_BODY, "wsg_palm");
  w.input->wrench[palm].f.z = -2 * 9.81;
  for (int k = 0; k < 5000; ++k) {
    hf_arm_torque(w.t.arm, q, hf_state_v(w.state), wanted, gains, hf_sim_step_size(w.sim), integral,
                  tau);
    hf_arm_apply(w.t.arm, tau, w.input);
    world_step(&w);
  }
  *error = 0;
  for (int i = 0; i < 7; ++i) *error = fmax(*error, fabs(q[i] - start[i]));
  world_close(&w);
}
static void test_integral(void** state) {
  (void)state;
  double without, with;
  settle(0, &without);
  settle(150, &with);
  // without: the load's torque over kp M, about 20 N x 0.5 m/(100 x 4 kg m^2)
  assert_above(without, 5e-3);
  assert_below(without, 0.1);
  assert_below(with, 1e-5);
}

// A quintic in joint space is followed to the discretisation's error, h a/2 over the feedback's stiffness.
static void test_tracking(void** state) {
  (void)state;
  armWorld w;
  world_open(&w, "iiwa7_wsg50.xml", "wsg_grasp");
  double *q = hf_state_mutable_q(w.state), *v = hf_state_mutable_v(w.state), integral[7] = {0}, tau[7], worst = 0;
  hfGains gains[7];
  hfSetpoint wanted[7];
  for (int i = 0; i < 7; ++i) gains[i] = (hfGains){400, 0, 40};
  for (int k = 0; k < 1000; ++k) {
    for (int i = 0; i < 7; ++i) {
      hfSetpoint rest = {0, 0, 0}, goal = {0.3 * (i % 2 ? 1 : -1), 0, 0};
      wanted[i] = hf_quintic(rest, goal, 1.5, w.state->time);
      worst = fmax(worst, fabs(wanted[i].q - q[i]));
    }
    long calls = alloc_count();
    assert_int_equal(
        hf_arm_torque(w.t.arm, q, v, wanted, gains, hf_sim_step_size(w.sim), integral, tau), 0);
    hf_arm_apply(w.t.arm, tau, w.input);
    assert_true(alloc_count() == calls);
    world_step(&w);
  }
  print_message("worst error %g rad\n", worst);
  assert_below(worst, 4e-4); // h v/2 at 0.4 rad/s
  world_close(&w);
}

// A wrench on the palm is read back from joint torques; without one there is none to read.
static void test_external(void** state) {
  (void)state;
  armWorld w;
  world_open(&w, "iiwa14_wsg50.xml", "wsg_palm");
  testRandom r = {9};
  double *q = hf_state_mutable_q(w.state), *v = hf_state_mutable_v(w.state), q0[9], v0[9], tau[7], external[7];
  const double start[7] = {0.1, 0.6, 0.2, -1.5, 0.3, 1, 0.2};
  for (int i = 0; i < 7; ++i) q[i] = start[i], v[i] = random_uniform(&r, -0.5, 0.5);
  q[7] = -0.03, q[8] = 0.03;
  int palm = hf_model_find(w.t.model, HF_OBJECT_BODY, "wsg_palm");
  for (int k = 0; k < 10; ++k) {
    for (int i = 0; i < 7; ++i) w.input->ctrl[i] = random_uniform(&r, -20, 20);
    double* load = &w.input->wrench[palm].n.x; // torque, force // at the palm's centre of mass, which is its origin
    for (int i = 0; i < 6; ++i) load[i] = k % 2 ? random_uniform(&r, -10, 10) : 0;
    memcpy(q0, q, sizeof q0), memcpy(v0, v, sizeof v0);
    world_step(&w);
    hf_arm_sensed_torque(w.t.arm, w.sim, tau);
    for (int i = 0; i < 7; ++i) assert_near(tau[i], w.input->ctrl[i], 1e-12);
    hf_arm_external(w.t.arm, q0, v0, hf_sim_acceleration(w.sim), tau, hf_sim_step_size(w.sim),
                    external);
    hfForce f = hf_arm_wrench(w.t.arm, external, 0.3, 1e-6);
    // the solver's tolerance, 1e-12 of the momentum over h
    assert_near(f.f.x, load[3], 1e-5), assert_near(f.f.y, load[4], 1e-5),
        assert_near(f.f.z, load[5], 1e-5);
    assert_near(f.n.x, load[0], 1e-5), assert_near(f.n.y, load[1], 1e-5),
        assert_near(f.n.z, load[2], 1e-5);
  }
  world_close(&w);
}

// ---- gripper --------------------------------------------------------------------------------------

// A drive that loses 3 N: the measured force tends to the command with the rate of the integral.
static void test_force_loop(void** state) {
  (void)state;
  hfGripConfig c = hf_grip_config_default();
  c.slew = 1e9, c.damping = 0;
  hfGrip g = {0};
  const double h = 1e-4, lost = 3;
  double force = 0;
  hf_grip_open(&g, 0.05, 0.05);
  hf_grip_close(&g, 0.05, 20);
  assert_int_equal(g.mode, HF_GRIP_CLOSING);
  hf_grip_control(&c, &g, 0.04, 0, 1.5, h); // contact
  assert_int_equal(g.mode, HF_GRIP_FORCE);
  g.integral = 0, force = 20;
  for (int k = 1; k <= 2000; ++k) {
    force = hf_grip_control(&c, &g, 0.04, 0, force - lost, h);
    if (k % 500 == 0)
      assert_near(20 - (force - lost), lost * exp(-c.integral * h * k), 0.02); // order h
  }
  assert_false(hf_grip_settled(&c, &g) && fabs(force - lost - 20) > 1);
  hf_grip_close(&g, 0.04, 500); // more than the drive has
  for (int k = 0; k < 1000; ++k) force = hf_grip_control(&c, &g, 0.04, 0, force - lost, h);
  assert_near(force, c.force_limit, 0);
  hf_grip_close(&g, 0.04, 20); // and no wind-up on the way back
  for (int k = 0; k < 3000; ++k) force = hf_grip_control(&c, &g, 0.04, 0, force - lost, h);
  assert_near(force - lost, 20, 0.1);
}

static const char block[] =
    "<mujoco><option timestep='0.002' gravity='0 0 0'/><asset><model name='w' "
    "file='wsg50.xml'/></asset><worldbody>"
    "<attach model='w' prefix='w_'/><body name='block' pos='0.003 0.09 0'><freejoint/><geom "
    "type='box' size='0.02 0.02 0.02' mass='0.1'/></body>"
    "</worldbody></mujoco>";

// Closing on a block that is 3 mm off: the fingers centre it, squeeze it with the command, and let go again.
static void test_gripper(void** state) {
  (void)state;
  hfModel* m = parse_model_in(block, HF_SOURCE_DIR "/models");
  hfSim* sim = NULL;
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_sim_create(&sim, m, &config, NULL), HF_OK);
  hfState* s = hf_state_create(m);
  hfInput* in = hf_input_create(m);
  hfStepReport report;
  int left = hf_model_find(m, HF_OBJECT_BODY, "w_left_finger"),
      right = hf_model_find(m, HF_OBJECT_BODY, "w_right_finger");
  int body = hf_model_find(m, HF_OBJECT_BODY, "block");
  double *q = hf_state_mutable_q(s), *v = hf_state_mutable_v(s), h = hf_sim_step_size(sim);
  q[0] = -0.05, q[1] = 0.05;
  hfGripConfig c = hf_grip_config_default();
  hfGrip g = {0};
  hf_grip_open(&g, 0.1, 0.1);
  for (int k = 0; k < 3000; ++k) {
    hfGripSense f = hf_sense_grip(sim, left, right, body);
    double width = q[1] - q[0];
    if (k == 50) hf_grip_close(&g, width, 30);
    if (k == 1000) {
      assert_true(hf_grip_settled(&c, &g));
      assert_at_least(f.contacts, 6);
      assert_near(f.squeeze, 30, 0.3);
      assert_near(f.left, f.right, 0.3);
      assert_near(q[2], 0, 1e-4); // between the fingers
      hf_grip_close(&g, width, 12);
    }
    if (k == 1500) {
      assert_near(f.squeeze, 12, 0.12);
      hf_grip_open(&g, width, 0.08);
    }
    in->ctrl[0] = hf_grip_control(&c, &g, width, v[1] - v[0], f.squeeze, h);
    assert_true(hf_sim_step(sim, s, in, &report, NULL) == HF_OK);
  }
  assert_near(q[1] - q[0], 0.08, 1e-3);
  assert_int_equal(hf_sense_grip(sim, left, right, body).contacts, 0);
  assert_true(hf_grip_settled(&c, &g));
  hf_input_free(in);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_model_free(m);
}

// A grip is settled when the squeeze has been within settle_share of the command for settle_time.
static void test_grip_settles(void** state) {
  (void)state;
  hfGripConfig c = hf_grip_config_default();
  c.settle_share = 0.2, c.settle_time = 0.095;
  const double h = 0.01;
  hfGrip g = {0};
  hf_grip_close(&g, 0.05, 10);
  for (int k = 0; k < 30; ++k) {
    double squeeze = k < 10 ? 7.9 : 8.1; // outside of 10 N +- 20 %, then inside
    hf_grip_control(&c, &g, 0.04, 0, squeeze, h);
    assert_int_equal(hf_grip_settled(&c, &g), k >= 19); // ten periods inside
  }
  hf_grip_control(&c, &g, 0.04, 0, 12.1, h);
  assert_false(hf_grip_settled(&c, &g));
}

// ---- tasks ----------------------------------------------------------------------------------------

typedef struct story {
  int entered[4], calls[4];
  int fail;
} story;

static hfTaskResult note(story* s, int i, int entered) {
  s->entered[i] += entered;
  s->calls[i]++;
  return HF_TASK_RUNNING;
}
static hfTaskResult run_first(void* user, double since, int entered) {
  note(user, 0, entered);
  return since >= 0.35 ? HF_TASK_DONE : HF_TASK_RUNNING;
}
static hfTaskResult run_second(void* user, double since, int entered) {
  (void)since;
  note(user, 1, entered);
  return ((story*)user)->fail ? HF_TASK_FAILED : HF_TASK_DONE;
}
static hfTaskResult run_endless(void* user, double since, int entered) {
  (void)since;
  return note(user, 2, entered);
}
static hfTaskResult run_rescue(void* user, double since, int entered) {
  (void)since;
  note(user, 3, entered);
  return HF_TASK_DONE;
}
static const hfTaskState states[] = {{"first", run_first, 1, 1, HF_TASK_FAILURE},
                                     {"second", run_second, 1, 2, 3},
                                     {"endless", run_endless, 0.5, HF_TASK_SUCCESS, 3},
                                     {"rescue", run_rescue, 0, HF_TASK_FAILURE, HF_TASK_FAILURE}};

static void test_task(void** state) {
  (void)state;
  for (int fail = 0; fail <= 1; ++fail) {
    story s = {.fail = fail};
    hfTask task;
    double time = 10;
    hf_task_start(&task, 0, time);
    for (int k = 0; k < 30; ++k, time += 0.1) hf_task_step(&task, states, 4, time, &s);
    assert_int_equal(task.state, HF_TASK_FAILURE);
    assert_int_equal(task.failed_in, fail ? 1 : 2);
    assert_int_equal(task.timed_out, !fail);
    assert_int_equal(s.calls[0], 5); // at 0, 0.1 .. 0.4
    assert_int_equal(s.calls[1], 1);
    assert_int_equal(s.calls[2], fail ? 0 : 6); // at 0 .. 0.5
    assert_int_equal(s.calls[3], 1);
    for (int i = 0; i < 4; ++i) assert_int_equal(s.entered[i], s.calls[i] > 0);
    assert_int_equal(hf_task_step(&task, states, 4, time, &s), 0); // over
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_torque),   cmocka_unit_test(test_effort),
      cmocka_unit_test(test_integral), cmocka_unit_test(test_tracking),
      cmocka_unit_test(test_external), cmocka_unit_test(test_force_loop),
      cmocka_unit_test(test_gripper), cmocka_unit_test(test_grip_settles),  cmocka_unit_test(test_task)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
