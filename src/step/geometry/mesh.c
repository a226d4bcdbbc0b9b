// Mesh: the convex hull of its vertices.
//
// The support function of a large hull climbs along its edges from the last vertex found: a linear function on a convex
// polyhedron has no local maximum that is not a global one.
#include "step/geometry/convex.h"
#include "step/geometry/hull_index.h"
#include "step/geometry/manifold.h"
#include "step/geometry/over_face.h"
#include "step/geometry/shape_table.h"

enum { LEAST_CLIMBED = 24 }; // A hull of this many vertices or more is climbed.
enum { MOST_BELOW = 64 };    // If more vertices than this are below a plane, all vertices are visited.
// A vertex carries the contact if its weight is above this [-].
static const double LEAST_WEIGHT = 1e-6;
// Heights count as equal if they differ by less than this share of the size [-].
static const double EQUAL_HEIGHT_SHARE = 1e-12;

// Returns the box of the vertices, in the frame of the mesh.
static hfiAabb own_box(const hfiHull* hull) {
  if (hull->index) {
    const hfiTreeBox* root = hull->index->vertex.box;
    hfiAabb box = {v3_load(root->lo), v3_load(root->hi)};
    return box;
  }

  hfiAabb box = {v3_load(hull->vert), v3_load(hull->vert)};
  for (int32_t k = 1; k < hull->nvert; ++k) {
    hfVec3 x = hfi_hull_vertex(hull, k);
    box.lo = v3(min2(box.lo.x, x.x), min2(box.lo.y, x.y), min2(box.lo.z, x.z));
    box.hi = v3(max2(box.hi.x, x.x), max2(box.hi.y, x.y), max2(box.hi.z, x.z));
  }
  return box;
}

// Bounds of the box along the mesh's own axes.
static hfiAabb mesh_bounds(const hfiShape* s, const hfPose* X) {
  hfiAabb box = own_box(s->hull);
  double h[3];
  double half[3];
  v3_store(half, v3_scale(0.5, v3_sub(box.hi, box.lo)));
  for (int i = 0; i < 3; ++i) {
    const double* row = X->R.m + 3 * i;
    h[i] = half[0] * fabs(row[0]) + half[1] * fabs(row[1]) + half[2] * fabs(row[2]);
  }
  return hfi_aabb_about(pose_point(*X, v3_scale(0.5, v3_add(box.lo, box.hi))), v3_load(h));
}

// Offers vertex i to the thinning if its gap is at most `limit`. The plane has the normal m_B in the frame of the mesh;
// height: of the mesh's origin above the plane [m].
static void add_if_below(hfiThinning* thin, const hfiHull* hull, int32_t i, hfVec3 m_B, double height, double limit) {
  hfVec3 x = hfi_hull_vertex(hull, i);
  double gap = height + v3_dot(m_B, x);
  if (gap <= limit) hfi_thinning_add(thin, x, -gap, (uint32_t)i);
}

// Offers all vertices whose gap is at most `limit`, ascending.
static void add_all_below(hfiThinning* thin, const hfiHull* hull, hfVec3 m_B, double height, double limit) {
  // the index lists them, unless they are too many: -m_B.x >= height - limit says that the gap is at most `limit`
  if (hull->index) {
    int32_t below[MOST_BELOW];
    hfiLinear down = {v3_neg(m_B), 0};
    int count = hfi_tree_above(&hull->index->vertex, &down, height - limit, below, MOST_BELOW);
    for (int k = 0; k < count; ++k) add_if_below(thin, hull, below[k], m_B, height, limit);
    if (count >= 0) return;
  }

  for (int32_t i = 0; i < hull->nvert; ++i) add_if_below(thin, hull, i, m_B, height, limit);
}

// Returns the height of the lowest vertex above the hull's origin along m_B.
static double lowest_vertex(const hfiHull* hull, hfVec3 m_B) {
  hfiLinear down = {v3_neg(m_B), 0};
  if (hull->index) {
    int32_t guess = hfi_hull_cell(hull->index, down.n)->vertex[0];
    int32_t vertex = hfi_tree_largest(&hull->index->vertex, &down, guess);
    return -hfi_linear(&down, &hull->index->vertex, vertex);
  }

  double lowest = INFINITY;
  for (int32_t i = 0; i < hull->nvert; ++i) lowest = min2(lowest, v3_dot(m_B, hfi_hull_vertex(hull, i)));
  return lowest;
}

