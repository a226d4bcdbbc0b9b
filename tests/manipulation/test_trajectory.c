// Cartesian keyframes, against differences and closed forms.
#include "manipulation/arms.h"

static const hfPoseKey keys[] = {
    {0.5, {0.4, 0, 0.3}, {1, 0, 0, 0}},
    {1.5, {0.5, 0.2, 0.3}, {0.7071067811865476, 0, 0, 0.7071067811865476}},
    {2.0, {0.5, 0.3, 0.1}, {0.7071067811865476, 0, 0, 0.7071067811865476}},
    {3.2, {0.2, 0.3, 0.4}, {-0.5, -0.5, 0.5, 0.5}}};
enum { KEYS = sizeof keys / sizeof *keys };

static void assert_vec(hfVec3 got, hfVec3 want, double tolerance) {
  assert_near(got.x, want.x, tolerance), assert_near(got.y, want.y, tolerance),
      assert_near(got.z, want.z, tolerance);
}
static hfVec3 over(hfVec3 a, hfVec3 b, double e) {
  hfVec3 r = {(b.x - a.x) / e, (b.y - a.y) / e, (b.z - a.z) / e};
  return r;
}

static void test_rates(void** state) {
  (void)state;
  const double e = 1e-5;
  for (double t = 0.4; t < 3.4; t += 0.0373) {
    hfPoseSetpoint a = hf_pose_keyframes(KEYS, keys, t - e), b = hf_pose_keyframes(KEYS, keys, t),
                   c = hf_pose_keyframes(KEYS, keys, t + e);
    hfMotion d = hf_pose_error(a.X, c.X);
    // central differences: e^2/6 times third derivatives (below 1e3), and rounding 1e-15/e
    assert_vec(over((hfVec3){0, 0, 0}, d.v, 2 * e), b.V.v, 1e-7);
    assert_vec(over((hfVec3){0, 0, 0}, d.w, 2 * e), b.V.w, 1e-7);
    assert_vec(over(a.V.v, c.V.v, 2 * e), b.A.v, 1e-5);
    assert_vec(over(a.V.w, c.V.w, 2 * e), b.A.w, 1e-5);
  }
}

// Through every key, at rest at both ends, and a quarter turn's half way is an eighth.
static void test_keys(void** state) {
  (void)state;
  for (int i = 0; i < KEYS; ++i) {
    hfPoseSetpoint s = hf_pose_keyframes(KEYS, keys, keys[i].time);
    assert_vec(s.X.p, keys[i].p, 1e-15);
    assert_vec(s.V.w, (hfVec3){0, 0, 0}, 1e-12);
  }
  hfPoseSetpoint early = hf_pose_keyframes(KEYS, keys, 0), late = hf_pose_keyframes(KEYS, keys, 9),
                 half = hf_pose_keyframes(KEYS, keys, 1);
  assert_vec(early.X.p, keys[0].p, 0);
  assert_vec(late.X.p, keys[KEYS - 1].p, 0);
  assert_vec(late.V.v, (hfVec3){0, 0, 0}, 0);
  assert_near(atan2(half.X.R.m[3], half.X.R.m[0]), 3.14159265358979323846 / 4, 1e-12);
  assert_near(half.V.w.z, 3.14159265358979323846 / 2 * 1.875,
              1e-12); // the quintic's rate at its middle
}

// The shorter way round, whatever the sign of a quaternion; the identity turn has no axis.
static void test_shorter_way(void** state) {
  (void)state;
  hfPoseKey a[2] = {{0, {0, 0, 0}, {1, 0, 0, 0}},
                    {1, {0, 0, 0}, {-0.99500416527802582, 0, 0, -0.099833416646828155}}};
  hfPoseSetpoint s = hf_pose_keyframes(2, a, 0.5);
  assert_near(atan2(s.X.R.m[3], s.X.R.m[0]), 0.1, 1e-12);
  a[1].q = a[0].q;
  s = hf_pose_keyframes(2, a, 0.5);
  assert_near(s.X.R.m[0], 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates), cmocka_unit_test(test_keys),
                                     cmocka_unit_test(test_shorter_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
