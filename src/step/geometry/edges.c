// Edges at a contact, see edges.h.
#include "step/geometry/shape_table.h"

// A witness is inside an edge if it is farther from its ends than this share of half its length [-].
static const double INSIDE_SHARE = 1e-6;
// Two directions count as the same if the sine of their angle is below this [-].
static const double SAME_DIRECTION_SINE = 1e-7;

// Is the direction the same as that of the only edge so far? (With two edges there is no need to ask.)
static int has_direction(const hfiEdges* edges, hfVec3 direction) {
  return edges->count == 1 && !(v3_norm(v3_cross(direction, edges->direction[0])) > SAME_DIRECTION_SINE);
}

// Adds an edge, unless there are two already, or one of the same direction.
void hfi_edges_add(hfiEdges* edges, hfVec3 direction, double length, double middle) {
  if (edges->count == 2 || has_direction(edges, direction)) return;
  edges->direction[edges->count] = direction;
  edges->middle[edges->count] = middle;
  edges->length[edges->count] = length;
  edges->count++;
}

// Adds the edges of the other shape. Of two parallel edges it keeps one that is as long as both together.
void hfi_edges_join(hfiEdges* edges, const hfiEdges* other) {
  for (int i = 0; i < other->count; ++i) {
    if (has_direction(edges, other->direction[i])) edges->length[0] += other->length[i];
    else hfi_edges_add(edges, other->direction[i], other->length[i], other->middle[i]);
  }
}

// Adds the direction of axis i of a shape whose edges along it run from -half to half [m], if the rule accepts it.
void hfi_edges_add_column(const hfiEdgeQuery* query, int i, double half, hfiEdges* edges) {
  int is_inside = fabs(v3_get(query->x, i)) < (1 - INSIDE_SHARE) * half;
  int is_across = fabs(v3_get(query->n, i)) < HFI_EDGE_ACROSS;
  if (!is_inside && !(query->rule == HFI_EDGES_ACROSS && is_across)) return;

  hfVec3 direction = m3_col(query->X.R, i);
  hfi_edges_add(edges, direction, 2 * half, v3_dot(direction, query->X.p));
}

// Returns the edges of core A or B that the rule accepts at the witness of the simplex with the normal n, in A's frame.
hfiEdges hfi_edges_find(const hfiCores* cores, const hfiSimplex* simplex, hfVec3 n, hfiEdgeRule rule, int side) {
  int of_A = side == HFI_EDGES_OF_A;
  const hfiShape* shape = of_A ? cores->A : cores->B;
  hfiEdges edges = {.count = 0};
  if (!hfi_functions(shape)->edges) return edges;

  hfPose X = of_A ? pose_identity() : cores->X_AB;
  hfVec3 witness = of_A ? hfi_simplex_a(simplex) : hfi_simplex_b(simplex);
  hfiEdgeQuery query = {.shape = shape,
                        .X = X,
                        .x = pose_inv_point(X, witness),
                        .n = m3_tmulv(X.R, n),
                        .rule = rule,
                        .simplex = simplex,
                        .of_A = of_A,
                        .support = of_A ? cores->hint_a : cores->hint_b};
  hfi_functions(shape)->edges(&query, &edges);
  return edges;
}
