// The outline of a polygon, seen along an axis, and the edges that a point is beyond.
#ifndef HFI_GEOMETRY_OUTLINE_H
#define HFI_GEOMETRY_OUTLINE_H

#include "step/geometry/facet.h"

// In an outline of up to this many edges all of them are examined, which takes less time than to choose.
enum { HFI_FEW_EDGES = 8 };

// Edges are half planes: a point x is inside of edge k where out[k].x <= offset[k], and inside of the outline where it
// is so for all k.
typedef struct hfiOutline {
  int count;
  hfVec3 out[HFI_FACET_MAX];    // (count) unit vectors across the axis
  double offset[HFI_FACET_MAX]; // (count) [m]
  int is_round;  // 1: an outline with many edges that the search can climb, see outline.c. Valid then:
  hfVec3 middle; // mean of the vertices
  double inner;  // distance from the middle to the nearest edge [m]
  int facing;    // the edge that faced the last point; the search for the next point starts there
} hfiOutline;

// A set of edges of an outline: bit k stands for edge k.
typedef uint64_t hfiEdgeSet;
_Static_assert(HFI_FACET_MAX <= 64, "an hfiEdgeSet has a bit for each edge");

// Computes the outline of a polygon as seen along `axis`. The polygon must not be seen edge-on.
void hfi_outline_make(hfiOutline* o, const hfiFacet* polygon, hfVec3 axis);

// How far x is beyond edge k [m].
static inline double hfi_outline_beyond(const hfiOutline* o, int k, hfVec3 x) {
  return v3_dot(o->out[k], x) - o->offset[k];
}

// The edges that x is beyond by more than `near` [m].
hfiEdgeSet hfi_outline_edges_beyond(hfiOutline* o, hfVec3 x, double near);

// One edge that x is beyond by more than `near`, or -1 where x is inside of the outline or at most `near` beyond any
// edge.
int hfi_outline_edge_beyond(hfiOutline* o, hfVec3 x, double near);

#endif
