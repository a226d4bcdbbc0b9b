// The planar grasp of Song, Kumar et al.: an ellipse between two two-link fingers, no gravity; tangent
// configurations in closed form.
#ifndef HF_TESTS_RIGID_PLANAR_H
#define HF_TESTS_RIGID_PLANAR_H

#include <holdfast/holdfast.h>
#include <math.h>

// Contact faces of the links are the lines through their joints.
static const char PLANAR_GRASP[] =
    "<mujoco><option gravity='0 0 0'/><worldbody>"
    "<body name='object' pos='0 0 0'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 "
    "1 0'/><joint axis='0 0 1'/>"
    "<inertial pos='0 0 0' mass='1.69' diaginertia='1.46e-2 1.46e-2 1.46e-2'/>"
    "<geom name='ellipse' type='ellipsoid' size='0.15 0.11 0.1' contype='1' conaffinity='0' "
    "friction='0'/></body>"
    "<body name='r1' pos='0.05 0 0'><joint axis='0 0 1'/><inertial pos='0.1 0 0' mass='0.5' "
    "diaginertia='1.67e-3 1.67e-3 1.67e-3'/>"
    "<geom name='link1' type='box' pos='0.1 -0.01 0' size='0.1 0.01 0.05' contype='0' "
    "conaffinity='1' friction='0.8'/>"
    "<body name='r2' pos='0.2 0 0'><joint axis='0 0 1'/><inertial pos='0.1 0 0' mass='0.5' "
    "diaginertia='1.67e-3 1.67e-3 1.67e-3'/>"
    "<geom name='link2' type='box' pos='0.1 -0.01 0' size='0.1 0.01 0.05' contype='0' "
    "conaffinity='1' friction='0.6'/></body></body>"
    "<body name='l1' pos='-0.05 0 0'><joint axis='0 0 1'/><inertial pos='0.1 0 0' mass='0.5' "
    "diaginertia='1.67e-3 1.67e-3 1.67e-3'/>"
    "<geom name='link3' type='box' pos='0.1 0.01 0' size='0.1 0.01 0.05' contype='0' "
    "conaffinity='1' friction='0.8'/>"
    "<body name='l2' pos='0.2 0 0'><joint axis='0 0 1'/><inertial pos='0.1 0 0' mass='0.5' "
    "diaginertia='1.67e-3 1.67e-3 1.67e-3'/>"
    "<geom name='link4' type='box' pos='0.1 0.01 0' size='0.1 0.01 0.05' contype='0' "
    "conaffinity='1' friction='0.6'/></body></body>"
    "</worldbody></mujoco>";

// Gap of the line through (px, py) at angle th from the ellipse at (0, y), which lies to its left.
static inline double planar_gap(double px, double py, double th, double y) {
  double nx = -sin(th), ny = cos(th);
  return nx * (0 - px) + ny * (y - py) - sqrt(0.15 * 0.15 * nx * nx + 0.11 * 0.11 * ny * ny);
}

// Angle in [lo, hi] at which the line touches; the gap falls with the angle.
static inline double planar_touch(double px, double py, double y, double lo, double hi) {
  for (int i = 0; i < 200; ++i) {
    double mid = 0.5 * (lo + hi);
    if (planar_gap(px, py, mid, y) > 0)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}

// q (7) of the symmetric grasp with the object at (0, y), all four links touching.
static inline void planar_configuration(double y, double* q) {
  double th1 = planar_touch(0.05, 0, y, 0, 1.3), ex = 0.05 + 0.2 * cos(th1), ey = 0.2 * sin(th1);
  double th2 = planar_touch(ex, ey, y, th1 + 0.2, th1 + 2.2) - th1;
  double all[7] = {0, y, 0, th1, th2, M_PI - th1, -th2};
  for (int i = 0; i < 7; ++i) q[i] = all[i];
}

// Velocity (7) of the plan per ydot = 1.
static inline void planar_velocity(double y, double* v) {
  double a[7], b[7], e = 1e-6;
  planar_configuration(y + e, a);
  planar_configuration(y - e, b);
  for (int i = 0; i < 7; ++i) v[i] = (a[i] - b[i]) / (2 * e);
}

#endif
