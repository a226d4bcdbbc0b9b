// A convex polyhedron from the triangles of its surface.
//
//   1. Drop the vertices that no triangle uses, and check that the surface is closed and encloses a volume.
//   2. Group the triangles into faces. A face grows from the largest triangle that has none yet: a neighbour joins if
//      its vertices lie within FACE_FLATNESS_SHARE of the plane of that triangle.
//   3. Chain the boundary edges of each face to its polygon. A boundary edge is the reverse of an edge of another face.
//   4. Remove the vertices of the polygons that lie on a straight line between two faces.
//   5. List the neighbours of every vertex along the edges of the triangles.
#include "build/inside.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// A vertex lies in a plane if its distance is below this share of the diameter: the rounding of mesh files in single
// precision [-].
static const double FACE_FLATNESS_SHARE = 1e-7;

// A directed edge of a triangle.
typedef struct Edge {
  int32_t from, to, tri;
} Edge;

// Scratch of a hull that is being built.
typedef struct HullWork {
  int32_t ntri, nvert;
  int32_t* tri;    // (ntri x 3) compacted vertex indices
  double* area;    // (ntri)
  int32_t* order;  // (ntri) by descending area
  int32_t* face;   // (ntri) face of each triangle, -1 if it has none yet
  Edge* edge;      // (3 ntri) sorted by (from, to)
  int32_t* member; // (ntri) triangles of the face being traced, the seed first
  int32_t nmember;
  int32_t* next;   // (nvert) the next vertex around the face being traced
} HullWork;

// Compares two edges by (from, to), for qsort.
static int compare_edges(const void* a, const void* b) {
  const Edge* x = a;
  const Edge* y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return 0;
}

// Returns the triangle with the directed edge from -> to, or -1.
static int32_t find_edge(const HullWork* w, int32_t from, int32_t to) {
  Edge key = {from, to, 0};
  const Edge* e = bsearch(&key, w->edge, 3 * (size_t)w->ntri, sizeof *w->edge, compare_edges);
  return e ? e->tri : -1;
}

static hfVec3 vertex(const hfiHullData* h, int32_t i) { return v3_load(h->vert + 3 * i); }

// Normal of a triangle, as long as its area.
static hfVec3 area_vector(const hfiHullData* h, const int32_t* t) {
  hfVec3 a = vertex(h, t[0]);
  return v3_scale(0.5, v3_cross(v3_sub(vertex(h, t[1]), a), v3_sub(vertex(h, t[2]), a)));
}

// Step 1: copies the vertices that are used and numbers them anew. Returns the diameter of the bounding box.
// renamed (nvert): scratch.
static double compact_vertices(hfiHullData* h, HullWork* w, int32_t nvert, const double* vert, const int32_t* tri,
                               int32_t* renamed) {
  hfVec3 low = v3(INFINITY, INFINITY, INFINITY);
  hfVec3 high = v3_neg(low);
  for (int32_t i = 0; i < nvert; ++i) renamed[i] = -1;

  for (int32_t i = 0; i < 3 * w->ntri; ++i) {
    int32_t v = tri[i];
    if (renamed[v] < 0) {
      renamed[v] = h->nvert++;
      memcpy(h->vert + 3 * renamed[v], vert + 3 * v, 3 * sizeof *vert);
      hfVec3 p = v3_load(vert + 3 * v);
      low = v3(min2(low.x, p.x), min2(low.y, p.y), min2(low.z, p.z));
      high = v3(max2(high.x, p.x), max2(high.y, p.y), max2(high.z, p.z));
    }
    w->tri[i] = renamed[v];
  }

  return v3_norm(v3_sub(high, low));
}

// Sorts w->order by descending area, in a Shell sort. Equal areas are ordered by index, so that the order is unique.
static void sort_by_area(HullWork* w) {
  for (int32_t gap = w->ntri / 2; gap > 0; gap /= 2)
    for (int32_t i = gap; i < w->ntri; ++i) {
      int32_t t = w->order[i];
      int32_t j = i;

      for (; j >= gap; j -= gap) {
        int32_t u = w->order[j - gap];
        int is_before = w->area[t] > w->area[u] || (w->area[t] == w->area[u] && t < u);
        if (!is_before) break;
        w->order[j] = u;
      }

      w->order[j] = t;
    }
}

