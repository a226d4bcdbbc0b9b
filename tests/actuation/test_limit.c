// Limits, friction losses and springs in a stepped world, against closed forms.
#include "support/near.h"
#include "support/sim_world.h"
#include <holdfast/step_problem.h>

#include <math.h>
#include <stdio.h>

static const double kG = 9.81;

// ---- limits -------------------------------------------------------------------------------------------

// A weight falls on the lower end of its slide: it stops there without a bounce and rests on it with the
// near-rigid sag F/kappa T = g h T (beta/2 pi)^2, T = 0.02 s.
static void test_falling_on_a_limit(void** state) {
  (void)state;
  const double steps[] = {0.0005, 0.002, 0.01};
  for (int k = 0; k < 3; ++k) {
    double h = steps[k], sag = kG * h * 0.02 / (400 * 9.8696044010893586);
    simWorld w = sim_world_make("<mujoco><worldbody><body pos='0 0 3'><joint type='slide' axis='0 0 1' limited='true' range='-.5 4'/>"
                                "<geom size='.1' mass='2'/></body></worldbody></mujoco>", h, 1e-12);
    double lowest = 0;
    int touched = 0;
    for (double t = 0; t < 1.5; t += h) {
      sim_world_step(&w, 1);
      lowest = fmin(lowest, sim_q(&w)[0]);
      touched |= sim_q(&w)[0] < -0.5 + 1e-3;
      if (touched) assert_below(sim_q(&w)[0], -0.5 + 1e-3); // never up again
    }
    assert_true(touched); // 2.5e-4 of the last move
    assert_above(lowest, -0.5 - sqrt(2 * kG * 0.5) * h * 3e-4 - sag);
    assert_near(sim_q(&w)[0], -0.5 - sag, 1e-3 * sag);
    assert_near(sim_v(&w)[0], 0, 1e-9);
    sim_world_free(&w);
  }
}

// A limit with a stiffness k and damping c of its own sags by F/k.
static void check_soft_limit(double k, double c) {
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  body.has_inertial = 1, body.mass = 2;
  for (int i = 0; i < 3; ++i) body.inertia[i] = 1;
  hfJointDef joint = hf_joint_def_default();
  joint.body = hf_builder_add_body(b, &body, NULL), joint.type = HF_JOINT_SLIDE, joint.limited = 1;
  joint.range[0] = -0.1, joint.range[1] = 0.1, joint.limit_stiffness = k, joint.limit_damping = c;
  assert_int_equal(hf_builder_add_joint(b, &joint, NULL), 0);
  hf_builder_world(b)->gravity[2] = -kG;
  simWorld w = {0};
  hfError error;
  if (hf_builder_finish(b, &w.model, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  assert_int_equal(hf_sim_create(&w.sim, w.model, NULL, NULL), HF_OK);
  w.state = hf_state_create(w.model);
  w.input = hf_input_create(w.model);
  sim_world_step(&w, 6000);
  assert_near(sim_q(&w)[0], -0.1 - 2 * kG / k, 1e-9);
  sim_world_free(&w);
}

// It does not let go, even where that is more than a metre.
static void test_soft_limit(void** state) {
  (void)state;
  check_soft_limit(1000, 30);
  check_soft_limit(15, 11);
}

// A joint that starts beyond its limit comes back, no faster than the release speed of the world, 0.5 rad/s.
static void test_start_beyond_a_limit(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint limited='true' range='.5 1'/>"
                              "<geom size='.1' mass='2'/></body></worldbody></mujoco>", 0.002, 1e-12);
  sim_q(&w)[0] = 0.3;
  double fastest = 0;
  for (int i = 0; i < 300; ++i) {
    sim_world_step(&w, 1);
    fastest = fmax(fastest, fabs(sim_v(&w)[0]));
  }
  assert_above(sim_q(&w)[0], 0.5);
  assert_below(sim_q(&w)[0], 1.001);
  assert_near(fastest, 0.5, 0.001); // 1/3949 of it is the slip of a near-rigid row
  sim_world_free(&w);
}

// A range that a step could cross holds at both ends.
static void test_narrow_range(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint name='a' limited='true' range='-.001 .001'/>"
                              "<geom size='.1' mass='.1'/></body></worldbody><actuator><motor joint='a'/></actuator></mujoco>", 0.005, 1e-12);
  for (int i = 0; i < 200; ++i) {
    w.input->ctrl[0] = i % 7 < 3 ? 5 : -5; // unhindered: 5/4e-4 rad/s^2, 0.3 rad a step
    sim_world_step(&w, 1);
    assert_below(fabs(sim_q(&w)[0]), 0.001 + 4.1e-4); // 2.5e-4 of that, and the sag F h T/kappa = 3.2e-4
  }
  sim_world_free(&w);
}

