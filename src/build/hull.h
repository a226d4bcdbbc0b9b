// Builds the hulls that the flat model stores.
#ifndef HFI_BUILD_HULL_H
#define HFI_BUILD_HULL_H

#include <holdfast/status.h>
#include <stdint.h>

// Owned arrays of a hull, built from the triangles of a convex surface by merging coplanar ones.
typedef struct hfiHullData {
  int32_t nvert, nface;
  double* vert;
  int32_t *face_start, *face_vert;
  double* face_plane;
  int32_t *edge_start, *edge_vert;
} hfiHullData;

// Builds from points (nvert x 3) and outward triangles (ntri x 3) of their convex hull. Points that
// no triangle uses are dropped. Refuses degenerate (flat, open) surfaces.
hfStatus hfi_hull_build(hfiHullData* hull, int32_t nvert, const double* vert, int32_t ntri, const int32_t* tri,
                        hfError* error);
void hfi_hull_release(hfiHullData* hull);

#endif
