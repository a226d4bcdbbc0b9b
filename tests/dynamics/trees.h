// Runs a check on random trees, with one seed for each tree. The last line that a test prints has the last seed.
#ifndef HF_TESTS_DYNAMICS_TREES_H
#define HF_TESTS_DYNAMICS_TREES_H

#include "dynamics/world.h"

enum { TREES = 200 };

static uint64_t last_seed; // of the tree under test, so that a failure names it

typedef void (*TreeCheck)(World* w, testRandom* r);

static inline void for_random_trees(const RandomTree* spec, int count, TreeCheck check) {
  for (int i = 0; i < count; ++i) {
    last_seed = 20260517 + (uint64_t)i;
    testRandom r = {last_seed};
    World w = world_random(&r, spec);
    check(&w, &r);
    world_free(&w);
  }
}

static inline int print_last_seed(void** state) {
  (void)state;
  print_message("last seed %llu\n", (unsigned long long)last_seed);
  return 0;
}

#define tree_test(test) cmocka_unit_test_teardown(test, print_last_seed)

#endif
