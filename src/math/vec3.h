// Vectors, matrices and quaternions by value. Everything is static inline and branch-light, in the
// common subset of C and C++.
#ifndef HFI_MATH_VEC3_H
#define HFI_MATH_VEC3_H

#include "math/elementary.h"
#include "math/sine.h"

#include <holdfast/types.h>
#include <math.h>

#define HFI_PI 3.14159265358979323846

static inline double sqr(double x) { return x * x; }
static inline double max2(double a, double b) { return a > b ? a : b; }
static inline double min2(double a, double b) { return a < b ? a : b; }
static inline double clamp(double x, double lo, double hi) {
  if (x < lo) return lo;
  return x > hi ? hi : x;
}
static inline int imax2(int a, int b) { return a > b ? a : b; }
static inline int imin2(int a, int b) { return a < b ? a : b; }

// ---- vectors -------------------------------------------------------------------------------------

static inline hfVec3 v3(double x, double y, double z) { hfVec3 r = {x, y, z}; return r; }
static inline hfVec3 v3_zero(void) { return v3(0, 0, 0); }
static inline hfVec3 v3_load(const double* a) { return v3(a[0], a[1], a[2]); }
static inline void v3_store(double* a, hfVec3 v) { a[0] = v.x; a[1] = v.y; a[2] = v.z; }
static inline hfVec3 v3_add(hfVec3 a, hfVec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline hfVec3 v3_sub(hfVec3 a, hfVec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline hfVec3 v3_neg(hfVec3 a) { return v3(-a.x, -a.y, -a.z); }
static inline hfVec3 v3_scale(double s, hfVec3 a) { return v3(s * a.x, s * a.y, s * a.z); }
// a + s b
static inline hfVec3 v3_axpy(double s, hfVec3 b, hfVec3 a) {
  return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline hfVec3 v3_mul(hfVec3 a, hfVec3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline double v3_dot(hfVec3 a, hfVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline hfVec3 v3_cross(hfVec3 a, hfVec3 b) {
  return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_norm2(hfVec3 a) { return v3_dot(a, a); }
static inline double v3_norm(hfVec3 a) { return sqrt(v3_dot(a, a)); }
// a/|a|, or zero for the zero vector
static inline hfVec3 v3_unit(hfVec3 a) {
  double n = v3_norm(a);
  return n > 0 ? v3_scale(1 / n, a) : v3_zero();
}
// Whether a length is 1 up to the rounding of v3_unit and q_unit [-].
static inline int is_unit_length(double length) { return fabs(length - 1) <= 1e-15; }
// a/|a|. A vector whose length is 1 up to rounding stays as it is, so that a second call changes no bit.
static inline hfVec3 v3_unit_once(hfVec3 a) { return is_unit_length(v3_norm(a)) ? a : v3_unit(a); }
static inline double v3_get(hfVec3 a, int i) {
  if (i == 0) return a.x;
  return i == 1 ? a.y : a.z;
}
static inline int v3_finite(hfVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// Two unit vectors that complete the unit vector n to a right-handed frame (t1, t2, n); continuous
// in n except where n = -z (Duff et al. 2017).
static inline void v3_tangents(hfVec3 n, hfVec3* t1, hfVec3* t2) {
  double sign = n.z >= 0 ? 1.0 : -1.0;
  double a = -1.0 / (sign + n.z);
  double b = n.x * n.y * a;
  *t1 = v3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = v3(b, sign + n.y * n.y * a, -n.y);
}

// ---- matrices ------------------------------------------------------------------------------------

static inline hfMat3 m3_identity(void) { hfMat3 r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; return r; }
static inline hfVec3 m3_row(hfMat3 a, int i) { return v3(a.m[3 * i], a.m[3 * i + 1], a.m[3 * i + 2]); }
static inline hfVec3 m3_col(hfMat3 a, int j) { return v3(a.m[j], a.m[3 + j], a.m[6 + j]); }
static inline hfMat3 m3_from_cols(hfVec3 x, hfVec3 y, hfVec3 z) {
  hfMat3 r = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  return r;
}
// R v
static inline hfVec3 m3_mulv(hfMat3 a, hfVec3 v) {
  const double* m = a.m;
  return v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
            m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
// R^T v
static inline hfVec3 m3_tmulv(hfMat3 a, hfVec3 v) {
  const double* m = a.m;
  return v3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
            m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
// A B
static inline hfMat3 m3_mul(hfMat3 a, hfMat3 b) {
  hfMat3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[3 * i + j] = a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
  return r;
}
// A^T B
static inline hfMat3 m3_tmul(hfMat3 a, hfMat3 b) {
  hfMat3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[3 * i + j] = a.m[i] * b.m[j] + a.m[3 + i] * b.m[3 + j] + a.m[6 + i] * b.m[6 + j];
  return r;
}
static inline hfMat3 m3_transpose(hfMat3 a) {
  hfMat3 r = {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
  return r;
}

// ---- quaternions ---------------------------------------------------------------------------------

static inline hfQuat q_identity(void) { hfQuat r = {1, 0, 0, 0}; return r; }
static inline hfQuat q_load(const double* a) { hfQuat r = {a[0], a[1], a[2], a[3]}; return r; }
static inline void q_store(double* a, hfQuat q) { a[0] = q.w; a[1] = q.x; a[2] = q.y; a[3] = q.z; }
static inline hfQuat q_conj(hfQuat q) { hfQuat r = {q.w, -q.x, -q.y, -q.z}; return r; }
// The rotation b, then a.
static inline hfQuat q_mul(hfQuat a, hfQuat b) {
  hfQuat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
              a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
              a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  return r;
}
static inline double q_norm(hfQuat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
// q/|q|; the identity where |q| is too small or too large to have a direction
static inline hfQuat q_unit(hfQuat q) {
  double n = q_norm(q);
  if (!(n > 1e-15 && n < INFINITY)) return q_identity();
  hfQuat r = {q.w / n, q.x / n, q.y / n, q.z / n};
  return r;
}
// q/|q|, like q_unit. A quaternion whose length is 1 up to rounding stays as it is, so that a second call changes no
// bit.
static inline hfQuat q_unit_once(hfQuat q) { return is_unit_length(q_norm(q)) ? q : q_unit(q); }
// The rotation by an angle [rad] about an axis of length 1.
static inline hfQuat q_from_axis_angle(hfVec3 unit_axis, double angle) {
  hfiSine half = hfi_sine(0.5 * angle);
  hfQuat r = {half.cos, half.sin * unit_axis.x, half.sin * unit_axis.y, half.sin * unit_axis.z};
  return r;
}
// exp of a rotation vector [rad]
static inline hfQuat q_exp(hfVec3 rotation) {
  double angle = v3_norm(rotation);
  hfiSine half = hfi_sine(0.5 * angle);
  // sin(a/2)/a by its series where the quotient loses digits
  double s = angle > 1e-4 ? half.sin / angle : 0.5 - angle * angle / 48.0;
  hfQuat r = {half.cos, s * rotation.x, s * rotation.y, s * rotation.z};
  return r;
}
// rotation vector of a unit quaternion, |result| <= pi [rad]
static inline hfVec3 q_log(hfQuat q) {
  if (q.w < 0) q = (hfQuat){-q.w, -q.x, -q.y, -q.z};
  double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  double f = s > 1e-9 ? 2.0 * hfi_atan2(s, q.w) / s : 2.0;
  return v3(f * q.x, f * q.y, f * q.z);
}
// The mean of x turned by s t, over s from 0 to 1: x + c t x x + d t x (t x x), c = (1 - cos a)/a^2, d = (a - sin
// a)/a^3, a = |t|; by series where the quotients lose digits.
static inline hfVec3 v3_mean_turned(hfVec3 t, hfVec3 x) {
  double a = v3_norm(t);
  double aa = a * a;
  hfiSine turn = hfi_sine(a);
  double c = a > 1e-3 ? (1 - turn.cos) / aa : 0.5 - aa / 24;
  double d = a > 1e-2 ? (a - turn.sin) / (aa * a) : 1. / 6 - aa / 120;
  hfVec3 tx = v3_cross(t, x);
  return v3_axpy(d, v3_cross(t, tx), v3_axpy(c, tx, x));
}
// (1 - (a/2) cot(a/2))/a^2; by its series where the quotient loses digits.
static inline double v3_turn_coefficient(double a) {
  if (!(a > 1e-3)) return 1. / 12 + a * a / 720;
  hfiSine half = hfi_sine(0.5 * a);
  return (1 - 0.5 * a * half.cos / half.sin) / (a * a);
}
// The x whose mean, turned so, is y: y - t x y/2 + b t x (t x y), b the coefficient above of |t|.
static inline hfVec3 v3_of_mean_turned(hfVec3 t, hfVec3 y) {
  hfVec3 ty = v3_cross(t, y);
  return v3_axpy(v3_turn_coefficient(v3_norm(t)), v3_cross(t, ty), v3_axpy(-0.5, ty, y));
}
// The rotation matrix of a unit quaternion.
static inline hfMat3 m3_from_quat(hfQuat q) {
  double xx = q.x * q.x;
  double yy = q.y * q.y;
  double zz = q.z * q.z;
  double xy = q.x * q.y;
  double xz = q.x * q.z;
  double yz = q.y * q.z;
  double wx = q.w * q.x;
  double wy = q.w * q.y;
  double wz = q.w * q.z;

  hfMat3 r = {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
               2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
  return r;
}
// v_W = q v q^-1
static inline hfVec3 q_rotate(hfQuat q, hfVec3 v) {
  hfVec3 u = v3(q.x, q.y, q.z);
  hfVec3 t = v3_scale(2.0, v3_cross(u, v));
  return v3_add(v3_axpy(q.w, t, v), v3_cross(u, t));
}
// Quaternion of a rotation matrix (Shepperd: the largest of w, x, y, z is the pivot).
static inline hfQuat q_from_m3(hfMat3 a) {
  const double* m = a.m;
  double t[4] = {m[0] + m[4] + m[8], m[0], m[4], m[8]};
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (t[i] > t[largest]) largest = i;

  // a multiple of the quaternion
  switch (largest) {
  case 0: return q_unit((hfQuat){1 + t[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]});
  case 1: return q_unit((hfQuat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]});
  case 2: return q_unit((hfQuat){m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]});
  default: return q_unit((hfQuat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]});
  }
}

// ---- poses ---------------------------------------------------------------------------------------

static inline hfPose pose_identity(void) { hfPose r = {m3_identity(), {0, 0, 0}}; return r; }
static inline hfPose pose_from(hfVec3 p, hfQuat q) { hfPose r = {m3_from_quat(q), p}; return r; }
// X_AC = X_AB X_BC
static inline hfPose pose_mul(hfPose a, hfPose b) {
  hfPose r = {m3_mul(a.R, b.R), v3_add(a.p, m3_mulv(a.R, b.p))};
  return r;
}
// A point p of the frame in the frame's parent, and back.
static inline hfVec3 pose_point(hfPose x, hfVec3 p) { return v3_add(x.p, m3_mulv(x.R, p)); }
static inline hfVec3 pose_inv_point(hfPose x, hfVec3 p) { return m3_tmulv(x.R, v3_sub(p, x.p)); }
// X_AB^-1 = X_BA
static inline hfPose pose_inverse(hfPose x) {
  hfPose r = {m3_transpose(x.R), m3_tmulv(x.R, v3_sub(v3_zero(), x.p))};
  return r;
}
// X_AB^-1 X_AC = X_BC
static inline hfPose pose_inv_mul(hfPose a, hfPose b) {
  hfPose r = {m3_tmul(a.R, b.R), m3_tmulv(a.R, v3_sub(b.p, a.p))};
  return r;
}

#endif
