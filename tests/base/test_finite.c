// The quick checks of arrays see every number, whatever the length.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "base/finite.h"

enum { MOST = 21 };

static void test_every_number_counts(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e75, -1e200}; // the last two are too large for a speed
  for (int n = 0; n <= MOST; ++n) {
    double x[MOST + 1];
    for (int i = 0; i <= MOST; ++i) x[i] = i < n ? 1 + i : NAN; // what is behind the array does not count
    assert_true(hfi_surely_speeds(x, n));
    assert_true(hfi_all_speeds(x, n));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 5; ++k) {
        double kept = x[i];
        x[i] = bad[k];
        assert_false(hfi_surely_speeds(x, n));
        assert_false(hfi_all_speeds(x, n));
        x[i] = kept;
      }
  }
}

static void test_sums(void** state) {
  (void)state;
  double x[MOST], sum = 0, squares = 0; // integers: sums are exact in any order
  for (int i = 0; i < MOST; ++i) x[i] = i - 7;
  for (int n = 0; n <= MOST; ++n) {
    assert_near(hfi_sum(x, n), sum, 0);
    assert_near(hfi_sum_squares(x, n), squares, 0);
    if (n < MOST) sum += x[n], squares += x[n] * x[n];
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_number_counts), cmocka_unit_test(test_sums)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
