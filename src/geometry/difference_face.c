// Faces of the difference A - B of two hulls, see difference_face.h.
//
//   F    a face of A - B. It comes from a face of one hull and the lowest part (vertex, edge or face) of the other, or from an edge of each hull
//   m    outward unit normal of F; the normal of the contact is n = -m
//   h    distance of F from the origin: the overlap of A and B along m; negative if they are apart
//   "lowest", "up"   Heights are measured along the outward normal of a face of one hull. The lowest part of the other hull is the deepest below this face.
//
// F and the pose alone give the contact: n, gap and witnesses. So it does not matter how F was found: by GJK, EPA and Newton's method in this query, or
// because F fixed the contact of the last query and still does. How to know that it still does?
//
// If the hulls are apart, their distance has one local minimum. F fixes the contact if the origin projects into F.
//
// If the hulls overlap, EPA left a polytope, the shell. Its vertices are points a - b of A - B, and some of its faces, the top faces, lie on F. At another
// pose the same vertices a and b give points of A - B again. F still fixes the contact if (shell_contains_ball)
//
//   1. the top faces still lie in the plane of F, and
//   2. all other faces of the shell look outward and are farther from the origin than h + e.
//
// Proof: no face of the shell cuts the ball of radius h about the origin. The shell encloses the origin, because the solid angles of its faces are all
// positive and add up to a multiple of 4 pi. So A - B contains the ball, and F is its face nearest to the origin. If another face of A - B were nearer than
// h + e, its nearest point would be above the top faces, and its normal would be within sqrt(2 e/h) of m.
#include "geometry/difference_face.h"

#include "geometry/hull_index.h"

// The first five are lengths as shares of the size of the two hulls, hfiCores.scale [-].
//
// A corner of a face lies in its plane if its distance from the plane is at most this.
static const double PLANE_TOLERANCE = 1e-13;
// Two vertices are equally low if their heights differ by at most this.
static const double LEVEL_TOLERANCE = 1e-12;
// A face fixes a contact if its gap is less than the best known gap by at most this.
static const double GAP_TOLERANCE = 1e-11;
// e: the faces of the shell that are not top faces must be farther away than F by this.
static const double SHELL_CLEARANCE = 1e-10;
// The origin must project into the face of the last query, and the projection must be at least this far from the outline of the face.
static const double OUTLINE_CLEARANCE = 1e-4;
// The angle between the normal of a contact and the normal of its face is at most this [rad].
static const double NORMAL_TOLERANCE = 1e-8;
// The cosine of such an angle is certainly above this [-].
static const double NORMAL_COSINE = 1 - 1e-12;
// Edges that leave the lowest part of a hull rise by at least this angle, and two edges that cross have at least this angle between them [rad].
static const double LEAST_SLOPE = 1e-7;

static inline hfVec3 vertex_of(const hfiHull* hull, int32_t v) { return v3_load(hull->vert + 3 * v); }

// ---- faces of one hull -----------------------------------------------------------------------------------

// Do all corners of a face lie in its plane, and no vertex of the hull above it, up to the slack? start: any vertex.
static int is_exact_face(const hfiShape* shape, int32_t face, int32_t start, double slack) {
  const hfiHull* hull = shape->hull;
  const double* plane = hull->face_plane + 4 * face;
  hfVec3 normal = v3_load(plane);
  if (!(v3_dot(normal, hfi_support(shape, normal, &start)) <= plane[3] + slack)) return 0;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k)
    if (!(v3_dot(normal, vertex_of(hull, hull->face_vert[k])) >= plane[3] - slack)) return 0;
  return 1;
}

