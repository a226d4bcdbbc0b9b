// Two boxes by separating axes, in A's frame: R = R_AB, t = p_AB, half sizes a and b.
//
// Along a unit axis L the boxes are apart by g(L) = |L.t| - sum a_i |L_i| - sum b_j |L.R_j|. Where they overlap, the
// axis of least penetration is a face normal of A or B or a cross product of two edges (Gottschalk, Lin, Manocha 1996).
// No two points of the boxes are nearer to each other than the largest g. So if the boxes are apart, and the points
// that face each other along that axis belong to both boxes, these points are the nearest ones. Otherwise the nearest
// points may be two vertices, or a vertex and a point of an edge: hfi_convex_convex finds them. Boxes that are apart by
// no more than rounding count as overlapping.
#include "step/geometry/pairs.h"
#include "step/geometry/touch.h"

// Two edges count as parallel if the sine of their angle is below this [-].
static const double PARALLEL_EDGES_SINE = 1e-8;
// Rounding changes a gap by less than this share of the boxes' sizes and distance [-].
static const double ROUNDING_SHARE = 1e-12;

// An axis along which the boxes are compared. It belongs to face i of A where j < 0, to face j of B where i < 0, and to
// edge i of A and edge j of B otherwise.
typedef struct Axis {
  double gap; // g(L) [m]
  hfVec3 L;   // unit vector along the axis, in either direction
  int i, j;
} Axis;

// Tries the normals of the faces of both boxes. Replaces *best where a gap is larger.
static void try_faces(const double* a, const double* b, hfVec3 t, const hfMat3* R, Axis* best) {
  hfVec3 t_B = m3_tmulv(*R, t);

  for (int i = 0; i < 3; ++i) {
    const double* row = R->m + 3 * i;
    double g = fabs(v3_get(t, i)) - a[i] - b[0] * fabs(row[0]) - b[1] * fabs(row[1]) - b[2] * fabs(row[2]);
    if (!(g > best->gap)) continue;
    *best = (Axis){.gap = g, .L = v3(i == 0, i == 1, i == 2), .i = i, .j = -1};
  }

  for (int j = 0; j < 3; ++j) {
    const double* column = R->m + j;
    double g = fabs(v3_get(t_B, j)) - b[j] - a[0] * fabs(column[0]) - a[1] * fabs(column[3]) - a[2] * fabs(column[6]);
    if (!(g > best->gap)) continue;
    *best = (Axis){.gap = g, .L = m3_col(*R, j), .i = -1, .j = j};
  }
}

// Computes upper bounds of the gaps along the cross products L = e_i x R_j of edges, valid for negative gaps: these are
// the gaps along L without division by |L| <= 1. L.R_k is an entry of row i of R.
//
//   bound_ij = |R_i1j t_i2 - R_i2j t_i1| - a_i1 |R_i2j| - a_i2 |R_i1j| - b_j1 |R_ij2| - b_j2 |R_ij1|,
//   i1 and i2 the two axes after i, j1 and j2 those after j
static inline void bound_gaps(const double* a, const double* b, hfVec3 t, const hfMat3* R, double bound[9]) {
  const double p[3] = {t.x, t.y, t.z};
  const double* r = R->m;
  double size[9];
  for (int k = 0; k < 9; ++k) size[k] = fabs(r[k]);

  for (int i = 0; i < 3; ++i) {
    int i1 = (i + 1) % 3;
    int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      int j1 = (j + 1) % 3;
      int j2 = (j + 2) % 3;
      double apart = fabs(r[3 * i1 + j] * p[i2] - r[3 * i2 + j] * p[i1]);
      bound[3 * i + j] = apart - a[i1] * size[3 * i2 + j] - a[i2] * size[3 * i1 + j]
                         - b[j1] * size[3 * i + j2] - b[j2] * size[3 * i + j1];
    }
  }
}

// Returns by how much rounding may change a gap [m].
static double find_slack(const double* a, const double* b, hfVec3 t) {
  return ROUNDING_SHARE * (a[0] + a[1] + a[2] + b[0] + b[1] + b[2] + fabs(t.x) + fabs(t.y) + fabs(t.z));
}

