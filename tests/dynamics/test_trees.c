// Identities between the algorithms on random trees. Each compares two independent recursions, or a recursion with a dense
// or elementary computation.
#include "dynamics/trees.h"

#include "step/dynamics/dynamics.h"
#include "math/spatial.h"

// Recursions of up to 10 bodies lose a few hundred roundings relative to the largest term.
static const double ROUNDING = 1e-12;

static void random_array(testRandom* r, double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = random_uniform(r, -1, 1);
}


// ---- ABA(RNEA) = id -------------------------------------------------------------------------------

static double condition_of_M(World* w) {
  double dmin = 1e300, dmax = 0;
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_factor(w->d);
  for (int i = 0; i < w->model->nv; ++i) {
    double D = 1 / w->d->mass.Dinv[i];
    dmin = fmin(dmin, D);
    dmax = fmax(dmax, D);
  }
  return dmax / dmin;
}

static void check_forward_inverts_inverse(World* w, testRandom* r) {
  int nv = w->model->nv, nbody = w->model->nbody;
  double vdot[MAX_DOF], tau[MAX_DOF], again[MAX_DOF];
  hfForce* wrench = malloc((size_t)nbody * sizeof *wrench);
  random_array(r, vdot, nv);
  random_array(r, (double*)wrench, 6 * nbody);
  hf_dynamics_inverse(w->d, w->v, vdot, wrench, tau);
  hf_dynamics_forward(w->d, w->v, tau, wrench, again);
  // solving amplifies rounding by at most the condition of M, estimated from D
  double tolerance = ROUNDING * condition_of_M(w) * fmax(1, largest(tau, nv));
  for (int i = 0; i < nv; ++i) assert_near(again[i], vdot[i], tolerance);
  free(wrench);
}

static void test_forward_inverts_inverse(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_forward_inverts_inverse);
}

// ---- CRBA columns = RNEA of unit accelerations -----------------------------------------------------

static void check_columns(World* w, testRandom* r) {
  (void)r;
  size_t nv = (size_t)w->model->nv;
  double vdot[MAX_DOF] = {0}, tau[MAX_DOF], *M = malloc(nv * nv * sizeof *M);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_update_bias(w->d);
  hf_dynamics_dense_mass_matrix(w->d, M);
  double tolerance = ROUNDING * fmax(largest(M, (int)(nv * nv)), largest(hf_dynamics_bias(w->d), (int)nv));
  for (size_t j = 0; j < nv; ++j) {
    vdot[j] = 1;
    hf_dynamics_inverse(w->d, w->v, vdot, NULL, tau);
    for (size_t i = 0; i < nv; ++i) assert_near(tau[i] - hf_dynamics_bias(w->d)[i], M[i * nv + j], tolerance);
    vdot[j] = 0;
  }
  free(M);
}

static void test_columns_of_M(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_columns);
}

// ---- M = L^T D L, its solve and product --------------------------------------------------------------

static void check_factor(World* w, testRandom* r) {
  size_t nv = (size_t)w->model->nv;
  double *M = malloc(nv * nv * sizeof *M), *L = calloc(nv * nv, sizeof *L);
  double x[MAX_DOF], y[MAX_DOF];
  double condition = condition_of_M(w);
  hf_dynamics_dense_mass_matrix(w->d, M);
  for (size_t i = 0; i < nv; ++i)
    for (int k = 0; k <= hf_model_dof_depth(w->model)[i]; ++k) {
      int entry = hf_model_dof_Madr(w->model)[i] + k;
      L[i * nv + (size_t)hf_model_M_col(w->model)[entry]] = w->d->mass.L[entry];
    }
  for (size_t i = 0; i < nv; ++i)
    for (size_t j = 0; j < nv; ++j) {
      double sum = 0; // (L^T D L)_ij, the diagonal of L being 1 and that of the array D
      for (size_t k = i > j ? i : j; k < nv; ++k) {
        double D = L[k * nv + k], Lki = k == i ? 1 : L[k * nv + i], Lkj = k == j ? 1 : L[k * nv + j];
        sum += Lki * D * Lkj;
      }
      assert_near(sum, M[i * nv + j], ROUNDING * largest(M, (int)(nv * nv)));
    }
  random_array(r, x, (int)nv);
  hf_dynamics_multiply(w->d, x, y);
  for (size_t i = 0; i < nv; ++i) {
    double sum = 0;
    for (size_t j = 0; j < nv; ++j) sum += M[i * nv + j] * x[j];
    assert_near(y[i], sum, ROUNDING * largest(M, (int)(nv * nv)));
  }
  hf_dynamics_solve(w->d, y);
  for (size_t i = 0; i < nv; ++i) assert_near(y[i], x[i], ROUNDING * condition);
  free(M);
  free(L);
}

