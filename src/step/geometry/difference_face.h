// The Minkowski difference A - B of two hulls has faces. The face nearest to the origin fixes the normal of their
// contact, and is remembered from one query to the next.
#ifndef HFI_GEOMETRY_DIFFERENCE_FACE_H
#define HFI_GEOMETRY_DIFFERENCE_FACE_H

#include "step/geometry/polish.h"
#include "step/geometry/touch.h"

typedef enum hfiDifferenceKind {
  HFI_NO_FACE,   // No face is known.
  HFI_FACE_OF_A, // It comes from a face of A and the lowest part of B below this face.
  HFI_FACE_OF_B, // It comes from a face of B and the lowest part of A below this face.
  HFI_EDGE_PAIR  // It comes from an edge of A and an edge of B.
} hfiDifferenceKind;

typedef struct hfiDifferenceFace {
  hfiDifferenceKind kind;
  // of the kinds FACE_OF_A and FACE_OF_B
  int32_t face;          // face of the one hull
  int32_t lowest_vertex; // the vertex of the other hull that is deepest below this face
  int32_t lowest_face;   // FACE_OF_A: the face of the other hull that is deepest and parallel to it; -1: none
  // of the kind EDGE_PAIR
  int32_t edge_a[2], edge_b[2]; // the two vertices of each edge, ascending
} hfiDifferenceFace;

// The face that fixed the contact of the last query and, if the hulls overlapped, the polytope that EPA found around
// the origin.
typedef struct hfiLastFace {
  hfiDifferenceFace face;
  hfiShell shell;
  hfiLastFacets facets;
} hfiLastFace;

// If a face of the difference fixes the contact that `closest` describes, finds this face, computes `closest` from it
// and the pose alone, and returns 1. Otherwise returns 0 and leaves `closest` as it is.
int hfi_difference_face_find(hfiCores* cores, const hfiSimplex* simplex, hfiClosest* closest, hfiDifferenceFace* face);

// Does the face of the last query certainly fix the contact at the present pose? Then writes to `closest` what GJK, EPA
// and Newton's method would find, to the bit.
int hfi_last_face_holds(hfiLastFace* last, const hfiCores* cores, hfiClosest* closest);

#endif
