// Poses: closed forms of each joint, several joints on a body against a chain of bodies, mocap bodies,
// geoms and sites, centre of mass, and a turned world.
#include "dynamics/trees.h"

static const double ROUNDING = 1e-13; // products of a few unit quaternions over lengths of order one
static const double MOMENTS[3] = {0.1, 0.12, 0.15};
static const double COM[3] = {0.1, -0.2, 0.05};

static int add_joint_at(hfBuilder* b, int body, int type, hfVec3 pos, hfVec3 axis, double ref) {
  hfJointDef d = hf_joint_def_default();
  d.body = body;
  d.type = type;
  v3_store(d.pos, pos);
  v3_store(d.axis, axis);
  d.ref = ref;
  int id = hf_builder_add_joint(b, &d, NULL);
  assert_at_least(id, 0);
  return id;
}

// A hinge along y through (0.5, 0, 0), coordinate 0.3 at the reference: at 0.3 + pi/2 the body has
// turned x into -z about that point.
static void test_hinge_off_centre(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  int body = add_inertial_body(b, 0, 1, COM, MOMENTS);
  add_joint_at(b, body, HF_JOINT_HINGE, v3(0.5, 0, 0), v3(0, 2, 0), 0.3);
  World w = world_finish(b);
  assert_near(w.q[0], 0.3, 0);
  w.q[0] = 0.3 + HFI_PI / 2;
  hf_dynamics_set_position(w.d, w.q, NULL);
  hfPose X = hf_dynamics_body_pose(w.d, 1);
  assert_vec_near(m3_col(X.R, 0), v3(0, 0, -1), ROUNDING);
  assert_vec_near(X.p, v3(0.5, 0, 0.5), ROUNDING);
  world_free(&w);
}

// A screw along y through (0.5, 0, 0), coordinate 0.3 at the reference: the body turns as on the hinge above, and goes along y by the
// pitch times the angle. Its mass matrix is I_yy about the axis + m pitch^2.
static void test_screw(void** state) {
  (void)state;
  const double pitch = 0.2;
  hfBuilder* b = hf_builder_create();
  hfJointDef d = hf_joint_def_default();
  d.body = add_inertial_body(b, 0, 1, COM, MOMENTS);
  d.type = HF_JOINT_SCREW;
  d.pos[0] = 0.5, d.axis[1] = 2, d.axis[2] = 0, d.ref = 0.3, d.pitch = pitch;
  assert_at_least(hf_builder_add_joint(b, &d, NULL), 0);
  World w = world_finish(b);
  w.q[0] = 0.3 + HFI_PI / 2;
  hf_dynamics_set_position(w.d, w.q, NULL);
  hfPose X = hf_dynamics_body_pose(w.d, 1);
  assert_vec_near(m3_col(X.R, 0), v3(0, 0, -1), ROUNDING);
  assert_vec_near(X.p, v3(0.5, pitch * HFI_PI / 2, 0.5), ROUNDING);
  double rate = 1, M;
  hf_dynamics_set_velocity(w.d, &rate);
  assert_vec_near(hf_dynamics_point_velocity(w.d, 1, v3(0.5, 7, 0)).v, v3(0, pitch, 0), ROUNDING); // on the axis
  hf_dynamics_update_mass_matrix(w.d);
  hf_dynamics_dense_mass_matrix(w.d, &M);
  assert_near(M, MOMENTS[1] + sqr(COM[0] - 0.5) + sqr(COM[2]) + sqr(pitch), ROUNDING);
  world_free(&w);
}

// A slide along the body's x, which the body's own orientation (a quarter turn about z) makes world y.
static void test_slide(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfBodyDef d = hf_body_def_default();
  d.has_inertial = 1, d.mass = 1, d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
  d.pos[0] = 1;
  q_store(d.quat, q_from_axis_angle(v3(0, 0, 1), HFI_PI / 2));
  int body = hf_builder_add_body(b, &d, NULL);
  add_joint_at(b, body, HF_JOINT_SLIDE, v3_zero(), v3(1, 0, 0), 0.5);
  World w = world_finish(b);
  w.q[0] = 2;
  hf_dynamics_set_position(w.d, w.q, NULL);
  assert_vec_near(hf_dynamics_body_pose(w.d, 1).p, v3(1, 1.5, 0), ROUNDING);
  world_free(&w);
}

