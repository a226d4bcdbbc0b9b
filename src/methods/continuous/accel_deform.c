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
static int count_coordinates(const hfiContact* c) {
  if (c->material.condim > 3) return 6;
  return c->material.condim > 1 ? 3 : 0;
}

void hfi_accel_read_deformations(hfAccel* a, double* x) {
  hfiDeformationCoordinates* d = &a->deformations;
  d->count = 0;
  for (int i = 0; i < a->anchors.count; ++i) {
    int n = count_coordinates(&a->anchors.contact[i]);
    d->place[i] = d->count;
    if (n >= 3) v3_store(x + d->count, a->anchors.anchor[i].xi_B);
    if (n == 6) v3_store(x + d->count + 3, a->anchors.anchor[i].twist_B);
    d->count += n;
  }
}

void hfi_accel_deform(const hfAccel* a, hfiAccelContact* c) {
  const hfiContact* contact = c->contact;
  int i = c->dim >= 3 ? hfi_accel_find_anchor(a, contact) : -1;
  memset(c->law.xi0, 0, sizeof c->law.xi0);
  if (i < 0) return;

  const hfMat3* R = &a->dynamics->X_WB[contact->body_b].R;
  const double* x = a->deformations.now + a->deformations.place[i];
  hfVec3 xi_W = hfi_turn_into_plane(m3_mulv(*R, v3_load(x)), contact->n);
  hfVec3 twist_W = c->dim > 3 ? m3_mulv(*R, v3_load(x + 3)) : v3_zero();
  hfi_contact_set_deformation(contact, xi_W, twist_W, c->law.xi0);
}

// Computes the rates (5) of the deformations of a contact's rows t1, t2, n, t1, t2.
static void find_row_rates(const hfiAccelContact* c, double* rate) {
  memset(rate, 0, 5 * sizeof *rate);
  for (int r = 1; r < c->dim && c->law.depth > 0; ++r) {
    int g = hfi_row_group(r);
    double k = c->law.k_t[g];
    double d = max2(c->law.c_t[g], LEAST_RELAXATION * k);
    if (c->f[0] > 0 && c->stick >> g & 1) rate[r - 1] = c->s[r];
    else if (d > 0) rate[r - 1] = (-c->f[r] - k * c->law.xi0[r - 1]) / d;
  }
}

void hfi_accel_deformation_rates(const hfAccel* a, double* rate) {
  memset(rate, 0, (size_t)a->deformations.count * sizeof *rate);
  for (int k = 0; k < a->ncontact; ++k) {
    const hfiAccelContact* c = &a->contact[k];
    const hfiContact* contact = c->contact;
    int i = c->dim >= 3 ? hfi_accel_find_anchor(a, contact) : -1;
    if (i < 0) continue;

    double row[5];
    double* to = rate + a->deformations.place[i];
    const hfMat3* R = &a->dynamics->X_WB[contact->body_b].R;
    find_row_rates(c, row);
    v3_store(to, m3_tmulv(*R, hfi_in_plane(contact, row[0], row[1])));
    if (c->dim > 3) v3_store(to + 3, m3_tmulv(*R, v3_axpy(row[2], contact->n, hfi_in_plane(contact, row[3], row[4]))));
  }
}

// Writes a contact with its deformation to an entry of the contact memory.
static void store_contact(const hfAccel* a, const hfiAccelContact* c, hfContactMemory* m) {
  const hfiContact* contact = c->contact;
  const double* xi = c->law.xi0;
  hfPose X = a->dynamics->X_WB[contact->body_b];

  memset(m, 0, sizeof *m);
  m->key_pair = hfi_contact_key(contact).pair;
  m->key_feature = contact->feature;
  m->flags = hfi_accel_contact_sticks(c) ? HF_MEMORY_STICK : 0;
  v3_store(m->xi_B, m3_tmulv(X.R, hfi_in_plane(contact, xi[0], xi[1])));
  v3_store(m->twist, m3_tmulv(X.R, v3_axpy(xi[2], contact->n, hfi_in_plane(contact, xi[3], xi[4]))));
  v3_store(m->p_BC, pose_inv_point(X, contact->p_W));
  m->slip_speed = c->dim >= 3 ? sqrt(sqr(c->s[1]) + sqr(c->s[2])) : 0;
}

int hfi_accel_store_deformations(hfAccel* a, const double* x, hfState* state) {
  hfContactMemory* memory = hf_state_mutable_memory(state);
  int kept = 0;
  int lost = 0;
  a->deformations.now = x;

  for (int k = 0; k < a->ncontact; ++k) {
    hfiAccelContact* c = &a->contact[k];
    if (!(c->law.depth > 0)) continue;
    if (kept == state->max_memory) {
      ++lost;
      continue;
    }
    hfi_accel_deform(a, c);
    store_contact(a, c, &memory[kept++]);
  }
  hfi_memory_end(state, kept);
  return lost;
}
