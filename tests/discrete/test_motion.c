// Free flight, contacts that nobody foresaw, fast bodies, impacts and rolling, against closed forms.
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- flight -------------------------------------------------------------------------------------------------

// Two links on a ball and a hinge joint, in free fall: the centre of mass falls along a parabola, and the angular
// momentum about it and the energy stay. Rounding of 2000 steps only.
static void test_tree_in_flight(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><worldbody><body><freejoint/><geom type='box' size='.1 .05 .02' contype='0'/>"
      "<body pos='.1 0 0'><joint type='ball'/><geom type='capsule' size='.02' fromto='0 0 0 0 .1 -.2' contype='0'/>"
      "<body pos='0 .1 -.2'><joint axis='1 0 0'/><geom type='capsule' size='.02' fromto='0 0 0 .1 0 -.1' contype='0'/>"
      "</body></body></body></worldbody></mujoco>", 1e-3, 1e-10);
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, w.model, NULL), HF_OK);
  for (int i = 0; i < w.model->nv; ++i) sim_v(&w)[i] = 3 * sin(1 + 2 * i);
  hfVec3 p, L0, L;
  hf_dynamics_set_position(d, sim_q(&w), NULL), hf_dynamics_set_velocity(d, sim_v(&w));
  hfVec3 c0 = hf_dynamics_com(d, 0);
  double mass = hf_model_body_subtreemass(w.model)[0], T0 = hf_dynamics_kinetic_energy(d);
  hf_dynamics_momentum(d, c0, &p, &L0);
  double U0 = hf_dynamics_potential_energy(d, sim_q(&w)), u = p.z / mass;
  sim_world_step(&w, 2000);
  hf_dynamics_set_position(d, sim_q(&w), NULL), hf_dynamics_set_velocity(d, sim_v(&w));
  hfVec3 c = hf_dynamics_com(d, 0);
  hf_dynamics_momentum(d, c, &p, &L);
  double E = hf_dynamics_kinetic_energy(d) + hf_dynamics_potential_energy(d, sim_q(&w));
  double size = sqrt(L0.x * L0.x + L0.y * L0.y + L0.z * L0.z);
  assert_below(fabs(L.x - L0.x) + fabs(L.y - L0.y) + fabs(L.z - L0.z), 1e-10 * size);
  assert_below(fabs(p.z / mass - (u - 9.81 * 2)), 1e-10);
  // the path of the centre is of second order: h^2 times the rates of the links, 3 rad/s, cubed
  assert_below(fabs(c.z - (c0.z + 2 * u - 9.81 * 2)), 1e-4);
  assert_below(fabs(E - T0 - U0), 1e-5 * T0);
  hf_dynamics_free(d);
  sim_world_free(&w);
}

// A ball in flight keeps its spin to the last bit, and its velocity changes by h g with one rounding a step. The armature of a free joint has
// inertia but no weight: m g = (m + a) dv/dt, but for the rounding of 100 steps.
static void test_bodies_that_fall(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><worldbody><body><joint type='free'/><geom size='.05' mass='2' contype='0'/></body>"
      "<body><joint type='free' armature='3'/><geom size='.05' mass='2' contype='0'/></body></worldbody></mujoco>", 1e-3, 1e-10);
  const double spin[3] = {7, -11, 0.3};
  memcpy(sim_v(&w) + 3, spin, sizeof spin);
  double fallen = 0;
  for (int k = 1; k <= 100; ++k) {
    sim_world_step(&w, 1);
    fallen += 1e-3 * -9.81;
    assert_true(sim_v(&w)[2] == fallen);
    assert_memory_equal(sim_v(&w) + 3, spin, sizeof spin);
    assert_below(fabs(sim_v(&w)[8] + 9.81 * 2 / 5 * 1e-3 * k), 1e-13);
  }
  sim_world_free(&w);
}

