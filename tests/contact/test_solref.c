// MuJoCo's solref and solimp as a contact law. The oracle of resting depths are those that MuJoCo 4.0.0 itself reaches with
// a ball of 1 kg and radius 0.1 m on a plane (5000 steps of 2 ms, the same with elliptic and pyramidal cones); the oracle of
// motion is the closed form of a damped oscillator; that of slopes are finite differences of MuJoCo's law.
#include "support/sim_world.h"

#include "step/contact/material.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef struct Case {
  double solref[2], solimp[5], depth;
} Case;

static const Case kCases[] = {
    {{0.02, 1}, {0.9, 0.95, 0.001, 0.5, 2}, 0.0003671818424917789},
    {{0.01, 1}, {0.95, 0.99, 0.001, 0.5, 2}, 5.300297131598242e-05},
    {{0.02, 0.5}, {0.8, 0.8, 0.01, 0.5, 2}, 0.00019620000001377425},
    {{0.05, 1.5}, {0.3, 0.95, 0.01, 0.3, 3}, 0.006536561966913865},
    {{-1000, -50}, {0.9, 0.95, 0.001, 0.5, 2}, 0.0006371762169074535},
};

// A ball rests where the step without motion carries its weight.
static void test_resting_depth(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    hfiSoftLaw law = hfi_soft_law(kCases[i].solref, kCases[i].solimp, 1, 0.002);
    double r = hfi_soft_resting_depth(&law, 9.81);
    hfiSoftStep step = hfi_soft_step(&law, r, 0, 0.002);
    // the depth is read from a position of order 0.1: rounding of 1e-17 x 1e3 steps, and MuJoCo's tolerance
    assert_float_equal(r, kCases[i].depth, 1e-12);
    assert_float_equal(step.stiffness * step.depth, 9.81, 1e-9);
  }
}

// Margins of two geoms add up: the ball rests where MuJoCo 4.0.0 has it after 3 s. 1e-9: the last of its settling.
static void test_margins_add_up(void** state) {
  (void)state;
  simWorld w = sim_world_make("<mujoco><default><geom margin='.01' gap='.002' solref='.02 1'/></default><worldbody><geom type='plane' size='1 1 1'/>"
                              "<body pos='0 0 .13'><freejoint/><geom size='.1'/></body></worldbody></mujoco>", 0.002, 1e-10);
  sim_world_step(&w, 1500);
  assert_float_equal(sim_q(&w)[2], 0.11963281815750693, 1e-9);
  sim_world_free(&w);
}

// Of a body on slides MuJoCo takes a third of 1/m for the inverse mass of a contact, or 1/m where nothing but slides along the axes of its inertia moves it. The
// balls rest where MuJoCo 4.0.0 has them after 4 s. 1e-10: the last of its settling.
static void test_balls_on_slides(void** state) {
  (void)state;
  static const double deep = 0.000367181842, shallow = 0.000142152998;
  static const struct {
    const char* body;
    double depth;
  } cases[] = {
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body>", deep},
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1' armature='1'/><joint type='slide' axis='-1 0 0'/><geom size='.1' mass='1'/></body>", deep},
      {"<body pos='0 0 1'><body pos='0 0 -.9'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body></body>", deep},
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1' pos='1 0 0'/><geom size='.1' mass='1'/></body>", shallow},
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1' pos='.1 0 0'/></body>", shallow},
      {"<body pos='0 0 1'><body><body pos='0 0 -.9'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body></body></body>", shallow},
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/><body pos='0 0 1'><geom size='.1' mass='1'/></body></body>", shallow},
      {"<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/><geom size='.1' mass='1'/></body>", shallow},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char xml[1024];
    snprintf(xml, sizeof xml, "<mujoco><default><geom solref='.02 1'/></default><worldbody><geom type='plane' size='1 1 1'/>%s</worldbody></mujoco>", cases[i].body);
    simWorld w = sim_world_make(xml, 0.002, 1e-12);
    sim_world_step(&w, 2000);
    assert_float_equal(sim_q(&w)[0], -cases[i].depth, 1e-10);
    sim_world_free(&w);
  }
}

