// Springs, gravity compensation, tendon armature and parameter overlays.
#include "dynamics/trees.h"

#include "step/dynamics/dynamics.h"

static const double COM[3] = {0.1, -0.2, 0.05}, MOMENTS[3] = {0.1, 0.12, 0.15};

// ---- potential energy -------------------------------------------------------------------------------

// Energy of every spring, joint by joint, from its definition.
static double spring_energy(const World* w) {
  const hfModel* m = w->model;
  double sum = 0;
  for (int j = 0; j < m->njnt; ++j) {
    // rest -> now as a generalised displacement, of which the square counts
    double stretch[MAX_DOF];
    hf_model_difference(m, hf_model_qpos_spring(m), w->q, 1, stretch);
    int n = hf_joint_info(hf_model_jnt_type(m)[j]).nv;
    for (int k = 0; k < n; ++k) sum += 0.5 * hf_model_jnt_stiffness(m)[j] * sqr(stretch[hf_model_jnt_dofadr(m)[j] + k]);
  }
  for (int t = 0; t < m->ntendon; ++t) {
    double length = 0;
    for (int k = hf_model_tendon_adr(m)[t]; k < hf_model_tendon_adr(m)[t] + hf_model_tendon_num(m)[t]; ++k)
      length += hf_model_wrap_coef(m)[k] * w->q[hf_model_jnt_qposadr(m)[hf_model_wrap_obj(m)[k]]];
    sum += 0.5 * hf_model_tendon_stiffness(m)[t] * sqr(fmax(0, fabs(length) - 0.1)); // dead band +-0.1
  }
  return sum;
}

static void check_springs(World* w, testRandom* r) {
  (void)r;
  double want = spring_energy(w);
  assert_near(hf_dynamics_potential_energy(w->d, w->q), want, 1e-13 * fmax(1, want));
}

static void test_spring_energy(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  spec.flags = TREE_SPRINGS | TREE_NO_GRAVITY;
  for_random_trees(&spec, TREES, check_springs);
}

// ---- gravity compensation --------------------------------------------------------------------------------

static void set_gravcomp(hfParams* params, double share) {
  int n = hf_params_model(params)->nbody;
  for (int b = 0; b < n; ++b) hf_params_field(params, HF_FIELD_body_gravcomp)[b] = share;
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
}

// Carrying a share s of all weights is s times the bias at rest.
static void check_gravcomp(World* w, testRandom* r) {
  (void)r;
  hfParams* params = NULL;
  hfDynamics* d = NULL;
  double zero[MAX_DOF] = {0}, tau[MAX_DOF];
  assert_int_equal(hf_params_create(&params, w->model, NULL), HF_OK);
  set_gravcomp(params, 0.7);
  assert_int_equal(hf_dynamics_create(&d, hf_params_model(params), NULL), HF_OK);
  hf_dynamics_set_position(d, w->q, NULL);
  hf_dynamics_set_velocity(d, zero);
  hf_dynamics_update_bias(d);
  hf_dynamics_gravity_compensation(d, tau);
  double tolerance = 1e-12 * fmax(1, largest(tau, w->model->nv));
  for (int i = 0; i < w->model->nv; ++i) assert_near(tau[i], 0.7 * hf_dynamics_bias(d)[i], tolerance);
  hf_dynamics_free(d);
  hf_params_free(params);
}

static void test_gravity_compensation(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_gravcomp);
}

// ---- overlays ------------------------------------------------------------------------------------------

// Twice the masses, inertias and armature: twice M and bias, after a refresh.
static void check_refresh(World* w, testRandom* r) {
  (void)r;
  static const hfModelField fields[] = {HF_FIELD_body_mass, HF_FIELD_body_inertia, HF_FIELD_dof_armature};
  const hfModel* m = w->model;
  hfParams* params = NULL;
  hfDynamics* d = NULL;
  assert_int_equal(hf_params_create(&params, m, NULL), HF_OK);
  assert_int_equal(hf_dynamics_create(&d, hf_params_model(params), NULL), HF_OK);
  hf_dynamics_update_mass_matrix(d); // Nothing of this M may stay.
  for (int f = 0; f < 3; ++f) {
    hfFieldInfo info = hf_model_field_info(m, fields[f]);
    for (int i = 0; i < info.rows * info.columns; ++i) hf_params_field(params, fields[f])[i] *= 2;
  }
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
  hf_dynamics_refresh(d);
  hf_dynamics_set_position(d, w->q, NULL);
  hf_dynamics_set_velocity(d, w->v);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_update_bias(d);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_update_bias(w->d);
  // doubling is exact in binary, and merging a link divides by its mass once
  for (int i = 0; i < m->nM; ++i) assert_near(hf_dynamics_mass_matrix(d)[i], 2 * hf_dynamics_mass_matrix(w->d)[i], 0);
  for (int i = 0; i < m->nv; ++i) assert_near(hf_dynamics_bias(d)[i], 2 * hf_dynamics_bias(w->d)[i], 0);
  hf_dynamics_free(d);
  hf_params_free(params);
}

