// Comparisons that say what broke: a failure prints the expression, both values, and the seed of the random numbers that
// the test drew last. Each value is compared as a double, and NaN fails every comparison.
#ifndef HF_TESTS_COMPARE_H
#define HF_TESTS_COMPARE_H

#include <inttypes.h>

// Where the last stream of random numbers began (support/random.h); 0: none was drawn.
static inline uint64_t* stream_seed(void) {
  static uint64_t seed;
  return &seed;
}

static inline void say_seed(void) {
  if (*stream_seed()) print_error("random numbers from the seed %" PRIu64 "\n", *stream_seed());
}

static inline void compare_values(int holds, double value, const char* words, double bound, const char* text,
                                  const char* file, int line) {
  if (holds) return;
  print_error("%s: %.17g is not %s %.17g\n", text, value, words, bound);
  say_seed();
  _fail(file, line);
}

#define HF_COMPARE(value, sign, bound, words)                                                                    \
  do {                                                                                                           \
    double value_ = (double)(value), bound_ = (double)(bound);                                                   \
    compare_values(value_ sign bound_, value_, words, bound_, #value " " #sign " " #bound, __FILE__, __LINE__);  \
  } while (0)

#define assert_below(value, bound) HF_COMPARE(value, <, bound, "below")
#define assert_at_most(value, bound) HF_COMPARE(value, <=, bound, "at most")
#define assert_above(value, bound) HF_COMPARE(value, >, bound, "above")
#define assert_at_least(value, bound) HF_COMPARE(value, >=, bound, "at least")
// lo <= value <= hi
#define assert_between(value, lo, hi) \
  do {                                \
    assert_at_least(value, lo);       \
    assert_at_most(value, hi);        \
  } while (0)

// cmocka's own assertions, with the seed.
static inline void assert_true_at(int holds, const char* text, const char* file, int line) {
  if (holds) return;
  print_error("%s\n", text);
  say_seed();
  _fail(file, line);
}
#undef assert_true
#define assert_true(condition) assert_true_at(!!(condition), #condition, __FILE__, __LINE__)

#endif
