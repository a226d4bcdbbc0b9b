// The quick checks of arrays see every number, whatever the length.
#include "support/cmocka_all.h"
#include "support/near.h"

#include "base/finite.h"

enum { MOST = 21 };

static void test_every_number_counts(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 0; n <= MOST; ++n) {
    double x[MOST + 1];
    for (int i = 0; i <= MOST; ++i) x[i] = i < n ? 1 + i : NAN; // what is behind the array does not count
    assert_true(hfi_surely_finite(x, n));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        double kept = x[i];
        x[i] = bad[k];
        assert_false(hfi_surely_finite(x, n));
        x[i] = kept;
      }
  }
}

static void test_sums_of_squares(void** state) {
  (void)state;
  double x[MOST], sum = 0; // integers: sums are exact in any order
  for (int i = 0; i < MOST; ++i) x[i] = i - 7;
  for (int n = 0; n <= MOST; ++n) {
    assert_near(hfi_sum_squares(x, n), sum, 0);
    if (n < MOST) sum += x[n] * x[n];
  }
}

// Several arrays in one sum, and a number at its start.
static void test_sums_go_on(void** state) {
  (void)state;
  const double x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  hfiSums sums = {.rest = 100};
  hfi_add_to_sums(&sums, x, 9);
  hfi_add_to_sums(&sums, x, 3);
  hfi_add_to_sums(&sums, x, 4);
  assert_near(hfi_total(&sums), 100 + 45 + 6 + 10, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_number_counts), cmocka_unit_test(test_sums_of_squares),
                                     cmocka_unit_test(test_sums_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
