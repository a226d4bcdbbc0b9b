// Edges at a contact, see edges.h: coordinates of a box or a cylinder that are not at their end,
// differences of a mesh's vertices.
#include "geometry/edges.h"

static const double kInside = 1e-6;    // relative distance from its end that makes a coordinate free
static const double kAcross = 1e-2;    // |n.e| below which an edge e may be the one
static const double kCapCosine = 0.95; // |n.axis| above which a cap may be the face
static const double kDependent = 1e-7; // sine below which two directions are one

void hfi_edges_add(hfiEdges* e, hfVec3 direction, double length) {
  if (e->count == 2) return;
  if (e->count == 1 && !(v3_norm(v3_cross(direction, e->direction[0])) > kDependent)) {
    e->length[0] += length;
    return;
  }
  e->direction[e->count] = direction;
  e->length[e->count++] = length;
}

static void add_difference(hfiEdges* e, hfVec3 d) {
  double length = v3_norm(d);
  if (length > 0) hfi_edges_add(e, v3_scale(1 / length, d), length);
}

// Straight directions are columns of R; x is the witness, n the normal, both in the shape's frame.
static void find_columns(const hfiShape* s, hfMat3 R, hfVec3 x, hfVec3 n, hfiEdgeRule rule, hfiEdges* e) {
  const double half[3] = {s->size[0], s->size[1], s->type == HF_GEOM_BOX ? s->size[2] : s->size[1]};
  for (int i = s->type == HF_GEOM_BOX ? 0 : 2; i < 3; ++i)
    if (fabs(v3_get(x, i)) < (1 - kInside) * half[i] || (rule == HFI_EDGES_ACROSS && fabs(v3_get(n, i)) < kAcross))
      hfi_edges_add(e, m3_col(R, i), 2 * half[i]);
  if (rule != HFI_EDGES_CAP || s->type != HF_GEOM_CYLINDER || fabs(n.z) < kCapCosine) return;
  e->count = 0;
  for (int i = 0; i < 2; ++i) hfi_edges_add(e, m3_col(R, i), 2 * s->size[0]);
}

// Between the vertices that carry weight; ACROSS: from the support vertex to its neighbours.
static void find_mesh_edges(const hfiHull* hull, int32_t support, hfMat3 R, const hfVec3 vertex[4], const hfiSimplex* s, hfVec3 n, hfiEdgeRule rule, hfiEdges* e) {
  int first = -1;
  for (int i = 0; i < s->count; ++i) {
    if (!(s->weight[i] > kInside)) continue;
    if (first < 0) first = i;
    else add_difference(e, v3_sub(vertex[i], vertex[first]));
  }
  for (int32_t k = hull->edge_start[support]; k < hull->edge_start[support + 1] && rule == HFI_EDGES_ACROSS; ++k) {
    hfVec3 d = v3_sub(v3_load(hull->vert + 3 * hull->edge_vert[k]), v3_load(hull->vert + 3 * support));
    if (fabs(v3_dot(d, n)) < kAcross * v3_norm(d)) add_difference(e, m3_mulv(R, d));
  }
}

hfiEdges hfi_edges_find(const hfiCores* c, const hfiSimplex* s, hfVec3 n, hfiEdgeRule rule, int side) {
  int of_A = side == HFI_EDGES_OF_A;
  const hfiShape* shape = of_A ? c->A : c->B;
  hfPose X = of_A ? pose_identity() : c->X_AB;
  hfVec3 x = pose_inv_point(X, of_A ? hfi_simplex_a(s) : hfi_simplex_b(s)), n_local = m3_tmulv(X.R, n), vertex[4];
  hfiEdges e = {0, {{0, 0, 0}, {0, 0, 0}}, {0, 0}};
  if (shape->type == HF_GEOM_BOX || shape->type == HF_GEOM_CYLINDER || shape->type == HF_GEOM_CAPSULE) find_columns(shape, X.R, x, n_local, rule, &e);
  if (shape->type != HF_GEOM_MESH) return e;
  for (int i = 0; i < s->count; ++i) vertex[i] = of_A ? s->point[i].a : s->point[i].b;
  find_mesh_edges(shape->hull, of_A ? c->hint_a : c->hint_b, X.R, vertex, s, n_local, rule, &e);
  return e;
}
