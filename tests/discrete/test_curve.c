// Contacts of curved surfaces that roll, against the equation of motion of an ellipsoid that rolls without slip, and against short steps.
#include "support/sim_world.h"

#include <math.h>
#include <stdio.h>

static const double steps[4] = {5e-4, 2e-3, 5e-3, 1e-2}; // [s]

// ---- an ellipsoid that rolls about its middle axis --------------------------------------------------------------

// Half axes a (along the floor at first) and b of the ellipse in the plane of motion [m], mass [kg], gravity [m/s^2].
static const double a = 0.05, b = 0.03, mass = 1, gravity = 9.81;

// Height of the centre at the angle th: c(th)^2 = a^2 sin^2 + b^2 cos^2; its derivative is how far the contact is ahead of the centre.
static double height(double th) { return hypot(a * sin(th), b * cos(th)); }
static double ahead(double th) { return (a * a - b * b) * sin(th) * cos(th) / height(th); }

// Inertia I about the contact, and I'/2. c + c'' is the radius of curvature (a b)^2/c^3.
static double inertia(double th) { return mass * ((a * a + b * b) / 5 + height(th) * height(th) + ahead(th) * ahead(th)); }
static double half_slope(double th) {
  double c = height(th);
  return mass * ahead(th) * a * a * b * b / (c * c * c);
}

// Rolling without slip: I th'' + I'/2 th'^2 + m g c' = 0, x' = c th'. One step of the Runge-Kutta method of order 4 on (th, th', x).
static void rate(const double y[3], double out[3]) {
  out[0] = y[1];
  out[1] = -(half_slope(y[0]) * y[1] * y[1] + mass * gravity * ahead(y[0])) / inertia(y[0]);
  out[2] = height(y[0]) * y[1];
}
static void roll(double y[3], double t) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[4][3] = {{0}}, sum[3] = {0};
  for (int i = 0; i < 4; ++i) {
    double z[3];
    for (int j = 0; j < 3; ++j) z[j] = y[j] + (i ? t * at[i] * k[i - 1][j] : 0);
    rate(z, k[i]);
    for (int j = 0; j < 3; ++j) sum[j] += weight[i] * k[i][j];
  }
  for (int j = 0; j < 3; ++j) y[j] += t / 6 * sum[j];
}

// Rolls over its end and on at 20 rad/s for 0.5 s. The load on the contact is at most m (g + (a^2/b - b) w^2) = 31 N: 0.063 mm at 500,000 N/m; in
// the first step, in which nothing closes the contact but gravity, 0.09 mm.
// It comes within about 1 % of the path of 24 cm to where the equation says: the dissipation of the contact takes 0.4 % of the energy, and
// steps of 10 ms turn it by 0.2 rad.
static void test_rolling_ellipsoid(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    double h = steps[i], y[3] = {0, 20, 0}, deepest = 0, astray = 0;
    simWorld w = sim_world_make(
        "<mujoco><default><geom friction='1 0 0'/></default><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .03'><freejoint/>"
        "<geom type='ellipsoid' size='.05 .03 .03' mass='1'/></body></worldbody></mujoco>", h, 1e-8);
    sim_v(&w)[0] = b * y[1], sim_v(&w)[4] = y[1];
    while (w.state->time < 0.5 - 0.5 * h) {
      hfStepReport report;
      hfError error;
      if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) fail_msg("%s", error.message);
      for (int k = 0; k < 10; ++k) roll(y, h / 10);
      deepest = fmax(deepest, report.max_depth);
      astray = fmax(astray, fabs(sim_q(&w)[0] - y[2]));
    }
    assert_below(deepest, 1e-4);
    assert_below(astray, 3e-3);
    sim_world_free(&w);
  }
}

// ---- against short steps -----------------------------------------------------------------------------------------

typedef struct trace { double deepest, q[7]; } trace;

