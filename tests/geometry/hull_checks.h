// Checks of hulls that were made from meshes: they are well formed, and their contacts are proven like those of
// test_pairs.c.
#ifndef HF_TESTS_HULL_CHECKS_H
#define HF_TESTS_HULL_CHECKS_H

#include "step/geometry/distance.h"
#include "geometry/oracle.h"

#include <holdfast/import.h>

static inline double hull_size(const hfiHull* h) {
  double size = 0;
  for (int i = 0; i < 3 * h->nvert; ++i) size = max2(size, fabs(h->vert[i]));
  return size;
}

// No vertex lies above a face, every face touches a vertex, and the search that walks along edges finds the farthest
// vertex, which a search through all vertices confirms.
static inline void check_hull(testRandom* r, const hfiHull* h) {
  double size = hull_size(h);
  for (int f = 0; f < h->nface; ++f) {
    hfVec3 n = v3_load(h->face_plane + 4 * f);
    double top = -INFINITY;
    for (int i = 0; i < h->nvert; ++i) top = max2(top, v3_dot(n, v3_load(h->vert + 3 * i)));
    // Faces are merged within 1e-7 of the diameter. The plane of a thin face may lean, so that it misses by more.
    assert_near(top, h->face_plane[4 * f + 3], 2e-6 * size);
  }
  hfiShape s = {HF_GEOM_MESH, {0}, h, NULL};
  for (int k = 0; k < 50; ++k) {
    hfVec3 d = random_unit(r);
    hfiShape plane = {HF_GEOM_PLANE, {0}, NULL, NULL};
    hfVec3 t1, t2;
    v3_tangents(d, &t1, &t2);
    hfPose X_WA = {m3_from_cols(t1, t2, d), {0, 0, 0}}, X_WB = pose_identity();
    hfiContactPoint c;
    assert_true(hfi_distance(&plane, &X_WA, &s, &X_WB, INFINITY, &c)); // by the walk
    assert_near(c.depth, oracle_support(&s, v3_neg(d)), 1e-12 * size);  // by trying all
  }
}

// The distance of two hulls at random poses is proven by the bounds of oracle.h; the contact points must agree with it.
static inline void check_contact(testRandom* r, const hfiHull* a, const hfiHull* b) {
  hfiShape A = {HF_GEOM_MESH, {0}, a, NULL}, B = {HF_GEOM_MESH, {0}, b, NULL};
  double size = hull_size(a) + hull_size(b);
  hfPose X_WA = random_pose(r, 0.1), X_WB = random_pose(r, 0.1);
  X_WB.p = v3_axpy(size * random_uniform(r, 0.1, 1), random_unit(r), X_WA.p);
  hfiContactPoint c, point[HFI_MAX_MANIFOLD];
  assert_true(hfi_distance(&A, &X_WA, &B, &X_WB, INFINITY, &c));
  assert_near(oracle_gap(&A, &X_WA, &B, &X_WB, c.n_W), -c.depth, 1e-12 * size);
  if (c.depth > 0) assert_at_most(oracle_search(r, &A, &X_WA, &B, &X_WB, c.n_W, 200), -c.depth + 1e-9 * size);
  int count = hfi_collide(&A, &X_WA, &B, &X_WB, 0, point);
  if (fabs(c.depth) > 1e-6 * size) assert_int_equal(count > 0, c.depth > 0);
  double deepest = -INFINITY;
  for (int i = 0; i < count; ++i) deepest = max2(deepest, point[i].depth);
  if (count) assert_near(deepest, c.depth, 2e-5 * size);
}

// Checks every mesh of a model, alone and with random others of the same model.
static inline void check_model_hulls(testRandom* r, const hfModel* m) {
  for (int k = 0; k < m->nmesh; ++k) {
    hfiHull hull = hfi_model_hull(m, k);
    check_hull(r, &hull);
    for (int j = 0; j < (is_full() ? 1000 : 5); ++j) {
      hfiHull other = hfi_model_hull(m, random_int(r, m->nmesh));
      check_contact(r, &hull, &other);
    }
  }
}

#endif