static void test_factor(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_factor);
}

// ---- bias = sum of Newton-Euler over bodies, projected with Jacobians ------------------------------

static void check_bias(World* w, testRandom* r) {
  (void)r;
  const hfModel* m = w->model;
  size_t nv = (size_t)m->nv;
  double bias[MAX_DOF] = {0}, *J = malloc(6 * nv * sizeof *J);
  hfVec3 g = v3_load(m->world.gravity);
  hf_dynamics_update_bias(w->d);
  for (int b = 1; b < m->nbody; ++b) {
    hfPose X = hf_dynamics_body_pose(w->d, b);
    hfVec3 c = pose_point(X, v3_load(hf_model_body_com(m) + 3 * b));
    hfMotion V = hf_dynamics_point_velocity(w->d, b, c), a = hf_dynamics_jacobian_rate(w->d, b, c);
    const double* I = hf_model_body_inertia(m) + 6 * b;
    // m (a - g) and I alpha + w x I w, the inertia applied in body axes
    hfVec3 force = v3_scale(hf_model_body_mass(m)[b], v3_sub(a.v, g));
    hfVec3 Iw = m3_mulv(X.R, sym3_mulv(I, m3_tmulv(X.R, V.w))), Ia = m3_mulv(X.R, sym3_mulv(I, m3_tmulv(X.R, a.w)));
    hfVec3 couple = v3_add(Ia, v3_cross(V.w, Iw));
    const double F[6] = {couple.x, couple.y, couple.z, force.x, force.y, force.z};
    hf_dynamics_jacobian(w->d, b, c, J);
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < nv; ++j) bias[j] += J[i * nv + j] * F[i];
  }
  for (size_t j = 0; j < nv; ++j)
    assert_near(hf_dynamics_bias(w->d)[j], bias[j], ROUNDING * fmax(1, largest(bias, (int)nv)));
  free(J);
}

static void test_bias(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_bias);
}

// ---- wrenches: inverse dynamics subtracts J^T F ------------------------------------------------------

static void check_wrench(World* w, testRandom* r) {
  const hfModel* m = w->model;
  int body = 1 + random_int(r, m->nbody - 1);
  double vdot[MAX_DOF], without[MAX_DOF], with[MAX_DOF], added[MAX_DOF] = {0}, *J = malloc((size_t)(6 * m->nv) * sizeof *J);
  hfForce* wrench = calloc((size_t)m->nbody, sizeof *wrench);
  random_array(r, vdot, m->nv);
  random_array(r, (double*)(wrench + body), 6);
  hf_dynamics_inverse(w->d, w->v, vdot, NULL, without);
  hf_dynamics_inverse(w->d, w->v, vdot, wrench, with);
  hfVec3 c = pose_point(hf_dynamics_body_pose(w->d, body), v3_load(hf_model_body_com(m) + 3 * body));
  hf_dynamics_jacobian(w->d, body, c, J);
  const double* F = (const double*)(wrench + body); // torque, force: the order of the Jacobian's rows
  hfi_jacobian_transpose_add(w->d, body, c, wrench[body], added);
  double tolerance = ROUNDING * fmax(1, largest(without, m->nv));
  for (int i = 0; i < m->nv; ++i) {
    double JtF = 0;
    for (int k = 0; k < 6; ++k) JtF += J[k * m->nv + i] * F[k];
    assert_near(without[i] - with[i], JtF, tolerance);
    assert_near(added[i], JtF, tolerance);
  }
  free(J);
  free(wrench);
}

static void test_wrenches(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_wrench);
}

// ---- accelerations and forces of bodies -------------------------------------------------------------

