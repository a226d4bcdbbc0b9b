// Cartesian keyframes.
//
//   position      a quintic a segment and coordinate (robot/control/trajectory.c)
//   orientation   R(t) = exp(a(t) u) R_i,  u the axis and A the angle of R_i+1 R_i^T,
//                 a(t) a quintic from 0 to A with no rate at either end:
//                 slerp (Shoemake 1985) with a time law. w = a' u, wdot = a'' u.
#include <holdfast/manipulation.h>

#include "math/vec3.h"

#include <assert.h>

// Returns the key of pose X at a time [s].
hfPoseKey hf_pose_key(double time, hfPose X) {
  hfPoseKey key = {time, X.p, q_from_m3(X.R)};
  return key;
}

// Returns a coordinate of key i. Its rate is the mean slope between the neighbours.
// The rate is zero at the first and last key.
static hfSetpoint key_coordinate(int n, const hfPoseKey* keys, int i, int axis) {
  hfSetpoint p = {v3_get(keys[i].p, axis), 0, 0};
  if (i > 0 && i + 1 < n)
    p.v = (v3_get(keys[i + 1].p, axis) - v3_get(keys[i - 1].p, axis)) / (keys[i + 1].time - keys[i - 1].time);
  return p;
}

// The segment that time lies in, or -1 outside.
static int find_segment(int n, const hfPoseKey* keys, double time) {
  int i = 0;
  while (i + 1 < n && time >= keys[i + 1].time) i++;
  int is_outside = i + 1 == n || time <= keys[0].time;
  return is_outside ? -1 : i;
}

// Returns pose, velocity and acceleration at `time` [s]. Outside of the keys the first or last one is held.
hfPoseSetpoint hf_pose_keyframes(int n, const hfPoseKey* keys, double time) {
  assert(n >= 1);
  int i = find_segment(n, keys, time);
  hfPoseSetpoint s = {0};

  if (i < 0) {
    const hfPoseKey* held = time <= keys[0].time ? &keys[0] : &keys[n - 1];
    s.X = pose_from(held->p, q_unit(held->q));
    return s;
  }

  double T = keys[i + 1].time - keys[i].time;
  double t = time - keys[i].time;

  // position
  hfSetpoint c[3];
  for (int axis = 0; axis < 3; ++axis)
    c[axis] = hf_quintic(key_coordinate(n, keys, i, axis), key_coordinate(n, keys, i + 1, axis), T, t);

  // orientation: the angle a about the axis u
  hfQuat from = q_unit(keys[i].q);
  hfVec3 turn = q_log(q_mul(q_unit(keys[i + 1].q), q_conj(from)));
  hfVec3 u = v3_unit(turn);
  hfSetpoint rest = {0, 0, 0};
  hfSetpoint whole = {v3_norm(turn), 0, 0};
  hfSetpoint a = hf_quintic(rest, whole, T, t);

  // the setpoint
  s.X = pose_from(v3(c[0].q, c[1].q, c[2].q), q_mul(q_from_axis_angle(u, a.q), from));
  s.V.v = v3(c[0].v, c[1].v, c[2].v);
  s.V.w = v3_scale(a.v, u);
  s.A.v = v3(c[0].a, c[1].a, c[2].a);
  s.A.w = v3_scale(a.a, u);
  return s;
}
