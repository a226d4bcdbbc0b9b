// Whatever the shapes and poses, a contact is finite and consistent: extreme sizes, aligned axes,
// coincident centres, exact touching.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "geometry/oracle.h"

#include <stdio.h>

enum { HULLS = 5, TYPES = HFI_CONVEX_SHAPES };
static hfiHullData hull_data[HULLS];
static hfiHull hulls[HULLS];

static int make_hulls(void** state) {
  (void)state;
  testRandom r = {3};
  for (int i = 0; i < HULLS; ++i) {
    double h[3] = {0.5, i ? 1e-3 : 0.3, 0.8}; // [1]: a thin plate
    hull_data[i] = i < 2 ? box_hull(h) : random_hull(&r, 4 + 9 * (i - 2), 1);
    hulls[i] = hull_view(hull_data + i);
  }
  return 0;
}

static int drop_hulls(void** state) {
  (void)state;
  for (int i = 0; i < HULLS; ++i) hfi_hull_release(hull_data + i);
  return 0;
}

static void print_pair(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  const hfiShape* s[2] = {A, B};
  const hfPose* X[2] = {X_WA, X_WB};
  for (int i = 0; i < 2; ++i) {
    hfQuat q = q_from_m3(X[i]->R);
    print_error("%s size %.17g %.17g %.17g p %.17g %.17g %.17g q %.17g %.17g %.17g %.17g\n", kTypeName[s[i]->type], s[i]->size[0], s[i]->size[1],
                s[i]->size[2], X[i]->p.x, X[i]->p.y, X[i]->p.z, q.w, q.x, q.y, q.z);
  }
}

// Finite, unit normals, witness points depth apart, within the margin's reach, distinct features, and no
// deeper than the separation along its own normal allows.
static int is_sound(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, const hfiContactPoint* c, int count) {
  double size = shape_size(A) + shape_size(B), tol = 1e-13 * (size + v3_norm(X_WA->p) + v3_norm(X_WB->p));
  if (count < 0 || count > HFI_MAX_MANIFOLD) return 0;
  for (int i = 0; i < count; ++i) {
    hfVec3 ab = v3_sub(c[i].p_WCb, c[i].p_WCa);
    int fine = v3_finite(c[i].p_WCa) && v3_finite(c[i].p_WCb) && isfinite(c[i].depth) && fabs(v3_norm(c[i].n_W) - 1) < 1e-12;
    fine = fine && v3_norm(v3_axpy(-c[i].depth, c[i].n_W, ab)) <= tol && c[i].depth >= -margin - 1e-5 * size;
    for (int j = 0; j < i; ++j) fine = fine && c[j].feature != c[i].feature;
    if (fine && A->type != HF_GEOM_PLANE && B->type != HF_GEOM_PLANE) fine = c[i].depth <= -oracle_gap(A, X_WA, B, X_WB, c[i].n_W) + 1e-5 * size;
    if (!fine) return 0;
  }
  return 1;
}

static void check_pair(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin) {
  hfiContactPoint point[HFI_MAX_MANIFOLD];
  int count = hfi_collide(A, X_WA, B, X_WB, margin, point);
  if (!is_sound(A, X_WA, B, X_WB, margin, point, count)) {
    print_pair(A, X_WA, B, X_WB);
    for (int i = 0; i < count; ++i) print_error("depth %g n %g %g %g feature %x\n", point[i].depth, point[i].n_W.x, point[i].n_W.y, point[i].n_W.z, point[i].feature);
    fail();
  }
  int found = hfi_distance(A, X_WA, B, X_WB, INFINITY, point);
  if (found && !is_sound(A, X_WA, B, X_WB, INFINITY, point, 1)) {
    print_pair(A, X_WA, B, X_WB);
    fail();
  }
}

