// Velocities, Jacobians, Jdot v and M against finite differences of poses alone.
//
// Along q(t) = q (+) t v with constant v, central differences with step h err by h^2/6 of the third
// derivative (order 10 to 100 here) and by rounding eps/h; h = 1e-5 balances them near 1e-9.
#include "dynamics/trees.h"

#include "math/spatial.h"

static const double H = 1e-5;
static const double DIFFERENCE = 1e-7; // both errors with the largest velocities and lever arms of a tree

// Poses of all bodies at q (+) t v.
static void poses_along(World* w, const double* v, double t, hfPose* X) {
  double q[MAX_DOF + 16];
  memcpy(q, w->q, sizeof q);
  hf_model_integrate(w->model, q, v, t);
  hf_dynamics_set_position(w->d, q, NULL);
  for (int b = 0; b < w->model->nbody; ++b) X[b] = hf_dynamics_body_pose(w->d, b);
}

// Angular velocity from two rotations 2H apart, about the middle.
static hfVec3 angular_between(hfMat3 before, hfMat3 after) {
  return v3_scale(1 / (2 * H), q_log(q_from_m3(m3_mul(after, m3_transpose(before)))));
}

static hfVec3 linear_between(hfVec3 before, hfVec3 after) { return v3_scale(1 / (2 * H), v3_sub(after, before)); }

// ---- J v and each column of J ------------------------------------------------------------------------

static void check_jacobian(World* w, testRandom* r) {
  const hfModel* m = w->model;
  int nv = m->nv, body = 1 + random_int(r, m->nbody - 1);
  hfVec3 p_B = v3(random_uniform(r, -1, 1), random_uniform(r, -1, 1), random_uniform(r, -1, 1));
  hfVec3 p_W = pose_point(hf_dynamics_body_pose(w->d, body), p_B);
  double* J = malloc((size_t)(6 * nv) * sizeof *J);
  hfPose *before = malloc((size_t)m->nbody * sizeof *before), *after = malloc((size_t)m->nbody * sizeof *after);
  hf_dynamics_jacobian(w->d, body, p_W, J);
  for (int j = 0; j < nv; ++j) {
    double unit[MAX_DOF] = {0};
    unit[j] = 1;
    poses_along(w, unit, -H, before);
    poses_along(w, unit, H, after);
    hfVec3 angular = angular_between(before[body].R, after[body].R);
    hfVec3 linear = linear_between(pose_point(before[body], p_B), pose_point(after[body], p_B));
    assert_vec_near(v3(J[j], J[nv + j], J[2 * nv + j]), angular, DIFFERENCE);
    assert_vec_near(v3(J[3 * nv + j], J[4 * nv + j], J[5 * nv + j]), linear, DIFFERENCE);
  }
  free(J);
  free(before);
  free(after);
}

static void test_jacobian(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_jacobian);
}

// ---- Jdot v ------------------------------------------------------------------------------------------

static hfMotion velocity_along(World* w, int body, hfVec3 p_B, double t) {
  double q[MAX_DOF + 16];
  memcpy(q, w->q, sizeof q);
  hf_model_integrate(w->model, q, w->v, t);
  hf_dynamics_set_position(w->d, q, NULL);
  hf_dynamics_set_velocity(w->d, w->v);
  return hf_dynamics_point_velocity(w->d, body, pose_point(hf_dynamics_body_pose(w->d, body), p_B));
}

static void check_jacobian_rate(World* w, testRandom* r) {
  int body = 1 + random_int(r, w->model->nbody - 1);
  hfVec3 p_B = v3(random_uniform(r, -1, 1), random_uniform(r, -1, 1), random_uniform(r, -1, 1));
  hfMotion rate = hf_dynamics_jacobian_rate(w->d, body, pose_point(hf_dynamics_body_pose(w->d, body), p_B));
  hfMotion before = velocity_along(w, body, p_B, -H), after = velocity_along(w, body, p_B, H);
  // velocities of chains reach 10 m/s and change by their squares: ten times the error of a pose
  assert_vec_near(rate.w, linear_between(before.w, after.w), 10 * DIFFERENCE);
  assert_vec_near(rate.v, linear_between(before.v, after.v), 10 * DIFFERENCE);
}