static trace run(const char* scene, const double v[6], double h, double time) {
  simWorld w = sim_world_make(scene, h, 1e-8);
  trace t = {0};
  for (int i = 0; i < 6; ++i) sim_v(&w)[i] = v[i];
  while (w.state->time < time - 0.5 * h) {
    hfStepReport report;
    hfError error;
    if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) fail_msg("%s", error.message);
    t.deepest = fmax(t.deepest, report.max_depth);
  }
  for (int i = 0; i < 7; ++i) t.q[i] = sim_q(&w)[i];
  sim_world_free(&w);
  return t;
}

// A spinning coin on its edge, an ellipsoid on an ellipsoid and on a box, a ball on a ball: with long steps they sink no deeper than with
// short ones, and come to the same place, within what a step of first order leaves. The coin starts with a speed of its edge that no rolling has.
static void test_short_steps(void** state) {
  (void)state;
  static const struct { const char* scene; double v[6], time, deeper, astray; } cases[] = {
    {"<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .046' euler='60 0 0'><freejoint/>"
     "<geom type='cylinder' size='.05 .003' mass='.1'/></body></worldbody></mujoco>", {0, 0, 0, 0, 20, 0}, 0.5, 2.5e-4, 8e-3},
    {"<mujoco><worldbody><geom type='ellipsoid' size='.5 .4 .3'/><body pos='0 0 .32'><freejoint/>"
     "<geom type='ellipsoid' size='.03 .02 .02' mass='1'/></body></worldbody></mujoco>", {.3, .2, 0, -10, 15, 0}, 0.4, 1e-5, 1e-3},
    {"<mujoco><worldbody><geom type='box' size='.5 .4 .3'/><body pos='0 0 .32'><freejoint/>"
     "<geom type='ellipsoid' size='.03 .02 .02' mass='1'/></body></worldbody></mujoco>", {.3, .2, 0, -10, 15, 0}, 0.4, 1e-5, 1e-3},
    {"<mujoco><worldbody><geom size='1'/><body pos='0 0 1.1'><freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>",
     {1, 0, 0, 0, 10, 0}, 0.5, 1e-5, 1e-3},
  };
  for (int k = 0; k < 4; ++k) {
    trace fine = run(cases[k].scene, cases[k].v, 1e-4, cases[k].time);
    for (int i = 1; i < 4; ++i) {
      trace t = run(cases[k].scene, cases[k].v, steps[i], cases[k].time);
      double astray = hypot(hypot(t.q[0] - fine.q[0], t.q[1] - fine.q[1]), t.q[2] - fine.q[2]);
      assert_below(t.deepest, fine.deepest + cases[k].deeper);
      assert_below(astray, cases[k].astray);
    }
  }
}

// The force of inverse dynamics makes a step end with the velocities that were asked for, also where the rows of a contact depend on the path. The path
// is known to 1 um, which is 1e-4 m/s in 10 ms, and 3e-3 rad/s at the radius of 3 cm.
static void test_inverse_of_a_rolling_step(void** state) {
  (void)state;
  simWorld w = sim_world_make(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .03'><freejoint/>"
      "<geom type='ellipsoid' size='.05 .03 .03' mass='1'/></body></worldbody></mujoco>", 1e-2, 1e-10);
  hfState* before = hf_state_create(w.model);
  sim_v(&w)[0] = 0.6, sim_v(&w)[4] = 20;
  for (int k = 0; k < 20; ++k) {
    double asked[6];
    hfError error;
    assert_int_equal(hf_state_copy(before, w.state, &error), HF_OK);
    sim_world_step(&w, 1);
    memcpy(asked, sim_v(&w), sizeof asked);
    asked[1] += 0.01;
    assert_int_equal(hf_sim_inverse(w.sim, before, w.input, asked, w.input->force, &error), HF_OK);

    assert_int_equal(hf_state_copy(w.state, before, &error), HF_OK);
    sim_world_step(&w, 1);
    for (int i = 0; i < 6; ++i) assert_below(fabs(sim_v(&w)[i] - asked[i]), 3e-3);
    memset(w.input->force, 0, 6 * sizeof(double));
  }
  hf_state_free(before);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rolling_ellipsoid),
      cmocka_unit_test(test_short_steps),
      cmocka_unit_test(test_inverse_of_a_rolling_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
