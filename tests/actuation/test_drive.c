// Drives, springs and dampers as rows. For any velocity v1 at the end of a step, a row must exert the explicit force at that
// end, (q0 + h v1, v1). Other tests compare the explicit forces with MuJoCo.
#include "support/near.h"
#include "support/random.h"
#include "support/row_problem.h"
#include "support/sim_world.h"

#include "step/actuation/inside.h"

#include <math.h>
#include <stdlib.h>

// Every actuator whose law can be a row, on joints and tendons. There are limited joints and tendons with one servo, with a
// servo and motors, and with two servos that have no range of their own.
static const char kScene[] =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<body gravcomp='.5'><joint name='a' axis='0 1 0' stiffness='3' damping='.2' springref='.3'/><geom size='.1' pos='.2 0 0'/>"
    "<body pos='.4 0 0'><joint name='b' type='slide' axis='1 0 0' damping='1' actuatorfrcrange='-2 3'/><geom size='.1'/>"
    "<body pos='.4 0 0' gravcomp='1'><joint name='c' axis='0 0 1' actuatorfrcrange='-1 2' actuatorgravcomp='true'/><geom size='.1' pos='0 .2 0'/></body></body></body>"
    "<body pos='2 0 0' gravcomp='.7'><joint name='d' axis='1 1 0' actuatorfrcrange='-4 1.5' stiffness='2' actuatorgravcomp='true'/><geom size='.1' pos='0 .2 .1'/>"
    "<body pos='.1 .2 .3'><joint name='e' axis='0 0 1'/><geom size='.1' pos='0 .2 .1'/></body></body>"
    "</worldbody><tendon><fixed name='t' stiffness='5' damping='.7' springlength='-.2 .1'><joint joint='a' coef='2'/><joint joint='e' coef='-1'/></fixed>"
    "<fixed name='u' stiffness='4' actuatorfrcrange='-.5 .8'><joint joint='a' coef='1.5'/><joint joint='e' coef='.5'/></fixed></tendon><actuator>"
    "<position joint='a' kp='40' kv='3' forcerange='-3 4'/><velocity joint='a' kv='5' gear='-2'/><damper joint='a' kv='2' ctrlrange='0 1'/>"
    "<intvelocity joint='e' kp='30' actrange='-1 1' forcerange='-1 1'/><motor joint='e' gear='3' forcerange='-.2 .3'/>"
    "<general joint='e' dyntype='filterexact' dynprm='.05' actearly='true' gainprm='20' biastype='affine' biasprm='.5 -20 -1'/>"
    "<position joint='b' kp='50' gear='2' forcerange='-1 9'/><position joint='c' kp='30' kv='1'/><motor joint='c' gear='-1.5'/>"
    "<position joint='d' kp='20'/><velocity joint='d' kv='2'/><position tendon='t' kp='10' kv='1' forcerange='-2 2' gear='.5'/>"
    "<position tendon='u' kp='25' kv='.3' gear='-2'/></actuator></mujoco>";

typedef struct World {
  hfModel* model;
  hfDynamics* d;
  hfActuation* a;
  hfStepProblem* problem;
  double q[8], v[8], v1[8], act[8], ctrl[16], tau[8];
} World;

static World make_world(void) {
  World w = {.model = parse_model(kScene)};
  assert_at_most(w.model->nv, 8);
  assert_at_most(w.model->na, 8);
  assert_at_most(w.model->nu, 16);
  assert_int_equal(hf_dynamics_create(&w.d, w.model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&w.a, w.model, NULL), HF_OK);
  w.problem = make_row_problem(w.model);
  return w;
}

static void free_world(World* w) {
  free_row_problem(w->problem);
  hf_actuation_free(w->a);
  hf_dynamics_free(w->d);
  hf_model_free(w->model);
}

static void randomise(World* w, testRandom* r) {
  for (int i = 0; i < 8; ++i) w->q[i] = random_normal(r), w->v[i] = random_normal(r), w->v1[i] = 3 * random_normal(r), w->act[i] = random_normal(r);
  for (int i = 0; i < 16; ++i) w->ctrl[i] = 2 * random_normal(r);
}

static void update(World* w, const double* q, const double* v) {
  hf_dynamics_set_position(w->d, q, NULL);
  hf_dynamics_set_velocity(w->d, v);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_factor(w->d);
  hf_actuation_update(w->a, w->d, q);
}

// Generalised force at v1 of what a step of h is made of: tau - diag v1/h + J^T rows.
static void implicit_force(World* w, double h, double* force) {
  hfiActuationStep step = {.h = h, .near_rigid = 0.1, .limit_speed = HFI_FAST_SPEED, .q = w->q, .act = w->act, .ctrl = w->ctrl};
  hfiRows* rows = &w->a->rows;
  update(w, w->q, w->v);
  memset(w->tau, 0, sizeof w->tau);
  clear_row_problem(w->problem);
  hfi_actuation_step(w->a, w->d, &step, w->problem, w->tau);
  for (int i = 0; i < w->model->nv; ++i) force[i] = w->tau[i] - w->problem->diag[i] * w->v1[i] / h;
  for (int b = 0; b < rows->nblock; ++b) {
    double f, J[8];
    assert_int_equal(hfi_rows_block(rows, b)->dim, 1);
    hfi_rows_force(rows, b, w->v1, &f);
    dense_row(w->problem, b, 0, J);
    for (int i = 0; i < w->model->nv; ++i) force[i] += J[i] * f;
  }
}

