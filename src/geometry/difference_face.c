// Faces of the difference A - B of two hulls, see difference_face.h.
//
//   F    a face of A - B: a face of one hull and the vertex, edge or face of the other one that is deepest below it, or two edges that cross
//   m    its outward unit normal; the normal of the contact is n = -m
//   h    its distance from the origin, the overlap of A and B along m; negative: they are apart
//
// F and the pose alone give n, gap and witnesses. So it does not matter how F was found: by GJK, EPA and Newton's method, or because F held the
// contact of the last query and still does. How to know that it still does?
//
// Hulls that are apart: their distance has one local minimum. F holds the contact if the origin projects into F.
//
// Hulls that overlap: EPA left a polytope whose vertices are support points a - b of A - B. Some of its faces lie on F. At another pose the same
// vertices a and b give points a - b of A - B again. F still holds the contact if the faces on F still lie in the plane of F, and all other faces
// look outward and are farther from the origin than h + e. For then no face of the polytope cuts the ball of radius h about the origin, and the
// polytope encloses the origin: the solid angles of its faces are all positive and add up to a multiple of 4 pi. So A - B contains the ball, and F is
// the face nearest to the origin. Another face of A - B nearer than h + e would have its nearest point above the faces on F, and its normal would be
// within sqrt(2 e/h) of m.
#include "geometry/difference_face.h"

#include "geometry/hull_index.h"

// Shares of the sizes [-]: a corner lies in the plane of its face if it is nearer to it than the first; two vertices are equally low if their heights
// differ by less than the second.
static const double FLAT = 1e-13, LEVEL = 1e-12;
// A face fixes a contact if the separation along its normal is below the best known separation by at most this share of the sizes [-].
static const double AS_GOOD = 1e-11;
// e over the sizes: the other faces of the polytope must be farther away than F by this [-].
static const double FARTHER = 1e-10;
// The origin must project into the face of the last query, at a distance of at least this share of the sizes from its outline [-].
static const double INSIDE = 1e-4;
// The angle between the normal of a contact and that of its face is at most this [rad].
static const double NEAR = 1e-8;
// The cosine of such an angle is surely above this [-].
static const double NEARLY_ONE = 1 - 1e-12;
// Edges that leave the lowest part of a hull rise by at least this angle [rad].
static const double APART = 1e-7;

static inline hfVec3 vertex_of(const hfiHull* hull, int32_t v) { return v3_load(hull->vert + 3 * v); }

// ---- faces -----------------------------------------------------------------------------------------------

// Do all corners of a face lie in its plane, and does no vertex of the hull lie above it?
static int is_good_face(const hfiShape* shape, int32_t face, int32_t start, double slack) {
  const hfiHull* hull = shape->hull;
  const double* plane = hull->face_plane + 4 * face;
  hfVec3 normal = v3_load(plane);
  if (!(v3_dot(normal, hfi_support(shape, normal, &start)) <= plane[3] + slack)) return 0;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k)
    if (!(v3_dot(normal, vertex_of(hull, hull->face_vert[k])) >= plane[3] - slack)) return 0;
  return 1;
}

// Finds the face of a hull whose normal is nearest to the unit direction d. Returns -1 if its normal is not within NEAR of d, or if the face is not
// good.
static int32_t find_face(const hfiShape* shape, hfVec3 d, int32_t support, double slack) {
  enum { FEW = 8 };
  const hfiHull* hull = shape->hull;
  hfiLinear along = {d, 0};
  int32_t found[FEW], face = -1;
  int count = hull->index ? hfi_tree_above(&hull->index->face, &along, NEARLY_ONE, found, FEW) : hull->nface;
  double least = sqr(NEAR);
  for (int k = 0; k < count; ++k) {
    int32_t other = hull->index ? found[k] : k;
    double off = v3_norm2(v3_sub(v3_load(hull->face_plane + 4 * other), d));
    if (off < least) least = off, face = other;
  }
  return face >= 0 && is_good_face(shape, face, support, slack) ? face : -1;
}