// Coordinates of free and ball joints need not be normalised.
static void test_quaternions_are_normalised(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  add_plain_joint(b, add_inertial_body(b, 0, 1, COM, MOMENTS), HF_JOINT_FREE);
  add_plain_joint(b, add_inertial_body(b, 0, 1, COM, MOMENTS), HF_JOINT_BALL);
  World w = world_finish(b);
  const double q[11] = {1, 2, 3, 2, 0, 0, 2, 0, 0, 0, 3};
  hf_dynamics_set_position(w.d, q, NULL);
  hfPose X = hf_dynamics_body_pose(w.d, 1);
  assert_vec_near(X.p, v3(1, 2, 3), 0);
  assert_vec_near(m3_col(X.R, 0), v3(0, 1, 0), ROUNDING);
  assert_vec_near(m3_col(hf_dynamics_body_pose(w.d, 2).R, 0), v3(-1, 0, 0), ROUNDING);
  world_free(&w);
}

// Slides along x and z of a body that stands a quarter turn about z in the world, so that they move it along the world's y and z, then a hinge about its y,
// the world's -x. The mass is 1, and the centre of mass, which the hinge turns, is on the body's z at 0.5.
static void check_plane(World* w, double x, double z, double angle) {
  const double com[3] = {0, 0, 0.5}, rates[3] = {2, 3, 4};
  double M[9], arm_y = com[2] * sin(angle), arm_z = com[2] * cos(angle);
  w->q[0] = x, w->q[1] = z, w->q[2] = angle;
  hf_dynamics_set_position(w->d, w->q, NULL);
  hfPose X = hf_dynamics_body_pose(w->d, 1);
  assert_vec_near(X.p, v3(1, x, z), ROUNDING);
  assert_vec_near(m3_col(X.R, 1), v3(-1, 0, 0), ROUNDING);
  assert_vec_near(m3_col(X.R, 2), v3(0, sin(angle), cos(angle)), ROUNDING);
  hf_dynamics_set_velocity(w->d, rates);
  hfMotion V = hf_dynamics_point_velocity(w->d, 1, X.p);
  assert_vec_near(V.v, v3(0, 2, 3), ROUNDING);
  assert_vec_near(V.w, v3(-4, 0, 0), ROUNDING);
  hf_dynamics_update_mass_matrix(w->d);
  hf_dynamics_dense_mass_matrix(w->d, M);
  const double want[9] = {1, 0, arm_z, 0, 1, -arm_y, arm_z, -arm_y, MOMENTS[1] + sqr(com[2])};
  for (int i = 0; i < 9; ++i) assert_near(M[i], want[i], ROUNDING);
}

static void test_slides_before_a_hinge(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfBodyDef d = hf_body_def_default();
  d.has_inertial = 1, d.mass = 1, d.com[2] = 0.5, d.pos[0] = 1;
  for (int i = 0; i < 3; ++i) d.inertia[i] = MOMENTS[i];
  q_store(d.quat, q_from_axis_angle(v3(0, 0, 1), HFI_PI / 2));
  int body = hf_builder_add_body(b, &d, NULL);
  add_joint_at(b, body, HF_JOINT_SLIDE, v3_zero(), v3(1, 0, 0), 0);
  add_joint_at(b, body, HF_JOINT_SLIDE, v3_zero(), v3(0, 0, 1), 0);
  add_joint_at(b, body, HF_JOINT_HINGE, v3_zero(), v3(0, 1, 0), 0);
  World w = world_finish(b);
  check_plane(&w, 0.3, 0.2, 0.7);
  check_plane(&w, -2, 1, -1.9);
  check_plane(&w, 0, 0, 0);
  world_free(&w);
}

// ---- several joints on a body = a chain of massless bodies with one each ---------------------------------

typedef struct JointSpec { int type; hfVec3 pos, axis; double ref; } JointSpec;

static void add_chain(hfBuilder* b, const JointSpec* joints, int count, int separate) {
  const double none[3] = {0, 0, 0};
  int body = 0;
  for (int i = 0; i < count; ++i) {
    int last = i == count - 1;
    if (i == 0 || separate) body = add_inertial_body(b, body, last || !separate ? 2 : 0, last || !separate ? COM : none, last || !separate ? MOMENTS : none);
    add_joint_at(b, body, joints[i].type, joints[i].pos, joints[i].axis, joints[i].ref);
  }
}