// Explicit actuator and passive forces at (q, v), gravity compensation as at the start of the step.
static void explicit_force(World* w, double h, const double* q, const double* v, double* drive, double* force) {
  double lift[8], passive[8];
  memcpy(lift, w->a->gravcomp, sizeof lift);
  update(w, q, v);
  memcpy(w->a->gravcomp, lift, sizeof lift);
  hf_actuation_forces(w->a, w->act, w->ctrl, h);
  hf_actuation_passive(w->a, w->d, q, passive);
  memcpy(drive, hf_actuation_joint_force(w->a), sizeof(double) * (size_t)w->model->nv);
  for (int i = 0; i < w->model->nv; ++i) force[i] = drive[i] + passive[i];
}

// All coordinates are scalar and all lengths linear in them, so only rounding is left: forces up to 1e4.
static void test_rows_are_the_forces_of_the_end(void** state) {
  (void)state;
  const double steps[] = {1e-4, 0.002, 0.05};
  testRandom r = {20260601};
  print_message("seed 20260601\n");
  World w = make_world();
  for (int trial = 0; trial < 300; ++trial) {
    double h = steps[trial % 3], got[8], want[8], drive[8], q1[8], force[16];
    randomise(&w, &r);
    implicit_force(&w, h, got);
    hfi_actuation_end(w.a, w.v1);
    memcpy(force, hf_actuation_force(w.a), sizeof *force * (size_t)w.model->nu);
    double collected[8];
    memcpy(collected, hf_actuation_joint_force(w.a), sizeof *collected * (size_t)w.model->nv);
    for (int i = 0; i < w.model->nv; ++i) q1[i] = w.q[i] + h * w.v1[i];
    explicit_force(&w, h, q1, w.v1, drive, want);
    for (int i = 0; i < w.model->nv; ++i) {
      assert_near(got[i], want[i], 1e-10);
      assert_near(collected[i], drive[i], 1e-10);
    }
    for (int i = 0; i < w.model->nu; ++i) assert_near(force[i], hf_actuation_force(w.a)[i], 1e-10);
  }
  free_world(&w);
}

// As h goes to zero a row tends to the explicit force at the start: the difference is h dF/dl v, linear in h.
static void test_limit_of_small_steps(void** state) {
  (void)state;
  testRandom r = {20260602};
  World w = make_world();
  double last[8];
  for (int k = 0; k < 4; ++k) {
    double h = pow(10, -3 - k), got[8], want[8], drive[8];
    r.state = 20260602;
    randomise(&w, &r);
    memcpy(w.v1, w.v, sizeof w.v);
    implicit_force(&w, h, got);
    explicit_force(&w, h, w.q, w.v, drive, want);
    for (int i = 0; i < w.model->nv; ++i) {
      double gap = fabs(got[i] - want[i]);
      if (k > 0) assert_at_most(gap, 0.11 * last[i] + 1e-11);
      last[i] = gap;
    }
  }
  free_world(&w);
}

// Held drives exert the forces of the start, whatever v1.
static void test_explicit_drives(void** state) {
  (void)state;
  testRandom r = {20260603};
  World w = make_world();
  for (int trial = 0; trial < 30; ++trial) {
    double h = 0.002, want[8], drive[8];
    randomise(&w, &r);
    update(&w, w.q, w.v);
    hfiActuationStep step = {.h = h, .near_rigid = 0.1, .limit_speed = HFI_FAST_SPEED, .explicit_drives = 1, .q = w.q, .act = w.act, .ctrl = w.ctrl};
    memset(w.tau, 0, sizeof w.tau);
    clear_row_problem(w.problem);
    hfi_rows_begin(&w.a->rows, w.problem);
    hfi_drive_rows(w.a, w.d, &step, w.tau);
    assert_int_equal(w.a->rows.nblock, 0);
    explicit_force(&w, h, w.q, w.v, drive, want);
    for (int i = 0; i < w.model->nv; ++i) assert_near(w.tau[i], drive[i], 1e-11);
  }
  free_world(&w);
}

// ---- one joint in a sim -------------------------------------------------------------------------------

static simWorld make_servo(double kp, double kd, double limit, double h) {
  char xml[512];
  snprintf(xml, sizeof xml,
           "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='.01'/></body></worldbody>"
           "<actuator><position joint='a' kp='%.17g' kv='%.17g' %s forcerange='%.17g %.17g'/></actuator></mujoco>",
           kp, kd, limit > 0 ? "" : "forcelimited='false'", -limit, limit);
  return sim_world_make(xml, h, 1e-8);
}

