// Contacts whose answer is known by hand, and derivatives of the depth by finite differences.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "step/geometry/nearest.h"
#include "geometry/oracle.h"

#include <stdio.h>

static hfiShape shape_of(int type, double a, double b, double c) { hfiShape s = {type, {a, b, c}, NULL, NULL}; return s; }
static hfPose at(double x, double y, double z) { return pose_from(v3(x, y, z), q_identity()); }

// One contact of A at the origin and B at p with the given depth and normal.
static void check_single(hfiShape A, hfPose X_WA, hfiShape B, hfPose X_WB, double depth, hfVec3 n) {
  hfiContactPoint c[HFI_MAX_MANIFOLD];
  assert_int_equal(hfi_collide(&A, &X_WA, &B, &X_WB, 10, c), 1);
  assert_near(c[0].depth, depth, 4e-15);
  assert_near(v3_norm(v3_sub(c[0].n_W, n)), 0, 1e-14);
}

static void sphere_on_a_cylinder(void** state) {
  (void)state;
  hfiShape ball = shape_of(HF_GEOM_SPHERE, 0.2, 0, 0), can = shape_of(HF_GEOM_CYLINDER, 1, 0.5, 0);
  check_single(ball, at(1.1, 0, 0.3), can, at(0, 0, 0), 0.1, v3(1, 0, 0));               // side
  check_single(ball, at(0.3, 0.4, 0.6), can, at(0, 0, 0), 0.1, v3(0, 0, 1));             // cap
  check_single(ball, at(0.6 * 1.03, 0.8 * 1.03, 0.54), can, at(0, 0, 0), 0.15, v3(0.36, 0.48, 0.8)); // rim: (3, 4) cm off
  check_single(ball, at(0.9, 0, 0.1), can, at(0, 0, 0), 0.3, v3(1, 0, 0));               // inside, side nearer
  check_single(ball, at(0.1, 0, -0.4), can, at(0, 0, 0), 0.3, v3(0, 0, -1));             // inside, cap nearer
  check_single(ball, at(0, 0, 0), can, at(0, 0, 0), 0.7, v3(0, 0, 1));                   // at the centre
}

static void sphere_on_other_shapes(void** state) {
  (void)state;
  hfiShape ball = shape_of(HF_GEOM_SPHERE, 0.2, 0, 0), plane = shape_of(HF_GEOM_PLANE, 0, 0, 0), box = shape_of(HF_GEOM_BOX, 1, 2, 3), pill = shape_of(HF_GEOM_CAPSULE, 0.5, 1, 0),
           egg = shape_of(HF_GEOM_ELLIPSOID, 1, 2, 3);
  check_single(ball, at(5, 6, 0.15), plane, at(0, 0, 0), 0.05, v3(0, 0, 1));
  check_single(ball, at(0, 0, 0.3), ball, at(0, 0, 0), 0.1, v3(0, 0, 1));
  check_single(ball, at(0, 0, 0), ball, at(0, 0, 0), 0.4, v3(0, 0, 1)); // concentric
  check_single(ball, at(1.1, 0.5, -2), box, at(0, 0, 0), 0.1, v3(1, 0, 0));
  check_single(ball, at(1.06, 2.08, 1), box, at(0, 0, 0), 0.1, v3(0.6, 0.8, 0)); // edge: (6, 8) cm off
  check_single(ball, at(0.9, 0, 0), box, at(0, 0, 0), 0.3, v3(1, 0, 0));         // inside
  check_single(ball, at(0.6, 0, 0.3), pill, at(0, 0, 0), 0.1, v3(1, 0, 0));
  check_single(ball, at(0.36, 0, 1.48), pill, at(0, 0, 0), 0.1, v3(0.6, 0, 0.8)); // end
  check_single(ball, at(0, 2.1, 0), egg, at(0, 0, 0), 0.1, v3(0, 1, 0));
  check_single(ball, at(0, 0, 0), egg, at(0, 0, 0), 1.2, v3(1, 0, 0)); // the shortest axis
}

