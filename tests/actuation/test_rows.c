// The rows of actuation: their effective masses, their capacities, and the blocks that they become in the step problem.
#include "support/near.h"
#include "support/random.h"
#include "support/row_problem.h"
#include "support/sim_world.h"

#include "step/actuation/actuation.h"

#include <math.h>
#include <stdlib.h>

// Two trees that tendons and equalities connect, with at least one element of every kind that makes rows. The two tendons are at opposite ends of their
// ranges.
static const char kScene[] =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<body name='a'><joint name='a' axis='0 1 0' frictionloss='.1' limited='true' range='-1 1'/><geom size='.1' pos='.2 0 0'/>"
    "<body name='b' pos='.4 0 0'><joint name='b' type='ball' limited='true' range='0 1'/><geom size='.1'/>"
    "<body name='c' pos='.4 0 0'><joint name='c' axis='0 0 1' actuatorfrcrange='-1 2'/><geom size='.1' pos='0 .2 0'/></body></body>"
    "<body name='d' pos='.1 0 .3'><joint name='d' axis='1 0 0'/><geom size='.1' pos='0 .2 0'/></body></body>"
    "<body name='e' pos='2 0 0'><freejoint/><geom size='.1' pos='0 .2 .1'/>"
    "<body name='f' pos='.1 .2 .3'><joint name='f' axis='0 0 1'/><geom size='.1' pos='0 .2 .1'/><site name='f' pos='.1 0 0'/></body></body>"
    "</worldbody><tendon><fixed name='t' stiffness='5' damping='.7' springlength='-.2 .1' frictionloss='.3' limited='true' range='-.01 .01'>"
    "<joint joint='a' coef='2'/><joint joint='f' coef='-1'/><joint joint='c' coef='.5'/></fixed>"
    "<fixed limited='true' range='-.01 .01'><joint joint='a' coef='-2'/><joint joint='f' coef='1'/><joint joint='c' coef='-.5'/></fixed></tendon><actuator>"
    "<position joint='a' kp='40'/><position joint='c' kp='40'/><position tendon='t' kp='10'/><general site='f' gear='1 2 3 4 5 6' biastype='affine' biasprm='0 0 -1'/></actuator>"
    "<equality><joint joint1='c' joint2='f' polycoef='.1 .2 .3 .4 .5'/><connect body1='c' body2='d' anchor='0 0 0'/><weld body1='c' body2='f'/><weld body1='f'/></equality></mujoco>";

typedef struct World {
  hfModel* model;
  hfDynamics* d;
  hfActuation* a;
  hfStepProblem* problem;
  double q[32], v[32], tau[32];
} World;

static World make_world(testRandom* r) {
  World w = {.model = parse_model(kScene)};
  assert_at_most(w.model->nq, 32);
  assert_int_equal(hf_dynamics_create(&w.d, w.model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&w.a, w.model, NULL), HF_OK);
  memcpy(w.q, hf_model_qpos0(w.model), sizeof *w.q * (size_t)w.model->nq);
  for (int i = 0; i < w.model->nv; ++i) w.v[i] = random_normal(r);
  hf_model_integrate(w.model, w.q, w.v, 1);
  hf_dynamics_set_position(w.d, w.q, NULL);
  hf_dynamics_set_velocity(w.d, w.v);
  hf_dynamics_update_mass_matrix(w.d);
  hf_dynamics_factor(w.d);
  hf_actuation_update(w.a, w.d, w.q);
  hfiActuationStep step = {.h = 0.002, .near_rigid = 0.1, .limit_speed = HFI_USUAL_SPEED, .q = w.q};
  w.problem = make_row_problem(w.model);
  hfi_actuation_step(w.a, w.d, &step, w.problem, w.tau);
  return w;
}

static void free_world(World* w) {
  free_row_problem(w->problem);
  hf_actuation_free(w->a);
  hf_dynamics_free(w->d);
  hf_model_free(w->model);
}

// w = J M^-1 J^T by a full solve. 1e-10: rounding of two solves with M of condition 1e3.
static void test_inverse_mass(void** state) {
  (void)state;
  testRandom r = {20260701};
  World w = make_world(&r);
  const hfiRows* rows = &w.a->rows;
  int nv = w.model->nv;
  for (int b = 0; b < rows->nblock; ++b)
    for (int i = 0; i < hfi_rows_block(rows, b)->dim; ++i) {
      double dense[32], J[32], want = 0;
      int32_t cols[32];
      int ncol = 0;
      dense_row(w.problem, b, i, dense);
      for (int k = 0; k < nv; ++k)
        if (dense[k] != 0) J[ncol] = dense[k], cols[ncol++] = k;
      hf_dynamics_solve(w.d, dense);
      for (int k = 0; k < ncol; ++k) want += J[k] * dense[cols[k]];
      assert_near(hfi_inverse_mass(w.d, w.a->dense, ncol, cols, J), want, 1e-10 * fmax(1, want));
      for (int k = 0; k < nv; ++k) assert_near(w.a->dense[k], 0, 0); // scratch is left clean
    }
  free_world(&w);
}