// ---- what is deepest below a face ------------------------------------------------------------------------

enum { MOST_LOWEST = 8 };

// The vertices of a hull that are lowest along a direction, in ascending order, their height, and the least slope of the edges that leave them.
typedef struct Lowest {
  int count;
  int32_t vertex[MOST_LOWEST];
  double height, rise2; // height [m], squared sine of the least slope [-]
} Lowest;

// Walks down along edges from vertex v. Returns a vertex without a lower neighbour.
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

// Inserts a vertex in ascending order, unless it is listed already. Returns 0 if there is no room.
static int list_vertex(Lowest* low, int32_t v) {
  int at = low->count;
  for (int i = 0; i < low->count; ++i)
    if (low->vertex[i] == v) return 1;
  if (low->count == MOST_LOWEST) return 0;
  for (low->count++; at > 0 && low->vertex[at - 1] > v; --at) low->vertex[at] = low->vertex[at - 1];
  low->vertex[at] = v;
  return 1;
}

// Visits all neighbours of vertex v: lists those that are equally low, up to the slack, and lowers rise2 for the others. Returns 0 if there is no
// room.
static int see_neighbours(const hfiHull* hull, hfVec3 up, int32_t v, double slack, Lowest* low) {
  double bottom = low->height, own = v3_dot(up, vertex_of(hull, v));
  for (int32_t k = hull->edge_start[v]; k < hull->edge_start[v + 1]; ++k) {
    int32_t w = hull->edge_vert[k];
    double h = v3_dot(up, vertex_of(hull, w));
    low->height = min2(low->height, h);
    if (h <= bottom + slack) {
      if (!list_vertex(low, w)) return 0;
      continue;
    }
    double length2 = v3_norm2(v3_sub(vertex_of(hull, w), vertex_of(hull, v)));
    if (sqr(h - own) < low->rise2 * length2) low->rise2 = sqr(h - own) / length2;
  }
  return 1;
}

// Finds the lowest vertices along `up`, which are connected by edges. start: any vertex. Returns 0 if they are too many.
static int find_lowest(const hfiHull* hull, hfVec3 up, int32_t start, double slack, Lowest* low) {
  int32_t seen[MOST_LOWEST];
  int nseen = 0, i = 0;
  low->count = 1, low->rise2 = 1;
  low->vertex[0] = walk_down(hull, up, start, &low->height);
  while (i < low->count) {
    int32_t v = low->vertex[i++];
    int k = 0;
    while (k < nseen && seen[k] != v) ++k;
    if (k < nseen) continue;
    seen[nseen++] = v;
    if (!see_neighbours(hull, up, v, slack, low)) return 0;
    i = 0; // The order may have changed.
  }
  return 1;
}

// Is a face the lowest part of its hull along `up`, and level up to the slack? *height: height of its lowest corner.
static int face_is_level(const hfiHull* hull, int32_t face, hfVec3 up, double slack, double* height) {
  double lo = INFINITY, hi = -INFINITY;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k) {
    double h = v3_dot(up, vertex_of(hull, hull->face_vert[k]));
    lo = min2(lo, h), hi = max2(hi, h);
  }
  *height = lo;
  return hi <= lo + slack && v3_dot(up, v3_load(hull->face_plane + 4 * face)) < 0;
}

// ---- what a face says of the contact ---------------------------------------------------------------------

