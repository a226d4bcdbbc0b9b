// Faces of the difference A - B of two hulls, see difference_face.h.
//
//   F    a face of A - B. It comes from a face of one hull and the lowest part (vertex, edge or face) of the other, or
//        from an edge of each hull
//   m    outward unit normal of F; the normal of the contact is n = -m
//   h    distance of F from the origin: the overlap of A and B along m; negative if they are apart
//   "lowest", "up"   Heights are measured along the outward normal of a face of one hull. The lowest part of the other
//                    hull is the deepest below this face.
//
// The contact that F fixes, in the frame of A (f: outward unit normal of a face whose plane is f.x = offset; witness: a
// point of the lowest part):
//
//   face of A              m = f     gap = min over B of f.x - offset     pb = witness of B     pa = pb + gap n
//   face of B              m = -f    gap = min over A of f.x - offset     pa = witness of A     pb = pa - gap n
//   edges a + s u of A     m || u x v, out of A                           pb = b + t v          pa = pb + gap n
//     and b + t v of B     gap = -n.(b - a)
//                          s = ((b - a) x v).(u x v)/|u x v|^2     t = ((b - a) x u).(u x v)/|u x v|^2
//                          both between 0 and 1
//
// F and the pose alone give the contact: n, gap and witnesses. So it does not matter how F was found: by GJK, EPA and
// Newton's method in this query, or because F fixed the contact of the last query and still does. How to know that it
// still does?
//
// If the hulls are apart, their distance has one local minimum. F fixes the contact if the origin projects into F.
//
// If the hulls overlap, EPA left a polytope, the shell. Its vertices are points a - b of A - B, and some of its faces,
// the top faces, lie on F. At another pose the same vertices a and b give points of A - B again. F still fixes the
// contact if (shell_contains_ball)
//
//   1. the top faces still lie in the plane of F, and
//   2. all other faces of the shell look outward and are farther from the origin than h + e.
//
// Proof: no face of the shell cuts the ball of radius h about the origin. The shell encloses the origin, because the
// solid angles of its faces are all positive and add up to a multiple of 4 pi. So A - B contains the ball, and F is its
// face nearest to the origin. If another face of A - B were nearer than h + e, its nearest point would be above the top
// faces, and its normal would be within sqrt(2 e/h) of m.
#include "step/geometry/difference_face.h"

#include "step/geometry/hull_index.h"
#include "step/geometry/lowest.h"

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
// The origin must project into the face of the last query, and the projection must be at least this far from the
// outline of the face.
static const double OUTLINE_CLEARANCE = 1e-4;
// The angle between the normal of a contact and the normal of its face is at most this [rad].
static const double NORMAL_TOLERANCE = 1e-8;
// The cosine of such an angle is certainly above this [-].
static const double NORMAL_COSINE = 1 - 1e-12;

// ---- faces of one hull -----------------------------------------------------------------------------------

// Do all corners of a face lie in its plane, and all vertices of the hull in it or below it? Both may be off by the
// slack. start: any vertex, where the search for the highest one begins.
static int is_exact_face(const hfiShape* shape, int32_t face, int32_t start, double slack) {
  const hfiHull* hull = shape->hull;
  const double* plane = hull->face_plane + 4 * face;
  hfVec3 normal = v3_load(plane);

  double highest = v3_dot(normal, hfi_support(shape, normal, &start));
  if (!(highest <= plane[3] + slack)) return 0;
  for (int32_t k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k) {
    double height = v3_dot(normal, hfi_hull_vertex(hull, hull->face_vert[k]));
    if (!(height >= plane[3] - slack)) return 0;
  }
  return 1;
}

// Returns the face of a hull whose normal is nearest to the unit direction d. Returns -1 if the angle between the two
// is above NORMAL_TOLERANCE, or if the face is not exact. start: any vertex.
static int32_t find_face(const hfiShape* shape, hfVec3 d, int32_t start, double slack) {
  enum { MOST_FOUND = 8 };
  const hfiHull* hull = shape->hull;

  // the index finds the few faces whose normals are near d; without it all are tried
  int32_t found[MOST_FOUND];
  int count = hull->nface;
  if (hull->index) {
    hfiLinear along = {d, 0};
    count = hfi_tree_above(&hull->index->face, &along, NORMAL_COSINE, found, MOST_FOUND);
  }

  double least2 = sqr(NORMAL_TOLERANCE);
  int32_t nearest = -1;
  for (int k = 0; k < count; ++k) {
    int32_t face = hull->index ? found[k] : k;
    double distance2 = v3_norm2(v3_sub(hfi_hull_normal(hull, face), d));
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = face;
  }
  if (nearest < 0 || !is_exact_face(shape, nearest, start, slack)) return -1;
  return nearest;
}

