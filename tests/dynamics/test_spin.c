// Spinning bodies against closed forms: the Dzhanibekov flip, the heavy top, and implicit gyroscopic
// terms at steps far too large for explicit ones.
#include "dynamics/rk4.h"

static const double ORIGIN[3] = {0, 0, 0};

static World make_spinner(int joint, double mass, const double* com, const double* moments, double gravity) {
  hfBuilder* b = hf_builder_create();
  hf_builder_world(b)->gravity[2] = -gravity;
  int body = add_inertial_body(b, 0, mass, com, moments);
  add_plain_joint(b, body, joint);
  return world_finish(b);
}

// ---- torque-free body about its middle axis ------------------------------------------------------------

// Time within the last step [0, h] at which component k of the velocity is zero, by the secant of RK4 steps.
static double zero_within(const World* start, int k, double h) {
  double a = 0, b = h, fa = start->v[k];
  World end = *start;
  rk4_step(&end, h);
  double fb = end.v[k];
  for (int i = 0; i < 20 && fabs(b - a) > 1e-15; ++i) {
    double t = b - fb * (b - a) / (fb - fa);
    World at = *start;
    rk4_step(&at, t);
    a = b, fa = fb, b = t, fb = at.v[k];
    if (fb == 0 || fb == fa) break;
  }
  return b;
}

// I = (1, 2, 3), w = (0.01, 1, 0): w2 has its first zero at 10.3773049 s and the next 20.7546097647 s
// later (Jacobi elliptic functions). RK4 with h = 2 ms errs by about h^4/120 per unit time and rate^5,
// 1e-12 over 31 s; the saddle that the body rests on between flips amplifies it by 1/0.01.
static void test_dzhanibekov(void** state) {
  (void)state;
  const double moments[3] = {1, 2, 3}, h = 2e-3;
  World w = make_spinner(HF_JOINT_FREE, 1, ORIGIN, moments, 0);
  double zero[2];
  int found = 0;
  w.v[3] = 0.01, w.v[4] = 1;
  for (int k = 0; found < 2 && k < 20000; ++k) {
    World before = w;
    rk4_step(&w, h);
    if (before.v[4] * w.v[4] < 0) zero[found++] = k * h + zero_within(&before, 4, h);
  }
  assert_int_equal(found, 2);
  assert_near(zero[0], 10.3773049, 6e-8); // the published value has 7 decimals
  assert_near(zero[1] - zero[0], 20.7546097647, 1e-9);
  world_free(&w);
}

// ---- heavy top -----------------------------------------------------------------------------------------

typedef struct Top { double mass, length, I1, I3; } Top; // I1 about the fixed point
static const Top TOP = {0.5, 0.1, 0.012, 0.004};
static const double G = 9.81;

static World make_top(void) {
  double com[3] = {0, 0, TOP.length}, across = TOP.I1 - TOP.mass * TOP.length * TOP.length;
  double moments[3] = {across, across, TOP.I3};
  return make_spinner(HF_JOINT_BALL, TOP.mass, com, moments, G);
}

// Leans by theta and turns so that the spin about its axis is w3 and the axis precesses at rate Om.
static void set_top(World* w, double theta, double w3, double Om) {
  q_store(w->q, q_from_axis_angle(v3(1, 0, 0), theta));
  hfVec3 z_B = q_rotate(q_conj(q_load(w->q)), v3(0, 0, 1)), axis = v3(0, 0, 1);
  hfVec3 spin = v3_axpy(w3 - Om * cos(theta), axis, v3_scale(Om, z_B));
  v3_store(w->v, spin);
}

static void check_precession(double w3, double sign) {
  const double theta = 0.6, h = 5e-4;
  double L3 = TOP.I3 * w3, weight = TOP.mass * G * TOP.length;
  double Om = (L3 + sign * sqrt(L3 * L3 - 4 * TOP.I1 * weight * cos(theta))) / (2 * TOP.I1 * cos(theta));
  World w = make_top();
  set_top(&w, theta, w3, Om);
  hfVec3 start = q_rotate(q_load(w.q), v3(0, 0, 1));
  for (int k = 1; k <= 2000; ++k) {
    rk4_step(&w, h);
    hfVec3 axis = q_rotate(q_load(w.q), v3(0, 0, 1)), expected = q_rotate(q_from_axis_angle(v3(0, 0, 1), Om * k * h), start);
    // RK4 at h w = 0.05 over 1 s: (h w)^4 w/120
    assert_vec_near(axis, expected, 1e-6);
  }
  world_free(&w);
}

static void test_heavy_top_precession(void** state) {
  (void)state;
  check_precession(100, -1); // slow
  check_precession(100, 1);  // fast
}

static double largest_lean(double w3) {
  World w = make_top();
  double lean = 0;
  set_top(&w, 1e-4, w3, 0);
  for (int k = 0; k < 4000; ++k) {
    rk4_step(&w, 1e-3);
    lean = fmax(lean, acos(fmin(1, q_rotate(q_load(w.q), v3(0, 0, 1)).z)));
  }
  world_free(&w);
  return lean;
}

// The sleeping top is stable iff (I3 w3)^2 > 4 I1 m g l.
static void test_sleeping_top(void** state) {
  (void)state;
  double critical = sqrt(4 * TOP.I1 * TOP.mass * G * TOP.length) / TOP.I3;
  assert_true(largest_lean(1.1 * critical) < 1e-3);
  assert_true(largest_lean(0.9 * critical) > 0.3);
}

// ---- implicit gyroscopic terms ---------------------------------------------------------------------------