// Sizes over six decades, axes aligned or not, centres at chosen or random offsets.
static void draw_pair(testRandom* r, hfiShape* A, hfPose* X_WA, hfiShape* B, hfPose* X_WB) {
  double size = random_log(r, 1e-3, 10), spread = random_chance(r, 0.3) ? 1e3 : 10;
  *A = random_shape(r, random_int(r, TYPES), size, hulls, HULLS);
  *B = random_shape(r, 1 + random_int(r, TYPES - 1), random_log(r, 1 / spread, spread) * size, hulls, HULLS);
  for (int i = 0; i < 3; ++i) {
    if (random_chance(r, 0.1)) A->size[i] *= random_log(r, 1e-3, 1);
    if (random_chance(r, 0.1)) B->size[i] *= random_log(r, 1e-3, 1);
  }
  static const double kQuarter[4] = {0, HFI_PI / 2, HFI_PI, HFI_PI / 4};
  for (int k = 0; k < 2; ++k) {
    hfVec3 axis = random_chance(r, 0.5) ? v3(0, 0, 1) : v3(1, 0, 0);
    hfPose X = random_chance(r, 0.5) ? pose_from(v3_zero(), random_quat(r)) : pose_from(v3_zero(), q_from_axis_angle(axis, kQuarter[random_int(r, 4)]));
    if (k) *X_WB = X;
    else *X_WA = X;
  }
  if (random_chance(r, 0.3)) X_WA->p = v3_scale(size, random_vector(r));
  X_WB->p = X_WA->p;
  double reach = shape_size(A) + shape_size(B);
  if (random_chance(r, 0.9)) X_WB->p = v3_axpy(reach * random_uniform(r, 0, 1.2), random_chance(r, 0.5) ? random_unit(r) : v3(0, 0, 1), X_WB->p);
  else if (random_chance(r, 0.5)) X_WB->p = v3_axpy(reach, v3(0, 0, 1), X_WB->p); // often exact touching
}

static void any_pair_is_finite_and_consistent(void** state) {
  (void)state;
  testRandom r = {99};
  long pairs = is_full() ? 10000000 : 100000;
  printf("seed %llu, %ld pairs\n", (unsigned long long)r.state, pairs);
  for (long k = 0; k < pairs; ++k) {
    hfiShape A, B;
    hfPose X_WA, X_WB;
    draw_pair(&r, &A, &X_WA, &B, &X_WB);
    check_pair(&A, &X_WA, &B, &X_WB, random_chance(&r, 0.5) ? 0 : 0.01 * shape_size(&B));
  }
}

// A shape against itself in place, turned by right angles, and shifted along each axis by multiples of its sizes.
static void special_poses_are_finite(void** state) {
  (void)state;
  static const hfVec3 kAxis[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, 0.8}};
  for (int ta = 0; ta < TYPES; ++ta)
    for (int tb = 1; tb < TYPES; ++tb)
      for (int turn = 0; turn < 9; ++turn)
        for (int shift = 0; shift < 20; ++shift) {
          hfiShape A = {ta, {0.5, 0.3, 0.8}, ta == HF_GEOM_MESH ? hulls : NULL, NULL}, B = {tb, {0.5, 0.3, 0.8}, tb == HF_GEOM_MESH ? hulls : NULL, NULL};
          hfPose X_WA = pose_identity(), X_WB = pose_from(v3_zero(), q_from_axis_angle(v3_unit(kAxis[turn / 3]), HFI_PI / 2 * (turn % 3)));
          X_WB.p = v3_scale(0.2 * (shift % 5) * (shift % 2 ? 1 : 1.5), kAxis[shift / 5]);
          check_pair(&A, &X_WA, &B, &X_WB, 0.01);
        }
}

// Cylinders and capsules on one axis, and on axes that cross within both of them. On one axis the points that are nearest to each other are the same but for
// rounding, which gives no direction; axes that cross pass each other at their two ends on opposite sides.
static void axes_that_meet_are_consistent(void** state) {
  (void)state;
  testRandom r = {7};
  for (int k = 0; k < 20000; ++k) {
    hfiShape A, B;
    hfPose X_WA = pose_from(random_vector(&r), random_quat(&r)), X_AB = pose_from(v3_zero(), q_from_axis_angle(v3(0, 0, 1), random_uniform(&r, 0, 6)));
    A = random_shape(&r, random_chance(&r, 0.5) ? HF_GEOM_CYLINDER : HF_GEOM_CAPSULE, random_log(&r, 1e-2, 10), hulls, HULLS);
    B = random_shape(&r, random_chance(&r, 0.5) ? HF_GEOM_CYLINDER : HF_GEOM_CAPSULE, random_log(&r, 1e-2, 10), hulls, HULLS);
    X_AB.p = v3(0, 0, random_uniform(&r, -1, 1) * (A.size[1] + B.size[1]));
    if (random_chance(&r, 0.5)) X_AB = pose_from(v3_zero(), q_from_axis_angle(random_unit(&r), random_uniform(&r, 0, 0.5)));
    hfPose X_WB = pose_mul(X_WA, X_AB);
    if (random_chance(&r, 0.5)) X_WA = pose_identity(), X_WB = X_AB;
    check_pair(&A, &X_WA, &B, &X_WB, 0.01 * shape_size(&B));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_pair_is_finite_and_consistent),
      cmocka_unit_test(special_poses_are_finite),
      cmocka_unit_test(axes_that_meet_are_consistent),
  };
  return cmocka_run_group_tests(tests, make_hulls, drop_hulls);
}
