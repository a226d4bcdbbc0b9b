// Classical Runge-Kutta of fourth order in the coordinates themselves, quaternions included:
//   qdot = v, or q (0, w)/2 for quaternions;  vdot by forward dynamics under tau = 0.
#ifndef HF_TESTS_DYNAMICS_RK4_H
#define HF_TESTS_DYNAMICS_RK4_H

#include "dynamics/world.h"

static inline void quaternion_rate(const double* q, const double* w, double* qdot) {
  hfQuat spin = {0, w[0], w[1], w[2]}, rate = q_mul(q_load(q), spin);
  hfQuat half = {0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
  q_store(qdot, half);
}

static inline void coordinate_rate(const hfModel* m, const double* q, const double* v, double* qdot) {
  for (int j = 0; j < m->njnt; ++j) {
    hfJointInfo joint = hf_joint_info(hf_model_jnt_type(m)[j]);
    int iq = hf_model_jnt_qposadr(m)[j], iv = hf_model_jnt_dofadr(m)[j], quat = joint.quat;
    for (int k = 0; k < (quat < 0 ? joint.nv : quat); ++k) qdot[iq + k] = v[iv + k];
    if (quat >= 0) quaternion_rate(q + iq + quat, v + iv + quat, qdot + iq + quat);
  }
}

static inline void rk4_step(World* w, double h) {
  const hfModel* m = w->model;
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double tau[MAX_DOF] = {0}, qdot[MAX_DOF + 16] = {0}, vdot[MAX_DOF] = {0};
  World stage = *w, next = *w;
  for (int s = 0; s < 4; ++s) {
    for (int i = 0; i < m->nq; ++i) stage.q[i] = w->q[i] + h * at[s] * qdot[i];
    for (int i = 0; i < m->nv; ++i) stage.v[i] = w->v[i] + h * at[s] * vdot[i];
    hf_dynamics_set_position(w->d, stage.q, NULL);
    hf_dynamics_forward(w->d, stage.v, tau, NULL, vdot);
    coordinate_rate(m, stage.q, stage.v, qdot);
    for (int i = 0; i < m->nq; ++i) next.q[i] += h * weight[s] * qdot[i];
    for (int i = 0; i < m->nv; ++i) next.v[i] += h * weight[s] * vdot[i];
  }
  double zero[MAX_DOF] = {0};
  *w = next;
  hf_model_integrate(m, w->q, zero, 0); // back to unit quaternions
}

#endif