// Finds the contact points with a plane: the vertices below the margin, thinned to the outermost ones. The feature is
// the number of the vertex. Returns their number.
static int plane_mesh(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);
  hfVec3 m_B = m3_tmulv(X_WB->R, plane.m);
  double height = v3_dot(plane.m, v3_sub(X_WB->p, plane.p)); // height of the mesh's origin
  if (!(height + lowest_vertex(B->hull, m_B) <= margin)) return 0;

  hfiAabb box = own_box(B->hull);
  double slack = HFI_FLAT_TILT * v3_norm(v3_sub(box.hi, box.lo));
  hfiThinning thin;
  hfi_thinning_start(&thin, v3_neg(m_B), slack);
  add_all_below(&thin, B->hull, m_B, height, margin + slack);

  hfiOverlapPoint kept[HFI_MAX_MANIFOLD];
  int count = hfi_thinning_finish(&thin, kept);
  for (int k = 0; k < count; ++k)
    put_plane_point(points + k, plane, pose_point(*X_WB, kept[k].p), 0, kept[k].feature);
  return count;
}

// A vertex, its coordinate along d, and the largest coordinate along d of its neighbours or of the other vertices
// visited.
typedef struct Summit {
  int32_t vertex;
  double top, beside; // [m |d|]
} Summit;

// Climbs along edges from the vertex `best` until no neighbour is farther along d. Returns that vertex, how far it is
// along d (top), and how far its farthest neighbour is (beside) [m].
static inline Summit climb(const hfiHull* hull, hfVec3 d, int32_t best) {
  double top = v3_dot(d, hfi_hull_vertex(hull, best));
  double beside = -INFINITY;

  for (int32_t from = -1; from != best;) {
    from = best;
    beside = -INFINITY;
    for (int32_t k = hull->edge_start[from]; k < hull->edge_start[from + 1]; ++k) {
      double h = v3_dot(d, hfi_hull_vertex(hull, hull->edge_vert[k]));
      beside = max2(beside, h);
      if (!(h > top)) continue;
      top = h;
      best = hull->edge_vert[k];
    }
  }
  return (Summit){best, top, beside};
}

// The farthest of the listed vertices along d.
static inline Summit visit_listed(const hfiHull* hull, hfVec3 d, const hfiDirectionCell* cell) {
  Summit s = {cell->vertex[0], v3_dot(d, hfi_hull_vertex(hull, cell->vertex[0])), -INFINITY};
  for (int k = 1; k < cell->count; ++k) {
    double h = v3_dot(d, hfi_hull_vertex(hull, cell->vertex[k]));
    s.beside = max2(s.beside, min2(h, s.top));
    if (!(h > s.top)) continue;
    s.top = h;
    s.vertex = cell->vertex[k];
  }
  return s;
}

// Is every other vertex less far along d by more than rounding?
static int stands_out(const hfiHull* hull, hfVec3 d, const Summit* s) {
  return s->beside < s->top - EQUAL_HEIGHT_SHARE * (fabs(d.x) + fabs(d.y) + fabs(d.z)) * hull->index->vertex.scale[0];
}

// Finds the end of a climb from `start` without that climb: it is the farthest of the vertices in the index cell of d,
// or the end of a climb from one of them. If this vertex is not the only farthest one, the climb from `start` decides,
// so that the index changes no answer.
static int32_t climb_fast(const hfiHull* hull, hfVec3 d, int32_t start) {
  const hfiDirectionCell* cell = hfi_hull_cell(hull->index, d);
  double listed = v3_dot(d, hfi_hull_vertex(hull, cell->vertex[0]));
  if (!(listed > v3_dot(d, hfi_hull_vertex(hull, start)))) return climb(hull, d, start).vertex;

  Summit found = cell->count ? visit_listed(hull, d, cell) : climb(hull, d, cell->vertex[0]);
  return stands_out(hull, d, &found) ? found.vertex : climb(hull, d, start).vertex;
}

// Returns the vertex that is farthest along d. The search begins at vertex *hint, which becomes the one found.
static hfVec3 mesh_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  const hfiHull* hull = s->hull;

  // along edges
  if (hull->nvert >= LEAST_CLIMBED) {
    *hint = hull->index ? climb_fast(hull, d, *hint) : climb(hull, d, *hint).vertex;
    return hfi_hull_vertex(hull, *hint);
  }

  // a small hull: all vertices
  int32_t best = *hint;
  double top = v3_dot(d, hfi_hull_vertex(hull, best));
  for (int32_t i = 0; i < hull->nvert; ++i) {
    double h = v3_dot(d, hfi_hull_vertex(hull, i));
    if (!(h > top)) continue;
    top = h;
    best = i;
  }
  *hint = best;
  return hfi_hull_vertex(hull, best);
}

