// Overlaps that are found to an accuracy only (hfi_rough_overlap), against the exact ones.
#include "support/cmocka_all.h"

#include "build/hull.h"
#include "step/geometry/distance.h"
#include "geometry/oracle.h"

#include <stdio.h>

enum { HULLS = 4 };

// A rough overlap is that along its direction, and exceeds the true one by no more than was allowed. Where shapes are farther apart than that, it only must be
// negative, and not less than minus their distance.
static void a_rough_overlap_is_within_its_accuracy(void** state) {
  (void)state;
  testRandom r = {7};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data[HULLS];
  hfiHull hull[HULLS];
  for (int i = 0; i < HULLS; ++i) {
    data[i] = random_hull(&r, 6 + 12 * i, 1);
    hull[i] = hull_view(data + i);
  }
  int deep = 0;
  for (int k = 0; k < 20000; ++k) {
    hfiShape A = random_shape(&r, 1 + random_int(&r, 6), 1, hull, HULLS), B = random_shape(&r, 1 + random_int(&r, 6), 1, hull, HULLS);
    hfPose X_WA = random_pose(&r, 0.1), X_WB = random_pose(&r, 0.1);
    double apart = (shape_size(&A) + shape_size(&B)) * random_uniform(&r, 0.1, 1.2);
    X_WB.p = v3_axpy(apart, random_unit(&r), X_WA.p);
    double accuracy = random_log(&r, 1e-4, 1e-1), overlap;
    hfVec3 n;
    hfiContactPoint at;
    assert_int_equal(hfi_rough_overlap(&A, &X_WA, &B, &X_WB, accuracy, &overlap, &n), 1);
    assert_int_equal(hfi_distance(&A, &X_WA, &B, &X_WB, INFINITY, &at), 1);
    assert_near(overlap, -oracle_gap(&A, &X_WA, &B, &X_WB, n), 1e-9); // Newton's method finds the closed forms to 1e-10 of the size.
    assert_at_least(overlap, at.depth - 1e-9);
    assert_at_most(overlap, fmax(at.depth + accuracy, 0) + 1e-9);
    deep += at.depth > 0;
  }
  assert_above(deep, 5000);
  for (int i = 0; i < HULLS; ++i) hfi_hull_release(&data[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rough_overlap_is_within_its_accuracy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
