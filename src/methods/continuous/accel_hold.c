// Contacts that are held through a step of the integrator.
//
// Where two shapes overlap deeply, the points and the normal that collision finds may jump between two sets while the
// bodies hardly move. Each set may push towards the configurations at which the other one is found. The equation then
// has no solution that an integrator could follow. A held contact is smooth: it keeps the points pA of body A and pB of
// body B that met in it, and its normal n and its tangents turn with B,
//
//   depth = depth0 - n.(pA - pB),   point = (pA + pB)/2,   depth0 when it was held
//
// Contacts of discrete time are held through their steps in the same way. Points that are still open by up to HELD_GAP
// are held, too, so that bodies can meet within the step. Other contacts are found when the step has ended.
#include "methods/continuous/inside.h"

// Contacts whose gap is below this are held [m].
static const double HELD_GAP = 1e-3;

// Forgets everything that was computed at the last point of the equation, because it belongs to other contacts.
static void forget_point(hfAccel* accel) {
  accel->stage = HFI_ACCEL_NOWHERE;
  accel->dense.motion.is_fresh = 0;
}

// Lets held contacts go.
void hfi_accel_release_contacts(hfAccel* accel) {
  accel->hold.is_active = 0;
  forget_point(accel);
}

// Holds the contacts of the present configuration. Both material points of a contact are now at its contact point.
void hfi_accel_hold_contacts(hfAccel* accel) {
  const hfiWorld* world = accel->world;
  hfi_near_find(&accel->world->near, max2(HELD_GAP, accel->config.reach), 0, NULL); // 0: only where bodies are now

  accel->hold.count = world->near.ncontact;
  for (int i = 0; i < world->near.ncontact; ++i) {
    const hfiContact* contact = &world->near.contact[i];
    hfPose XA = accel->dynamics->X_WB[contact->body_a];
    hfPose XB = accel->dynamics->X_WB[contact->body_b];
    accel->hold.list[i] = (hfiHeldContact){
        .contact = *contact,
        .p_AC = pose_inv_point(XA, contact->p_W),
        .p_BC = pose_inv_point(XB, contact->p_W),
        .n_B = m3_tmulv(XB.R, contact->n),
        .t1_B = m3_tmulv(XB.R, contact->t1),
        .t2_B = m3_tmulv(XB.R, contact->t2),
    };
  }

  accel->hold.is_active = 1;
  forget_point(accel);
}

// Makes the held contacts the world's contacts, at the present configuration.
void hfi_accel_move_held_contacts(hfAccel* accel) {
  hfiContact* list = hfi_near_replace(&accel->world->near, accel->hold.count);

  for (int i = 0; i < accel->hold.count; ++i) {
    const hfiHeldContact* held = &accel->hold.list[i];
    const hfPose* XA = &accel->dynamics->X_WB[held->contact.body_a];
    const hfPose* XB = &accel->dynamics->X_WB[held->contact.body_b];
    hfVec3 pA = pose_point(*XA, held->p_AC);
    hfVec3 pB = pose_point(*XB, held->p_BC);

    // axes turn with B, point and depth follow from the material points
    hfiContact* contact = &list[i];
    *contact = held->contact;
    contact->n = m3_mulv(XB->R, held->n_B);
    contact->t1 = m3_mulv(XB->R, held->t1_B);
    contact->t2 = m3_mulv(XB->R, held->t2_B);

    contact->p_W = v3_scale(0.5, v3_add(pA, pB));
    contact->depth = held->contact.depth - v3_dot(contact->n, v3_sub(pA, pB));
  }
}
