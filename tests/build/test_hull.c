// Hulls: faces, edges and planes of solids that are known, and of a finely divided cube.
#include "build/hull.h"
#include "model/hull.h"
#include "support/near.h"

#include "math/vec3.h"

#include <stdlib.h>

static hfVec3 vertex(const hfiHullData* h, int32_t i) { return v3_load(h->vert + 3 * i); }

// Euler's formula for the triangles and for the polygons with their `corners`; every vertex below every plane,
// every polygon counter-clockwise in its plane; each edge known from both ends.
static void check_hull(const hfiHullData* h, int ntri, int corners, double tol) {
  assert_int_equal(h->edge_start[h->nvert], 3 * ntri);
  assert_int_equal(2 * h->nvert - 3 * ntri + 2 * ntri, 4);
  assert_int_equal(2 * corners - h->face_start[h->nface] + 2 * h->nface, 4);
  for (int32_t f = 0; f < h->nface; ++f) {
    hfVec3 n = v3_load(h->face_plane + 4 * f);
    int32_t begin = h->face_start[f], count = h->face_start[f + 1] - begin;
    assert_near(v3_norm(n), 1, 1e-14);
    for (int32_t i = 0; i < h->nvert; ++i) assert_at_most(v3_dot(n, vertex(h, i)), h->face_plane[4 * f + 3] + tol);
    for (int32_t k = 0; k < count; ++k) {
      hfVec3 a = vertex(h, h->face_vert[begin + k]), b = vertex(h, h->face_vert[begin + (k + 1) % count]), c = vertex(h, h->face_vert[begin + (k + 2) % count]);
      assert_near(v3_dot(n, a), h->face_plane[4 * f + 3], tol);
      assert_true(v3_dot(n, v3_cross(v3_sub(b, a), v3_sub(c, b))) >= -tol);
    }
  }
  for (int32_t i = 0; i < h->nvert; ++i) {
    assert_at_least(h->edge_start[i + 1] - h->edge_start[i], 3);
    for (int32_t k = h->edge_start[i]; k < h->edge_start[i + 1]; ++k) {
      int32_t j = h->edge_vert[k], back = 0;
      for (int32_t m = h->edge_start[j]; m < h->edge_start[j + 1]; ++m) back |= h->edge_vert[m] == i;
      assert_true(back);
      assert_true(k == h->edge_start[i] || h->edge_vert[k - 1] < j);
    }
  }
}

static void tetrahedron(void** state) {
  (void)state;
  const double vert[15] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}; // the first is not used
  const int32_t tri[12] = {1, 3, 2, 1, 2, 4, 1, 4, 3, 2, 3, 4};
  hfiHullData h;
  hfError error;
  assert_int_equal(hfi_hull_build(&h, 5, vert, 4, tri, &error), HF_OK);
  assert_int_equal(h.nvert, 4);
  assert_int_equal(h.nface, 4);
  check_hull(&h, 4, 4, 1e-15);
  hfi_hull_release(&h);
}

enum { N = 7 }; // squares along an edge of the cube

static int32_t point_id(double* vert, int32_t* count, hfVec3 p) {
  for (int32_t i = 0; i < *count; ++i)
    if (v3_norm2(v3_sub(v3_load(vert + 3 * i), p)) < 1e-12) return i;
  v3_store(vert + 3 * *count, p);
  return (*count)++;
}

// Each face of the cube cut into N x N squares of two triangles: six faces of four corners stay. The
// vertices are moved by 1e-9, as the rounding of a mesh file does.
static void divided_cube(void** state) {
  (void)state;
  static double vert[3 * 6 * (N + 1) * (N + 1)];
  static int32_t tri[3 * 6 * 2 * N * N];
  int32_t nvert = 0, n = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int up = 0; up < 2; ++up)
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
          int32_t id[4];
          for (int k = 0; k < 4; ++k) {
            double p[3];
            p[axis] = up ? 1 : -1;
            p[(axis + 1) % 3] = 2.0 * (i + (k == 1 || k == 2)) / N - 1;
            p[(axis + 2) % 3] = 2.0 * (j + (k >= 2)) / N - 1;
            id[k] = point_id(vert, &nvert, v3_load(p));
          }
          int32_t two[6] = {id[0], id[1], id[2], id[0], id[2], id[3]};
          for (int k = 0; k < 6; ++k) tri[n++] = two[up ? k : 5 - k];
        }
  for (int32_t i = 0; i < 3 * nvert; ++i) vert[i] += 1e-9 * ((i * 7919) % 13 - 6) / 6;
  hfiHullData h;
  hfError error;
  assert_int_equal(hfi_hull_build(&h, nvert, vert, n / 3, tri, &error), HF_OK);
  assert_int_equal(h.nface, 6);
  for (int f = 0; f < 6; ++f) assert_int_equal(h.face_start[f + 1] - h.face_start[f], 4);
  check_hull(&h, n / 3, 8, 1e-8); // the vertices moved
  for (int f = 0; f < 6; ++f) assert_near(h.face_plane[4 * f + 3], 1, 1e-8);
  hfi_hull_release(&h);
}

static void open_and_flat_surfaces_are_refused(void** state) {
  (void)state;
  const double vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const int32_t tri[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  hfiHullData h;
  hfError error;
  assert_int_not_equal(hfi_hull_build(&h, 4, vert, 3, tri, &error), HF_OK);
  assert_int_not_equal(hfi_hull_build(&h, 4, flat, 4, tri, &error), HF_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetrahedron),
      cmocka_unit_test(divided_cube),
      cmocka_unit_test(open_and_flat_surfaces_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
