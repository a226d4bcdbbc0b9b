// A series keeps every extreme value and the whole range of times in bounded memory.
#include "support/near.h"

#include "io/record/plot.h"

#include <math.h>
#include <stdlib.h>

static void add_samples(hfiSeries* s, long count, long spike) {
  hfi_series_init(s);
  for (long i = 0; i < count; ++i)
    hfi_series_add(s, (double)i, i == spike ? 1000 : sin(0.01 * (double)i));
}

static void test_few_samples_are_kept_as_they_are(void** state) {
  (void)state;
  hfiSeries* s = malloc(sizeof *s);
  add_samples(s, 100, -1);
  assert_int_equal(s->count, 100);
  assert_near(s->bin[42].lo, sin(0.42), 0);
  assert_near(s->bin[42].hi, sin(0.42), 0);
  free(s);
}

static void test_many_samples_keep_extremes(void** state) {
  (void)state;
  hfiSeries* s = malloc(sizeof *s);
  for (long spike = 0; spike < 100000; spike += 9999) {
    add_samples(s, 100000, spike);
    assert_above(s->count, HFI_SERIES_BINS / 4);
    assert_at_most(s->count, HFI_SERIES_BINS);
    assert_near(s->bin[0].first, 0, 0);
    assert_near(s->bin[s->count - 1].last, 99999, 0);
    int peaks = 0;
    for (int i = 0; i < s->count; ++i) {
      peaks += s->bin[i].hi == 1000;
      if (i > 0) assert_near(s->bin[i].first, s->bin[i - 1].last + 1, 0); // no sample is lost
    }
    assert_int_equal(peaks, 1);
  }
  free(s);
}

static void test_what_is_not_finite_is_left_out(void** state) {
  (void)state;
  hfiSeries* s = malloc(sizeof *s);
  hfi_series_init(s);
  hfi_series_add(s, 0, NAN);
  hfi_series_add(s, 1, INFINITY);
  hfi_series_add(s, 2, 5);
  assert_int_equal(s->count, 1);
  assert_near(s->bin[0].first, 2, 0);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few_samples_are_kept_as_they_are),
      cmocka_unit_test(test_many_samples_keep_extremes),
      cmocka_unit_test(test_what_is_not_finite_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