// ---- the contact that a face fixes -----------------------------------------------------------------------
//
// The functions compute_contact_... compute the contact that a face F fixes at the pose of the cores. They return how
// far the projection of the origin is inside of F, its distance from the outline [m]; 0 if F fixes no contact.

// Distance of x, a point in the plane of a face, from the outline of the face; 0 if x is outside of it.
static double distance_from_outline(const hfiHull* hull, int32_t face, hfVec3 x) {
  hfVec3 normal = hfi_hull_normal(hull, face);
  int32_t begin = hull->face_start[face];
  int32_t end = hull->face_start[face + 1];

  hfVec3 from = hfi_hull_vertex(hull, hull->face_vert[end - 1]);
  double least2 = INFINITY;
  for (int32_t k = begin; k < end; ++k) {
    hfVec3 to = hfi_hull_vertex(hull, hull->face_vert[k]);
    hfVec3 along = v3_sub(to, from);
    double inside = v3_dot(v3_cross(normal, along), v3_sub(x, from));
    double length2 = v3_norm2(along);
    if (!(inside > 0)) return 0;

    if (inside * inside < least2 * length2) least2 = inside * inside / length2;
    from = to;
  }
  return sqrt(least2);
}

// Finds the middle of that part of the segment from x to y which is above a face. Returns 0 if there is no such part.
static int clip_to_face(const hfiHull* hull, int32_t face, hfVec3 x, hfVec3 y, hfVec3* middle) {
  hfVec3 normal = hfi_hull_normal(hull, face);
  int32_t begin = hull->face_start[face];
  int32_t end = hull->face_start[face + 1];

  // cuts the part [lo, hi] at each side
  hfVec3 from = hfi_hull_vertex(hull, hull->face_vert[end - 1]);
  double lo = 0;
  double hi = 1;
  for (int32_t k = begin; k < end; ++k) {
    hfVec3 to = hfi_hull_vertex(hull, hull->face_vert[k]);
    hfVec3 inward = v3_cross(normal, v3_sub(to, from));
    double inside_x = v3_dot(inward, v3_sub(x, from));
    double inside_y = v3_dot(inward, v3_sub(y, from));
    from = to;

    if (inside_x < 0 && !(inside_y > 0)) return 0;
    if (inside_x < 0) lo = max2(lo, inside_x / (inside_x - inside_y));
    else if (inside_y < 0) hi = min2(hi, inside_x / (inside_x - inside_y));
  }
  *middle = v3_axpy(0.5 * (lo + hi), v3_sub(y, x), x);
  return lo < hi;
}

// A face of a hull, and the other hull above it.
typedef struct Above {
  const hfiHull* hull;
  int32_t face;
  const hfiHull* other;
  const hfPose* X; // pose of `other` in the frame of `hull`
} Above;

// A vertex of the other hull, in the frame of the hull that has the face.
static hfVec3 vertex_above(const Above* a, int32_t v) { return pose_point(*a->X, hfi_hull_vertex(a->other, v)); }

// Finds the vertex of a list that is farthest inside of the outline of the face, and writes it to `witness`. Stops at a
// vertex that is farther inside than `enough`, so that few of many need be examined. Returns its distance from the
// outline; 0 if all are outside.
static double find_inner_vertex(const Above* a, const int32_t* vertex, int count, double enough, hfVec3* witness) {
  double largest = 0;
  for (int i = 0; i < count && !(largest > enough); ++i) {
    hfVec3 x = vertex_above(a, vertex[i]);
    double inside = distance_from_outline(a->hull, a->face, x);
    if (!(inside > largest)) continue;
    largest = inside;
    *witness = x;
  }
  return largest;
}