// Step 2: gives the number `face` to the triangle `seed` and to every triangle that is connected with it in its plane.
// Lists them in w->member. tolerance: distance from the plane within which vertices are in it [m].
static void grow_face(const hfiHullData* h, HullWork* w, int32_t seed, int32_t face, double tolerance) {
  hfVec3 n = v3_unit(area_vector(h, w->tri + 3 * seed));
  hfVec3 p = vertex(h, w->tri[3 * seed]);
  w->nmember = 0;
  w->member[w->nmember++] = seed;
  w->face[seed] = face;

  for (int32_t i = 0; i < w->nmember; ++i) {
    const int32_t* t = w->tri + 3 * w->member[i];
    for (int k = 0; k < 3; ++k) {
      // the triangle that has this edge the other way round
      int32_t neighbour = find_edge(w, t[(k + 1) % 3], t[k]);
      if (neighbour < 0 || w->face[neighbour] >= 0) continue;

      int is_flat = 1;
      for (int c = 0; c < 3; ++c) {
        double distance = v3_dot(n, v3_sub(vertex(h, w->tri[3 * neighbour + c]), p));
        is_flat = is_flat && fabs(distance) <= tolerance;
      }
      // a sliver may lie in the plane and still look the other way
      if (!is_flat || v3_dot(n, area_vector(h, w->tri + 3 * neighbour)) < 0) continue;
      w->face[neighbour] = face;
      w->member[w->nmember++] = neighbour;
    }
  }
}

// Notes the boundary edges of a face in w->next. Returns their number, or 0 if two begin at one vertex.
// *start: the lowest vertex of the boundary.
static int32_t find_boundary(HullWork* w, int32_t face, int32_t* start) {
  int32_t count = 0;
  *start = -1;

  for (int32_t i = 0; i < w->nmember; ++i) {
    const int32_t* t = w->tri + 3 * w->member[i];
    for (int k = 0; k < 3; ++k) {
      int32_t from = t[k];
      int32_t to = t[(k + 1) % 3];
      if (w->face[find_edge(w, to, from)] == face) continue;
      if (w->next[from] >= 0) return 0;
      w->next[from] = to;
      if (*start < 0 || from < *start) *start = from;
      count++;
    }
  }

  return count;
}

// Step 3: adds the polygon and the plane of a face, whose members are listed. Returns 0 if its boundary edges do not
// form one simple loop.
static int trace_face(hfiHullData* h, HullWork* w, int32_t face) {
  int32_t start;
  int32_t count = find_boundary(w, face, &start);
  int32_t* polygon = h->face_vert + h->face_start[h->nface];
  int32_t v = start;
  int32_t length = 0;

  // the polygon: from vertex to vertex until it is closed; w->next is free again behind it
  while (v >= 0 && length < count) {
    int32_t next = w->next[v];
    w->next[v] = -1;
    polygon[length++] = v;
    v = next;
  }
  if (length != count || v != start || count < 3) return 0;

  // the plane goes through the outermost vertex, so that no vertex lies above it
  hfVec3 n = v3_zero();
  for (int32_t i = 0; i < w->nmember; ++i) n = v3_add(n, area_vector(h, w->tri + 3 * w->member[i]));
  n = v3_unit(n);
  double offset = -INFINITY;

  for (int32_t i = 0; i < count; ++i) offset = max2(offset, v3_dot(n, vertex(h, polygon[i])));

  v3_store(h->face_plane + 4 * h->nface, n);
  h->face_plane[4 * h->nface + 3] = offset;
  h->face_start[h->nface + 1] = h->face_start[h->nface] + count;
  h->nface++;

  return 1;
}