// Armature adds to M but not to the bias: (I + a) dw/dt = -w x I w. That of a tendon adds a J^T J with the row J of the tendon, here along z at a
// site on the y axis, which couples z and the turn about x; where the tendon is short compared with its length its direction stays. Errors
// are of the order of the step.
static void test_bodies_with_armature(void** state) {
  (void)state;
  const double h = 1e-5, I[3] = {0.13, 0.1, 0.05}, w0[3] = {1, 2, 3};
  simWorld w = sim_world_make(
      "<mujoco><option gravity='0 0 0'/><worldbody><site name='far' pos='0 .5 1e6'/>"
      "<body><joint type='free' armature='.1'/><inertial pos='0 0 0' mass='3' diaginertia='.13 .1 .05'/></body>"
      "<body><freejoint/><inertial pos='0 0 0' mass='3' diaginertia='.13 .1 .05'/><site name='near' pos='0 .5 0'/></body></worldbody>"
      "<tendon><spatial armature='2'><site site='far'/><site site='near'/></spatial></tendon></mujoco>", h, 1e-10);
  for (int b = 0; b < 2; ++b) memcpy(sim_v(&w) + 6 * b + 3, w0, sizeof w0);
  sim_world_step(&w, 1);
  const double* v = sim_v(&w);
  const double torque[3] = {-(I[2] - I[1]) * w0[1] * w0[2], -(I[0] - I[2]) * w0[2] * w0[0], -(I[1] - I[0]) * w0[0] * w0[1]};
  for (int k = 0; k < 3; ++k) assert_below(fabs((v[3 + k] - w0[k]) / h - torque[k] / (I[k] + 0.1)), 1e-3);
  // Of the site y and z are in the plane of the turn about x; its acceleration along z is dz + 0.5 dx + the centripetal part w_z w_y 0.5.
  const double a = 2, arm = 0.5, swing = arm * w0[1] * w0[2];
  // m dz = f, I_x dx = torque_x + 0.5 f, f = -a (dz + 0.5 dx + swing)
  double f = -a * (swing + arm * torque[0] / I[0]) / (1 + a / 3 + a * arm * arm / I[0]);
  assert_below(fabs((v[8] - 0) / h - f / 3), 1e-3);
  assert_below(fabs((v[9] - w0[0]) / h - (torque[0] + arm * f) / I[0]), 1e-3);
  sim_world_free(&w);
}

// A tree of slides, whose forces are taken at the start of the step alone, beside a double pendulum and a motor, that fly or do not. The
// slides follow their parabolas but for the rounding of 500 steps, and the pendulum moves to the last bit as in a world of its own.
#define PENDULUM "<body pos='0 0 2'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' contype='0'/>" \
  "<body pos='.3 0 0'><joint axis='1 0 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 .3 0' contype='0'/></body></body>"

static void test_slides_beside_others(void** state) {
  (void)state;
  simWorld alone = sim_world_make("<mujoco><worldbody>" PENDULUM "</worldbody></mujoco>", 1e-3, 1e-10);
  simWorld w = sim_world_make("<mujoco><worldbody>" PENDULUM
      "<body><joint type='slide' axis='1 0 1'/><geom size='.05' mass='1' contype='0'/><body><joint type='slide' axis='0 1 0'/>"
      "<geom size='.05' mass='2' contype='0'/></body></body>"
      "<body><joint name='j' type='slide'/><geom size='.05' mass='1' contype='0'/></body></worldbody>"
      "<actuator><motor joint='j'/></actuator></mujoco>", 1e-3, 1e-10);
  w.input->ctrl[0] = 9.81 + 3;
  sim_v(&w)[0] = sim_v(&alone)[0] = 2, sim_v(&w)[2] = 0.5, sim_v(&w)[3] = -0.4;
  for (int k = 1; k <= 500; ++k) {
    sim_world_step(&w, 1), sim_world_step(&alone, 1);
    double t = 1e-3 * k, g = -9.81 * sqrt(0.5); // along the skew slide
    assert_memory_equal(sim_q(&w), sim_q(&alone), 2 * sizeof(double));
    assert_memory_equal(sim_v(&w), sim_v(&alone), 2 * sizeof(double));
    assert_below(fabs(sim_q(&w)[2] - (0.5 * t + 0.5 * g * t * t)), 1e-12);
    assert_below(fabs(sim_v(&w)[2] - (0.5 + g * t)), 1e-12);
    assert_below(fabs(sim_q(&w)[3] + 0.4 * t), 1e-12);
    assert_below(fabs(sim_v(&w)[3] + 0.4), 1e-12);
    assert_below(fabs(sim_v(&w)[4] - 3 * t), 1e-12);
  }
  sim_world_free(&alone);
  sim_world_free(&w);
}

