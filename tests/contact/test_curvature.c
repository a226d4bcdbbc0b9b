// Curvature of geoms at a contact, against the closed forms of balls, sides and the ends of an ellipsoid's axes; and elsewhere on an ellipsoid
// against differences of the point at which it has a given normal.
#include "support/near.h"
#include "support/random_pose.h"
#include "support/sim_world.h"

#include "step/contact/curvature.h"

#include <stdio.h>

// A geom alone in the world, turned by a quaternion.
typedef struct Alone {
  hfModel* model;
  hfDynamics* dynamics;
} Alone;

static Alone open_geom(const char* geom, hfQuat q) {
  char xml[512];
  hfError error;
  Alone a = {NULL, NULL};
  snprintf(xml, sizeof xml, "<mujoco><worldbody><geom %s quat='%.17g %.17g %.17g %.17g'/></worldbody></mujoco>", geom, q.w, q.x, q.y, q.z);
  a.model = parse_model(xml);
  assert_int_equal(hf_dynamics_create(&a.dynamics, a.model, &error), HF_OK);
  hf_dynamics_set_position(a.dynamics, hf_model_qpos0(a.model), NULL);
  return a;
}

static void close_geom(Alone* a) {
  hf_dynamics_free(a->dynamics);
  hf_model_free(a->model);
}

// A contact whose normal is n in the frame of the geom.
static hfiContact contact_along(const Alone* a, hfVec3 n) {
  hfiContact c = {.n = m3_mulv(a->dynamics->X_WG[0].R, n)};
  v3_tangents(c.n, &c.t1, &c.t2);
  return c;
}

// The curvature along a tangent e, in the frame of the geom. Returns NAN at an edge.
static double curvature_at(const char* geom, hfVec3 n, hfVec3 e) {
  testRandom r = {17};
  Alone a = open_geom(geom, random_quat(&r));
  hfiContact c = contact_along(&a, n);
  hfVec3 e_W = m3_mulv(a.dynamics->X_WG[0].R, e);
  hfiCurvature k;
  double along = hfi_contact_curvature(a.dynamics, &c, 0, &k) ? hfi_curvature_along(&k, v3_dot(e_W, c.t1), v3_dot(e_W, c.t2)) : NAN;
  close_geom(&a);
  return along;
}

static const double ROUNDING = 1e-12; // Curvatures here are up to 50, and the products of a rotation are known to 1e-15.

static void test_closed_forms(void** state) {
  (void)state;
  const hfVec3 x = v3(1, 0, 0), y = v3(0, 1, 0), z = v3(0, 0, 1), slanted = v3_unit(v3(1, 0, 1)), down = v3_unit(v3(-1, 0, 1));
  assert_near(curvature_at("type='sphere' size='.04'", slanted, y), 25, ROUNDING);
  assert_near(curvature_at("type='capsule' size='.04 .1'", x, y), 25, ROUNDING);
  assert_near(curvature_at("type='capsule' size='.04 .1'", x, z), 0, ROUNDING);
  assert_near(curvature_at("type='capsule' size='.04 .1'", slanted, down), 25, ROUNDING); // its ends are balls
  assert_near(curvature_at("type='cylinder' size='.04 .1'", x, y), 25, ROUNDING);
  assert_near(curvature_at("type='cylinder' size='.04 .1'", x, z), 0, ROUNDING);
  assert_near(curvature_at("type='cylinder' size='.04 .1'", z, x), 0, ROUNDING);
  assert_true(isnan(curvature_at("type='cylinder' size='.04 .1'", slanted, y))); // the rim
  assert_near(curvature_at("type='box' size='.1 .1 .1'", z, x), 0, ROUNDING);
  assert_near(curvature_at("type='ellipsoid' size='.1 .2 .05'", z, x), 0.05 / sqr(0.1), ROUNDING);
  assert_near(curvature_at("type='ellipsoid' size='.1 .2 .05'", z, y), 0.05 / sqr(0.2), ROUNDING);
  assert_near(curvature_at("type='ellipsoid' size='.1 .2 .05'", x, z), 0.1 / sqr(0.05), ROUNDING);
}

// The point of an ellipsoid with half axes E where its normal is n.
static hfVec3 point_with_normal(hfVec3 E, hfVec3 n) { return v3_scale(1 / v3_norm(v3_mul(E, n)), v3_mul(v3_mul(E, E), n)); }

// A small turn of the normal, dn, moves the point by dp. The curvature takes dp back to dn.
static void test_ellipsoid_against_differences(void** state) {
  (void)state;
  const hfVec3 E = v3(0.1, 0.2, 0.05);
  const double small = 1e-6; // The error of a central difference is its square.
  testRandom r = {5};
  print_message("seed 5\n");
  for (int trial = 0; trial < 200; ++trial) {
    Alone a = open_geom("type='ellipsoid' size='.1 .2 .05'", random_quat(&r));
    hfMat3 R = a.dynamics->X_WG[0].R;
    hfVec3 n = random_unit(&r);
    hfiContact c = contact_along(&a, n);
    hfiCurvature k;
    assert_int_equal(hfi_contact_curvature(a.dynamics, &c, 0, &k), 1);
    for (int i = 0; i < 2; ++i) {
      hfVec3 dn = m3_tmulv(R, i ? c.t2 : c.t1);
      hfVec3 there = point_with_normal(E, v3_unit(v3_axpy(small, dn, n))), back = point_with_normal(E, v3_unit(v3_axpy(-small, dn, n)));
      hfVec3 dp = m3_mulv(R, v3_scale(0.5 / small, v3_sub(there, back)));
      double p1 = v3_dot(dp, c.t1), p2 = v3_dot(dp, c.t2);
      assert_near(k.c11 * p1 + k.c12 * p2, i ? 0 : 1, 1e-7); // rounding of points over `small`, times curvatures up to 80
      assert_near(k.c12 * p1 + k.c22 * p2, i ? 1 : 0, 1e-7);
    }
    close_geom(&a);
  }
}

// The largest radius is where the curvature is least: at the ends of the shortest axis, along the longest.
static void test_largest_radius(void** state) {
  (void)state;
  hfModel* m = parse_model("<mujoco><worldbody><geom type='sphere' size='.04'/><geom type='capsule' size='.03 .1'/><geom type='box' size='.1 .1 .1'/>"
                           "<geom type='ellipsoid' size='.1 .2 .05'/></worldbody></mujoco>");
  const double want[] = {0.04, 0.03, 0, sqr(0.2) / 0.05};
  for (int g = 0; g < 4; ++g) assert_near(hfi_largest_radius(m, g), want[g], 1e-15);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_ellipsoid_against_differences),
      cmocka_unit_test(test_largest_radius),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