static void other_pairs(void** state) {
  (void)state;
  hfiShape pill = shape_of(HF_GEOM_CAPSULE, 0.5, 1, 0), egg = shape_of(HF_GEOM_ELLIPSOID, 1, 2, 3), box = shape_of(HF_GEOM_BOX, 1, 1, 1), plane = shape_of(HF_GEOM_PLANE, 0, 0, 0);
  hfPose across = pose_from(v3(0, 0.9, 0), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 2));
  check_single(pill, at(0, 0, 0), pill, across, 0.1, v3(0, -1, 0)); // crossed
  check_single(pill, at(0, 0, 0), pill, at(0, 0, 2.9), 0.1, v3(0, 0, -1)); // end to end
  check_single(egg, at(0, 0, 0), egg, at(0, 3.9, 0), 0.1, v3(0, -1, 0));
  check_single(egg, at(0, 0, 5.9), egg, at(0, 0, 0), 0.1, v3(0, 0, 1));
  check_single(plane, at(0, 0, 0), egg, at(4, 5, 2.75), 0.25, v3(0, 0, -1));
  check_single(egg, at(0, 0, 3.75), box, at(0, 0, 0), 0.25, v3(0, 0, 1));
  // two cubes, one turned 45 degrees about x, edge against an edge turned about y: 2 sqrt(2) apart at touching
  hfPose lower = pose_from(v3_zero(), q_from_axis_angle(v3(1, 0, 0), HFI_PI / 4)), upper = pose_from(v3(0, 0, 2 * sqrt(2) - 0.1), q_from_axis_angle(v3(0, 1, 0), HFI_PI / 4));
  check_single(box, upper, box, lower, 0.1, v3(0, 0, 1));
}

// Points on the surface of an ellipsoid moved along its normal: the nearest point and distance are known
// up to the least radius of curvature inwards.
static void ellipsoid_nearest_points(void** state) {
  (void)state;
  testRandom r = {41};
  printf("seed %llu\n", (unsigned long long)r.state);
  for (int k = 0; k < 20000; ++k) {
    hfiShape s = random_shape(&r, HF_GEOM_ELLIPSOID, 1, NULL, 0);
    hfVec3 e = v3_load(s.size), u = random_unit(&r), x = v3_mul(e, u), n = v3_unit(v3(u.x / e.x, u.y / e.y, u.z / e.z));
    double least = min2(e.x, min2(e.y, e.z)), most = max2(e.x, max2(e.y, e.z)), d = random_uniform(&r, -least * least / most, 3);
    hfiNearest near = hfi_nearest(&s, v3_axpy(d, n, x));
    assert_near(near.distance, d, 1e-14 * 10);
    assert_near(v3_norm(v3_sub(near.point, x)), 0, 1e-12 * 10); // near the centre of curvature the point moves faster than the distance
  }
}

static double height(const hfiHull* hull, hfVec3 d, int32_t i) { return v3_dot(d, v3_load(hull->vert + 3 * i)); }

// The vertex of the hull, other than `except`, that is farthest along d.
static int32_t farthest_vertex(const hfiHull* hull, hfVec3 d, int32_t except) {
  int32_t found = -1;
  for (int32_t i = 0; i < hull->nvert; ++i)
    if (i != except && (found < 0 || height(hull, d, i) > height(hull, d, found))) found = i;
  return found;
}

// The outward direction at a corner of a hull that is nearly across the edge to another corner: turned by `lean` from being across it.
// Returns 0 if the corner is not the farthest one there, or a third one is nearly as far.
static int direction_beside_edge(testRandom* r, const hfiHull* hull, double lean, int32_t* corner, hfVec3* direction) {
  hfVec3 d = random_unit(r);
  int32_t first = farthest_vertex(hull, d, -1), second = farthest_vertex(hull, d, first);
  hfVec3 e = v3_unit(v3_sub(v3_load(hull->vert + 3 * first), v3_load(hull->vert + 3 * second)));
  d = v3_unit(v3_axpy(lean, e, v3_unit(v3_axpy(-v3_dot(d, e), e, d))));
  *corner = first, *direction = d;
  for (int32_t i = 0; i < hull->nvert; ++i)
    if (i != first && i != second && !(height(hull, d, first) - height(hull, d, i) > 1e-2)) return 0;
  return 1;
}

