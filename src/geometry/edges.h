// Straight parts of two touching cores: what fixes the direction of a contact normal.
#ifndef HFI_GEOMETRY_EDGES_H
#define HFI_GEOMETRY_EDGES_H

#include "geometry/gjk.h"

// Where a witness lies inside an edge e, the normal n has n.e = 0; two edges, or a face, fix n.
typedef struct hfiEdges {
  int count;           // 0 to 2
  hfVec3 direction[2]; // independent, unit
  double length[2];    // [m]
  double middle[2];    // of the edge, along its direction [m]
} hfiEdges;

// How edges are told: from the witness points; also those across n, for the points of GJK and EPA may
// all sit on one end of an edge; also the cap of a cylinder that looks along n, for they may lie on a
// chord of its rim.
typedef enum hfiEdgeRule { HFI_EDGES_AT_WITNESS, HFI_EDGES_ACROSS, HFI_EDGES_CAP } hfiEdgeRule;

enum { HFI_EDGES_OF_A = 1, HFI_EDGES_OF_B = 2 };

// An edge may be the one that carries the contact where |n.e| is below this.
static const double HFI_EDGE_ACROSS = 1e-2;

// What a shape is asked for: X is its pose in A's frame, x the witness and n the normal in its own frame.
typedef struct hfiEdgeQuery {
  const hfiShape* shape;
  hfPose X;
  hfVec3 x, n;
  hfiEdgeRule rule;
  const hfiSimplex* simplex;
  int of_A;        // 1: the shape is A, 0: B
  int32_t support; // vertex of a mesh that the support function found last
} hfiEdgeQuery;

// Adds an edge unless two are there or its direction is. The second function adds those of the other shape: parallel edges become one that is as long as both,
// for both witnesses may move along them.
void hfi_edges_add(hfiEdges* edges, hfVec3 direction, double length, double middle);
void hfi_edges_join(hfiEdges* edges, const hfiEdges* other);
// Adds the direction of axis i of a shape whose edges along it run from -half to half, if the witness lies
// inside or, with the rule ACROSS, if the normal is across.
void hfi_edges_add_column(const hfiEdgeQuery* query, int i, double half, hfiEdges* edges);

// Edges of core A, or B, in A's frame.
hfiEdges hfi_edges_find(const hfiCores* cores, const hfiSimplex* simplex, hfVec3 n, hfiEdgeRule rule, int side);

#endif
