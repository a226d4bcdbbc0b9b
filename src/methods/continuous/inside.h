// What the files of an hfAccel share.
#ifndef HFI_CONTINUOUS_INSIDE_H
#define HFI_CONTINUOUS_INSIDE_H

#include "methods/continuous/accel.h"

// ---- evaluation (accel.c) -----------------------------------------------------------------------------

// Computes the forces at x = (q, v, act), unless that was the last point.
hfStatus hfi_accel_update_forces(hfAccel* accel, double t, const double* x);

// ---- contacts (accel_contact.c, accel_hold.c) -----------------------------------------------------------

// Finds the contacts of the configuration, with Jacobians and laws.
void hfi_accel_find_contacts(hfAccel* accel);
// Moves the held contacts to the present configuration, where they become the world's contacts.
void hfi_accel_move_held_contacts(hfAccel* accel);
// Computes the forces of the contacts at velocity v, and adds J^T f to tau.
void hfi_accel_add_contact_forces(hfAccel* accel, const double* v, double* tau);
// Whether friction group g of a contact would stick at row velocities s.
int hfi_accel_would_stick(const hfiAccelContact* contact, int g, const double* s);
// The share of the way from contact->s to s1 that friction group g of a contact allows a Newton update.
double hfi_accel_find_alpha(const hfiAccelContact* contact, int g, const double* s1, hfiSine turn);

// ---- deformations as functions of the configuration (accel_anchor.c, accel_memory.c) ---------------------

// Rotation of body A of a contact in body B.
static inline hfQuat hfi_accel_relative_rotation(const hfAccel* accel, const hfiContact* contact) {
  return q_mul(q_conj(accel->dynamics->q_WB[contact->body_b]), accel->dynamics->q_WB[contact->body_a]);
}
// Sets the deformation of an anchored contact at this configuration. A contact that did not exist at the start of the
// step has no deformation until the next step.
void hfi_accel_follow_anchor(const hfAccel* accel, hfiAccelContact* contact);
// The anchor of a contact, or -1.
int hfi_accel_find_anchor(const hfAccel* accel, const hfiContact* contact);
// Makes anchors of the present contacts, with what the state remembers of them. v (nv): velocities; span: length of the
// step after which they were remembered, or 0 [s].
void hfi_accel_set_anchors(hfAccel* accel, const hfState* state, const double* v, double span);
// Writes the contact memory after a step h, evaluated at its end. Returns for how many contacts there was no room.
int hfi_accel_write_memory(hfAccel* accel, hfState* state, double h);

// ---- deformations as coordinates of the equation (accel_deform.c) ---------------------------------------

// Writes the deformations of the anchors to x (accel->deformations.count, which it sets).
void hfi_accel_read_deformations(hfAccel* accel, double* x);
// Sets the deformation of a contact from the coordinates of the point.
void hfi_accel_set_deformation(const hfAccel* accel, hfiAccelContact* contact);
// Rates of the deformations at the point evaluated last.
void hfi_accel_find_deformation_rates(const hfAccel* accel, double* rate);
// Writes the contacts of the point evaluated last to the memory of a state, with the deformations x. Returns for how
// many there was no room.
int hfi_accel_store_deformations(hfAccel* accel, const double* x, hfState* state);

// ---- limits and equalities (accel_stop.c, accel_equality.c) ---------------------------------------------

// Computes the forces of limits and friction losses, and adds them to tau.
void hfi_accel_add_stops(hfAccel* accel, const double* q, const double* v, double* tau);
int hfi_accel_max_stops(const hfModel* model);
// Computes Jacobian and factors of the equalities at q; and Jdot v and their reference accelerations at v.
hfStatus hfi_accel_update_equalities(hfAccel* accel, const double* q);
void hfi_accel_update_equality_rates(hfAccel* accel, const double* v);

// ---- the Jacobian (accel_jacobian.c, accel_activation.c) ------------------------------------------------

// J (n x n) of hf_accel_ode.
hfStatus hfi_accel_fill_jacobian(hfAccel* accel, double t, const double* x, double* J);
// Writes the rows and columns of activations to J (n x n), which are zero before.
void hfi_accel_fill_activations(hfAccel* accel, int n, double* J);
// Is neither actuator i nor a joint that it drives at a limit of force?
int hfi_accel_actuator_is_free(const hfAccel* accel, int i);

#endif