// The mass matrix and the weight of slides are kept from step to step, but not when parameters change: of a slide with armature a
// (m + a) dv/dt = m g, but for the rounding of 20 steps.
static void test_slides_with_new_parameters(void** state) {
  (void)state;
  hfModel* base = parse_model("<mujoco><worldbody><body><joint type='slide' armature='.5'/><geom size='.05' mass='1' contype='0'/></body></worldbody></mujoco>");
  hfParams* params = NULL;
  hfSim* sim = NULL;
  hfSimConfig config = hf_sim_config_default();
  config.step = 1e-3;
  assert_int_equal(hf_params_create(&params, base, NULL), HF_OK);
  assert_int_equal(hf_sim_create(&sim, hf_params_model(params), &config, NULL), HF_OK);
  hfState* s = hf_state_create(base);
  for (int k = 0; k < 10; ++k) assert_int_equal(hf_sim_step(sim, s, NULL, NULL, NULL), HF_OK);
  double before = -9.81 * 1 / 1.5 * 10e-3;
  assert_below(fabs(hf_state_v(s)[0] - before), 1e-14);
  hf_params_gravity(params)[2] = -2;
  hf_params_field(params, HF_FIELD_body_mass)[1] = 4;
  hf_params_field(params, HF_FIELD_dof_armature)[0] = 1;
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
  for (int k = 0; k < 10; ++k) assert_int_equal(hf_sim_step(sim, s, NULL, NULL, NULL), HF_OK);
  assert_below(fabs(hf_state_v(s)[0] - (before - 2 * 4.0 / 5 * 10e-3)), 1e-14);
  hf_state_free(s);
  hf_sim_free(sim);
  hf_params_free(params);
  hf_model_free(base);
}

// A free body that gets armature by new parameters spins with it from then on, and without it when it loses it: (I + a) dw/dt = -w x I w.
static void test_free_bodies_with_new_parameters(void** state) {
  (void)state;
  const double h = 1e-5, w0[3] = {1, 2, 3}, torque = (0.1 - 0.05) * 2 * 3;
  hfModel* base = parse_model("<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><inertial pos='0 0 0' mass='3' diaginertia='.13 .1 .05'/></body></worldbody></mujoco>");
  hfParams* params = NULL;
  hfSim* sim = NULL;
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  assert_int_equal(hf_params_create(&params, base, NULL), HF_OK);
  assert_int_equal(hf_sim_create(&sim, hf_params_model(params), &config, NULL), HF_OK);
  for (int k = 0; k < 3; ++k) {
    double armature = k == 1 ? 0.1 : 0;
    for (int i = 0; i < 6; ++i) hf_params_field(params, HF_FIELD_dof_armature)[i] = armature;
    assert_int_equal(hf_params_update(params, NULL), HF_OK);
    hfState* s = hf_state_create(base);
    memcpy(hf_state_mutable_v(s) + 3, w0, sizeof w0);
    assert_int_equal(hf_sim_step(sim, s, NULL, NULL, NULL), HF_OK);
    assert_below(fabs((hf_state_v(s)[3] - w0[0]) / h - torque / (0.13 + armature)), 1e-3);
    hf_state_free(s);
  }
  hf_sim_free(sim);
  hf_params_free(params);
  hf_model_free(base);
}

// ---- contacts -----------------------------------------------------------------------------------------------

