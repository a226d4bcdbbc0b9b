// The deformation of anchored friction within a step of continuous time, as a function of the configuration.
//
//   xi = xi of the start of the step + how far the two material points that met then have moved apart
//
// Points of moving surfaces also move over their bodies, for the time since the start.
#include "methods/continuous/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/surface.h"

int hfi_accel_find_anchor(const hfAccel* a, const hfiContact* c) {
  const hfiAnchors* anchors = &a->anchors;
  hfiContactKey key = hfi_contact_key(c);

  // bisection for the first contact of the pair
  int lo = 0;
  int hi = anchors->count;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (hfi_contact_key(&anchors->contact[mid]).pair < key.pair) lo = mid + 1;
    else hi = mid;
  }

  for (; lo < anchors->count && hfi_contact_key(&anchors->contact[lo]).pair == key.pair; ++lo)
    if (anchors->contact[lo].feature == key.feature) return lo;
  return -1;
}

void hfi_accel_follow(const hfAccel* a, hfiAccelContact* c) {
  const hfiContact* contact = c->contact;
  int found = hfi_accel_find_anchor(a, contact);
  if (found < 0) return;
  const hfiAnchor* anchor = &a->anchors.anchor[found];
  const hfPose* XA = &a->dynamics->X_WB[contact->body_a];
  const hfPose* XB = &a->dynamics->X_WB[contact->body_b];
  double since = a->point.t - a->anchors.began;

  // sliding
  hfVec3 moved = v3_sub(pose_point(*XA, anchor->p_AC), pose_point(*XB, a->anchors.contact[found].p_BC));
  hfVec3 xi_W = m3_mulv(XB->R, anchor->xi_B);
  if (a->world->surfaces && since > 0) {
    hfiSurfaceMotion surface = hfi_surface_motion(a->world->surfaces, a->dynamics->X_WB, contact, since);
    moved = v3_add(moved, v3_sub(surface.a, surface.b));
    xi_W = v3_add(xi_W, v3_cross(surface.turn_b, xi_W));
  }
  hfVec3 xi = hfi_across(contact->n, v3_add(xi_W, moved));

  // torsion and rolling
  hfVec3 twist = v3_zero();
  if (c->dim > 3) {
    hfVec3 turned = q_log(q_mul(hfi_accel_relative_rotation(a, contact), q_conj(anchor->q_BA)));
    twist = v3_axpy(since * c->drift[3], contact->n, m3_mulv(XB->R, v3_add(anchor->twist_B, turned)));
  }
  hfi_contact_set_deformation(contact, xi, twist, c->law.xi0);
}