// Tries the cross products of edges. Replaces *best where a gap is larger.
static void try_edges(const double* a, const double* b, hfVec3 t, const hfMat3* R, double slack, Axis* best) {
  double bound[9];
  bound_gaps(a, b, t, R, bound);

  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      // the bound holds for a negative gap: such an axis cannot be better than the best one
      if (bound[3 * i + j] < min2(best->gap, 0) - slack) continue;

      // the axis, and its gap
      hfVec3 L = v3_cross(v3(i == 0, i == 1, i == 2), m3_col(*R, j));
      double length = v3_norm(L);
      if (length < PARALLEL_EDGES_SINE) continue;

      L = v3_scale(1 / length, L);
      hfVec3 L_B = m3_tmulv(*R, L);
      double g = fabs(v3_dot(L, t)) - a[0] * fabs(L.x) - a[1] * fabs(L.y) - a[2] * fabs(L.z)
                 - b[0] * fabs(L_B.x) - b[1] * fabs(L_B.y) - b[2] * fabs(L_B.z);
      if (g > best->gap) *best = (Axis){.gap = g, .L = L, .i = i, .j = j};
    }
}

// Returns the deepest or nearest point of B: its corner at the face of A, the point over A's corner at the face of B,
// or the point where the two edges cross as seen along n. n: the axis, pointed from B into A.
static hfVec3 witness_on_B(const hfiShape* A, const hfiShape* B, const hfPose* X_AB, const Axis* axis, hfVec3 n) {
  hfVec3 pa = hfi_box_corner(A->size, v3_neg(n));
  hfVec3 pb = pose_point(*X_AB, hfi_box_corner(B->size, m3_tmulv(X_AB->R, n)));
  if (axis->j < 0) return pb;
  if (axis->i < 0) return v3_axpy(-axis->gap, n, pa);

  // two edges, along u at pa and along v at pb
  hfVec3 u = v3(axis->i == 0, axis->i == 1, axis->i == 2);
  hfVec3 v = m3_col(X_AB->R, axis->j);
  hfVec3 w = v3_cross(u, v);
  return v3_axpy(v3_dot(v3_cross(u, v3_sub(pa, pb)), w) / v3_norm2(w), v, pb);
}

// Is p in the box, or at most `slack` outside of it?
static int is_in_box(hfVec3 p, const double* half, double slack) {
  return fabs(p.x) <= half[0] + slack && fabs(p.y) <= half[1] + slack && fabs(p.z) <= half[2] + slack;
}

// Returns the axis with the largest gap. Where the gap along the normal of a face is larger than the margin, edges are
// not tried.
static Axis find_axis(const hfiShape* A, const hfiShape* B, const hfPose* X_AB, double margin, double slack) {
  Axis best = {.gap = -INFINITY, .L = {0, 0, 1}, .i = -1, .j = -1};
  try_faces(A->size, B->size, X_AB->p, &X_AB->R, &best);
  if (!(best.gap > margin)) try_edges(A->size, B->size, X_AB->p, &X_AB->R, slack, &best);
  return best;
}

// Returns how deep two boxes overlap, 0 if they do not [m].
double hfi_box_box_depth(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  hfPose X_AB = pose_inv_mul(*X_WA, *X_WB);
  return max2(0, -find_axis(A, B, &X_AB, 0, find_slack(A->size, B->size, X_AB.p)).gap);
}

// Finds the contact points of two boxes in the world. Returns their number.
int hfi_box_box(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                hfiContactPoint* points) {
  hfPose X_AB = pose_inv_mul(*X_WA, *X_WB);
  double slack = find_slack(A->size, B->size, X_AB.p);
  Axis best = find_axis(A, B, &X_AB, margin, slack);
  if (best.gap > margin) return 0;

  // the two points that face each other along the axis; X_AB.p points from A to B, so that n points into A
  hfVec3 n = v3_dot(best.L, X_AB.p) > 0 ? v3_neg(best.L) : best.L;
  hfVec3 on_B = witness_on_B(A, B, &X_AB, &best, n);
  hfVec3 on_A = v3_axpy(best.gap, n, on_B);

  // boxes that are apart need two points that belong to them
  int are_apart = best.gap > slack;
  if (are_apart) {
    int belong = is_in_box(on_A, A->size, slack) && is_in_box(pose_inv_point(X_AB, on_B), B->size, slack);
    if (!belong) return hfi_convex_convex(A, X_WA, B, X_WB, margin, points);
  }

  hfPose X_AA = pose_identity();
  hfiContactPoint single;
  put_point(&single, on_B, n, -best.gap, 0);
  int count = hfi_touch(A, &X_AA, B, &X_AB, &single, margin, NULL, points);
  hfi_points_to_world(X_WA, points, count);
  return count;
}