// The single body was at another configuration before: nothing of that stays.
static void compare_with_chain(const JointSpec* joints, int count, testRandom* r) {
  hfBuilder *one = hf_builder_create(), *many = hf_builder_create();
  add_chain(one, joints, count, 0);
  add_chain(many, joints, count, 1);
  World a = world_finish(one), c = world_finish(many);
  int nv = a.model->nv;
  double Ma[36], Mc[36];
  assert_int_equal(c.model->nv, nv);
  random_tree_state(r, a.model, a.q, a.v);
  hf_dynamics_set_position(a.d, a.q, NULL);
  hf_dynamics_update_mass_matrix(a.d);
  random_tree_state(r, a.model, a.q, a.v);
  World* both[2] = {&a, &c};
  for (int i = 0; i < 2; ++i) {
    hf_dynamics_set_position(both[i]->d, a.q, NULL);
    hf_dynamics_set_velocity(both[i]->d, a.v);
    hf_dynamics_update_mass_matrix(both[i]->d);
    hf_dynamics_update_bias(both[i]->d);
  }
  hfPose X = hf_dynamics_body_pose(a.d, 1), Y = hf_dynamics_body_pose(c.d, count);
  assert_vec_near(X.p, Y.p, ROUNDING);
  for (int i = 0; i < 3; ++i) assert_vec_near(m3_col(X.R, i), m3_col(Y.R, i), ROUNDING);
  hf_dynamics_dense_mass_matrix(a.d, Ma);
  hf_dynamics_dense_mass_matrix(c.d, Mc);
  // masses, arms and rates of order one to ten
  for (int i = 0; i < nv * nv; ++i) assert_near(Ma[i], Mc[i], 1e2 * ROUNDING);
  for (int i = 0; i < nv; ++i) assert_near(hf_dynamics_bias(a.d)[i], hf_dynamics_bias(c.d)[i], 1e3 * ROUNDING);
  world_free(&a);
  world_free(&c);
}

static void test_several_joints(void** state) {
  (void)state;
  const hfVec3 p = v3(0.2, -0.1, 0.3), s = v3(-0.4, 0.2, 0.1), x = v3(1, 0.2, 0), y = v3(0, 1, -0.3), z = v3(0.1, 0, 1);
  const JointSpec hinges[] = {{HF_JOINT_HINGE, p, x, 0.2}, {HF_JOINT_HINGE, s, y, 0}, {HF_JOINT_HINGE, p, z, -0.4}};
  const JointSpec mixed[] = {{HF_JOINT_SLIDE, p, x, 0.1}, {HF_JOINT_HINGE, s, y, 0}, {HF_JOINT_SLIDE, s, z, -0.3}};
  const JointSpec planar[] = {{HF_JOINT_SLIDE, p, x, 0.1}, {HF_JOINT_SLIDE, s, z, -0.3}, {HF_JOINT_HINGE, s, y, 0.2}};
  const JointSpec ball_last[] = {{HF_JOINT_SLIDE, p, x, 0}, {HF_JOINT_HINGE, s, y, 0.3}, {HF_JOINT_BALL, p, z, 0}};
  const JointSpec ball_first[] = {{HF_JOINT_BALL, p, z, 0}, {HF_JOINT_SLIDE, s, x, 0.2}, {HF_JOINT_SLIDE, s, y, 0}};
  testRandom r = {7};
  print_message("seed %llu\n", (unsigned long long)r.state);
  for (int i = 0; i < 20; ++i) {
    compare_with_chain(hinges, 3, &r);
    compare_with_chain(mixed, 3, &r);
    compare_with_chain(planar, 3, &r);
    compare_with_chain(ball_last, 3, &r);
    compare_with_chain(ball_first, 3, &r);
  }
}

// ---- mocap -------------------------------------------------------------------------------------------------

