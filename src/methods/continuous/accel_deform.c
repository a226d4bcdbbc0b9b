// The deformations of anchored friction as coordinates of the equation xdot = f(t, x).
//
//   f = -(k_t xi + c_t s) projected on |f| <= mu fn
//   xi' = s                        stick
//   xi' = (-f - k_t xi)/c_t        slip, so that k_t xi + c_t xi' = -f always
//   xi' = 0                        while the contact is open (an overlap that parts so fast that fn = 0 slips)
//
// This is the limit h -> 0 of what a step of discrete time does (docs/theory/accuracy.md). A contact has three
// coordinates, xi in the frame of body B, and three more for torsion and rolling where it has such rows. Contacts come
// and go: after every step of the integrator the coordinates are those of the contacts that touch or nearly touch. A
// contact that opened has forgotten its deformation.
#include "methods/continuous/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/memory.h"
#include "step/contact/contact.h"

#include <string.h>

// A contact without damping relaxes in slip within this time [s].
static const double LEAST_RELAXATION = 1e-5;

// Number of coordinates of the deformation of a contact.
static int count_coordinates(const hfiContact* contact) {
  if (contact->material.condim > 3) return 6;
  return contact->material.condim > 1 ? 3 : 0;
}

// Writes the deformations of the anchors to x, one behind the other, and notes their places. Sets deformations.count.
void hfi_accel_read_deformations(hfAccel* accel, double* x) {
  hfiDeformationCoordinates* deformations = &accel->deformations;
  deformations->count = 0;
  for (int i = 0; i < accel->anchors.count; ++i) {
    int n = count_coordinates(&accel->anchors.contact[i]);

    deformations->place[i] = deformations->count;
    if (n >= 3) v3_store(x + deformations->count, accel->anchors.anchor[i].xi_B);
    if (n == 6) v3_store(x + deformations->count + 3, accel->anchors.anchor[i].twist_B);
    deformations->count += n;
  }
}

// Sets law.xi0 of a contact from its coordinates at the point; zero for a contact that has none.
void hfi_accel_set_deformation(const hfAccel* accel, hfiAccelContact* contact) {
  const hfiContact* source = contact->source;
  int i = contact->dim >= 3 ? hfi_accel_find_anchor(accel, source) : -1;
  memset(contact->law.xi0, 0, sizeof contact->law.xi0);
  if (i < 0) return;

  const hfMat3* R = &accel->dynamics->X_WB[source->body_b].R;
  const double* x = accel->deformations.now + accel->deformations.place[i];
  hfVec3 xi_W = hfi_turn_into_plane(m3_mulv(*R, v3_load(x)), source->n);
  hfVec3 twist_W = contact->dim > 3 ? m3_mulv(*R, v3_load(x + 3)) : v3_zero();
  hfi_contact_set_deformation(source, xi_W, twist_W, contact->law.xi0);
}

// Computes the rates (5) of the deformations of a contact's rows t1, t2, n, t1, t2.
static void find_row_rates(const hfiAccelContact* contact, double* rate) {
  memset(rate, 0, 5 * sizeof *rate);
  for (int r = 1; r < contact->dim && contact->law.depth > 0; ++r) {
    int g = hfi_row_group(r);
    double k = contact->law.k_t[g];

    double d = max2(contact->law.c_t[g], LEAST_RELAXATION * k);
    if (contact->f[0] > 0 && contact->stick >> g & 1) rate[r - 1] = contact->s[r];
    else if (d > 0) rate[r - 1] = (-contact->f[r] - k * contact->law.xi0[r - 1]) / d;
  }
}

// Writes the rates of all deformations at the point evaluated last to rate (deformations.count).
void hfi_accel_find_deformation_rates(const hfAccel* accel, double* rate) {
  memset(rate, 0, (size_t)accel->deformations.count * sizeof *rate);
  for (int k = 0; k < accel->ncontact; ++k) {
    const hfiAccelContact* contact = &accel->contact[k];
    const hfiContact* source = contact->source;
    int i = contact->dim >= 3 ? hfi_accel_find_anchor(accel, source) : -1;
    if (i < 0) continue;

    // row: rates along t1, t2 (sliding), n (torsion), t1, t2 (rolling); they are stored as vectors in the frame of B
    double row[5];
    double* to = rate + accel->deformations.place[i];
    const hfMat3* R = &accel->dynamics->X_WB[source->body_b].R;
    find_row_rates(contact, row);
    hfVec3 slide_W = hfi_in_plane(source, row[0], row[1]);
    v3_store(to, m3_tmulv(*R, slide_W));
    if (contact->dim > 3) {
      hfVec3 twist_W = v3_axpy(row[2], source->n, hfi_in_plane(source, row[3], row[4]));
      v3_store(to + 3, m3_tmulv(*R, twist_W));
    }
  }
}

// Writes a contact with its deformation to an entry of the contact memory.
static void store_contact(const hfAccel* accel, const hfiAccelContact* contact, hfContactMemory* m) {
  const hfiContact* source = contact->source;
  const double* xi = contact->law.xi0;
  hfPose X = accel->dynamics->X_WB[source->body_b];

  memset(m, 0, sizeof *m);
  m->key_pair = hfi_contact_key(source).pair;
  m->key_feature = source->feature;
  m->flags = hfi_accel_contact_sticks(contact) ? HF_MEMORY_STICK : 0;
  v3_store(m->xi_B, m3_tmulv(X.R, hfi_in_plane(source, xi[0], xi[1])));
  v3_store(m->twist, m3_tmulv(X.R, v3_axpy(xi[2], source->n, hfi_in_plane(source, xi[3], xi[4]))));
  v3_store(m->p_BC, pose_inv_point(X, source->p_W));
  m->slip_speed = contact->dim >= 3 ? sqrt(sqr(contact->s[1]) + sqr(contact->s[2])) : 0;
}

// Writes the closed contacts of the point evaluated last, with the deformations x, to the memory of a state. Returns
// for how many there was no room.
int hfi_accel_store_deformations(hfAccel* accel, const double* x, hfState* state) {
  hfContactMemory* memory = hf_state_mutable_memory(state);
  int kept = 0;
  int lost = 0;
  // hfi_accel_set_deformation reads them from here
  accel->deformations.now = x;

  for (int k = 0; k < accel->ncontact; ++k) {
    hfiAccelContact* contact = &accel->contact[k];
    if (!(contact->law.depth > 0)) continue;

    if (kept == state->max_memory) {
      ++lost;
      continue;
    }

    hfi_accel_set_deformation(accel, contact);
    store_contact(accel, contact, &memory[kept++]);
  }

  hfi_memory_end(state, kept);
  return lost;
}
