// Steps and differences on the configuration manifold.
//
//   q (+) h v:  coordinates move by h v; a unit quaternion becomes q exp(h w), w in the body
//   q1 (-) q0:  the same inverted, with the shortest rotation w h = log(q0^-1 q1), |w h| <= pi
#include "math/vec3.h"
#include <holdfast/dynamics.h>

static void turn(double* q, const double* w, double h) {
  q_store(q, q_unit(q_mul(q_load(q), q_exp(v3_scale(h, v3_load(w))))));
}

static void rotation_between(const double* q0, const double* q1, double h, double* w) {
  hfQuat relative = q_mul(q_conj(q_unit(q_load(q0))), q_unit(q_load(q1)));
  v3_store(w, v3_scale(1 / h, q_log(relative)));
}

void hf_model_integrate(const hfModel* m, double* q, const double* v, double h) {
  for (int j = 0; j < m->njnt; ++j) {
    double* qj = q + hf_model_jnt_qposadr(m)[j];
    const double* vj = v + hf_model_jnt_dofadr(m)[j];
    switch (hf_model_jnt_type(m)[j]) {
    case HF_JOINT_FREE:
      v3_store(qj, v3_axpy(h, v3_load(vj), v3_load(qj)));
      turn(qj + 3, vj + 3, h);
      break;
    case HF_JOINT_BALL: turn(qj, vj, h); break;
    default: *qj += h * *vj;
    }
  }
}

void hf_model_difference(const hfModel* m, const double* q0, const double* q1, double h, double* v) {
  for (int j = 0; j < m->njnt; ++j) {
    const double *a = q0 + hf_model_jnt_qposadr(m)[j], *b = q1 + hf_model_jnt_qposadr(m)[j];
    double* vj = v + hf_model_jnt_dofadr(m)[j];
    switch (hf_model_jnt_type(m)[j]) {
    case HF_JOINT_FREE:
      v3_store(vj, v3_scale(1 / h, v3_sub(v3_load(b), v3_load(a))));
      rotation_between(a + 3, b + 3, h, vj + 3);
      break;
    case HF_JOINT_BALL: rotation_between(a, b, h, vj); break;
    default: *vj = (*b - *a) / h;
    }
  }
}
