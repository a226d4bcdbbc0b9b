// The bracket of the line search on chains of straight pieces, whose zeros are known.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "step/solve/bracket.h"

#include <math.h>

// g starts with -1 and rises slowly as far as `bend`, and by `slope` behind it.
typedef struct chain {
  double bend, slope;
} chain;

static double value_at(chain c, double alpha) { return -1 + 0.1 * alpha + (alpha > c.bend ? c.slope * (alpha - c.bend) : 0); }
static double zero_of(chain c) { return (1 + c.slope * c.bend) / (0.1 + c.slope); }

// Searches from 0 to 1 until |g| <= small. Returns how many points it tried. Each lies inside of the bracket, which keeps its signs.
static int search(chain c, double small) {
  hfiBracket b = hfi_bracket((hfiTrial){0, value_at(c, 0)}, (hfiTrial){1, value_at(c, 1)});
  for (;;) {
    double alpha = hfi_bracket_choose(&b), g = value_at(c, alpha);
    assert_true(hfi_bracket_holds(&b, alpha));
    if (fabs(g) <= small) {
      assert_near(alpha, zero_of(c), small / c.slope * (1 + 1e-9)); // g has the slope c.slope + 0.1 there
      return b.trials + 1;
    }
    hfi_bracket_add(&b, (hfiTrial){alpha, g});
    assert_below(b.lo.g, 0);
    assert_above(b.hi.g, 0);
  }
}

// On a straight line the first secant gives the zero.
static void test_line_takes_one_trial(void** state) {
  (void)state;
  hfiBracket b = hfi_bracket((hfiTrial){0, -1}, (hfiTrial){1, 3});
  assert_near(hfi_bracket_choose(&b), 0.25, 0);
}

// Bisections alone need log2(slope) points to come near the bend, and the line through both ends of the bracket as many. Two points behind the bend are enough: in
// the mean about six trials, whatever the slope. Without that line they are 10 at a slope of 100 and 48 at one of 1e6.
static void test_zero_behind_a_bend_takes_few_trials(void** state) {
  (void)state;
  testRandom r = {51};
  for (double slope = 1e2; slope <= 1e6; slope *= 10) {
    int trials = 0;
    for (int k = 0; k < 1000; ++k) trials += search((chain){random_uniform(&r, 0, 0.95), slope}, 0.3);
    assert_below(trials, 7000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_line_takes_one_trial),
      cmocka_unit_test(test_zero_behind_a_bend_takes_few_trials),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
