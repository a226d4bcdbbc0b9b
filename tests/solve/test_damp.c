// Damping of soft iterations (step/solve/damp.c) of one contact, by hand.
#include "support/cmocka_all.h"

#include "step/solve/inside.h"

#include <math.h>

// An island of one contact with rows n, t1, t2 and mu = 0.5.
typedef struct fixture {
  hfContactLaw law;
  hfiIslandBlock block;
  double lag, pi0, force[4];
  hfiDamping damping;
  hfiIsland island;
} fixture;

static hfiIsland* open_contact(fixture* f, double pi) {
  *f = (fixture){.law = {.mu = {0.5}}, .block = {.law = HF_LAW_CONTACT, .dim = 3}, .lag = pi, .pi0 = pi};
  f->block.contact = &f->law;
  f->island = (hfiIsland){.nblock = 1, .block = &f->block, .forces = {.lag = &f->lag, .pi0 = &f->pi0, .friction = f->force, .damping = &f->damping}};
  hfi_damp_begin(&f->island, 0);
  return &f->island;
}

// One iteration that ends with the normal force pi and the friction force (f1, f2).
static void iterate(fixture* f, double pi, double f1, double f2) {
  hfi_damp_friction(&f->island, 0, pi, (double[]){f1, f2});
  f->pi0 = pi;
}

// The first change, and those that go on in its direction, are taken whole. Numbers are small integers over powers of two: no rounding.
static void test_steady_changes_are_taken_whole(void** state) {
  (void)state;
  fixture f;
  open_contact(&f, 8);
  for (int i = 0; i < 4; ++i) {
    iterate(&f, 9 + i, 1 + i, 2 + i);
    assert_float_equal(f.lag, 9 + i, 0);
    assert_float_equal(f.force[1], 1 + i, 0);
    assert_float_equal(f.force[2], 2 + i, 0);
  }
}

// A bound that goes up and down between 8 and 16 is halved in its changes each time; a friction force that turns by more than 60 degrees as well.
static void test_cycles_are_damped(void** state) {
  (void)state;
  fixture f;
  open_contact(&f, 8);
  iterate(&f, 16, 4, 0);
  assert_float_equal(f.lag, 16, 0);
  iterate(&f, 8, 4, 4); // The friction force turns by a right angle.
  assert_float_equal(f.lag, 16 - 0.5 * 8, 0);
  assert_float_equal(f.force[2], 2, 0);
  iterate(&f, 16, 4, 0);
  assert_float_equal(f.lag, 12 + 0.25 * 4, 0);
  assert_float_equal(f.force[2], 2 - 0.25 * 2, 0);
  for (int i = 0; i < 200; ++i) iterate(&f, i % 2 ? 16 : 8, 4, 0);
  assert_above(f.lag, 10); // between the two, where it hardly moves
  assert_below(f.lag, 14);
}

// What does not change stays as it is, whatever the shares are.
static void test_answers_stay(void** state) {
  (void)state;
  fixture f;
  open_contact(&f, 8);
  iterate(&f, 16, 4, 0), iterate(&f, 8, -4, 0), iterate(&f, 16, 4, 0);
  double lag = f.lag, f1 = f.force[1], f2 = f.force[2];
  for (int i = 0; i < 3; ++i) iterate(&f, lag, f1, f2);
  assert_float_equal(f.lag, lag, 0);
  assert_float_equal(f.force[1], f1, 0);
  assert_float_equal(f.force[2], f2, 0);
}

// Forces are extrapolated by a multiple of their last changes, as far as these were taken: of the bound and of a friction force a half was. A normal
// force does not become negative, and a contact that has just closed keeps its forces.
static void test_forces_are_extrapolated(void** state) {
  (void)state;
  fixture f;
  hfiIsland* I = open_contact(&f, 8);
  iterate(&f, 16, 4, 0), iterate(&f, 8, 4, 4); // The second changes are -8 and (0, 4), and a half of both is taken.
  f.pi0 = 8;
  assert_int_equal(hfi_damp_extrapolate(I, 0, 0.5), 1);
  assert_float_equal(f.pi0, 8 - 0.5 * 8, 0);
  assert_float_equal(f.lag, 12 - 0.5 * 4, 0);
  assert_float_equal(f.force[1], 4, 0);
  assert_float_equal(f.force[2], 2 + 0.5 * 2, 0);
  assert_int_equal(hfi_damp_extrapolate(I, 0, 100), 1);
  assert_above(f.pi0, 0);
  assert_above(f.lag, 0);
  f.pi0 = 0;
  iterate(&f, 8, 4, 0);
  assert_int_equal(hfi_damp_extrapolate(I, 0, 1), 0);
  assert_float_equal(f.pi0, 8, 0);
}

// A contact opens at once, closes with a bound that is its whole force, and opens slowly after it did both.
static void test_repeated_opening_is_slow(void** state) {
  (void)state;
  fixture f;
  hfiIsland* I = open_contact(&f, 1);
  assert_float_equal(hfi_damp_normal_force(I, 0, -1), 0, 0);
  assert_float_equal(hfi_damp_normal_force(I, 0, 2), 2, 0);
  iterate(&f, 0, 0, 0);
  assert_float_equal(f.lag, 0, 0);
  iterate(&f, 4, 0, 0);
  assert_float_equal(f.lag, 4, 0);
  assert_float_equal(hfi_damp_normal_force(I, 0, -1), 4 - 0.3 * 5, 1e-15); // rounding
  assert_float_equal(hfi_damp_normal_force(I, 0, -100), 0, 0);
  assert_float_equal(hfi_damp_normal_force(I, 0, 2), 2, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steady_changes_are_taken_whole),
      cmocka_unit_test(test_cycles_are_damped),
      cmocka_unit_test(test_answers_stay),
      cmocka_unit_test(test_forces_are_extrapolated),
      cmocka_unit_test(test_repeated_opening_is_slow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
