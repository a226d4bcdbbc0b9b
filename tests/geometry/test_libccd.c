// Overlap and penetration depth of random pairs against libccd, an independent GJK and EPA; skipped where
// it is not installed.
#include "build/hull.h"
#include "step/geometry/distance.h"
#include "geometry/oracle.h"

#ifdef HF_WITH_CCD
#include <ccd/ccd.h>
#include <stdio.h>

enum { HULLS = 4 };

typedef struct Object { const hfiShape* shape; const hfPose* X; } Object;

// Support points written here once more, in the world.
static void support(const void* obj, const ccd_vec3_t* dir, ccd_vec3_t* out) {
  const Object* o = obj;
  const double* a = o->shape->size;
  hfVec3 d = v3_unit(m3_tmulv(o->X->R, v3(dir->v[0], dir->v[1], dir->v[2]))), x = v3_zero();
  double across = sqrt(d.x * d.x + d.y * d.y), best = -INFINITY;
  switch (o->shape->type) {
    case HF_GEOM_SPHERE: x = v3_scale(a[0], d); break;
    case HF_GEOM_CAPSULE: x = v3_add(v3_scale(a[0], d), v3(0, 0, d.z < 0 ? -a[1] : a[1])); break;
    case HF_GEOM_ELLIPSOID: {
      hfVec3 s = v3(a[0] * a[0] * d.x, a[1] * a[1] * d.y, a[2] * a[2] * d.z);
      x = v3_scale(1 / sqrt(v3_dot(s, d)), s);
      break;
    }
    case HF_GEOM_CYLINDER: x = v3(across > 0 ? a[0] * d.x / across : 0, across > 0 ? a[0] * d.y / across : 0, d.z < 0 ? -a[1] : a[1]); break;
    case HF_GEOM_BOX: x = v3(copysign(a[0], d.x), copysign(a[1], d.y), copysign(a[2], d.z)); break;
    default:
      for (int i = 0; i < o->shape->hull->nvert; ++i) {
        hfVec3 v = v3_load(o->shape->hull->vert + 3 * i);
        if (v3_dot(v, d) > best) { best = v3_dot(v, d); x = v; }
      }
  }
  x = pose_point(*o->X, x);
  ccdVec3Set(out, x.x, x.y, x.z);
}

static void depths_agree_with_libccd(void** state) {
  (void)state;
  testRandom r = {31};
  int pairs = is_full() ? 200000 : 4000, overlapping = 0, close = 0, wrong = 0, polyhedra = 0, same = 0;
  printf("seed %llu\n", (unsigned long long)r.state);
  hfiHullData data[HULLS];
  hfiHull hull[HULLS];
  for (int i = 0; i < HULLS; ++i) {
    data[i] = random_hull(&r, 6 + 8 * i, 1);
    hull[i] = hull_view(data + i);
  }
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = 1e-8;
  for (int k = 0; k < pairs; ++k) {
    hfiShape A = random_shape(&r, 1 + random_int(&r, 6), 1, hull, HULLS), B = random_shape(&r, 1 + random_int(&r, 6), 1, hull, HULLS);
    hfPose X_WA = random_pose(&r, 0.1), X_WB = random_pose(&r, 0.1);
    double size = shape_size(&A) + shape_size(&B);
    X_WB.p = v3_axpy(size * random_uniform(&r, 0.1, 0.8), random_unit(&r), X_WA.p);
    hfiContactPoint c;
    assert_true(hfi_distance(&A, &X_WA, &B, &X_WB, INFINITY, &c));
    Object a = {&A, &X_WA}, b = {&B, &X_WB};
    ccd_real_t depth = 0;
    ccd_vec3_t dir, pos;
    int met = ccdGJKPenetration(&a, &b, &ccd, &depth, &dir, &pos) == 0;
    if (fabs(c.depth) < 1e-6 * size) continue; // touching: either answer
    wrong += met != (c.depth > 0);
    if (!met || !(c.depth > 0)) continue;
    overlapping++;
    // libccd's polytope lies inside A - B, so that its depth is a lower bound; its direction gives an upper one
    double upper = -oracle_gap(&A, &X_WA, &B, &X_WB, v3_unit(v3(-dir.v[0], -dir.v[1], -dir.v[2])));
    assert_at_least(c.depth, depth - 1e-9 * size);
    assert_at_most(c.depth, upper + 1e-9 * size);
    close += upper - depth <= 1e-3 * size;
    if (A.type < HF_GEOM_BOX || B.type < HF_GEOM_BOX) continue;
    polyhedra++; // exact in both, unless libccd stops early
    same += fabs(c.depth - depth) <= 1e-9 * size;
  }
  printf("%d overlapping pairs, %d bracketed within 1e-3; %d of %d polyhedra equal; %d disagree on overlap\n", overlapping, close, same, polyhedra, wrong);
  assert_above(overlapping, pairs / 4);
  assert_at_least(close, 0.8 * overlapping);
  assert_at_least(same, 0.9 * polyhedra);
  assert_int_equal(wrong, 0);
  for (int i = 0; i < HULLS; ++i) hfi_hull_release(data + i);
}
#else
static void depths_agree_with_libccd(void** state) {
  (void)state;
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(depths_agree_with_libccd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
