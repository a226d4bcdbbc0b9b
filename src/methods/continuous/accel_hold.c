// Contacts that are held through a step of the integrator.
//
// Where two shapes overlap deeply, the points and the normal that collision finds may jump between two sets while the
// bodies hardly move, and each set may push towards the configurations at which the other one is found. The equation
// then has no solution that an integrator could follow. A held contact is smooth: it keeps the points pA of body A and
// pB of body B that met in it, and its normal n and its tangents turn with B,
//
//   depth = depth0 - n.(pA - pB),   point = (pA + pB)/2
//
// Contacts of discrete time are held through their steps in the same way. Points that are still open by up to HELD_GAP
// are held, too, so that bodies can meet within the step. Other contacts are found when the step has ended.
#include "methods/continuous/inside.h"

// Contacts whose gap is below this are held [m].
static const double HELD_GAP = 1e-3;

// Forgets everything that was computed at the last point of the equation, because it belongs to other contacts.
static void forget_point(hfAccel* a) {
  a->stage = HFI_ACCEL_NOWHERE;
  a->motion.is_fresh = 0;
}

void hfi_accel_let_go(hfAccel* a) {
  a->hold.acts = 0;
  forget_point(a);
}

void hfi_accel_hold(hfAccel* a) {
  const hfiWorld* w = a->world;
  hfi_near_find(&a->world->near, max2(HELD_GAP, a->config.reach), 0, NULL);

  a->hold.count = w->near.ncontact;
  for (int i = 0; i < w->near.ncontact; ++i) {
    const hfiContact* c = &w->near.contact[i];
    hfPose XA = a->dynamics->X_WB[c->body_a];
    hfPose XB = a->dynamics->X_WB[c->body_b];
    a->hold.list[i] = (hfiHeldContact){.contact = *c,
                                       .p_AC = pose_inv_point(XA, c->p_W),
                                       .p_BC = pose_inv_point(XB, c->p_W),
                                       .n_B = m3_tmulv(XB.R, c->n),
                                       .t1_B = m3_tmulv(XB.R, c->t1),
                                       .t2_B = m3_tmulv(XB.R, c->t2)};
  }
  a->hold.acts = 1;
  forget_point(a);
}

void hfi_accel_move_held(hfAccel* a) {
  hfiContact* contact = hfi_near_replace(&a->world->near, a->hold.count);

  for (int i = 0; i < a->hold.count; ++i) {
    const hfiHeldContact* held = &a->hold.list[i];
    const hfPose* XA = &a->dynamics->X_WB[held->contact.body_a];
    const hfPose* XB = &a->dynamics->X_WB[held->contact.body_b];
    hfVec3 pA = pose_point(*XA, held->p_AC);
    hfVec3 pB = pose_point(*XB, held->p_BC);

    hfiContact* c = &contact[i];
    *c = held->contact;
    c->n = m3_mulv(XB->R, held->n_B);
    c->t1 = m3_mulv(XB->R, held->t1_B);
    c->t2 = m3_mulv(XB->R, held->t2_B);
    c->p_W = v3_scale(0.5, v3_add(pA, pB));
    c->depth = held->contact.depth - v3_dot(c->n, v3_sub(pA, pB));
  }
}
