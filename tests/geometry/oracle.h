// What the geometry tests share: random shapes and poses, and an oracle of the signed distance that
// knows nothing of the pair functions.
//
// For any unit n, g(n) = min_A n.x - max_B n.x is a lower bound of the signed distance of A and B, and
// the signed distance is its maximum. So a contact can be proven: its normal must reach g(n) = -depth. Where the
// shapes are apart, the distance of the witness points is an upper bound; where they overlap, no direction that is tried may
// give a larger g.
#ifndef HF_TESTS_GEOMETRY_ORACLE_H
#define HF_TESTS_GEOMETRY_ORACLE_H

#include "build/hull.h"
#include "step/geometry/shape.h"
#include "support/near.h"
#include "support/random_pose.h"

#include <stdlib.h>
#include <string.h>

static const char* const kTypeName[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};

// ---- meshes --------------------------------------------------------------------------------------

static inline hfiHull hull_view(const hfiHullData* d) {
  hfiHull h = {d->nvert, d->nface, d->vert, d->face_start, d->face_vert, d->face_plane, d->edge_start, d->edge_vert, NULL};
  return h;
}

// Hull of a few points by trying all triples: small, and plain enough to be right.
static inline hfiHullData brute_hull(const double* vert, int n) {
  static int32_t tri[3 * 4096];
  int32_t ntri = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (i >= j || i >= k || j == k) continue; // each orientation once
        hfVec3 a = v3_load(vert + 3 * i), m = v3_cross(v3_sub(v3_load(vert + 3 * j), a), v3_sub(v3_load(vert + 3 * k), a));
        int outside = 0;
        for (int l = 0; l < n && !outside; ++l) outside = l != i && l != j && l != k && v3_dot(m, v3_sub(v3_load(vert + 3 * l), a)) > 0;
        if (outside) continue;
        assert_below(ntri, 4096);
        tri[3 * ntri] = i, tri[3 * ntri + 1] = j, tri[3 * ntri + 2] = k;
        ntri++;
      }
  hfiHullData hull;
  hfError error;
  assert_int_equal(hfi_hull_build(&hull, n, vert, ntri, tri, &error), HF_OK);
  return hull;
}

// Random convex polyhedron with points on an ellipsoid.
static inline hfiHullData random_hull(testRandom* r, int n, double size) {
  double vert[3 * 64];
  hfVec3 e = v3(size * random_uniform(r, 0.3, 1), size * random_uniform(r, 0.3, 1), size * random_uniform(r, 0.3, 1));
  for (int i = 0; i < n; ++i) v3_store(vert + 3 * i, v3_mul(e, random_unit(r)));
  return brute_hull(vert, n);
}

// The box of half sizes h as a mesh.
static inline hfiHullData box_hull(const double h[3]) {
  static const int32_t tri[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  double vert[24];
  for (int i = 0; i < 24; ++i) vert[i] = (i / 3 >> i % 3 & 1) ? h[i % 3] : -h[i % 3];
  hfiHullData hull;
  hfError error;
  assert_int_equal(hfi_hull_build(&hull, 8, vert, 12, tri, &error), HF_OK);
  return hull;
}

// A prism over a regular n-gon (n <= 64) of radius r, axis z.
static inline hfiHullData prism_hull(int n, double r, double half) {
  double vert[6 * 64];
  int32_t tri[12 * 64], count = 0;
  for (int i = 0; i < 2 * n; ++i) {
    double angle = 2 * HFI_PI * (i % n) / n;
    v3_store(vert + 3 * i, v3(r * cos(angle), r * sin(angle), i < n ? -half : half));
  }
  for (int i = 0; i < n; ++i) {
    int j = (i + 1) % n;
    int32_t side[6] = {i, j, n + j, i, n + j, n + i}, caps[6] = {0, j, i, n, n + i, n + j};
    for (int k = 0; k < 6; ++k) tri[count++] = side[k];
    for (int k = 0; k < 6 && i > 0 && j > 0; ++k) tri[count++] = caps[k];
  }
  hfiHullData hull;
  hfError error;
  assert_int_equal(hfi_hull_build(&hull, 2 * n, vert, count / 3, tri, &error), HF_OK);
  return hull;
}

// ---- the oracle ----------------------------------------------------------------------------------

// Farthest point of a bounded shape along n, in the shape's frame; by value, not by feature.
static inline double oracle_support(const hfiShape* s, hfVec3 n) {
  const double* a = s->size;
  double best = -INFINITY;
  switch (s->type) {
    case HF_GEOM_SPHERE: return a[0];
    case HF_GEOM_CAPSULE: return a[0] + a[1] * fabs(n.z);
    case HF_GEOM_ELLIPSOID: return v3_norm(v3_mul(v3_load(a), n));
    case HF_GEOM_CYLINDER: return a[0] * sqrt(n.x * n.x + n.y * n.y) + a[1] * fabs(n.z);
    case HF_GEOM_BOX: return a[0] * fabs(n.x) + a[1] * fabs(n.y) + a[2] * fabs(n.z);
    case HF_GEOM_MESH:
      for (int i = 0; i < s->hull->nvert; ++i) best = max2(best, v3_dot(n, v3_load(s->hull->vert + 3 * i)));
      return best;
    default: return n.z == 1 ? 0 : INFINITY; // plane: a half space
  }
}

// g(n) for n in the world from B into A.
static inline double oracle_gap(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 n) {
  return v3_dot(n, v3_sub(X_WA->p, X_WB->p)) - oracle_support(A, m3_tmulv(X_WA->R, v3_neg(n))) - oracle_support(B, m3_tmulv(X_WB->R, n));
}

static inline double shape_size(const hfiShape* s) {
  double r = 0;
  if (s->type == HF_GEOM_PLANE) return 0;
  for (int i = 0; i < 3; ++i) {
    hfVec3 axis = v3(i == 0, i == 1, i == 2);
    r = max2(r, max2(oracle_support(s, axis), oracle_support(s, v3_neg(axis))));
  }
  return r;
}

// Best of random directions, then of ever smaller random turns of the best and of `start`.
static inline double oracle_search(testRandom* r, const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 start, int tries) {
  hfVec3 best = start;
  double top = -INFINITY, found[2];
  for (int i = 0; i < tries; ++i) {
    hfVec3 n = random_unit(r);
    double g = oracle_gap(A, X_WA, B, X_WB, n);
    if (g > top) { top = g; best = n; }
  }
  for (int run = 0; run < 2; ++run) {
    hfVec3 n = run ? start : best;
    double step = run ? 1e-3 : 0.3;
    found[run] = oracle_gap(A, X_WA, B, X_WB, n);
    for (int i = 0; i < tries && step > 1e-9; ++i) {
      hfVec3 m = v3_unit(v3_axpy(step, random_vector(r), n));
      double g = oracle_gap(A, X_WA, B, X_WB, m);
      step *= g > found[run] ? 1.5 : 0.93;
      if (g > found[run]) { found[run] = g; n = m; }
    }
  }
  return max2(found[0], found[1]);
}

// Random bounded shape of about `size`; a mesh takes one of the hulls given.
static inline hfiShape random_shape(testRandom* r, int type, double size, const hfiHull* hulls, int nhull) {
  hfiShape s = {type, {0, 0, 0}, NULL, NULL};
  for (int i = 0; i < 3; ++i) s.size[i] = size * random_uniform(r, 0.2, 1);
  if (type == HF_GEOM_MESH) s.hull = hulls + random_int(r, nhull);
  return s;
}

#endif
