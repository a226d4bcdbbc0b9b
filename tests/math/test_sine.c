// Sine and cosine against those of the C library in long double, which has 11 bits more than double on x86-64, and 60 more on arm64.
#include "support/cmocka_all.h"
#include "support/random.h"

#include "math/sine_lanes.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// Distance of y from the exact number in units of the last place of that number.
static double units_away(double y, long double exact) {
  int exponent;
  if (exact == 0) return y == 0 ? 0 : INFINITY;
  frexp((double)exact, &exponent);
  return (double)(fabsl((long double)y - exact) / ldexpl(1, exponent - 53));
}

// The largest distance of the sine and cosine of x from the exact ones.
static double worst_of(double x) {
  hfiSine at = hfi_sine(x);
  return max2(units_away(at.sin, sinl(x)), units_away(at.cos, cosl(x)));
}

// The bounds of math/sine_lanes.h. The worst seen are 0.854 among 1e8 angles within 5e-4 above pi/4, and 1.063 beside -526,410 pi/2.
static double bound_of(double x) { return fabs(x) <= 1000 ? 0.9 : 1.07; }

static void test_random_angles_are_within_a_unit(void** state) {
  (void)state;
  const double SIZES[] = {1e-9, 1e-4, 0.1, 0.785, 1.6, 3.2, 10, 1000, 1e5, 1e6};
  testRandom r = {41};
  int count = is_full() ? 30000000 : 100000;
  for (int k = 0; k < (int)(sizeof SIZES / sizeof *SIZES); ++k)
    for (int i = 0; i < count; ++i) {
      double x = SIZES[k] * random_uniform(&r, -1, 1);
      assert_at_most(worst_of(x), bound_of(x));
    }
}

// Angles beside multiples of pi/2 are the hardest: nearly all digits of the angle cancel.
static void test_angles_beside_multiples_of_a_right_angle(void** state) {
  (void)state;
  for (int n = -636000; n <= 636000; n += is_full() ? 1 : 17) {
    double x = n * (0.5 * HFI_PI);
    assert_at_most(worst_of(x), bound_of(x));
    assert_at_most(worst_of(nextafter(x, INFINITY)), bound_of(x));
    assert_at_most(worst_of(nextafter(x, -INFINITY)), bound_of(x));
  }
}

// Where the remainder is largest, beside pi/4, the roundings of its powers weigh most.
static void test_angles_beside_half_a_right_angle(void** state) {
  (void)state;
  int count = is_full() ? 30000000 : 300000;
  for (int i = 0; i < count; ++i) assert_at_most(worst_of(0.25 * HFI_PI + 1e-3 * i / count), 0.9);
}

// Every lane, the single angle and the short way for small angles give the same bits.
static void test_lanes_and_single_angles_have_the_same_bits(void** state) {
  (void)state;
  testRandom r = {41};
  for (int i = 0; i < 300000; ++i) {
    hfiLanes x;
    for (int k = 0; k < HFI_LANES; ++k) x[k] = random_uniform(&r, -1, 1) * (k % 2 ? 1.5 : 300);
    hfiSines lanes = hfi_sines(x);
    for (int k = 0; k < HFI_LANES; ++k) {
      hfiSine one = hfi_sine(x[k]);
      double sine = lanes.sin[k], cosine = lanes.cos[k];
      assert_memory_equal(&one.sin, &sine, sizeof sine);
      assert_memory_equal(&one.cos, &cosine, sizeof cosine);
    }
  }
}

static void test_special_angles(void** state) {
  (void)state;
  hfiSine zero = hfi_sine(0);
  assert_true(zero.sin == 0 && zero.cos == 1);
  assert_true(isnan(hfi_sine(NAN).sin) && isnan(hfi_sine(INFINITY).cos));
  const double LARGE[] = {1e6 + 1, 1e15, -1e300};
  for (int k = 0; k < 3; ++k) assert_at_most(worst_of(LARGE[k]), 0.9);
  hfiLanes mixed = hfi_lanes_of(1.0); // One large angle among usual ones.
  mixed[1] = 1e9;
  hfiSines at = hfi_sines(mixed);
  assert_below(fabs(at.sin[0] - sin(1.0)), 1e-15);
  assert_below(fabs(at.sin[1] - sin(1e9)), 1e-15);
}

// Angles of any size beyond those that three parts of pi/2 reduce. 6381956970095103 2^797 is the double nearest to a multiple of pi/2, of which it
// misses 2^-61.
static void test_large_angles_are_within_a_unit(void** state) {
  (void)state;
  testRandom r = {43};
  int count = is_full() ? 3000000 : 100000;
  print_message("seed 43\n");
  assert_at_most(worst_of(ldexp(6381956970095103., 797)), 0.9);
  for (int i = 0; i < count; ++i) {
    double x = ldexp(random_uniform(&r, -1, 1), (int)random_uniform(&r, 20, 1024));
    if (worst_of(x) > 0.9) fail_msg("%a: %g units", x, worst_of(x));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_angles_are_within_a_unit),
      cmocka_unit_test(test_angles_beside_multiples_of_a_right_angle),
      cmocka_unit_test(test_angles_beside_half_a_right_angle),
      cmocka_unit_test(test_lanes_and_single_angles_have_the_same_bits),
      cmocka_unit_test(test_large_angles_are_within_a_unit),
      cmocka_unit_test(test_special_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
