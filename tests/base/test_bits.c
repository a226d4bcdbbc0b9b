// Counting the bits of a word, against a count one by one.
#include "support/cmocka_all.h"
#include "support/random.h"

#include "base/bits.h"

static int count_one_by_one(uint64_t x) {
  int count = 0;
  for (; x; x >>= 1) count += (int)(x & 1);
  return count;
}

static void test_count_bits(void** state) {
  (void)state;
  testRandom r = {3};
  assert_int_equal(hfi_count_bits(0), 0);
  assert_int_equal(hfi_count_bits(UINT64_MAX), 64);
  for (int i = 0; i < 64; ++i) assert_int_equal(hfi_count_bits(UINT64_C(1) << i), 1);
  for (int i = 0; i < 10000; ++i) {
    uint64_t x = (uint64_t)(random_uniform(&r, 0, 1) * 4294967296.0) << 32 | (uint64_t)(random_uniform(&r, 0, 1) * 4294967296.0);
    assert_int_equal(hfi_count_bits(x), count_one_by_one(x));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_count_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
