// A convex polyhedron from the triangles of its surface.
//
// Faces grow from the largest triangle left: neighbours join while their vertices lie within
// tol = 1e-7 diameter of the seed's plane (the rounding of single-precision mesh files). The boundary
// edges of a face, each the reverse of an edge of another face, form its polygon.
#include "model/hull.h"

#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static const double kCoplanar = 1e-7;

typedef struct Edge { int32_t from, to, tri; } Edge;

typedef struct Work {
  int32_t ntri, nvert;
  int32_t* tri;    // (ntri x 3) compacted vertex indices
  double* area;    // (ntri)
  int32_t* order;  // (ntri) by descending area
  int32_t* face;   // (ntri) face of each triangle, -1: none yet
  Edge* edge;      // (3 ntri) sorted by (from, to)
  int32_t* member; // (ntri) triangles of the face being traced, the seed first
  int32_t nmember;
  int32_t* next;   // (nvert) next vertex around the face being traced
} Work;

static int compare_edges(const void* a, const void* b) {
  const Edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

// Triangle with the directed edge from -> to, or -1.
static int32_t find_edge(const Work* w, int32_t from, int32_t to) {
  Edge key = {from, to, 0};
  const Edge* e = bsearch(&key, w->edge, 3 * (size_t)w->ntri, sizeof *w->edge, compare_edges);
  return e ? e->tri : -1;
}

static hfVec3 vertex(const hfiHullData* h, int32_t i) { return v3_load(h->vert + 3 * i); }

static hfVec3 area_vector(const hfiHullData* h, const int32_t* t) {
  hfVec3 a = vertex(h, t[0]);
  return v3_scale(0.5, v3_cross(v3_sub(vertex(h, t[1]), a), v3_sub(vertex(h, t[2]), a)));
}

// Drops vertices that no triangle uses; returns the diameter of the bounding box.
static double compact_vertices(hfiHullData* h, Work* w, int32_t nvert, const double* vert, const int32_t* tri, int32_t* renamed) {
  hfVec3 lo = v3(INFINITY, INFINITY, INFINITY), hi = v3_neg(lo);
  for (int32_t i = 0; i < nvert; ++i) renamed[i] = -1;
  for (int32_t i = 0; i < 3 * w->ntri; ++i) {
    int32_t v = tri[i];
    if (renamed[v] < 0) {
      renamed[v] = h->nvert++;
      memcpy(h->vert + 3 * renamed[v], vert + 3 * v, 3 * sizeof *vert);
      hfVec3 p = v3_load(vert + 3 * v);
      lo = v3(min2(lo.x, p.x), min2(lo.y, p.y), min2(lo.z, p.z));
      hi = v3(max2(hi.x, p.x), max2(hi.y, p.y), max2(hi.z, p.z));
    }
    w->tri[i] = renamed[v];
  }
  return v3_norm(v3_sub(hi, lo));
}

static void sort_by_area(Work* w) {
  // Shell sort; the tie-break on the index makes the order unique
  for (int32_t gap = w->ntri / 2; gap > 0; gap /= 2)
    for (int32_t i = gap; i < w->ntri; ++i) {
      int32_t t = w->order[i], j = i;
      for (; j >= gap; j -= gap) {
        int32_t u = w->order[j - gap];
        int before = w->area[t] > w->area[u] || (w->area[t] == w->area[u] && t < u);
        if (!before) break;
        w->order[j] = u;
      }
      w->order[j] = t;
    }
}

// Gives face number `face` to the seed and every connected triangle in its plane.
static void grow_face(const hfiHullData* h, Work* w, int32_t seed, int32_t face, double tol) {
  hfVec3 n = v3_unit(area_vector(h, w->tri + 3 * seed)), p = vertex(h, w->tri[3 * seed]);
  w->nmember = 0;
  w->member[w->nmember++] = seed;
  w->face[seed] = face;
  for (int32_t i = 0; i < w->nmember; ++i) {
    const int32_t* t = w->tri + 3 * w->member[i];
    for (int k = 0; k < 3; ++k) {
      int32_t other = find_edge(w, t[(k + 1) % 3], t[k]);
      if (other < 0 || w->face[other] >= 0) continue;
      int flat = 1;
      for (int c = 0; c < 3; ++c) flat = flat && fabs(v3_dot(n, v3_sub(vertex(h, w->tri[3 * other + c]), p))) <= tol;
      // a sliver may lie in the plane and face away
      if (!flat || v3_dot(n, area_vector(h, w->tri + 3 * other)) < 0) continue;
      w->face[other] = face;
      w->member[w->nmember++] = other;
    }
  }
}

// Polygon of a face: its boundary edges chained. Returns 0 if they are not one simple loop.
static int trace_face(hfiHullData* h, Work* w, int32_t face) {
  int32_t count = 0, start = -1;
  for (int32_t i = 0; i < w->nmember; ++i)
    for (int k = 0; k < 3; ++k) {
      int32_t t = w->member[i], from = w->tri[3 * t + k], to = w->tri[3 * t + (k + 1) % 3], other = find_edge(w, to, from);
      if (w->face[other] == face) continue;
      if (w->next[from] >= 0) return 0;
      w->next[from] = to;
      start = start < 0 || from < start ? from : start;
      count++;
    }
  int32_t* out = h->face_vert + h->face_start[h->nface];
  int32_t v = start, length = 0;
  while (v >= 0 && length < count) {
    int32_t next = w->next[v];
    w->next[v] = -1;
    out[length++] = v;
    v = next;
  }
  if (length != count || v != start || count < 3) return 0;
  hfVec3 n = v3_zero();
  for (int32_t i = 0; i < w->nmember; ++i) n = v3_add(n, area_vector(h, w->tri + 3 * w->member[i]));
  n = v3_unit(n);
  // the offset of the outermost vertex keeps every vertex inside the plane
  double offset = -INFINITY;
  for (int32_t i = 0; i < count; ++i) offset = max2(offset, v3_dot(n, vertex(h, out[i])));
  v3_store(h->face_plane + 4 * h->nface, n);
  h->face_plane[4 * h->nface + 3] = offset;
  h->face_start[h->nface + 1] = h->face_start[h->nface] + count;
  h->nface++;
  return 1;
}

// Least number of vertices of a face that are corners: that three or more faces share.
static int32_t least_corners(const hfiHullData* h, const int32_t* uses) {
  int32_t least = INT32_MAX;
  for (int32_t f = 0; f < h->nface; ++f) {
    int32_t corners = 0;
    for (int32_t k = h->face_start[f]; k < h->face_start[f + 1]; ++k) corners += uses[h->face_vert[k]] >= 3;
    least = corners < least ? corners : least;
  }
  return least;
}

// Drops vertices that are no corners: those inside a face, which a walk along edges could not leave, and
// those along an edge between two faces. (Where a face would be left without three corners, the latter stay.)
static void drop_flat_vertices(hfiHullData* h, int32_t* uses) {
  int32_t total = h->face_start[h->nface], kept = 0, at = 0;
  for (int32_t i = 0; i < h->nvert; ++i) uses[i] = 0;
  for (int32_t i = 0; i < total; ++i) uses[h->face_vert[i]]++;
  int32_t needed = least_corners(h, uses) >= 3 ? 3 : 1;
  for (int32_t i = 0; i < h->nvert; ++i) {
    int corner = uses[i] >= needed;
    if (corner) memmove(h->vert + 3 * kept, h->vert + 3 * i, 3 * sizeof *h->vert);
    uses[i] = corner ? kept++ : -1; // from here on the new name
  }
  for (int32_t f = 0, k = 0; f < h->nface; ++f) {
    int32_t end = h->face_start[f + 1];
    for (; k < end; ++k)
      if (uses[h->face_vert[k]] >= 0) h->face_vert[at++] = uses[h->face_vert[k]];
    h->face_start[f + 1] = at;
  }
  h->nvert = kept;
}

// Vertex neighbours along polygon edges, ascending.
static void link_edges(hfiHullData* h) {
  int32_t total = h->face_start[h->nface];
  memset(h->edge_start, 0, sizeof *h->edge_start * (size_t)(h->nvert + 1));
  for (int32_t i = 0; i < total; ++i) h->edge_start[h->face_vert[i] + 1]++;
  for (int32_t i = 0; i < h->nvert; ++i) h->edge_start[i + 1] += h->edge_start[i];
  for (int32_t i = 0; i < total; ++i) h->edge_vert[i] = -1;
  for (int32_t f = 0; f < h->nface; ++f)
    for (int32_t k = h->face_start[f]; k < h->face_start[f + 1]; ++k) {
      int32_t to = h->face_vert[k + 1 < h->face_start[f + 1] ? k + 1 : h->face_start[f]];
      int32_t at = h->edge_start[h->face_vert[k]];
      while (h->edge_vert[at] >= 0 && h->edge_vert[at] < to) at++;
      int32_t last = at;
      while (h->edge_vert[last] >= 0) last++;
      for (; last > at; --last) h->edge_vert[last] = h->edge_vert[last - 1];
      h->edge_vert[at] = to;
    }
}

static hfStatus check_surface(const hfiHullData* h, const Work* w, double diameter, hfError* error) {
  double volume = 0;
  for (int32_t t = 0; t < w->ntri; ++t) {
    volume += v3_dot(vertex(h, w->tri[3 * t]), area_vector(h, w->tri + 3 * t)) / 3;
    for (int k = 0; k < 3; ++k)
      if (find_edge(w, w->tri[3 * t + (k + 1) % 3], w->tri[3 * t + k]) < 0)
        return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: the surface is open");
  }
  if (!(volume > 1e-12 * diameter * diameter * diameter)) return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: the surface is flat or inside out");
  return HF_OK;
}

static hfStatus build_faces(hfiHullData* h, Work* w, double diameter, hfError* error) {
  for (int32_t t = 0; t < w->ntri; ++t) {
    w->area[t] = v3_norm(area_vector(h, w->tri + 3 * t));
    w->order[t] = t;
    w->face[t] = -1;
    for (int k = 0; k < 3; ++k) {
      Edge e = {w->tri[3 * t + k], w->tri[3 * t + (k + 1) % 3], t};
      w->edge[3 * t + k] = e;
    }
  }
  qsort(w->edge, 3 * (size_t)w->ntri, sizeof *w->edge, compare_edges);
  hfStatus status = check_surface(h, w, diameter, error);
  if (status != HF_OK) return status;
  sort_by_area(w);
  for (int32_t i = 0; i < w->nvert; ++i) w->next[i] = -1;
  for (int32_t i = 0; i < w->ntri; ++i) {
    if (w->face[w->order[i]] >= 0) continue;
    grow_face(h, w, w->order[i], h->nface, kCoplanar * diameter);
    if (!trace_face(h, w, h->nface))
      return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: a face has no simple boundary");
  }
  drop_flat_vertices(h, w->next);
  link_edges(h);
  return HF_OK;
}

hfStatus hfi_hull_build(hfiHullData* hull, int32_t nvert, const double* vert, int32_t ntri, const int32_t* tri, hfError* error) {
  hfiHullData h = {0};
  size_t nt = (size_t)ntri, nv = (size_t)nvert;
  h.vert = malloc(sizeof *h.vert * 3 * nv);
  h.face_start = calloc(nt + 1, sizeof *h.face_start);
  h.face_vert = malloc(sizeof *h.face_vert * 3 * nt);
  h.face_plane = malloc(sizeof *h.face_plane * 4 * nt);
  h.edge_start = malloc(sizeof *h.edge_start * (nv + 1));
  h.edge_vert = malloc(sizeof *h.edge_vert * 3 * nt);
  Work w = {ntri, nvert, malloc(sizeof *w.tri * 3 * nt), malloc(sizeof *w.area * nt), malloc(sizeof *w.order * nt),
            malloc(sizeof *w.face * nt), malloc(sizeof *w.edge * 3 * nt), malloc(sizeof *w.member * nt), 0, malloc(sizeof *w.next * nv)};
  hfStatus status = HF_OK;
  if (!h.vert || !h.face_start || !h.face_vert || !h.face_plane || !h.edge_start || !h.edge_vert || !w.tri || !w.area || !w.order || !w.face || !w.edge || !w.member || !w.next)
    status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  if (status == HF_OK) {
    double diameter = compact_vertices(&h, &w, nvert, vert, tri, w.next);
    status = build_faces(&h, &w, diameter, error);
  }
  void* scratch[] = {w.tri, w.area, w.order, w.face, w.edge, w.member, w.next};
  for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) free(scratch[i]);
  if (status == HF_OK) *hull = h;
  else hfi_hull_release(&h);
  return status;
}

void hfi_hull_release(hfiHullData* h) {
  void* arrays[] = {h->vert, h->face_start, h->face_vert, h->face_plane, h->edge_start, h->edge_vert};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
  memset(h, 0, sizeof *h);
}
