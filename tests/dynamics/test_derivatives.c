// Derivatives of inverse dynamics against closed forms and identities that hold for every tree.
#include "dynamics/trees.h"

// ---- double pendulum: closed form --------------------------------------------------------------------------

// Point masses m at the ends of two rods of length l, hinges along y, gravity along -z; angles from the
// vertical down. With a = l^2 m: tau1 = (3 + 2 c2) a vd1 + (1 + c2) a vd2 - s2 a (2 v1 v2 + v2^2)
//   + 2 m g l sin q1 + m g l sin(q1 + q2),  tau2 = (1 + c2) a vd1 + a vd2 + s2 a v1^2 + m g l sin(q1 + q2)
static World make_double_pendulum(double mass, double length) {
  hfBuilder* b = hf_builder_create();
  const double com[3] = {0, 0, -length}, none[3] = {0, 0, 0};
  int first = add_inertial_body(b, 0, mass, com, none);
  hfBodyDef d = hf_body_def_default();
  d.parent = first, d.has_inertial = 1, d.mass = mass;
  d.pos[2] = d.com[2] = -length;
  int second = hf_builder_add_body(b, &d, NULL);
  const int bodies[2] = {first, second};
  for (int i = 0; i < 2; ++i) {
    hfJointDef j = hf_joint_def_default();
    j.body = bodies[i], j.axis[1] = 1, j.axis[2] = 0;
    assert_at_least(hf_builder_add_joint(b, &j, NULL), 0);
  }
  return world_finish(b);
}

static void test_double_pendulum(void** state) {
  (void)state;
  const double m = 1.3, l = 0.7, g = 9.81, a = l * l * m;
  const double q[2] = {0.4, -0.9}, v[2] = {1.2, -2.1}, vd[2] = {0.5, 1.7};
  World w = make_double_pendulum(m, l);
  double dq[4], dv[4], s2 = sin(q[1]), c2 = cos(q[1]), c1 = cos(q[0]), c12 = cos(q[0] + q[1]);
  hf_dynamics_inverse_derivatives(w.d, q, v, vd, NULL, dq, dv);
  const double want_q[4] = {2 * m * g * l * c1 + m * g * l * c12,
                            -2 * s2 * a * vd[0] - s2 * a * vd[1] - c2 * a * (2 * v[0] * v[1] + v[1] * v[1]) + m * g * l * c12,
                            m * g * l * c12, -s2 * a * vd[0] + c2 * a * v[0] * v[0] + m * g * l * c12};
  const double want_v[4] = {-2 * s2 * a * v[1], -2 * s2 * a * (v[0] + v[1]), 2 * s2 * a * v[0], 0};
  for (int i = 0; i < 4; ++i) {
    assert_near(dq[i], want_q[i], 1e-8);  // forces of 20 N m: truncation and rounding of the differences
    assert_near(dv[i], want_v[i], 1e-13);
  }
  world_free(&w);
}

// ---- every tree ------------------------------------------------------------------------------------------------

static void forces_at(World* w, const double* direction, double t, const double* vdot, double* tau) {
  double q[MAX_DOF + 16];
  memcpy(q, w->q, sizeof q);
  hf_model_integrate(w->model, q, direction, t);
  hf_dynamics_set_position(w->d, q, NULL);
  hf_dynamics_inverse(w->d, w->v, vdot, NULL, tau);
}

// Along any direction x the differences of tau are dtau_dq x; Coriolis forces C(v) are homogeneous of
// degree two, so dtau_dv v = 2 C(v).
static void check_derivatives(World* w, testRandom* r) {
  int nv = w->model->nv;
  const double h = 1e-4;
  double x[MAX_DOF] = {0}, vdot[MAX_DOF] = {0}, zero[MAX_DOF] = {0}, before[MAX_DOF], after[MAX_DOF], bias[MAX_DOF];
  double *dq = malloc((size_t)(nv * nv) * sizeof *dq), *dv = malloc((size_t)(nv * nv) * sizeof *dv);
  for (int i = 0; i < nv; ++i) x[i] = random_uniform(r, -1, 1), vdot[i] = random_uniform(r, -1, 1);
  hf_dynamics_inverse_derivatives(w->d, w->q, w->v, vdot, NULL, dq, dv);
  hf_dynamics_update_bias(w->d); // position and velocity are those of w again
  memcpy(bias, hf_dynamics_bias(w->d), (size_t)nv * sizeof *bias);
  hf_dynamics_set_velocity(w->d, zero);
  hf_dynamics_update_bias(w->d);
  double scale = fmax(1, largest(bias, nv));
  for (int i = 0; i < nv; ++i) {
    double twice = 0;
    for (int j = 0; j < nv; ++j) twice += dv[i * nv + j] * w->v[j];
    assert_near(twice, 2 * (bias[i] - hf_dynamics_bias(w->d)[i]), 1e-11 * scale);
  }
  forces_at(w, x, -h, vdot, before);
  forces_at(w, x, h, vdot, after);
  for (int i = 0; i < nv; ++i) {
    double along = 0;
    for (int j = 0; j < nv; ++j) along += dq[i * nv + j] * x[j];
    // h^2/6 times third derivatives of up to (sum of 20 dofs)^3 times the forces
    assert_near(along, (after[i] - before[i]) / (2 * h), 1e-5 * scale);
  }
  free(dq);
  free(dv);
}

static void test_derivatives(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_derivatives);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_double_pendulum), tree_test(test_derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
