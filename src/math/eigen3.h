// Eigenvalues and axes of a symmetric 3x3 matrix by cyclic Jacobi rotations:
//   S = R diag(values) R^T, R a rotation, values in descending order.
#ifndef HFI_MATH_EIGEN3_H
#define HFI_MATH_EIGEN3_H

#include "math/vec3.h"

// Turns rows and columns p < q of the matrix a, which stays symmetric, so that a[p][q] becomes zero, and the columns of v with them.
static inline void turn_to_zero(double a[3][3], double v[3][3], int p, int q) {
  // t is the tangent of the smaller of the two rotation angles that make a[p][q] zero
  double ratio = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
  double t = (ratio >= 0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(ratio * ratio + 1));
  double c = 1 / sqrt(t * t + 1);
  double s = t * c;

  for (int k = 0; k < 3; ++k) {
    double x = a[k][p];
    double y = a[k][q];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (int k = 0; k < 3; ++k) {
    double x = a[p][k];
    double y = a[q][k];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;

    x = v[k][p];
    y = v[k][q];
    v[k][p] = c * x - s * y;
    v[k][q] = s * x + c * y;
  }
}

// Finds the three values, in descending order, and the axes of S = xx yy zz xy xz yz.
static inline void eigen3(const double* S, double* values, hfMat3* R) {
  const double NEGLIGIBLE = 1e-18; // Entries off the diagonal are zero below this share of all entries [-].
  double a[3][3] = {{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double scale = fabs(S[0]) + fabs(S[1]) + fabs(S[2]) + fabs(S[3]) + fabs(S[4]) + fabs(S[5]);

  for (int sweep = 0; sweep < 30; ++sweep) {
    if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= NEGLIGIBLE * scale) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        if (a[p][q] != 0) turn_to_zero(a, v, p, q);
  }

  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i)
    for (int j = i + 1; j < 3; ++j) {
      if (!(a[order[j]][order[j]] > a[order[i]][order[i]])) continue;
      int smaller = order[i];
      order[i] = order[j];
      order[j] = smaller;
    }

  hfVec3 axis[3];
  for (int i = 0; i < 3; ++i) {
    values[i] = a[order[i]][order[i]];
    axis[i] = v3(v[0][order[i]], v[1][order[i]], v[2][order[i]]);
  }
  *R = m3_from_cols(axis[0], axis[1], v3_cross(axis[0], axis[1]));
}

// R S R^T of a symmetric matrix (xx yy zz xy xz yz).
static inline void sym3_rotate(hfMat3 R, const double* S, double* out) {
  hfMat3 full = {{S[0], S[3], S[4], S[3], S[1], S[5], S[4], S[5], S[2]}};
  hfMat3 r = m3_mul(m3_mul(R, full), m3_transpose(R));
  out[0] = r.m[0];
  out[1] = r.m[4];
  out[2] = r.m[8];
  out[3] = 0.5 * (r.m[1] + r.m[3]);
  out[4] = 0.5 * (r.m[2] + r.m[6]);
  out[5] = 0.5 * (r.m[5] + r.m[7]);
}

// Whether the axes of q, a unit quaternion or zero, are principal ones of S: what two products of matrices leave off the diagonal is
// rounding.
static inline int is_principal(hfQuat q, const double* S) {
  double D[6];
  if (!(q_norm(q) > 0)) return 0;
  sym3_rotate(m3_transpose(m3_from_quat(q)), S, D);
  return max2(fabs(D[3]), max2(fabs(D[4]), fabs(D[5]))) <= 1e-13 * (fabs(S[0]) + fabs(S[1]) + fabs(S[2]));
}

// Axes of S in descending order of its values, as a rotation that keeps MuJoCo's conventions: from the identity on, Jacobi rotations by at most
// 45 degrees, each for the largest entry off the diagonal, then quarter turns that exchange two neighbours. Numbers that differ by less
// than 1e-12 are equal, and such entries off the diagonal zero, unless a turn by less than 1 mrad about axes that are not equal removes them.
static inline hfQuat principal_axes(const double* S) {
  const double SAME = 1e-12;  // Numbers that differ by less are equal [the unit of S].
  const double SLIGHT = 1e3;  // Half the ratio of a difference of values and an entry off the diagonal above which the turn is below 1 mrad [-].
  const double rounding = 4e-16 * (S[0] + S[1] + S[2]);
  hfQuat q = q_identity();
  double D[6];

  for (int k = 0; k < 500; ++k) {
    sym3_rotate(m3_transpose(m3_from_quat(q)), S, D);

    // the axis across the largest entry off the diagonal
    int axis = 0;
    if (fabs(D[4]) > fabs(D[5])) axis = 1;
    if (fabs(D[3]) > max2(fabs(D[4]), fabs(D[5]))) axis = 2;
    double off = D[5 - axis];
    double ratio = 0.5 * (D[axis == 2 ? 1 : 2] - D[axis == 0]) / off;
    if (!(fabs(off) >= SAME || (fabs(off) > rounding && fabs(ratio) > SLIGHT))) break;

    double t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
    double c = 1 / sqrt(1 + t * t);
    double half_sine = (axis == 1 ? 1 : -1) * t * c / sqrt(2 * (1 + c));
    hfQuat turn = {sqrt(1 - half_sine * half_sine), axis == 0 ? half_sine : 0, axis == 1 ? half_sine : 0, axis == 2 ? half_sine : 0};
    q = q_unit(q_mul(q, turn));
  }

  // quarter turns that exchange neighbours
  for (int k = 0; k < 3; ++k) {
    int j = k % 2;
    if (!(D[j] + SAME < D[j + 1])) continue;
    double larger = D[j + 1];
    double half = sqrt(0.5);
    D[j + 1] = D[j];
    D[j] = larger;
    q = q_unit(q_mul(q, (hfQuat){half, j == 1 ? half : 0, 0, j == 0 ? half : 0}));
  }
  return q;
}

// S += m (|d|^2 E - d d^T), the inertia of a point mass m at d.
static inline void sym3_add_point(double* S, double m, hfVec3 d) {
  S[0] += m * (d.y * d.y + d.z * d.z);
  S[1] += m * (d.x * d.x + d.z * d.z);
  S[2] += m * (d.x * d.x + d.y * d.y);
  S[3] -= m * d.x * d.y;
  S[4] -= m * d.x * d.z;
  S[5] -= m * d.y * d.z;
}

#endif