// Finds the witness of the other hull: a point of its lowest part that is above the face. If one vertex is lowest, it
// is the witness. If an edge is lowest, the witness is the middle of its part above the face. If more vertices are
// lowest, it is the one farthest inside the face. Returns the distance of the witness from the outline of the face; 0
// if it is outside.
static double find_witness(const Above* a, const hfiLowest* low, hfVec3* witness) {
  if (low->count != 2) return find_inner_vertex(a, low->vertex, low->count, INFINITY, witness);

  hfVec3 x = vertex_above(a, low->vertex[0]);
  hfVec3 y = vertex_above(a, low->vertex[1]);
  if (!clip_to_face(a->hull, a->face, x, y, witness)) return 0;
  return distance_from_outline(a->hull, a->face, *witness);
}

// Finds the lowest part of B along m, the outward normal of a face of A, and its height. This is the least m.x over B,
// with x from the origin of B on [m]. If it is a face, it becomes
// f->lowest_face; the face of the last query is tried first. Otherwise f->lowest_face becomes -1, and *low holds the
// lowest vertices. Returns 0 if the lowest part is no face and has too many vertices.
static int find_lowest_of_B(const hfiCores* c, hfVec3 m, hfiDifferenceFace* f, hfiLowest* low, double* height) {
  const hfiHull* hull = c->B->hull;
  hfVec3 up = m3_tmulv(c->X_AB.R, m);
  double slack = LEVEL_TOLERANCE * c->scale;
  if (f->lowest_face >= 0 && hfi_is_lowest_face(hull, f->lowest_face, up, slack, height)) return 1;

  f->lowest_face = -1;
  int few = hfi_lowest_find(hull, up, f->lowest_vertex, slack, low);
  f->lowest_vertex = low->vertex[0];
  *height = low->height;
  if (few && low->count <= 2) return 1;

  int32_t face = find_face(c->B, v3_neg(up), f->lowest_vertex, PLANE_TOLERANCE * c->scale);
  if (face >= 0 && hfi_is_lowest_face(hull, face, up, slack, height)) f->lowest_face = face;
  else *height = low->height;
  return few || f->lowest_face >= 0;
}

// Computes the contact of a face of A with the lowest part of B. Returns the distance of the witness from the outline
// of the face; 0 if it is outside, or if there is no contact to compute.
static double compute_contact_with_face_of_A(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  const hfiHull* B = c->B->hull;
  Above above = {c->A->hull, f->face, B, &c->X_AB};
  const double* plane = above.hull->face_plane + 4 * f->face;
  hfVec3 m = v3_load(plane);
  hfiLowest low;
  double height;
  if (!find_lowest_of_B(c, m, f, &low, &height)) return 0;

  // the witness: a point of B's lowest vertex or edge, or a vertex of its lowest face that is over the face of A
  double inside;
  if (f->lowest_face < 0) {
    inside = find_witness(&above, &low, &closest->pb);
  } else {
    int32_t begin = B->face_start[f->lowest_face];
    int32_t count = B->face_start[f->lowest_face + 1] - begin;
    inside = find_inner_vertex(&above, B->face_vert + begin, count, OUTLINE_CLEARANCE * c->scale, &closest->pb);
  }

  closest->gap = height + (v3_dot(m, c->X_AB.p) - plane[3]);
  closest->n = v3_neg(m);
  closest->pa = v3_axpy(closest->gap, closest->n, closest->pb);
  return inside;
}

// Computes the contact of a face of B with the lowest part of A. Returns the distance of the witness from the outline
// of the face; 0 if it is outside. Also returns 0 if the lowest part of A is a face, or nearly one:
// compute_contact_with_face_of_A computes this contact.
static double compute_contact_with_face_of_B(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  const double* plane = c->B->hull->face_plane + 4 * f->face;
  hfVec3 normal_B = v3_load(plane);
  hfPose X_BA = pose_inverse(c->X_AB);

  hfVec3 up = m3_tmulv(X_BA.R, normal_B);
  hfiLowest low;
  if (!hfi_lowest_find(c->A->hull, up, f->lowest_vertex, LEVEL_TOLERANCE * c->scale, &low)) return 0;
  f->lowest_vertex = low.vertex[0];

  Above above = {c->B->hull, f->face, c->A->hull, &X_BA};
  hfVec3 witness_B = v3_zero();
  double inside = find_witness(&above, &low, &witness_B);

  closest->gap = low.height + (v3_dot(normal_B, X_BA.p) - plane[3]);
  closest->n = m3_mulv(c->X_AB.R, normal_B);
  closest->pa = pose_point(c->X_AB, witness_B);
  closest->pb = v3_axpy(-closest->gap, closest->n, closest->pa);
  return low.count <= 2 && low.slope2 > sqr(HFI_LEAST_SLOPE) ? inside : 0;
}