// M v1 = M v0 - h bias + implicit part, then q (+) h v1: the step of the sim without forces.
static void step(World* w, double h, int implicit) {
  double p[MAX_DOF];
  hf_dynamics_position(w->d, w->q, NULL);
  hf_dynamics_velocity(w->d, w->v);
  hf_dynamics_mass_matrix(w->d);
  hf_dynamics_factor(w->d);
  hf_dynamics_bias(w->d);
  hf_dynamics_multiply(w->d, w->v, p);
  for (int i = 0; i < w->model->nv; ++i) p[i] -= h * hf_dynamics_c(w->d)[i];
  if (implicit) hf_dynamics_gyroscopic_impulse(w->d, h, p);
  hf_dynamics_solve(w->d, p);
  memcpy(w->v, p, (size_t)w->model->nv * sizeof *p);
  hf_model_integrate(w->model, w->q, w->v, h);
}

static double kinetic_energy(World* w) {
  hf_dynamics_position(w->d, w->q, NULL);
  hf_dynamics_velocity(w->d, w->v);
  return hf_dynamics_kinetic_energy(w->d);
}

static World make_fast_spinner(int joint, const double* com) {
  const double moments[3] = {0.01, 0.02, 0.028};
  World w = make_spinner(joint, 2, com, moments, 0);
  int rotation = joint == HF_JOINT_FREE ? 3 : 0;
  w.v[rotation] = 30, w.v[rotation + 1] = 100, w.v[rotation + 2] = -20;
  return w;
}

// h w = 0.2 to 10 with |w| about 100 rad/s. Implicit: energy to rounding over 2000 steps; explicit: it
// has at least doubled by then, at every one of these steps.
static void check_bounded(int joint) {
  static const double steps[] = {2e-3, 1e-2, 1e-1};
  for (int i = 0; i < 3; ++i) {
    World w = make_fast_spinner(joint, ORIGIN), naive = make_fast_spinner(joint, ORIGIN);
    double before = kinetic_energy(&w), most = 0;
    for (int k = 0; k < 2000; ++k) {
      step(&w, steps[i], 1);
      assert_near(kinetic_energy(&w), before, 1e-10 * before);
      if (most < 2 * before) step(&naive, steps[i], 0), most = fmax(most, kinetic_energy(&naive));
    }
    assert_true(most >= 2 * before);
    world_free(&w);
    world_free(&naive);
  }
}

static void test_implicit_is_bounded(void** state) {
  (void)state;
  check_bounded(HF_JOINT_FREE);
  check_bounded(HF_JOINT_BALL);
}

// A ball joint away from the centre of mass: the whole inertia about the anchor is implicit.
static void test_ball_off_centre(void** state) {
  (void)state;
  const double com[3] = {0.05, -0.02, 0.1};
  World w = make_fast_spinner(HF_JOINT_BALL, com);
  double before = kinetic_energy(&w);
  for (int k = 0; k < 1000; ++k) {
    step(&w, 0.05, 1);
    assert_near(kinetic_energy(&w), before, 1e-10 * before);
  }
  world_free(&w);
}

// A free body away from its origin: the centre of mass moves straight, whatever h.
static void test_centre_moves_straight(void** state) {
  (void)state;
  const double com[3] = {0.05, -0.02, 0.1}, h = 0.05;
  World w = make_fast_spinner(HF_JOINT_FREE, com);
  hfVec3 linear0, linear, angular;
  double before = kinetic_energy(&w);
  hf_dynamics_momentum(w.d, v3_zero(), &linear0, &angular);
  for (int k = 0; k < 1000; ++k) {
    step(&w, h, 1);
    assert_near(kinetic_energy(&w), before, 1e-10 * before);
    hf_dynamics_momentum(w.d, v3_zero(), &linear, &angular);
    assert_vec_near(linear, linear0, 1e-9 * v3_norm(linear0));
  }
  world_free(&w);
}

// The impulse is of second order in h: implicit and explicit steps have the same limit.
static void test_implicit_is_consistent(void** state) {
  (void)state;
  const double com[3] = {0.05, -0.02, 0.1};
  World w = make_fast_spinner(HF_JOINT_FREE, com);
  double coarse[6] = {0}, fine[6] = {0};
  kinetic_energy(&w); // position and velocity
  hf_dynamics_gyroscopic_impulse(w.d, 1e-5, coarse);
  hf_dynamics_gyroscopic_impulse(w.d, 0.5e-5, fine);
  // ratio 4 up to the next order, h w = 1e-3
  for (int i = 0; i < 6; ++i) assert_near(coarse[i] / fine[i], 4, 0.02);
  world_free(&w);
}

// The midpoint is of second order: halving h quarters the error in the body's angular velocity.
static void test_midpoint_order(void** state) {
  (void)state;
  World exact = make_fast_spinner(HF_JOINT_FREE, ORIGIN), coarse = exact, fine = exact;
  const double time = 0.1;
  for (int k = 0; k < 4000; ++k) rk4_step(&exact, time / 4000);
  for (int k = 0; k < 100; ++k) step(&coarse, time / 100, 1);
  for (int k = 0; k < 200; ++k) step(&fine, time / 200, 1);
  double e1 = v3_norm(v3_sub(v3_load(coarse.v + 3), v3_load(exact.v + 3)));
  double e2 = v3_norm(v3_sub(v3_load(fine.v + 3), v3_load(exact.v + 3)));
  assert_near(e1 / e2, 4, 0.2);
  world_free(&exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dzhanibekov),           cmocka_unit_test(test_heavy_top_precession),
      cmocka_unit_test(test_sleeping_top),          cmocka_unit_test(test_implicit_is_bounded),
      cmocka_unit_test(test_ball_off_centre),       cmocka_unit_test(test_centre_moves_straight),
      cmocka_unit_test(test_implicit_is_consistent), cmocka_unit_test(test_midpoint_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
