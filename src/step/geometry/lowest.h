// The lowest part of a convex polyhedron along a direction `up`: a vertex, an edge or a face. The height of x is up.x.
// Heights that differ by at most `slack` [m] count as equal.
#ifndef HFI_GEOMETRY_LOWEST_H
#define HFI_GEOMETRY_LOWEST_H

#include "step/geometry/shape.h"

enum { HFI_MOST_LOWEST = 8 };

// Edges that leave a lowest edge must rise by at least this angle [rad].
static const double HFI_LEAST_SLOPE = 1e-7;

// The vertices of a hull that are lowest along a direction.
typedef struct hfiLowest {
  int count;
  int32_t vertex[HFI_MOST_LOWEST]; // (count) ascending
  double height;                   // height of the lowest of them [m]
  double slope2;                   // squared sine of the least angle at which other edges leave them [-]
} hfiLowest;

// Finds the lowest vertices. The search begins at any vertex, `start`. Returns 0 if there are more than
// HFI_MOST_LOWEST.
int hfi_lowest_find(const hfiHull* hull, hfVec3 up, int32_t start, double slack, hfiLowest* low);

// Finds the edge that is the lowest part. Returns 0 if the lowest part is a vertex or a face.
int hfi_lowest_edge(const hfiHull* hull, hfVec3 up, int32_t start, double slack, int32_t edge[2]);

// Is a face the lowest part of its hull? Writes the height of its lowest corner.
int hfi_is_lowest_face(const hfiHull* hull, int32_t face, hfVec3 up, double slack, double* height);

// Do all other edges at the two ends of an edge rise, at HFI_LEAST_SLOPE or more?
int hfi_is_lowest_edge(const hfiHull* hull, const int32_t edge[2], hfVec3 up);

#endif