// A limit stops a joint that comes from afar within a step, at either end; one that no step reaches has no row.
static void test_fast_joint(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint limited='true' range='-1 1'/>"
                              "<geom size='.1' mass='1'/></body></worldbody></mujoco>", 0.001, 1e-12);
  for (int side = -1; side <= 1; side += 2) {
    sim_q(&w)[0] = 0, sim_v(&w)[0] = 1500 * side; // unhindered: 1.5 rad a step
    sim_world_step(&w, 1);
    assert_near(sim_q(&w)[0], side, 1e-3);
  }
  const hfStepProblem* problem = NULL;
  sim_q(&w)[0] = 0.9989, sim_v(&w)[0] = 0; // 0.001 rad a step are thought possible
  assert_int_equal(hf_sim_problem(w.sim, w.state, NULL, &problem, NULL), HF_OK);
  assert_int_equal(problem->nblock, 0);
  sim_q(&w)[0] = 0.9991;
  assert_int_equal(hf_sim_problem(w.sim, w.state, NULL, &problem, NULL), HF_OK);
  assert_int_equal(problem->nblock, 1);
  sim_world_free(&w);
}

// A force that nobody expects drives a joint at rest to a limit that had no row: the step is solved again, and the joint stops there. A
// near-rigid row lets 2.5e-4 of the unhindered move pass.
static void test_kicked_joint(void** state) {
  (void)state;
  const double h = 0.001, inertia = 0.4 * 0.1 * 0.1, added[] = {3, 30, 50, 500, 5000}; // [s], [kg m^2], [rad/s]
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint limited='true' range='-1 1'/>"
                              "<geom size='.1' mass='1'/></body></worldbody></mujoco>", h, 1e-12);
  for (int i = 0; i < 10; ++i) {
    double side = i % 2 ? 1 : -1, speed = added[i / 2], unhindered = 0.96 + h * speed;
    sim_q(&w)[0] = 0.96 * side, sim_v(&w)[0] = 0;
    w.input->force[0] = side * inertia * speed / h;
    sim_world_step(&w, 1);
    if (unhindered < 1) assert_near(sim_q(&w)[0], side * unhindered, 1e-12);
    else assert_near(sim_q(&w)[0], side, 3e-4 * h * speed);
  }
  sim_world_free(&w);
}

// A gripper that rests at zero, at one end of its range: the rigid method steps, and nothing moves but by rounding. All its numbers are
// rounding then, and only the other ends give them a scale.
static void test_rigid_fingers_at_rest(void** state) {
  (void)state;
  simWorld w = sim_world_make_method("<mujoco><worldbody>"
                              "<body><joint name='l' type='slide' axis='1 0 0' limited='true' range='-.055 0' frictionloss='1'/>"
                              "<geom size='.01' mass='.3' contype='0' conaffinity='0'/></body>"
                              "<body><joint name='r' type='slide' axis='1 0 0' limited='true' range='0 .055' frictionloss='1'/>"
                              "<geom size='.01' mass='.3' contype='0' conaffinity='0'/></body></worldbody>"
                              "<equality><joint joint1='r' joint2='l' polycoef='0 -1 0 0 0'/></equality></mujoco>", HF_METHOD_MLCP, 0.002, 1e-12);
  sim_world_step(&w, 25);
  assert_near(sim_q(&w)[0], 0, 1e-15);
  assert_near(sim_q(&w)[1], 0, 1e-15);
  sim_world_free(&w);
}