// Returns the face of a hull whose normal is nearest to the unit direction d. Returns -1 if the angle between the two is above NORMAL_TOLERANCE, or if the
// face is not exact. start: any vertex.
static int32_t find_face(const hfiShape* shape, hfVec3 d, int32_t start, double slack) {
  enum { FEW = 8 };
  const hfiHull* hull = shape->hull;
  hfiLinear along = {d, 0};
  int32_t found[FEW], face = -1;
  int count = hull->index ? hfi_tree_above(&hull->index->face, &along, NORMAL_COSINE, found, FEW) : hull->nface;
  double least = sqr(NORMAL_TOLERANCE);
  for (int k = 0; k < count; ++k) {
    int32_t other = hull->index ? found[k] : k;
    double off = v3_norm2(v3_sub(v3_load(hull->face_plane + 4 * other), d));
    if (off < least) least = off, face = other;
  }
  return face >= 0 && is_exact_face(shape, face, start, slack) ? face : -1;
}

// ---- the lowest part of a hull ---------------------------------------------------------------------------

enum { MOST_LOWEST = 8 };

// The vertices of a hull that are lowest along a direction.
typedef struct Lowest {
  int count;
  int32_t vertex[MOST_LOWEST]; // (count) ascending
  double height;               // their height [m]
  double slope2;               // squared sine of the least angle at which other edges leave them [-]
} Lowest;

// Walks down along edges from vertex v. Returns a vertex that has no lower neighbour, and writes its height.
static int32_t walk_down(const hfiHull* hull, hfVec3 up, int32_t v, double* height) {
  *height = v3_dot(up, vertex_of(hull, v));
  for (int32_t from = -1; from != v;) {
    from = v;
    for (int32_t k = hull->edge_start[from]; k < hull->edge_start[from + 1]; ++k) {
      double h = v3_dot(up, vertex_of(hull, hull->edge_vert[k]));
      if (h < *height) *height = h, v = hull->edge_vert[k];
    }
  }
  return v;
}

// Inserts a vertex into the list, unless it is there already. Returns 0 if there is no room.
static int insert_vertex(Lowest* low, int32_t v) {
  int at = low->count;
  for (int i = 0; i < low->count; ++i)
    if (low->vertex[i] == v) return 1;
  if (low->count == MOST_LOWEST) return 0;
  for (low->count++; at > 0 && low->vertex[at - 1] > v; --at) low->vertex[at] = low->vertex[at - 1];
  low->vertex[at] = v;
  return 1;
}

// Visits all neighbours of vertex v. Those that are equally low, up to the slack, join the list. The slopes of the edges to the others count for slope2.
// Returns 0 if there is no room.
static int visit_neighbours(const hfiHull* hull, hfVec3 up, int32_t v, double slack, Lowest* low) {
  double bottom = low->height, own = v3_dot(up, vertex_of(hull, v));
  for (int32_t k = hull->edge_start[v]; k < hull->edge_start[v + 1]; ++k) {
    int32_t w = hull->edge_vert[k];
    double h = v3_dot(up, vertex_of(hull, w));
    low->height = min2(low->height, h);
    if (h <= bottom + slack) {
      if (!insert_vertex(low, w)) return 0;
      continue;
    }
    double length2 = v3_norm2(v3_sub(vertex_of(hull, w), vertex_of(hull, v)));
    if (sqr(h - own) < low->slope2 * length2) low->slope2 = sqr(h - own) / length2;
  }
  return 1;
}

// Finds the lowest vertices along `up`. They are connected by edges, so it visits the neighbours of each vertex that joins the list. start: any vertex.
// Returns 0 if the lowest vertices are too many.
static int find_lowest(const hfiHull* hull, hfVec3 up, int32_t start, double slack, Lowest* low) {
  int32_t visited[MOST_LOWEST];
  int nvisited = 0, i = 0;
  low->count = 1, low->slope2 = 1;
  low->vertex[0] = walk_down(hull, up, start, &low->height);
  while (i < low->count) {
    int32_t v = low->vertex[i++];
    int k = 0;
    while (k < nvisited && visited[k] != v) ++k;
    if (k < nvisited) continue;
    visited[nvisited++] = v;
    if (!visit_neighbours(hull, up, v, slack, low)) return 0;
    i = 0; // A vertex may have been inserted anywhere in the list.
  }
  return 1;
}

