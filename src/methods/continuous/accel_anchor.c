// The deformation of anchored friction within a step of continuous time, as a function of the configuration.
//
//   xi = xi of the start of the step + how far the two material points that met then have moved apart
//
// Points of moving surfaces also move over their bodies, for the time since the start.
#include "methods/continuous/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/surface.h"

// Returns the index of the anchor of a contact, with its pair and feature, or -1.
int hfi_accel_find_anchor(const hfAccel* accel, const hfiContact* contact) {
  const hfiAnchors* anchors = &accel->anchors;
  hfiContactKey key = hfi_contact_key(contact);

  // bisection for the first contact of the pair
  int lo = 0;
  int hi = anchors->count;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (hfi_contact_key(&anchors->contact[mid]).pair < key.pair) lo = mid + 1;
    else hi = mid;
  }

  // its features
  for (; lo < anchors->count && hfi_contact_key(&anchors->contact[lo]).pair == key.pair; ++lo)
    if (anchors->contact[lo].feature == key.feature) return lo;
  return -1;
}

// Sets law.xi0 of an anchored contact from the configuration: the deformation at the start, and how far the material
// points have moved apart since. A contact without an anchor keeps its law.
void hfi_accel_follow_anchor(const hfAccel* accel, hfiAccelContact* contact) {
  const hfiContact* source = contact->source;
  int found = hfi_accel_find_anchor(accel, source);
  if (found < 0) return;

  const hfiAnchor* anchor = &accel->anchors.anchor[found];
  const hfPose* XA = &accel->dynamics->X_WB[source->body_a];
  const hfPose* XB = &accel->dynamics->X_WB[source->body_b];
  double since = accel->point.t - accel->anchors.began;

  // sliding: how far apart the points are that met at the start, with the motion of surfaces over their bodies since
  // then
  hfVec3 moved = v3_sub(pose_point(*XA, anchor->p_AC), pose_point(*XB, accel->anchors.contact[found].p_BC));
  hfVec3 xi_W = m3_mulv(XB->R, anchor->xi_B);
  if (accel->world->surfaces && since > 0) {
    hfiSurfaceMotion surface = hfi_surface_motion(accel->world->surfaces, accel->dynamics->X_WB, source, since);
    moved = v3_add(moved, v3_sub(surface.a, surface.b));
    xi_W = v3_add(xi_W, v3_cross(surface.turn_b, xi_W));
  }

  hfVec3 xi = hfi_across(source->n, v3_add(xi_W, moved));

  // torsion and rolling: the turn of A against B since the start; drift[3] is the rate at which surfaces turn about n
  hfVec3 twist = v3_zero();
  if (contact->dim > 3) {
    hfVec3 turned = q_log(q_mul(hfi_accel_relative_rotation(accel, source), q_conj(anchor->q_BA)));
    twist = v3_axpy(since * contact->drift[3], source->n, m3_mulv(XB->R, v3_add(anchor->twist_B, turned)));
  }

  hfi_contact_set_deformation(source, xi, twist, contact->law.xi0);
}