// A slide on a mocap body turns with it: its axis y becomes z by a quarter turn about x.
static void test_slide_on_mocap(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfBodyDef d = hf_body_def_default();
  d.mocap = 1;
  int child = add_inertial_body(b, hf_builder_add_body(b, &d, NULL), 1, COM, MOMENTS);
  add_joint_at(b, child, HF_JOINT_SLIDE, v3_zero(), v3(0, 1, 0), 0);
  World w = world_finish(b);
  double pos[3] = {1, 2, 3}, quat[4] = {1, 1, 0, 0}, rate = 1;
  hfInput input = {.mocap_pos = pos, .mocap_quat = quat};
  w.q[0] = 0.5;
  hf_dynamics_set_position(w.d, w.q, &input);
  hf_dynamics_set_velocity(w.d, &rate);
  hf_dynamics_update_bias(w.d);
  assert_vec_near(hf_dynamics_body_pose(w.d, child).p, v3(1, 2, 3.5), ROUNDING);
  assert_vec_near(m3_col(hf_dynamics_body_pose(w.d, child).R, 1), v3(0, 0, 1), ROUNDING);
  assert_vec_near(hf_dynamics_point_velocity(w.d, child, v3_zero()).v, v3(0, 0, 1), ROUNDING);
  assert_near(hf_dynamics_bias(w.d)[0], 9.81, ROUNDING);
  world_free(&w);
}

// A mocap body takes its pose from the input; a pendulum below it follows and does not feel a velocity.
static void test_mocap(void** state) {
  (void)state;
  hfBuilder* b = hf_builder_create();
  hfBodyDef d = hf_body_def_default();
  d.mocap = 1;
  d.pos[0] = 5;
  int mocap = hf_builder_add_body(b, &d, NULL), child = add_inertial_body(b, mocap, 1, COM, MOMENTS);
  add_plain_joint(b, child, HF_JOINT_HINGE);
  World w = world_finish(b);
  assert_vec_near(hf_dynamics_body_pose(w.d, mocap).p, v3(5, 0, 0), 0);
  double pos[3] = {1, 2, 3}, quat[4] = {2, 2, 0, 0};
  hfInput input = {.mocap_pos = pos, .mocap_quat = quat};
  hf_dynamics_set_position(w.d, w.q, &input);
  hfPose X = hf_dynamics_body_pose(w.d, child);
  assert_vec_near(X.p, v3(1, 2, 3), ROUNDING);
  assert_vec_near(m3_col(X.R, 1), v3(0, 0, 1), ROUNDING); // a quarter turn about x
  hf_dynamics_set_velocity(w.d, w.v);
  assert_vec_near(hf_dynamics_point_velocity(w.d, mocap, v3(9, 9, 9)).v, v3_zero(), 0);
  // Behind the quarter turn gravity is along -y of the body: about z the hinge must hold m g x_com.
  hf_dynamics_update_bias(w.d);
  assert_near(hf_dynamics_bias(w.d)[0], 9.81 * COM[0], ROUNDING);
  world_free(&w);
}

// ---- frames fixed in bodies, centre of mass ---------------------------------------------------------------------

static void check_frames(World* w, testRandom* r) {
  (void)r;
  const hfModel* m = w->model;
  for (int g = 0; g < m->ngeom; ++g) {
    hfPose X_WB = hf_dynamics_body_pose(w->d, hf_model_geom_body(m)[g]), X = hf_dynamics_geom_pose(w->d, g);
    hfQuat q = q_mul(hf_dynamics_body_quat(w->d, hf_model_geom_body(m)[g]), q_load(hf_model_geom_quat(m) + 4 * g));
    assert_vec_near(X.p, pose_point(X_WB, v3_load(hf_model_geom_pos(m) + 3 * g)), ROUNDING);
    assert_vec_near(m3_col(X.R, 2), q_rotate(q, v3(0, 0, 1)), ROUNDING);
  }
  for (int s = 0; s < m->nsite; ++s) {
    hfPose X_WB = hf_dynamics_body_pose(w->d, hf_model_site_body(m)[s]), X = hf_dynamics_site_pose(w->d, s);
    hfQuat q = q_mul(hf_dynamics_body_quat(w->d, hf_model_site_body(m)[s]), q_load(hf_model_site_quat(m) + 4 * s));
    assert_vec_near(X.p, pose_point(X_WB, v3_load(hf_model_site_pos(m) + 3 * s)), ROUNDING);
    assert_vec_near(m3_col(X.R, 0), q_rotate(q, v3(1, 0, 0)), ROUNDING);
  }
}

