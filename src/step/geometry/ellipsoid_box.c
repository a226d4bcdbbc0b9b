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

// A face of a box: the one across `axis`, on its positive side (side 1) or on its negative one (side -1).
typedef struct BoxFace {
  int axis;
  double side;
  double separation; // s of the ellipsoid along its normal [m]
} BoxFace;

// Returns the face of a box with the largest separation. c: centre of the ellipsoid; h: half extents of the ellipsoid
// along the axes of the box [m].
static BoxFace find_best_face(hfVec3 c, const double* half, const double* h) {
  const double centre[3] = {c.x, c.y, c.z};
  BoxFace best = {.axis = 0, .side = 1, .separation = -INFINITY};

  for (int k = 0; k < 3; ++k) {
    double separation = fabs(centre[k]) - half[k] - h[k];
    if (!(separation > best.separation)) continue;
    best = (BoxFace){.axis = k, .side = centre[k] < 0 ? -1 : 1, .separation = separation};
  }
  return best;
}

// Does a face of the box, and no edge or corner, decide the contact of p_m? The point must be as far from the other
// five faces as it is deep.
static int face_decides(const BoxFace* face, hfVec3 p_m, const double* half) {
  const double p[3] = {p_m.x, p_m.y, p_m.z};
  double depth = max2(0, -face->separation);

  for (int k = 0; k < 3; ++k)
    if (k != face->axis && half[k] - fabs(p[k]) < depth) return 0;

  double above_opposite_face = face->side * p[face->axis] + half[face->axis];
  return face->separation >= 0 || above_opposite_face >= depth;
}

// Writes the contact of the ellipsoid A with the face of the box B that has the largest separation, in the world.
// Returns 1 if this face decides.
int hfi_ellipsoid_box_face(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                           hfiContactPoint* point) {
  hfPose X_BA = pose_inv_mul(*X_WB, *X_WA);
  hfVec3 e = v3_load(A->size);

  // e_j m . u_j, and h_m, for m along each axis of the box
  hfVec3 row[3];
  double h[3];
  for (int k = 0; k < 3; ++k) {
    row[k] = v3_mul(e, m3_row(X_BA.R, k));
    h[k] = v3_norm(row[k]);
  }

  BoxFace face = find_best_face(X_BA.p, B->size, h);
  hfVec3 p_m = v3_axpy(-face.side / h[face.axis], m3_mulv(X_BA.R, v3_mul(e, row[face.axis])), X_BA.p);
  hfVec3 m_W = v3_scale(face.side, m3_col(X_WB->R, face.axis));
  put_point(point, v3_axpy(-face.separation, m_W, pose_point(*X_WB, p_m)), m_W, -face.separation, 0);
  return face_decides(&face, p_m, B->size);
}

// Finds the contact point of an ellipsoid and a box in the world, with the memory of the last query, which may be NULL.
// Returns 0 if their gap exceeds the margin.
int hfi_ellipsoid_box_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                                  double margin, hfiRecent* recent, hfiContactPoint* points) {
  int decides = hfi_ellipsoid_box_face(A, X_WA, B, X_WB, points);
  if (points->depth < -margin) return 0; // The separation along that face alone is larger than the margin.
  if (decides) return 1;
  return hfi_convex_with_memory(A, X_WA, B, X_WB, margin, NULL, recent, points);
}

// Finds the contact point of an ellipsoid and a box in the world. Returns 0 if their gap exceeds the margin.
int hfi_ellipsoid_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  return hfi_ellipsoid_box_with_memory(A, X_WA, B, X_WB, margin, NULL, points);
}