static void test_refresh(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_refresh);
}

// ---- tendon armature -------------------------------------------------------------------------------------

// Chain of three joints and a branch; a tendon over the first (named twice), the third and the branch.
static World make_tendon_world(double armature) {
  hfBuilder* b = hf_builder_create();
  hfTendonDef d = hf_tendon_def_default();
  int a = add_inertial_body(b, 0, 1, COM, MOMENTS), c = add_inertial_body(b, a, 1, COM, MOMENTS);
  int e = add_inertial_body(b, c, 1, COM, MOMENTS), f = add_inertial_body(b, a, 1, COM, MOMENTS);
  const int joints[4] = {add_plain_joint(b, a, HF_JOINT_HINGE), 0, 2, 3};
  add_plain_joint(b, c, HF_JOINT_SLIDE);
  assert_int_equal(add_plain_joint(b, e, HF_JOINT_HINGE), joints[2]);
  assert_int_equal(add_plain_joint(b, f, HF_JOINT_HINGE), joints[3]);
  const double coef[4] = {0.7, -0.2, -2, 1.5};
  d.count = 4, d.joint = joints, d.coef = coef, d.armature = armature;
  assert_at_least(hf_builder_add_tendon(b, &d, NULL), 0);
  return world_finish(b);
}

static void test_tendon_armature(void** state) {
  (void)state;
  World w = make_tendon_world(0.3), plain = make_tendon_world(0);
  double M[16], M0[16], row[4] = {0.5, 0, -2, 1.5};
  w.v[0] = 1, w.v[1] = -2, w.v[2] = 0.5, w.v[3] = 3;
  memcpy(plain.v, w.v, sizeof plain.v);
  World* both[2] = {&w, &plain};
  for (int i = 0; i < 2; ++i) {
    hf_dynamics_set_position(both[i]->d, w.q, NULL);
    hf_dynamics_set_velocity(both[i]->d, w.v);
    hf_dynamics_update_mass_matrix(both[i]->d);
    hf_dynamics_dense_mass_matrix(both[i]->d, i ? M0 : M);
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int apart = (i == 3 && (j == 1 || j == 2)) || (j == 3 && (i == 1 || i == 2)); // other branches
      assert_near(M[4 * i + j] - M0[4 * i + j], apart ? 0 : 0.3 * row[i] * row[j], 1e-15);
    }
  // kinetic energy v.M v/2, inverse and forward dynamics know of it too
  double vdot[4] = {1, -0.5, 2, -1}, tau[4], again[4], Mv[4], energy = 0;
  hf_dynamics_multiply(w.d, w.v, Mv);
  for (int i = 0; i < 4; ++i) energy += 0.5 * w.v[i] * Mv[i];
  assert_near(hf_dynamics_kinetic_energy(w.d), energy, 1e-14);
  hf_dynamics_inverse(w.d, w.v, vdot, NULL, tau);
  hf_dynamics_update_bias(w.d);
  hf_dynamics_multiply(w.d, vdot, Mv);
  for (int i = 0; i < 4; ++i) assert_near(tau[i], Mv[i] + hf_dynamics_bias(w.d)[i], 1e-13);
  hf_dynamics_forward(w.d, w.v, tau, NULL, again);
  for (int i = 0; i < 4; ++i) assert_near(again[i], vdot[i], 1e-12);
  world_free(&w);
  world_free(&plain);
}

// A body on a slide and then a hinge, and a tendon over both: M of the slide is the mass and the armature, wherever the body was before.
static void test_tendon_armature_of_a_slide(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfTendonDef t = hf_tendon_def_default();
  int body = add_inertial_body(b, 0, 2, COM, MOMENTS);
  const int joints[2] = {add_plain_joint(b, body, HF_JOINT_SLIDE), add_plain_joint(b, body, HF_JOINT_HINGE)};
  const double coef[2] = {3, 1};
  t.count = 2, t.joint = joints, t.coef = coef, t.armature = 0.5;
  assert_at_least(hf_builder_add_tendon(b, &t, NULL), 0);
  World w = world_finish(b);
  for (int i = 0; i < 3; ++i) {
    double M[4];
    w.q[0] = i, w.q[1] = 0.4 * i;
    hf_dynamics_set_position(w.d, w.q, NULL);
    hf_dynamics_update_mass_matrix(w.d);
    hf_dynamics_dense_mass_matrix(w.d, M);
    assert_near(M[0], 2 + 0.5 * 9, 1e-14); // a few roundings
  }
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      tree_test(test_spring_energy), tree_test(test_gravity_compensation), tree_test(test_refresh),
      cmocka_unit_test(test_tendon_armature), cmocka_unit_test(test_tendon_armature_of_a_slide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
