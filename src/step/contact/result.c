// What a contact reports, see result.h.
#include "step/contact/result.h"

hfContact hfi_contact_result(const hfiContact* c) {
  hfContact r = {.geom_a = c->geom_a,
                 .geom_b = c->geom_b,
                 .body_a = c->body_a,
                 .body_b = c->body_b,
                 .feature = c->feature,
                 .p_W = c->p_W,
                 .n_W = c->n,
                 .depth = c->depth,
                 .mu = c->material.condim >= 3 ? c->material.mu[0] : 0};
  return r;
}

void hfi_contact_result_force(hfContact* r, const hfiContact* c, int dim, const double* f) {
  r->fn = f[0] - c->material.adhesion;
  if (dim >= 3) r->ft = hfi_in_plane(c, f[1], f[2]);
  if (dim >= 4) r->torque = v3_scale(f[3], c->n);
  if (dim >= 6) r->torque = v3_add(r->torque, hfi_in_plane(c, f[4], f[5]));
}

void hfi_contact_result_velocity(hfContact* r, const hfiContact* c, int dim, const double* s) {
  r->vn = s[0];
  if (dim >= 3) r->vt = hfi_in_plane(c, s[1], s[2]);
}
