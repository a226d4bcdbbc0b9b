// Edges at a contact, see edges.h.
#include "geometry/shape_table.h"

static const double INSIDE = 1e-6;    // A coordinate is inside an edge that ends farther away than this share.
static const double DEPENDENT = 1e-7; // Two directions are one where the sine of their angle is below this.

void hfi_edges_add(hfiEdges* e, hfVec3 direction, double length) {
  if (e->count == 2) return;
  if (e->count == 1 && !(v3_norm(v3_cross(direction, e->direction[0])) > DEPENDENT)) {
    e->length[0] += length;
    return;
  }
  e->direction[e->count] = direction;
  e->length[e->count++] = length;
}

void hfi_edges_add_column(const hfiEdgeQuery* q, int i, double half, hfiEdges* e) {
  int inside = fabs(v3_get(q->x, i)) < (1 - INSIDE) * half, across = fabs(v3_get(q->n, i)) < HFI_EDGE_ACROSS;
  if (inside || (q->rule == HFI_EDGES_ACROSS && across)) hfi_edges_add(e, m3_col(q->X.R, i), 2 * half);
}

hfiEdges hfi_edges_find(const hfiCores* c, const hfiSimplex* s, hfVec3 n, hfiEdgeRule rule, int side) {
  int of_A = side == HFI_EDGES_OF_A;
  const hfiShape* shape = of_A ? c->A : c->B;
  hfiEdges e = {0, {{0, 0, 0}, {0, 0, 0}}, {0, 0}};
  if (!hfi_functions(shape)->edges) return e;
  hfPose X = of_A ? pose_identity() : c->X_AB;
  hfVec3 x = pose_inv_point(X, of_A ? hfi_simplex_a(s) : hfi_simplex_b(s));
  hfiEdgeQuery query = {shape, X, x, m3_tmulv(X.R, n), rule, s, of_A, of_A ? c->hint_a : c->hint_b};
  hfi_functions(shape)->edges(&query, &e);
  return e;
}
