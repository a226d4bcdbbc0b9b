// Eigenvalues and axes of a symmetric 3x3 matrix by cyclic Jacobi rotations:
//   S = R diag(values) R^T, R a rotation, values in descending order.
#ifndef HFI_MATH_EIGEN3_H
#define HFI_MATH_EIGEN3_H

#include "math/vec3.h"

// Turns rows and columns p < q of the symmetric matrix a so that a[p][q] becomes zero, and the columns of v with them:
// one Jacobi rotation.
static inline void rotate_pair(double a[3][3], double v[3][3], int p, int q) {
  // t, c, s: tangent, cosine and sine of the smaller of the two angles that make a[p][q] zero
  double ratio = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
  double t = (ratio >= 0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(ratio * ratio + 1));
  double c = 1 / sqrt(t * t + 1);
  double s = t * c;

  // columns, then rows of a and columns of v
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

// Finds the three eigenvalues, in descending order, and the axes, the columns of R, of S = xx yy zz xy xz yz.
static inline void eigen3(const double* S, double* values, hfMat3* R) {
  const double NEGLIGIBLE_SHARE = 1e-18; // Entries off the diagonal are zero below this share of all entries [-].
  const int MAX_SWEEPS = 30;             // Few are needed, because sweeps converge quadratically.
  double a[3][3] = {{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double scale = fabs(S[0]) + fabs(S[1]) + fabs(S[2]) + fabs(S[3]) + fabs(S[4]) + fabs(S[5]);

  for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    if (fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]) <= NEGLIGIBLE_SHARE * scale) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q)
        if (a[p][q] != 0) rotate_pair(a, v, p, q);
  }

  // sort the values
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i) {
    for (int j = i + 1; j < 3; ++j) {
      if (!(a[order[j]][order[j]] > a[order[i]][order[i]])) continue;
      int smaller = order[i];
      order[i] = order[j];
      order[j] = smaller;
    }
  }

  // the axes, right-handed
  hfVec3 axis[3];
  for (int i = 0; i < 3; ++i) {
    values[i] = a[order[i]][order[i]];
    axis[i] = v3(v[0][order[i]], v[1][order[i]], v[2][order[i]]);
  }
  *R = m3_from_cols(axis[0], axis[1], v3_cross(axis[0], axis[1]));
}

// Writes R S R^T of a symmetric matrix S to out, both as xx yy zz xy xz yz.
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

// Whether the axes of q, a unit quaternion or zero, are principal axes of S: what two products of matrices leave off
// the diagonal is rounding.
static inline int is_principal(hfQuat q, const double* S) {
  const double ROUNDING = 1e-13; // of two products of matrices, over the sum of the diagonal entries [-]
  double D[6];
  if (!(q_norm(q) > 0)) return 0;

  sym3_rotate(m3_transpose(m3_from_quat(q)), S, D);
  double largest = max2(fabs(D[3]), max2(fabs(D[4]), fabs(D[5])));
  return largest <= ROUNDING * (fabs(S[0]) + fabs(S[1]) + fabs(S[2]));
}

// Numbers of a matrix that differ by less are equal for principal_axes, as in MuJoCo [the unit of the matrix].
static const double HFI_EQUAL_ENTRIES = 1e-12;

// Returns the Jacobi rotation for the largest entry D_pq off the diagonal of D (xx yy zz xy xz yz), as a quaternion
// about the axis across p and q. It is the identity if the entry is so small that it stays.
//
//   tan(2 a) = 1/ratio,   ratio = (D_qq - D_pp)/(2 D_pq),   |a| <= 45 degrees
//
// rounding: the rounding error of an entry.
static inline hfQuat find_jacobi_rotation(const double* D, double rounding) {
  // half the ratio of a difference of values and an entry above which the turn is below 1 mrad [-]
  const double SLIGHT_TURN_RATIO = 1e3;
  static const int P[3] = {1, 0, 0}; // p and q, by the axis across them
  static const int Q[3] = {2, 2, 1};

  // the axis across the largest entry
  int axis = 0;
  if (fabs(D[4]) > fabs(D[5])) axis = 1;
  if (fabs(D[3]) > max2(fabs(D[4]), fabs(D[5]))) axis = 2;
  double off = D[5 - axis]; // D_yz, D_xz or D_xy

  // a small entry stays, unless it is more than rounding and a slight turn removes it
  double ratio = 0.5 * (D[Q[axis]] - D[P[axis]]) / off;
  int is_slight = fabs(off) > rounding && fabs(ratio) > SLIGHT_TURN_RATIO;
  if (!(fabs(off) >= HFI_EQUAL_ENTRIES || is_slight)) return q_identity();

  // tangent and cosine of the angle; about y the turn from p to q is negative
  double t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
  double c = 1 / sqrt(1 + t * t);
  double sign = axis == 1 ? 1 : -1;
  double half_sine = sign * t * c / sqrt(2 * (1 + c));
  double part[3] = {0, 0, 0};
  part[axis] = half_sine;
  return (hfQuat){sqrt(1 - half_sine * half_sine), part[0], part[1], part[2]};
}

// Returns q followed by those quarter turns that bring the diagonal of D into descending order. A quarter turn
// exchanges two neighbours: about z the first two, about x the last two.
static inline hfQuat sort_axes(hfQuat q, double* D) {
  const double half = sqrt(0.5); // sine and cosine of an eighth of a full turn
  const hfQuat turn[2] = {{half, 0, 0, half}, {half, half, 0, 0}};

  for (int k = 0; k < 3; ++k) {
    int j = k % 2;
    if (!(D[j] + HFI_EQUAL_ENTRIES < D[j + 1])) continue;
    double larger = D[j + 1];
    D[j + 1] = D[j];
    D[j] = larger;
    q = q_unit(q_mul(q, turn[j]));
  }
  return q;
}

// Returns the principal axes of S in descending order of its values, as a rotation that keeps MuJoCo's conventions:
// from the identity on, Jacobi rotations, then quarter turns.
static inline hfQuat principal_axes(const double* S) {
  const int MAX_ROTATIONS = 500;
  const double rounding = 4e-16 * (S[0] + S[1] + S[2]);
  hfQuat q = q_identity();
  double D[6];

  for (int k = 0; k < MAX_ROTATIONS; ++k) {
    sym3_rotate(m3_transpose(m3_from_quat(q)), S, D);
    hfQuat rotation = find_jacobi_rotation(D, rounding);
    int is_diagonal = rotation.w == 1 && rotation.x == 0 && rotation.y == 0 && rotation.z == 0;
    if (is_diagonal) break;
    q = q_unit(q_mul(q, rotation));
  }
  return sort_axes(q, D);
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