// Returns n or -n: the one that points from an edge to the side on which its hull lies. n is perpendicular to the edge.
static inline hfVec3 point_into_hull(const hfiHull* hull, const int32_t edge[2], hfVec3 n) {
  int32_t first = hull->edge_start[edge[0]];
  int32_t beside = hull->edge_vert[first] == edge[1] ? hull->edge_vert[first + 1] : hull->edge_vert[first];
  hfVec3 d = v3_sub(hfi_hull_vertex(hull, beside), hfi_hull_vertex(hull, edge[0]));
  return v3_dot(n, d) < 0 ? v3_neg(n) : n;
}

// Computes the contact of two edges. The edge of A goes from a to a + u, the edge of B from b to b + v. If they are
// nearly parallel, they fix no contact. The projection of the origin is inside of the parallelogram F by the least
// distance of s u and t v from the ends of the edges, across the other edge.
static double compute_contact_of_edges(const hfiCores* c, const hfiDifferenceFace* f, hfiClosest* closest) {
  const hfiHull* A = c->A->hull;
  const hfiHull* B = c->B->hull;
  hfVec3 a = hfi_hull_vertex(A, f->edge_a[0]);
  hfVec3 u = v3_sub(hfi_hull_vertex(A, f->edge_a[1]), a);
  hfVec3 b = pose_point(c->X_AB, hfi_hull_vertex(B, f->edge_b[0]));
  hfVec3 v = v3_sub(pose_point(c->X_AB, hfi_hull_vertex(B, f->edge_b[1])), b);

  hfVec3 uxv = v3_cross(u, v);
  double uxv2 = v3_norm2(uxv);
  double u2 = v3_norm2(u);
  double v2 = v3_norm2(v);
  if (!(uxv2 > sqr(HFI_LEAST_SLOPE) * u2 * v2)) return 0;

  // where the edges are nearest: a + s u and b + t v
  hfVec3 ab = v3_sub(b, a);
  double s = v3_dot(v3_cross(ab, v), uxv) / uxv2;
  double t = v3_dot(v3_cross(ab, u), uxv) / uxv2;
  double inside = min2(min2(s, 1 - s) * sqrt(u2), min2(t, 1 - t) * sqrt(v2)) * sqrt(uxv2 / (u2 * v2));
  if (!(inside > 0)) return 0;

  hfVec3 n = point_into_hull(A, f->edge_a, v3_scale(1 / sqrt(uxv2), uxv));
  hfVec3 minus_n_B = m3_tmulv(c->X_AB.R, v3_neg(n));
  if (!hfi_is_lowest_edge(A, f->edge_a, n) || !hfi_is_lowest_edge(B, f->edge_b, minus_n_B)) return 0;

  closest->n = n;
  closest->gap = -v3_dot(n, ab);
  closest->pb = v3_axpy(t, v, b);
  closest->pa = v3_axpy(closest->gap, n, closest->pb);
  return inside;
}

// Computes the contact that a face of any kind but HFI_NO_FACE fixes.
static double compute_contact_with_face(const hfiCores* c, hfiDifferenceFace* f, hfiClosest* closest) {
  if (f->kind == HFI_FACE_OF_A) return compute_contact_with_face_of_A(c, f, closest);
  if (f->kind == HFI_FACE_OF_B) return compute_contact_with_face_of_B(c, f, closest);
  return compute_contact_of_edges(c, f, closest);
}

// ---- the face of A - B that fixes a contact --------------------------------------------------------------

// Replaces the contact `closest` by the contact computed from a face if the face fixes it: if gap and normal are the
// same up to tolerances. Returns 1 if it has replaced it.
static int replace_if_fixed(const hfiCores* c, hfiDifferenceFace* face, hfiClosest* closest) {
  hfiClosest of_face;
  if (!(compute_contact_with_face(c, face, &of_face) > 0)) return 0;

  int has_same_gap = of_face.gap >= closest->gap - GAP_TOLERANCE * c->scale;
  int has_same_normal = v3_norm2(v3_sub(of_face.n, closest->n)) < sqr(NORMAL_TOLERANCE);
  if (!has_same_gap || !has_same_normal) return 0;

  *closest = of_face;
  return 1;
}