// 12 N on 100 g across a gap of 1 mm at 10 ms would come 6 mm far: it is stopped where its stiffness says, F/k with
// two geoms of 1e6 N/m in series at four corners.
static void test_motor_does_not_tunnel(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .02 .02' pos='.016 0 0'/><body><joint name='j' type='slide' axis='1 0 0'/>"
      "<geom type='box' size='.01 .01 .01' mass='.1'/></body></worldbody><actuator><motor joint='j'/></actuator></mujoco>", 1e-2, 1e-10);
  w.input->ctrl[0] = 12;
  for (int i = 0; i < 50; ++i) {
    sim_world_step(&w, 1);
    assert_below(sim_q(&w)[0], 1e-3 + 1e-5);
  }
  assert_below(fabs(sim_q(&w)[0] - 1e-3 - 12 / (4 * 5e5)), 1e-9);
  sim_world_free(&w);
}

// A bullet of 1000 m/s covers a metre in a step: it stops at a wall, and passes a plate that is not in its way.
static void shoot(double y, double* x, double* v) {
  char xml[400];
  snprintf(xml, sizeof xml, "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.0005 .05 .05'/>"
           "<body pos='-.317 %g 0'><freejoint/><geom size='.005'/></body></worldbody></mujoco>", y);
  simWorld w = sim_world_make(xml, 1e-3, 1e-8);
  sim_v(&w)[0] = 1000;
  sim_world_step(&w, 5);
  *x = sim_q(&w)[0], *v = sim_v(&w)[0];
  sim_world_free(&w);
}

static void test_bullets(void** state) {
  (void)state;
  double x, v;
  shoot(0, &x, &v);
  assert_below(x, -0.0005);
  shoot(0.1, &x, &v);
  assert_below(fabs(v - 1000), 1e-9);
  assert_below(fabs(x - (5 - 0.317)), 1e-9);
}

// ---- impacts ------------------------------------------------------------------------------------------------

// Rebound of e^2 of the height. The highest point falls between two steps: g h^2/8 lower.
static void test_rebound(void** state) {
  (void)state;
  static const double e[3] = {0.3, 0.8, 1};
  for (int i = 0; i < 3; ++i) {
    char xml[400];
    snprintf(xml, sizeof xml, "<mujoco><custom><numeric name='hf.ball.restitution' data='%g'/></custom><worldbody><geom type='plane' size='9 9 1'/>"
             "<body pos='0 0 .55'><freejoint/><geom name='ball' size='.05'/></body></worldbody></mujoco>", e[i]);
    simWorld w = sim_world_make(xml, 1e-3, 1e-10);
    double top = 0, last = 0;
    for (int k = 0, up = 0; k < 900; ++k) {
      sim_world_step(&w, 1);
      up |= sim_v(&w)[2] > last + 0.5;
      last = sim_v(&w)[2];
      if (up) top = fmax(top, sim_q(&w)[2] - 0.05);
    }
    assert_below(fabs(top - 0.5 * e[i] * e[i]), 1e-4);
    sim_world_free(&w);
  }
}

// Five touching balls, no gravity or friction: the first stops and the last leaves with its speed, and the contacts
// report the momentum that went through them.
static void test_row_of_balls(void** state) {
  (void)state;
  char xml[2000] = "<mujoco><option gravity='0 0 0'/><custom><numeric name='hf.restitution' data='1'/></custom><worldbody>";
  for (int i = 0; i < 5; ++i)
    snprintf(xml + strlen(xml), sizeof xml - strlen(xml),
             "<body pos='%g 0 0'><freejoint/><geom size='.02' mass='.1' friction='0'/></body>", 0.04 * i);
  strcat(xml, "</worldbody></mujoco>");
  simWorld w = sim_world_make(xml, 1e-3, 1e-10);
  sim_v(&w)[0] = 2;
  sim_world_step(&w, 1);
  for (int i = 0; i < 5; ++i) assert_below(fabs(sim_v(&w)[6 * i] - (i == 4 ? 2 : 0)), 1e-6);
  for (int i = 0; i < hf_sim_contact_count(w.sim); ++i)
    assert_below(fabs(hf_sim_contact(w.sim, i).fn * 1e-3 - 0.2), 1e-6);
  sim_world_free(&w);
}

// ---- rolling ------------------------------------------------------------------------------------------------

