// Rays against closed forms, and against the signed distance from a point sampled along them.
#include "build/hull.h"
#include "step/geometry/nearest.h"
#include "geometry/oracle.h"
#include "step/geometry/ray.h"

#include <stdio.h>

static void closed_forms(void** state) {
  (void)state;
  struct { hfiShape shape; hfVec3 o, d; double t; hfVec3 n; } kCase[] = {
      {{HF_GEOM_PLANE, {0}, NULL, NULL}, {1, 2, 3}, {0, 0, -1}, 3, {0, 0, 1}},
      {{HF_GEOM_PLANE, {0}, NULL, NULL}, {1, 2, -3}, {0, 0, 1}, 3, {0, 0, 1}}, // from below
      {{HF_GEOM_SPHERE, {0.5}, NULL, NULL}, {-2, 0, 0.3}, {1, 0, 0}, 1.6, {-0.8, 0, 0.6}},
      {{HF_GEOM_SPHERE, {0.5}, NULL, NULL}, {0, 0, 0}, {0, 1, 0}, 0.5, {0, 1, 0}}, // from inside
      {{HF_GEOM_CAPSULE, {0.5, 1}, NULL, NULL}, {-2, 0, 1.3}, {1, 0, 0}, 1.6, {-0.8, 0, 0.6}},
      {{HF_GEOM_CAPSULE, {0.5, 1}, NULL, NULL}, {0, 0, 4}, {0, 0, -1}, 2.5, {0, 0, 1}},
      {{HF_GEOM_CAPSULE, {0.5, 1}, NULL, NULL}, {0, -3, 0.2}, {0, 1, 0}, 2.5, {0, -1, 0}},
      {{HF_GEOM_ELLIPSOID, {1, 2, 3}, NULL, NULL}, {0, 5, 0}, {0, -1, 0}, 3, {0, 1, 0}},
      {{HF_GEOM_CYLINDER, {0.5, 1}, NULL, NULL}, {0.2, 0.1, 3}, {0, 0, -1}, 2, {0, 0, 1}},
      {{HF_GEOM_CYLINDER, {0.5, 1}, NULL, NULL}, {-2, 0.3, 0.9}, {1, 0, 0}, 1.6, {-0.8, 0.6, 0}},
      {{HF_GEOM_BOX, {1, 2, 3}, NULL, NULL}, {-4, 0.5, 0.5}, {1, 0, 0}, 3, {-1, 0, 0}},
  };
  for (size_t i = 0; i < sizeof kCase / sizeof *kCase; ++i) {
    double t;
    hfVec3 n;
    assert_true(hfi_ray_shape(&kCase[i].shape, kCase[i].o, kCase[i].d, &t, &n));
    assert_near(t, kCase[i].t, 1e-15 * 8);
    assert_near(v3_norm(v3_sub(n, kCase[i].n)), 0, 1e-15 * 8);
  }
}

static void misses(void** state) {
  (void)state;
  hfiShape sphere = {HF_GEOM_SPHERE, {0.5}, NULL, NULL}, box = {HF_GEOM_BOX, {1, 1, 1}, NULL, NULL}, plane = {HF_GEOM_PLANE, {0}, NULL, NULL}, can = {HF_GEOM_CYLINDER, {0.5, 1}, NULL, NULL};
  double t = -7;
  hfVec3 n;
  assert_false(hfi_ray_shape(&sphere, v3(-2, 0, 0.6), v3(1, 0, 0), &t, &n)); // beside
  assert_false(hfi_ray_shape(&sphere, v3(-2, 0, 0), v3(-1, 0, 0), &t, &n));  // away
  assert_false(hfi_ray_shape(&box, v3(0, 2, 0), v3(1, 0, 0), &t, &n));       // along a face, outside
  assert_false(hfi_ray_shape(&plane, v3(0, 0, 1), v3(1, 0, 0), &t, &n));
  assert_false(hfi_ray_shape(&plane, v3(0, 0, -1), v3(0, 0, -1), &t, &n));   // inside, never out
  assert_false(hfi_ray_shape(&can, v3(0.6, 0, 5), v3(0, 0, -1), &t, &n));
  assert_near(t, -7, 0); // untouched
}

// Every sampled point before the hit lies on the start's side of the surface, the hit lies on it.
static void check_ray(testRandom* r, const hfiShape* s, hfVec3 o, hfVec3 d, double reach) {
  double t = 4 * reach, tol = 1e-13 * (reach + v3_norm(o));
  hfVec3 n;
  int hit = hfi_ray_shape(s, o, d, &t, &n);
  double start = hfi_nearest(s, o).distance;
  if (fabs(start) < 1e-9 * reach) return; // starts on the surface
  for (int k = 0; k < 40; ++k) {
    double at = hfi_nearest(s, v3_axpy(random_uniform(r, 0, 1) * t, d, o)).distance;
    if (start > 0) assert_above(at, -tol);
    else assert_below(at, tol);
  }
  if (!hit) return;
  hfiNearest x = hfi_nearest(s, v3_axpy(t, d, o));
  // grazing an ellipsoid the hit moves along the surface by the square root of the rounding
  assert_near(x.distance, 0, tol * 10);
  assert_near(v3_norm(n), 1, 1e-14);
  assert_true(start > 0 ? v3_dot(n, d) <= 1e-7 : v3_dot(n, d) >= -1e-7);
  // the outward normal: a step along it leaves the shape
  assert_true(hfi_nearest(s, v3_axpy(1e-6 * reach, n, v3_axpy(t, d, o))).distance > 0);
}

static void random_rays_meet_the_surface(void** state) {
  (void)state;
  testRandom r = {23};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data = random_hull(&r, 30, 1);
  hfiHull hull = hull_view(&data);
  int rays = is_full() ? 300000 : 3000;
  for (int type = HF_GEOM_SPHERE; type < HFI_CONVEX_SHAPES; ++type)
    for (int k = 0; k < rays; ++k) {
      hfiShape s = random_shape(&r, type, random_log(&r, 0.01, 1), &hull, 1);
      double reach = shape_size(&s);
      hfVec3 o = v3_scale(reach * random_uniform(&r, 0, 2), random_unit(&r)), aim = v3_scale(reach * random_uniform(&r, 0, 1), random_unit(&r));
      check_ray(&r, &s, o, v3_unit(v3_sub(aim, o)), reach);
    }
  hfi_hull_release(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(misses),
      cmocka_unit_test(random_rays_meet_the_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