// Is a face the lowest part of its hull along `up`, with all corners equally low up to the slack? Writes the height of its lowest corner.
static int is_lowest_face(const hfiHull* hull, int32_t face, hfVec3 up, double slack, double* height) {
  double lo = INFINITY, hi = -INFINITY;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k) {
    double h = v3_dot(up, vertex_of(hull, hull->face_vert[k]));
    lo = min2(lo, h), hi = max2(hi, h);
  }
  *height = lo;
  return hi <= lo + slack && v3_dot(up, v3_load(hull->face_plane + 4 * face)) < 0;
}

// ---- the contact that a face fixes -----------------------------------------------------------------------
//
// The functions contact_with_... compute the contact that a face F fixes at the pose of the cores. They return how far the projection of the origin is inside
// of F, its distance from the outline [m]; 0 if F fixes no contact.

// Distance of x, a point in the plane of a face, from the outline of the face; 0 if x is outside of it.
static double distance_from_outline(const hfiHull* hull, int32_t face, hfVec3 x) {
  hfVec3 normal = v3_load(hull->face_plane + 4 * face);
  int32_t begin = hull->face_start[face], end = hull->face_start[face + 1];
  hfVec3 from = vertex_of(hull, hull->face_vert[end - 1]);
  double least2 = INFINITY;
  for (int32_t k = begin; k < end; ++k) {
    hfVec3 to = vertex_of(hull, hull->face_vert[k]), along = v3_sub(to, from);
    double inside = v3_dot(v3_cross(normal, along), v3_sub(x, from)), length2 = v3_norm2(along);
    if (!(inside > 0)) return 0;
    if (inside * inside < least2 * length2) least2 = inside * inside / length2;
    from = to;
  }
  return sqrt(least2);
}

// Finds the middle of that part of the segment from x to y which is above a face. Returns 0 if there is no such part.
static int clip_to_face(const hfiHull* hull, int32_t face, hfVec3 x, hfVec3 y, hfVec3* middle) {
  hfVec3 normal = v3_load(hull->face_plane + 4 * face);
  int32_t begin = hull->face_start[face], end = hull->face_start[face + 1];
  hfVec3 from = vertex_of(hull, hull->face_vert[end - 1]);
  double lo = 0, hi = 1;
  for (int32_t k = begin; k < end; ++k) {
    hfVec3 to = vertex_of(hull, hull->face_vert[k]), inward = v3_cross(normal, v3_sub(to, from));
    double at_x = v3_dot(inward, v3_sub(x, from)), at_y = v3_dot(inward, v3_sub(y, from));
    from = to;
    if (at_x < 0 && !(at_y > 0)) return 0;
    if (at_x < 0) lo = max2(lo, at_x / (at_x - at_y));
    else if (at_y < 0) hi = min2(hi, at_x / (at_x - at_y));
  }
  *middle = v3_axpy(0.5 * (lo + hi), v3_sub(y, x), x);
  return lo < hi;
}

// Finds the witness of `other`, a point of its lowest part above a face of `hull`. X: pose of `other` in the frame of `hull`. If one vertex is lowest, it is
// the witness. If an edge is lowest, the witness is the middle of its part above the face. If more vertices are lowest, it is the one farthest inside the
// face. Returns the distance of the witness from the outline of the face; 0 if it is outside.
static double find_witness(const hfiHull* hull, int32_t face, const hfiHull* other, const hfPose* X, const Lowest* low, hfVec3* witness) {
  double most = 0;
  if (low->count == 2) {
    hfVec3 x = pose_point(*X, vertex_of(other, low->vertex[0])), y = pose_point(*X, vertex_of(other, low->vertex[1]));
    return clip_to_face(hull, face, x, y, witness) ? distance_from_outline(hull, face, *witness) : 0;
  }
  for (int i = 0; i < low->count; ++i) {
    hfVec3 x = pose_point(*X, vertex_of(other, low->vertex[i]));
    double inside = distance_from_outline(hull, face, x);
    if (inside > most) most = inside, *witness = x;
  }
  return most;
}