// Returns an estimate of the largest coordinate, from two vertices [m].
static double mesh_core_size(const hfiShape* s) {
  hfVec3 x = v3_load(s->hull->vert);
  hfVec3 y = v3_load(s->hull->vert + 3 * (s->hull->nvert / 2));
  return max2(v3_norm(v3_sub(x, y)), max2(v3_norm(x), v3_norm(y)));
}

// Adds the edge between two points, in A's frame.
static void add_between(hfiEdges* e, hfVec3 a, hfVec3 b) {
  hfVec3 d = v3_sub(b, a);
  double length = v3_norm(d);
  if (!(length > 0)) return;
  hfVec3 direction = v3_scale(1 / length, d);
  hfi_edges_add(e, direction, length, v3_dot(direction, a) + 0.5 * length);
}

// Adds the edges between the vertices that carry weight; with the rule ACROSS, those from the support vertex to its
// neighbours.
static void mesh_edges(const hfiEdgeQuery* q, hfiEdges* e) {
  const hfiHull* hull = q->shape->hull;
  const hfiSimplex* s = q->simplex;

  // from the first vertex that carries weight to each of the others
  int first = -1;
  for (int i = 0; i < s->count; ++i) {
    if (!(s->weight[i] > LEAST_WEIGHT)) continue;
    if (first < 0) first = i;
    else if (q->of_A) add_between(e, s->point[first].a, s->point[i].a);
    else add_between(e, s->point[first].b, s->point[i].b);
  }

  // from the support vertex, all edges across n
  if (q->rule != HFI_EDGES_ACROSS) return;
  hfVec3 from = hfi_hull_vertex(hull, q->support);
  for (int32_t k = hull->edge_start[q->support]; k < hull->edge_start[q->support + 1]; ++k) {
    hfVec3 to = hfi_hull_vertex(hull, hull->edge_vert[k]);
    hfVec3 d = v3_sub(to, from);
    int is_across = fabs(v3_dot(d, q->n)) < HFI_EDGE_ACROSS * v3_norm(d);
    if (is_across) add_between(e, pose_point(q->X, from), pose_point(q->X, to));
  }
}

// The facet is the face whose normal is nearest to d.
static void mesh_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  hfi_facet_of_face(s, X, hfi_nearest_normal(s->hull, m3_tmulv(X->R, d)), f);
}

// Returns the point of the surface that is nearest to p. The face whose plane p is highest above, or least deep below,
// has the answer if p is inside, or outside over this face. GJK with the point serves other points outside; those that
// it takes for points on the surface have the face again.
static hfiNearest mesh_nearest(const hfiShape* s, hfVec3 p) {
  const hfiHull* hull = s->hull;
  int32_t face = hfi_highest_face(hull, p, -1);
  const double* plane = hull->face_plane + 4 * face;
  hfVec3 n = v3_load(plane);
  double top = v3_dot(n, p) - plane[3];

  hfiNearest outside;
  if (top > 0 && !hfi_is_over_face(hull, face, p) && hfi_nearest_outside(s, p, &outside)) return outside;
  return (hfiNearest){top, v3_axpy(-top, n, p), n};
}

// The span of the line o + t d inside: each face cuts it, until nothing is left.
static hfiSpan mesh_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  const hfiHull* hull = shape->hull;
  hfiSpan s = hfi_whole_span();
  for (int32_t f = 0; f < hull->nface && s.t[0] <= s.t[1]; ++f)
    hfi_span_cut(&s, o, d, hfi_hull_normal(hull, f), hull->face_plane[4 * f + 3]);
  return s;
}

const hfiShapeFunctions hfi_mesh = {.max_points = HFI_MAX_MANIFOLD,
                                    .bounds = mesh_bounds,
                                    .plane = plane_mesh,
                                    .support = mesh_support,
                                    .core_size = mesh_core_size,
                                    .edges = mesh_edges,
                                    .facet = mesh_facet,
                                    .nearest = mesh_nearest,
                                    .span = mesh_span};