// Does entry k of face_vert, in face f, lie on the straight line between its neighbours?
static int is_straight(const hfiHullData* h, int32_t f, int32_t k, double tolerance) {
  int32_t begin = h->face_start[f];
  int32_t end = h->face_start[f + 1];
  hfVec3 a = vertex(h, h->face_vert[k > begin ? k - 1 : end - 1]);
  hfVec3 b = vertex(h, h->face_vert[k + 1 < end ? k + 1 : begin]);
  hfVec3 ab = v3_sub(b, a);
  hfVec3 ax = v3_sub(vertex(h, h->face_vert[k]), a);
  return v3_norm(v3_cross(ab, ax)) <= tolerance * v3_norm(ab) && v3_dot(ab, ax) > 0;
}

// Step 4: removes vertices that belong to only two faces and are straight in both. If a face would be left with fewer
// than three corners, no vertex is removed. flat (nvert): scratch.
static void straighten_faces(hfiHullData* h, int32_t* flat, double tolerance) {
  // flat: at first how many faces a vertex belongs to, then whether these are two
  int32_t total = h->face_start[h->nface];
  for (int32_t i = 0; i < h->nvert; ++i) flat[i] = 0;
  for (int32_t i = 0; i < total; ++i) flat[h->face_vert[i]]++;
  for (int32_t i = 0; i < h->nvert; ++i) flat[i] = flat[i] == 2;

  // of these only the ones that are straight in all their faces
  for (int32_t f = 0; f < h->nface; ++f) {
    int32_t corners = 0;
    for (int32_t k = h->face_start[f]; k < h->face_start[f + 1]; ++k) {
      int32_t* is_flat = flat + h->face_vert[k];
      *is_flat = *is_flat && is_straight(h, f, k, tolerance);
      corners += !*is_flat;
    }
    if (corners < 3) return;
  }

  // the vertices that stay move forward
  int32_t kept = 0;
  int32_t k = 0;

  for (int32_t f = 0; f < h->nface; ++f) {
    for (; k < h->face_start[f + 1]; ++k)
      if (!flat[h->face_vert[k]]) h->face_vert[kept++] = h->face_vert[k];
    h->face_start[f + 1] = kept;
  }
}

// Step 5: lists the neighbours of every vertex in ascending order. Each edge belongs to two triangles, one for each
// direction. The edges of the polygons are not enough: faces are flat only up to FACE_FLATNESS_SHARE, so that a walk
// along polygon edges to the highest vertex could end below a vertex across a face.
static void link_edges(hfiHullData* h, const HullWork* w) {
  memset(h->edge_start, 0, sizeof *h->edge_start * (size_t)(h->nvert + 1));
  for (int32_t i = 0; i < 3 * w->ntri; ++i) {
    h->edge_start[w->edge[i].from + 1]++;
    h->edge_vert[i] = w->edge[i].to; // w->edge is sorted by (from, to).
  }
  for (int32_t i = 0; i < h->nvert; ++i) h->edge_start[i + 1] += h->edge_start[i];
}

// Refuses a surface that is open, and one that encloses no volume.
static hfStatus check_surface(const hfiHullData* h, const HullWork* w, double diameter, hfError* error) {
  double volume = 0;
  for (int32_t t = 0; t < w->ntri; ++t) {
    const int32_t* corner = w->tri + 3 * t;
    volume += v3_dot(vertex(h, corner[0]), area_vector(h, corner)) / 3;
    for (int k = 0; k < 3; ++k)
      if (find_edge(w, corner[(k + 1) % 3], corner[k]) < 0)
        return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: the surface is open");
  }
  if (!(volume > 1e-12 * diameter * diameter * diameter))
    return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: the surface is flat or inside out");

  return HF_OK;
}

