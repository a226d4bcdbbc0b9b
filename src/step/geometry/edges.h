// Straight parts of two touching cores. They fix the direction of a contact normal.
#ifndef HFI_GEOMETRY_EDGES_H
#define HFI_GEOMETRY_EDGES_H

#include "step/geometry/gjk.h"

// If a witness lies inside an edge e, the normal n has n.e = 0. Two edges, or a face, fix n.
typedef struct hfiEdges {
  int count;           // 0 to 2
  hfVec3 direction[2]; // independent, unit
  double length[2];    // [m]
  double middle[2];    // middle of the edge, a coordinate along its direction [m]
} hfiEdges;

// Which edges count.
typedef enum hfiEdgeRule {
  HFI_EDGES_AT_WITNESS, // those on which the witness points lie
  HFI_EDGES_ACROSS,     // also those across n, because the points of GJK and EPA may all be at one end of an edge
  HFI_EDGES_CAP         // also the cap of a cylinder that looks along n: the points may lie on a chord of its rim
} hfiEdgeRule;

// Bits for the two cores.
enum { HFI_EDGES_OF_A = 1, HFI_EDGES_OF_B = 2 };

// An edge e, a unit vector, may carry the contact if |n.e| is below this [-].
static const double HFI_EDGE_ACROSS = 1e-2;

// The query that a shape answers. X is the pose of the shape in A's frame; x, the witness, and n, the normal, are in
// the shape's own frame.
typedef struct hfiEdgeQuery {
  const hfiShape* shape;
  hfPose X;
  hfVec3 x, n;
  hfiEdgeRule rule;
  const hfiSimplex* simplex;
  int of_A;        // 1: the shape is A, 0: B
  int32_t support; // vertex of a mesh that the support function found last
} hfiEdgeQuery;

// Adds an edge, unless there are two already, or one of the same direction.
void hfi_edges_add(hfiEdges* edges, hfVec3 direction, double length, double middle);
// Adds the edges of the other shape. Two parallel edges become one that is as long as both together, because both
// witnesses may move along them.
void hfi_edges_join(hfiEdges* edges, const hfiEdges* other);
// Adds the direction of axis i of a shape whose edges along it run from -half to half, if the witness lies inside or,
// with the rule ACROSS, if the normal is across.
void hfi_edges_add_column(const hfiEdgeQuery* query, int i, double half, hfiEdges* edges);

// Edges of core A, or B, in A's frame.
hfiEdges hfi_edges_find(const hfiCores* cores, const hfiSimplex* simplex, hfVec3 n, hfiEdgeRule rule, int side);

#endif