static void test_every_source(void** state) {
  (void)state;
  testRandom r = {20260702};
  World w = make_world(&r);
  const hfiRows* rows = &w.a->rows;
  int seen[HFI_ROW_EQUALITY + 1] = {0};
  for (int b = 0; b < rows->nblock; ++b) seen[rows->origin[b].source]++;
  const int want[] = {3, 1, 0, 2, 1, 1, 1, 1, 2, 1, 4}; // as in hfiRowSource
  for (int i = 0; i <= HFI_ROW_EQUALITY; ++i) assert_int_equal(seen[i], want[i]);
  free_world(&w);
}

// The rows of a step problem are valid, and are those that actuation writes alone: forces of every row.
static void test_image_in_the_problem(void** state) {
  (void)state;
  for (int trial = 0; trial < 20; ++trial) {
    testRandom r = {20260703 + (uint64_t)trial};
    World w = make_world(&r);
    simWorld sim = {.model = w.model, .state = hf_state_create(w.model)};
    assert_int_equal(hf_sim_create(&sim.sim, w.model, NULL, NULL), HF_OK);
    memcpy(sim_q(&sim), w.q, sizeof *w.q * (size_t)w.model->nq);
    memcpy(sim_v(&sim), w.v, sizeof *w.v * (size_t)w.model->nv);
    const hfStepProblem* p = NULL;
    hfError error;
    assert_int_equal(hf_sim_problem(sim.sim, sim.state, NULL, &p, &error), HF_OK);
    if (hf_step_problem_validate(p, &error) != HF_OK) fail_msg("%s", error.message);
    const hfiRows* rows = &w.a->rows;
    assert_true(p->nblock - p->ncontact == rows->nblock && p->nsaturated == w.problem->nrow);
    for (int b = 0; b < rows->nblock; ++b) {
      double force[6];
      hfi_rows_force(rows, b, w.v, force);
      for (int i = 0; i < hfi_rows_block(rows, b)->dim; ++i) {
        const hfStepBlock* x = &p->block[b];
        const hfSaturatedRow* row = &p->saturated[x->param + i];
        double s = 0;
        for (int k = x->piece; k < x->piece + x->npiece; ++k)
          for (int c = 0; c < p->piece[k].ncol; ++c)
            s += p->J[p->piece[k].jac + i * p->piece[k].ncol + c] * w.v[p->tree_start[p->piece[k].tree] + p->cols[p->piece[k].col + c]];
        double f = fmin(row->hi, fmax(row->lo, -row->kappa * (s - row->s0)));
        assert_near(f, force[i], 1e-9 * (1 + row->kappa)); // sums in another order
      }
    }
    hf_sim_free(sim.sim);
    hf_state_free(sim.state);
    free_world(&w);
  }
}

// A joint that ends a step beyond a limit has passed it only where that limit had no row: a limit that has one may give way. The first joint
// moves fast and has the row of the end that it comes to; the second one is at rest, and has none.
static void test_limits_passed(void** state) {
  (void)state;
  const double h = 0.005, q[] = {0.97, 0}, beyond[] = {8, 0}, back[] = {-400, 0}, other[] = {0, 300};
  hfModel* model = parse_model("<mujoco><compiler angle='radian'/><worldbody><body><joint limited='true' range='-1 1'/><geom size='.1' pos='.2 0 0'/></body>"
                               "<body pos='2 0 0'><joint limited='true' range='-1 1'/><geom size='.1' pos='.2 0 0'/></body></worldbody></mujoco>");
  hfDynamics* d = NULL;
  hfActuation* a = NULL;
  assert_int_equal(hf_dynamics_create(&d, model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&a, model, NULL), HF_OK);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, (double[]){8, 0});
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_factor(d);
  hf_actuation_update(a, d, q);
  double tau[] = {0, 0};
  hfStepProblem* problem = make_row_problem(model);
  hfi_actuation_step(a, d, &(hfiActuationStep){.h = h, .near_rigid = 0.1, .limit_speed = HFI_USUAL_SPEED, .q = q}, problem, tau);
  assert_int_equal(a->rows.nblock, 1);
  assert_int_equal(hfi_limit_passed(a, q, beyond, h), 0);
  assert_int_equal(hfi_limit_passed(a, q, (double[]){8, 199.99}, h), 0); // The second joint almost comes to its end.
  assert_int_equal(hfi_limit_passed(a, q, back, h), 1); // the other end of the same joint
  assert_int_equal(hfi_limit_passed(a, q, other, h), 1);
  free_row_problem(problem);
  hf_actuation_free(a);
  hf_dynamics_free(d);
  hf_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse_mass),
      cmocka_unit_test(test_every_source),
      cmocka_unit_test(test_image_in_the_problem),
      cmocka_unit_test(test_limits_passed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