// Ten times the mass rests as deep under its weight, with ten times the stiffness.
static void test_mass_scales_stiffness(void** state) {
  (void)state;
  hfiSoftLaw one = hfi_soft_law(kCases[0].solref, kCases[0].solimp, 1, 0.002),
             ten = hfi_soft_law(kCases[0].solref, kCases[0].solimp, 0.1, 0.002);
  assert_float_equal(hfi_soft_resting_depth(&one, 9.81), hfi_soft_resting_depth(&ten, 9.81), 0);
  assert_float_equal(hfi_soft_step(&ten, 1e-4, 0, 0.002).stiffness / hfi_soft_step(&one, 1e-4, 0, 0.002).stiffness, 10, 1e-12);
}

// A ball of any mass rests as deep: the law scales with it. 1e-9: as for the balls on slides. Above 1e15 kg MuJoCo, too, takes the inverse weight for rounding.
static void test_heavy_balls(void** state) {
  (void)state;
  static const double masses[] = {1e-3, 1e6, 4e12, 9e14};
  for (size_t i = 0; i < sizeof masses / sizeof *masses; ++i) {
    char xml[300];
    snprintf(xml, sizeof xml, "<mujoco><worldbody><geom type='plane' size='1 1 1' solref='.02 1'/><body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='%g'/></body></worldbody></mujoco>", masses[i]);
    simWorld w = sim_world_make(xml, 0.002, 1e-12);
    sim_world_step(&w, 2000);
    assert_below(fabs(sim_q(&w)[0] + kCases[0].depth), 1e-9);
    sim_world_free(&w);
  }
}

// Pairs of five laws, more than are remembered, in turns: each has the stiffness with which its ball of 1 kg rests as deep as in MuJoCo.
static void test_each_pair_has_its_own_law(void** state) {
  (void)state;
  enum { CASES = sizeof kCases / sizeof *kCases };
  char xml[4096];
  int n = snprintf(xml, sizeof xml, "<mujoco><worldbody><geom type='plane' size='1 1 1'/>");
  for (int i = 0; i < CASES; ++i) {
    const double *ref = kCases[i].solref, *imp = kCases[i].solimp;
    n += snprintf(xml + n, sizeof xml - (size_t)n, "<body><freejoint/><geom size='.1' mass='1' condim='1' priority='1' solref='%g %g' solimp='%g %g %g %g %g'/></body>",
                  ref[0], ref[1], imp[0], imp[1], imp[2], imp[3], imp[4]);
  }
  snprintf(xml + n, sizeof xml - (size_t)n, "</worldbody></mujoco>");
  simWorld w = sim_world_make(xml, 0.002, 1e-12);
  const double weight[CASES + 1] = {0, 1, 1, 1, 1, 1};
  hfiSoftness softness = {.weight = weight};
  for (int k = 0; k < 3 * CASES; ++k) {
    int i = k < CASES ? k : k < 2 * CASES ? 2 * CASES - 1 - k : k % 2;
    hfiMaterial material = hfi_material_combine(w.model, &softness, 0, i + 1, -1);
    assert_float_equal(9.81 / material.stiffness, kCases[i].depth, 1e-12); // as above
  }
  sim_world_free(&w);
}

// MuJoCo's impedance, from its documentation.
static double impedance(const double* s, double r) {
  double x = r / s[2], y;
  if (x >= 1) return s[1];
  y = x <= s[3] ? pow(x, s[4]) / pow(s[3], s[4] - 1) : 1 - pow(1 - x, s[4]) / pow(1 - s[3], s[4] - 1);
  return s[0] + y * (s[1] - s[0]);
}

// Its force for k = 1/(dmax T z)^2, b = 2/(dmax T) at depth r, speed v and acceleration a.
static double force(const Case* c, double w, double r, double v, double a) {
  double dmax = c->solimp[1], d = impedance(c->solimp, r), k = 1 / pow(dmax * c->solref[0] * c->solref[1], 2);
  return (k * d * r - 2 / (dmax * c->solref[0]) * v - a) * d / ((1 - d) * w);
}

