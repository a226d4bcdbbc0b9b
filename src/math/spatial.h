// Spatial algebra about a common point O in world axes: motion V = (w, v_O), force F = (n_O, f).
//
//   V x V'  = (w x w', w x v' + v x w')          motion cross motion
//   V x* F  = (w x n + v x f, w x f)             motion cross force
//   F . V   = n.w + f.v                          power
//   F = I V = (Ibar w + h x v, m v - h x w)      h = m c, Ibar = Ic - m [c][c] about O
#ifndef HFI_MATH_SPATIAL_H
#define HFI_MATH_SPATIAL_H

#include "math/vec3.h"

// Rigid-body inertia about a point: mass, first moment, rotational inertia (xx yy zz xy xz yz).
typedef struct hfiInertia { double m; hfVec3 h; double I[6]; } hfiInertia;

static inline hfMotion mo_zero(void) { hfMotion r = {{0, 0, 0}, {0, 0, 0}}; return r; }
// The motion of a unit rate about an axis through the point p, seen at the origin.
static inline hfMotion mo_rotation(hfVec3 axis, hfVec3 p) {
  hfMotion r = {axis, v3_cross(p, axis)};
  return r;
}
// Rotation about a line through p, and travel along it by `pitch` for each radian.
static inline hfMotion mo_screw(hfVec3 axis, hfVec3 p, double pitch) {
  hfMotion r = {axis, v3_axpy(pitch, axis, v3_cross(p, axis))};
  return r;
}
// The motion of a unit rate along an axis.
static inline hfMotion mo_translation(hfVec3 axis) {
  hfMotion r = {v3_zero(), axis};
  return r;
}
static inline hfMotion mo_add(hfMotion a, hfMotion b) {
  hfMotion r = {v3_add(a.w, b.w), v3_add(a.v, b.v)};
  return r;
}
// a + s b
static inline hfMotion mo_axpy(double s, hfMotion b, hfMotion a) {
  hfMotion r = {v3_axpy(s, b.w, a.w), v3_axpy(s, b.v, a.v)};
  return r;
}
static inline hfMotion mo_scale(double s, hfMotion a) {
  hfMotion r = {v3_scale(s, a.w), v3_scale(s, a.v)};
  return r;
}
// V x V'
static inline hfMotion mo_cross(hfMotion a, hfMotion b) {
  hfMotion r = {v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
  return r;
}
static inline hfForce fo_zero(void) { hfForce r = {{0, 0, 0}, {0, 0, 0}}; return r; }
static inline hfForce fo_add(hfForce a, hfForce b) {
  hfForce r = {v3_add(a.n, b.n), v3_add(a.f, b.f)};
  return r;
}
// V x* F
static inline hfForce mo_cross_force(hfMotion a, hfForce b) {
  hfForce r = {v3_add(v3_cross(a.w, b.n), v3_cross(a.v, b.f)), v3_cross(a.w, b.f)};
  return r;
}
// F . V
static inline double fo_dot(hfForce f, hfMotion m) { return v3_dot(f.n, m.w) + v3_dot(f.f, m.v); }

// Symmetric 3x3 matrix (xx yy zz xy xz yz) times vector.
static inline hfVec3 sym3_mulv(const double* I, hfVec3 w) {
  return v3(I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
            I[4] * w.x + I[5] * w.y + I[2] * w.z);
}
// F = I V
static inline hfForce inertia_mul(const hfiInertia* I, hfMotion V) {
  hfForce r = {v3_add(sym3_mulv(I->I, V.w), v3_cross(I->h, V.v)),
               v3_sub(v3_scale(I->m, V.v), v3_cross(I->h, V.w))};
  return r;
}
// a += b
static inline void inertia_add(hfiInertia* a, const hfiInertia* b) {
  a->m += b->m;
  a->h = v3_add(a->h, b->h);
  for (int i = 0; i < 6; ++i) a->I[i] += b->I[i];
}

#endif