// Steps 2 to 5, on vertices and triangles that are numbered anew.
static hfStatus build_faces(hfiHullData* h, HullWork* w, double diameter, hfError* error) {
  double tolerance = FACE_FLATNESS_SHARE * diameter;
  for (int32_t t = 0; t < w->ntri; ++t) {
    const int32_t* corner = w->tri + 3 * t;
    w->area[t] = v3_norm(area_vector(h, corner));
    w->order[t] = t;
    w->face[t] = -1;
    for (int k = 0; k < 3; ++k) w->edge[3 * t + k] = (Edge){corner[k], corner[(k + 1) % 3], t};
  }

  qsort(w->edge, 3 * (size_t)w->ntri, sizeof *w->edge, compare_edges);
  hfStatus status = check_surface(h, w, diameter, error);
  if (status != HF_OK) return status;

  sort_by_area(w);
  // no vertex has a next one yet (trace_face); afterwards the array is scratch
  for (int32_t i = 0; i < w->nvert; ++i) w->next[i] = -1;

  for (int32_t i = 0; i < w->ntri; ++i) {
    if (w->face[w->order[i]] >= 0) continue;
    grow_face(h, w, w->order[i], h->nface, tolerance);
    if (!trace_face(h, w, h->nface))
      return hfi_refuse(error, HF_ERROR_MODEL, "convex hull: a face has no simple boundary");
  }

  straighten_faces(h, w->next, tolerance);
  link_edges(h, w);
  return HF_OK;
}

// Returns 0 if there is no memory; hfi_hull_release frees what was allocated.
static int allocate_hull(hfiHullData* h, size_t nvert, size_t ntri) {
  h->vert = malloc(sizeof *h->vert * 3 * nvert);
  h->face_start = calloc(ntri + 1, sizeof *h->face_start);
  h->face_vert = malloc(sizeof *h->face_vert * 3 * ntri);
  h->face_plane = malloc(sizeof *h->face_plane * 4 * ntri);
  h->edge_start = malloc(sizeof *h->edge_start * (nvert + 1));
  h->edge_vert = malloc(sizeof *h->edge_vert * 3 * ntri);
  return h->vert && h->face_start && h->face_vert && h->face_plane && h->edge_start && h->edge_vert;
}

// Returns 0 if there is no memory; release_work frees what was allocated.
static int allocate_work(HullWork* w, size_t nvert, size_t ntri) {
  w->tri = malloc(sizeof *w->tri * 3 * ntri);
  w->area = malloc(sizeof *w->area * ntri);
  w->order = malloc(sizeof *w->order * ntri);
  w->face = malloc(sizeof *w->face * ntri);
  w->edge = malloc(sizeof *w->edge * 3 * ntri);
  w->member = malloc(sizeof *w->member * ntri);
  w->next = malloc(sizeof *w->next * nvert);

  return w->tri && w->area && w->order && w->face && w->edge && w->member && w->next;
}

static void release_work(const HullWork* w) {
  void* arrays[] = {w->tri, w->area, w->order, w->face, w->edge, w->member, w->next};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
}

// Builds the polyhedron of nvert vertices (3 numbers each) and ntri triangles (steps 1 to 5 of the file's head).
hfStatus hfi_hull_build(hfiHullData* hull, int32_t nvert, const double* vert, int32_t ntri, const int32_t* tri,
                        hfError* error) {
  hfiHullData h = {0};
  HullWork w = {.ntri = ntri, .nvert = nvert};
  int has_hull = allocate_hull(&h, (size_t)nvert, (size_t)ntri);
  int has_work = allocate_work(&w, (size_t)nvert, (size_t)ntri);
  hfStatus status = has_hull && has_work ? HF_OK : hfi_refuse_memory(error);

  if (status == HF_OK) {
    double diameter = compact_vertices(&h, &w, nvert, vert, tri, w.next);
    status = build_faces(&h, &w, diameter, error);
  }

  release_work(&w);

  if (status == HF_OK) *hull = h;
  else hfi_hull_release(&h);
  return status;
}

void hfi_hull_release(hfiHullData* h) {
  void* arrays[] = {h->vert, h->face_start, h->face_vert, h->face_plane, h->edge_start, h->edge_vert};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
  memset(h, 0, sizeof *h);
}
