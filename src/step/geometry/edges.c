// Edges at a contact, see edges.h.
#include "step/geometry/shape_table.h"

static const double INSIDE = 1e-6;    // A witness is inside an edge if it is farther from its ends than this share of half its length [-].
static const double DEPENDENT = 1e-7; // Two directions count as the same if the sine of their angle is below this [-].

static int has_direction(const hfiEdges* e, hfVec3 direction) {
  return e->count == 1 && !(v3_norm(v3_cross(direction, e->direction[0])) > DEPENDENT);
}

void hfi_edges_add(hfiEdges* e, hfVec3 direction, double length, double middle) {
  if (e->count == 2 || has_direction(e, direction)) return;
  e->direction[e->count] = direction;
  e->middle[e->count] = middle;
  e->length[e->count++] = length;
}

void hfi_edges_join(hfiEdges* e, const hfiEdges* other) {
  for (int i = 0; i < other->count; ++i) {
    if (has_direction(e, other->direction[i])) e->length[0] += other->length[i];
    else hfi_edges_add(e, other->direction[i], other->length[i], other->middle[i]);
  }
}

void hfi_edges_add_column(const hfiEdgeQuery* q, int i, double half, hfiEdges* e) {
  int inside = fabs(v3_get(q->x, i)) < (1 - INSIDE) * half, across = fabs(v3_get(q->n, i)) < HFI_EDGE_ACROSS;
  if (inside || (q->rule == HFI_EDGES_ACROSS && across)) hfi_edges_add(e, m3_col(q->X.R, i), 2 * half, v3_dot(m3_col(q->X.R, i), q->X.p));
}

hfiEdges hfi_edges_find(const hfiCores* c, const hfiSimplex* s, hfVec3 n, hfiEdgeRule rule, int side) {
  int of_A = side == HFI_EDGES_OF_A;
  const hfiShape* shape = of_A ? c->A : c->B;
  hfiEdges e = {0, {{0, 0, 0}, {0, 0, 0}}, {0, 0}, {0, 0}};
  if (!hfi_functions(shape)->edges) return e;
  hfPose X = of_A ? pose_identity() : c->X_AB;
  hfVec3 x = pose_inv_point(X, of_A ? hfi_simplex_a(s) : hfi_simplex_b(s));
  hfiEdgeQuery query = {shape, X, x, m3_tmulv(X.R, n), rule, s, of_A, of_A ? c->hint_a : c->hint_b};
  hfi_functions(shape)->edges(&query, &e);
  return e;
}
