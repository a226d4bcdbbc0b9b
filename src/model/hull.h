// A convex polyhedron with polygonal faces, as the flat model stores it: a view of arrays, no memory
// of its own. Vertices in the mesh's own frame; faces counter-clockwise seen from outside. Vertices that lie
// flat inside a face or along an edge are in no polygon.
#ifndef HFI_MODEL_HULL_H
#define HFI_MODEL_HULL_H

#include "math/vec3.h"
#include <stdint.h>

typedef struct hfiHull {
  int32_t nvert, nface;
  const double* vert;         // (nvert x 3) [m]
  const int32_t* face_start;  // (nface + 1) into face_vert
  const int32_t* face_vert;   // (face_start[nface]) vertex indices around each face
  const double* face_plane;   // (nface x 4) outward unit normal and offset: n.x = offset on the face
  const int32_t* edge_start;  // (nvert + 1) into edge_vert
  const int32_t* edge_vert;   // (edge_start[nvert]) neighbours of each vertex on the triangulated surface, ascending
  const struct hfiHullIndex* index; // an index of geometry, for speed; NULL: none
} hfiHull;

static inline hfVec3 hfi_hull_vertex(const hfiHull* hull, int32_t vertex) { return v3_load(hull->vert + 3 * vertex); }
// The outward unit normal of a face.
static inline hfVec3 hfi_hull_normal(const hfiHull* hull, int32_t face) { return v3_load(hull->face_plane + 4 * face); }

#endif