// Finds the edge of each hull that is lowest on its side of the contact. Returns 0 if one of them has no such edge.
static int find_edge_pair(const hfiCores* c, hfVec3 n, int32_t start_a, int32_t start_b, hfiDifferenceFace* face) {
  double slack = LEVEL_TOLERANCE * c->scale;
  *face = (hfiDifferenceFace){.kind = HFI_EDGE_PAIR};
  if (!hfi_lowest_edge(c->A->hull, n, start_a, slack, face->edge_a)) return 0;
  return hfi_lowest_edge(c->B->hull, m3_tmulv(c->X_AB.R, v3_neg(n)), start_b, slack, face->edge_b);
}

// Finds the face of A - B that fixes the contact `closest`, and replaces the contact by the one computed from it.
// Writes the kind HFI_NO_FACE and returns 0 if there is none.
int hfi_difference_face_find(hfiCores* c, const hfiSimplex* s, hfiClosest* closest, hfiDifferenceFace* face) {
  double slack = PLANE_TOLERANCE * c->scale;
  int32_t a = s->point[0].vertex_a;
  int32_t b = s->point[0].vertex_b;
  hfVec3 n = closest->n;

  // a face of A
  int32_t number = find_face(c->A, v3_neg(n), a, slack);
  *face = (hfiDifferenceFace){.kind = HFI_FACE_OF_A, .face = number, .lowest_vertex = b, .lowest_face = -1};
  if (number >= 0 && replace_if_fixed(c, face, closest)) return 1;

  // a face of B
  number = find_face(c->B, m3_tmulv(c->X_AB.R, n), b, slack);
  *face = (hfiDifferenceFace){.kind = HFI_FACE_OF_B, .face = number, .lowest_vertex = a, .lowest_face = -1};
  if (number >= 0 && replace_if_fixed(c, face, closest)) return 1;

  // two edges
  if (find_edge_pair(c, n, a, b, face) && replace_if_fixed(c, face, closest)) return 1;
  face->kind = HFI_NO_FACE;
  return 0;
}

// ---- from one query to the next --------------------------------------------------------------------------

// Does the shell of the last query, at the present pose, contain the ball about the origin with radius h, which touches
// F? m: outward normal of F.
static int shell_contains_ball(const hfiShell* s, const hfiCores* c, hfVec3 m, double h) {
  // its vertices, at the present pose
  hfVec3 w[HFI_SHELL_VERTICES];
  for (int i = 0; i < s->nvertex; ++i) {
    hfVec3 a = hfi_hull_vertex(c->A->hull, s->a[i]);
    hfVec3 b = pose_point(c->X_AB, hfi_hull_vertex(c->B->hull, s->b[i]));
    w[i] = v3_sub(a, b);
  }

  double in_plane = h - GAP_TOLERANCE * c->scale;
  double farther = h + SHELL_CLEARANCE * c->scale;
  double not_folded = -GAP_TOLERANCE * sqr(c->scale);
  for (int k = 0; k < s->nface; ++k) {
    hfVec3 x = w[s->face[k][0]];
    hfVec3 y = w[s->face[k][1]];
    hfVec3 z = w[s->face[k][2]];
    hfVec3 out = v3_cross(v3_sub(y, x), v3_sub(z, x));

    // the faces in the plane of F
    if (k < s->ntop) {
      if (!(v3_dot(m, x) >= in_plane && v3_dot(m, y) >= in_plane && v3_dot(m, z) >= in_plane)) return 0;
      if (!(v3_dot(m, out) >= not_folded)) return 0;
      continue;
    }

    // all others are farther from the origin
    double distance = v3_dot(out, x);
    if (!(distance > 0 && distance * distance > sqr(farther) * v3_norm2(out))) return 0;
  }
  return s->nface > 0;
}

// Does the face of the last query still fix the contact? Then writes the contact.
int hfi_last_face_holds(hfiLastFace* last, const hfiCores* c, hfiClosest* closest) {
  if (last->face.kind == HFI_NO_FACE) return 0;
  if (!(compute_contact_with_face(c, &last->face, closest) > OUTLINE_CLEARANCE * c->scale)) return 0;
  return closest->gap > 0 || shell_contains_ball(&last->shell, c, v3_neg(closest->n), -closest->gap);
}
