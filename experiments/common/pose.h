// Vectors and poses for experiments.
#ifndef EXPERIMENTS_POSE_H
#define EXPERIMENTS_POSE_H

#include <holdfast/types.h>
#include <math.h>

static inline hfVec3 vec(double x, double y, double z) {
  hfVec3 r = {x, y, z};
  return r;
}
// a + s b
static inline hfVec3 vec_axpy(double s, hfVec3 b, hfVec3 a) {
  return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double vec_dot(hfVec3 a, hfVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_norm(hfVec3 a) { return sqrt(vec_dot(a, a)); }
static inline hfVec3 vec_cross(hfVec3 a, hfVec3 b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline hfVec3 pose_axis(const hfPose* X, int i) {
  return vec(X->R.m[i], X->R.m[3 + i], X->R.m[6 + i]);
}
// R v
static inline hfVec3 pose_turn(const hfPose* X, hfVec3 v) {
  const double* m = X->R.m;
  return vec(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
             m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
// R^T v
static inline hfVec3 pose_unturn(const hfPose* X, hfVec3 v) {
  return vec(vec_dot(pose_axis(X, 0), v), vec_dot(pose_axis(X, 1), v), vec_dot(pose_axis(X, 2), v));
}
// X p, and X^-1 p
static inline hfVec3 pose_apply(const hfPose* X, hfVec3 p) {
  return vec_axpy(1, X->p, pose_turn(X, p));
}
static inline hfVec3 pose_unapply(const hfPose* X, hfVec3 p) {
  return pose_unturn(X, vec_axpy(-1, X->p, p));
}
// Axes x, y, z as columns.
static inline hfPose pose_of(hfVec3 p, hfVec3 x, hfVec3 y, hfVec3 z) {
  hfPose X = {{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}, p};
  return X;
}
// X Y
static inline hfPose pose_times(const hfPose* X, const hfPose* Y) {
  return pose_of(pose_apply(X, Y->p), pose_turn(X, pose_axis(Y, 0)), pose_turn(X, pose_axis(Y, 1)),
                 pose_turn(X, pose_axis(Y, 2)));
}
static inline hfPose pose_inverse(const hfPose* X) {
  hfPose r = {{{X->R.m[0], X->R.m[3], X->R.m[6], X->R.m[1], X->R.m[4], X->R.m[7], X->R.m[2],
                X->R.m[5], X->R.m[8]}},
              vec(0, 0, 0)};
  r.p = pose_turn(&r, vec(-X->p.x, -X->p.y, -X->p.z));
  return r;
}
// Turned about its origin by a rotation vector [rad] (Rodrigues).
static inline hfPose pose_turned(const hfPose* X, hfVec3 rotation) {
  double angle = vec_norm(rotation);
  if (angle == 0) return *X;
  hfVec3 u = vec(rotation.x / angle, rotation.y / angle, rotation.z / angle), axis[3];
  for (int i = 0; i < 3; ++i) {
    hfVec3 a = pose_axis(X, i), across = vec_cross(u, a);
    axis[i] = vec_axpy(1 - cos(angle), vec_cross(u, across), vec_axpy(sin(angle), across, a));
  }
  return pose_of(X->p, axis[0], axis[1], axis[2]);
}
// Upright, turned about the vertical.
static inline hfPose pose_upright(double x, double y, double z, double yaw) {
  return pose_of(vec(x, y, z), vec(cos(yaw), sin(yaw), 0), vec(-sin(yaw), cos(yaw), 0),
                 vec(0, 0, 1));
}

#endif
