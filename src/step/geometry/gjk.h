// Distance of two cores that are apart (GJK), and their penetration if they overlap (EPA).
#ifndef HFI_GEOMETRY_GJK_H
#define HFI_GEOMETRY_GJK_H

#include "step/geometry/support.h"

// A part of the difference A - B: a vertex, an edge, a triangle or a tetrahedron.
typedef struct hfiSimplex {
  int count; // 1 to 4
  hfiSupportPoint point[4];
  double weight[4]; // barycentric: sum weight w is the point nearest to the origin
} hfiSimplex;

typedef enum hfiGjkStatus { HFI_GJK_APART, HFI_GJK_FAR, HFI_GJK_TOUCHING } hfiGjkStatus;

// Runs until one of three things is known: the nearest point (APART: *n is its unit direction, from B into A), that the
// cores are farther apart than `far` (FAR), or that the origin is inside or next to the surface (TOUCHING). `accuracy`:
// relative difference of the bounds at which the distance is good enough.
hfiGjkStatus hfi_gjk(hfiCores* cores, double far, double accuracy, hfiSimplex* simplex, hfVec3* n);

enum { HFI_SHELL_VERTICES = 40, HFI_SHELL_FACES = 2 * HFI_SHELL_VERTICES };

// The polytope that EPA leaves around the origin, by vertices of two hulls. Its first faces lie on the face of A - B
// that is nearest to the origin.
typedef struct hfiShell {
  int16_t nvertex;
  int16_t nface; // 0: none is known
  int16_t ntop;  // how many faces lie on the nearest face
  int32_t a[HFI_SHELL_VERTICES], b[HFI_SHELL_VERTICES]; // vertices of the hulls whose difference each vertex is
  uint8_t face[HFI_SHELL_FACES][3]; // vertices, counter-clockwise seen from outside
} hfiShell;

// Starts from a simplex that GJK left with the status TOUCHING. Returns the unit direction, from B into A, along which
// the cores overlap least, with this overlap found to `accuracy` [m]. Writes the face of A - B with this normal to the
// simplex. shell: for two hulls the polytope around the origin, grown a little further than the answer needs; NULL if
// nobody wants it.
hfVec3 hfi_epa(hfiCores* cores, double accuracy, hfiSimplex* simplex, hfiShell* shell);

// The witness on A, the point a of the nearest point of A - B.
static inline hfVec3 hfi_simplex_a(const hfiSimplex* s) {
  hfVec3 p = v3_zero();
  for (int i = 0; i < s->count; ++i) p = v3_axpy(s->weight[i], s->point[i].a, p);
  return p;
}
// The witness on B.
static inline hfVec3 hfi_simplex_b(const hfiSimplex* s) {
  hfVec3 p = v3_zero();
  for (int i = 0; i < s->count; ++i) p = v3_axpy(s->weight[i], s->point[i].b, p);
  return p;
}

#endif
