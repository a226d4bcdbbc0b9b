// Polygons of mesh files as triangles.
//
// A quadrilateral is divided along its shorter diagonal, computed in single precision, as in MuJoCo. If both are
// equally long, it is divided along the one that does not touch the first corner. From a larger polygon ears are cut
// off one after the other: an ear is a triangle of three successive corners that bulges outwards and contains no other
// corner. Without this the triangles of a concave polygon would overlap.
//
// b: the mesh that is built, v: its vertices, c: the corners of a polygon, n: how many there are.
#include "io/mesh/mesh.h"

#include "math/vec3.h"

#include <string.h>

// Adds a triangle unless two of its corners are one vertex. Returns -1 if there is no room.
static int add_triangle(hfiTriMeshBuilder* b, int32_t i, int32_t j, int32_t k) {
  if (i == j || j == k || k == i) return 0;
  return hfi_trimesh_add_triangle(b, i, j, k);
}

// The squared distance of two points, in single precision [m^2].
static float squared_length(const double* a, const double* b) {
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    float d = (float)b[k] - (float)a[k];
    sum += d * d;
  }
  return sum;
}

// Divides a quadrilateral along its shorter diagonal. Returns -1 if there is no room.
static int divide_quad(hfiTriMeshBuilder* b, const int32_t* c) {
  const double* v = b->mesh.vert;
  float first = squared_length(v + 3 * c[0], v + 3 * c[2]);
  float second = squared_length(v + 3 * c[1], v + 3 * c[3]);

  // along c0 c2, or along c1 c3
  if (first < second) {
    if (add_triangle(b, c[0], c[1], c[2]) != 0) return -1;
    return add_triangle(b, c[0], c[2], c[3]);
  }
  if (add_triangle(b, c[0], c[1], c[3]) != 0) return -1;
  return add_triangle(b, c[1], c[2], c[3]);
}

// Twice the vector area of the polygon: sum v_i x v_(i+1).
static hfVec3 polygon_normal(const double* v, const int32_t* c, int n) {
  hfVec3 sum = v3_zero();
  hfVec3 origin = v3_load(v + 3 * c[0]);
  for (int i = 1; i + 1 < n; ++i)
    sum = v3_add(sum, v3_cross(v3_sub(v3_load(v + 3 * c[i]), origin), v3_sub(v3_load(v + 3 * c[i + 1]), origin)));
  return sum;
}

// Twice the area of a triangle of three corners as seen along the normal, times |normal|: above zero if the polygon
// bulges outwards there.
static double signed_area(const double* v, hfVec3 normal, int32_t i, int32_t j, int32_t k) {
  hfVec3 a = v3_load(v + 3 * i);
  hfVec3 b = v3_load(v + 3 * j);
  hfVec3 c = v3_load(v + 3 * k);
  return v3_dot(normal, v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

// Whether corner i of n and its neighbours make an ear.
static int is_ear(const double* v, hfVec3 normal, const int32_t* c, int n, int i) {
  int32_t a = c[(i + n - 1) % n];
  int32_t b = c[i];
  int32_t d = c[(i + 1) % n];
  if (signed_area(v, normal, a, b, d) < 0) return 0; // it bulges inwards

  for (int k = 0; k < n; ++k) {
    int32_t x = c[k];
    if (x == a || x == b || x == d) continue;

    int is_inside = signed_area(v, normal, a, b, x) >= 0 && signed_area(v, normal, b, d, x) >= 0 &&
                    signed_area(v, normal, d, a, x) >= 0;
    if (is_inside) return 0;
  }
  return 1;
}

// Adds the triangles of a polygon of n >= 3 corners, whose order it changes. Returns -1 if there is no room.
int hfi_trimesh_add_polygon(hfiTriMeshBuilder* b, int32_t* c, int n) {
  if (n == 4) return divide_quad(b, c);
  hfVec3 normal = polygon_normal(b->mesh.vert, c, n);

  for (; n > 3; --n) {
    int i = 1;
    while (i < n && !is_ear(b->mesh.vert, normal, c, n, i)) ++i;
    if (i == n) i = 1; // A polygon without an ear crosses itself. Then its first corner is cut off.
    if (add_triangle(b, c[i - 1], c[i], c[(i + 1) % n]) != 0) return -1;
    memmove(c + i, c + i + 1, (size_t)(n - i - 1) * sizeof *c);
  }
  return add_triangle(b, c[0], c[1], c[2]);
}
