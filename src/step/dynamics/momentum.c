// Momentum of everything that moves: linear p = sum m v_c, angular about a point P
//   L_P = sum_l n_l + (O - P) x f_l,   (n_l, f_l) = I_l V_l about O.
// Armature has no direction in space and does not count.
#include "step/dynamics/dynamics.h"

void hf_dynamics_momentum(const hfDynamics* d, hfVec3 about_W, hfVec3* linear, hfVec3* angular) {
  hfForce sum = fo_zero();
  for (int l = 1; l < d->nlink; ++l) {
    hfForce p = inertia_mul(&d->I[l], d->V[l]);
    p.n = v3_add(p.n, v3_cross(v3_sub(hfi_link_reference(d, l), about_W), p.f));
    sum = fo_add(sum, p);
  }
  *linear = sum.f;
  *angular = sum.n;
}