// a = J vdot + Jdot v - g; the force on a joint's subtree has the component tau along its motions.
static void check_accelerations(World* w, testRandom* r) {
  const hfModel* m = w->model;
  int nv = m->nv, body = 1 + random_int(r, m->nbody - 1);
  hfVec3 p = v3(random_normal(r), random_normal(r), random_normal(r));
  double vdot[MAX_DOF], tau[MAX_DOF], *J = malloc((size_t)(6 * nv) * sizeof *J);
  random_array(r, vdot, nv);
  hf_dynamics_inverse(w->d, w->v, vdot, NULL, tau);
  hf_dynamics_jacobian(w->d, body, p, J);
  hfMotion a = hf_dynamics_jacobian_rate(w->d, body, p), got = hfi_proper_acceleration(w->d, body, p);
  a.v = v3_sub(a.v, v3_load(m->world.gravity));
  for (int j = 0; j < nv; ++j) {
    a.w = v3_axpy(vdot[j], v3(J[j], J[nv + j], J[2 * nv + j]), a.w);
    a.v = v3_axpy(vdot[j], v3(J[3 * nv + j], J[4 * nv + j], J[5 * nv + j]), a.v);
  }
  double tolerance = ROUNDING * fmax(1, largest(tau, nv));
  assert_vec_near(got.w, a.w, tolerance);
  assert_vec_near(got.v, a.v, tolerance);
  hfForce F = hfi_subtree_force(w->d, body, p);
  int first = hf_model_body_dofadr(m)[body];
  for (int i = first; i < first + hf_model_body_dofnum(m)[body]; ++i) {
    double along = 0;
    const double force[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
    for (int k = 0; k < 6; ++k) along += J[k * nv + i] * force[k];
    assert_near(along + hf_model_dof_armature(m)[i] * vdot[i], tau[i], tolerance);
  }
  free(J);
}

static void test_accelerations(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_accelerations);
}

// ---- sparse Jacobian = dense -----------------------------------------------------------------------

static void check_sparse_jacobian(World* w, testRandom* r) {
  const hfModel* m = w->model;
  int body = random_int(r, m->nbody), nv = m->nv, nonzero = 0;
  hfVec3 p = v3(random_normal(r), random_normal(r), random_normal(r));
  hfMotion columns[MAX_DOF];
  const int32_t* dofs = NULL;
  double* J = malloc((size_t)(6 * nv) * sizeof *J);
  int n = hfi_jacobian_dofs(w->d, body, &dofs);
  hfi_jacobian_columns(w->d, body, p, columns);
  hf_dynamics_jacobian(w->d, body, p, J);
  for (int k = 0; k < n; ++k) {
    if (k) assert_above(dofs[k], dofs[k - 1]);
    assert_vec_near(columns[k].w, v3(J[dofs[k]], J[nv + dofs[k]], J[2 * nv + dofs[k]]), 0);
    assert_vec_near(columns[k].v, v3(J[3 * nv + dofs[k]], J[4 * nv + dofs[k]], J[5 * nv + dofs[k]]), 0);
  }
  for (int j = 0; j < nv; ++j) {
    double size = 0;
    for (int i = 0; i < 6; ++i) size += fabs(J[i * nv + j]);
    nonzero += size > 0;
  }
  assert_int_equal(nonzero, n);
  free(J);
}

static void test_sparse_jacobian(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_sparse_jacobian);
}

// ---- velocities that are known already ---------------------------------------------------------------

// Oracle: a dynamics that was never anywhere else, to the bit.
static void assert_fresh_velocities(const World* w) {
  hfDynamics* fresh = NULL;
  assert_int_equal(hf_dynamics_create(&fresh, w->model, NULL), HF_OK);
  hf_dynamics_set_position(fresh, w->q, NULL);
  hf_dynamics_set_velocity(fresh, w->v);
  assert_memory_equal(w->d->V, fresh->V, sizeof *fresh->V * (size_t)fresh->nlink);
  assert_memory_equal(w->d->A, fresh->A, sizeof *fresh->A * (size_t)fresh->nlink);
  hf_dynamics_free(fresh);
}

// Velocities that are asked for again stay; at other positions, with other gravity and after others in between they are computed anew.
static void check_known_velocities(World* w, testRandom* r) {
  double other[MAX_DOF];
  random_array(r, other, w->model->nv);
  hf_dynamics_set_velocity(w->d, w->v);
  assert_fresh_velocities(w);
  hf_model_integrate(w->model, w->q, other, 0.1);
  hf_dynamics_set_position(w->d, w->q, NULL);
  hf_dynamics_set_velocity(w->d, w->v);
  assert_fresh_velocities(w);
  hf_dynamics_set_velocity(w->d, other);
  hf_dynamics_set_velocity(w->d, w->v);
  assert_fresh_velocities(w);
  w->model->world.gravity[0] += 1;
  hf_dynamics_refresh(w->d);
  hf_dynamics_set_velocity(w->d, w->v);
  assert_fresh_velocities(w);
}

static void test_known_velocities(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_known_velocities);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      tree_test(test_forward_inverts_inverse), tree_test(test_columns_of_M), tree_test(test_factor),
      tree_test(test_bias), tree_test(test_wrenches), tree_test(test_accelerations), tree_test(test_sparse_jacobian), tree_test(test_known_velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
