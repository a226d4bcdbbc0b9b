// Gravity compensation: the generalised force that carries the share body_gravcomp of each weight,
//   tau = -sum_b gravcomp_b m_b J_cb^T g.
#include "step/dynamics/dynamics.h"

#include "base/finite.h"

#include <string.h>

int hfi_gravity_compensated(const hfDynamics* d) {
  return hfi_any_nonzero(hf_model_body_gravcomp(d->model) + 1, d->model->nbody - 1);
}

void hf_dynamics_gravity_compensation(const hfDynamics* d, double* tau) {
  const hfModel* m = d->model;
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int b = 1; b < m->nbody; ++b) {
    double share = hf_model_body_gravcomp(m)[b];
    hfForce lift = {v3_zero(), v3_scale(-share * hf_model_body_mass(m)[b], d->gravity)};
    if (share != 0) hfi_jacobian_transpose_add(d, b, hfi_body_com(d, b), lift, tau);
  }
}
