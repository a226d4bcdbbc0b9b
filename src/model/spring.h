// Springs and dampers whose force is not linear, and springs of ball joints.
#ifndef HFI_MODEL_SPRING_H
#define HFI_MODEL_SPRING_H

#include <holdfast/model.h>
#include "math/vec3.h"

// ---- polynomials -----------------------------------------------------------------------------------
//
// Springs and dampers whose force is a polynomial of third degree.
//
//   spring of stretch x:  f(x) = a x + b x^2 + c x^3       secant f/x = a + b x + c x^2
//   damper of speed v:    f(v) = a v + b v |v| + c v^3     secant at |v|
//
// A joint with three coordinates of a kind has x = |rotation vector| or |displacement| and its force along that vector.

// poly holds b and c.
static inline double hfi_secant(double a, const double poly[2], double x) { return a + poly[0] * x + poly[1] * x * x; }

// Derivative of f.
static inline double hfi_polynomial_slope(double a, const double poly[2], double x) {
  return a + 2 * poly[0] * x + 3 * poly[1] * x * x;
}

// Integral of f from 0.
static inline double hfi_polynomial_energy(double a, const double poly[2], double x) {
  return x * x * (a / 2 + x * (poly[0] / 3 + x * poly[1] / 4));
}

// ---- bending ---------------------------------------------------------------------------------------
//
// How a ball joint bends and twists, like a beam along the x axis of its body:
//
//   x = log(q_PB) - x_rest,   torque on the body in the axes of its parent: -k x,   in those of its own: -R_PB^T k x
//
// q_PB is the turn of the body in its parent, k = jnt_bend, x_rest = jnt_bend_rest. For turns of one axis, or equal
// stiffnesses, it is the force of the energy k x^2/2; else only nearly so, as in MuJoCo, whose law this is.

static inline int hfi_joint_bends(const hfModel* m, int j) {
  const double* k = hf_model_jnt_bend(m) + 3 * j;
  return hf_model_jnt_type(m)[j] == HF_JOINT_BALL && (k[0] != 0 || k[1] != 0 || k[2] != 0);
}

static inline int hfi_any_joint_bends(const hfModel* m) {
  for (int j = 0; j < m->njnt; ++j)
    if (hfi_joint_bends(m, j)) return 1;
  return 0;
}

// Sets *turn to q_PB at the coordinates q of joint j (4), and returns x.
static inline hfVec3 hfi_bend_of(const hfModel* m, int j, const double* q, hfQuat* turn) {
  hfQuat reference = q_load(hf_model_body_quat(m) + 4 * hf_model_jnt_body(m)[j]);
  *turn = q_unit(q_mul(reference, q_load(q)));
  return v3_sub(q_log(*turn), v3_load(hf_model_jnt_bend_rest(m) + 3 * j));
}

// R_PB^T k R_PB: the stiffness in the axes of the body.
static inline hfMat3 hfi_bend_stiffness(const hfModel* m, int j, hfQuat turn) {
  hfMat3 R = m3_from_quat(turn);
  hfMat3 kR = R;
  for (int i = 0; i < 9; ++i) kR.m[i] *= hf_model_jnt_bend(m)[3 * j + i / 3];
  return m3_tmul(R, kR);
}

#endif
