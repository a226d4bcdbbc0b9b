// The translation of MuJoCo's solref and solimp. The oracle of resting depths are those that MuJoCo 4.0.0 itself reaches with
// a ball of 1 kg and radius 0.1 m on a plane (5000 steps of 2 ms, the same with elliptic and pyramidal cones); the oracle of
// damping is its linear law.
#include "support/cmocka_all.h"

#include "contact/solref.h"

#include <math.h>

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

static void test_resting_depth(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    hfiCompliantContact c =
        hfi_solref_translate(kCases[i].solref, kCases[i].solimp, 1, 9.81, 0.002);
    // the depth is read from a position of order 0.1: rounding of 1e-17 x 1e3 steps, and MuJoCo's tolerance
    assert_float_equal(c.depth, kCases[i].depth, 1e-12);
    assert_float_equal(c.stiffness * c.depth, 9.81, 1e-9);
  }
}

// Under weight w^-1 g the same depth, with stiffness in proportion to the mass.
static void test_mass_scales_stiffness(void** state) {
  (void)state;
  hfiCompliantContact one =
      hfi_solref_translate(kCases[0].solref, kCases[0].solimp, 1, 9.81, 0.002);
  hfiCompliantContact ten =
      hfi_solref_translate(kCases[0].solref, kCases[0].solimp, 0.1, 9.81, 0.002);
  assert_float_equal(ten.depth, one.depth, 0);
  assert_float_equal(ten.stiffness / one.stiffness, 10, 1e-12);
}

// f = (k d r - b v) d/((1-d) w): its slope in v at the resting depth is that of K r (1 - D v).
static void test_damping(void** state) {
  (void)state;
  const double T = 0.02, dmax = 0.95;
  hfiCompliantContact c = hfi_solref_translate(kCases[0].solref, kCases[0].solimp, 1, 9.81, 0.002);
  double d = hfi_solimp_impedance(kCases[0].solimp, c.depth);
  assert_float_equal(c.stiffness * c.depth * c.dissipation, 2 / (dmax * T) * d / (1 - d), 1e-8);
}

static void test_impedance(void** state) {
  (void)state;
  const double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2};
  assert_float_equal(hfi_solimp_impedance(solimp, 0), 0.9, 1e-15);
  assert_float_equal(hfi_solimp_impedance(solimp, 0.0005), 0.925, 1e-15); // the midpoint
  assert_float_equal(hfi_solimp_impedance(solimp, 1), 0.95, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_resting_depth),
      cmocka_unit_test(test_mass_scales_stiffness),
      cmocka_unit_test(test_damping),
      cmocka_unit_test(test_impedance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