// A ball that rolls straight and pivots goes straight on; taking the separation of material points for slip would move
// it aside by h w_z v/2 = 5 mm/s.
static void test_rolling_and_pivoting(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .05'><freejoint/>"
                              "<geom size='.05' friction='.8 0 0'/></body></worldbody></mujoco>", 1e-3, 1e-10);
  sim_v(&w)[0] = 1, sim_v(&w)[4] = 20, sim_v(&w)[5] = 10;
  sim_world_step(&w, 1000);
  double y = sim_q(&w)[1];
  sim_world_step(&w, 1000);
  assert_below(fabs(sim_q(&w)[1] - y), 1e-6);
  sim_world_free(&w);
}

// A ball that rolls on a turntable runs in a circle at 2/7 of its rate, at a constant speed, and does not start to spin about
// the vertical: friction at a point has no moment about it. 5 s are 1.8 rad of the circle; the error is of second order in
// (h w)^2 = 4e-4 with the spin w = 19 rad/s, and what is left of it after the start is far below that.
static void test_turntable(void** state) {
  (void)state;
  const double Om = 2 * 3.14159265358979323846 / 5, v0 = 0.3;
  simWorld w = sim_world_make(
      "<mujoco><worldbody><body><joint axis='0 0 1' armature='1e4'/><geom type='cylinder' size='3 .05' pos='0 0 -.05' mass='1000'/></body>"
      "<body pos='1 0 .05'><freejoint/><geom size='.05' friction='.8 0 0'/></body></worldbody></mujoco>", 1e-3, 1e-10);
  sim_v(&w)[0] = Om, sim_v(&w)[2] = v0, sim_v(&w)[4] = (Om - v0) / 0.05;
  sim_world_step(&w, 5000);
  const double *v = sim_v(&w), *q = sim_q(&w) + 4;
  double vertical = 2 * (q[1] * q[3] - q[0] * q[2]) * v[4] + 2 * (q[2] * q[3] + q[0] * q[1]) * v[5] +
                    (1 - 2 * (q[1] * q[1] + q[2] * q[2])) * v[6];
  assert_below(fabs(hypot(v[1], v[2]) / v0 - 1), 1e-4);
  assert_below(fabs(vertical), 1e-3);
  sim_world_free(&w);
}

// Two boxes fall side by side, 0.1 mm apart and above a floor that they do not reach: near, but nothing acts on them. Their
// path is a parabola, to rounding.
static void test_near_bodies_fly(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .3'><freejoint/><geom type='box' size='.05 .05 .05'/></body>"
      "<body pos='.1001 0 .3'><freejoint/><geom type='box' size='.05 .05 .05'/></body></worldbody></mujoco>", 5e-3, 1e-10);
  sim_world_step(&w, 40);
  assert_below(fabs(sim_q(&w)[2] - (0.3 - 0.5 * 9.81 * 0.04)), 1e-13);
  assert_below(fabs(sim_q(&w)[9] - (0.3 - 0.5 * 9.81 * 0.04)), 1e-13);
  sim_world_free(&w);
}

// ---- nothing passes through ---------------------------------------------------------------------------------

static double kinetic_energy(hfDynamics* d, simWorld* w) {
  hf_dynamics_set_position(d, sim_q(w), NULL), hf_dynamics_set_velocity(d, sim_v(w));
  return hf_dynamics_kinetic_energy(d);
}

// Throws a shape at a wall of 1 mm at x = 0 and returns how often it stopped within a step. Its centre stays before the
// wall, and it never has more energy than at the start, but for rounding.
static int throw_at_wall(const char* shape, const char* attitude, double speed, double sideways, double spin, double h) {
  char xml[500];
  snprintf(xml, sizeof xml, "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.0005 5 5'/>"
           "<body pos='-.33 0 0' euler='%s'><freejoint/>%s</body></worldbody></mujoco>", attitude, shape);
  simWorld w = sim_world_make(xml, h, 1e-8);
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, w.model, NULL), HF_OK);
  double* v = sim_v(&w);
  v[0] = speed, v[1] = sideways, v[4] = spin, v[5] = 0.3 * spin;
  double energy = kinetic_energy(d, &w);
  int stopped = 0;
  for (int i = 0; i < 60; ++i) {
    hfStepReport report;
    hfError error;
    if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) fail_msg("%s", error.message);
    stopped += report.nstopped;
    assert_below(sim_q(&w)[0], 0);
    assert_at_most(kinetic_energy(d, &w), energy * (1 + 1e-12));
  }
  hf_dynamics_free(d);
  sim_world_free(&w);
  return stopped;
}