// total mass times the velocity of the centre of mass = linear momentum, by differences of the centre
static void check_centre(World* w, testRandom* r) {
  (void)r;
  const double h = 1e-5;
  hfVec3 linear, angular, c[2];
  double mass = 0;
  for (int b = 1; b < w->model->nbody; ++b) mass += hf_model_body_mass(w->model)[b];
  hf_dynamics_momentum(w->d, v3_zero(), &linear, &angular);
  for (int i = 0; i < 2; ++i) {
    double q[MAX_DOF + 16];
    memcpy(q, w->q, sizeof q);
    hf_model_integrate(w->model, q, w->v, i ? h : -h);
    hf_dynamics_set_position(w->d, q, NULL);
    c[i] = hf_dynamics_com(w->d, 0);
  }
  // h^2 truncation and eps/h rounding, both near 1e-9 of the lengths and rates of order ten
  assert_vec_near(v3_scale(mass / (2 * h), v3_sub(c[1], c[0])), linear, 1e-7 * fmax(1, mass));
}

static void test_fixed_frames(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_frames);
}

static void test_centre_of_mass(void** state) {
  (void)state;
  RandomTree spec = random_tree_default();
  for_random_trees(&spec, TREES, check_centre);
}

// ---- turning the world turns the answer --------------------------------------------------------------------------

// Free joints have world coordinates: their positions, orientations and linear velocities turn too.
static void turn_free_joints(const hfModel* m, hfQuat turn, double* q, double* v) {
  for (int j = 0; j < m->njnt; ++j) {
    if (hf_model_jnt_type(m)[j] != HF_JOINT_FREE) continue;
    double *qj = q + hf_model_jnt_qposadr(m)[j], *vj = v + hf_model_jnt_dofadr(m)[j];
    v3_store(qj, q_rotate(turn, v3_load(qj)));
    q_store(qj + 3, q_mul(turn, q_load(qj + 3)));
    v3_store(vj, q_rotate(turn, v3_load(vj)));
  }
}

static void compare_turned(uint64_t seed) {
  RandomTree spec = random_tree_default(), turned = spec;
  turned.turn = q_from_axis_angle(v3_unit(v3(1, 2, -0.5)), 2.1);
  testRandom r1 = {seed}, r2 = {seed};
  World a = world_random(&r1, &spec), b = world_random(&r2, &turned);
  double va[MAX_DOF], vb[MAX_DOF], tau[MAX_DOF] = {0}, unused[MAX_DOF + 16] = {0};
  int n = a.model->nv;
  memcpy(b.q, a.q, sizeof b.q);
  turn_free_joints(b.model, turned.turn, b.q, b.v);
  hf_dynamics_set_position(b.d, b.q, NULL);
  hf_dynamics_forward(a.d, a.v, tau, NULL, va);
  hf_dynamics_forward(b.d, b.v, tau, NULL, vb);
  turn_free_joints(a.model, turned.turn, unused, va);
  // forces and accelerations of light bodies on long chains reach 1e3
  for (int i = 0; i < n; ++i) assert_near(vb[i], va[i], 1e-10 * fmax(1, largest(va, n)));
  double Ta = hf_dynamics_kinetic_energy(a.d), Ua = hf_dynamics_potential_energy(a.d, a.q);
  assert_near(hf_dynamics_kinetic_energy(b.d), Ta, 1e-12 * fmax(1, Ta));
  assert_near(hf_dynamics_potential_energy(b.d, b.q), Ua, 1e-11 * fmax(1, fabs(Ua)));
  assert_vec_near(hf_dynamics_com(b.d, 0), q_rotate(turned.turn, hf_dynamics_com(a.d, 0)), 10 * ROUNDING);
  world_free(&a);
  world_free(&b);
}

static void test_turned_world(void** state) {
  (void)state;
  for (int i = 0; i < TREES; ++i) {
    last_seed = 77000 + (uint64_t)i;
    compare_turned(last_seed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hinge_off_centre), cmocka_unit_test(test_screw), cmocka_unit_test(test_slide),
      cmocka_unit_test(test_slides_before_a_hinge),
      cmocka_unit_test(test_quaternions_are_normalised), cmocka_unit_test(test_several_joints),
      cmocka_unit_test(test_mocap), cmocka_unit_test(test_slide_on_mocap), tree_test(test_fixed_frames), tree_test(test_centre_of_mass),
      tree_test(test_turned_world),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