static void test_ball_limit(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><worldbody><body><joint type='ball' limited='true' range='0 .4'/>"
                              "<geom size='.1' mass='1' pos='0 0 .3'/></body></worldbody></mujoco>", 0.002, 1e-12);
  sim_v(&w)[0] = 0.3, sim_v(&w)[1] = 0.2;
  double most = 0;
  for (int i = 0; i < 1500; ++i) {
    sim_world_step(&w, 1);
    most = fmax(most, 2 * acos(fmin(1, fabs(sim_q(&w)[0]))));
  }
  assert_near(most, 0.4, 1e-3); // it topples and is held at the rim, where it may slide around
  sim_world_free(&w);
}

static void test_tendon_limit(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><worldbody><body><joint name='a' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body>"
                              "<body pos='1 0 0'><joint name='b' type='slide' axis='0 0 1'/><geom size='.1' mass='3'/></body></worldbody>"
                              "<tendon><fixed limited='true' range='-.2 .3'><joint joint='a' coef='1'/><joint joint='b' coef='-1'/></fixed></tendon>"
                              "<actuator><motor joint='a'/></actuator></mujoco>", 0.002, 1e-12);
  w.input->ctrl[0] = 2; // pulls a away from b until the tendon is taut, then both
  sim_world_step(&w, 1000);
  assert_near(sim_q(&w)[0] - sim_q(&w)[1], 0.3, 1e-6);
  double v = sim_v(&w)[0], dv;
  sim_world_step(&w, 1);
  dv = sim_v(&w)[0] - v;
  assert_near(dv / 0.002, 2.0 / 4 - kG, 1e-6);
  sim_world_free(&w);
}

// A tendon of a finger, 1 cm from the axis of the joint, whose range is as narrow as that makes it: far from both ends it has no row, near one of
// them one. A kick that nobody expects brings it to an end that had none: the step is solved again, and it stops there. A near-rigid row
// lets 2.5e-4 of the unhindered move pass.
static void test_far_tendon_limit(void** state) {
  (void)state;
  const double h = 0.002, inertia = 0.4 * 0.1 * 0.1, arm = 0.01; // [s], [kg m^2], [m]
  simWorld w = sim_world_make("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a'/><geom size='.1' mass='1'/></body></worldbody>"
                              "<tendon><fixed limited='true' range='-.01 .01'><joint joint='a' coef='.01'/></fixed></tendon></mujoco>", h, 1e-12);
  const hfStepProblem* problem = NULL;
  const double at[] = {0, 0.9979, -0.9979, 0.9981, -0.9981}; // 0.002 rad a step are thought possible
  for (int i = 0; i < 5; ++i) {
    sim_q(&w)[0] = at[i];
    assert_int_equal(hf_sim_problem(w.sim, w.state, NULL, &problem, NULL), HF_OK);
    assert_int_equal(problem->nblock, i >= 3);
  }
  for (int i = 0; i < 4; ++i) {
    double side = i % 2 ? 1 : -1, speed = i < 2 ? 10 : 1000, unhindered = 0.96 + h * speed;
    sim_q(&w)[0] = 0.96 * side, sim_v(&w)[0] = 0;
    w.input->force[0] = side * inertia * speed / h;
    sim_world_step(&w, 1);
    if (unhindered < 1) assert_near(sim_q(&w)[0], side * unhindered, 1e-12);
    else assert_near(arm * sim_q(&w)[0], arm * side, 3e-4 * arm * h * speed);
  }
  sim_world_free(&w);
}

// ---- friction losses ----------------------------------------------------------------------------------

