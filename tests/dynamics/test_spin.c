// Spinning bodies against closed forms: the Dzhanibekov flip, the heavy top, and steps of a sim in flight,
// far too large ones among them.
#include "dynamics/rk4.h"

#include <holdfast/sim.h>

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
  assert_below(largest_lean(1.1 * critical), 1e-3);
  assert_above(largest_lean(0.9 * critical), 0.3);
}

// ---- flight ----------------------------------------------------------------------------------------------

// A sim over the world's model, in the world's state, without its contacts.
static hfSim* make_sim(const World* w, double h, hfState** s) {
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  assert_int_equal(hf_sim_create(&sim, w->model, &config, &error), HF_OK);
  *s = hf_state_create(w->model);
  memcpy(hf_state_mutable_q(*s), w->q, sizeof *w->q * (size_t)w->model->nq);
  memcpy(hf_state_mutable_v(*s), w->v, sizeof *w->v * (size_t)w->model->nv);
  return sim;
}

static void step(World* w, hfSim* sim, hfState* s) {
  hfError error;
  assert_at_least(hf_sim_step(sim, s, NULL, NULL, &error), 0);
  memcpy(w->q, hf_state_q(s), sizeof *w->q * (size_t)w->model->nq);
  memcpy(w->v, hf_state_v(s), sizeof *w->v * (size_t)w->model->nv);
}

static double kinetic_energy(World* w) {
  hf_dynamics_set_position(w->d, w->q, NULL);
  hf_dynamics_set_velocity(w->d, w->v);
  return hf_dynamics_kinetic_energy(w->d);
}

static World make_fast_spinner(int joint, const double* com) {
  const double moments[3] = {0.01, 0.02, 0.028};
  World w = make_spinner(joint, 2, com, moments, 0);
  int rotation = joint == HF_JOINT_FREE ? 3 : 0;
  w.v[rotation] = 30, w.v[rotation + 1] = 100, w.v[rotation + 2] = -20;
  return w;
}

// Angular momentum in the world about the centre of mass.
static hfVec3 spin_momentum(World* w) {
  hfVec3 linear, angular;
  kinetic_energy(w);
  hf_dynamics_momentum(w->d, hf_dynamics_com(w->d, 1), &linear, &angular);
  return angular;
}

// Free bodies keep energy and angular momentum, direction and all, over 2000 steps with h w = 0.2 to 2: rounding
// of 2000 steps only. The centre of mass, away from the origin, moves straight.
static void test_free_spin_keeps_all(void** state) {
  (void)state;
  static const double steps[] = {2e-3, 1e-2, 2e-2}, com[3] = {0.05, -0.02, 0.1};
  for (int i = 0; i < 3; ++i) {
    World w = make_fast_spinner(HF_JOINT_FREE, com);
    hfState* s;
    hfSim* sim = make_sim(&w, steps[i], &s);
    double before = kinetic_energy(&w);
    hfVec3 L = spin_momentum(&w), linear0, linear, angular;
    hf_dynamics_momentum(w.d, v3_zero(), &linear0, &angular);
    for (int k = 0; k < 2000; ++k) step(&w, sim, s);
    assert_near(kinetic_energy(&w), before, 1e-10 * before);
    assert_vec_near(spin_momentum(&w), L, 1e-10 * v3_norm(L));
    hf_dynamics_momentum(w.d, v3_zero(), &linear, &angular);
    assert_vec_near(linear, linear0, 1e-9 * v3_norm(linear0));
    hf_sim_free(sim), hf_state_free(s), world_free(&w);
  }
}

// At any speed and step a body that turns freely never gains energy: h w = 0.2 to 500.
static void check_bounded(int joint, double scale) {
  static const double steps[] = {2e-3, 5e-2};
  for (int i = 0; i < 2; ++i) {
    World w = make_fast_spinner(joint, ORIGIN);
    for (int k = 0; k < w.model->nv; ++k) w.v[k] *= scale;
    hfState* s;
    hfSim* sim = make_sim(&w, steps[i], &s);
    double before = kinetic_energy(&w);
    for (int k = 0; k < 500; ++k) {
      step(&w, sim, s);
      assert_at_most(kinetic_energy(&w), before * (1 + 1e-10));
    }
    hf_sim_free(sim), hf_state_free(s), world_free(&w);
  }
}

static void test_energy_never_grows(void** state) {
  (void)state;
  for (double scale = 1; scale <= 100; scale *= 10) {
    check_bounded(HF_JOINT_FREE, scale);
    check_bounded(HF_JOINT_BALL, scale);
  }
}

// A heavy top on a ball joint at 0.2 rad a step precesses as it should: the closed form of steady precession,
// within (h w)^2/4 of it.
static void test_top_precesses(void** state) {
  (void)state;
  const double theta = 0.6, w3 = 200, h = 1e-3;
  double L3 = TOP.I3 * w3, weight = TOP.mass * G * TOP.length;
  double Om = (L3 - sqrt(L3 * L3 - 4 * TOP.I1 * weight * cos(theta))) / (2 * TOP.I1 * cos(theta));
  World w = make_top();
  set_top(&w, theta, w3, Om);
  hfState* s;
  hfSim* sim = make_sim(&w, h, &s);
  hfVec3 start = q_rotate(q_load(w.q), v3(0, 0, 1));
  double turned = 0;
  hfVec3 last = start;
  for (int k = 0; k < 2000; ++k) {
    step(&w, sim, s);
    hfVec3 axis = q_rotate(q_load(w.q), v3(0, 0, 1));
    turned += asin(v3_dot(v3(0, 0, 1), v3_cross(last, axis)) / (sin(theta) * sin(theta)));
    assert_near(axis.z, start.z, 1e-4);
    last = axis;
  }
  assert_near(turned / 2, Om, 0.01 * Om);
  hf_sim_free(sim), hf_state_free(s), world_free(&w);
}

// Of second order: halving h quarters the error in the body's angular velocity.
static void test_order(void** state) {
  (void)state;
  World exact = make_fast_spinner(HF_JOINT_FREE, ORIGIN), coarse = exact, fine = exact;
  const double time = 0.1;
  hfState *s1, *s2;
  hfSim *sim1 = make_sim(&coarse, time / 100, &s1), *sim2 = make_sim(&fine, time / 200, &s2);
  for (int k = 0; k < 4000; ++k) rk4_step(&exact, time / 4000);
  for (int k = 0; k < 100; ++k) step(&coarse, sim1, s1);
  for (int k = 0; k < 200; ++k) step(&fine, sim2, s2);
  double e1 = v3_norm(v3_sub(v3_load(coarse.v + 3), v3_load(exact.v + 3)));
  double e2 = v3_norm(v3_sub(v3_load(fine.v + 3), v3_load(exact.v + 3)));
  assert_near(e1 / e2, 4, 0.2);
  hf_sim_free(sim1), hf_sim_free(sim2), hf_state_free(s1), hf_state_free(s2), world_free(&exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dzhanibekov),           cmocka_unit_test(test_heavy_top_precession),
      cmocka_unit_test(test_sleeping_top),          cmocka_unit_test(test_free_spin_keeps_all),
      cmocka_unit_test(test_energy_never_grows),    cmocka_unit_test(test_top_precesses),
      cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