// The same if the lowest part of `other` is its face `lowest`. The witness is the first corner that is farther inside than `enough`, so that few of many
// corners need be examined. If there is no such corner, it is the one farthest inside.
static double find_witness_of_face(const hfiHull* hull, int32_t face, const hfiHull* other, int32_t lowest, const hfPose* X, double enough, hfVec3* witness) {
  double most = 0;
  for (int32_t k = other->face_start[lowest]; k < other->face_start[lowest + 1] && !(most > enough); ++k) {
    hfVec3 x = pose_point(*X, vertex_of(other, other->face_vert[k]));
    double inside = distance_from_outline(hull, face, x);
    if (inside > most) most = inside, *witness = x;
  }
  return most;
}

// Finds the lowest part of B along m, the outward normal of a face of A, and its height. If it is a face, f->b[1] becomes this face; the face of the last
// query is tried first. Otherwise f->b[1] becomes -1, and *low holds the lowest vertices. Returns 0 if the lowest part is no face and has too many vertices.
static int find_lowest_of_B(const hfiCores* c, hfVec3 m, hfiDifferenceFace* f, Lowest* low, double* height) {
  const hfiHull* hull = c->B->hull;
  hfVec3 up = m3_tmulv(c->X_AB.R, m);
  double slack = LEVEL_TOLERANCE * c->scale;
  if (f->b[1] >= 0 && is_lowest_face(hull, f->b[1], up, slack, height)) return 1;
  f->b[1] = -1;
  int few = find_lowest(hull, up, f->b[0], slack, low);
  f->b[0] = low->vertex[0];
  *height = low->height;
  if (few && low->count <= 2) return 1;
  int32_t face = find_face(c->B, v3_neg(up), f->b[0], PLANE_TOLERANCE * c->scale);
  if (face >= 0 && is_lowest_face(hull, face, up, slack, height)) f->b[1] = face;
  else *height = low->height;
  return few || f->b[1] >= 0;
}

static double contact_with_face_of_A(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  const double* plane = c->A->hull->face_plane + 4 * f->a[0];
  hfVec3 m = v3_load(plane);
  Lowest low;
  double height;
  if (!find_lowest_of_B(c, m, f, &low, &height)) return 0;
  double inside = f->b[1] < 0 ? find_witness(c->A->hull, f->a[0], c->B->hull, &c->X_AB, &low, &closest->pb)
                              : find_witness_of_face(c->A->hull, f->a[0], c->B->hull, f->b[1], &c->X_AB, OUTLINE_CLEARANCE * c->scale, &closest->pb);
  closest->gap = height + (v3_dot(m, c->X_AB.p) - plane[3]);
  closest->n = v3_neg(m);
  closest->pa = v3_axpy(closest->gap, closest->n, closest->pb);
  return inside;
}

// Returns 0 if the lowest part of A is a face, or nearly one: contact_with_face_of_A computes this contact.
static double contact_with_face_of_B(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  hfPose X_BA = pose_inverse(c->X_AB);
  hfVec3 witness_B = v3_zero();
  Lowest low;
  const double* plane = c->B->hull->face_plane + 4 * f->b[0];
  hfVec3 m = v3_load(plane);
  if (!find_lowest(c->A->hull, m3_tmulv(X_BA.R, m), f->a[0], LEVEL_TOLERANCE * c->scale, &low)) return 0;
  f->a[0] = low.vertex[0];
  double inside = find_witness(c->B->hull, f->b[0], c->A->hull, &X_BA, &low, &witness_B);
  closest->gap = low.height + (v3_dot(m, X_BA.p) - plane[3]);
  closest->n = m3_mulv(c->X_AB.R, m);
  closest->pa = pose_point(c->X_AB, witness_B);
  closest->pb = v3_axpy(-closest->gap, closest->n, closest->pa);
  return low.count <= 2 && low.slope2 > sqr(LEAST_SLOPE) ? inside : 0;
}

