// The closest points of a shape A and a hull B from a face of B, without GJK and EPA. All is in the frame of B.
//
//   n, offset   a face of B: its outward unit normal and its plane n.x = offset. All of B is in this plane or below it
//   p           the lowest point of A along n
//   s           n.p - offset, the separation of A and B along n
//
// No separation is larger, and the face decides, in two cases:
//
//   s >= 0   p is over the face: s is the distance of two points of A and B
//   s < 0    p is inside of B, and no face is nearer to p than -s: B contains the ball of this radius about p. So B
//            reaches at least -s beyond p along every direction, and A overlaps it by that
//
// The face is found in turns: the face F above whose plane the origin of A is highest, the lowest point p of A above F,
// the face above whose plane p is highest, and the lowest point of A above that. In the second case no face is nearer
// to p if p is highest above F itself. Where two turns do not find the face, an edge or a corner decides, nearly
// always, and the faces beside it would follow each other for ever.
#include "step/geometry/over_face.h"

#include "step/geometry/hull_index.h"

enum { TURNS = 2 }; // number of faces that are tried

// Is x, seen along the normal of a face, inside of the outline of the face?
int hfi_is_over_face(const hfiHull* hull, int32_t face, hfVec3 x) {
  hfVec3 normal = hfi_hull_normal(hull, face);
  int32_t begin = hull->face_start[face];
  int32_t end = hull->face_start[face + 1];

  hfVec3 from = hfi_hull_vertex(hull, hull->face_vert[end - 1]);
  for (int32_t k = begin; k < end; ++k) {
    hfVec3 to = hfi_hull_vertex(hull, hull->face_vert[k]);
    if (!(v3_dot(v3_cross(normal, v3_sub(to, from)), v3_sub(x, from)) >= 0)) return 0;
    from = to;
  }
  return 1;
}

// Finds the closest points of A and the hull B, in A's frame, from a face of B. Returns 0 if no face decides.
int hfi_closest_over_face(const hfiCores* c, hfiClosest* closest) {
  const hfiHull* hull = c->B->hull;
  int32_t face = hfi_highest_face(hull, pose_inverse(c->X_AB).p, -1);
  int32_t hint = 0;

  for (int turn = 1;; ++turn) {
    const double* plane = hull->face_plane + 4 * face;
    hfVec3 n = v3_load(plane);
    hfVec3 n_A = m3_mulv(c->X_AB.R, n);

    // the lowest point of A above this face
    hfVec3 p_A = hfi_support(c->A, v3_neg(n_A), &hint);
    hfVec3 p = pose_inv_point(c->X_AB, p_A);
    double s = v3_dot(n, p) - plane[3];
    *closest = (hfiClosest){.n = n_A, .pa = p_A, .pb = v3_axpy(-s, n_A, p_A), .gap = s};
    if (s >= 0 && hfi_is_over_face(hull, face, p)) return 1;
    if (s >= 0 && turn == TURNS) return 0;

    // The face above whose plane p is highest. If s < 0 and this is the same face, the face decides.
    int32_t next = hfi_highest_face(hull, p, face);
    if (next == face || turn == TURNS) return s < 0 && next == face;
    face = next;
  }
}