// How far inside a face the point x of its plane is; 0 if it is outside.
static double depth_inside(const hfiHull* hull, int32_t face, hfVec3 x) {
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

// The middle of the part of the segment from x to y that is over a face. Returns 0 if there is no such part.
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

// Finds the witness over a face: a point of the lowest part of the hull `other`, whose pose in the frame of `hull` is X. If one vertex is lowest, it
// is the witness; if an edge is, the middle of its part over the face; if more vertices are, the one farthest inside the face. Returns how far inside
// the face the witness is; 0 if it is outside.
static double find_witness(const hfiHull* hull, int32_t face, const hfiHull* other, const hfPose* X, const Lowest* low, hfVec3* witness) {
  double most = 0;
  if (low->count == 2) {
    hfVec3 x = pose_point(*X, vertex_of(other, low->vertex[0])), y = pose_point(*X, vertex_of(other, low->vertex[1]));
    return clip_to_face(hull, face, x, y, witness) ? depth_inside(hull, face, *witness) : 0;
  }
  for (int i = 0; i < low->count; ++i) {
    hfVec3 x = pose_point(*X, vertex_of(other, low->vertex[i]));
    double inside = depth_inside(hull, face, x);
    if (inside > most) most = inside, *witness = x;
  }
  return most;
}

// Finds the witness over a face if face `lowest` of `other`, whose pose in the frame of `hull` is X, is its lowest part: the first corner that is farther
// inside than `enough`, so that few of many corners are examined, or if there is none the corner farthest inside. Returns how far inside it is; 0: outside.
static double find_witness_of_face(const hfiHull* hull, int32_t face, const hfiHull* other, int32_t lowest, const hfPose* X, double enough, hfVec3* witness) {
  double most = 0;
  for (int32_t k = other->face_start[lowest]; k < other->face_start[lowest + 1] && !(most > enough); ++k) {
    hfVec3 x = pose_point(*X, vertex_of(other, other->face_vert[k]));
    double inside = depth_inside(hull, face, x);
    if (inside > most) most = inside, *witness = x;
  }
  return most;
}

// Finds the lowest part of B above a face of A, which has the outward normal m, and its height. If the lowest part is a face, f->b[1] becomes this face.
// Otherwise f->b[1] becomes -1 and *low holds the lowest vertices. A face that was the lowest in the last query is tried first. Returns 0 if the lowest
// part is no face and has too many vertices.
static int find_lowest_of_B(const hfiCores* c, hfVec3 m, hfiDifferenceFace* f, Lowest* low, double* height) {
  const hfiHull* hull = c->B->hull;
  hfVec3 up = m3_tmulv(c->X_AB.R, m);
  double slack = LEVEL * c->scale;
  if (f->b[1] >= 0 && face_is_level(hull, f->b[1], up, slack, height)) return 1;
  f->b[1] = -1;
  int few = find_lowest(hull, up, f->b[0], slack, low);
  f->b[0] = low->vertex[0];
  *height = low->height;
  if (few && low->count <= 2) return 1;
  int32_t face = find_face(c->B, v3_neg(up), f->b[0], FLAT * c->scale);
  if (face >= 0 && face_is_level(hull, face, up, slack, height)) f->b[1] = face;
  else *height = low->height;
  return few || f->b[1] >= 0;
}

static double meet_face_of_A(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  const double* plane = c->A->hull->face_plane + 4 * f->a[0];
  hfVec3 m = v3_load(plane);
  Lowest low;
  double height;
  if (!find_lowest_of_B(c, m, f, &low, &height)) return 0;
  double inside = f->b[1] < 0 ? find_witness(c->A->hull, f->a[0], c->B->hull, &c->X_AB, &low, &closest->pb)
                              : find_witness_of_face(c->A->hull, f->a[0], c->B->hull, f->b[1], &c->X_AB, INSIDE * c->scale, &closest->pb);
  closest->gap = height + (v3_dot(m, c->X_AB.p) - plane[3]);
  closest->n = v3_neg(m);
  closest->pa = v3_axpy(closest->gap, closest->n, closest->pb);
  return inside;
}

// Returns 0 if a face of A is parallel to the face of B: in that case meet_face_of_A decides.
static double meet_face_of_B(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  hfPose X_BA = pose_inverse(c->X_AB);
  hfVec3 witness_B = v3_zero();
  Lowest low;
  const double* plane = c->B->hull->face_plane + 4 * f->b[0];
  hfVec3 m = v3_load(plane);
  if (!find_lowest(c->A->hull, m3_tmulv(X_BA.R, m), f->a[0], LEVEL * c->scale, &low)) return 0;
  f->a[0] = low.vertex[0];
  double inside = find_witness(c->B->hull, f->b[0], c->A->hull, &X_BA, &low, &witness_B);
  closest->gap = low.height + (v3_dot(m, X_BA.p) - plane[3]);
  closest->n = m3_mulv(c->X_AB.R, m);
  closest->pa = pose_point(c->X_AB, witness_B);
  closest->pb = v3_axpy(-closest->gap, closest->n, closest->pa);
  return low.count <= 2 && low.rise2 > sqr(APART) ? inside : 0;
}

// Do all other edges at the two ends of the edge rise along `up`, by an angle of APART at least?
static int edge_is_lowest(const hfiHull* hull, const int32_t edge[2], hfVec3 up) {
  for (int i = 0; i < 2; ++i) {
    hfVec3 x = vertex_of(hull, edge[i]);
    for (int32_t k = hull->edge_start[edge[i]]; k < hull->edge_start[edge[i] + 1]; ++k) {
      if (hull->edge_vert[k] == edge[!i]) continue;
      hfVec3 way = v3_sub(vertex_of(hull, hull->edge_vert[k]), x);
      double rise = v3_dot(up, way);
      if (!(rise > 0 && rise * rise > sqr(APART) * v3_norm2(way))) return 0;
    }
  }
  return 1;
}

// An edge of A from a along u and an edge of B from b along v are nearest at a + s u and b + t v, whose difference is along m = u x v. s and t are
// shares of their lengths.
static double meet_edges(const hfiCores* c, const hfiDifferenceFace* f, hfiClosest* closest) {
  const hfiHull *A = c->A->hull, *B = c->B->hull;
  hfVec3 a = vertex_of(A, f->a[0]), u = v3_sub(vertex_of(A, f->a[1]), a);
  hfVec3 b = pose_point(c->X_AB, vertex_of(B, f->b[0])), v = v3_sub(pose_point(c->X_AB, vertex_of(B, f->b[1])), b), m = v3_cross(u, v), ab = v3_sub(b, a);
  double m2 = v3_norm2(m), uu = v3_norm2(u), vv = v3_norm2(v);
  if (!(m2 > sqr(APART) * uu * vv)) return 0;
  double s = v3_dot(v3_cross(ab, v), m) / m2, t = v3_dot(v3_cross(ab, u), m) / m2;
  double inside = min2(min2(s, 1 - s) * sqrt(uu), min2(t, 1 - t) * sqrt(vv)) * sqrt(m2 / (uu * vv));
  if (!(inside > 0)) return 0;
  hfVec3 n = v3_scale(1 / sqrt(m2), m), down;
  int32_t first = A->edge_start[f->a[0]], beside = A->edge_vert[first] == f->a[1] ? A->edge_vert[first + 1] : A->edge_vert[first];
  if (v3_dot(n, v3_sub(vertex_of(A, beside), a)) < 0) n = v3_neg(n); // A lies on the side of its edge that n points to.
  down = m3_tmulv(c->X_AB.R, v3_neg(n));
  if (!edge_is_lowest(A, f->a, n) || !edge_is_lowest(B, f->b, down)) return 0;
  closest->n = n;
  closest->gap = -v3_dot(n, ab);
  closest->pb = v3_axpy(t, v, b);
  closest->pa = v3_axpy(closest->gap, n, closest->pb);
  return inside;
}

// Computes the contact that a face fixes at the pose of the cores. Returns how far inside the face the origin projects; 0 if the face fixes no
// contact.
static double meet(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  if (f->kind == HFI_FACE_OF_A) return meet_face_of_A(c, f, closest);
  return f->kind == HFI_FACE_OF_B ? meet_face_of_B(c, f, closest) : meet_edges(c, f, closest);
}

// ---- the face of a contact -------------------------------------------------------------------------------

// Finds the edge of a hull that is lowest along `up`. Returns 0 if not an edge, but a vertex or a face is lowest.
static int find_edge(const hfiHull* hull, hfVec3 up, int32_t start, double slack, int32_t edge[2]) {
  Lowest low;
  if (!find_lowest(hull, up, start, slack, &low) || low.count != 2) return 0;
  edge[0] = low.vertex[0], edge[1] = low.vertex[1];
  return 1;
}

// If the separation along the normal of the face is as good as that of `closest`, computes `closest` from the face and returns 1.
static int takes_over(const hfiCores* c, hfiDifferenceFace* face, hfiClosest* closest) {
  hfiClosest own;
  if (!(meet(c, face, &own) > 0 && own.gap >= closest->gap - AS_GOOD * c->scale && v3_norm2(v3_sub(own.n, closest->n)) < sqr(NEAR))) return 0;
  *closest = own;
  return 1;
}

int hfi_difference_face_find(hfiCores* c, const hfiSimplex* s, hfiClosest* closest, hfiDifferenceFace* face) {
  double slack = FLAT * c->scale, level = LEVEL * c->scale;
  int32_t a = s->point[0].vertex_a, b = s->point[0].vertex_b;
  *face = (hfiDifferenceFace){HFI_FACE_OF_A, {find_face(c->A, v3_neg(closest->n), a, slack), 0}, {b, -1}};
  if (face->a[0] >= 0 && takes_over(c, face, closest)) return 1;
  *face = (hfiDifferenceFace){HFI_FACE_OF_B, {a, 0}, {find_face(c->B, m3_tmulv(c->X_AB.R, closest->n), b, slack), 0}};
  if (face->b[0] >= 0 && takes_over(c, face, closest)) return 1;
  face->kind = HFI_EDGE_PAIR;
  if (find_edge(c->A->hull, closest->n, a, level, face->a) && find_edge(c->B->hull, m3_tmulv(c->X_AB.R, v3_neg(closest->n)), b, level, face->b) &&
      takes_over(c, face, closest))
    return 1;
  face->kind = HFI_NO_FACE;
  return 0;
}

// ---- from one query to the next --------------------------------------------------------------------------

// Does the polytope of the last query, at the present pose, contain the ball about the origin that touches the face with the outward normal m and
// distance h?
static int shell_holds(const hfiShell* s, const hfiCores* c, hfVec3 m, double h) {
  hfVec3 w[HFI_SHELL_VERTICES];
  double top = h - AS_GOOD * c->scale, farther = h + FARTHER * c->scale, folded = -AS_GOOD * sqr(c->scale);
  for (int i = 0; i < s->nvertex; ++i) w[i] = v3_sub(vertex_of(c->A->hull, s->a[i]), pose_point(c->X_AB, vertex_of(c->B->hull, s->b[i])));
  for (int k = 0; k < s->nface; ++k) {
    hfVec3 x = w[s->face[k][0]], y = w[s->face[k][1]], z = w[s->face[k][2]], out = v3_cross(v3_sub(y, x), v3_sub(z, x));
    if (k < s->ntop) {
      if (!(v3_dot(m, x) >= top && v3_dot(m, y) >= top && v3_dot(m, z) >= top && v3_dot(m, out) >= folded)) return 0;
      continue;
    }
    double distance = v3_dot(out, x);
    if (!(distance > 0 && distance * distance > sqr(farther) * v3_norm2(out))) return 0;
  }
  return s->nface > 0;
}

int hfi_last_face_holds(hfiLastFace* last, const hfiCores* c, hfiClosest* closest) {
  if (last->face.kind == HFI_NO_FACE || !(meet(c, &last->face, closest) > INSIDE * c->scale)) return 0;
  return closest->gap > 0 || shell_holds(&last->shell, c, v3_neg(closest->n), -closest->gap);
}