// Do all other edges at the two ends of an edge rise along `up`, at LEAST_SLOPE or more?
static int is_lowest_edge(const hfiHull* hull, const int32_t edge[2], hfVec3 up) {
  for (int i = 0; i < 2; ++i) {
    hfVec3 x = vertex_of(hull, edge[i]);
    for (int32_t k = hull->edge_start[edge[i]]; k < hull->edge_start[edge[i] + 1]; ++k) {
      if (hull->edge_vert[k] == edge[!i]) continue;
      hfVec3 along = v3_sub(vertex_of(hull, hull->edge_vert[k]), x);
      double rise = v3_dot(up, along);
      if (!(rise > 0 && rise * rise > sqr(LEAST_SLOPE) * v3_norm2(along))) return 0;
    }
  }
  return 1;
}

// Returns n or -n: the one that points from an edge to the side on which its hull lies. n is perpendicular to the edge.
static inline hfVec3 point_into_hull(const hfiHull* hull, const int32_t edge[2], hfVec3 n) {
  int32_t first = hull->edge_start[edge[0]], beside = hull->edge_vert[first] == edge[1] ? hull->edge_vert[first + 1] : hull->edge_vert[first];
  return v3_dot(n, v3_sub(vertex_of(hull, beside), vertex_of(hull, edge[0]))) < 0 ? v3_neg(n) : n;
}

// The edge of A goes from a to a + u, the edge of B from b to b + v. They are nearest at a + s u and b + t v, whose difference is along u x v; s and t are
// between 0 and 1.
static double contact_of_edges(const hfiCores* c, const hfiDifferenceFace* f, hfiClosest* closest) {
  const hfiHull *A = c->A->hull, *B = c->B->hull;
  hfVec3 a = vertex_of(A, f->a[0]), u = v3_sub(vertex_of(A, f->a[1]), a);
  hfVec3 b = pose_point(c->X_AB, vertex_of(B, f->b[0])), v = v3_sub(pose_point(c->X_AB, vertex_of(B, f->b[1])), b), m = v3_cross(u, v), ab = v3_sub(b, a);
  double m2 = v3_norm2(m), uu = v3_norm2(u), vv = v3_norm2(v);
  if (!(m2 > sqr(LEAST_SLOPE) * uu * vv)) return 0;
  double s = v3_dot(v3_cross(ab, v), m) / m2, t = v3_dot(v3_cross(ab, u), m) / m2;
  double inside = min2(min2(s, 1 - s) * sqrt(uu), min2(t, 1 - t) * sqrt(vv)) * sqrt(m2 / (uu * vv));
  if (!(inside > 0)) return 0;
  hfVec3 n = point_into_hull(A, f->a, v3_scale(1 / sqrt(m2), m)), minus_n_B = m3_tmulv(c->X_AB.R, v3_neg(n));
  if (!is_lowest_edge(A, f->a, n) || !is_lowest_edge(B, f->b, minus_n_B)) return 0;
  closest->n = n;
  closest->gap = -v3_dot(n, ab);
  closest->pb = v3_axpy(t, v, b);
  closest->pa = v3_axpy(closest->gap, n, closest->pb);
  return inside;
}

static double contact_with_face(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  if (f->kind == HFI_FACE_OF_A) return contact_with_face_of_A(c, f, closest);
  return f->kind == HFI_FACE_OF_B ? contact_with_face_of_B(c, f, closest) : contact_of_edges(c, f, closest);
}

// ---- the face of A - B that fixes a contact --------------------------------------------------------------

// Finds the edge that is the lowest part of a hull along `up`. Returns 0 if the lowest part is a vertex or a face.
static int find_lowest_edge(const hfiHull* hull, hfVec3 up, int32_t start, double slack, int32_t edge[2]) {
  Lowest low;
  if (!find_lowest(hull, up, start, slack, &low) || low.count != 2) return 0;
  edge[0] = low.vertex[0], edge[1] = low.vertex[1];
  return 1;
}

