// The Minkowski difference A - B of two hulls has faces. The face nearest to the origin fixes the normal of their contact, and is remembered from one query
// to the next.
#ifndef HFI_GEOMETRY_DIFFERENCE_FACE_H
#define HFI_GEOMETRY_DIFFERENCE_FACE_H

#include "geometry/polish.h"
#include "geometry/touch.h"

typedef enum hfiDifferenceKind {
  HFI_NO_FACE,   // No face is known.
  HFI_FACE_OF_A, // a[0]: face of A; b[0]: the vertex of B that is deepest below it; b[1]: the face of B that is parallel to it and deepest, or -1
  HFI_FACE_OF_B, // b[0]: face of B; a[0]: the vertex of A that is deepest below it
  HFI_EDGE_PAIR  // a, b: the two vertices of an edge of A and of an edge of B, ascending
} hfiDifferenceKind;

typedef struct hfiDifferenceFace {
  hfiDifferenceKind kind;
  int32_t a[2], b[2];
} hfiDifferenceFace;

// The face that fixed the contact of the last query and, if the hulls overlapped, the polytope that EPA found around the origin.
typedef struct hfiLastFace {
  hfiDifferenceFace face;
  hfiShell shell;
  hfiLastFacets facets;
} hfiLastFace;

// If a face of the difference fixes the contact that `closest` describes, finds this face, computes `closest` from it and the pose alone, and returns
// 1. Otherwise returns 0 and leaves `closest` as it is.
int hfi_difference_face_find(hfiCores* cores, const hfiSimplex* simplex, hfiClosest* closest, hfiDifferenceFace* face);

// Does the face of the last query certainly fix the contact at the present pose? Then writes to `closest` what GJK, EPA and Newton's method would find, to
// the bit.
int hfi_last_face_holds(hfiLastFace* last, const hfiCores* cores, hfiClosest* closest);

#endif
