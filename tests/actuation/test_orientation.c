// Orientation servos: forces of MuJoCo at random states, closed forms over steps.
#include "support/mujoco_scene.h"
#include "support/near.h"
#include "support/sim_world.h"

#include "math/vec3.h"

// The numbers of the axes of all servos. Returns how many there are.
static int take_axes(const hfModel* m, const double* from, double* to) {
  int n = 0;
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_gaintype(m)[i] == HF_GAIN_ORIENTATION && !(hf_model_actuator_inputs(m)[i] & HF_INPUT_W)) to[n++] = from[i];
  return n;
}

static void compare_axes(const hfModel* m, FILE* in, const char* name, const double* ours) {
  double* axes = calloc((size_t)m->nu, sizeof *axes);
  int n = take_axes(m, ours, axes);
  double* theirs = peer_row(in, name, n);
  peer_compare(name, axes, theirs, n, 1e-9);
  free(axes), free(theirs);
}

// On ball joints and sites, with rotation vectors and quaternions, bounded or not, with integrals; and position servos on one axis. 1e-9: MuJoCo computes log and exp in another way.
static void test_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_orientation_XXXXXX";
  enum { STATES = 100 };
  if (peer_run(folder, "actuation/mujoco_orientation.py", "100 20261116") != 0) skip();
  mujocoScene w;
  mujoco_scene_load(&w, folder, "scene", "states");
  const hfModel* m = w.model;
  for (int i = 0; i < STATES; ++i) {
    double *q = peer_row(w.in, "qpos", m->nq), *v = peer_row(w.in, "qvel", m->nv), *ctrl = peer_row(w.in, "ctrl", m->nu), *act = peer_row(w.in, "act", m->na);
    hf_dynamics_set_position(w.dynamics, q, NULL);
    hf_dynamics_set_velocity(w.dynamics, v);
    hf_actuation_update(w.actuation, w.dynamics, q);
    hf_actuation_forces(w.actuation, act, ctrl, m->world.timestep);
    compare_axes(m, w.in, "length", hf_actuation_length(w.actuation));
    compare_axes(m, w.in, "velocity", hf_actuation_velocity(w.actuation));
    compare_axes(m, w.in, "force", hf_actuation_force(w.actuation));
    double *force = peer_row(w.in, "jointforce", m->nv), *next = peer_row(w.in, "actnext", m->na);
    peer_compare("joint force", hf_actuation_joint_force(w.actuation), force, m->nv, 1e-9);
    hf_actuation_advance(w.actuation, act, m->world.timestep);
    peer_compare("activation a step later", act, next, m->na, 1e-12);
    free(q), free(v), free(ctrl), free(act), free(force), free(next);
  }
  peer_remove(folder);
  mujoco_scene_close(&w);
}

// A body of 0.16 kg m^2 about each axis.
#define BALL(servo) \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='ball'/><inertial pos='0 0 0' mass='1' diaginertia='.16 .16 .16'/>" \
  "<site name='s'/></body><site name='base'/></worldbody><actuator>" servo "</actuator><sensor><actuatorpos actuator='o'/><actuatorvel actuator='o'/>" \
  "<actuatorfrc actuator='o'/></sensor></mujoco>"

// Over one step from rest the body turns along the error alone, as a hinge of the inertia I with the same servo: v = h kp |e|/(I + h (kv + h kp)).
static void test_one_step(void** state) {
  (void)state;
  const double kp = 30, kv = 2, h = 0.02, I = 0.16, e[3] = {0.3, -0.9, 1.4};
  simWorld w = sim_world_make(BALL("<orientation name='o' joint='j' kp='30' kv='2'/>"), h, 1e-13);
  assert_int_equal(w.model->nu, 3);
  memcpy(w.input->ctrl, e, sizeof e);
  sim_world_step(&w, 1);
  const double* sensed = hf_sim_sensors(w.sim);
  assert_int_equal(w.model->nsensordata, 9);
  for (int k = 0; k < 3; ++k) {
    double v = h * kp * e[k] / (I + h * (kv + h * kp));
    assert_near(sim_v(&w)[k], v, 1e-11);
    assert_near(hf_sim_actuator_force(w.sim)[k], I * v / h, 1e-10);
    assert_near(sensed[k], h * v, 1e-11);
    assert_near(sensed[3 + k], v, 1e-11);
    assert_near(sensed[6 + k], I * v / h, 1e-10);
  }
  sim_world_free(&w);
}

// With gains that no explicit step survives (h kv/I = 1250, h^2 kp/I = 62, the limits are 2 and 4) the body arrives from the reference at any turn and stays
// there. The error falls as exp(-kp/kv t): to 1e-6 within 3 s.
static void test_arrives(void** state) {
  (void)state;
  static const double targets[][4] = {{0.5, -0.5, 0.5, 0.5}, {0.1, 1, 0, 0}, {-3, 0.2, 0.4, -0.1}, {0.05, 1, 1, -2}};
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_MLCP, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
    for (size_t t = 0; t < sizeof targets / sizeof *targets; ++t) {
      simWorld w = sim_world_make_method(BALL("<orientation name='o' site='s' refsite='base' kp='1e5' kv='2e4' input='quat'/>"), methods[k], 0.01, 1e-10);
      assert_int_equal(w.model->nu, 4);
      assert_int_equal(w.model->nsensordata, 9);
      memcpy(w.input->ctrl, targets[t], sizeof targets[t]);
      sim_world_step(&w, 300);
      hfQuat gap = q_mul(q_conj(q_unit(q_load(targets[t]))), q_unit(q_load(sim_q(&w))));
      assert_near(v3_norm(q_log(gap)), 0, 2e-6);
      sim_world_free(&w);
    }
}