// Below the loss a load stands still, or with regularised friction creeps at the stiction speed times its share of the loss; above
// it the difference accelerates; without load the loss brakes to a stop.
static void test_friction_loss(void** state) {
  (void)state;
  const double loads[] = {0.5, 1.5};
  for (int k = 0; k < 4; ++k) {
    const char* law = k < 2 ? "<custom><text name='hf.friction' data='regularised'/></custom>" : "";
    char scene[1024];
    snprintf(scene, sizeof scene, "<mujoco>%s<option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' axis='1 0 0' frictionloss='1'/>"
                                "<geom size='.1' mass='2'/></body></worldbody><actuator><motor joint='a'/></actuator></mujoco>", law);
    simWorld w = sim_world_make(scene, 0.002, 1e-12);
    w.input->ctrl[0] = loads[k % 2];
    sim_world_step(&w, 500);
    // The spring of anchored friction takes half of what is missing in each step: 2^-500 is left.
    if (k == 2) assert_near(sim_v(&w)[0], 0, 1e-15), assert_near(hf_state_friction(w.state)[0], 0.5, 1e-12);
    else if (k == 0) assert_near(sim_v(&w)[0], 0.5 * w.model->world.stiction_speed, 1e-9);
    else assert_near(sim_v(&w)[0], 0.5 / 2 * 1.0, 1e-3 * w.model->world.stiction_speed + 2e-4);
    w.input->ctrl[0] = 0;
    sim_v(&w)[0] = 0.3;
    sim_world_step(&w, 200); // 0.4 s at 0.5 m/s^2
    assert_near(sim_v(&w)[0], 0.1, 1e-9);
    sim_world_step(&w, 200);
    assert_near(sim_v(&w)[0], 0, 1e-12);
    sim_world_free(&w);
  }
}

// The slope of friction is loss over stiction speed, but at most the near-rigid one, (2 pi/beta)^2/(w h): that of a heavy link, with or
// without a bound on its inverse mass w, and that of a light one, whose slope is capped. w by the inverse of the 3 x 3 M.
static void test_friction_slope(void** state) {
  (void)state;
  const double h = 0.002, loss = 0.5, kPi = 3.14159265358979323846;
  simWorld w = sim_world_make("<mujoco><option gravity='0 0 0'/><default><joint axis='0 0 1' frictionloss='.5'/></default><worldbody>"
                              "<body><joint armature='.02'/><geom size='.1' mass='2' pos='.2 0 0'/>"
                              "<body pos='.4 0 0'><joint type='slide' axis='1 0 0'/><geom size='.1' mass='1'/>"
                              "<body pos='.1 0 0'><joint/><geom size='.001' mass='1e-4'/></body></body></body></worldbody></mujoco>", h, 1e-12);
  const hfStepProblem* p = NULL;
  assert_int_equal(hf_sim_problem(w.sim, w.state, NULL, &p, NULL), HF_OK);
  assert_int_equal(p->nsaturated, 3);
  const double* M = p->M;
  double det = M[0] * (M[4] * M[8] - M[5] * M[7]) - M[1] * (M[3] * M[8] - M[5] * M[6]) + M[2] * (M[3] * M[7] - M[4] * M[6]);
  double minor[] = {M[4] * M[8] - M[5] * M[7], M[0] * M[8] - M[2] * M[6], M[0] * M[4] - M[1] * M[3]};
  int capped = 0;
  for (int i = 0; i < 3; ++i) {
    double plain = loss / w.model->world.stiction_speed, stiffest = 400 * kPi * kPi * det / (minor[i] * h);
    assert_near(p->saturated[i].kappa, fmin(plain, stiffest), 1e-9 * fmin(plain, stiffest));
    capped += plain > stiffest;
  }
  assert_int_equal(capped, 1);
  sim_world_free(&w);
}

// ---- springs and dampers --------------------------------------------------------------------------------

// Implicit Euler of a damped spring on a hinge, in closed form.
static void test_damped_spring(void** state) {
  (void)state;
  const double h = 0.01, k = 500, c = 2, I = 2.0 / 5 * 3 * 0.01;
  simWorld w = sim_world_make("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body><joint axis='0 0 1' stiffness='500' damping='2' springref='.2'/>"
                              "<geom size='.1' mass='3'/></body></worldbody></mujoco>", h, 1e-12);
  double q = 0, v = 1;
  sim_v(&w)[0] = v;
  for (int i = 0; i < 200; ++i) {
    v = (I * v - h * k * (q - 0.2)) / (I + h * c + h * h * k);
    q += h * v;
    sim_world_step(&w, 1);
    assert_near(sim_q(&w)[0], q, 1e-12);
  }
  sim_world_free(&w);
}