// A 10 g slide under servos of any stiffness: implicit Euler in closed form, and the energy never grows.
// 1e-6: from h kappa/m = 1e6 on the slope is capped.
static void test_stiff_servo(void** state) {
  (void)state;
  for (int e = 2; e <= 9; ++e)
    for (int k = 0; k < 3; ++k) {
      const double h = k == 0 ? 1e-3 : k == 1 ? 1e-2 : 0.1, kp = pow(10, e), kd = k == 1 ? 0 : 1e-2 * kp, m = 0.01;
      simWorld w = make_servo(kp, kd, 0, h);
      w.input->ctrl[0] = 0.5;
      double q = 0, v = 0, energy = 0.5 * kp * 0.25;
      for (int i = 0; i < 300; ++i) {
        v = (m * v + h * kp * (0.5 - q)) / (m + h * (h * kp + kd));
        q += h * v;
        sim_world_step(&w, 1);
        assert_near(sim_q(&w)[0], q, 1e-6);
        double now = 0.5 * kp * pow(sim_q(&w)[0] - 0.5, 2) + 0.5 * m * pow(sim_v(&w)[0], 2);
        assert_at_most(now, energy * (1 + 1e-9) + 1e-12 * kp);
        energy = now;
      }
      sim_world_free(&w);
    }
}

// While it saturates the force is the limit to the last digits, and the report says so.
static void test_effort_limit(void** state) {
  (void)state;
  simWorld w = make_servo(1e5, 10, 2, 0.002);
  w.input->ctrl[0] = 100;
  for (int i = 1; i <= 50; ++i) {
    sim_world_step(&w, 1);
    assert_near(sim_v(&w)[0], 2 / 0.01 * 0.002 * i, 1e-9);
    assert_near(hf_sim_actuator_force(w.sim)[0], 2, 0);
  }
  sim_world_free(&w);
}

// An actuator of a group that is switched off leaves no trace: the run has the bits of the scene without it, its activation
// stays and its force is zero, whatever the method.
static void test_disabled_group(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><option actuatorgroupdisable='%s'/><worldbody><geom type='plane' size='1 1 1'/><body name='A' pos='0 0 .099'><joint name='x' type='slide' axis='1 0 0'/>"
      "<joint name='z' type='slide' axis='0 0 1'/><geom size='.1' mass='.5'/></body></worldbody><actuator>"
      "<position joint='x' kp='20' kv='1' ctrlrange='-1 1'/><position group='3' joint='x' kp='500' kv='9' gear='2'/>"
      "<intvelocity group='3' joint='x' kp='300'/><adhesion group='30' body='A' gain='40' ctrlrange='0 1'/></actuator></mujoco>";
  static const hfMethod methods[] = {HF_METHOD_TAMSI, HF_METHOD_CONVEX, HF_METHOD_IMPLICIT_EULER, HF_METHOD_RK3};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    char all[1024], some[1024];
    snprintf(all, sizeof all, scene, "");
    snprintf(some, sizeof some, scene, "30 3");
    char* cut = strstr(all, "<position group"); // The scene without the last three actuators
    strcpy(cut, "</actuator></mujoco>");
    simWorld w[2] = {sim_world_make_method(all, methods[k], 0.002, 1e-12), sim_world_make_method(some, methods[k], 0.002, 1e-12)};
    for (int i = 0; i < 2; ++i) {
      for (int u = 0; u < w[i].model->nu; ++u) w[i].input->ctrl[u] = 0.7;
      sim_world_step(&w[i], 100);
    }
    assert_memory_equal(sim_q(&w[0]), sim_q(&w[1]), 2 * sizeof(double));
    assert_memory_equal(sim_v(&w[0]), sim_v(&w[1]), 2 * sizeof(double));
    assert_above(fabs(sim_q(&w[0])[0]), 0.01);
    assert_near(hf_state_act(w[1].state)[0], 0, 0);
    for (int u = 1; u < 4; ++u) assert_near(hf_sim_actuator_force(w[1].sim)[u], 0, 0);
    sim_world_free(&w[0]), sim_world_free(&w[1]);
  }
}

// A gain that drives away from its target stays explicit: the force is that of the start.
static void test_destabilising_gain(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody>"
      "<actuator><general joint='a' biastype='affine' biasprm='0 3 0'/></actuator></mujoco>", 0.01, 1e-12);
  sim_q(&w)[0] = 1;
  sim_world_step(&w, 1);
  assert_near(sim_v(&w)[0], 0.01 * 3 / 2, 1e-12);
  assert_near(hf_sim_actuator_force(w.sim)[0], 3, 1e-12);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_are_the_forces_of_the_end), cmocka_unit_test(test_limit_of_small_steps),
      cmocka_unit_test(test_explicit_drives), cmocka_unit_test(test_stiff_servo),
      cmocka_unit_test(test_effort_limit),    cmocka_unit_test(test_destabilising_gain),
      cmocka_unit_test(test_disabled_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