static void test_spinning_shapes(void** state) {
  (void)state;
  static const char* const shapes[4] = {"<geom type='cylinder' size='.005 .1'/>", "<geom type='ellipsoid' size='.1 .01 .02'/>",
                                        "<geom type='box' size='.08 .06 .001'/>", "<geom type='capsule' size='.004 .1'/>"};
  static const double steps[3] = {1e-3, 5e-3, 1e-2};
  int stopped = 0;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) {
      stopped += throw_at_wall(shapes[k], "20 50 0", 30, 20, 0, steps[i]);
      stopped += throw_at_wall(shapes[k], "0 40 10", 5, -3, 300, steps[i]);
    }
  assert_above(stopped, 0);
}

// A bar on a hinge turns by 3 rad in a step. A thin plate stands across its way at 90 degrees: the bar stays before it,
// seen from where it started, up to half of its own width and of the plate's.
static void test_bar_on_a_hinge(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.0005 .1 .1' pos='0 .35 0'/><body><joint axis='0 0 1'/>"
      "<geom type='capsule' size='.004' fromto='.05 0 0 .5 0 0'/></body></worldbody></mujoco>", 1e-2, 1e-8);
  sim_v(&w)[0] = 300;
  for (int i = 0; i < 100; ++i) {
    sim_world_step(&w, 1);
    assert_below(sim_q(&w)[0], 1.5707963267948966);
  }
  sim_world_free(&w);
}

// A capsule that spins about its own axis at 445 rad/s, by 0.45 rad in a step of 1 ms, leans, falls and slides. Returns its
// deepest overlap and where it comes to.
static double lean(double h, double* x, double* y) {
  simWorld w = sim_world_make(
      "<mujoco><worldbody><geom type='box' size='1 1 .001'/><body pos='0 0 .06' euler='0 60 0'><freejoint/>"
      "<geom type='capsule' size='.004 .08'/></body></worldbody></mujoco>", h, 1e-8);
  double deepest = 0;
  sim_v(&w)[5] = 445;
  while (w.state->time < 0.5 - 0.5 * h) {
    hfStepReport report;
    hfError error;
    if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) fail_msg("%s", error.message);
    deepest = fmax(deepest, report.max_depth);
  }
  *x = sim_q(&w)[0], *y = sim_q(&w)[1];
  sim_world_free(&w);
  return deepest;
}

// Its end does not sink into the floor, and the path is that of short steps: over half a second and 25 cm within 5 mm, as a step of
// first order leaves it.
static void test_whirling_rod(void** state) {
  (void)state;
  double x, y, fine_x, fine_y;
  lean(1e-4, &fine_x, &fine_y);
  assert_below(lean(1e-3, &x, &y), 5e-4);
  assert_below(hypot(x - fine_x, y - fine_y), 5e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree_in_flight), cmocka_unit_test(test_motor_does_not_tunnel), cmocka_unit_test(test_bullets),
      cmocka_unit_test(test_rebound),        cmocka_unit_test(test_row_of_balls),          cmocka_unit_test(test_rolling_and_pivoting),
      cmocka_unit_test(test_turntable),      cmocka_unit_test(test_near_bodies_fly),
      cmocka_unit_test(test_spinning_shapes), cmocka_unit_test(test_bar_on_a_hinge),
      cmocka_unit_test(test_whirling_rod),   cmocka_unit_test(test_slides_beside_others),
      cmocka_unit_test(test_bodies_that_fall), cmocka_unit_test(test_bodies_with_armature), cmocka_unit_test(test_slides_with_new_parameters), cmocka_unit_test(test_free_bodies_with_new_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
