// Mesh: the convex hull of its vertices.
//
// The support function of a large hull climbs along its edges from the last vertex found: a linear function
// on a convex polyhedron has no local maximum but the global ones.
#include "geometry/convex.h"
#include "geometry/manifold.h"
#include "geometry/shape_table.h"

enum { CLIMB = 24 };                // A hull of this many vertices or more is climbed.
static const double kCarries = 1e-6; // A vertex carries the contact where its weight is above this.

static hfiAabb mesh_bounds(const hfiShape* s, const hfPose* X) {
  const hfiHull* hull = s->hull;
  hfVec3 lo = v3(INFINITY, INFINITY, INFINITY), hi = v3_neg(lo);
  for (int32_t k = 0; k < hull->nvert; ++k) {
    hfVec3 x = m3_mulv(X->R, v3_load(hull->vert + 3 * k));
    lo = v3(min2(lo.x, x.x), min2(lo.y, x.y), min2(lo.z, x.z));
    hi = v3(max2(hi.x, x.x), max2(hi.y, x.y), max2(hi.z, x.z));
  }
  hfiAabb r = {v3_add(X->p, lo), v3_add(X->p, hi)};
  return r;
}

// Vertices below the margin, thinned to the outermost ones; feature = vertex.
static int plane_mesh(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  (void)A;
  hfiPlane plane = plane_of(X_WA);
  const hfiHull* hull = B->hull;
  hfVec3 m_B = m3_tmulv(X_WB->R, plane.m), lo = v3_load(hull->vert), hi = lo;
  double height = v3_dot(plane.m, v3_sub(X_WB->p, plane.p)), lowest = INFINITY; // of the mesh's origin
  for (int32_t i = 0; i < hull->nvert; ++i) {
    hfVec3 x = v3_load(hull->vert + 3 * i);
    lowest = min2(lowest, height + v3_dot(m_B, x));
    lo = v3(min2(lo.x, x.x), min2(lo.y, x.y), min2(lo.z, x.z));
    hi = v3(max2(hi.x, x.x), max2(hi.y, x.y), max2(hi.z, x.z));
  }
  if (!(lowest <= margin)) return 0;
  double limit = margin + kFlatTilt * v3_norm(v3_sub(hi, lo));
  hfiThinning thin;
  hfi_thinning_start(&thin, v3_neg(m_B), kFlatTilt * v3_norm(v3_sub(hi, lo)));
  for (int32_t i = 0; i < hull->nvert; ++i) {
    hfVec3 x = v3_load(hull->vert + 3 * i);
    double gap = height + v3_dot(m_B, x);
    if (gap <= limit) hfi_thinning_add(&thin, x, -gap, (uint32_t)i);
  }
  hfiOverlapPoint kept[HFI_MAX_MANIFOLD];
  int count = hfi_thinning_finish(&thin, kept);
  for (int k = 0; k < count; ++k) put_plane_point(points + k, plane, pose_point(*X_WB, kept[k].p), 0, kept[k].feature);
  return count;
}

static hfVec3 mesh_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  const hfiHull* hull = s->hull;
  int32_t best = *hint;
  double top = v3_dot(d, v3_load(hull->vert + 3 * best));
  if (hull->nvert < CLIMB) {
    for (int32_t i = 0; i < hull->nvert; ++i) {
      double h = v3_dot(d, v3_load(hull->vert + 3 * i));
      if (h > top) { top = h; best = i; }
    }
  } else {
    for (int32_t from = -1; from != best;) {
      from = best;
      for (int32_t k = hull->edge_start[from]; k < hull->edge_start[from + 1]; ++k) {
        double h = v3_dot(d, v3_load(hull->vert + 3 * hull->edge_vert[k]));
        if (h > top) { top = h; best = hull->edge_vert[k]; }
      }
    }
  }
  *hint = best;
  return v3_load(hull->vert + 3 * best);
}

static double mesh_core_size(const hfiShape* s) {
  hfVec3 x = v3_load(s->hull->vert), y = v3_load(s->hull->vert + 3 * (s->hull->nvert / 2));
  return max2(v3_norm(v3_sub(x, y)), max2(v3_norm(x), v3_norm(y)));
}

