// The deformation of anchored friction within a step of continuous time, as a function of the configuration.
//
//   xi = xi of the start of the step + how far the two material points that met then have moved apart
#include "continuous/accel.h"

#include "world/law.h"

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
  hfVec3 moved = v3_sub(pose_point(*XA, anchor->p_AC), pose_point(*XB, a->start[found].p_BC));
  hfVec3 xi = hfi_across(c->at->n, v3_add(m3_mulv(XB->R, anchor->xi_B), moved)), twist = v3_zero();
  if (c->dim > 3) {
    hfVec3 turned = q_log(q_mul(hfi_accel_relative_rotation(a, c->at), q_conj(anchor->q_BA)));
    twist = m3_mulv(XB->R, v3_add(anchor->twist_B, turned));
  }
  hfi_contact_set_deformation(c->at, xi, twist, c->law.xi0);
}