static double total_energy(simWorld* w) {
  assert_int_equal(hf_sim_evaluate(w->sim, w->state, w->input, NULL), HF_OK);
  const hfDynamics* d = hf_sim_dynamics(w->sim);
  return hf_dynamics_kinetic_energy(d) + hf_dynamics_potential_energy(d, sim_q(w));
}

// Springs on a ball and a free joint, and a tendon with a dead band, too stiff for an explicit step: the
// energy of bodies without gyroscopic terms falls at every step.
static void test_stiff_springs_are_passive(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"
      "<body><joint type='ball' stiffness='1e4'/><geom size='.1' mass='1'/></body>"
      "<body pos='1 0 0'><joint type='free' stiffness='1e4'/><geom size='.1' mass='1'/></body>"
      "<body pos='2 0 0'><joint name='a' type='slide' axis='0 0 1'/><geom size='.1' mass='.1'/></body>"
      "<body pos='3 0 0'><joint name='b' type='slide' axis='0 0 1'/><geom size='.1' mass='.1'/></body></worldbody>"
      "<tendon><fixed stiffness='1e5' damping='1' springlength='-.1 .1'><joint joint='a' coef='1'/><joint joint='b' coef='-2'/></fixed></tendon></mujoco>", 0.01, 1e-10);
  for (int i = 0; i < w.model->nv; ++i) sim_v(&w)[i] = 1 + 0.3 * i;
  double energy = total_energy(&w), first = energy;
  for (int i = 0; i < 300; ++i) {
    sim_world_step(&w, 1);
    double now = total_energy(&w);
    assert_at_most(now, energy * (1 + 1e-9));
    energy = now;
  }
  assert_below(energy, 0.2 * first);
  sim_world_free(&w);
}

// A limit under a steady load F rests at the depth F T/kappa, T = 0.02 s and kappa = (2 pi/beta)^2 m/h, also where the joint would have to return
// faster than the release speed of 0.5 m/s from there: beyond 1 cm. It let go there, without end. The depth is approached over some T.
static void test_overloaded_limits(void** state) {
  (void)state;
  static const char* const scenes[] = {
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' range='0 1'/><geom size='.01' mass='.001'/></body></worldbody></mujoco>",
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide'/><geom size='.01' mass='.001'/></body></worldbody>"
      "<tendon><fixed limited='true' range='0 1'><joint joint='x' coef='1'/></fixed></tendon></mujoco>"};
  for (int k = 0; k < 2; ++k)
    for (int load = 9; load <= 900; load *= 10) { // up to 9 cm: by more than 10 cm a limit lets go
      double h = 0.02, kappa = pow(2 * acos(-1) / 0.1, 2) * 0.001 / h;
      simWorld w = sim_world_make(scenes[k], h, 1e-12);
      w.input->force[0] = -load;
      sim_world_step(&w, 200);
      assert_near(sim_q(&w)[0], -load * 0.02 / kappa, 1e-6 * load * 0.02 / kappa);
      sim_world_free(&w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falling_on_a_limit), cmocka_unit_test(test_soft_limit),   cmocka_unit_test(test_start_beyond_a_limit),
      cmocka_unit_test(test_narrow_range),       cmocka_unit_test(test_fast_joint),   cmocka_unit_test(test_kicked_joint),  cmocka_unit_test(test_rigid_fingers_at_rest),
      cmocka_unit_test(test_overloaded_limits), cmocka_unit_test(test_ball_limit),   cmocka_unit_test(test_tendon_limit), cmocka_unit_test(test_far_tendon_limit),
      cmocka_unit_test(test_friction_loss),      cmocka_unit_test(test_friction_slope), cmocka_unit_test(test_damped_spring), cmocka_unit_test(test_stiff_springs_are_passive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