static void add_difference(hfiEdges* e, hfVec3 d) {
  double length = v3_norm(d);
  if (length > 0) hfi_edges_add(e, v3_scale(1 / length, d), length);
}

// Between the vertices that carry weight; ACROSS: from the support vertex to its neighbours.
static void mesh_edges(const hfiEdgeQuery* q, hfiEdges* e) {
  const hfiHull* hull = q->shape->hull;
  const hfiSimplex* s = q->simplex;
  int first = -1;
  for (int i = 0; i < s->count; ++i) {
    if (!(s->weight[i] > kCarries)) continue;
    if (first < 0) first = i;
    else add_difference(e, q->of_A ? v3_sub(s->point[i].a, s->point[first].a) : v3_sub(s->point[i].b, s->point[first].b));
  }
  for (int32_t k = hull->edge_start[q->support]; k < hull->edge_start[q->support + 1] && q->rule == HFI_EDGES_ACROSS; ++k) {
    hfVec3 d = v3_sub(v3_load(hull->vert + 3 * hull->edge_vert[k]), v3_load(hull->vert + 3 * q->support));
    if (fabs(v3_dot(d, q->n)) < kEdgeAcross * v3_norm(d)) add_difference(e, m3_mulv(q->X.R, d));
  }
}

// The face whose normal is nearest to d, of equal ones the first.
static void mesh_facet(const hfiShape* s, const hfPose* X, hfVec3 d, hfiFacet* f) {
  const hfiHull* hull = s->hull;
  hfVec3 local = m3_tmulv(X->R, d);
  double best = -INFINITY, size2 = 0;
  int32_t face = 0;
  for (int32_t i = 0; i < hull->nface; ++i) {
    double c = v3_dot(local, v3_load(hull->face_plane + 4 * i));
    if (c > best) { best = c; face = i; }
  }
  int32_t begin = hull->face_start[face], n = hull->face_start[face + 1] - begin;
  int32_t stride = (n + HFI_FACET_MAX - 1) / HFI_FACET_MAX;
  f->kind = HFI_FACET_POLYGON;
  f->count = 0;
  f->normal = m3_mulv(X->R, v3_load(hull->face_plane + 4 * face));
  for (int32_t k = 0; k < n; k += stride) {
    f->id[f->count] = hull->face_vert[begin + k];
    f->vertex[f->count] = pose_point(*X, v3_load(hull->vert + 3 * hull->face_vert[begin + k]));
    size2 = max2(size2, v3_norm2(v3_sub(f->vertex[f->count], f->vertex[0])));
    f->count++;
  }
  f->size = sqrt(size2);
}

// Inside, the face whose plane is nearest; outside, GJK with the point.
static hfiNearest mesh_nearest(const hfiShape* s, hfVec3 p) {
  const hfiHull* hull = s->hull;
  double top = -INFINITY;
  int32_t face = 0;
  for (int32_t f = 0; f < hull->nface; ++f) {
    const double* plane = hull->face_plane + 4 * f;
    double gap = v3_dot(v3_load(plane), p) - plane[3];
    if (gap > top) { top = gap; face = f; }
  }
  hfVec3 n = v3_load(hull->face_plane + 4 * face);
  hfiNearest best = {top, v3_axpy(-top, n, p), n};
  if (!(top > 0)) return best;
  hfiNearest outside = hfi_nearest_convex(s, p);
  return outside.distance > 0 ? outside : best; // the rest is on the surface by a rounding
}

static hfiSpan mesh_span(const hfiShape* shape, hfVec3 o, hfVec3 d) {
  const hfiHull* hull = shape->hull;
  hfiSpan s = hfi_whole_span();
  for (int32_t f = 0; f < hull->nface && s.t[0] <= s.t[1]; ++f)
    hfi_span_cut(&s, o, d, v3_load(hull->face_plane + 4 * f), hull->face_plane[4 * f + 3]);
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