// An ellipsoid on a corner of a hull, with a normal that is nearly across an edge from there: GJK finds the lowest point a little inside the
// edge. (Where rounding then took the other end of the edge for the corner, the normal was 1e-4 rad off, and an ellipsoid that rested on such a
// corner trembled for ever.)
static void ellipsoid_at_the_end_of_an_edge(void** state) {
  (void)state;
  testRandom r = {43};
  int tried = 0;
  for (int k = 0; k < 40; ++k) {
    hfiHullData data = random_hull(&r, 8, 1);
    hfiHull hull = hull_view(&data);
    hfiShape mesh = {HF_GEOM_MESH, {0}, &hull, NULL};
    for (int i = 0; i < 2000; ++i) {
      int32_t corner;
      hfVec3 n;
      if (!direction_beside_edge(&r, &hull, random_log(&r, 1e-7, 1e-2), &corner, &n)) continue;
      hfiShape egg = random_shape(&r, HF_GEOM_ELLIPSOID, 1, NULL, 0);
      hfPose X_M = random_pose(&r, 1), X_E = random_pose(&r, 1);
      hfVec3 n_W = m3_mulv(X_M.R, n), at = pose_point(X_M, v3_load(hull.vert + 3 * corner)), d = m3_tmulv(X_E.R, v3_neg(n_W)), a = v3_load(egg.size);
      double depth = (i % 2 ? 1 : -1) * random_log(&r, 1e-4, 1e-3);
      hfVec3 lowest = v3_scale(1 / v3_norm(v3_mul(a, d)), v3_mul(v3_mul(a, a), d)); // of the ellipsoid, along -n, in its frame
      X_E.p = v3_sub(v3_axpy(-depth, n_W, at), m3_mulv(X_E.R, lowest));
      // A witness that is beyond the end by 1e-9 of the sizes may count as on the edge, and two as facing each other that are 1e-11 of the
      // sizes aside (polish.c).
      double least = min2(a.x, min2(a.y, a.z)), most = max2(a.x, max2(a.y, a.z)), radius = most * most / least;
      double turned = (1 + most) * (1e-9 * most / sqr(least) + 1e-11 / fabs(depth));
      for (int swapped = 0; swapped < 2; ++swapped) {
        hfiContactPoint c;
        assert_true(swapped ? hfi_distance(&mesh, &X_M, &egg, &X_E, INFINITY, &c) : hfi_distance(&egg, &X_E, &mesh, &X_M, INFINITY, &c));
        assert_near(c.depth, depth, 1e-13 + radius * sqr(turned));
        assert_near(v3_norm(v3_sub(swapped ? v3_neg(c.n_W) : c.n_W, n_W)), 0, turned);
        assert_near(v3_norm(v3_sub(swapped ? c.p_WCa : c.p_WCb, at)), 0, 1e-13 + radius * turned);
      }
      ++tried;
    }
    hfi_hull_release(&data);
  }
  printf("seed 43: %d corners\n", tried);
  assert_above(tried, 10000);
}

static double distance_at(const hfiShape* A, hfPose X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 shift, hfVec3 turn) {
  hfiContactPoint c;
  hfPose X = {m3_mul(m3_from_quat(q_exp(turn)), X_WA.R), v3_add(X_WA.p, shift)};
  assert_true(hfi_distance(A, &X, B, X_WB, INFINITY, &c));
  return -c.depth;
}

// d distance/d shift = n, d distance/d turn = (p_a - origin) x n.
static void depth_derivatives(void** state) {
  (void)state;
  testRandom r = {43};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data = random_hull(&r, 20, 1);
  hfiHull hull = hull_view(&data);
  int checked = 0, kinks = 0;
  for (int k = 0; k < 4000; ++k) {
    hfiShape A = random_shape(&r, 1 + random_int(&r, 6), 1, &hull, 1), B = random_shape(&r, 1 + random_int(&r, 6), 1, &hull, 1);
    hfPose X_WA = random_pose(&r, 0.3), X_WB = random_pose(&r, 0.3);
    X_WB.p = v3_axpy(random_uniform(&r, 0.6, 1.8), random_unit(&r), X_WA.p);
    hfiContactPoint c;
    assert_true(hfi_distance(&A, &X_WA, &B, &X_WB, INFINITY, &c));
    hfVec3 arm = v3_cross(v3_sub(c.p_WCa, X_WA.p), c.n_W), way = random_unit(&r), zero = v3_zero();
    for (int turning = 0; turning < 2; ++turning) {
      double h = 1e-5, want = v3_dot(way, turning ? arm : c.n_W), here = -c.depth;
      double up = distance_at(&A, X_WA, &B, &X_WB, turning ? zero : v3_scale(h, way), turning ? v3_scale(h, way) : zero);
      double down = distance_at(&A, X_WA, &B, &X_WB, turning ? zero : v3_scale(-h, way), turning ? v3_scale(-h, way) : zero);
      // another feature takes over within the step: the two one-sided slopes differ
      if (fabs(up - 2 * here + down) > 1e-3 * h) { kinks++; continue; }
      // second-order differences and rounding 1e-15/h; curvature up to 1/0.2 per metre times h
      assert_near((up - down) / (2 * h), want, 1e-3);
      checked++;
    }
  }
  printf("%d derivatives checked, %d at kinks\n", checked, kinks);
  assert_above(checked, 7000);
  hfi_hull_release(&data);
}

