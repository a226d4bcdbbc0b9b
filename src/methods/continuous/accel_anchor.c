// The deformation of anchored friction within a step of continuous time, as a function of the configuration.
//
//   xi = xi of the start of the step + how far the two material points that met then have moved apart
//
// Points of moving surfaces also move over their bodies, for the time since the start.
#include "methods/continuous/accel.h"

#include "step/contact/surface.h"
#include "step/contact/contact_law.h"

int hfi_accel_find_anchor(const hfAccel* a, const hfiContact* c) {
  hfiContactKey key = hfi_contact_key(c);
  int lo = 0, hi = a->nanchor;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (hfi_contact_key(&a->start[mid]).pair < key.pair) lo = mid + 1;
    else hi = mid;
  }
  for (; lo < a->nanchor && hfi_contact_key(&a->start[lo]).pair == key.pair; ++lo)
    if (a->start[lo].feature == key.feature) return lo;
  return -1;
}

void hfi_accel_follow(const hfAccel* a, hfiAccelContact* c) {
  int found = hfi_accel_find_anchor(a, c->at);
  if (found < 0) return;
  const hfiAnchor* anchor = &a->anchor[found];
  const hfPose *XA = &a->dynamics->X_WB[c->at->body_a], *XB = &a->dynamics->X_WB[c->at->body_b];
  double since = a->now - a->began;
  hfVec3 moved = v3_sub(pose_point(*XA, anchor->p_AC), pose_point(*XB, a->start[found].p_BC));
  hfVec3 xi_W = m3_mulv(XB->R, anchor->xi_B), twist = v3_zero();
  if (a->world->surfaces && since > 0) {
    hfiSurfaceMotion surface = hfi_surface_motion(a->world->surfaces, a->dynamics->X_WB, c->at, since);
    moved = v3_add(moved, v3_sub(surface.a, surface.b));
    xi_W = v3_add(xi_W, v3_cross(surface.turn_b, xi_W));
  }
  hfVec3 xi = hfi_across(c->at->n, v3_add(xi_W, moved));
  if (c->dim > 3) {
    hfVec3 turned = q_log(q_mul(hfi_accel_relative_rotation(a, c->at), q_conj(anchor->q_BA)));
    twist = v3_axpy(since * c->drift[3], c->at->n, m3_mulv(XB->R, v3_add(anchor->twist_B, turned)));
  }
  hfi_contact_set_deformation(c->at, xi, twist, c->law.xi0);
}