static void test_jacobian_rate(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_jacobian_rate);
}

// ---- kinetic energy and M ----------------------------------------------------------------------------

// sum over bodies of m |v_c|^2/2 + w.I w/2 from pose differences, and armature
static double energy_by_differences(World* w, const double* v) {
  const hfModel* m = w->model;
  hfPose *before = malloc((size_t)m->nbody * sizeof *before), *after = malloc((size_t)m->nbody * sizeof *after);
  poses_along(w, v, -H, before);
  poses_along(w, v, H, after);
  double twice = 0;
  for (int b = 1; b < m->nbody; ++b) {
    hfVec3 c = v3_load(hf_model_body_com(m) + 3 * b);
    hfVec3 vc = linear_between(pose_point(before[b], c), pose_point(after[b], c));
    // body axes halfway: before^T (world) differs from the middle by h w, along which w is the same
    hfVec3 angular = m3_tmulv(before[b].R, angular_between(before[b].R, after[b].R));
    hfVec3 spin = q_rotate(q_conj(q_exp(v3_scale(H, angular))), angular);
    twice += hf_model_body_mass(m)[b] * v3_norm2(vc) + v3_dot(spin, sym3_mulv(hf_model_body_inertia(m) + 6 * b, spin));
  }
  for (int i = 0; i < m->nv; ++i) twice += hf_model_dof_armature(m)[i] * v[i] * v[i];
  free(before);
  free(after);
  return 0.5 * twice;
}

static void check_mass_matrix(World* w, testRandom* r) {
  int nv = w->model->nv, i = random_int(r, nv), j = random_int(r, nv);
  double* M = malloc((size_t)(nv * nv) * sizeof *M);
  double kinetic = hf_dynamics_kinetic_energy(w->d);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_dense_mass_matrix(w->d, M);
  double scale = largest(M, nv * nv);
  // T is quadratic in v: M_ij = T(e_i + e_j) - T(e_i) - T(e_j) is exact but for the differences in T
  double ei[MAX_DOF] = {0}, ej[MAX_DOF] = {0}, sum[MAX_DOF] = {0};
  ei[i] = 1, ej[j] = 1, sum[i] += 1, sum[j] += 1;
  double Mij = energy_by_differences(w, sum) - energy_by_differences(w, ei) - energy_by_differences(w, ej);
  assert_near(M[i * nv + j], Mij, 10 * DIFFERENCE * fmax(1, scale));
  double whole = energy_by_differences(w, w->v);
  assert_near(kinetic, whole, 10 * DIFFERENCE * fmax(1, whole));
  free(M);
}

static void test_mass_matrix(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_mass_matrix);
}

// ---- potential energy: dU/dt = v . (gravity and spring forces) -------------------------------------------

static double potential_along(World* w, double t) {
  double q[MAX_DOF + 16];
  memcpy(q, w->q, sizeof q);
  hf_model_integrate(w->model, q, w->v, t);
  hf_dynamics_set_position(w->d, q, NULL);
  return hf_dynamics_potential_energy(w->d, q);
}

static void check_gravity_power(World* w, testRandom* r) {
  (void)r;
  double zero[MAX_DOF] = {0}, power = 0;
  hf_dynamics_set_velocity(w->d, zero);
  hf_dynamics_update_bias(w->d);
  for (int i = 0; i < w->model->nv; ++i) power += hf_dynamics_bias(w->d)[i] * w->v[i];
  double difference = (potential_along(w, H) - potential_along(w, -H)) / (2 * H);
  assert_near(power, difference, 10 * DIFFERENCE * fmax(1, fabs(power)));
}

static void test_gravity_power(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_gravity_power);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      tree_test(test_jacobian), tree_test(test_jacobian_rate), tree_test(test_mass_matrix), tree_test(test_gravity_power),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
