// Random numbers of the tests: splitmix64 (Steele, Lea, Flood 2014), the same on every machine.
#ifndef HF_TESTS_RANDOM_H
#define HF_TESTS_RANDOM_H

#include "support/cmocka_all.h"

#include <math.h>
#include <stdint.h>

typedef struct testRandom {
  uint64_t state;
} testRandom;

static inline uint64_t random_bits(testRandom* r) {
  // a state that the last draw did not leave begins another stream, which a failure names
  static uint64_t left_by_last_draw;
  if (r->state != left_by_last_draw) *stream_seed() = r->state;

  uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
  left_by_last_draw = r->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
// uniform in [lo, hi)
static inline double random_uniform(testRandom* r, double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_bits(r) >> 11) * 0x1p-53);
}
// log-uniform in [lo, hi)
static inline double random_log(testRandom* r, double lo, double hi) {
  return exp(random_uniform(r, log(lo), log(hi)));
}
// 0 .. n - 1
static inline int random_int(testRandom* r, int n) { return (int)(random_bits(r) % (uint64_t)n); }
static inline int random_chance(testRandom* r, double p) { return random_uniform(r, 0, 1) < p; }
// standard normal (Box-Muller)
static inline double random_normal(testRandom* r) {
  double u = random_uniform(r, 1e-300, 1), w = random_uniform(r, 0, 6.283185307179586);
  return sqrt(-2 * log(u)) * cos(w);
}

#endif