// The overlap along a direction is what the support functions say; along the normal of a plane, how far a shape is below it.
static void overlap_along_a_direction(void** state) {
  (void)state;
  testRandom r = {44};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data = random_hull(&r, 20, 1);
  hfiHull hull = hull_view(&data);
  hfiShape plane = shape_of(HF_GEOM_PLANE, 0, 0, 0);
  for (int k = 0; k < 4000; ++k) {
    hfiShape A = random_shape(&r, 1 + random_int(&r, 6), 1, &hull, 1), B = random_shape(&r, 1 + random_int(&r, 6), 1, &hull, 1);
    hfPose X_WA = random_pose(&r, 1), X_WB = random_pose(&r, 1);
    hfVec3 n = random_unit(&r), up = m3_col(X_WB.R, 2);
    assert_near(hfi_overlap_along(&A, &X_WA, &B, &X_WB, n), -oracle_gap(&A, &X_WA, &B, &X_WB, n), 1e-14); // rounding at sizes of 1
    double height = v3_dot(up, v3_sub(X_WA.p, X_WB.p)) - oracle_support(&A, m3_tmulv(X_WA.R, v3_neg(up)));
    assert_near(hfi_overlap_along(&A, &X_WA, &plane, &X_WB, n), -height, 1e-14);
    assert_near(hfi_overlap_along(&plane, &X_WB, &A, &X_WA, n), -height, 1e-14);
  }
  hfi_hull_release(&data);
}

// The bounds touch the shape on every side; a level plane bounds the space above it.
// Farthest point along n of a shape or, for a mesh, of its box along its own axes.
static double bounded_support(const hfiShape* s, hfVec3 n) {
  double sum = 0;
  if (s->type != HF_GEOM_MESH) return oracle_support(s, n);
  for (int i = 0; i < 3; ++i) {
    hfVec3 axis = v3(i == 0, i == 1, i == 2);
    double x = v3_get(n, i);
    sum += x > 0 ? x * oracle_support(s, axis) : -x * oracle_support(s, v3_neg(axis));
  }
  return sum;
}

static void bounds_are_tight(void** state) {
  (void)state;
  testRandom r = {47};
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data = random_hull(&r, 20, 1);
  hfiHull hull = hull_view(&data);
  for (int k = 0; k < 2000; ++k) {
    hfiShape s = random_shape(&r, 1 + random_int(&r, 6), random_log(&r, 0.01, 10), &hull, 1);
    hfPose X = random_pose(&r, 1);
    hfiAabb box = hfi_shape_aabb(&s, &X);
    for (int i = 0; i < 3; ++i) {
      hfVec3 axis = m3_row(X.R, i); // the world's axis in the shape's frame
      assert_near(v3_get(box.hi, i), v3_get(X.p, i) + bounded_support(&s, axis), 1e-14 * 20);
      assert_near(v3_get(box.lo, i), v3_get(X.p, i) - bounded_support(&s, v3_neg(axis)), 1e-14 * 20);
    }
  }
  hfiShape plane = shape_of(HF_GEOM_PLANE, 0, 0, 0);
  hfPose level = at(1, 2, 3), tilted = pose_from(v3_zero(), q_exp(v3(0.1, 0, 0)));
  assert_near(hfi_shape_aabb(&plane, &level).hi.z, 3, 0);
  assert_true(isinf(hfi_shape_aabb(&plane, &level).lo.z) && isinf(hfi_shape_aabb(&plane, &level).hi.x));
  assert_true(isinf(hfi_shape_aabb(&plane, &tilted).hi.z));
  hfi_hull_release(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_on_a_cylinder),
      cmocka_unit_test(sphere_on_other_shapes),
      cmocka_unit_test(other_pairs),
      cmocka_unit_test(ellipsoid_nearest_points),
      cmocka_unit_test(ellipsoid_at_the_end_of_an_edge),
      cmocka_unit_test(depth_derivatives),
      cmocka_unit_test(overlap_along_a_direction),
      cmocka_unit_test(bounds_are_tight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
