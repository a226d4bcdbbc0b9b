// Ellipsoid against box, in closed form where a face of the box decides.
//
//   s_m = m . c - b_m - h_m,   h_m^2 = sum_j (e_j m . u_j)^2       separation along the face normal m
//   p_m = c - sum_j e_j^2 (m . u_j) u_j/h_m                        the ellipsoid's point nearest to that face
//
//   c, u_j, e_j  centre, axes and semi-axes of the ellipsoid in the box's frame;  b  half sizes of the box
//
// Of the six faces let m have the largest s. No separation can be larger where
//   s >= 0   p_m lies over the face: s is the distance of two points
//   s < 0    p_m is inside the box and no face nearer to it than -s: along any direction the box reaches at least that
//            far beyond p_m
// Elsewhere an edge or corner may decide, and the general function does.
#include "step/geometry/convex.h"
#include "step/geometry/pairs.h"

typedef struct BoxFace {
  int axis;
  double side, s; // +1 or -1, separation [m]
} BoxFace;

static BoxFace best_face(hfVec3 c, const double* half, const double* h) {
  const double at[3] = {c.x, c.y, c.z};
  BoxFace best = {0, 1, -INFINITY};
  for (int k = 0; k < 3; ++k) {
    double s = fabs(at[k]) - half[k] - h[k];
    if (s > best.s) best = (BoxFace){k, at[k] < 0 ? -1 : 1, s};
  }
  return best;
}

// Does a face of the box, and no edge or corner, decide the contact of p_m?
static int face_decides(const BoxFace* f, hfVec3 p, const double* half) {
  const double at[3] = {p.x, p.y, p.z};
  double room = max2(0, -f->s);
  for (int k = 0; k < 3; ++k)
    if (k != f->axis && half[k] - fabs(at[k]) < room) return 0;
  return f->s >= 0 || f->side * at[f->axis] + half[f->axis] >= room;
}

int hfi_ellipsoid_box_face(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfiContactPoint* point) {
  hfPose X_BA = pose_inv_mul(*X_WB, *X_WA);
  hfVec3 e = v3_load(A->size), row[3];
  double h[3];
  for (int k = 0; k < 3; ++k) {
    row[k] = v3_mul(e, m3_row(X_BA.R, k)); // (e_j m . u_j) for m along axis k
    h[k] = v3_norm(row[k]);
  }
  BoxFace face = best_face(X_BA.p, B->size, h);
  hfVec3 p = v3_axpy(-face.side / h[face.axis], m3_mulv(X_BA.R, v3_mul(e, row[face.axis])), X_BA.p);
  hfVec3 m = v3_scale(face.side, m3_col(X_WB->R, face.axis));
  put_point(point, v3_axpy(-face.s, m, pose_point(*X_WB, p)), m, -face.s, 0);
  return face_decides(&face, p, B->size);
}

int hfi_ellipsoid_box_again(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiRecent* recent,
                            hfiContactPoint* points) {
  int decides = hfi_ellipsoid_box_face(A, X_WA, B, X_WB, points);
  if (points->depth < -margin) return 0; // The separation along that face alone is larger than the margin.
  return decides ? 1 : hfi_convex_again(A, X_WA, B, X_WB, margin, NULL, recent, points);
}

int hfi_ellipsoid_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  return hfi_ellipsoid_box_again(A, X_WA, B, X_WB, margin, NULL, points);
}