// From 3 rad about x, a position servo whose control is -3 goes on through a half turn: 0.28 rad, and not 6 rad back.
static void test_shorter_way(void** state) {
  (void)state;
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    simWorld w = sim_world_make_method(BALL("<position name='o' joint='j' gear='1 0 0' kp='30' kv='6'/>"), methods[k], 0.01, 1e-10);
    double least = INFINITY;
    q_store(sim_q(&w), q_exp(v3(3, 0, 0)));
    w.input->ctrl[0] = -3;
    for (int n = 0; n < 300; ++n) {
      sim_world_step(&w, 1);
      least = fmin(least, fabs(q_log(q_load(sim_q(&w))).x));
    }
    assert_near(q_log(q_unit(q_load(sim_q(&w)))).x, -3, 1e-5);
    assert_above(least, 2.99);
    sim_world_free(&w);
  }
}

// A bounded torque has its direction: from rest the body speeds up along the error at F/I, whatever the size of the gains.
static void test_bound(void** state) {
  (void)state;
  const double F = 0.5, h = 0.01, I = 0.16, e[3] = {0.3, -0.9, 1.4}, size = sqrt(0.09 + 0.81 + 1.96);
  simWorld w = sim_world_make(BALL("<orientation name='o' joint='j' kp='300' kv='2' forcerange='0 .5'/>"), h, 1e-13);
  memcpy(w.input->ctrl, e, sizeof e);
  sim_world_step(&w, 10);
  for (int k = 0; k < 3; ++k) {
    assert_near(hf_sim_actuator_force(w.sim)[k], F * e[k] / size, 1e-10);
    assert_near(sim_v(&w)[k], 10 * h * F / I * e[k] / size, 1e-10);
  }
  // Turned at random and pushed, its size stays F. A step takes the direction from its start.
  for (int n = 0; n < 200; ++n) {
    w.input->ctrl[n % 3] = 2 * sin(n), sim_v(&w)[n % 3] += 0.3 * cos(n);
    sim_world_step(&w, 1);
    const double* f = hf_sim_actuator_force(w.sim);
    assert_at_most(v3_norm(v3_load(f)), F * (1 + 1e-2));
  }
  sim_world_free(&w);
}

// Methods with errors of their own kinds tend to one motion of a body with three inertias, off its target by 2 rad about a skew axis.
static void test_methods_agree(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><worldbody><body><joint name='j' type='ball'/><geom type='box' size='.1 .2 .3' pos='.1 0 .2' mass='2'/></body></worldbody>"
      "<actuator><orientation joint='j' kp='20' kv='1' forcerange='0 15'/></actuator></mujoco>";
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_RK3, HF_METHOD_IMPLICIT_EULER, HF_METHOD_SDIRK};
  double q[5][4];
  for (int k = 0; k < 5; ++k) {
    simWorld w = sim_world_make_method(scene, methods[k], 1e-4, 1e-12);
    w.input->ctrl[0] = 1.2, w.input->ctrl[1] = -1, w.input->ctrl[2] = 1.2;
    sim_v(&w)[1] = 3;
    sim_world_step(&w, 4000);
    memcpy(q[k], sim_q(&w), sizeof q[k]);
    sim_world_free(&w);
  }
  for (int k = 1; k < 5; ++k)
    for (int i = 0; i < 4; ++i) assert_near(q[k][i], q[0][i], 1e-3);
}

// A servo that lacks an axis, or that acts on something without an orientation, is refused.
static void test_refusals(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  int id = hf_builder_add_body(b, &body, NULL);
  hfJointDef ball = hf_joint_def_default();
  ball.body = id, ball.type = HF_JOINT_BALL;
  hfGeomDef geom = hf_geom_def_default();
  geom.body = id, geom.type = HF_GEOM_SPHERE, geom.size[0] = 0.1;
  assert_at_least(hf_builder_add_joint(b, &ball, NULL), 0);
  assert_at_least(hf_builder_add_geom(b, &geom, NULL), 0);
  hfActuatorDef d = hf_actuator_def_default();
  d.gaintype = HF_GAIN_ORIENTATION, d.biastype = HF_BIAS_AFFINE, d.biasprm[1] = -1, d.inputs = HF_INPUT_X | HF_INPUT_Y | HF_INPUT_Z;
  assert_int_equal(hf_builder_add_actuator(b, &d, NULL), 0);
  hfError error;
  hfModel* m = NULL;
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "three or four actuators in a row"));
  d.inputs = HF_INPUT_Y;
  assert_int_equal(hf_builder_add_actuator(b, &d, NULL), 1);
  hfSensorDef sensor = hf_sensor_def_default();
  sensor.type = HF_SENSOR_ACTUATOR_FORCE, sensor.objkind = HF_OBJECT_ACTUATOR, sensor.obj = 1;
  assert_int_equal(hf_builder_add_sensor(b, &sensor, &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "must name the first of its actuators"));
  d.inputs = HF_INPUT_Z, d.biasprm[1] = -2;
  assert_int_equal(hf_builder_add_actuator(b, &d, &error), HF_ERROR_MODEL);
  d.biasprm[1] = -1;
  assert_int_equal(hf_builder_add_actuator(b, &d, NULL), 2);
  assert_int_equal(hf_builder_finish(b, &m, &error), HF_OK);
  hf_model_free(m);
  hf_builder_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mujoco), cmocka_unit_test(test_one_step),      cmocka_unit_test(test_arrives),
                                     cmocka_unit_test(test_bound), cmocka_unit_test(test_shorter_way),  cmocka_unit_test(test_methods_agree), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
