// Forces of a medium on geoms as ellipsoids, against MuJoCo, and what must hold of any drag.
#include "support/mujoco_scene.h"
#include "support/near.h"
#include "support/sim_world.h"

// The last two bodies are made from a mesh, whose vertices MuJoCo has in single precision.
static const double MESHES = 1e-5;

// The integrals of both sides have errors near rounding; forces are sums of a few hundred products.
static void test_forces_are_those_of_mujoco(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_fluid_XXXXXX";
  enum { STATES = 40 };
  if (peer_run(folder, "actuation/mujoco_fluid.py", "40 20260601") != 0) skip();
  mujocoScene s;
  mujoco_scene_load(&s, folder, "scene", "states");
  const hfModel* m = s.model;
  double* tau = calloc((size_t)m->nv, sizeof *tau);
  for (int k = 0; k < STATES; ++k) {
    double *qpos = peer_row(s.in, "qpos", m->nq), *qvel = peer_row(s.in, "qvel", m->nv), *carried = peer_row(s.in, "carried", 6 * m->ngeom),
           *passive = peer_row(s.in, "passive", m->nv);
    for (int g = 0; g < m->ngeom; ++g)
      if (hf_model_geom_fluid(m)[12 * g] > 0) peer_compare("carried", hf_model_geom_fluid(m) + 12 * g + 6, carried + 6 * g, 6, g < m->ngeom - 2 ? 1e-9 : MESHES);
    hf_dynamics_set_position(s.dynamics, qpos, NULL);
    hf_dynamics_set_velocity(s.dynamics, qvel);
    hf_actuation_update(s.actuation, s.dynamics, qpos);
    hf_actuation_passive(s.actuation, s.dynamics, qpos, tau);
    peer_compare("passive", tau, passive, m->nv - 12, 1e-9);
    peer_compare("passive", tau + m->nv - 12, passive + m->nv - 12, 12, MESHES);
    free(qpos), free(qvel), free(carried), free(passive);
  }
  free(tau);
  mujoco_scene_close(&s);
  peer_remove(folder);
}

// A ball that falls in oil ends at the speed at which rho c_D pi r^2 v^2 + 6 pi beta r v carries its weight. A step takes the drag of its
// start, divided by what implicit Euler would divide it by: the ball is faster by at most g h, and the speed does not swing.
static void test_terminal_speed(void** state) {
  (void)state;
  const double r = 0.05, mass = 2, rho = 900, beta = 3, a = rho * 0.5 * M_PI * r * r, b = 6 * M_PI * beta * r;
  const double terminal = (sqrt(b * b + 4 * a * mass * 9.81) - b) / (2 * a);
  for (double h = 1e-4; h < 0.02; h *= 10) {
    simWorld w = sim_world_make("<mujoco><option density='900' viscosity='3'/><worldbody><body><freejoint/>"
                                "<geom size='.05' mass='2' fluidshape='ellipsoid'/></body></worldbody></mujoco>", h, 1e-12);
    double before = 0;
    for (int i = 0; i * h < 3; ++i) {
      sim_world_step(&w, 1);
      double speed = -hf_state_v(w.state)[2];
      assert_at_least(speed, before - 1e-9);
      before = speed;
    }
    assert_near(before, terminal, 9.81 * h + 1e-9);
    sim_world_free(&w);
  }
}

// A sim takes one step from the state.
static void step_once(hfSim* sim, hfState* state) {
  hfError error;
  if (hf_sim_step(sim, state, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
}

// What drag and gravity compensation depend on is looked up once. When parameters change, a sim that has stepped already does as a new one does.
static void test_changed_parameters_count(void** state) {
  (void)state;
  hfModel* base = parse_model("<mujoco><option density='900' viscosity='3'/><worldbody><body><freejoint/><geom type='box' size='.1 .2 .3' mass='2'/></body></worldbody></mujoco>");
  hfSimConfig config = hf_sim_config_default();
  hfParams* params = NULL;
  hfSim *old = NULL, *fresh = NULL;
  hfState *s = hf_state_create(base), *t = hf_state_create(base);
  assert_int_equal(hf_params_create(&params, base, NULL), HF_OK);
  assert_int_equal(hf_sim_create(&old, hf_params_model(params), &config, NULL), HF_OK);
  for (int i = 0; i < 5; ++i) step_once(old, s);
  hf_params_field(params, HF_FIELD_body_mass)[1] = 5;
  hf_params_field(params, HF_FIELD_body_inertia)[6] *= 1.5;
  hf_params_field(params, HF_FIELD_body_gravcomp)[1] = 0.5;
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
  assert_int_equal(hf_sim_create(&fresh, hf_params_model(params), &config, NULL), HF_OK);
  hf_state_copy(t, s, NULL);
  step_once(old, s), step_once(fresh, t);
  assert_memory_equal(hf_state_v(s), hf_state_v(t), 6 * sizeof(double));
  assert_below(hf_state_v(s)[2], 0);
  hf_sim_free(old), hf_sim_free(fresh);
  hf_state_free(s), hf_state_free(t);
  hf_params_free(params);
  hf_model_free(base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces_are_those_of_mujoco), cmocka_unit_test(test_terminal_speed),
                                     cmocka_unit_test(test_changed_parameters_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