// Does the face fix the contact `closest`: are gap and normal the same up to tolerances? Then replaces `closest` by the contact computed from the face.
static int fixes_contact(const hfiCores* c, hfiDifferenceFace* face, hfiClosest* closest) {
  hfiClosest of_face;
  if (!(contact_with_face(c, face, &of_face) > 0)) return 0;
  if (!(of_face.gap >= closest->gap - GAP_TOLERANCE * c->scale && v3_norm2(v3_sub(of_face.n, closest->n)) < sqr(NORMAL_TOLERANCE))) return 0;
  *closest = of_face;
  return 1;
}

int hfi_difference_face_find(hfiCores* c, const hfiSimplex* s, hfiClosest* closest, hfiDifferenceFace* face) {
  double slack = PLANE_TOLERANCE * c->scale, level = LEVEL_TOLERANCE * c->scale;
  int32_t a = s->point[0].vertex_a, b = s->point[0].vertex_b;
  *face = (hfiDifferenceFace){HFI_FACE_OF_A, {find_face(c->A, v3_neg(closest->n), a, slack), 0}, {b, -1}};
  if (face->a[0] >= 0 && fixes_contact(c, face, closest)) return 1;
  *face = (hfiDifferenceFace){HFI_FACE_OF_B, {a, 0}, {find_face(c->B, m3_tmulv(c->X_AB.R, closest->n), b, slack), 0}};
  if (face->b[0] >= 0 && fixes_contact(c, face, closest)) return 1;
  face->kind = HFI_EDGE_PAIR;
  if (find_lowest_edge(c->A->hull, closest->n, a, level, face->a) && find_lowest_edge(c->B->hull, m3_tmulv(c->X_AB.R, v3_neg(closest->n)), b, level, face->b) &&
      fixes_contact(c, face, closest))
    return 1;
  face->kind = HFI_NO_FACE;
  return 0;
}

// ---- from one query to the next --------------------------------------------------------------------------

// Does the shell of the last query, at the present pose, contain the ball about the origin with radius h, which touches F? m: outward normal of F.
static int shell_contains_ball(const hfiShell* s, const hfiCores* c, hfVec3 m, double h) {
  hfVec3 w[HFI_SHELL_VERTICES];
  double in_plane = h - GAP_TOLERANCE * c->scale, farther = h + SHELL_CLEARANCE * c->scale, not_folded = -GAP_TOLERANCE * sqr(c->scale);
  for (int i = 0; i < s->nvertex; ++i) w[i] = v3_sub(vertex_of(c->A->hull, s->a[i]), pose_point(c->X_AB, vertex_of(c->B->hull, s->b[i])));
  for (int k = 0; k < s->nface; ++k) {
    hfVec3 x = w[s->face[k][0]], y = w[s->face[k][1]], z = w[s->face[k][2]], out = v3_cross(v3_sub(y, x), v3_sub(z, x));
    if (k < s->ntop) {
      if (!(v3_dot(m, x) >= in_plane && v3_dot(m, y) >= in_plane && v3_dot(m, z) >= in_plane && v3_dot(m, out) >= not_folded)) return 0;
      continue;
    }
    double distance = v3_dot(out, x);
    if (!(distance > 0 && distance * distance > sqr(farther) * v3_norm2(out))) return 0;
  }
  return s->nface > 0;
}

int hfi_last_face_holds(hfiLastFace* last, const hfiCores* c, hfiClosest* closest) {
  if (last->face.kind == HFI_NO_FACE || !(contact_with_face(c, &last->face, closest) > OUTLINE_CLEARANCE * c->scale)) return 0;
  return closest->gap > 0 || shell_contains_ball(&last->shell, c, v3_neg(closest->n), -closest->gap);
}
