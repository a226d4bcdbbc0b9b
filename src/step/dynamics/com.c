// Centre of mass of a body and everything it carries: c = sum m_b c_b/sum m_b over the subtree.
// A subtree without mass has its body's origin for a centre.
#include "step/dynamics/dynamics.h"

#include <assert.h>

hfVec3 hf_dynamics_com(const hfDynamics* d, int body) {
  assert(body >= 0 && body < d->model->nbody);
  const double* mass = hf_model_body_mass(d->model);
  int end = hf_model_body_subtreeend(d->model)[body];
  double total = 0;
  hfVec3 moment = v3_zero();
  for (int b = body; b < end; ++b) {
    total += mass[b];
    moment = v3_axpy(mass[b], hfi_body_com(d, b), moment);
  }
  return total > 0 ? v3_scale(1 / total, moment) : d->X_WB[body].p;
}