static void test_step_is_the_tangent(void** state) {
  (void)state;
  const double w = 0.3, h = 0.002, v0 = -0.02, depths[] = {1e-4, 4e-4, 6e-4, 3e-3, 8e-3};
  for (int i = 0; i < 4; ++i)
    for (int n = 0; n < 5; ++n) {
      const Case* c = &kCases[i];
      hfiSoftLaw law = hfi_soft_law(c->solref, c->solimp, w, h);
      double r = depths[n], e = 1e-9;
      hfiSoftStep step = hfi_soft_step(&law, r, v0, h);
      // f at v = v0 = 0 and its slopes with r, v and a; a chord over 2e-9 m is off by rounding of 1e-16/1e-9
      double at = force(c, w, r, 0, 0), dr = (force(c, w, r + e, 0, 0) - force(c, w, r - e, 0, 0)) / (2 * e);
      double dv = force(c, w, r, 1, 0) - at, da = force(c, w, r, 0, 1) - at;
      assert_float_equal(step.stiffness * step.depth, at - da * v0 / h, 1e-9 * fabs(at) + 1e-12);
      assert_float_equal(step.stiffness * h, h * dr - dv - da / h, 1e-5 * step.stiffness * h);
    }
}

// With a constant impedance a free body of mass 1/w moves as x'' = -d b x' - d^2 k x - (1 - d) g: the law of MuJoCo.
static void test_free_body_oscillates(void** state) {
  (void)state;
  const Case* c = &kCases[2];
  const double h = 1e-6, w = 2, g = 9.81, d = 0.8, T = 0.02, z = 0.5, dmax = 0.8;
  double k = d * d / pow(dmax * T * z, 2), b = d * 2 / (dmax * T), r = 1e-3, v = 0, rest = (1 - d) * g / k;
  hfiSoftLaw law = hfi_soft_law(c->solref, c->solimp, w, 0);
  double damping = b / 2, frequency = sqrt(k - damping * damping);
  int steps = 5000; // 5 ms, while it moves out
  for (int i = 0; i < steps; ++i) {
    hfiSoftStep s = hfi_soft_step(&law, r, v, h);
    // v1 = v + h (w f(v1) - g)
    v = (v + h * (w * s.stiffness * s.depth - g)) / (1 + h * h * w * s.stiffness);
    r -= h * v;
  }
  double t = steps * h, A = 1e-3 - rest, B = A * damping / frequency;
  // a method of first order: its error is h t of the acceleration
  assert_float_equal(r, rest + exp(-damping * t) * (A * cos(frequency * t) + B * sin(frequency * t)), 1e-6);
}

// An open contact has no force where the step does not close it, and one that grows with the depth where it does.
static void test_open_contact(void** state) {
  (void)state;
  hfiSoftLaw law = hfi_soft_law(kCases[0].solref, kCases[0].solimp, 1, 0.002);
  hfiSoftStep step = hfi_soft_step(&law, -1e-3, -1, 0.002);
  assert_float_equal(step.depth, -1e-3, 0);
  // b d0/h + k d0^2, per kilogram
  assert_float_equal(step.stiffness, 2 / (0.95 * 0.02) * 0.9 / 0.002 + 0.81 / pow(0.95 * 0.02, 2), 1e-6);
}

static void test_impedance(void** state) {
  (void)state;
  const double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2};
  assert_float_equal(hfi_solimp_impedance(solimp, 0, NULL), 0.9, 1e-15);
  assert_float_equal(hfi_solimp_impedance(solimp, 0.0005, NULL), 0.925, 1e-15); // the midpoint
  assert_float_equal(hfi_solimp_impedance(solimp, 1, NULL), 0.95, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resting_depth), cmocka_unit_test(test_margins_add_up), cmocka_unit_test(test_balls_on_slides),
      cmocka_unit_test(test_mass_scales_stiffness), cmocka_unit_test(test_heavy_balls), cmocka_unit_test(test_each_pair_has_its_own_law),
      cmocka_unit_test(test_step_is_the_tangent),  cmocka_unit_test(test_free_body_oscillates),
      cmocka_unit_test(test_open_contact),         cmocka_unit_test(test_impedance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
