// The lowest part of a convex polyhedron along a direction (lowest.h).
//
// A vertex without a lower neighbour is lowest, because the polyhedron is convex. Vertices that are equally low are
// connected by edges, so a walk down and then from neighbour to neighbour finds all of them.
#include "step/geometry/lowest.h"

// Walks down along edges from vertex v. Returns a vertex that has no lower neighbour, and writes its height.
static int32_t walk_down(const hfiHull* hull, hfVec3 up, int32_t v, double* height) {
  *height = v3_dot(up, hfi_hull_vertex(hull, v));
  for (int32_t from = -1; from != v;) {
    from = v;
    for (int32_t k = hull->edge_start[from]; k < hull->edge_start[from + 1]; ++k) {
      double h = v3_dot(up, hfi_hull_vertex(hull, hull->edge_vert[k]));
      if (!(h < *height)) continue;
      *height = h;
      v = hull->edge_vert[k];
    }
  }
  return v;
}

// Inserts a vertex into the list, unless it is there already. Returns 0 if there is no room.
static int insert_vertex(hfiLowest* low, int32_t v) {
  for (int i = 0; i < low->count; ++i)
    if (low->vertex[i] == v) return 1;
  if (low->count == HFI_MOST_LOWEST) return 0;

  int place = low->count;
  for (; place > 0 && low->vertex[place - 1] > v; --place) low->vertex[place] = low->vertex[place - 1];
  low->vertex[place] = v;
  low->count++;
  return 1;
}

// Visits all neighbours of vertex v. Those that are equally low, up to the slack, join the list. The slopes of the
// edges to the others count for slope2. Returns 0 if there is no room.
static int visit_neighbours(const hfiHull* hull, hfVec3 up, int32_t v, double slack, hfiLowest* low) {
  double bottom = low->height;
  double height = v3_dot(up, hfi_hull_vertex(hull, v));

  for (int32_t k = hull->edge_start[v]; k < hull->edge_start[v + 1]; ++k) {
    int32_t w = hull->edge_vert[k];
    double h = v3_dot(up, hfi_hull_vertex(hull, w));
    low->height = min2(low->height, h);
    if (h <= bottom + slack) {
      if (!insert_vertex(low, w)) return 0;
      continue;
    }

    double length2 = v3_norm2(v3_sub(hfi_hull_vertex(hull, w), hfi_hull_vertex(hull, v)));
    if (sqr(h - height) < low->slope2 * length2) low->slope2 = sqr(h - height) / length2;
  }
  return 1;
}

// Finds all vertices that are lowest along `up`, up to the slack [m], by walking from `start`. Also computes slope2,
// the least squared sine at which an edge rises from them. Returns 0 if there is no room for the vertices.
int hfi_lowest_find(const hfiHull* hull, hfVec3 up, int32_t start, double slack, hfiLowest* low) {
  low->count = 1;
  low->slope2 = 1;
  low->vertex[0] = walk_down(hull, up, start, &low->height);

  // visits each vertex of the list once, while the list grows
  int32_t visited[HFI_MOST_LOWEST];
  int nvisited = 0;
  int i = 0;
  while (i < low->count) {
    int32_t v = low->vertex[i];
    i++;

    int k = 0;
    while (k < nvisited && visited[k] != v) ++k;
    int is_visited = k < nvisited;
    if (is_visited) continue;

    visited[nvisited++] = v;
    if (!visit_neighbours(hull, up, v, slack, low)) return 0;
    i = 0; // A vertex may have been inserted anywhere in the list.
  }
  return 1;
}

// Is a face the lowest part of the hull: level up to the slack [m], with its normal downwards? Writes its height.
int hfi_is_lowest_face(const hfiHull* hull, int32_t face, hfVec3 up, double slack, double* height) {
  double lo = INFINITY;
  double hi = -INFINITY;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k) {
    double h = v3_dot(up, hfi_hull_vertex(hull, hull->face_vert[k]));
    lo = min2(lo, h);
    hi = max2(hi, h);
  }
  *height = lo;
  return hi <= lo + slack && v3_dot(up, hfi_hull_normal(hull, face)) < 0;
}

// Does every edge that leaves the ends of an edge rise clearly along `up`?
int hfi_is_lowest_edge(const hfiHull* hull, const int32_t edge[2], hfVec3 up) {
  for (int i = 0; i < 2; ++i) {
    hfVec3 x = hfi_hull_vertex(hull, edge[i]);
    for (int32_t k = hull->edge_start[edge[i]]; k < hull->edge_start[edge[i] + 1]; ++k) {
      if (hull->edge_vert[k] == edge[!i]) continue;

      hfVec3 along = v3_sub(hfi_hull_vertex(hull, hull->edge_vert[k]), x);
      double rise = v3_dot(up, along);
      if (!(rise > 0 && rise * rise > sqr(HFI_LEAST_SLOPE) * v3_norm2(along))) return 0;
    }
  }
  return 1;
}

// Finds the edge that is lowest along `up`, up to the slack [m]. Returns 0 if the lowest part is not an edge.
int hfi_lowest_edge(const hfiHull* hull, hfVec3 up, int32_t start, double slack, int32_t edge[2]) {
  hfiLowest low;
  if (!hfi_lowest_find(hull, up, start, slack, &low) || low.count != 2) return 0;
  edge[0] = low.vertex[0];
  edge[1] = low.vertex[1];
  return 1;
}
